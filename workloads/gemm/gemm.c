/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gemm - C = A * B, row-major, from one portable kernel with register tiles and local memory.
 *
 * Gate A (selftest): factors in {-1, 0, 1}, so sparse that every sum is exact in every type
 * involved.  Sampled elements must be equal, and the sums of all rows of C must be equal as
 * integers.
 *
 * Gate B: normal factors, quantised once.  Sampled elements are compared with double precision.
 * The elements of every row of C, added up with random signs, are compared with A * (B * signs), so
 * that every element counts.
 */
#include "gemm_oracle.h"

#define GROUP_SIDE 16

static const eh_param gemm_params[] = {
	{"precision", EH_PARAM_ENUM, 0, "f32", "f32|f64|f16|bf16", NULL,
	 "of A, B and C; f16 and bf16 are accumulated in f32"},
	{"m", EH_PARAM_UINT, 0, "1024", "16..65536", NULL, "rows of A and C"},
	{"n", EH_PARAM_UINT, 0, "1024", "16..65536", NULL, "columns of B and C"},
	{"k", EH_PARAM_UINT, 0, "1024", "16..65536", NULL, "columns of A, rows of B"},
	{"rows", EH_PARAM_UINT, 0, "8", "1..16", "4,8", "rows of C per work-item"},
	{"width", EH_PARAM_UINT, 0, "0", "0..16", "4,8,16",
	 "columns per vector: 2, 4, 8 or 16; 0 = 32 bytes"},
	{"vectors", EH_PARAM_UINT, 0, "1", "1..4", "1,2", "vectors per work-item and row"},
	{"depth", EH_PARAM_UINT, 0, "16", "8..64", "16,32", "of the tiles, along k"},
	{NULL, 0, 0, NULL, NULL, NULL, NULL},
};

typedef struct gemm_state {
	const eh_bench *bench;
	gemm_oracle oracle;
	uint32_t tile_m, tile_n;
	eh_kernel *kernel;
	eh_buffer *a, *b, *c;
	unsigned char *got;      /* the whole of C                                              */
} gemm_state;

static uint64_t gemm_width(const eh_case *values)
{
	const uint64_t width = eh_case_number(values, "width");
	if (width != 0)
		return width;
	return strcmp(eh_case_text(values, "precision"), "f64") == 0 ? 4 : 8;
}

static eh_status gemm_describe(const eh_case *values, eh_work *work, eh_error *error)
{
	const char *precision = eh_case_text(values, "precision");
	const uint64_t m = eh_case_number(values, "m"), n = eh_case_number(values, "n");
	const uint64_t k = eh_case_number(values, "k"), rows = eh_case_number(values, "rows");
	const uint64_t width = gemm_width(values), vectors = eh_case_number(values, "vectors");
	const uint64_t depth = eh_case_number(values, "depth");
	const uint64_t tile_m = GROUP_SIDE * rows, tile_n = GROUP_SIDE * width * vectors;
	const uint64_t size = support_element_bytes(precision);
	uint64_t local;

	if (rows == 0 || vectors == 0 || depth == 0)
		return support_error(error, EH_E_INVALID_ARGUMENT,
		                     "gemm: rows, vectors and depth must be at least 1");
	if ((width & (width - 1)) != 0 || width < 2)
		return support_error(error, EH_E_INVALID_ARGUMENT,
		                     "gemm: width=%" PRIu64 " is not 0, 2, 4, 8 or 16", width);
	if (rows * depth % GROUP_SIDE != 0 || width * vectors * depth % GROUP_SIDE != 0)
		return support_error(error, EH_E_INVALID_ARGUMENT,
		                     "gemm: rows*depth and width*vectors*depth must be multiples of 16");
	if (m % tile_m != 0 || n % tile_n != 0 || k % depth != 0)
		return support_error(error, EH_E_INVALID_ARGUMENT,
		                     "gemm: m=%" PRIu64 ", n=%" PRIu64 ", k=%" PRIu64
		                     " are not multiples of the tile %" PRIu64 " x %" PRIu64 " x %" PRIu64
		                     "; change the sizes, or rows, width, vectors and depth",
		                     m, n, k, tile_m, tile_n, depth);

	support_work_clear(work);
	work->metric = EH_METRIC_FLOP_PER_SECOND;
	work->region = EH_REGION_EXECUTION;
	work->flops = 2.0 * (double)m * (double)n * (double)k;
	work->bytes = (double)(size * (m * k + k * n + m * n));
	work->amount = work->flops;
	work->needs = support_needs(precision);
	work->device_bytes = size * (m * k + k * n + m * n);
	work->working_set_bytes = work->device_bytes;
	work->group_items = GROUP_SIDE * GROUP_SIDE;
	/* Both tiles, with four elements of padding in each row of A's. */
	local = depth * (tile_m + 4 + tile_n) * (size == 8 ? 8 : 4);
	if (work->struct_size >= sizeof *work)
		work->local_bytes = local;
	snprintf(work->precision, sizeof work->precision, size == 2 ? "%s/f32/%s" : "%s", precision,
	         precision);
	snprintf(work->flops_formula, sizeof work->flops_formula, "2*M*N*K");
	snprintf(work->bytes_formula, sizeof work->bytes_formula, "s*(M*K + K*N + M*N)");
	snprintf(work->kernel, sizeof work->kernel, "gemm");
	support_define(work, "EH_G_REAL", size == 8 ? "double" : "float");
	support_define(work, "EH_G_ELEMENT",
	               size == 2   ? "eh_%s"
	               : size == 8 ? "double"
	                           : "float",
	               precision);
	support_define(work, "EH_G_VECTOR", "eh_f%sx%" PRIu64, size == 8 ? "64" : "32", width);
	support_define(work, "EH_G_WIDTH", "%" PRIu64, width);
	support_define(work, "EH_G_VECTORS", "%" PRIu64, vectors);
	support_define(work, "EH_G_ROWS", "%" PRIu64, rows);
	support_define(work, "EH_G_DEPTH", "%" PRIu64, depth);
	if (size == 2) {
		const char *upper = strcmp(precision, "f16") == 0 ? "F16" : "BF16";
		support_define(work, "EH_G_LOAD", "EH_LOAD_%s", upper);
		support_define(work, "EH_G_STORE", "EH_STORE_%s", upper);
	}
	return EH_OK;
}

