/* SPDX-License-Identifier: Apache-2.0 */
/* Work-items as threads that one thread runs in turn: each goes on until it waits or ends. */
#ifndef THIP_FIBERS_H
#define THIP_FIBERS_H

#include <stdbool.h>
#include <stdint.h>

enum { FIBERS_STACK = 128 << 10 };

typedef struct fibers fibers;

/* `count` of them, not yet begun; work(context, i) is what each does. */
fibers *fibers_new(unsigned count, void (*work)(void *context, unsigned i), void *context);
void fibers_free(fibers *f);

/* Lets i go on, or begin again when it had ended; true when it has ended. */
bool fibers_run(fibers *f, unsigned i);

/* In one of them: hands over to who called fibers_run. */
void fibers_wait(fibers *f);

/* In one of them: as if all had ended; none of them goes on, and it does not return. */
void fibers_abandon(fibers *f);

/* The stack of i: its first address; it has FIBERS_STACK bytes. */
uint64_t fibers_stack(const fibers *f, unsigned i);

#endif
