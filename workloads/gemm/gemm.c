/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gemm - C = op(A) * op(B), row-major: one portable kernel with register tiles and local memory, or
 * the library of the backend (the vendor tier).
 *
 * Gate A (selftest): factors in {-1, 0, 1}, so sparse that every sum is exact in every type
 * involved, or of i8 all from -127 to 127.  Sampled elements must be equal, and the sums of all rows of C
 * must be equal as integers.
 *
 * Gate B: normal factors, quantised once.  Sampled elements are compared with double precision.
 * The elements of every row of C, added up with random signs, are compared with A * (B * signs), so
 * that every element counts.
 */
#include "gemm_oracle.h"
#include "../library.h"

#define GROUP_SIDE 16

static const eh_param gemm_params[] = {
	{"precision", EH_PARAM_ENUM, 0, "f32", "f32|f64|f16|bf16|tf32|e4m3|e5m2|e4m3z|e5m2z|i8", NULL,
	 "of A and B; all but f64 and i8 (i32) are accumulated in f32"},
	{"m", EH_PARAM_UINT, 0, "1024", "1..1048576", NULL, "rows of A and C"},
	{"n", EH_PARAM_UINT, 0, "1024", "1..1048576", NULL, "columns of B and C"},
	{"k", EH_PARAM_UINT, 0, "1024", "1..1048576", NULL, "columns of A, rows of B"},
	{"rows", EH_PARAM_UINT, 0, "8", "1..16", "4,8", "rows of C per work-item"},
	{"width", EH_PARAM_UINT, 0, "0", "0..16", "4,8,16",
	 "columns per vector: 2, 4, 8 or 16; 0 = 32 bytes"},
	{"vectors", EH_PARAM_UINT, 0, "1", "1..4", "1,2", "vectors per work-item and row"},
	{"depth", EH_PARAM_UINT, 0, "16", "8..64", "16,32", "of the tiles, along k"},
	{"output", EH_PARAM_ENUM, EH_PARAM_ADDED, "standard", "standard|f32|f16|bf16", NULL,
	 "of C; standard = that of A and B, of tf32 f32, of 8-bit floats bf16 (fnuz f32), of i8 i32"},
	{"transpose", EH_PARAM_ENUM, EH_PARAM_ADDED, "none", "none|a|b|ab", NULL,
	 "the factors that are stored transposed"},
	{"batch", EH_PARAM_UINT, EH_PARAM_ADDED, "1", "1..65535", NULL, "products, one behind the other"},
	{NULL, 0, 0, NULL, NULL, NULL, NULL},
};

typedef struct gemm_state {
	const eh_bench *bench;
	gemm_oracle oracle;
	uint32_t tile_m, tile_n;
	eh_kernel *kernel;           /* of the portable and the tuned tier                       */
	library_product library;     /* of the vendor tier                                       */
	eh_buffer *a, *b, *c;
	unsigned char *got;          /* the whole of C                                           */
} gemm_state;

static uint64_t gemm_width(const eh_case *values)
{
	const uint64_t width = eh_case_number(values, "width");
	if (width != 0)
		return width;
	return strcmp(eh_case_text(values, "precision"), "f64") == 0 ? 4 : 8;
}

/* What products of that precision are added up in. */
static const char *accumulator(const char *precision)
{
	if (strcmp(precision, "f64") == 0)
		return "f64";
	return precision[0] == 'i' ? "i32" : "f32";
}

static const char *standard_output(const char *precision)
{
	if (strcmp(precision, "i8") == 0)
		return "i32";
	if (strcmp(precision, "tf32") == 0 || strchr(precision, 'z') != NULL)
		return "f32";
	return precision[0] == 'e' ? "bf16" : precision;
}

static void gemm_shape_of(const eh_case *values, gemm_shape *s)
{
	const char *output = eh_case_text(values, "output");
	const char *transpose = eh_case_text(values, "transpose");
	const char *precision = eh_case_text(values, "precision");
	memset(s, 0, sizeof *s);
	s->m = eh_case_number(values, "m");
	s->n = eh_case_number(values, "n");
	s->k = eh_case_number(values, "k");
	s->batch = eh_case_number(values, "batch");
	s->turn_a = strchr(transpose, 'a') != NULL;
	s->turn_b = transpose[0] != 'n' && strchr(transpose, 'b') != NULL;
	snprintf(s->precision, sizeof s->precision, "%s", precision);
	snprintf(s->output, sizeof s->output, "%s",
	         strcmp(output, "standard") == 0 ? standard_output(precision) : output);
}

