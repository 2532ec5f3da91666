/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stream - memory bandwidth: copy, mul, add, triad, dot, read, fill.
 *
 * The inputs repeat a block whose length is a prime number of elements.  That is cheap to make, and
 * an access that is off by any power of two finds another value.  The scalar is a power of two, so
 * a product is exact, and every operation but the sums has one right answer, fused or not: all
 * elements are compared bit by bit.  For a sum, every group's partial sum is compared with double
 * precision.
 */
#include "../support.h"

enum operation { COPY, MUL, ADD, TRIAD, DOT, READ, FILL };

#define SUM_GROUP UINT64_C(256) /* stream.k adds up 16 sums of 16 */
#define BLOCK_ELEMENTS UINT64_C(262147)

static const eh_param stream_params[] = {
	{"operation", EH_PARAM_ENUM, 0, "triad", "copy|mul|add|triad|dot|read|fill", NULL,
	 "c=a, b=s*c, c=a+b, a=b+s*c, sum of a*b, sum of a, a=s"},
	{"precision", EH_PARAM_ENUM, 0, "f32", "f32|f64|f16|bf16", NULL,
	 "of the elements; f16 and bf16 are computed in f32"},
	{"bytes", EH_PARAM_BYTES, 0, "64MiB", "512..64GiB", NULL,
	 "size of each array; a multiple of `group` elements"},
	{"items", EH_PARAM_UINT, 0, "0", "0..32", "1,2,4,8,16,32",
	 "elements per work-item; 0 = 16 bytes, for dot and read 16 elements, or fewer in a small array"},
	{"group", EH_PARAM_UINT, EH_PARAM_ADDED, "256", "64..8192", "256,1024,4096",
	 "work-items per group; dot and read take 256"},
	{NULL, 0, 0, NULL, NULL, NULL, NULL},
};

typedef struct stream_state {
	const eh_bench *bench;
	enum operation operation;
	char precision[8];
	const char *sum_precision;
	uint32_t element;         /* bytes                                                     */
	uint32_t inputs;          /* arrays                                                    */
	uint32_t group;           /* work-items                                                */
	uint64_t count;           /* elements per array                                        */
	uint64_t groups;
	uint64_t piece;           /* elements per group                                        */
	uint64_t block;           /* elements of the repeated block in use                     */
	uint32_t variant;
	float scalar;
	double scalar64;
	eh_kernel *kernel, *sum_kernel;
	eh_buffer *in[2], *out, *partial;
	unsigned char *block_in[2];
	unsigned char *block_out; /* the expected block; NULL for sums                         */
	unsigned char *got;       /* a downloaded chunk                                        */
	double *terms;            /* sums: per element of the block, the term itself           */
	int expected;             /* block_out or terms are those of the inputs                */
} stream_state;

static int is_sum(enum operation op)
{
	return op == DOT || op == READ;
}

static uint32_t input_count(enum operation op)
{
	if (op == FILL)
		return 0;
	return op == ADD || op == TRIAD || op == DOT ? 2 : 1;
}

