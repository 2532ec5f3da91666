/* SPDX-License-Identifier: Apache-2.0 */
#include "base/parallel.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <unistd.h>

enum { THREADS_MAX = 8, STRIDE_MAX = 16, STRIDES = 16, PLENTY = 4 };

typedef struct pieces {
	size_t count, stride;
	bool plenty; /* PLENTY for each processor at least */
	void (*work)(void *context, size_t i);
	void *context;
	atomic_size_t next;
} pieces;

/* This thread works on pieces of which every processor has several. */
static _Thread_local bool busy;

static void *take(void *context)
{
	pieces *all = context;
	bool before = busy;
	size_t from;

	busy = busy || all->plenty;
	while ((from = atomic_fetch_add(&all->next, all->stride)) < all->count)
		for (size_t i = from; i < all->count && i < from + all->stride; i++)
			all->work(all->context, i);
	busy = before;
	return NULL;
}

void parallel_each(size_t count, void (*work)(void *context, size_t i), void *context)
{
	pieces all = { .count = count, .work = work, .context = context };
	pthread_t threads[THREADS_MAX];
	long processors = sysconf(_SC_NPROCESSORS_ONLN);
	size_t want = processors < 1 ? 1 : (size_t)processors;
	size_t started = 0;

	if (want > THREADS_MAX)
		want = THREADS_MAX;
	all.plenty = count >= PLENTY * want;
	if (want > count)
		want = count;
	if (busy)
		want = 1;
	/* Each thread takes several strides, so that all end at about the same time. */
	all.stride = want > 0 ? count / (want * STRIDES) : 1;
	if (all.stride < 1)
		all.stride = 1;
	if (all.stride > STRIDE_MAX)
		all.stride = STRIDE_MAX;
	while (started + 1 < want && pthread_create(&threads[started], NULL, take, &all) == 0)
		started++;
	(void)take(&all);
	for (size_t i = 0; i < started; i++)
		(void)pthread_join(threads[i], NULL);
}
