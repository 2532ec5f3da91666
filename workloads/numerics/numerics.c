/* SPDX-License-Identifier: Apache-2.0 */
/*
 * numerics - what arithmetic a device does, seen in the results of crafted dot products.
 *
 * The outcome of each depends on one property: how many bits the sum keeps, whether subnormal numbers are
 * kept, how the last bit is rounded, whether a multiply-add is fused.  A property allows a few outcomes
 * for each row, every one known exactly.  The check passes if all rows show the same property, and the
 * precision allows it; it says which.
 *
 * through=kernel asks a plain loop, numerics.k; through=gemm the matrix product: gemm's kernel, and in
 * the vendor tier the library of the backend.
 *
 * The rows differ in sign and scale, and vary() changes them.  All elements are exact in the precision,
 * and apart from the subnormal ones normal.
 */
#include "../product.h"
#include "numerics.h"

/* What a case through gemm has where it does not say otherwise. */
#define USUAL_SIDE 256
#define USUAL_DEPTH 512
/* So that every test occurs in the rows, and every place in the columns. */
#define LEAST_ROWS TESTS_MOST
#define LEAST_DEPTH 64

static const eh_param numerics_params[] = {
	{"property", EH_PARAM_ENUM, 0, "accumulator", "accumulator|subnormals|rounding|contraction|factors|output", NULL,
	 "bits of the sum, small numbers, the last bit, fused or separate multiply-add; through gemm also bits "
	 "of the factors, and the last bit of outputs of 16 bits"},
	{"precision", EH_PARAM_ENUM, 0, "f32", "f32|f64|f16|bf16|e4m3|e5m2|e4m3z|e5m2z|i8|tf32", NULL,
	 "of the elements; sums are f32, of f64 f64, of i8 i32"},
	{"groups", EH_PARAM_UINT, 0, "16", "1..65536", NULL, "of 64 dot products; not used through gemm"},
	{"through", EH_PARAM_ENUM, EH_PARAM_ADDED, "kernel", "kernel|gemm", NULL,
	 "a plain loop; or the kernel of gemm, in the vendor tier the library"},
	{"m", EH_PARAM_UINT, EH_PARAM_ADDED, "0", "0..65536", NULL, "through gemm, rows of A; 0 = 256"},
	{"n", EH_PARAM_UINT, EH_PARAM_ADDED, "0", "0..65536", NULL, "through gemm, columns of B; 0 = 256"},
	{"k", EH_PARAM_UINT, EH_PARAM_ADDED, "0", "0..65536", NULL, "through gemm, terms of a sum; 0 = 512"},
	{NULL, 0, 0, NULL, NULL, NULL, NULL},
};

static const format formats[] = {
	{"f32", "float", "EH_LOAD_F32", 4, 127, -126, -149, 0},
	{"f64", "double", "EH_LOAD_F64", 8, 1023, -1022, -1074, EH_CAP_FP64},
	{"f16", "eh_f16", "EH_LOAD_F16", 2, 15, -14, -24, EH_CAP_FP16_STORE},
	{"bf16", "eh_bf16", "EH_LOAD_BF16", 2, 127, -126, -133, EH_CAP_BF16_STORE},
	{"e4m3", "eh_e4m3", "EH_LOAD_E4M3", 1, 8, -6, -9, 0},
	{"e5m2", "eh_e5m2", "EH_LOAD_E5M2", 1, 15, -14, -16, 0},
	{"e4m3z", "eh_e4m3z", "EH_LOAD_E4M3Z", 1, 7, -7, -10, 0},
	{"e5m2z", "eh_e5m2z", "EH_LOAD_E5M2Z", 1, 15, -15, -17, 0},
	{"i8", "eh_i8", "EH_LOAD_I8", 1, 6, 0, 0, 0},
	{"tf32", NULL, NULL, 4, 127, -126, -136, 0}, /* through gemm only */
};

static const format *format_of(const eh_case *values)
{
	return &formats[eh_case_value(values, "precision")->number];
}

static int is_wide(const format *f)
{
	return f->bytes == 8;
}

static int is_integer(const format *f)
{
	return strcmp(f->name, "i8") == 0;
}

int numerics_has_range_of_sums(const format *f)
{
	return f->normal <= -126;
}

static uint64_t sum_bytes(const format *f)
{
	return is_wide(f) ? 8 : 4;
}

int numerics_promised_bits(const format *f)
{
	return is_wide(f) ? 53 : is_integer(f) ? 31 : 24;
}