static eh_status stream_describe(const eh_case *values, eh_work *work, eh_error *error)
{
	static const char *const formulas[] = {"2*N*s", "2*N*s", "3*N*s", "3*N*s",
	                                       "2*N*s", "N*s",   "N*s"};
	static const char *const flops[] = {"", "N", "N", "2*N", "2*N", "N", ""};
	static const double arrays[] = {2, 2, 3, 3, 2, 1, 1}, per_element[] = {0, 1, 1, 2, 2, 1, 0};
	const enum operation op = (enum operation)eh_case_value(values, "operation")->number;
	const char *precision = eh_case_text(values, "precision");
	const uint64_t bytes = eh_case_number(values, "bytes");
	const uint32_t size = support_element_bytes(precision);
	const uint64_t count = bytes / size;
	const uint64_t group = eh_case_number(values, "group");
	uint64_t items = eh_case_number(values, "items");
	const int wide = strcmp(precision, "f64") == 0;

	if (is_sum(op) && group != SUM_GROUP)
		return support_error(error, EH_E_INVALID_ARGUMENT,
		                     "stream: operation=%s has group=%" PRIu64 " and takes 256",
		                     eh_case_text(values, "operation"), group);
	if (group == 0 || bytes % (group * size) != 0 || count == 0)
		return support_error(error, EH_E_INVALID_ARGUMENT,
		                     "stream: bytes=%s is not a multiple of %" PRIu64
		                     " %s elements (%" PRIu64 " bytes)",
		                     eh_case_text(values, "bytes"), group, precision, group * size);
	if (items == 0)
		for (items = is_sum(op) ? 16 : 16 / size;
		     items > 1 && count % (group * items) != 0; items /= 2)
			;
	if (count % (group * items) != 0)
		return support_error(error, EH_E_INVALID_ARGUMENT,
		                     "stream: bytes=%s is not a multiple of %" PRIu64 " * items=%" PRIu64
		                     " %s elements; take fewer items, or items=0",
		                     eh_case_text(values, "bytes"), group, items, precision);
	if (count / (group * items) > INT32_MAX)
		return support_error(error, EH_E_INVALID_ARGUMENT,
		                     "stream: bytes=%s makes more than 2^31 work-groups; take more items",
		                     eh_case_text(values, "bytes"));

	support_work_clear(work);
	work->metric = EH_METRIC_BYTES_PER_SECOND;
	work->region = EH_REGION_EXECUTION;
	work->bytes = arrays[op] * (double)bytes;
	work->flops = per_element[op] * (double)count;
	work->amount = work->bytes;
	work->needs = support_needs(precision);
	work->working_set_bytes = (uint64_t)arrays[op] * bytes;
	work->device_bytes = work->working_set_bytes;
	if (is_sum(op))
		work->device_bytes += (count / (group * items) + 1) * (wide ? 8 : 4);
	work->group_items = (uint32_t)group;
	snprintf(work->precision, sizeof work->precision, size == 2 ? "%s/f32/%s" : "%s", precision,
	         is_sum(op) ? "f32" : precision);
	snprintf(work->bytes_formula, sizeof work->bytes_formula, "%s", formulas[op]);
	snprintf(work->flops_formula, sizeof work->flops_formula, "%s", flops[op]);
	snprintf(work->kernel, sizeof work->kernel, "stream");
	support_define(work, "EH_S_OPERATION", "%d", (int)op);
	support_define(work, "EH_S_ITEMS", "%" PRIu64, items);
	support_define(work, "EH_S_GROUP", "%" PRIu64, group);
	support_define(work, "EH_S_REAL", wide ? "double" : "float");
	support_define(work, "EH_S_ELEMENT", size == 2 ? "eh_%s" : wide ? "double" : "float",
	               precision);
	support_define(work, "EH_S_PRECISION", "%s",
	               size == 8                        ? "F64"
	               : size == 4                      ? "F32"
	               : strcmp(precision, "f16") == 0 ? "F16"
	                                                : "BF16");
	return EH_OK;
}

/* ---- expected values ------------------------------------------------------------------------ */

static void expect_elements(stream_state *s)
{
	uint64_t i;
	if (s->operation == COPY) {
		memcpy(s->block_out, s->block_in[0], s->block * s->element);
	} else if (s->element == 8) {
		const double *a = (const void *)s->block_in[0], *b = (const void *)s->block_in[1];
		double *out = (void *)s->block_out, c = s->scalar64;
		for (i = 0; i < s->block; i++)
			out[i] = s->operation == MUL   ? c * a[i]
			         : s->operation == ADD ? a[i] + b[i]
			         : s->operation == FILL ? c
			                                : a[i] + c * b[i];
	} else {
		for (i = 0; i < s->block; i++) {
			const uint64_t at = i * s->element;
			float a = 0, b = 0, r;
			if (s->inputs > 0)
				a = (float)support_value_of(s->bench, s->block_in[0] + at,
				                            s->precision);
			if (s->inputs > 1)
				b = (float)support_value_of(s->bench, s->block_in[1] + at,
				                            s->precision);
			r = s->operation == MUL    ? s->scalar * a
			    : s->operation == ADD  ? a + b
			    : s->operation == FILL ? s->scalar
			                           : a + s->scalar * b;
			support_encode(s->block_out + at, r, s->precision);
		}
	}
}

