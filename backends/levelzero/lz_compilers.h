/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sources of SPIR-V: modules made when evenhand was built, Intel's offline compiler ocloc, or clang
 * with the translator llvm-spirv of the same LLVM.
 */
#ifndef LZ_COMPILERS_H
#define LZ_COMPILERS_H

#include <limits.h>
#include <stdbool.h>

#include "evenhand/backend.h"

typedef enum lz_way { LZ_ANY, LZ_PREBUILT, LZ_OCLOC, LZ_CLANG } lz_way;

/* The programs that made, or would make, SPIR-V. */
typedef struct lz_maker {
	lz_way way;              /* LZ_ANY = nothing is there                                 */
	char compiler[64];       /* "clang + llvm-spirv"                                      */
	char version[128];
	char translator[128];    /* "" = the compiler translates itself                       */
	char flags[384];
	char path[PATH_MAX];     /* of the compiler; of prebuilt kernels their folder         */
	char translator_path[PATH_MAX];
} lz_maker;

typedef struct lz_compilers {
	const eh_host *host;
	lz_way wanted;           /* levelzero.compiler; LZ_ANY = auto                         */
	bool searched;
	lz_maker prebuilt;       /* way LZ_ANY = there are none                               */
	lz_maker runtime;        /* what compiles here                                        */
} lz_compilers;

/* SPIR-V and its origin. */
typedef struct lz_spirv {
	void *bytes;             /* malloc'd                                                  */
	size_t size;
	bool from_cache;
	lz_maker maker;
} lz_spirv;

/* Reads the settings; runs nothing. */
eh_status lz_compilers_start(lz_compilers *c, const eh_host *host, eh_error *error);

/* Looks once for the compilers, and runs them to ask for their versions. */
void lz_compilers_search(lz_compilers *c);

/* lz_compile.c: SPIR-V of a source, for a device of that PCI device id (0 = unknown). */
eh_status lz_compile(lz_compilers *c, const eh_source *source, uint32_t device_id, lz_spirv *out,
                     char *log, size_t log_size, eh_error *error);

/* Room and time of one run of a compiler. */
enum { LZ_COMPILE_MS = 120000 };

#endif
