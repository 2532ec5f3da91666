/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From kernel text to code, by the machine's C compiler.  In your backend the vendor's run-time
 * compiler stands here: NVRTC, hiprtc, clBuildProgram, an offline compiler you start.
 */
#ifndef SKELETON_COMPILE_H
#define SKELETON_COMPILE_H

#include "evenhand/backend.h"

#ifndef SKELETON_NAME /* the Makefile says it */
#define SKELETON_NAME "skeleton"
#endif

/* Everything but the text that shapes the code.  It is reported as eh_program_info.flags, since two
 * results are only comparable when these are known. */
#define COMPILE_FLAGS "-std=gnu17 -O3 -march=native -fPIC -shared"

typedef struct compiled {
	void *handle;        /* of dlopen                                                      */
	void *binary;        /* the bytes of the shared object, malloc'd                       */
	uint64_t binary_size;
} compiled;

/* Compiles `source` with the program `compiler`, in a private folder below `scratch` that is gone
 * afterwards.  EH_OK; EH_E_BUILD with the compiler's messages in log; EH_E_UNAVAILABLE when there
 * is no such compiler; else EH_E_INTERNAL.  `why` (size why_size) gets one sentence when it fails.
 */
eh_status compile_source(const char *compiler, const char *scratch, const eh_source *source,
                         compiled *out, char *log, size_t log_size, char *why, size_t why_size);
void compile_free(compiled *c);

/* The first line that `compiler --version` prints, without the compiler's own name; empty when it
 * cannot be started. */
void compile_version(const char *compiler, const char *scratch, char *out, size_t size);

#endif
