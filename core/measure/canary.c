/* SPDX-License-Identifier: Apache-2.0 */
#include "measure/canary.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/text.h"

enum {
	ITEMS = 64,            /* per group, as in canary.k                                  */
	ROWS = 64,             /* that a group of the memory part reads: 16 KiB              */
	GROUP_BYTES = ITEMS * ROWS * 4,
	MAX_GROUPS = 16384,
	MAX_ROUNDS = 1 << 22,
	NEED_ROUNDS = 8,       /* after which every value has settled at 0.5                 */
	MAX_PASSES = 64,       /* over the buffer of the memory part in one run              */
	STEPS = 12,            /* of sizing at most                                          */
	IDLES = 4,             /* a run lasts so many times what reading back takes          */
	RUNS = 3
};
static const uint64_t least_target_ns = 1000000;
static const uint64_t most_target_ns = 200000000;

struct canary {
	const session *s;
	eh_program *program;
	eh_kernel *compute, *memory;
	eh_buffer *out, *in;
	float *back;              /* the downloaded output, [MAX_GROUPS * ITEMS]              */
	uint32_t compute_groups;
	int32_t rounds;
	uint32_t memory_groups;   /* that one launch reads                                    */
	uint32_t passes;          /* launches of one run, over 1 when each reads the buffer   */
	uint32_t all_groups;      /* in the whole buffer                                      */
	uint32_t next_group;      /* where the next run begins                                */
	uint64_t target_ns;       /* of a run, up to its values read back                     */
	double reference_compute_ns, reference_memory_ns;
};

size_t canary_programs(const canary_program **out)
{
	static const canary_program programs[] = { { "canary", NULL, 0 } };

	*out = programs;
	return sizeof(programs) / sizeof(programs[0]);
}

eh_status canary_open(canary **out, const session *s, const eh_source *source, eh_error *error)
{
	const eh_backend_ops *ops = s->ops;
	canary *c = memory_get(sizeof(*c));
	uint64_t groups = (uint64_t)s->info.compute_units * 16;
	eh_status status;

	c->s = s;
	c->rounds = NEED_ROUNDS;
	c->compute_groups = groups < 64 ? 64 : groups > MAX_GROUPS ? MAX_GROUPS : (uint32_t)groups;
	c->back = memory_get(sizeof(float) * MAX_GROUPS * ITEMS);
	status = ops->program_build(s->device, source, &c->program, NULL, 0, error);
	if (status != EH_OK) {
		c->program = NULL;
		goto undo;
	}
	status = ops->kernel_get(c->program, "canary_compute", &c->compute, error);
	if (status == EH_OK)
		status = ops->kernel_get(c->program, "canary_memory", &c->memory, error);
	if (status == EH_OK)
		status = ops->buffer_alloc(s->device, EH_MEMORY_DEVICE,
		                           sizeof(float) * MAX_GROUPS * ITEMS, &c->out, error);
	if (status != EH_OK)
		goto undo;
	*out = c;
	return EH_OK;
undo:
	canary_close(c);
	return status;
}

void canary_close(canary *c)
{
	const eh_backend_ops *ops;

	if (c == NULL)
		return;
	ops = c->s->ops;
	(void)ops->queue_wait(c->s->queue, NULL);
	ops->buffer_free(c->in);
	ops->buffer_free(c->out);
	if (c->program != NULL)
		ops->program_destroy(c->program);
	free(c->back);
	free(c);
}

static eh_status launch_compute(canary *c, uint32_t groups, int32_t rounds, eh_error *error)
{
	const eh_arg args[] = {
		{ .buffer = c->out },
		{ .data = &rounds, .size = sizeof(rounds) },
	};
	const eh_launch launch = {
		.struct_size = sizeof(launch),
		.arg_count = 2,
		.groups = { groups, 1, 1 },
		.group_size = { ITEMS, 1, 1 },
		.args = args,
	};

	return c->s->ops->launch(c->s->queue, c->compute, &launch, error);
}

static eh_status launch_memory(canary *c, uint32_t first_group, uint32_t groups, eh_error *error)
{
	int64_t first = (int64_t)first_group * ITEMS * ROWS;
	int32_t rows = ROWS;
	const eh_arg args[] = {
		{ .buffer = c->in },
		{ .buffer = c->out },
		{ .data = &first, .size = sizeof(first) },
		{ .data = &rows, .size = sizeof(rows) },
	};
	const eh_launch launch = {
		.struct_size = sizeof(launch),
		.arg_count = 4,
		.groups = { groups, 1, 1 },
		.group_size = { ITEMS, 1, 1 },
		.args = args,
	};

	return c->s->ops->launch(c->s->queue, c->memory, &launch, error);
}