/* The terms of the sum, exact in double precision but for f64's products. */
static void expect_terms(stream_state *s)
{
	uint64_t i;
	for (i = 0; i < s->block; i++) {
		const uint64_t at = i * s->element;
		const double a = support_value_of(s->bench, s->block_in[0] + at, s->precision);
		s->terms[i] = s->operation == READ
		                   ? a
		                   : a * support_value_of(s->bench, s->block_in[1] + at,
		                                          s->precision);
	}
}

/* Made by the first check of the inputs, because most are never checked. */
static void expect(stream_state *s)
{
	if (s->expected)
		return;
	if (is_sum(s->operation))
		expect_terms(s);
	else
		expect_elements(s);
	s->expected = 1;
}

/* Inputs and scalar of the variant, on host and device. */
static eh_status stream_inputs(stream_state *s, eh_error *error)
{
	/* Powers of two, except that fill stores a value with all its bits in use. */
	static const float scalars[] = {0.5f, -2.0f, 0.25f, -4.0f};
	uint32_t i;
	s->expected = 0;
	s->scalar = scalars[s->variant % 4];
	s->scalar64 = s->scalar;
	if (s->operation == FILL) {
		/* Small, so that even bf16 tells neighbours apart. */
		s->scalar64 = 0.7071067811865475 + s->variant % 251;
		s->scalar = (float)s->scalar64;
	}
	for (i = 0; i < s->inputs; i++) {
		eh_status status;
		s->bench->fill_uniform(s->bench, s->block_in[i], 0, s->block, s->precision,
		                       s->bench->values->seed, 2 * s->variant + i);
		status = support_upload_repeated(s->bench, s->in[i], s->count * s->element,
		                                 s->block_in[i], s->block * s->element, error);
		if (status != EH_OK)
			return status;
	}
	return EH_OK;
}

/* ---- the workload --------------------------------------------------------------------------- */

static void stream_finish(void *state)
{
	stream_state *s = state;
	int i;
	if (s == NULL)
		return;
	for (i = 0; i < 2; i++) {
		support_free(s->bench, s->in[i]);
		free(s->block_in[i]);
	}
	support_free(s->bench, s->out);
	support_free(s->bench, s->partial);
	free(s->block_out);
	free(s->got);
	free(s->terms);
	free(s);
}

/* Elements per work-item as stream_describe decided. */
static uint64_t items_in_use(const eh_work *work)
{
	for (uint32_t i = 0; i < work->define_count; i++)
		if (strcmp(work->defines[i].name, "EH_S_ITEMS") == 0)
			return strtoull(work->defines[i].value, NULL, 10);
	return 1;
}

static eh_status stream_prepare(const eh_bench *bench, void **state, eh_error *error)
{
	const eh_case *values = bench->values;
	stream_state *s = calloc(1, sizeof *s);
	eh_status status = EH_E_NO_MEMORY;
	uint32_t i;

	if (s == NULL)
		return support_error(error, status, "stream: no host memory");
	s->bench = bench;
	s->operation = (enum operation)eh_case_value(values, "operation")->number;
	snprintf(s->precision, sizeof s->precision, "%s", eh_case_text(values, "precision"));
	s->sum_precision = strcmp(s->precision, "f64") == 0 ? "f64" : "f32";
	s->element = support_element_bytes(s->precision);
	s->inputs = input_count(s->operation);
	s->count = eh_case_number(values, "bytes") / s->element;
	s->group = bench->work->group_items;
	s->piece = s->group * items_in_use(bench->work);
	s->groups = s->count / s->piece;
	s->block = s->count < BLOCK_ELEMENTS ? s->count : BLOCK_ELEMENTS;

	for (i = 0; i < s->inputs; i++)
		if ((s->block_in[i] = malloc(s->block * s->element)) == NULL)
			goto no_memory;
	if (is_sum(s->operation))
		s->terms = malloc(s->block * sizeof *s->terms);
	else
		s->block_out = malloc(s->block * s->element);
	s->got = malloc(SUPPORT_CHUNK);
	if (s->got == NULL || (s->block_out == NULL && s->terms == NULL))
		goto no_memory;

	status = bench->ops->kernel_get(bench->program, "eh_stream", &s->kernel, error);
	if (status == EH_OK && is_sum(s->operation))
		status = bench->ops->kernel_get(bench->program, "eh_stream_sum", &s->sum_kernel,
		                                error);
	for (i = 0; i < s->inputs && status == EH_OK; i++)
		status = support_alloc(bench, EH_MEMORY_DEVICE, s->count * s->element, &s->in[i],
		                       error);
	if (status == EH_OK)
		status = support_alloc(bench, EH_MEMORY_DEVICE,
		                       is_sum(s->operation) ? 8 : s->count * s->element, &s->out,
		                       error);
	if (status == EH_OK && is_sum(s->operation))
		status = support_alloc(bench, EH_MEMORY_DEVICE, s->groups * 8, &s->partial, error);
	if (status == EH_OK)
		status = stream_inputs(s, error);
	if (status != EH_OK) {
		stream_finish(s);
		return status;
	}
	*state = s;
	return EH_OK;
no_memory:
	stream_finish(s);
	return support_error(error, EH_E_NO_MEMORY, "stream: no host memory");
}

