/* SPDX-License-Identifier: Apache-2.0 */
/*
 * launch - the cost of starting a kernel: of enqueueing it, of running kernels one after the other,
 * and of waiting for one.  The kernel counts its launches and adds up its arguments in device
 * memory, so that a launch that was lost, doubled or given other arguments is found.
 */
#include "../support.h"

enum mode { ENQUEUE, BACK_TO_BACK, ROUND_TRIP };

#define MAX_ARGUMENTS 16

static const eh_param launch_params[] = {
	{"mode", EH_PARAM_ENUM, 0, "back-to-back", "enqueue|back-to-back|round-trip", NULL,
	 "the host's time in the calls; the time per launch in a row; one launch and its wait"},
	{"arguments", EH_PARAM_UINT, 0, "0", "0..16", NULL,
	 "scalar arguments of 4 bytes, beside the one buffer"},
	{"count", EH_PARAM_UINT, 0, "1", "1..100000", NULL,
	 "launches per operation; round-trip: 1"},
	{NULL, 0, 0, NULL, NULL, NULL, NULL},
};

typedef struct launch_state {
	const eh_bench *bench;
	eh_kernel *kernel;
	eh_buffer *total;
	uint64_t count;
	uint32_t argument_count;
	uint32_t arguments[MAX_ARGUMENTS];
	uint32_t start;          /* the value of both words after poison                       */
	uint32_t launched;       /* since then, modulo 2^32 as the counter itself              */
} launch_state;

static eh_status launch_describe(const eh_case *values, eh_work *work, eh_error *error)
{
	static const uint32_t regions[] = {EH_REGION_ENQUEUE, EH_REGION_EXECUTION,
	                                   EH_REGION_ROUND_TRIP};
	const uint64_t mode = eh_case_value(values, "mode")->number;
	const uint64_t count = eh_case_number(values, "count");

	if (mode == ROUND_TRIP && count != 1)
		return support_error(error, EH_E_INVALID_ARGUMENT,
		                     "launch: mode=round-trip waits for each launch; set count=1");
	support_work_clear(work);
	work->metric = EH_METRIC_SECONDS;
	work->region = regions[mode];
	work->amount = (double)count;
	work->device_bytes = 2 * sizeof(uint32_t);
	work->working_set_bytes = work->device_bytes;
	work->group_items = 1;
	snprintf(work->precision, sizeof work->precision, "u32");
	snprintf(work->kernel, sizeof work->kernel, "launch");
	support_define(work, "EH_L_ARGUMENTS", "%" PRIu64, eh_case_number(values, "arguments"));
	return EH_OK;
}

static void launch_arguments(launch_state *s, uint32_t variant)
{
	s->bench->fill_bytes(s->bench, s->arguments, 0, sizeof s->arguments, s->bench->values->seed, variant);
	s->bench->fill_bytes(s->bench, &s->start, 0, sizeof s->start, s->bench->values->seed, 1000 + variant);
}

static void launch_finish(void *state)
{
	launch_state *s = state;
	if (s == NULL)
		return;
	support_free(s->bench, s->total);
	free(s);
}

static eh_status launch_poison(void *state, eh_error *error)
{
	launch_state *s = state;
	const uint64_t bytes = 2 * sizeof(uint32_t);
	/* A new value each time: after a lost poison the old count would look right. */
	s->start += UINT32_C(0x9e3779b9);
	s->launched = 0;
	return s->bench->ops->fill(s->bench->queue, s->total, 0, bytes, s->start, error);
}

static eh_status launch_prepare(const eh_bench *bench, void **state, eh_error *error)
{
	launch_state *s = calloc(1, sizeof *s);
	eh_status status;
	if (s == NULL)
		return support_error(error, EH_E_NO_MEMORY, "launch: no host memory");
	s->bench = bench;
	s->count = eh_case_number(bench->values, "count");
	s->argument_count = (uint32_t)eh_case_number(bench->values, "arguments");
	launch_arguments(s, 0);
	status = bench->ops->kernel_get(bench->program, "eh_launch_count", &s->kernel, error);
	if (status == EH_OK)
		status = support_alloc(bench, EH_MEMORY_DEVICE, 2 * sizeof(uint32_t), &s->total,
		                       error);
	if (status == EH_OK)
		status = launch_poison(s, error);
	if (status == EH_OK)
		status = bench->ops->queue_wait(bench->queue, error);
	if (status != EH_OK) {
		launch_finish(s);
		return status;
	}
	*state = s;
	return EH_OK;
}

static eh_status launch_enqueue(void *state, uint64_t iteration, eh_error *error)
{
	launch_state *s = state;
	eh_arg args[1 + MAX_ARGUMENTS];
	eh_launch l = {
		.struct_size = sizeof l,
		.arg_count = 1 + s->argument_count,
		.groups = {1, 1, 1},
		.group_size = {1, 1, 1},
		.args = args,
	};
	uint64_t i;
	(void)iteration;
	args[0] = support_buffer(s->total);
	for (i = 0; i < s->argument_count; i++)
		args[1 + i] = support_value(&s->arguments[i], sizeof s->arguments[i]);
	for (i = 0; i < s->count; i++) {
		const eh_status status = s->bench->ops->launch(s->bench->queue, s->kernel, &l,
		                                               error);
		if (status != EH_OK)
			return status;
		s->launched++;
	}
	return EH_OK;
}

static eh_status launch_check(void *state, uint64_t iteration, eh_check *check, eh_error *error)
{
	launch_state *s = state;
	uint32_t got[2], each = 0, i;
	eh_status status;
	(void)iteration;
	for (i = 0; i < s->argument_count; i++)
		each += s->arguments[i];
	status = support_fetch(s->bench, got, s->total, 0, sizeof got, error);
	if (status != EH_OK)
		return status;
	support_check_begin(check, "A");
	snprintf(check->tolerance, sizeof check->tolerance,
	         "launches counted and arguments added up exactly, modulo 2^32");
	if (s->launched == 0) /* since the counter was set: then it shows nothing */
		support_check_value(check, "launches:", 0, 0, 1, 0);
	support_check_value(check, "launches counted:", 0, (double)(uint32_t)(got[0] - s->start),
	                    (double)s->launched, 0);
	support_check_value(check, "sum of arguments:", 1, (double)(uint32_t)(got[1] - s->start),
	                    (double)(uint32_t)(each * s->launched), 0);
	support_check_end(check);
	return EH_OK;
}

static eh_status launch_vary(void *state, uint32_t variant, eh_error *error)
{
	launch_state *s = state;
	(void)error;
	launch_arguments(s, variant);
	return EH_OK;
}

static const eh_workload launch_workload = {
	.magic = EH_WORKLOAD_MAGIC,
	.struct_size = sizeof(eh_workload),
	.abi_major = EH_ABI_MAJOR,
	.abi_minor = EH_ABI_MINOR,
	.pointer_bytes = sizeof(void *),
	.revision = 1,
	.name = "launch",
	.summary = "cost of starting a kernel: enqueue, back to back, round trip",
	.params = launch_params,
	.describe = launch_describe,
	.prepare = launch_prepare,
	.enqueue = launch_enqueue,
	.poison = launch_poison,
	.check = launch_check,
	.vary = launch_vary,
	.finish = launch_finish,
	.checks = "two counters in device memory, exactly: launches, and the sum of their "
	          "arguments",
};

const eh_workload *eh_workload_entry_v1(void)
{
	return &launch_workload;
}