/* ---- describing ----------------------------------------------------------------------------- */

static eh_status refuse_tiles(const eh_case *values, eh_error *error)
{
	const uint64_t rows = eh_case_number(values, "rows"), width = gemm_width(values);
	const uint64_t vectors = eh_case_number(values, "vectors");
	const uint64_t depth = eh_case_number(values, "depth");

	if (rows == 0 || vectors == 0 || depth == 0)
		return support_error(error, EH_E_INVALID_ARGUMENT,
		                     "gemm: rows, vectors and depth must be at least 1");
	if ((width & (width - 1)) != 0 || width < 2)
		return support_error(error, EH_E_INVALID_ARGUMENT,
		                     "gemm: width=%" PRIu64 " is not 0, 2, 4, 8 or 16", width);
	if (rows * depth % GROUP_SIDE != 0 || width * vectors * depth % GROUP_SIDE != 0)
		return support_error(error, EH_E_INVALID_ARGUMENT,
		                     "gemm: rows*depth and width*vectors*depth must be multiples of 16");
	return EH_OK;
}

static eh_status refuse_types(const gemm_shape *s, eh_error *error)
{
	const int wide = strcmp(s->precision, "f64") == 0, integer = s->precision[0] == 'i';
	if ((wide || integer) && strcmp(s->output, standard_output(s->precision)) != 0)
		return support_error(error, EH_E_INVALID_ARGUMENT,
		                     "gemm: the output of %s is %s, not %s; leave out output",
		                     s->precision, standard_output(s->precision), s->output);
	if (integer && s->k > 133143)
		return support_error(error, EH_E_INVALID_ARGUMENT,
		                     "gemm: k=%" PRIu64 " products of i8 may not fit i32; at most 133143 do",
		                     s->k);
	return EH_OK;
}

static const char *kernel_type(const char *precision)
{
	static const char *const plain[][2] = {
		{"f32", "float"}, {"tf32", "float"}, {"f64", "double"}, {"i32", "int"}};
	size_t i;
	for (i = 0; i < sizeof plain / sizeof plain[0]; i++)
		if (strcmp(plain[i][0], precision) == 0)
			return plain[i][1];
	return NULL; /* eh_PRECISION */
}

static void define_type(eh_work *work, const char *type, const char *word, const char *precision)
{
	char upper[16];
	size_t i;
	for (i = 0; i + 1 < sizeof upper && precision[i] != '\0'; i++)
		upper[i] = (char)(precision[i] >= 'a' && precision[i] <= 'z' ? precision[i] - 32
		                                                             : precision[i]);
	upper[i] = '\0';
	support_define(work, word, "%s", upper);
	if (kernel_type(precision) != NULL)
		support_define(work, type, "%s", kernel_type(precision));
	else
		support_define(work, type, "eh_%s", precision);
}

/* Elements that a device accesses at once: 16 bytes, those of eight bits one. */
static uint64_t span_of(const char *precision)
{
	const uint64_t size = support_element_bytes(precision);
	return size == 1 ? 1 : 16 / size;
}

