/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads that stay, one per CPU, each pinned to it.  Work is a range of units that is cut into
 * contiguous equal parts, part i always for thread i, so that a thread works on the memory that it
 * touched first.
 *
 * The thread that opened the pool is thread 0 itself when its stack is large enough for any kernel;
 * otherwise, and for calls from another thread, a thread of the pool stands in.
 */
#ifndef HOST_POOL_H
#define HOST_POOL_H

#include <stdint.h>

#include "cpu.h"

typedef struct pool pool;

/* Runs the units first..end-1. */
typedef void (*pool_work)(void *context, int64_t first, int64_t end);

/* Starts `threads` (>= 1) on the first CPUs of c, which must outlive the pool.  Returns 0 or
 * errno. */
int pool_open(pool **out, const cpu *c, unsigned threads);
void pool_close(pool *p); /* NULL is fine; the opening thread gets its CPUs back */

/* Runs `units` (>= 1) units and returns when all are done; one unit costs no wake-up. */
void pool_run(pool *p, int64_t units, pool_work work, void *context);

/* The caller works as thread 0. */
bool pool_caller_works(const pool *p);
/* Every thread sits on its own CPU. */
bool pool_pinned(const pool *p);

#endif
