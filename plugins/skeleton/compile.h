/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compiles kernel texts with the machine's C compiler.  In your backend the vendor's run-time
 * compiler takes its place: NVRTC, hiprtc, clBuildProgram, or an offline compiler that you start.
 */
#ifndef SKELETON_COMPILE_H
#define SKELETON_COMPILE_H

#include "evenhand/backend.h"

#ifndef SKELETON_NAME /* the Makefile says it */
#define SKELETON_NAME "skeleton"
#endif

/* The compiler's flags.  They are reported as eh_program_info.flags, since results are comparable
 * only when the flags are known. */
#define COMPILE_FLAGS "-std=gnu17 -O3 -march=native -fPIC -shared"

typedef struct compiled {
	void *handle;        /* of dlopen                                                      */
	void *binary;        /* the bytes of the shared object, malloc'd                       */
	uint64_t binary_size;
} compiled;

/* Compiles `source` with the program `compiler` in a private folder below `scratch`, which is
 * removed afterwards.  EH_E_BUILD with the compiler's messages in log; EH_E_UNAVAILABLE when there
 * is no such compiler; else EH_E_INTERNAL.  On failure `why` (size why_size) gets one sentence.
 * / */
eh_status compile_source(const char *compiler, const char *scratch, const eh_source *source,
                         compiled *out, char *log, size_t log_size, char *why, size_t why_size);
void compile_free(compiled *c);

/* The first line that `compiler --version` prints, without the compiler's own name; empty when it
 * cannot be started. */
void compile_version(const char *compiler, const char *scratch, char *out, size_t size);

#endif
