/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compiled kernels, kept between runs in the folder that the core lends.  An entry is KEY and a
 * suffix, with KEY.sha256 beside it (in the form that sha256sum -c reads).  An entry whose bytes do
 * not have that digest, or that somebody else could have written, is never used.
 */
#ifndef SHARED_BINARYCACHE_H
#define SHARED_BINARYCACHE_H

#include <limits.h>
#include <stdbool.h>

#include "evenhand/backend.h"

typedef struct binarycache {
	const eh_host *host;
	const char *folder;  /* NULL = off                                                    */
	const char *suffix;  /* ".cubin"                                                      */
	const char *remedy;  /* said of an unusable entry; NULL = "the kernel is compiled again" */
	bool warned;         /* the warning was given that nothing can be kept                */
} binarycache;

/* The key of a kernel: the SHA-256 of all the texts that shape it, with their lengths; "none"
 * (which finds nothing) when memory is out.  The first texts name the owner of the entries and
 * their version. */
void binarycache_key(const eh_host *host, const char *const texts[], size_t count, char key[65]);

/* True when there is a sound entry: *binary (malloc'd), *size, and its path.  A damaged one is
 * logged and counts as missing. */
bool binarycache_load(const binarycache *cache, const char *key, void **binary, size_t *size,
                      char path[PATH_MAX]);

/* Keeps an entry, in one step; false (with one warning per cache) when that is not possible, and false
 * while another process keeps the same one. */
bool binarycache_store(binarycache *cache, const char *key, const void *binary, size_t size,
                       char path[PATH_MAX]);

#endif
