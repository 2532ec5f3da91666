/* SPDX-License-Identifier: Apache-2.0 */
/*
 * graph - the cost of starting kernels that were recorded once: a graph of `nodes` kernels, each
 * waiting for the one before it, launched as a whole.  The kernel is that of launch, which counts
 * its launches and adds up its arguments, so that a lost or doubled node is found.
 */
#include "../support.h"
#include "evenhand/extensions.h"

enum mode { ENQUEUE, BACK_TO_BACK, ROUND_TRIP };

#define MAX_ARGUMENTS 16

static const eh_param graph_params[] = {
	{"mode", EH_PARAM_ENUM, 0, "back-to-back", "enqueue|back-to-back|round-trip", NULL,
	 "the host's time in the calls; the time per kernel in a row; one graph and its wait"},
	{"nodes", EH_PARAM_UINT, 0, "100", "1..10000", NULL, "kernels in the graph"},
	{"arguments", EH_PARAM_UINT, 0, "0", "0..16", NULL,
	 "scalar arguments of 4 bytes, beside the one buffer"},
	{"count", EH_PARAM_UINT, 0, "1", "1..10000", NULL,
	 "launches of the graph per operation; round-trip: 1"},
	{NULL, 0, 0, NULL, NULL, NULL, NULL},
};

typedef struct graph_state {
	const eh_bench *bench;
	const eh_graph_ops *ops;
	eh_kernel *kernel;
	eh_buffer *total;
	eh_graph *graph;
	uint64_t count, nodes;
	uint32_t argument_count;
	uint32_t arguments[MAX_ARGUMENTS];
	uint32_t start;          /* the value of both words after poison                       */
	uint32_t launched;       /* kernels since then, modulo 2^32 as the counter itself       */
} graph_state;

static eh_status graph_describe(const eh_case *values, eh_work *work, eh_error *error)
{
	static const uint32_t regions[] = {EH_REGION_ENQUEUE, EH_REGION_EXECUTION,
	                                   EH_REGION_ROUND_TRIP};
	const uint64_t mode = eh_case_value(values, "mode")->number;
	const uint64_t count = eh_case_number(values, "count");
	const uint64_t nodes = eh_case_number(values, "nodes");

	if (mode == ROUND_TRIP && count != 1)
		return support_error(error, EH_E_INVALID_ARGUMENT,
		                     "graph: mode=round-trip waits for each graph; set count=1");
	support_work_clear(work);
	work->metric = EH_METRIC_SECONDS;
	work->region = regions[mode];
	work->amount = (double)count * (double)nodes;
	work->device_bytes = 2 * sizeof(uint32_t);
	work->working_set_bytes = work->device_bytes;
	work->group_items = 1;
	snprintf(work->precision, sizeof work->precision, "u32");
	snprintf(work->kernel, sizeof work->kernel, "launch");
	support_define(work, "EH_L_ARGUMENTS", "%" PRIu64, eh_case_number(values, "arguments"));
	return EH_OK;
}

static void graph_arguments(graph_state *s, uint32_t variant)
{
	s->bench->fill_bytes(s->bench, s->arguments, 0, sizeof s->arguments, s->bench->values->seed, variant);
	s->bench->fill_bytes(s->bench, &s->start, 0, sizeof s->start, s->bench->values->seed, 1000 + variant);
}

static void graph_finish(void *state)
{
	graph_state *s = state;
	if (s == NULL)
		return;
	if (s->graph != NULL)
		s->ops->destroy(s->graph);
	support_free(s->bench, s->total);
	free(s);
}

static eh_status graph_poison(void *state, eh_error *error)
{
	graph_state *s = state;
	/* A new value each time: after a lost poison the old count would look right. */
	s->start += UINT32_C(0x9e3779b9);
	s->launched = 0;
	return s->bench->ops->fill(s->bench->queue, s->total, 0, 2 * sizeof(uint32_t), s->start,
	                           error);
}

