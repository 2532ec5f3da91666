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
#include "../library.h"
#include "../product.h"
#include "gemm_oracle.h"

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

static void gemm_shape_of(const eh_case *values, gemm_shape *s)
{
	const char *transpose = eh_case_text(values, "transpose");
	memset(s, 0, sizeof *s);
	s->m = eh_case_number(values, "m");
	s->n = eh_case_number(values, "n");
	s->k = eh_case_number(values, "k");
	s->batch = eh_case_number(values, "batch");
	s->turn_a = strchr(transpose, 'a') != NULL;
	s->turn_b = transpose[0] != 'n' && strchr(transpose, 'b') != NULL;
	snprintf(s->precision, sizeof s->precision, "%s", eh_case_text(values, "precision"));
	snprintf(s->output, sizeof s->output, "%s", product_output(values));
}

/* ---- describing ----------------------------------------------------------------------------- */

static eh_status refuse_types(const gemm_shape *s, eh_error *error)
{
	const int wide = strcmp(s->precision, "f64") == 0, integer = s->precision[0] == 'i';
	if ((wide || integer) && strcmp(s->output, product_standard_output(s->precision)) != 0)
		return support_error(error, EH_E_INVALID_ARGUMENT,
		                     "gemm: the output of %s is %s, not %s; leave out output",
		                     s->precision, product_standard_output(s->precision), s->output);
	if (integer && s->k > 133143)
		return support_error(error, EH_E_INVALID_ARGUMENT,
		                     "gemm: k=%" PRIu64 " products of i8 may not fit i32; at most 133143 do",
		                     s->k);
	return EH_OK;
}

static eh_status gemm_describe(const eh_case *values, eh_work *work, eh_error *error)
{
	const uint64_t rows = support_positive(values, "rows");
	uint64_t size, out, bytes;
	gemm_shape s;
	eh_status status;

	gemm_shape_of(values, &s);
	status = product_refuse_tiles("gemm", values, rows, error);
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
	work->group_items = PRODUCT_SIDE * PRODUCT_SIDE;
	if (work->struct_size >= sizeof *work)
		work->local_bytes = product_local_bytes(values, rows);
	product_name_precision(work, s.precision, s.output);
	snprintf(work->flops_formula, sizeof work->flops_formula, "2*%sM*N*K",
	         s.batch > 1 ? "batch*" : "");
	snprintf(work->bytes_formula, sizeof work->bytes_formula,
	         size == out && s.batch == 1 ? "s*(M*K + K*N + M*N)"
	                                     : "batch*(s*(M*K + K*N) + t*M*N), t bytes of C's");
	snprintf(work->kernel, sizeof work->kernel, "gemm");
	product_define(values, &(product_shape){.m = s.m, .n = s.n, .k = s.k, .turn_a = s.turn_a,
	                                        .turn_b = s.turn_b, .rows = rows,
	                                        .precision = s.precision, .output = s.output}, work);
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
	snprintf(g.accumulate, sizeof g.accumulate, "%s", product_accumulator(shape->precision));
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
	s->tile_m = (uint32_t)product_tile_m(support_positive(values, "rows"));
	s->tile_n = (uint32_t)product_tile_n(values);
	status = gemm_oracle_make(o, bench, &shape);
	if (status == EH_OK)
		s->got = malloc(gemm_elements_c(&shape) * o->out);
	if (s->got == NULL)
		return support_error(error, EH_E_NO_MEMORY, "gemm: no host memory");
	o->few_allowed = library_wanted(bench) && shape.precision[0] == 'e';
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
	(void)iteration;
	if (s->library.plan != NULL)
		return library_enqueue(&s->library, s->a, s->b, s->c, error);
	return product_launch(s->bench, s->kernel, s->a, s->b, s->c,
	                      &(product_grid){.m = shape->m, .n = shape->n, .k = shape->k,
	                                      .batch = shape->batch, .tile_m = s->tile_m,
	                                      .tile_n = s->tile_n}, error);
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