static void define_kernel(const eh_case *values, const gemm_shape *s, eh_work *work)
{
	const uint64_t rows = support_positive(values, "rows"), width = gemm_width(values);
	const uint64_t vectors = support_positive(values, "vectors");
	const uint64_t depth = support_positive(values, "depth"), span = span_of(s->precision);
	const char *real = accumulator(s->precision);

	define_type(work, "EH_G_ELEMENT", "EH_G_PRECISION", s->precision);
	define_type(work, "EH_G_OUTPUT", "EH_G_OUT", s->output);
	support_define(work, "EH_G_REAL", "%s", kernel_type(real));
	support_define(work, "EH_G_VECTOR", "eh_%sx%" PRIu64, real, width);
	support_define(work, "EH_G_WIDTH", "%" PRIu64, width);
	support_define(work, "EH_G_VECTORS", "%" PRIu64, vectors);
	support_define(work, "EH_G_ROWS", "%" PRIu64, rows);
	support_define(work, "EH_G_DEPTH", "%" PRIu64, depth);
	if (s->turn_a)
		support_define(work, "EH_G_TURN_A", "1");
	if (s->turn_b)
		support_define(work, "EH_G_TURN_B", "1");
	if (s->m % (GROUP_SIDE * rows) != 0 || s->n % (GROUP_SIDE * width * vectors) != 0 ||
	    s->k % depth != 0)
		support_define(work, "EH_G_GUARD", "1");
	if ((s->turn_a ? s->m : s->k) % span != 0 || (s->turn_b ? s->k : s->n) % span != 0 ||
	    s->n % width != 0 || depth % span != 0)
		support_define(work, "EH_G_LOOSE", "1");
	if (strcmp(s->output, real) != 0)
		support_define(work, "EH_G_NARROW", "1");
}

static eh_status gemm_describe(const eh_case *values, eh_work *work, eh_error *error)
{
	const uint64_t rows = eh_case_number(values, "rows");
	const uint64_t depth = eh_case_number(values, "depth");
	const uint64_t tile_n = GROUP_SIDE * gemm_width(values) * eh_case_number(values, "vectors");
	uint64_t size, out, bytes;
	gemm_shape s;
	eh_status status;

	gemm_shape_of(values, &s);
	status = refuse_tiles(values, error);
	if (status == EH_OK)
		status = refuse_types(&s, error);
	if (status != EH_OK)
		return status;
	size = support_element_bytes(s.precision);
	out = support_element_bytes(s.output);
	bytes = size * (gemm_elements_a(&s) + gemm_elements_b(&s)) + out * gemm_elements_c(&s);
	support_work_clear(work);
	work->metric = EH_METRIC_FLOP_PER_SECOND;
	work->region = EH_REGION_EXECUTION;
	work->flops = 2.0 * (double)s.batch * (double)s.m * (double)s.n * (double)s.k;
	work->bytes = (double)bytes;
	work->amount = work->flops;
	work->needs = support_needs(s.precision) | support_needs(s.output);
	work->device_bytes = bytes;
	work->working_set_bytes = bytes;
	work->group_items = GROUP_SIDE * GROUP_SIDE;
	/* Both tiles, with four elements of padding in each row of A's. */
	if (work->struct_size >= sizeof *work)
		work->local_bytes = depth * (GROUP_SIDE * rows + 4 + tile_n) * (size == 8 ? 8 : 4);
	if (strcmp(s.output, accumulator(s.precision)) == 0 && strcmp(s.output, s.precision) == 0)
		snprintf(work->precision, sizeof work->precision, "%s", s.precision);
	else
		snprintf(work->precision, sizeof work->precision, "%.5s/%s/%.4s", s.precision,
		         accumulator(s.precision), s.output);
	snprintf(work->flops_formula, sizeof work->flops_formula, "2*%sM*N*K",
	         s.batch > 1 ? "batch*" : "");
	snprintf(work->bytes_formula, sizeof work->bytes_formula,
	         size == out && s.batch == 1 ? "s*(M*K + K*N + M*N)"
	                                     : "batch*(s*(M*K + K*N) + t*M*N), t bytes of C's");
	snprintf(work->kernel, sizeof work->kernel, "gemm");
	define_kernel(values, &s, work);
	return EH_OK;
}

/* ---- the workload --------------------------------------------------------------------------- */

/* Uploads the oracle's current factors into A and B. */
static eh_status gemm_upload(gemm_state *s, const gemm_oracle *o, eh_error *error)
{
	const eh_status status = support_upload_repeated(
		s->bench, s->a, gemm_elements_a(&o->shape) * o->element, o->block[0],
		ORACLE_BLOCK * o->element, error);
	if (status != EH_OK)
		return status;
	return support_upload_repeated(s->bench, s->b, gemm_elements_b(&o->shape) * o->element,
	                               o->block[1], ORACLE_BLOCK * o->element, error);
}

static void gemm_finish(void *state)
{
	gemm_state *s = state;
	if (s == NULL)
		return;
	library_close(&s->library);
	support_free(s->bench, s->a);
	support_free(s->bench, s->b);
	support_free(s->bench, s->c);
	gemm_oracle_free(&s->oracle);
	free(s->got);
	free(s);
}

