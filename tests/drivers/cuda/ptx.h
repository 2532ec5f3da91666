/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PTX to C.  A module's text goes in; out comes C with one function per kernel that runs a block:
 *
 *   void ptx_run_N(struct ptx_block *block);   N counts the module's kernels from 0
 *
 * It runs thread after thread up to the next barrier, then again from there, until all have ended:
 * a barrier that is missing shows as wrong results.  What the translator does not know it refuses
 * by name; it guesses nothing.
 */
#ifndef PTX_H
#define PTX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PTX_NAME = 256, PTX_PARAMS = 64 };

typedef struct ptx_param {
	uint32_t bytes, offset;
} ptx_param;

typedef struct ptx_kernel {
	char name[PTX_NAME];
	ptx_param params[PTX_PARAMS];
	uint32_t param_count, param_bytes;
	uint32_t shared_bytes, local_bytes;
	uint32_t registers;    /* declared, not allocated                                       */
	uint32_t max_items;    /* of .maxntid, 0 = not said                                     */
	uint32_t saved_words;  /* per thread, for the registers that live across a barrier       */
	uint32_t barriers;
} ptx_kernel;

/* Where the shared memory begins that a launch asks for. */
static inline uint32_t ptx_dynamic_at(const ptx_kernel *kernel)
{
	return (kernel->shared_bytes + 15) / 16 * 16;
}

/* A variable of the module in global or constant memory. */
typedef struct ptx_variable {
	char name[PTX_NAME];
	uint64_t bytes;
	unsigned char *data; /* owned; NULL = zeros                                           */
} ptx_variable;

typedef struct ptx_module {
	ptx_kernel *kernels;
	size_t kernel_count;
	ptx_variable *variables;
	size_t variable_count;
} ptx_module;

/* On success *c is the text, to be freed.  On failure false, and error says what and where. */
bool ptx_translate(const char *text, char **c, ptx_module *module, char *error, size_t size);

void ptx_module_free(ptx_module *module);

/* Every form that the translator knows, "add.s32", one a line; to be freed. */
char *ptx_forms(void);

#endif
