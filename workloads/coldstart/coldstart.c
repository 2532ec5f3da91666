/* SPDX-License-Identifier: Apache-2.0 */
/*
 * coldstart - from a program, or its source, to its first result: the cost of building, of a new queue,
 * and of new memory.
 *
 * One operation makes a queue, uploads two words, launches a kernel, downloads the result, waits and
 * destroys the queue; with memory=fresh the buffer is made and freed as well.  The kernel is that of
 * launch, built before.  With from=source it is that of coldstart.k, and each operation builds it
 * first, with two numbers that no build had before: no cache can have the program, and the result shows
 * the numbers.  A workload cannot open devices, so that time is not in it.
 *
 * The words are new in each operation, and the kernel adds to both: a result of an earlier operation,
 * or of a launch that did not run, is another.
 */
#include <sys/random.h>

#include "../support.h"

enum memory { KEPT, FRESH };
enum from { PROGRAM, SOURCE };
#define MACROS 2 /* of coldstart.k */

static const eh_param coldstart_params[] = {
	{"memory", EH_PARAM_ENUM, 0, "kept", "kept|fresh", NULL,
	 "the buffer is there before, or allocated and freed in each operation"},
	{"from", EH_PARAM_ENUM, EH_PARAM_ADDED, "program", "program|source", NULL,
	 "what is there before: the built program, or its source, which each operation compiles anew"},
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
	uint32_t adds[2];    /* the kernel's: to the first word, and with the argument to the second */
	int builds;          /* from=source: each operation makes the program                    */
	eh_program *program; /* of the last operation                                            */
} coldstart_state;

static eh_status coldstart_describe(const eh_case *values, eh_work *work, eh_error *error)
{
	const int builds = eh_case_value(values, "from")->number == SOURCE;
	(void)error;
	support_work_clear(work);
	work->metric = EH_METRIC_SECONDS;
	work->region = EH_REGION_ROUND_TRIP;
	work->amount = 1;
	work->device_bytes = 2 * sizeof(uint32_t);
	work->working_set_bytes = work->device_bytes;
	work->group_items = 1;
	snprintf(work->precision, sizeof work->precision, "u32");
	snprintf(work->kernel, sizeof work->kernel, builds ? "coldstart" : "launch");
	if (builds) {
		support_define(work, "EH_C_FIRST", "1u");
		support_define(work, "EH_C_SECOND", "0u");
	} else
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
	if (c->program != NULL)
		c->bench->ops->program_destroy(c->program);
	free(c);
}

/* Builds the program of coldstart.k with other numbers than ever before. */
static eh_status build_anew(coldstart_state *c, eh_error *error)
{
	const eh_backend_ops *ops = c->bench->ops;
	char values[MACROS][16], digest[65];
	const eh_macro macros[MACROS] = {{"EH_C_FIRST", values[0]}, {"EH_C_SECOND", values[1]}};
	eh_source source = *c->bench->source;
	eh_status status;

	if (c->program != NULL)
		ops->program_destroy(c->program);
	c->program = NULL;
	/* The first one is not 0, so that a kernel that did not run leaves another word. */
	if (++c->adds[0] == 0) {
		c->adds[0] = 1;
		c->adds[1]++;
	}
	snprintf(values[0], sizeof values[0], "%" PRIu32 "u", c->adds[0]);
	snprintf(values[1], sizeof values[1], "%" PRIu32 "u", c->adds[1]);
	/* Another key of caches: the numbers stand for 16 of its digits. */
	snprintf(digest, sizeof digest, "%08" PRIx32 "%08" PRIx32 "%s", c->adds[0], c->adds[1],
	         c->bench->source->digest + 16);
	source.macros = macros;
	source.macro_count = MACROS;
	source.digest = digest;
	status = ops->program_build(c->bench->device, &source, &c->program, NULL, 0, error);
	if (status != EH_OK) {
		c->program = NULL;
		return status;
	}
	return ops->kernel_get(c->program, "eh_coldstart", &c->kernel, error);
}

/* Once, so that a device without a compiler is found before anything is timed. */
static eh_status first_build(coldstart_state *c, eh_error *error)
{
	eh_status status;

	c->builds = 1;
	if (!EH_ROOM(c->bench->struct_size, eh_bench, source) || c->bench->source == NULL)
		return support_error(error, EH_E_UNSUPPORTED,
		                     "coldstart: this evenhand lends no source; install a newer one");
	if (getrandom(c->adds, sizeof c->adds, 0) != (ssize_t)sizeof c->adds)
		return support_error(error, EH_E_INTERNAL, "coldstart: the system gives no random numbers");
	status = build_anew(c, error);
	/* Programs that were compiled ahead are no help. */
	return status == EH_E_UNAVAILABLE ? EH_E_UNSUPPORTED : status;
}

static eh_status coldstart_prepare(const eh_bench *bench, void **state, eh_error *error)
{
	coldstart_state *c = calloc(1, sizeof *c);
	eh_status status;

	if (c == NULL)
		return support_error(error, EH_E_NO_MEMORY, "coldstart: no host memory");
	c->bench = bench;
	choose_words(c, 0);
	c->adds[0] = 1;
	status = eh_case_value(bench->values, "from")->number == SOURCE ?
	         first_build(c, error) :
	         bench->ops->kernel_get(bench->program, "eh_launch_count", &c->kernel, error);
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
	eh_status status = c->builds ? build_anew(c, error) : EH_OK;
	(void)iteration;

	if (status == EH_OK)
		status = b->ops->queue_create(b->device, 0, &q, error);
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
	const eh_backend_ops *ops = c->bench->ops;
	eh_program_info info = {.struct_size = sizeof info};
	(void)iteration;
	(void)error;
	support_check_begin(check, "A");
	snprintf(check->tolerance, sizeof check->tolerance, "both words exact, modulo 2^32");
	support_check_value(check, "word", 0, (double)c->got[0], (double)(c->start[0] + c->adds[0]), 0);
	support_check_value(check, "word", 1, (double)c->got[1],
	                    (double)(c->start[1] + (c->argument ^ c->adds[1])), 0);
	if (c->program != NULL && EH_HAS(ops, eh_backend_ops, program_info) &&
	    ops->program_info(c->program, &info, NULL) == EH_OK && info.from_cache != 0) {
		check->failed++;
		snprintf(check->detail, sizeof check->detail, "the program came from a cache");
	}
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
	.summary = "from a built program, or its source, to the first result in a new queue",
	.params = coldstart_params,
	.describe = coldstart_describe,
	.prepare = coldstart_prepare,
	.enqueue = coldstart_enqueue,
	.poison = coldstart_poison,
	.check = coldstart_check,
	.vary = coldstart_vary,
	.finish = coldstart_finish,
	.checks = "a counter and a sum, uploaded anew in each operation, compared exactly; a new "
	          "program has numbers of its own that the result shows",
};

const eh_workload *eh_workload_entry_v1(void)
{
	return &coldstart_workload;
}
