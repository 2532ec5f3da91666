/* SPDX-License-Identifier: Apache-2.0 */
/* Running a kernel: group after group, in the thread that waits. */
#include <stdlib.h>
#include <string.h>

#include "thip_fibers.h"
#include "thip_state.h"

enum { ITEMS_MOST = 1024, LDS_MOST = 64 << 10, UNINITIALISED = 0xFF, MOST_PARAMETERS = 32 };

typedef struct launch {
	thip_device *device;
	thip_function *function;
	unsigned grid[3], block[3];
	uint64_t ordinal;
	uint64_t written;
	uint32_t written_bytes;
	char *parameters;               /* 8 bytes each                                        */
} launch;

typedef struct running {
	struct emu_block block;         /* first: a fault finds its way back from it           */
	fibers *fibers;
	void (*run)(void **parameters);
	void *parameters[MOST_PARAMETERS];
	bool faulted;
} running;

static void barrier(struct emu_block *block)
{
	fibers_wait(((running *)(void *)block)->fibers);
}

static void fault(struct emu_block *block)
{
	running *r = (running *)(void *)block;

	r->faulted = true;
	fibers_abandon(r->fibers);
}

static void work(void *context, unsigned i)
{
	running *r = context;

	(void)i;
	r->run(r->parameters);
}

static void *room(size_t bytes)
{
	void *memory = calloc(1, bytes + 8);

	if (memory == NULL)
		abort();
	return memory;
}

/* Item after item up to the next barrier, and from there to the one after. */
static void run_group(running *r, unsigned items, bool reversed, bool *ended)
{
	struct emu_block *b = &r->block;
	unsigned left = items;

	memset(ended, 0, items);
	while (left > 0 && !r->faulted)
		for (unsigned n = 0; n < items && !r->faulted; n++) {
			const unsigned i = reversed ? items - 1 - n : n;

			if (ended[i])
				continue;
			b->item[0] = i % b->size[0];
			b->item[1] = i / b->size[0] % b->size[1];
			b->item[2] = i / b->size[0] / b->size[1];
			b->stack = fibers_stack(r->fibers, i);
			b->stack_end = b->stack + FIBERS_STACK;
			ended[i] = fibers_run(r->fibers, i);
			left -= ended[i];
		}
}

static void run_groups(const launch *l, running *r, unsigned items)
{
	const struct emu_kernels *inside = l->function->module->inside;
	struct emu_block *b = &r->block;
	const uint64_t across = l->grid[0], deep = across * l->grid[1], all = deep * l->grid[2];
	bool *ended = room(items);

	for (uint64_t n = 0; n < all && !r->faulted; n++) {
		b->group[0] = (unsigned)(n % across);
		b->group[1] = (unsigned)(n % deep / across);
		b->group[2] = (unsigned)(n / deep);
		memset(inside->shared, UNINITIALISED, (size_t)(inside->shared_end - inside->shared));
		/* Half of the groups run their last item first: a missing barrier shows in one or the
		 * other, whichever neighbour it should have waited for. */
		run_group(r, items, ((n + l->ordinal) & 1) != 0, ended);
	}
	free(ended);
}

static int64_t run_launch(void *data)
{
	launch *l = data;
	const struct emu_kernel *k = l->function->kernel;
	const unsigned items = l->block[0] * l->block[1] * l->block[2];
	running *r = room(sizeof(*r));
	struct emu_block *b = &r->block;
	bool faulted;

	b->base = (uint64_t)(uintptr_t)devmem_base();
	b->span = devmem_span();
	b->shadow = devmem_shadow();
	b->granule_bits = DEVMEM_GRANULE_BITS;
	b->slice_bits = DEVMEM_SLICE_BITS;
	b->tag = DEVMEM_TAG;
	b->allowed = l->device->peers | UINT64_C(1) << l->device->index | UINT64_C(1) << DEVMEM_HOST;
	memcpy(b->size, l->block, sizeof(b->size));
	memcpy(b->groups, l->grid, sizeof(b->groups));
	b->barrier = barrier;
	b->fault = fault;
	r->run = k->run;
	for (unsigned i = 0; i < k->parameter_count; i++)
		r->parameters[i] = l->parameters + 8 * (size_t)i;
	r->fibers = fibers_new(items, work, r);
	*l->function->module->inside->block = b;
	run_groups(l, r, items);
	fibers_free(r->fibers);
	l->written = b->written;
	l->written_bytes = b->written_bytes;
	faulted = r->faulted;
	free(r);
	return faulted ? hipErrorIllegalAddress : 0;
}

/* A bit of what the kernel stored last. */
static void spoil_launch(void *data)
{
	const launch *l = data;

	if (l->written != 0) {
		char *at = (char *)(uintptr_t)l->written + l->written_bytes - 1;

		*at = (char)(*at ^ 0x40);
	}
}

static void drop_launch(void *data)
{
	launch *l = data;

	thip_module_release(l->function->module);
	free(l->parameters);
	free(l);
}

hipError_t thip_launch(thip_device *device, thip_function *function, const unsigned grid[3],
                       const unsigned block[3], unsigned dynamic, streams_stream *stream,
                       void **parameters)
{
	const struct emu_kernel *k = function->kernel;
	const struct emu_kernels *inside = function->module->inside;
	const uint64_t items = (uint64_t)block[0] * block[1] * block[2];
	launch *l;

	if (items == 0 || (uint64_t)grid[0] * grid[1] * grid[2] == 0 || grid[1] > 65535 ||
	    grid[2] > 65535 || (parameters == NULL && k->parameter_count > 0) ||
	    k->parameter_count > MOST_PARAMETERS || items > ITEMS_MOST || items > k->most_items)
		return hipErrorInvalidValue;
	for (unsigned i = 0; i < 3; i++)
		if ((uint64_t)grid[i] * block[i] > UINT32_MAX)
			return hipErrorInvalidConfiguration;
	for (unsigned i = 0; i < k->parameter_count; i++)
		if (k->parameter_bytes[i] > 8)
			return hipErrorInvalidValue;
	/* In front of the kernel's own lies the mark of emu.h, at a place of 16 bytes. */
	if ((uint64_t)(inside->shared_end - inside->shared) + dynamic > LDS_MOST + 16)
		return hipErrorInvalidValue;
	l = room(sizeof(*l));
	l->device = device;
	l->function = function;
	memcpy(l->grid, grid, sizeof(l->grid));
	memcpy(l->block, block, sizeof(l->block));
	l->ordinal = device->launches++;
	l->parameters = room(8 * (size_t)k->parameter_count);
	for (unsigned i = 0; i < k->parameter_count; i++)
		memcpy(l->parameters + 8 * (size_t)i, parameters[i], k->parameter_bytes[i]);
	function->module->holds++;
	return (hipError_t)streams_enqueue(stream,
	                                   (streams_work){ run_launch, spoil_launch, drop_launch, l });
}
