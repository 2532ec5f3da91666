/* SPDX-License-Identifier: Apache-2.0 */
/*
 * coldstart - from a built program to its first result: the cost of a new queue, and of new memory.
 *
 * One operation makes a queue, uploads two words, launches the kernel of launch, downloads the result,
 * waits and destroys the queue; with memory=fresh the buffer is made and freed as well.  A workload
 * cannot build programs or open devices, so their times are not in it: how long the program took to
 * build, and whether it came from a cache, stands beside every row.
 *
 * The words are new in each operation, and the kernel adds to both: a result of an earlier operation,
 * or of a launch that did not run, is another.
 */
#include "../support.h"

enum memory { KEPT, FRESH };

static const eh_param coldstart_params[] = {
	{"memory", EH_PARAM_ENUM, 0, "kept", "kept|fresh", NULL,
	 "the buffer is there before, or allocated and freed in each operation"},
	{NULL, 0, 0, NULL, NULL, NULL, NULL},
};

typedef struct coldstart_state {
	const eh_bench *bench;
	eh_kernel *kernel;
	eh_buffer *kept;     /* NULL = fresh ones                                                */
	uint32_t start[2];   /* uploaded by the last operation                                   */
	uint32_t step;       /* odd, by which it changes                                         */
	uint32_t argument;
	uint32_t got[2];     /* the output                                                       */
} coldstart_state;

static eh_status coldstart_describe(const eh_case *values, eh_work *work, eh_error *error)
{
	(void)values;
	(void)error;
	support_work_clear(work);
	work->metric = EH_METRIC_SECONDS;
	work->region = EH_REGION_ROUND_TRIP;
	work->amount = 1;
	work->device_bytes = 2 * sizeof(uint32_t);
	work->working_set_bytes = work->device_bytes;
	work->group_items = 1;
	snprintf(work->precision, sizeof work->precision, "u32");
	snprintf(work->kernel, sizeof work->kernel, "launch");
	support_define(work, "EH_L_ARGUMENTS", "1");
	return EH_OK;
}

static void choose_words(coldstart_state *c, uint32_t variant)
{
	uint32_t random[4];
	c->bench->fill_bytes(c->bench, random, 0, sizeof random, c->bench->values->seed, variant);
	memcpy(c->start, random, sizeof c->start);
	c->step = random[2] | 1u;
	c->argument = random[3];
}

static void coldstart_finish(void *state)
{
	coldstart_state *c = state;
	if (c == NULL)
		return;
	support_free(c->bench, c->kept);
	free(c);
}

static eh_status coldstart_prepare(const eh_bench *bench, void **state, eh_error *error)
{
	coldstart_state *c = calloc(1, sizeof *c);
	eh_status status;

	if (c == NULL)
		return support_error(error, EH_E_NO_MEMORY, "coldstart: no host memory");
	c->bench = bench;
	choose_words(c, 0);
	status = bench->ops->kernel_get(bench->program, "eh_launch_count", &c->kernel, error);
	if (status == EH_OK && eh_case_value(bench->values, "memory")->number == KEPT)
		status = support_alloc(bench, EH_MEMORY_DEVICE, sizeof c->start, &c->kept, error);
	if (status != EH_OK) {
		coldstart_finish(c);
		return status;
	}
	*state = c;
	return EH_OK;
}

/* In a queue of its own, which has done nothing before, up to the result in host memory. */
static eh_status first_result(coldstart_state *c, eh_queue *q, eh_buffer *buffer, eh_error *error)
{
	const eh_backend_ops *ops = c->bench->ops;
	const eh_arg args[] = {support_buffer(buffer), support_value(&c->argument, sizeof c->argument)};
	const eh_launch l = {
		.struct_size = sizeof l,
		.arg_count = 2,
		.groups = {1, 1, 1},
		.group_size = {1, 1, 1},
		.args = args,
	};
	eh_status status = ops->upload(q, buffer, 0, c->start, sizeof c->start, error);
	eh_status waited;

	if (status == EH_OK)
		status = ops->launch(q, c->kernel, &l, error);
	if (status == EH_OK)
		status = ops->download(q, c->got, buffer, 0, sizeof c->got, error);
	/* Also after an error: what was enqueued uses memory that goes now. */
	waited = ops->queue_wait(q, status == EH_OK ? error : NULL);
	return status == EH_OK ? waited : status;
}

/* The wait for the new queue is part of the operation. */
static eh_status coldstart_enqueue(void *state, uint64_t iteration, eh_error *error)
{
	coldstart_state *c = state;
	const eh_bench *b = c->bench;
	eh_buffer *fresh = NULL;
	eh_queue *q = NULL;
	eh_status status = b->ops->queue_create(b->device, 0, &q, error);
	(void)iteration;

	if (status != EH_OK)
		return status;
	c->start[0] += c->step;
	c->start[1] -= c->step;
	if (c->kept == NULL)
		status = support_alloc(b, EH_MEMORY_DEVICE, sizeof c->start, &fresh, error);
	if (status == EH_OK)
		status = first_result(c, q, c->kept != NULL ? c->kept : fresh, error);
	support_free(b, fresh);
	b->ops->queue_destroy(q);
	return status;
}

static eh_status coldstart_poison(void *state, eh_error *error)
{
	coldstart_state *c = state;
	(void)error;
	/* The words that would be there if the kernel had not run. */
	memcpy(c->got, c->start, sizeof c->got);
	return EH_OK;
}

static eh_status coldstart_check(void *state, uint64_t iteration, eh_check *check, eh_error *error)
{
	coldstart_state *c = state;
	(void)iteration;
	(void)error;
	support_check_begin(check, "A");
	snprintf(check->tolerance, sizeof check->tolerance, "both words exact, modulo 2^32");
	support_check_value(check, "word", 0, (double)c->got[0], (double)(c->start[0] + 1u), 0);
	support_check_value(check, "word", 1, (double)c->got[1],
	                    (double)(c->start[1] + c->argument), 0);
	support_check_end(check);
	return EH_OK;
}

static eh_status coldstart_vary(void *state, uint32_t variant, eh_error *error)
{
	(void)error;
	choose_words(state, variant);
	return EH_OK;
}

static const eh_workload coldstart_workload = {
	.magic = EH_WORKLOAD_MAGIC,
	.struct_size = sizeof(eh_workload),
	.abi_major = EH_ABI_MAJOR,
	.abi_minor = EH_ABI_MINOR,
	.pointer_bytes = sizeof(void *),
	.revision = 1,
	.name = "coldstart",
	.summary = "from a built program to the first result in a new queue",
	.params = coldstart_params,
	.describe = coldstart_describe,
	.prepare = coldstart_prepare,
	.enqueue = coldstart_enqueue,
	.poison = coldstart_poison,
	.check = coldstart_check,
	.vary = coldstart_vary,
	.finish = coldstart_finish,
	.checks = "a counter and a sum, uploaded anew in each operation, compared exactly",
};

const eh_workload *eh_workload_entry_v1(void)
{
	return &coldstart_workload;
}
