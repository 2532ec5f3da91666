/* SPDX-License-Identifier: Apache-2.0 */
/* The workload of fake_backend.h: out = 2 in + 1 over 1024 values, `cost` times its time. */
#ifndef TESTS_FAKE_WORKLOAD_H
#define TESTS_FAKE_WORKLOAD_H

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "evenhand/workload.h"

enum { FAKE_VALUES = 1024 };

typedef struct fake_state {
	const eh_bench *bench;
	eh_program *program;
	eh_kernel *kernel;
	eh_buffer *in, *out;
	float values[FAKE_VALUES], back[FAKE_VALUES];
} fake_state;

static const eh_param fake_params[] = {
	{ .key = "cost", .type = EH_PARAM_UINT, .standard = "4", .domain = "1..16", .tune = "1,2,4,16",
	  .help = "launch time, in units" },
	{ .key = NULL },
};

static eh_status fake_describe(const eh_case *values, eh_work *work, eh_error *error)
{
	(void)error;
	*work = (eh_work){
		.struct_size = sizeof(*work),
		.metric = EH_METRIC_SECONDS,
		.region = EH_REGION_EXECUTION,
		.amount = 1,
		.device_bytes = 2 * sizeof(float) * FAKE_VALUES,
		.precision = "f32",
	};
	/* So that a candidate can be unsupported. */
	if (eh_case_number(values, "cost") == 16)
		work->needs = EH_CAP_FP64;
	return EH_OK;
}

static eh_status fake_send(fake_state *s, eh_error *error)
{
	const eh_bench *b = s->bench;
	eh_status status = b->ops->upload(b->queue, s->in, 0, s->values, sizeof(s->values), error);

	return status == EH_OK ? b->ops->queue_wait(b->queue, error) : status;
}

static void fake_finish(void *state)
{
	fake_state *s = state;

	s->bench->ops->buffer_free(s->out);
	s->bench->ops->buffer_free(s->in);
	s->bench->ops->program_destroy(s->program);
	free(s);
}

static eh_status fake_prepare(const eh_bench *bench, void **state, eh_error *error)
{
	static const eh_source source = { .struct_size = sizeof(source), .name = "work" };
	fake_state *s = memory_get(sizeof(*s));
	const eh_backend_ops *ops = bench->ops;
	eh_status status;

	s->bench = bench;
	bench->fill_uniform(bench, s->values, 0, FAKE_VALUES, "f32", bench->values->seed, 0);
	status = ops->program_build(bench->device, &source, &s->program, NULL, 0, error);
	if (status == EH_OK)
		status = ops->kernel_get(s->program, "work", &s->kernel, error);
	if (status == EH_OK)
		status = ops->buffer_alloc(bench->device, EH_MEMORY_DEVICE, sizeof(s->values), &s->in, error);
	if (status == EH_OK)
		status = ops->buffer_alloc(bench->device, EH_MEMORY_DEVICE, sizeof(s->values), &s->out, error);
	if (status == EH_OK)
		status = fake_send(s, error);
	if (status != EH_OK) {
		fake_finish(s);
		return status;
	}
	*state = s;
	return EH_OK;
}

static eh_status fake_work_enqueue(void *state, uint64_t iteration, eh_error *error)
{
	fake_state *s = state;
	int64_t count = FAKE_VALUES;
	int64_t cost = (int64_t)eh_case_number(s->bench->values, "cost");
	const eh_arg args[] = {
		{ .buffer = s->in }, { .buffer = s->out },
		{ .data = &count, .size = sizeof(count) }, { .data = &cost, .size = sizeof(cost) },
	};
	const eh_launch launch = {
		.struct_size = sizeof(launch), .arg_count = 4, .groups = { 16, 1, 1 },
		.group_size = { 64, 1, 1 }, .args = args,
	};

	(void)iteration;
	return s->bench->ops->launch(s->bench->queue, s->kernel, &launch, error);
}

static eh_status fake_poison(void *state, eh_error *error)
{
	fake_state *s = state;

	return s->bench->ops->fill(s->bench->queue, s->out, 0, sizeof(s->values), 0x7fc00000, error);
}

static eh_status fake_check(void *state, uint64_t iteration, eh_check *check, eh_error *error)
{
	fake_state *s = state;
	const eh_bench *b = s->bench;
	eh_status status = b->ops->download(b->queue, s->back, s->out, 0, sizeof(s->back), error);

	(void)iteration;
	if (status == EH_OK)
		status = b->ops->queue_wait(b->queue, error);
	if (status != EH_OK)
		return status;
	memcpy(check->gate, "A", 2);
	for (int i = 0; i < FAKE_VALUES; i++) {
		check->checked++;
		check->failed += !(s->back[i] == 2 * s->values[i] + 1);
	}
	check->passed = check->failed == 0;
	return EH_OK;
}

static eh_status fake_vary(void *state, uint32_t variant, eh_error *error)
{
	fake_state *s = state;

	s->bench->fill_uniform(s->bench, s->values, 0, FAKE_VALUES, "f32", s->bench->values->seed, variant);
	return fake_send(s, error);
}

static const eh_workload fake_workload = {
	.magic = EH_WORKLOAD_MAGIC,
	.struct_size = sizeof(fake_workload),
	.abi_major = EH_ABI_MAJOR,
	.abi_minor = EH_ABI_MINOR,
	.pointer_bytes = sizeof(void *),
	.revision = 1,
	.name = "fake",
	.summary = "2 x + 1",
	.params = fake_params,
	.describe = fake_describe,
	.prepare = fake_prepare,
	.enqueue = fake_work_enqueue,
	.poison = fake_poison,
	.check = fake_check,
	.vary = fake_vary,
	.finish = fake_finish,
};

#endif
