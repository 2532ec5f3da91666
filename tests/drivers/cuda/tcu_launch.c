/* SPDX-License-Identifier: Apache-2.0 */
/* Running a kernel: block after block, in the thread that waits. */
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include "ptx_block.h"
#include "tcu_state.h"

enum { THREADS_MOST = 1024, UNINITIALISED = 0xFF };

typedef struct launch {
	tcu_device *device;
	tcu_function *function;
	unsigned grid[3], block[3];
	unsigned dynamic;
	uint64_t ordinal;
	uint64_t written;
	uint32_t written_bytes;
	char *parameters;
} launch;

typedef struct running {
	struct ptx_block block; /* first: a fault finds its way back from it                    */
	jmp_buf end;
	CUresult code;
} running;

static void fault(struct ptx_block *block, int kind, uint64_t address, uint32_t bytes)
{
	running *r = (running *)(void *)block;

	(void)address;
	(void)bytes;
	r->code = kind == PTX_TRAP         ? CUDA_ERROR_ILLEGAL_INSTRUCTION
	          : kind == PTX_MISALIGNED ? CUDA_ERROR_MISALIGNED_ADDRESS
	                                   : CUDA_ERROR_ILLEGAL_ADDRESS;
	longjmp(r->end, 1);
}

static void *room(size_t bytes)
{
	void *memory = calloc(1, bytes + 8);

	if (memory == NULL)
		abort();
	return memory;
}

static void run_blocks(const launch *l, running *r)
{
	struct ptx_block *b = &r->block;
	const uint64_t across = l->grid[0], deep = across * l->grid[1], all = deep * l->grid[2];

	if (setjmp(r->end) != 0)
		return;
	for (uint64_t n = 0; n < all; n++) {
		b->ctaid[0] = (uint32_t)(n % across);
		b->ctaid[1] = (uint32_t)(n % deep / across);
		b->ctaid[2] = (uint32_t)(n / deep);
		/* Half of the blocks run their last thread first: a missing barrier shows in one or the
		 * other, whichever neighbour it should have waited for. */
		b->reversed = (uint32_t)((n + l->ordinal) & 1);
		memset(b->shared, UNINITIALISED, b->shared_bytes);
		memset(b->at, 0, b->items * sizeof(*b->at));
		l->function->run(b);
	}
}

static int64_t run_launch(void *data)
{
	launch *l = data;
	const ptx_kernel *k = l->function->kernel;
	running *r = room(sizeof(*r));
	struct ptx_block *b = &r->block;
	CUresult code;

	b->memory = devmem_base();
	b->base = (uint64_t)(uintptr_t)b->memory;
	b->span = devmem_span();
	b->shadow = devmem_shadow();
	b->allowed = l->device->peers | UINT64_C(1) << l->device->index | UINT64_C(1) << DEVMEM_HOST;
	b->items = l->block[0] * l->block[1] * l->block[2];
	memcpy(b->ntid, l->block, sizeof(b->ntid));
	memcpy(b->nctaid, l->grid, sizeof(b->nctaid));
	b->shared_bytes = l->dynamic == 0 ? k->shared_bytes : ptx_dynamic_at(k) + l->dynamic;
	b->local_bytes = k->local_bytes;
	b->shared = room(b->shared_bytes);
	b->local = room((size_t)b->local_bytes * b->items);
	b->saved = room((size_t)k->saved_words * b->items * sizeof(uint64_t));
	b->at = room(b->items * sizeof(*b->at));
	b->param = l->parameters;
	b->globals = l->function->module->variables;
	b->fault = fault;
	b->clock = streams_now;
	run_blocks(l, r);
	l->written = b->written;
	l->written_bytes = b->written_bytes;
	code = r->code;
	free(b->at);
	free(b->saved);
	free(b->local);
	free(b->shared);
	free(r);
	return code;
}

/* A bit of what the kernel stored last. */
static void spoil_launch(void *data)
{
	const launch *l = data;
	char *at = l->written == 0 ? NULL : devmem_view(l->written, l->written_bytes);

	if (at != NULL)
		at[l->written_bytes - 1] = (char)(at[l->written_bytes - 1] ^ 0x40);
}

static void drop_launch(void *data)
{
	launch *l = data;

	tcu_module_release(l->function->module);
	free(l->parameters);
	free(l);
}

CUresult tcu_launch(tcu_device *device, tcu_function *function, const unsigned grid[3],
                    const unsigned block[3], unsigned dynamic, streams_stream *stream,
                    void **parameters)
{
	const ptx_kernel *k = function->kernel;
	const uint64_t items = (uint64_t)block[0] * block[1] * block[2];
	launch *l;

	if (items == 0 || (uint64_t)grid[0] * grid[1] * grid[2] == 0 || grid[1] > 65535 ||
	    grid[2] > 65535 || block[2] > 64 || grid[0] > 2147483647u ||
	    (parameters == NULL && k->param_count > 0))
		return CUDA_ERROR_INVALID_VALUE;
	if (items > (k->max_items != 0 ? k->max_items : THREADS_MOST))
		return CUDA_ERROR_INVALID_VALUE;
	if (dynamic > function->dynamic_limit)
		return CUDA_ERROR_INVALID_VALUE;
	l = room(sizeof(*l));
	l->device = device;
	l->function = function;
	memcpy(l->grid, grid, sizeof(l->grid));
	memcpy(l->block, block, sizeof(l->block));
	l->dynamic = dynamic;
	l->ordinal = device->launches++;
	l->parameters = room(k->param_bytes);
	for (uint32_t i = 0; i < k->param_count; i++)
		memcpy(l->parameters + k->params[i].offset, parameters[i], k->params[i].bytes);
	function->module->holds++;
	return (CUresult)streams_enqueue(stream,
	                                 (streams_work){ run_launch, spoil_launch, drop_launch, l });
}
