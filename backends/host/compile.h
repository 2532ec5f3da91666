/* SPDX-License-Identifier: Apache-2.0 */
/* C source to the bytes of a shared object. */
#ifndef HOST_COMPILE_H
#define HOST_COMPILE_H

#include "compilers.h"
#include "shared/scratch.h"
#include "shared/subprocess.h"

enum { COMPILE_STACK_LIMIT = 4 << 20 }; /* bytes of stack that one work-group may need        */

typedef struct compile_job {
	const compiler *with;
	subprocess process;
	scratch folder;         /* removed at the end                                           */
	eh_status status;       /* EH_OK: binary is set                                         */
	eh_error error;         /* otherwise                                                    */
	void *binary;
	size_t size;
	char *log;              /* the compiler's messages; NULL = none                         */
} compile_job;

/* The flags, as disclosed: one line. */
void compile_flags_text(const compiler *c, char *out, size_t size);

/* Starts the compiler on `text`; compile_end reports failures. */
void compile_begin(compile_job *job, const host_state *s, const compiler *c, const char *text);
/* Waits for all of them (at most MOST_COMPILERS) and fills status, error, binary and log. */
void compile_end(compile_job *jobs, size_t count, const host_state *s, uint64_t milliseconds);
void compile_free(compile_job *job);

/* Macros, prelude and body as one text; malloc'd, NULL when memory is exhausted. */
char *compile_unit(const eh_source *source);

#endif