int numerics_factor_bits(const format *f)
{
	return f->normal - f->subnormal + 1;
}

int numerics_top(const numerics_state *s)
{
	return s->wide ? 100 : s->format->largest > 15 ? 30 : 2 * s->format->largest;
}

/* ---- describing ------------------------------------------------------------------------------ */

static int through_gemm(const eh_case *values)
{
	return eh_case_value(values, "through")->number != 0;
}

static enum property property_of(const eh_case *values)
{
	return (enum property)eh_case_value(values, "property")->number;
}

/* As gemm's cases are by default, to make its kernel of. */
typedef struct gemm_case {
	eh_value values[4];
	eh_case whole;
} gemm_case;

static const eh_case *gemm_case_of(gemm_case *g, const format *f)
{
	const eh_value values[] = {{"precision", f->name, 0}, {"width", "0", 0}, {"vectors", "1", 1},
	                           {"depth", "16", 16}};

	memcpy(g->values, values, sizeof g->values);
	g->whole = (eh_case){.struct_size = sizeof g->whole, .value_count = 4, .values = g->values};
	return &g->whole;
}
#define GEMM_ROWS 8

static void matrices_of(const eh_case *values, matrices *x)
{
	const uint64_t m = eh_case_number(values, "m"), n = eh_case_number(values, "n");
	const uint64_t k = eh_case_number(values, "k");
	const char *precision = format_of(values)->name;

	x->m = m != 0 ? m : USUAL_SIDE;
	x->n = n != 0 ? n : USUAL_SIDE;
	x->k = k != 0 ? k : USUAL_DEPTH;
	/* The sums as they are, unless what is asked is how outputs are made of them. */
	x->output = property_of(values) == OUTPUT ? product_standard_output(precision)
	                                          : product_accumulator(precision);
}

static eh_status refuse_kernel(const eh_case *values, const format *f, eh_error *error)
{
	const enum property property = property_of(values);

	if (property > CONTRACTION || f->element == NULL)
		return support_error(error, EH_E_INVALID_ARGUMENT,
		                     "numerics: property=%s of %s is asked of a matrix product; add through=gemm",
		                     eh_case_text(values, "property"), f->name);
	if (eh_case_number(values, "m") + eh_case_number(values, "n") + eh_case_number(values, "k") > 0)
		return support_error(error, EH_E_INVALID_ARGUMENT,
		                     "numerics: m, n and k belong to through=gemm; leave them out");
	if (property == CONTRACTION && strcmp(f->name, "f32") != 0 && !is_wide(f))
		return support_error(error, EH_E_INVALID_ARGUMENT,
		                     "numerics: products of %s are exact in f32, so that fused and "
		                     "separate multiply-adds agree; contraction takes f32 and f64",
		                     f->name);
	return EH_OK;
}

static eh_status refuse_gemm(const eh_case *values, const format *f, eh_error *error)
{
	matrices x;

	matrices_of(values, &x);
	if (property_of(values) == CONTRACTION)
		return support_error(error, EH_E_INVALID_ARGUMENT,
		                     "numerics: a product adds up in any order, which hides contraction; "
		                     "leave out through=gemm");
	if (property_of(values) == OUTPUT && support_element_bytes(x.output) != 2)
		return support_error(error, EH_E_INVALID_ARGUMENT,
		                     "numerics: the outputs of %s are the sums, and property=rounding asks "
		                     "for those; output takes f16, bf16, e4m3 and e5m2", f->name);
	if (x.m < LEAST_ROWS || x.k < LEAST_DEPTH)
		return support_error(error, EH_E_INVALID_ARGUMENT,
		                     "numerics: all tests take m=%d and k=%d at least, not m=%" PRIu64
		                     " and k=%" PRIu64, LEAST_ROWS, LEAST_DEPTH, x.m, x.k);
	return EH_OK;
}

