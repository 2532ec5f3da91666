/* SPDX-License-Identifier: Apache-2.0 */
#include "pool.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "compile.h"

enum {
	LINE = 64,
	STACK_BYTES = 16 << 20,
	SPIN_NS = 50000,  /* longer than the gap between launches, shorter than a time slice    */
	ACTIVE_BITS = 16,
};

typedef struct worker {
	pool *owner;
	pthread_t thread;
	unsigned index;
	uint64_t seen;            /* the state when it started, or worked last                   */
} worker;

struct pool {
	/* Generation above, number of active threads below.  A thread whose index is not below
	 * that number leaves the job alone, so it may be late without harm. */
	_Alignas(LINE) _Atomic uint64_t state;
	_Atomic uint32_t bell;    /* futex: changes with every state                             */
	_Atomic uint32_t sleepers;
	pool_work work;           /* the job, written before the state is published              */
	void *context;
	int64_t units;

	_Alignas(LINE) _Atomic uint32_t pending; /* futex: threads that still work               */
	_Atomic uint32_t caller_sleeps;
	_Atomic bool leave;
	bool stand_in_started, opener_works, pinned;
	unsigned threads;
	unsigned started;         /* of workers                                                  */
	const cpu *cpu;
	worker *workers;          /* threads 1 and up                                            */
	worker stand_in;          /* thread 0 when the caller cannot be                          */
	pthread_t opener;
};

static void futex_wait(_Atomic uint32_t *word, uint32_t value)
{
	(void)syscall(SYS_futex, (uint32_t *)word, FUTEX_WAIT_PRIVATE, value, NULL, NULL, 0);
}

static void futex_wake(_Atomic uint32_t *word, int count)
{
	(void)syscall(SYS_futex, (uint32_t *)word, FUTEX_WAKE_PRIVATE, count, NULL, NULL, 0);
}

static inline void relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	__asm__ volatile("isb");
#else
	atomic_signal_fence(memory_order_seq_cst);
#endif
}