static eh_status stream_enqueue(void *state, uint64_t iteration, eh_error *error)
{
	stream_state *s = state;
	const uint32_t groups = (uint32_t)s->groups;
	const int32_t partials = (int32_t)s->groups;
	const eh_arg scalar = s->element == 8 ? support_value(&s->scalar64, sizeof s->scalar64)
	                                      : support_value(&s->scalar, sizeof s->scalar);
	eh_arg args[4];
	eh_status status;
	(void)iteration;

	args[0] = support_buffer(is_sum(s->operation) ? s->partial : s->out);
	if (s->operation == FILL) {
		args[1] = scalar;
		return support_launch(s->bench, s->kernel, groups, 1, s->group, 1, args, 2,
		                      error);
	}
	args[1] = support_buffer(s->in[0]);
	args[2] = support_buffer(s->in[s->inputs - 1]);
	args[3] = scalar;
	status = support_launch(s->bench, s->kernel, groups, 1, s->group, 1, args,
	                        is_sum(s->operation) ? 3 : 4, error);
	if (status != EH_OK || !is_sum(s->operation))
		return status;
	args[0] = support_buffer(s->out);
	args[1] = support_buffer(s->partial);
	args[2] = support_value(&partials, sizeof partials);
	return support_launch(s->bench, s->sum_kernel, 1, 1, SUM_GROUP, 1, args, 3, error);
}

static eh_status stream_poison(void *state, eh_error *error)
{
	stream_state *s = state;
	eh_status status;
	if (!is_sum(s->operation))
		return support_poison(s->bench, s->out, s->count * s->element, error);
	status = support_poison(s->bench, s->partial, s->groups * 8, error);
	return status == EH_OK ? support_poison(s->bench, s->out, 8, error) : status;
}

static eh_status check_elements(stream_state *s, eh_check *check, eh_error *error)
{
	const uint64_t step = SUPPORT_CHUNK / s->element;
	uint64_t first, done;
	support_check_begin(check, "A");
	snprintf(check->tolerance, sizeof check->tolerance, "every element equal, bit by bit");
	for (first = 0; first < s->count; first += step) {
		const uint64_t n = s->count - first < step ? s->count - first : step;
		const eh_status status =
			support_fetch(s->bench, s->got, s->out, first * s->element, n * s->element,
			              error);
		if (status != EH_OK)
			return status;
		for (done = 0; done < n;) {
			const uint64_t at = (first + done) % s->block;
			const uint64_t run = s->block - at < n - done ? s->block - at : n - done;
			support_check_bits(check, s->bench, "element", first + done,
			                   s->got + done * s->element,
			                   s->block_out + at * s->element, run,
			                   s->precision);
			done += run;
		}
	}
	support_check_end(check);
	return EH_OK;
}

/*
 * Rounding errors are independent, and each is relative to a running sum.  Where the terms cancel, m
 * additions in a row over terms of root mean square q err by about u * q * m: u * sqrt(D * S), D the
 * additions that a term goes through and S the sum of the squares of the terms.  Where they do not,
 * the last additions carry the whole sum: k/16 of it in the k-th of 16, of which the squares add up
 * to less than 6.  The limit is 8 times both together.
 */