/* Asks the backend's library for this product. */
static eh_status plan_library(gemm_state *s, eh_error *error)
{
	const gemm_shape *shape = &s->oracle.shape;
	eh_gemm g = {
		.struct_size = sizeof g,
		.flags = (shape->turn_a ? EH_GEMM_TRANSPOSE_A : 0u) |
		         (shape->turn_b ? EH_GEMM_TRANSPOSE_B : 0u),
		.m = shape->m, .n = shape->n, .k = shape->k,
		.lda = shape->turn_a ? shape->m : shape->k,
		.ldb = shape->turn_b ? shape->k : shape->n,
		.ldc = shape->n,
		.batch = shape->batch,
		.stride_a = shape->m * shape->k,
		.stride_b = shape->k * shape->n,
		.stride_c = shape->m * shape->n,
		.alpha = 1,
	};
	snprintf(g.type_a, sizeof g.type_a, "%s", shape->precision);
	snprintf(g.type_b, sizeof g.type_b, "%s", shape->precision);
	snprintf(g.type_c, sizeof g.type_c, "%s", shape->output);
	snprintf(g.accumulate, sizeof g.accumulate, "%s", accumulator(shape->precision));
	return library_open(&s->library, s->bench, &g, error);
}

static eh_status make_state(gemm_state *s, eh_error *error)
{
	const eh_bench *bench = s->bench;
	const eh_case *values = bench->values;
	gemm_oracle *o = &s->oracle;
	gemm_shape shape;
	eh_status status;

	gemm_shape_of(values, &shape);
	s->tile_m = (uint32_t)(GROUP_SIDE * eh_case_number(values, "rows"));
	s->tile_n = (uint32_t)(GROUP_SIDE * gemm_width(values) * eh_case_number(values, "vectors"));
	status = gemm_oracle_make(o, bench, &shape);
	if (status == EH_OK)
		s->got = malloc(gemm_elements_c(&shape) * o->out);
	if (s->got == NULL)
		return support_error(error, EH_E_NO_MEMORY, "gemm: no host memory");
	if (library_wanted(bench))
		status = plan_library(s, error);
	else
		status = bench->ops->kernel_get(bench->program, "eh_gemm", &s->kernel, error);
	if (status == EH_OK)
		status = support_alloc(bench, EH_MEMORY_DEVICE, gemm_elements_a(&shape) * o->element,
		                       &s->a, error);
	if (status == EH_OK)
		status = support_alloc(bench, EH_MEMORY_DEVICE, gemm_elements_b(&shape) * o->element,
		                       &s->b, error);
	if (status == EH_OK)
		status = support_alloc(bench, EH_MEMORY_DEVICE, gemm_elements_c(&shape) * o->out,
		                       &s->c, error);
	return status;
}

static eh_status gemm_prepare(const eh_bench *bench, void **state, eh_error *error)
{
	gemm_state *s = calloc(1, sizeof *s);
	eh_status status;

	if (s == NULL)
		return support_error(error, EH_E_NO_MEMORY, "gemm: no host memory");
	s->bench = bench;
	status = make_state(s, error);
	if (status == EH_OK) {
		gemm_oracle_normal(&s->oracle, 0);
		status = gemm_upload(s, &s->oracle, error);
	}
	if (status != EH_OK) {
		gemm_finish(s);
		return status;
	}
	*state = s;
	return EH_OK;
}

static eh_status gemm_enqueue(void *state, uint64_t iteration, eh_error *error)
{
	gemm_state *s = state;
	const gemm_shape *shape = &s->oracle.shape;
	const int32_t m = (int32_t)shape->m, n = (int32_t)shape->n, k = (int32_t)shape->k;
	const uint32_t groups[3] = {
		(uint32_t)((shape->n + s->tile_n - 1) / s->tile_n),
		(uint32_t)((shape->m + s->tile_m - 1) / s->tile_m),
		(uint32_t)shape->batch,
	};
	eh_arg args[6];
	(void)iteration;
	if (s->library.plan != NULL)
		return library_enqueue(&s->library, s->a, s->b, s->c, error);
	args[0] = support_buffer(s->a);
	args[1] = support_buffer(s->b);
	args[2] = support_buffer(s->c);
	args[3] = support_value(&m, sizeof m);
	args[4] = support_value(&n, sizeof n);
	args[5] = support_value(&k, sizeof k);
	return support_launch_grid(s->bench, s->kernel, groups, GROUP_SIDE, GROUP_SIDE, args, 6,
	                           error);
}