static uint64_t now_ns(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Part `index` of `parts` of the units. */
static void run_part(pool *p, unsigned index, unsigned parts)
{
	const int64_t n = p->units, whole = n / parts, rest = n % parts;
	const int64_t first = whole * index + rest * index / parts;
	const int64_t end = whole * (index + 1) + rest * (index + 1) / parts;

	if (first < end)
		p->work(p->context, first, end);
}

/* Waits until the state differs from `seen` and returns it. */
static uint64_t next_state(pool *p, uint64_t seen)
{
	for (;;) {
		const uint64_t until = now_ns() + SPIN_NS;
		uint64_t state;
		uint32_t bell;

		do {
			for (int i = 0; i < 64; i++) {
				state = atomic_load_explicit(&p->state, memory_order_acquire);
				if (state != seen)
					return state;
				relax();
			}
		} while (now_ns() < until);
		bell = atomic_load(&p->bell);
		atomic_fetch_add(&p->sleepers, 1);
		if (atomic_load(&p->state) == seen)
			futex_wait(&p->bell, bell);
		atomic_fetch_sub(&p->sleepers, 1);
	}
}

static void *worker_main(void *argument)
{
	worker *w = argument;
	pool *p = w->owner;

	for (;;) {
		unsigned active;

		w->seen = next_state(p, w->seen);
		if (atomic_load(&p->leave))
			return NULL;
		active = (unsigned)(w->seen & ((1u << ACTIVE_BITS) - 1));
		if (w->index >= active)
			continue;
		run_part(p, w->index, active);
		if (atomic_fetch_sub(&p->pending, 1) == 1 && atomic_load(&p->caller_sleeps) != 0)
			futex_wake(&p->pending, 1);
	}
}

static bool pin(pthread_t thread, const cpu *c, unsigned index)
{
	const int number = c->may.numbers[index % c->may.count];
	cpu_set_t *mask = CPU_ALLOC((size_t)number + 1);
	bool good;

	if (mask == NULL)
		return false;
	CPU_ZERO_S(CPU_ALLOC_SIZE((size_t)number + 1), mask);
	CPU_SET_S((size_t)number, CPU_ALLOC_SIZE((size_t)number + 1), mask);
	good = pthread_setaffinity_np(thread, CPU_ALLOC_SIZE((size_t)number + 1), mask) == 0;
	CPU_FREE(mask);
	return good;
}

static int start_worker(pool *p, worker *w, unsigned index)
{
	pthread_attr_t attributes;
	int problem = pthread_attr_init(&attributes);

	if (problem != 0)
		return problem;
	w->owner = p;
	w->index = index;
	w->seen = atomic_load(&p->state);
	problem = pthread_attr_setstacksize(&attributes, STACK_BYTES);
	if (problem == 0)
		problem = pthread_create(&w->thread, &attributes, worker_main, w);
	(void)pthread_attr_destroy(&attributes);
	if (problem == 0 && !pin(w->thread, p->cpu, index))
		p->pinned = false;
	return problem;
}

/* Stack that the calling thread has left; 0 when it is unknown. */
static size_t stack_left(void)
{
	pthread_attr_t attributes;
	void *lowest = NULL;
	size_t size = 0;
	char here;
	const int problem = pthread_getattr_np(pthread_self(), &attributes);

	if (problem != 0)
		return 0;
	if (pthread_attr_getstack(&attributes, &lowest, &size) != 0)
		lowest = NULL;
	(void)pthread_attr_destroy(&attributes);
	return lowest != NULL && (char *)lowest < &here ? (size_t)(&here - (char *)lowest) : 0;
}

int pool_open(pool **out, const cpu *c, unsigned threads)
{
	pool *p;
	int problem;

	if (threads == 0 || threads >= 1u << ACTIVE_BITS)
		return EINVAL;
	p = aligned_alloc(LINE, (sizeof(*p) + LINE - 1) / LINE * LINE);
	if (p == NULL)
		return ENOMEM;
	memset(p, 0, sizeof(*p));
	p->cpu = c;
	p->threads = threads;
	p->pinned = true;
	p->opener = pthread_self();
	/* The frame limit of a kernel, and room for the frames below and above it. */
	p->opener_works = stack_left() >= COMPILE_STACK_LIMIT + (1u << 20);
	p->workers = calloc(threads, sizeof(*p->workers));
	if (p->workers == NULL) {
		free(p);
		return ENOMEM;
	}
	for (unsigned i = 1; i < threads; i++) {
		problem = start_worker(p, &p->workers[p->started], i);
		if (problem != 0) {
			pool_close(p);
			return problem;
		}
		p->started++;
	}
	if (p->opener_works) {
		if (!pin(p->opener, c, 0))
			p->pinned = false;
	} else {
		problem = start_worker(p, &p->stand_in, 0);
		if (problem != 0) {
			pool_close(p);
			return problem;
		}
		p->stand_in_started = true;
	}
	*out = p;
	return 0;
}

static void publish(pool *p, unsigned active)
{
	const uint64_t generation = (atomic_load(&p->state) >> ACTIVE_BITS) + 1;

	atomic_store(&p->state, generation << ACTIVE_BITS | active);
	atomic_fetch_add(&p->bell, 1);
	if (atomic_load(&p->sleepers) != 0)
		futex_wake(&p->bell, INT_MAX);
}

void pool_close(pool *p)
{
	if (p == NULL)
		return;
	atomic_store(&p->leave, true);
	publish(p, 0);
	for (unsigned i = 0; i < p->started; i++)
		(void)pthread_join(p->workers[i].thread, NULL);
	if (p->stand_in_started)
		(void)pthread_join(p->stand_in.thread, NULL);
	if (p->opener_works && pthread_equal(p->opener, pthread_self()))
		(void)sched_setaffinity(0, p->cpu->may.mask_size, p->cpu->may.mask);
	free(p->workers);
	free(p);
}

/* A caller that is not thread 0 has no CPU of its own: spinning would hold up a thread. */
static void wait_for_all(pool *p, bool spin)
{
	const uint64_t until = spin ? now_ns() + SPIN_NS : 0;
	uint32_t left;

	do {
		for (int i = 0; i < 64; i++) {
			if (atomic_load_explicit(&p->pending, memory_order_acquire) == 0)
				return;
			relax();
		}
	} while (now_ns() < until);
	atomic_store(&p->caller_sleeps, 1);
	while ((left = atomic_load(&p->pending)) != 0)
		futex_wait(&p->pending, left);
	atomic_store(&p->caller_sleeps, 0);
}

void pool_run(pool *p, int64_t units, pool_work work, void *context)
{
	/* Once a pool thread stands in for callers from other threads, it is part 0 for good. */
	const bool mine = !p->stand_in_started && p->opener_works &&
	                  pthread_equal(p->opener, pthread_self());
	const unsigned active = units < (int64_t)p->threads ? (unsigned)units : p->threads;

	if (!mine && !p->stand_in_started) {
		/* A call from a thread that never opened this: its stack is unknown. */
		if (start_worker(p, &p->stand_in, 0) == 0)
			p->stand_in_started = true;
	}
	if (active == 1 && (mine || !p->stand_in_started)) {
		work(context, 0, units);
		return;
	}
	p->work = work;
	p->context = context;
	p->units = units;
	atomic_store(&p->pending, mine || !p->stand_in_started ? active - 1 : active);
	publish(p, active);
	if (mine || !p->stand_in_started)
		run_part(p, 0, active);
	wait_for_all(p, mine);
}

bool pool_caller_works(const pool *p)
{
	return p->opener_works;
}

bool pool_pinned(const pool *p)
{
	return p->pinned;
}
