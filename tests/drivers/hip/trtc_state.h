/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The test hiprtc: compiles a HIP text with this machine's compiler against emu.h, to an ELF file
 * that the test runtime loads.
 *
 *   EVENHAND_TEST_CACHE   where compiled texts are kept; a folder of the user's in /tmp when not set
 *   EVENHAND_TEST_TEXTS   a folder that gets every text given to it
 *   CC                    the compiler, which must know C++; cc when not set
 */
#ifndef TRTC_STATE_H
#define TRTC_STATE_H

#define __HIP_PLATFORM_AMD__ 1
#include <hip/hiprtc.h>
#include <stdbool.h>
#include <stddef.h>

/* What stands in front of every text. */
extern const char trtc_prelude[];

/* malloc'd: the text with an entry for each of its kernels behind it, and their metadata; NULL with
 * a sentence in *why when it has a kernel that cannot be read.  `text` is preprocessed. */
char *trtc_entries(const char *text, char *why, size_t size);

/* Compiles `text`, called `name`, to *code (malloc'd).  False with the compiler's messages in *log
 * (malloc'd, may be NULL). */
bool trtc_build(const char *name, const char *text, char **code, size_t *size, char **log);

#endif
