/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compiled kernels, kept between runs in the folder that the core lends.  An entry is KEY.so with
 * KEY.sha256 beside it (in the form that sha256sum -c reads).  An entry whose bytes do not have
 * that digest is never loaded.
 */
#ifndef HOST_KERNELCACHE_H
#define HOST_KERNELCACHE_H

#include "compilers.h"

/* Everything that shapes the binary: text, compiler, flags, CPU. */
void kernelcache_key(const host_state *s, const compiler *c, const char *text, char key[65]);

/* True when there is a sound entry: *binary (malloc'd), *size, and its path.  A damaged one is
 * logged and counts as missing. */
bool kernelcache_load(const host_state *s, const char *key, void **binary, size_t *size,
                      char path[PATH_MAX]);

/* Keeps an entry, in one step; false (with one warning per process) when that is not possible. */
bool kernelcache_store(host_state *s, const char *key, const void *binary, size_t size,
                       char path[PATH_MAX]);

/*
 * What a compiler printed when it was asked with these arguments (NULL ends them), kept as kernels are: by
 * its file, the CPU, and the loader's variables, which choose its libraries.  key becomes "none", which
 * finds nothing and keeps nothing, for a script: it stays the same when the compiler behind it changes.
 */
void kernelcache_answer_key(const host_state *s, const compiler *c, const char *const argv[],
                            char key[65]);
/* The text (malloc'd, terminated), or NULL. */
char *kernelcache_answer(const host_state *s, const char *key);
void kernelcache_keep_answer(host_state *s, const char *key, const char *text);

#endif
