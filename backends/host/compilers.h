/* SPDX-License-Identifier: Apache-2.0 */
/* The C compilers of this machine.  Each is a device: the same kernel, CPU and threads under
 * another compiler are another executor. */
#ifndef HOST_COMPILERS_H
#define HOST_COMPILERS_H

#include <limits.h>

#include "state.h"

enum { MOST_COMPILERS = 64 }; /* further compilers are ignored                              */

typedef struct compiler {
	char id[64];           /* "gcc-12", unique                                             */
	char kind[8];          /* "gcc" or "clang"                                             */
	char version[32];      /* "12.2.0"                                                     */
	unsigned number[3];
	char text[128];        /* "gcc version 12.2.0 (Debian 12.2.0-14+deb12u1)"              */
	char target_cpu[64];   /* the target of "native": "sapphirerapids"; may be empty       */
	char path[PATH_MAX];   /* as found on PATH; this file is run                           */
	char real[PATH_MAX];   /* without links: compilers are told apart by it                */
	char stamp[64];        /* size and time of change of the file                          */
	bool native;           /* it takes the flags for this very CPU                         */
	bool half;             /* half loads and stores work                                   */
	bool usable;           /* it builds shared objects that load and compute               */
	bool hangs;            /* it did not finish the trial: not asked again                   */
	char reason[320];      /* why it is not usable                                         */
} compiler;

/* Fills s->compilers: looks along PATH, asks each compiler for its version, and lets each build a
 * small kernel, all side by side.  A compiler that does not answer becomes a note. false when
 * memory is exhausted. */
bool compilers_find(host_state *s);

/* Pure: fills kind, version, number, text and target_cpu from the output of `-v -E -dM`; false when
 * it is neither GCC nor Clang. */
bool compilers_identify(compiler *c, const char *output);

#endif