/* Records the graph in place of the one before, which must not be running. */
static eh_status graph_record(graph_state *s, eh_error *error)
{
	const eh_backend_ops *ops = s->bench->ops;
	eh_graph *graph = NULL;
	eh_arg args[1 + MAX_ARGUMENTS];
	eh_launch l = {
		.struct_size = sizeof l,
		.arg_count = 1 + s->argument_count,
		.groups = {1, 1, 1},
		.group_size = {1, 1, 1},
		.args = args,
	};
	eh_status status = s->ops->begin(s->bench->queue, error);
	uint64_t i;
	if (status != EH_OK)
		return status;
	args[0] = support_buffer(s->total);
	for (i = 0; i < s->argument_count; i++)
		args[1 + i] = support_value(&s->arguments[i], sizeof s->arguments[i]);
	for (i = 0; i < s->nodes && status == EH_OK; i++)
		status = ops->launch(s->bench->queue, s->kernel, &l, error);
	if (status != EH_OK) {
		/* The first error is the one to report. */
		(void)s->ops->end(s->bench->queue, NULL, NULL);
		return status;
	}
	status = s->ops->end(s->bench->queue, &graph, error);
	if (status != EH_OK)
		return status;
	if (s->graph != NULL)
		s->ops->destroy(s->graph);
	s->graph = graph;
	return EH_OK;
}

static eh_status graph_prepare(const eh_bench *bench, void **state, eh_error *error)
{
	const eh_graph_ops *ops = EH_HAS(bench, eh_bench, extension) ?
	                          bench->extension(bench, EH_GRAPH_NAME) : NULL;
	graph_state *s;
	eh_status status;
	if (!EH_HAS(ops, eh_graph_ops, destroy))
		return support_error(error, EH_E_UNSUPPORTED,
		                     "graph: the backend does not offer " EH_GRAPH_NAME);
	status = ops->available(bench->device, error);
	if (status != EH_OK)
		return status;
	s = calloc(1, sizeof *s);
	if (s == NULL)
		return support_error(error, EH_E_NO_MEMORY, "graph: no host memory");
	s->bench = bench;
	s->ops = ops;
	s->count = eh_case_number(bench->values, "count");
	s->nodes = eh_case_number(bench->values, "nodes");
	s->argument_count = (uint32_t)eh_case_number(bench->values, "arguments");
	graph_arguments(s, 0);
	status = bench->ops->kernel_get(bench->program, "eh_launch_count", &s->kernel, error);
	if (status == EH_OK)
		status = support_alloc(bench, EH_MEMORY_DEVICE, 2 * sizeof(uint32_t), &s->total,
		                       error);
	if (status == EH_OK)
		status = graph_record(s, error);
	if (status == EH_OK)
		status = graph_poison(s, error);
	if (status == EH_OK)
		status = bench->ops->queue_wait(bench->queue, error);
	if (status != EH_OK) {
		graph_finish(s);
		return status;
	}
	*state = s;
	return EH_OK;
}

static eh_status graph_enqueue(void *state, uint64_t iteration, eh_error *error)
{
	graph_state *s = state;
	uint64_t i;
	(void)iteration;
	for (i = 0; i < s->count; i++) {
		const eh_status status = s->ops->launch(s->bench->queue, s->graph, error);
		if (status != EH_OK)
			return status;
		s->launched += (uint32_t)s->nodes;
	}
	return EH_OK;
}

static eh_status graph_check(void *state, uint64_t iteration, eh_check *check, eh_error *error)
{
	graph_state *s = state;
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
	         "kernels counted and arguments added up exactly, modulo 2^32");
	if (s->launched == 0) /* since the counter was set: then it shows nothing */
		support_check_value(check, "kernels:", 0, 0, 1, 0);
	support_check_value(check, "kernels counted:", 0, (double)(uint32_t)(got[0] - s->start),
	                    (double)s->launched, 0);
	support_check_value(check, "sum of arguments:", 1, (double)(uint32_t)(got[1] - s->start),
	                    (double)(uint32_t)(each * s->launched), 0);
	support_check_end(check);
	return EH_OK;
}

static eh_status graph_vary(void *state, uint32_t variant, eh_error *error)
{
	graph_state *s = state;
	const eh_status status = s->bench->ops->queue_wait(s->bench->queue, error);
	if (status != EH_OK)
		return status;
	graph_arguments(s, variant);
	return graph_record(s, error);
}

static const eh_workload graph_workload = {
	.magic = EH_WORKLOAD_MAGIC,
	.struct_size = sizeof(eh_workload),
	.abi_major = EH_ABI_MAJOR,
	.abi_minor = EH_ABI_MINOR,
	.pointer_bytes = sizeof(void *),
	.revision = 1,
	.name = "graph",
	.summary = "cost of starting kernels that were recorded once as a graph",
	.params = graph_params,
	.describe = graph_describe,
	.prepare = graph_prepare,
	.enqueue = graph_enqueue,
	.poison = graph_poison,
	.check = graph_check,
	.vary = graph_vary,
	.finish = graph_finish,
	.checks = "two counters in device memory, exactly: kernels, and the sum of their arguments",
};

const eh_workload *eh_workload_entry_v1(void)
{
	return &graph_workload;
}
