/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Queues and marks.  A queue is a thread that runs commands one after the other, and a ring of the
 * commands that it has not run yet.  A mark is a command that notes that it was reached.
 *
 * ---- yours: streams and events, command queues and command lists.  Your API has the threads, so
 * little remains of queue.c: each slot is one call of your API.
 */
#ifndef SKELETON_QUEUE_H
#define SKELETON_QUEUE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "evenhand/backend.h"

enum {
	QUEUE_ROOM = 256,      /* commands of a queue that are not done; the next call waits */
	QUEUE_STACK = 8 << 20, /* kernels keep work-group memory there: at least 1 MiB */
	LAUNCH_ARGS = 20,      /* backend.h: a kernel has no more */
	SPIN_NS = 100000,      /* before a wait sleeps: longer than waking up takes, so that no
	                          wait is more wake-up than work */
};

/* The signature of kernels in the dialect's host branch: dialect.h, EH_ENTRY. */
typedef void (*skeleton_entry)(void **args, const int32_t groups[3], int64_t first, int64_t end);

/* Everything that a command needs when it runs: nothing of the caller's is looked at later, but for
 * the host memory of uploads and downloads, which backend.h keeps valid. */
typedef struct command {
	/* Called in the queue's thread.  Anything but EH_OK, with *error filled by eh_fail, is told
	 * by the next wait. */
	eh_status (*run)(eh_queue *queue, const struct command *self, eh_error *error);
	union {
		struct { void *to; const void *from; uint64_t bytes; } move;
		struct { void *to; uint64_t bytes; uint32_t pattern; } fill;
		struct { eh_mark *mark; uint64_t recording; } mark;
		struct {
			skeleton_entry entry;
			int32_t groups[3];
			uint32_t arg_count;
			uint64_t values[LAUNCH_ARGS];
		} launch;
	};
} command;

/* One side advances it, any number of threads wait for it. */
typedef struct counter {
	atomic_uint_fast64_t value;
	uint64_t wanted; /* the least value that a sleeping thread waits for; 0: none sleeps */
} counter;

struct eh_device {
	struct skeleton *self;
	const eh_host *host;
	pthread_mutex_t lock;   /* of counters and failures */
	pthread_cond_t reached; /* a counter has a value that was wanted */
};

struct eh_queue {
	eh_device *device;
	bool timed;
	pthread_t thread;
	counter added, done;      /* commands since the queue was made */
	eh_error failure;         /* the first one that was not told; code EH_OK: none */
	command ring[QUEUE_ROOM]; /* command number n is in ring[n % QUEUE_ROOM] */
};

struct eh_mark {
	eh_device *device;
	bool timed;
	eh_queue *queue;   /* where it was recorded last; NULL: nowhere yet */
	uint64_t recorded; /* how often it was recorded */
	counter passed;    /* how many of the recordings have passed */
	uint64_t ns;       /* when the last of them did, on the host's clock */
};

/* Enqueues a copy of *c; waits while the ring is full. */
void queue_add(eh_queue *queue, const command *c);

/* The slots of eh_backend_ops of the same names. */
eh_status queue_create(eh_device *device, uint32_t flags, eh_queue **queue, eh_error *error);
void queue_destroy(eh_queue *queue);
eh_status queue_wait(eh_queue *queue, eh_error *error);
eh_status queue_wait_mark(eh_queue *queue, eh_mark *mark, eh_error *error);
eh_status mark_create(eh_device *device, uint32_t flags, eh_mark **mark, eh_error *error);
void mark_destroy(eh_mark *mark);
eh_status mark_record(eh_queue *queue, eh_mark *mark, eh_error *error);
eh_status mark_wait(eh_mark *mark, eh_error *error);
eh_status mark_passed(eh_mark *mark, uint32_t *passed, eh_error *error);
eh_status mark_elapsed(eh_mark *from, eh_mark *to, uint64_t *ns, eh_error *error);

#endif