/* Also the bytes behind the last whole word. */
static eh_status poison_bytes(gemm_state *s, uint64_t bytes, eh_error *error)
{
	const uint32_t word = UINT32_MAX; /* NaN in every format */
	eh_status status = EH_OK;
	if (bytes >= 4)
		status = support_poison(s->bench, s->c, bytes, error);
	if (status == EH_OK && bytes % 4 != 0)
		status = s->bench->ops->upload(s->bench->queue, s->c, bytes & ~UINT64_C(3), &word,
		                               bytes % 4, error);
	return status == EH_OK && bytes % 4 != 0 ? s->bench->ops->queue_wait(s->bench->queue, error)
	                                         : status;
}

static eh_status gemm_poison(void *state, eh_error *error)
{
	gemm_state *s = state;
	return poison_bytes(s, gemm_elements_c(&s->oracle.shape) * s->oracle.out, error);
}

static eh_status check_product(gemm_state *s, gemm_oracle *o, eh_check *check, eh_error *error)
{
	const eh_status status = support_fetch(s->bench, s->got, s->c, 0,
	                                       gemm_elements_c(&o->shape) * o->out, error);
	if (status == EH_OK)
		gemm_oracle_check(o, s->got, check);
	return status;
}

static eh_status gemm_check(void *state, uint64_t iteration, eh_check *check, eh_error *error)
{
	gemm_state *s = state;
	(void)iteration;
	return check_product(s, &s->oracle, check, error);
}

/* On crafted factors of an oracle of their own, so that the normal ones need not be made again. */
static eh_status gemm_selftest(void *state, eh_check *check, eh_error *error)
{
	gemm_state *s = state;
	const gemm_oracle *o = &s->oracle;
	gemm_oracle crafted;
	eh_status status;
	memset(&crafted, 0, sizeof crafted);
	status = gemm_oracle_make(&crafted, s->bench, &o->shape);
	if (status == EH_OK) {
		gemm_oracle_crafted(&crafted);
		status = gemm_upload(s, &crafted, error);
	} else
		status = support_error(error, status, "gemm: no host memory");
	if (status == EH_OK)
		status = gemm_poison(s, error);
	if (status == EH_OK)
		status = gemm_enqueue(s, 0, error);
	if (status == EH_OK)
		status = check_product(s, &crafted, check, error);
	gemm_oracle_free(&crafted);
	return status == EH_OK ? gemm_upload(s, &s->oracle, error) : status;
}

static eh_status gemm_vary(void *state, uint32_t variant, eh_error *error)
{
	gemm_state *s = state;
	gemm_oracle_normal(&s->oracle, variant);
	return gemm_upload(s, &s->oracle, error);
}

static eh_status gemm_library(void *state, eh_layer *layer, eh_error *error)
{
	gemm_state *s = state;
	return library_layer(&s->library, layer, error);
}

static const eh_workload gemm_workload = {
	.magic = EH_WORKLOAD_MAGIC,
	.struct_size = sizeof(eh_workload),
	.abi_major = EH_ABI_MAJOR,
	.abi_minor = EH_ABI_MINOR,
	.pointer_bytes = sizeof(void *),
	.revision = 1,
	.name = "gemm",
	.summary = "matrix product: one portable kernel, register-tiled, or the vendor's library",
	.params = gemm_params,
	.describe = gemm_describe,
	.prepare = gemm_prepare,
	.selftest = gemm_selftest,
	.enqueue = gemm_enqueue,
	.poison = gemm_poison,
	.check = gemm_check,
	.vary = gemm_vary,
	.finish = gemm_finish,
	.library = gemm_library,
	.checks = "exact on crafted factors; then 64 x 64 elements against double precision "
	          "within a bound, and every row by random signs",
};

const eh_workload *eh_workload_entry_v1(void)
{
	return &gemm_workload;
}