static void describe_gemm(const eh_case *values, const format *f, eh_work *work)
{
	matrices x;
	gemm_case tiles;
	uint64_t in, out;

	matrices_of(values, &x);
	in = (x.m * x.k + x.k * x.n) * f->bytes;
	out = x.m * x.n * support_element_bytes(x.output);
	work->flops = 2.0 * (double)x.m * (double)x.n * (double)x.k;
	work->bytes = (double)(in + out);
	work->needs = f->needs | support_needs(x.output);
	work->device_bytes = in + support_padded(out);
	work->working_set_bytes = in + out;
	work->group_items = PRODUCT_SIDE * PRODUCT_SIDE;
	(void)gemm_case_of(&tiles, f);
	if (work->struct_size >= sizeof *work)
		work->local_bytes = product_local_bytes(&tiles.whole, GEMM_ROWS);
	product_name_precision(work, f->name, x.output);
	snprintf(work->flops_formula, sizeof work->flops_formula, "2*M*N*K");
	snprintf(work->bytes_formula, sizeof work->bytes_formula, "s*(M*K + K*N) + t*M*N, t bytes of C's");
	snprintf(work->kernel, sizeof work->kernel, "gemm");
	product_define(&tiles.whole, &(product_shape){.m = x.m, .n = x.n, .k = x.k, .turn_b = 1,
	                                              .rows = GEMM_ROWS, .precision = f->name,
	                                              .output = x.output}, work);
}

static void describe_kernel(const eh_case *values, const format *f, eh_work *work)
{
	const uint64_t rows = eh_case_number(values, "groups") * GROUP_ITEMS;

	work->flops = 2.0 * TERMS * (double)rows;
	work->bytes = (double)(rows * (2 * TERMS * f->bytes + 2 * sum_bytes(f)));
	work->needs = f->needs;
	work->device_bytes = rows * (2 * TERMS * f->bytes + 2 * sum_bytes(f));
	work->working_set_bytes = work->device_bytes;
	work->group_items = GROUP_ITEMS;
	snprintf(work->precision, sizeof work->precision, "%s%s", f->name,
	         is_integer(f) ? "/i32/i32" : f->bytes < 4 ? "/f32/f32" : "");
	snprintf(work->flops_formula, sizeof work->flops_formula, "2*64*G*4 (groups, 4 terms)");
	snprintf(work->bytes_formula, sizeof work->bytes_formula, "64*G*(8*s + 2*size of a sum)");
	snprintf(work->kernel, sizeof work->kernel, "numerics");
	support_define(work, "EH_N_ELEMENT", "%s", f->element);
	support_define(work, "EH_N_LOAD", "%s", f->load);
	support_define(work, "EH_N_REAL", "%s",
	               is_wide(f) ? "double" : is_integer(f) ? "int" : "float");
	support_define(work, "EH_N_TERMS", "%d", TERMS);
}

static eh_status numerics_describe(const eh_case *values, eh_work *work, eh_error *error)
{
	const format *f = format_of(values);
	eh_status status;

	if (is_integer(f) && property_of(values) != ACCUMULATOR)
		return support_error(error, EH_E_INVALID_ARGUMENT,
		                     "numerics: integers have no %s; i8 takes property=accumulator",
		                     eh_case_text(values, "property"));
	status = through_gemm(values) ? refuse_gemm(values, f, error) : refuse_kernel(values, f, error);
	if (status != EH_OK)
		return status;
	support_work_clear(work);
	work->metric = EH_METRIC_SECONDS;
	work->region = EH_REGION_EXECUTION;
	work->amount = 1;
	if (through_gemm(values))
		describe_gemm(values, f, work);
	else
		describe_kernel(values, f, work);
	return EH_OK;
}

/* ---- elements -------------------------------------------------------------------------------- */

void numerics_put(const numerics_state *s, unsigned char *elements, uint64_t i, double x)
{
	unsigned char *out = elements + i * s->format->bytes;
	int code = 0;

	if (s->format->bytes == 8) {
		memcpy(out, &x, sizeof x);
	} else if (s->format->bytes > 1) {
		support_encode(out, (float)x, s->format->bytes == 4 ? "f32" : s->format->name);
	} else if (s->integer) {
		*out = (unsigned char)(signed char)x;
	} else {
		while (code < 255 && s->codes[code] != x)
			code++;
		*out = (unsigned char)code;
	}
}

static void put_sum(const numerics_state *s, uint64_t i, double x)
{
	const float single = (float)x;
	const int32_t whole = s->integer ? (int32_t)x : 0;

	if (s->wide)
		memcpy(s->sums + i * 8, &x, 8);
	else
		memcpy(s->sums + i * 4, s->integer ? (const void *)&whole : &single, 4);
}

void numerics_last_bit(row *r, double low, double high, int sign, int odd, int quarters)
{
	r->want[NEAREST_EVEN] = quarters > 2 || (quarters == 2 && odd) ? high : low;
	r->want[NEAREST_AWAY] = quarters >= 2 ? high : low;
	r->want[TO_ZERO] = low;
	r->want[sign > 0 ? UP : DOWN] = high;
	r->want[sign > 0 ? DOWN : UP] = low;
}

