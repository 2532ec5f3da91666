/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels that were compiled when evenhand was built, for machines without a working compiler:
 * LIBRARY-DIR/host-kernels/SOURCE-DIGEST.so.  The file "compiler" beside them has the compiler's
 * version, flags and target in "key=value" lines. */
#ifndef HOST_PREBUILT_H
#define HOST_PREBUILT_H

#include <limits.h>

#include "state.h"

typedef struct prebuilt {
	char version[128];    /* of the compiler, the first line it prints; empty = unknown   */
	char compiler[64];    /* "gcc", "clang"; empty = unknown                              */
	char flags[512];
	char target[64];
} prebuilt;

/* The recorded facts of their build; everything is empty when the file is not there. */
void prebuilt_origin(const host_state *s, prebuilt *out);

/* The bytes of the object built from the source of that digest, and its path. */
eh_status prebuilt_read(const host_state *s, const eh_source *source, void **binary,
                        size_t *size, char path[PATH_MAX], eh_error *error);

#endif