static eh_status wait(canary *c, eh_error *error)
{
	return c->s->ops->queue_wait(c->s->queue, error);
}

/* Downloads the first `items` values of the output and compares each with `want`. */
static eh_status read_back(canary *c, uint64_t items, float want, eh_error *error)
{
	const eh_backend_ops *ops = c->s->ops;
	eh_status status = ops->download(c->s->queue, c->back, c->out, 0, items * sizeof(float), error);

	if (status == EH_OK)
		status = ops->queue_wait(c->s->queue, error);
	if (status != EH_OK)
		return status;
	for (uint64_t i = 0; i < items; i++)
		if (!(c->back[i] == want))
			return error_set(error, EH_E_INTERNAL, "The canary kernel left %g where %g belongs.",
			                 (double)c->back[i], (double)want);
	return EH_OK;
}

eh_status canary_compute(canary *c, uint64_t launches, eh_error *error)
{
	eh_status status = EH_OK;

	for (; launches > 0 && status == EH_OK; launches--)
		status = launch_compute(c, c->compute_groups, c->rounds, error);
	return status;
}

eh_status canary_nothing(canary *c, eh_error *error)
{
	return launch_compute(c, 1, 0, error);
}

eh_status canary_clear(canary *c, eh_error *error)
{
	eh_status status = c->s->ops->fill(c->s->queue, c->out, 0,
	                                   sizeof(float) * MAX_GROUPS * ITEMS, 0, error);

	return status == EH_OK ? wait(c, error) : status;
}

eh_status canary_read(canary *c, eh_error *error)
{
	return read_back(c, (uint64_t)c->compute_groups * ITEMS, 0.5f, error);
}

/* One run of the compute part, up to its first values read back. */
static eh_status time_compute(canary *c, uint64_t *ns, eh_error *error)
{
	uint64_t start = clock_now_ns();
	eh_status status = canary_compute(c, 1, error);

	if (status == EH_OK)
		status = wait(c, error);
	if (status == EH_OK)
		status = read_back(c, ITEMS, 0.5f, error);
	*ns = clock_now_ns() - start;
	return status;
}

/* Each run reads on where the last one ended, so that it finds little of it in a cache.  The whole buffer,
 * which is twice the last-level cache where memory allows it (buffer_groups), may be read again at once. */
static eh_status time_memory(canary *c, uint64_t *ns, eh_error *error)
{
	uint64_t start;
	eh_status status = EH_OK;

	if (c->next_group + c->memory_groups > c->all_groups)
		c->next_group = 0;
	start = clock_now_ns();
	for (uint32_t pass = 0; pass < c->passes && status == EH_OK; pass++)
		status = launch_memory(c, c->next_group, c->memory_groups, error);
	if (status == EH_OK)
		status = wait(c, error);
	if (status == EH_OK)
		status = read_back(c, ITEMS, (float)ROWS, error);
	*ns = clock_now_ns() - start;
	c->next_group += c->memory_groups;
	return status;
}

/* The size that would take target_ns, from what `size` took; at most eight times as much. */
static uint64_t next_size(uint64_t target_ns, uint64_t size, uint64_t ns, uint64_t most)
{
	double factor = ns == 0 ? 8 : (double)target_ns / (double)ns;
	double next = (double)size * (factor > 8 ? 8 : factor);

	return next >= (double)most ? most : next < 1 ? 1 : (uint64_t)next;
}

/* How long a run is to be, from the quickest of some readings when nothing is to be done. */
static eh_status choose_target(canary *c, eh_error *error)
{
	uint64_t idle = UINT64_MAX;
	uint64_t took;
	eh_status status = time_compute(c, &took, error);

	for (int run = 0; run < RUNS && status == EH_OK; run++) {
		uint64_t start = clock_now_ns();

		status = read_back(c, ITEMS, 0.5f, error);
		took = clock_now_ns() - start;
		idle = took < idle ? took : idle;
	}
	if (idle < most_target_ns / IDLES)
		c->target_ns = IDLES * idle > least_target_ns ? IDLES * idle : least_target_ns;
	else
		c->target_ns = most_target_ns;
	return status;
}