static double sum_allowed(double unit, double depth, double squares, double sum)
{
	return 8 * unit * sqrt(depth * squares + 6 * sum * sum);
}

/* A sum that keeps the rounding error of each addition (Neumaier 1974), so that the oracle is more
 * exact than the double precision sum that it checks. */
typedef struct exact_sum { double sum, rest; } exact_sum;

static void exact_add(exact_sum *s, double x)
{
	const double t = s->sum + x;

	s->rest += fabs(s->sum) >= fabs(x) ? (s->sum - t) + x : (x - t) + s->sum;
	s->sum = t;
}

static eh_status check_sums(stream_state *s, eh_check *check, eh_error *error)
{
	const double unit = support_unit(s->precision);
	const uint32_t size = s->element == 8 ? 8 : 4;
	const uint64_t step = SUPPORT_CHUNK / size;
	exact_sum total = { 0, 0 };
	double total_squares = 0, result;
	uint64_t first, g, i, at = 0;
	eh_status status;

	support_check_begin(check, "B");
	snprintf(check->tolerance, sizeof check->tolerance,
	         "|got-want| <= 8 u sqrt(D sum(x^2) + 6 sum(x)^2), u = 2^-%d, each partial sum and in all",
	         s->element == 8 ? 53 : 24);
	for (first = 0; first < s->groups; first += step) {
		const uint64_t n = s->groups - first < step ? s->groups - first : step;
		status = support_fetch(s->bench, s->got, s->partial, first * size, n * size, error);
		if (status != EH_OK)
			return status;
		for (g = 0; g < n; g++) {
			exact_sum want = { 0, 0 };
			double squares = 0;
			const double got = s->bench->to_double(s->got + g * size, s->sum_precision);
			for (i = 0; i < s->piece; i++) {
				const double x = s->terms[at];
				exact_add(&want, x);
				squares += x * x;
				if (++at == s->block)
					at = 0;
			}
			support_check_value(check, "partial sum", first + g, got, want.sum + want.rest,
			                    sum_allowed(unit, (double)s->piece / SUM_GROUP + 32,
			                                squares, want.sum));
			exact_add(&total, got);
			total_squares += got * got;
		}
	}
	status = support_fetch(s->bench, s->got, s->out, 0, size, error);
	if (status != EH_OK)
		return status;
	result = s->bench->to_double(s->got, s->sum_precision);
	support_check_value(check, "the sum", 0, result, total.sum + total.rest,
	                    sum_allowed(unit, (double)s->groups / SUM_GROUP + 32, total_squares,
	                                total.sum));
	support_check_end(check);
	return EH_OK;
}

static eh_status stream_check(void *state, uint64_t iteration, eh_check *check, eh_error *error)
{
	stream_state *s = state;
	(void)iteration;
	expect(s);
	return is_sum(s->operation) ? check_sums(s, check, error) : check_elements(s, check, error);
}

static eh_status stream_vary(void *state, uint32_t variant, eh_error *error)
{
	stream_state *s = state;
	s->variant = variant;
	return stream_inputs(s, error);
}

static const eh_workload stream_workload = {
	.magic = EH_WORKLOAD_MAGIC,
	.struct_size = sizeof(eh_workload),
	.abi_major = EH_ABI_MAJOR,
	.abi_minor = EH_ABI_MINOR,
	.pointer_bytes = sizeof(void *),
	.revision = 1,
	.name = "stream",
	.summary = "memory bandwidth: copy, mul, add, triad, dot, read, fill",
	.params = stream_params,
	.describe = stream_describe,
	.prepare = stream_prepare,
	.enqueue = stream_enqueue,
	.poison = stream_poison,
	.check = stream_check,
	.vary = stream_vary,
	.finish = stream_finish,
	.checks = "every element bit by bit; of dot and read every partial sum and the result, "
	          "within a bound in double precision",
};

const eh_workload *eh_workload_entry_v1(void)
{
	return &stream_workload;
}