static uint64_t bytes_of_a(const numerics_state *s)
{
	return (s->product.m > 0 ? s->product.m * s->product.k : s->rows * TERMS) * s->format->bytes;
}

static uint64_t bytes_of_b(const numerics_state *s)
{
	return s->product.m > 0 ? s->product.k * s->product.n * s->format->bytes : bytes_of_a(s);
}

static uint64_t bytes_of_out(const numerics_state *s)
{
	return s->product.m > 0 ? s->product.m * s->product.n * support_element_bytes(s->product.output)
	                        : s->rows * sum_bytes(s->format);
}

static void fill_rows(const numerics_state *s)
{
	uint64_t i;
	int t;

	for (i = 0; i < s->rows; i++) {
		row r;
		rows_craft(s, i, &r);
		for (t = 0; t < TERMS; t++) {
			numerics_put(s, s->host_a, i * TERMS + (uint64_t)t, r.a[t]);
			numerics_put(s, s->host_b, i * TERMS + (uint64_t)t, r.b[t]);
		}
		put_sum(s, i, r.start);
	}
}

static eh_status numerics_inputs(numerics_state *s, uint32_t variant, eh_error *error)
{
	const eh_bench *bench = s->bench;
	uint32_t random;
	eh_status status;

	bench->fill_bytes(bench, &random, 0, sizeof random, bench->values->seed, 0);
	/* Neighbouring variants differ in sign and in every factor. */
	s->turn = (uint64_t)random + variant;
	if (s->product.m > 0)
		product_fill(s);
	else
		fill_rows(s);
	status = support_upload_repeated(bench, s->a, bytes_of_a(s), s->host_a, bytes_of_a(s), error);
	if (status == EH_OK)
		status = support_upload_repeated(bench, s->b, bytes_of_b(s), s->host_b, bytes_of_b(s), error);
	if (status == EH_OK && s->product.m == 0)
		status = support_upload_repeated(bench, s->start, bytes_of_out(s), s->sums, bytes_of_out(s),
		                                 error);
	return status;
}

/* ---- the workload ---------------------------------------------------------------------------- */

static void numerics_finish(void *state)
{
	numerics_state *s = state;
	if (s == NULL)
		return;
	library_close(&s->library);
	support_free(s->bench, s->out);
	support_free(s->bench, s->start);
	support_free(s->bench, s->a);
	support_free(s->bench, s->b);
	free(s->host_a);
	free(s->host_b);
	free(s->sums);
	free(s);
}

static eh_status plan_library(numerics_state *s, eh_error *error)
{
	const matrices *x = &s->product;
	eh_gemm g = {
		.struct_size = sizeof g,
		.flags = EH_GEMM_TRANSPOSE_B,
		.m = x->m, .n = x->n, .k = x->k,
		.lda = x->k, .ldb = x->k, .ldc = x->n,
		.batch = 1,
		.stride_a = x->m * x->k, .stride_b = x->k * x->n, .stride_c = x->m * x->n,
		.alpha = 1,
	};
	if (x->m == 0)
		return support_error(error, EH_E_UNSUPPORTED,
		                     "No library does the work of numerics through=kernel; write "
		                     "through = gemm, or leave out the tier vendor.");
	snprintf(g.type_a, sizeof g.type_a, "%s", s->format->name);
	snprintf(g.type_b, sizeof g.type_b, "%s", s->format->name);
	snprintf(g.type_c, sizeof g.type_c, "%s", x->output);
	snprintf(g.accumulate, sizeof g.accumulate, "%s", product_accumulator(s->format->name));
	return library_open(&s->library, s->bench, &g, error);
}

static eh_status get_buffers(numerics_state *s, eh_error *error)
{
	eh_status status = support_alloc(s->bench, EH_MEMORY_DEVICE, support_padded(bytes_of_out(s)),
	                                 &s->out, error);
	if (status == EH_OK && s->product.m == 0)
		status = support_alloc(s->bench, EH_MEMORY_DEVICE, bytes_of_out(s), &s->start, error);
	if (status == EH_OK)
		status = support_alloc(s->bench, EH_MEMORY_DEVICE, bytes_of_a(s), &s->a, error);
	if (status == EH_OK)
		status = support_alloc(s->bench, EH_MEMORY_DEVICE, bytes_of_b(s), &s->b, error);
	return status;
}