/* ---- the workload --------------------------------------------------------------------------- */

/* Uploads the oracle's current factors into A and B. */
static eh_status gemm_upload(gemm_state *s, const gemm_oracle *o, eh_error *error)
{
	const eh_status status =
		support_upload_repeated(s->bench, s->a, o->m * o->k * o->element, o->block[0],
		                        ORACLE_BLOCK * o->element, error);
	if (status != EH_OK)
		return status;
	return support_upload_repeated(s->bench, s->b, o->k * o->n * o->element, o->block[1],
	                               ORACLE_BLOCK * o->element, error);
}

static void gemm_finish(void *state)
{
	gemm_state *s = state;
	if (s == NULL)
		return;
	support_free(s->bench, s->a);
	support_free(s->bench, s->b);
	support_free(s->bench, s->c);
	gemm_oracle_free(&s->oracle);
	free(s->got);
	free(s);
}

static eh_status gemm_prepare(const eh_bench *bench, void **state, eh_error *error)
{
	const eh_case *values = bench->values;
	gemm_state *s = calloc(1, sizeof *s);
	gemm_oracle *o;
	eh_status status;

	if (s == NULL)
		return support_error(error, EH_E_NO_MEMORY, "gemm: no host memory");
	s->bench = bench;
	o = &s->oracle;
	s->tile_m = (uint32_t)(GROUP_SIDE * eh_case_number(values, "rows"));
	s->tile_n = (uint32_t)(GROUP_SIDE * gemm_width(values) * eh_case_number(values, "vectors"));
	status = gemm_oracle_make(o, bench, eh_case_text(values, "precision"),
	                          eh_case_number(values, "m"), eh_case_number(values, "n"),
	                          eh_case_number(values, "k"));
	if (status == EH_OK)
		s->got = malloc(o->m * o->n * o->element);
	if (s->got == NULL) {
		gemm_finish(s);
		return support_error(error, EH_E_NO_MEMORY, "gemm: no host memory");
	}
	status = bench->ops->kernel_get(bench->program, "eh_gemm", &s->kernel, error);
	if (status == EH_OK)
		status = support_alloc(bench, EH_MEMORY_DEVICE, o->m * o->k * o->element, &s->a,
		                       error);
	if (status == EH_OK)
		status = support_alloc(bench, EH_MEMORY_DEVICE, o->k * o->n * o->element, &s->b,
		                       error);
	if (status == EH_OK)
		status = support_alloc(bench, EH_MEMORY_DEVICE, o->m * o->n * o->element, &s->c,
		                       error);
	if (status == EH_OK) {
		gemm_oracle_normal(o, 0);
		status = gemm_upload(s, o, error);
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
	const int32_t n = (int32_t)s->oracle.n, k = (int32_t)s->oracle.k;
	eh_arg args[5];
	(void)iteration;
	args[0] = support_buffer(s->a);
	args[1] = support_buffer(s->b);
	args[2] = support_buffer(s->c);
	args[3] = support_value(&n, sizeof n);
	args[4] = support_value(&k, sizeof k);
	return support_launch(s->bench, s->kernel, (uint32_t)s->oracle.n / s->tile_n,
	                      (uint32_t)s->oracle.m / s->tile_m, GROUP_SIDE, GROUP_SIDE, args, 5,
	                      error);
}

static eh_status gemm_poison(void *state, eh_error *error)
{
	gemm_state *s = state;
	return support_poison(s->bench, s->c, s->oracle.m * s->oracle.n * s->oracle.element, error);
}

static eh_status check_product(gemm_state *s, gemm_oracle *o, eh_check *check, eh_error *error)
{
	const eh_status status = support_fetch(s->bench, s->got, s->c, 0, o->m * o->n * o->element,
	                                       error);
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
	status = gemm_oracle_make(&crafted, s->bench, o->precision, o->m, o->n, o->k);
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

static const eh_workload gemm_workload = {
	.magic = EH_WORKLOAD_MAGIC,
	.struct_size = sizeof(eh_workload),
	.abi_major = EH_ABI_MAJOR,
	.abi_minor = EH_ABI_MINOR,
	.pointer_bytes = sizeof(void *),
	.revision = 1,
	.name = "gemm",
	.summary = "matrix product from one portable kernel, register-tiled",
	.params = gemm_params,
	.describe = gemm_describe,
	.prepare = gemm_prepare,
	.selftest = gemm_selftest,
	.enqueue = gemm_enqueue,
	.poison = gemm_poison,
	.check = gemm_check,
	.vary = gemm_vary,
	.finish = gemm_finish,
};

const eh_workload *eh_workload_entry_v1(void)
{
	return &gemm_workload;
}
