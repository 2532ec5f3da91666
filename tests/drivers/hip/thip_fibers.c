/* SPDX-License-Identifier: Apache-2.0 */
#include "thip_fibers.h"

#include <stdlib.h>
#include <sys/mman.h>

#ifndef __x86_64__
#include <ucontext.h>
#endif

#if defined(__x86_64__)
/* ucontext saves the signal mask at every switch, which costs more than what a work-item does. */
typedef struct place {
	void *sp;
} place;
void thip_switch(place *from, const place *to);
__asm__(".text\n"
        ".hidden thip_switch\n"
        ".type thip_switch, @function\n"
        "thip_switch:\n"
        "	pushq %rbp\n	pushq %rbx\n	pushq %r12\n	pushq %r13\n	pushq %r14\n"
        "	pushq %r15\n	movq %rsp, (%rdi)\n	movq (%rsi), %rsp\n	popq %r15\n"
        "	popq %r14\n	popq %r13\n	popq %r12\n	popq %rbx\n	popq %rbp\n"
        "	ret\n"
        ".size thip_switch, . - thip_switch\n");
#else
typedef ucontext_t place;
static void thip_switch(place *from, const place *to)
{
	(void)swapcontext(from, to);
}
#endif

struct fibers {
	unsigned count, current;
	bool abandoned;
	void (*work)(void *context, unsigned i);
	void *context;
	place main;
	place *places;
	bool *begun, *ended;
	char *stacks;
};

static void *room(size_t bytes)
{
	void *memory = calloc(1, bytes);

	if (memory == NULL)
		abort();
	return memory;
}

fibers *fibers_new(unsigned count, void (*work)(void *context, unsigned i), void *context)
{
	fibers *f = room(sizeof(*f));

	f->count = count;
	f->work = work;
	f->context = context;
	f->places = room(count * sizeof(*f->places));
	f->begun = room(count);
	f->ended = room(count);
	f->stacks = mmap(NULL, (size_t)count * FIBERS_STACK, PROT_READ | PROT_WRITE,
	                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (f->stacks == MAP_FAILED)
		abort();
	return f;
}

void fibers_free(fibers *f)
{
	(void)munmap(f->stacks, (size_t)f->count * FIBERS_STACK);
	free(f->ended);
	free(f->begun);
	free(f->places);
	free(f);
}

uint64_t fibers_stack(const fibers *f, unsigned i)
{
	return (uint64_t)(uintptr_t)f->stacks + (uint64_t)i * FIBERS_STACK;
}

static _Thread_local fibers *entering;

/* For ever: a group after another uses it. */
static void go(void)
{
	fibers *const f = entering;
	const unsigned i = f->current;

	for (;;) {
		f->work(f->context, i);
		f->ended[i] = true;
		thip_switch(&f->places[i], &f->main);
	}
}

static void begin(fibers *f, unsigned i)
{
	char *const stack = f->stacks + (size_t)i * FIBERS_STACK;

	f->begun[i] = true;
	entering = f;
#if defined(__x86_64__)
	/* Six registers, where to go, and nothing to return to. */
	void **sp = (void **)(void *)(stack + FIBERS_STACK) - 8;

	sp[6] = (void *)(uintptr_t)go;
	f->places[i].sp = sp;
#else
	if (getcontext(&f->places[i]) != 0)
		abort();
	f->places[i].uc_stack.ss_sp = stack;
	f->places[i].uc_stack.ss_size = FIBERS_STACK;
	f->places[i].uc_link = NULL;
	makecontext(&f->places[i], go, 0);
#endif
}

bool fibers_run(fibers *f, unsigned i)
{
	if (f->abandoned)
		return true;
	f->current = i;
	f->ended[i] = false;
	if (!f->begun[i])
		begin(f, i);
	thip_switch(&f->main, &f->places[i]);
	return f->abandoned || f->ended[i];
}

void fibers_wait(fibers *f)
{
	thip_switch(&f->places[f->current], &f->main);
}

void fibers_abandon(fibers *f)
{
	f->abandoned = true;
	for (;;)
		thip_switch(&f->places[f->current], &f->main);
}