static eh_status make_state(numerics_state *s, eh_error *error)
{
	const eh_bench *bench = s->bench;
	eh_status status;
	int code;

	s->property = property_of(bench->values);
	s->format = format_of(bench->values);
	s->wide = is_wide(s->format);
	s->integer = is_integer(s->format);
	s->rows = eh_case_number(bench->values, "groups") * GROUP_ITEMS;
	if (through_gemm(bench->values))
		matrices_of(bench->values, &s->product);
	for (code = 0; code < 256 && s->format->bytes == 1 && !s->integer; code++) {
		const unsigned char byte = (unsigned char)code;
		s->codes[code] = bench->to_double(&byte, s->format->name);
	}
	s->host_a = malloc(bytes_of_a(s));
	s->host_b = malloc(bytes_of_b(s));
	s->sums = malloc(bytes_of_out(s));
	if (s->host_a == NULL || s->host_b == NULL || s->sums == NULL)
		return support_error(error, EH_E_NO_MEMORY, "numerics: no host memory");
	if (library_wanted(bench))
		status = plan_library(s, error);
	else
		status = bench->ops->kernel_get(bench->program, s->product.m > 0 ? "eh_gemm" : "eh_numerics",
		                                &s->kernel, error);
	if (status == EH_OK)
		status = get_buffers(s, error);
	return status == EH_OK ? numerics_inputs(s, 0, error) : status;
}

static eh_status numerics_prepare(const eh_bench *bench, void **state, eh_error *error)
{
	numerics_state *s = calloc(1, sizeof *s);
	eh_status status;

	if (s == NULL)
		return support_error(error, EH_E_NO_MEMORY, "numerics: no host memory");
	s->bench = bench;
	status = make_state(s, error);
	if (status != EH_OK) {
		numerics_finish(s);
		return status;
	}
	*state = s;
	return EH_OK;
}

static eh_status numerics_enqueue(void *state, uint64_t iteration, eh_error *error)
{
	numerics_state *s = state;
	const matrices *x = &s->product;
	const eh_arg args[] = {support_buffer(s->out), support_buffer(s->start), support_buffer(s->a),
	                       support_buffer(s->b)};
	gemm_case tiles;
	(void)iteration;
	if (s->library.plan != NULL)
		return library_enqueue(&s->library, s->a, s->b, s->out, error);
	if (x->m > 0)
		return product_launch(s->bench, s->kernel, s->a, s->b, s->out,
		                      &(product_grid){.m = x->m, .n = x->n, .k = x->k, .batch = 1,
		                                      .tile_m = product_tile_m(GEMM_ROWS),
		                                      .tile_n = product_tile_n(gemm_case_of(&tiles, s->format))},
		                      error);
	return support_launch(s->bench, s->kernel, (uint32_t)(s->rows / GROUP_ITEMS), 1, GROUP_ITEMS, 1,
	                      args, 4, error);
}

static eh_status numerics_poison(void *state, eh_error *error)
{
	numerics_state *s = state;
	return support_poison(s->bench, s->out, support_padded(bytes_of_out(s)), error);
}

static eh_status numerics_check(void *state, uint64_t iteration, eh_check *check, eh_error *error)
{
	numerics_state *s = state;
	const eh_status status = support_fetch(s->bench, s->sums, s->out, 0, bytes_of_out(s), error);
	(void)iteration;

	if (status == EH_OK)
		numerics_judge(s, check);
	return status;
}

static eh_status numerics_library(void *state, eh_layer *layer, eh_error *error)
{
	numerics_state *s = state;
	return library_layer(&s->library, layer, error);
}

static eh_status numerics_vary(void *state, uint32_t variant, eh_error *error)
{
	return numerics_inputs(state, variant, error);
}

static const eh_workload numerics_workload = {
	.magic = EH_WORKLOAD_MAGIC,
	.struct_size = sizeof(eh_workload),
	.abi_major = EH_ABI_MAJOR,
	.abi_minor = EH_ABI_MINOR,
	.pointer_bytes = sizeof(void *),
	.revision = 1,
	.name = "numerics",
	.summary = "what arithmetic a device or its library does: bits, subnormals, rounding, contraction",
	.params = numerics_params,
	.describe = numerics_describe,
	.prepare = numerics_prepare,
	.enqueue = numerics_enqueue,
	.poison = numerics_poison,
	.check = numerics_check,
	.vary = numerics_vary,
	.finish = numerics_finish,
	.library = numerics_library,
	.checks = "every dot product is an allowed answer, all show the same property, which is told",
};

const eh_workload *eh_workload_entry_v1(void)
{
	return &numerics_workload;
}