eh_status canary_size(canary *c, eh_error *error)
{
	eh_status status = canary_clear(c, error);

	if (status == EH_OK)
		status = choose_target(c, error);
	/* At most eight-fold steps from the least: far enough for every machine, and few. */
	for (int step = 0; step < STEPS && status == EH_OK; step++) {
		uint64_t ns;
		uint64_t best = UINT64_MAX;

		for (int run = 0; run < RUNS && status == EH_OK; run++) {
			status = time_compute(c, &ns, error);
			if (ns < best)
				best = ns;
		}
		if (status != EH_OK || best >= c->target_ns / 2)
			break;
		c->rounds = (int32_t)next_size(c->target_ns, (uint64_t)c->rounds, best, MAX_ROUNDS);
	}
	return status;
}

static uint64_t buffer_groups(const eh_device_info *info)
{
	uint64_t bytes = info->last_level_cache_bytes * 2;
	uint64_t least = UINT64_C(32) << 20;
	uint64_t most = UINT64_C(256) << 20;

	if (info->memory_bytes != 0 && info->memory_bytes / 16 < most)
		most = info->memory_bytes / 16;
	if (info->max_alloc_bytes != 0 && info->max_alloc_bytes < most)
		most = info->max_alloc_bytes;
	if (bytes < least)
		bytes = least;
	if (bytes > most)
		bytes = most;
	return bytes < GROUP_BYTES ? 1 : bytes / GROUP_BYTES;
}

/* A larger part of the buffer; when that is all of it, more passes.  They double, so that two workers
 * on one device mostly do the same work, which alone compares. */
static void grow_memory(canary *c, uint64_t ns)
{
	if (c->memory_groups == c->all_groups)
		c->passes *= 2;
	else
		c->memory_groups = (uint32_t)next_size(c->target_ns, c->memory_groups, ns, c->all_groups);
}

eh_status canary_prepare(canary *c, eh_error *error)
{
	const eh_backend_ops *ops = c->s->ops;
	const uint32_t one = 0x3f800000; /* 1.0f */
	eh_status status;

	c->all_groups = (uint32_t)buffer_groups(&c->s->info);
	c->memory_groups = c->all_groups < 64 ? c->all_groups : 64;
	c->passes = 1;
	status = ops->buffer_alloc(c->s->device, EH_MEMORY_DEVICE,
	                           (uint64_t)c->all_groups * GROUP_BYTES, &c->in, error);
	if (status != EH_OK) {
		c->in = NULL;
		return status;
	}
	status = ops->fill(c->s->queue, c->in, 0, (uint64_t)c->all_groups * GROUP_BYTES, one, error);
	if (status == EH_OK)
		status = wait(c, error);
	for (int step = 0; step < STEPS && status == EH_OK; step++) {
		uint64_t ns;
		uint64_t best = UINT64_MAX;

		for (int run = 0; run < RUNS && status == EH_OK; run++) {
			status = time_memory(c, &ns, error);
			if (ns < best)
				best = ns;
		}
		if (status != EH_OK || best >= c->target_ns / 2 || c->passes == MAX_PASSES)
			break;
		grow_memory(c, best);
	}
	if (status == EH_OK)
		status = canary_run(c, &c->reference_compute_ns, &c->reference_memory_ns, error);
	return status;
}

void canary_describe(const canary *c, record_canary *out)
{
	out->reference_compute_ns = c->reference_compute_ns;
	out->reference_memory_ns = c->reference_memory_ns;
	out->compute_rounds = (uint64_t)c->rounds * c->compute_groups * ITEMS;
	out->memory_bytes = (uint64_t)c->passes * c->memory_groups * GROUP_BYTES;
}

static uint64_t middle(uint64_t times[RUNS])
{
	for (int i = 1; i < RUNS; i++)
		for (int k = i; k > 0 && times[k] < times[k - 1]; k--) {
			uint64_t swap = times[k];

			times[k] = times[k - 1];
			times[k - 1] = swap;
		}
	return times[RUNS / 2];
}

eh_status canary_run(canary *c, double *compute_ns, double *memory_ns, eh_error *error)
{
	uint64_t compute[RUNS];
	uint64_t memory[RUNS];
	eh_status status = EH_OK;

	for (int i = 0; i < RUNS && status == EH_OK; i++)
		status = time_compute(c, &compute[i], error);
	for (int i = 0; i < RUNS && status == EH_OK; i++)
		status = time_memory(c, &memory[i], error);
	if (status == EH_OK) {
		*compute_ns = (double)middle(compute);
		*memory_ns = (double)middle(memory);
	}
	return status;
}
