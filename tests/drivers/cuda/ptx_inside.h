/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of the translator share. */
#ifndef PTX_INSIDE_H
#define PTX_INSIDE_H

#include <stdio.h>

#include "ptx.h"

enum { PTX_OPERANDS = 8, PTX_TOKENS = 12, PTX_TEXT = 512 };

typedef enum ptx_space {
	PTX_SPACE_GENERIC,
	PTX_SPACE_GLOBAL,
	PTX_SPACE_CONST,
	PTX_SPACE_SHARED,
	PTX_SPACE_LOCAL,
	PTX_SPACE_PARAM
} ptx_space;

typedef struct ptx_type {
	const char *name; /* "s32"                                                              */
	char kind;        /* 'p' predicate, 'b', 's', 'u', 'f', 'h' half, 'g' bfloat16           */
	uint8_t bytes;
	const char *c;    /* in C, half precision as its bits                                   */
} ptx_type;

/* A declaration: of name<count>, or of one register when count is 0. */
typedef struct ptx_registers {
	char name[64];
	const ptx_type *type;
	uint32_t count, first;
	int scope;
} ptx_registers;

typedef struct ptx_symbol {
	char name[PTX_NAME];
	ptx_space space;
	uint64_t offset; /* in its space; of a variable, its index                              */
	uint64_t bytes;  /* 0 = shared memory that a launch asks for                            */
	int scope;       /* -1 = the module                                                     */
} ptx_symbol;

typedef struct ptx_instruction {
	char text[PTX_TEXT];   /* the statement as it stood                                     */
	char label[128];       /* a label instead of an instruction                              */
	int scope;
	char op[96];
	char guard[64];
	bool guard_negated;
	char *tokens[PTX_TOKENS];
	int token_count;
	char *operands[PTX_OPERANDS];
	int operand_count;
	char cut[PTX_TEXT + 96]; /* where tokens and operands lie                              */
	uint32_t barrier;        /* 1, 2, ... for a barrier                                    */
	bool falls;              /* goes on to the next instruction                            */
} ptx_instruction;

typedef struct ptx_text {
	FILE *out;
	ptx_module *module;
	ptx_kernel *kernel;
	ptx_registers *registers;
	size_t register_count;
	ptx_symbol *symbols;
	size_t symbol_count;
	ptx_instruction *instructions;
	size_t instruction_count, instruction_room;
	int *scope_parents;
	int scope_count, scope;
	uint32_t module_shared;
	bool failed;
	char *error;
	size_t error_size;
} ptx_text;

/* What stands in front of every translated module. */
extern const char ptx_prelude_text[];

/* The first failure is kept. */
__attribute__((format(printf, 2, 3)))
void ptx_fail(ptx_text *t, const char *format, ...);

/* NULL when there is no such type. */
const ptx_type *ptx_type_of(const char *name);

/* The register of this name as the instruction's scope sees it: its number, or -1. */
int64_t ptx_register(const ptx_text *t, int scope, const char *name, const ptx_type **type);

const ptx_symbol *ptx_symbol_of(const ptx_text *t, int scope, const char *name);

/* The operand as a C expression of the type, written to `to`. */
void ptx_read(ptx_text *t, const ptx_instruction *i, const char *operand, const ptx_type *type,
              char *to, size_t size);

/* Emits the statement that puts the C expression of the type into the register `operand`
 * ("_" takes and drops it), widened as a narrow result is. */
__attribute__((format(printf, 5, 6)))
void ptx_assign(ptx_text *t, const ptx_instruction *i, const char *operand, const ptx_type *type,
                const char *format, ...);

/* The operand "[x+4]" as a C pointer to `bytes` checked bytes in the space. */
void ptx_address(ptx_text *t, const ptx_instruction *i, const char *operand, ptx_space space,
                 uint32_t bytes, bool store, char *to, size_t size);

bool ptx_has(const ptx_instruction *i, const char *token);

/* Emits one instruction without its guard. */
void ptx_instruction_emit(ptx_text *t, const ptx_instruction *i);

/* False for an instruction whose first operand is no result. */
bool ptx_has_result(const ptx_instruction *i);

/* Emits the kernel whose instructions were read. */
void ptx_kernel_emit(ptx_text *t, size_t index);

#endif
