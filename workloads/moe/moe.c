/* SPDX-License-Identifier: Apache-2.0 */
/*
 * moe - the product of one layer of a mixture of experts: each token goes to `top` of the experts,
 * and the routed rows, sorted by expert, are multiplied in one launch, Y[r] = X[token(r)] W[expert(r)]^T.
 * The kernel is that of gemm, grouped: a group finds its expert and its rows in a table of tiles.
 *
 * How many rows each expert has follows from the parameters alone, so that the work is counted
 * without a seed; which expert has which number, and whose rows they are, from the seed and the variant.
 *
 * In the vendor tier rows of X are gathered, and each expert with rows is a product of the library.
 *
 * Gate A (selftest): inputs in {-1, 0, 1}, so few that every sum is exact in the output's type.
 *
 * Gate B: normal inputs, quantised once.  Samples in every 128 rows are compared with double
 * precision, and all elements of each row, added up with random signs, with X * (signs * W).
 */
#include "../library.h"
#include "../product.h"
#include "moe_oracle.h"

static const eh_param moe_params[] = {
	{"tokens", EH_PARAM_UINT, 0, "512", "1..1048576", NULL, "rows of X"},
	{"n", EH_PARAM_UINT, 0, "1024", "1..1048576", NULL, "rows of an expert's W, columns of Y"},
	{"k", EH_PARAM_UINT, 0, "1024", "1..1048576", NULL, "columns of X and W"},
	{"experts", EH_PARAM_UINT, 0, "8", "1..1024", NULL, "matrices W"},
	{"top", EH_PARAM_UINT, 0, "2", "1..64", NULL, "different experts of each token"},
	{"skew", EH_PARAM_ENUM, 0, "uniform", "uniform|zipf|one", NULL,
	 "rows per expert: as even as can be; rank r in proportion to r^-exponent; all for the same top ones"},
	{"exponent", EH_PARAM_ENUM, 0, "standard", "standard|0.5|1|1.5|2", NULL,
	 "of skew=zipf; standard = 1"},
	{"precision", EH_PARAM_ENUM, 0, "bf16", "bf16|f16|f32", NULL, "of X and W; sums are in f32"},
	{"output", EH_PARAM_ENUM, 0, "standard", "standard|f32|f16|bf16", NULL,
	 "of Y; standard = that of X and W"},
	{"rows", EH_PARAM_UINT, 0, "0", "0..16", "1,4,8",
	 "rows of Y per work-item; 0 = up to 8, as few as a mean expert's rows need"},
	{"width", EH_PARAM_UINT, 0, "0", "0..16", "4,8,16",
	 "columns per vector: 2, 4, 8 or 16; 0 = 32 bytes"},
	{"vectors", EH_PARAM_UINT, 0, "1", "1..4", "1,2", "vectors per work-item and row"},
	{"depth", EH_PARAM_UINT, 0, "16", "8..64", NULL, "of the tiles, along k"},
	{NULL, 0, 0, NULL, NULL, NULL, NULL},
};

/* What follows from a case. */
typedef struct moe_plan {
	moe_shape shape;
	moe_loads loads;
	uint64_t rows;             /* of Y                                                       */
	uint64_t each;             /* rows of Y per work-item                                    */
	uint64_t tile_m, tile_n;
} moe_plan;

typedef struct moe_state {
	const eh_bench *bench;
	moe_plan plan;
	moe_route route;
	moe_oracle oracle;
	eh_kernel *kernel;
	eh_buffer *x, *w, *y, *token, *tile;
	unsigned char *got;        /* the whole of Y                                             */
	/* In the vendor tier: a product for each number of rows that experts have; and X by rows of Y. */
	library_product library[MOE_EXPERTS];
	uint32_t library_rows[MOE_EXPERTS];
	size_t libraries;
	eh_kernel *gather;
	eh_buffer *gathered;
} moe_state;

/* ---- describing ------------------------------------------------------------------------------ */

static eh_status plan_loads(moe_loads *l, const eh_case *values, eh_error *error)
{
	/* The positions of standard, 0.5, 1, 1.5 and 2. */
	static const uint32_t halves[] = {2, 1, 2, 3, 4};
	const enum moe_skew skew = (enum moe_skew)eh_case_value(values, "skew")->number;
	const uint64_t exponent = eh_case_number(values, "exponent");
	l->tokens = support_positive(values, "tokens");
	l->experts = (uint32_t)support_positive(values, "experts");
	l->top = support_positive(values, "top");
	if (l->top > l->experts)
		return support_error(error, EH_E_INVALID_ARGUMENT,
		                     "moe: top=%" PRIu64 " different experts of experts=%" PRIu32
		                     "; set top to %" PRIu32 " at most",
		                     l->top, l->experts, l->experts);
	if (exponent != 0 && skew != MOE_ZIPF)
		return support_error(error, EH_E_INVALID_ARGUMENT,
		                     "moe: exponent=%s belongs to skew=zipf, not to skew=%s; leave it out",
		                     eh_case_text(values, "exponent"), eh_case_text(values, "skew"));
	moe_spread(l, skew, skew == MOE_ZIPF ? halves[exponent] : 0);
	return EH_OK;
}

static eh_status plan_case(const eh_case *values, moe_plan *p, eh_error *error)
{
	moe_shape *s = &p->shape;
	eh_status status = plan_loads(&p->loads, values, error);
	memset(s, 0, sizeof *s);
	if (status == EH_OK) {
		const uint64_t active = moe_active(&p->loads);
		p->rows = p->loads.tokens * p->loads.top;
		p->each = product_rows(values, (p->rows + active - 1) / active);
		status = product_refuse_tiles("moe", values, p->each, error);
	}
	if (status != EH_OK)
		return status;
	s->tokens = p->loads.tokens;
	s->experts = p->loads.experts;
	s->n = support_positive(values, "n");
	s->k = support_positive(values, "k");
	snprintf(s->precision, sizeof s->precision, "%s", eh_case_text(values, "precision"));
	snprintf(s->output, sizeof s->output, "%s", product_output(values));
	p->tile_m = product_tile_m(p->each);
	p->tile_n = product_tile_n(values);
	return EH_OK;
}

static uint64_t x_bytes(const moe_shape *s)
{
	return s->tokens * s->k * support_element_bytes(s->precision);
}

/* Of one expert. */
static uint64_t w_bytes(const moe_shape *s)
{
	return s->n * s->k * support_element_bytes(s->precision);
}

static uint64_t y_bytes(const moe_plan *p)
{
	return p->rows * p->shape.n * support_element_bytes(p->shape.output);
}

/* The route is counted as a token of each row and a number of rows of each expert, so that the count
 * does not depend on tiles; the table of tiles is the latter as the kernel reads it. */
static void describe_bytes(const moe_plan *p, eh_work *work)
{
	const uint64_t active = moe_active(&p->loads);
	const uint64_t tables = p->rows * sizeof(int32_t) +
	                        moe_tiles(&p->loads, p->tile_m) * sizeof(moe_tile);
	work->working_set_bytes = active * w_bytes(&p->shape) + x_bytes(&p->shape) + y_bytes(p) +
	                          4 * (p->rows + p->shape.experts);
	work->bytes = (double)work->working_set_bytes;
	work->device_bytes = p->shape.experts * w_bytes(&p->shape) + x_bytes(&p->shape) +
	                     support_padded(y_bytes(p)) + tables;
	snprintf(work->bytes_formula, sizeof work->bytes_formula,
	         "s*(A*N*K + T*K) + t*R*N + 4*(R + E), A=%" PRIu64 " experts with rows, R=T*top", active);
}

static eh_status moe_describe(const eh_case *values, eh_work *work, eh_error *error)
{
	moe_plan p;
	const moe_shape *s = &p.shape;
	const eh_status status = plan_case(values, &p, error);
	if (status != EH_OK)
		return status;
	support_work_clear(work);
	work->metric = EH_METRIC_FLOP_PER_SECOND;
	work->region = EH_REGION_EXECUTION;
	work->flops = 2 * (double)p.rows * (double)s->n * (double)s->k;
	work->amount = work->flops;
	describe_bytes(&p, work);
	work->needs = support_needs(s->precision) | support_needs(s->output);
	work->group_items = PRODUCT_SIDE * PRODUCT_SIDE;
	if (work->struct_size >= sizeof *work)
		work->local_bytes = product_local_bytes(values, p.each);
	product_name_precision(work, s->precision, s->output);
	snprintf(work->flops_formula, sizeof work->flops_formula, "2*T*top*N*K");
	snprintf(work->kernel, sizeof work->kernel, "gemm");
	product_define(values, &(product_shape){.n = s->n, .k = s->k, .turn_b = 1, .grouped = 1,
	                                        .rows = p.each, .precision = s->precision, .output = s->output}, work);
	return EH_OK;
}

/* ---- the workload --------------------------------------------------------------------------- */

static void moe_finish(void *state)
{
	moe_state *s = state;
	size_t i;
	if (s == NULL)
		return;
	support_free(s->bench, s->x);
	support_free(s->bench, s->w);
	support_free(s->bench, s->y);
	support_free(s->bench, s->token);
	support_free(s->bench, s->tile);
	support_free(s->bench, s->gathered);
	for (i = 0; i < s->libraries; i++)
		library_close(&s->library[i]);
	moe_oracle_free(&s->oracle);
	moe_route_free(&s->route);
	free(s->got);
	free(s);
}

/* Uploads the oracle's current inputs. */
static eh_status upload(moe_state *s, const moe_oracle *o, eh_error *error)
{
	const moe_shape *shape = &s->plan.shape;
	const eh_status status = support_upload_repeated(s->bench, s->x, x_bytes(shape), o->block[0],
	                                                 o->count[0] * o->element, error);
	if (status != EH_OK)
		return status;
	return support_upload_repeated(s->bench, s->w, shape->experts * w_bytes(shape), o->block[1],
	                               o->count[1] * o->element, error);
}

/* The route and the inputs of a variant, here and on the device. */
static eh_status set_variant(moe_state *s, uint32_t variant, eh_error *error)
{
	const eh_bench *b = s->bench;
	const moe_route *r = &s->route;
	eh_status status;
	/* Numbers before the bytes that the route is drawn with: bytes alone would be taken for the input. */
	moe_oracle_normal(&s->oracle, variant);
	moe_route_draw(&s->route, b, &s->plan.loads, s->plan.tile_m, variant);
	status = b->ops->upload(b->queue, s->token, 0, r->token, r->rows * sizeof *r->token, error);
	if (status == EH_OK)
		status = b->ops->upload(b->queue, s->tile, 0, r->tile, r->tile_count * sizeof *r->tile,
		                        error);
	return status == EH_OK ? upload(s, &s->oracle, error) : status;
}

static eh_status get_buffers(moe_state *s, eh_error *error)
{
	const moe_shape *shape = &s->plan.shape;
	const struct { eh_buffer **buffer; uint64_t bytes; } wanted[] = {
		{&s->x, x_bytes(shape)},
		{&s->w, shape->experts * w_bytes(shape)},
		{&s->y, support_padded(y_bytes(&s->plan))},
		{&s->token, s->route.rows * sizeof *s->route.token},
		{&s->tile, s->route.tile_count * sizeof *s->route.tile},
	};
	eh_status status = EH_OK;
	size_t i;
	for (i = 0; status == EH_OK && i < sizeof wanted / sizeof wanted[0]; i++)
		status = support_alloc(s->bench, EH_MEMORY_DEVICE, wanted[i].bytes, wanted[i].buffer,
		                       error);
	return status;
}

/* A product for each number of rows that experts have. */
static eh_status open_libraries(moe_state *s, eh_error *error)
{
	const moe_shape *shape = &s->plan.shape;
	const uint32_t *rows = s->plan.loads.rows;
	const uint64_t x_row = shape->k * support_element_bytes(shape->precision);
	const uint64_t y_row = shape->n * support_element_bytes(shape->output);
	eh_status status = EH_OK;
	uint32_t e;
	if (x_row % 16 != 0 || y_row % 16 != 0)
		return support_error(error, EH_E_UNSUPPORTED,
		                     "moe: libraries of products take matrices at multiples of 16 bytes, and a row "
		                     "of X has %" PRIu64 " bytes, of Y %" PRIu64
		                     "; such sizes have the tiers portable and tuned",
		                     x_row, y_row);
	for (e = 0; e < shape->experts && status == EH_OK; e++) {
		size_t i = 0;
		while (i < s->libraries && s->library_rows[i] != rows[e])
			i++;
		if (rows[e] == 0 || i < s->libraries)
			continue;
		s->library_rows[s->libraries] = rows[e];
		status = library_plan_layer(&s->library[s->libraries++], s->bench, rows[e], shape->n,
		                            shape->k, 0, shape->precision, shape->output, error);
	}
	if (status == EH_OK)
		status = library_share(s->library, s->libraries, error);
	if (status == EH_OK)
		status = support_alloc(s->bench, EH_MEMORY_DEVICE, s->plan.rows * x_row, &s->gathered, error);
	return status == EH_OK ? s->bench->ops->kernel_get(s->bench->program, "eh_gemm_gather", &s->gather, error)
	                       : status;
}

static eh_status make_state(moe_state *s, eh_error *error)
{
	const eh_bench *bench = s->bench;
	eh_status status = plan_case(bench->values, &s->plan, error);
	if (status != EH_OK)
		return status;
	status = moe_route_make(&s->route, &s->plan.loads, s->plan.tile_m);
	if (status == EH_OK)
		status = moe_oracle_make(&s->oracle, bench, &s->plan.shape, &s->route);
	if (status == EH_OK)
		s->got = malloc(y_bytes(&s->plan));
	if (s->got == NULL)
		return support_error(error, EH_E_NO_MEMORY, "moe: no host memory");
	if (library_wanted(bench))
		status = open_libraries(s, error);
	else
		status = bench->ops->kernel_get(bench->program, "eh_gemm_grouped", &s->kernel, error);
	if (status == EH_OK)
		status = get_buffers(s, error);
	return status == EH_OK ? set_variant(s, 0, error) : status;
}

static eh_status moe_prepare(const eh_bench *bench, void **state, eh_error *error)
{
	moe_state *s = calloc(1, sizeof *s);
	eh_status status;

	if (s == NULL)
		return support_error(error, EH_E_NO_MEMORY, "moe: no host memory");
	s->bench = bench;
	status = make_state(s, error);
	if (status != EH_OK) {
		moe_finish(s);
		return status;
	}
	*state = s;
	return EH_OK;
}

static eh_status enqueue_libraries(moe_state *s, eh_error *error)
{
	const moe_shape *shape = &s->plan.shape;
	const uint32_t *first = s->route.first;
	const uint64_t x_row = shape->k * support_element_bytes(shape->precision);
	const uint64_t y_row = shape->n * support_element_bytes(shape->output);
	const int32_t spans = (int32_t)(x_row / 16);
	const uint32_t groups[3] = {(uint32_t)s->route.rows, 1, 1};
	const eh_arg args[4] = {support_buffer(s->gathered), support_buffer(s->x), support_buffer(s->token),
	                        support_value(&spans, sizeof spans)};
	eh_status status = support_launch_local(s->bench, s->gather, groups, 64, 1, 0, args, 4, error);
	uint32_t e;
	for (e = 0; e < shape->experts && status == EH_OK; e++) {
		const uint32_t rows = first[e + 1] - first[e];
		const uint64_t at[3] = {first[e] * x_row, e * w_bytes(shape), first[e] * y_row};
		size_t i = 0;
		if (rows == 0)
			continue;
		while (s->library_rows[i] != rows)
			i++;
		status = library_enqueue_at(&s->library[i], s->gathered, s->w, s->y, at, error);
	}
	return status;
}

static eh_status moe_enqueue(void *state, uint64_t iteration, eh_error *error)
{
	moe_state *s = state;
	const moe_plan *p = &s->plan;
	const int32_t n = (int32_t)p->shape.n, k = (int32_t)p->shape.k;
	const eh_arg args[7] = {
		support_buffer(s->x), support_buffer(s->w), support_buffer(s->y),
		support_buffer(s->token), support_buffer(s->tile),
		support_value(&n, sizeof n), support_value(&k, sizeof k),
	};
	(void)iteration;
	if (s->libraries > 0)
		return enqueue_libraries(s, error);
	return support_launch(s->bench, s->kernel, (uint32_t)s->route.tile_count,
	                      (uint32_t)((p->shape.n + p->tile_n - 1) / p->tile_n), PRODUCT_SIDE,
	                      PRODUCT_SIDE, args, 7, error);
}

static eh_status moe_poison(void *state, eh_error *error)
{
	moe_state *s = state;
	return support_poison(s->bench, s->y, support_padded(y_bytes(&s->plan)), error);
}

static eh_status check_output(moe_state *s, moe_oracle *o, eh_check *check, eh_error *error)
{
	const eh_status status = support_fetch(s->bench, s->got, s->y, 0, y_bytes(&s->plan), error);
	if (status == EH_OK)
		moe_oracle_check(o, s->got, check);
	return status;
}

static eh_status moe_check(void *state, uint64_t iteration, eh_check *check, eh_error *error)
{
	moe_state *s = state;
	(void)iteration;
	return check_output(s, &s->oracle, check, error);
}

/* On crafted inputs of an oracle of their own, so that the normal ones need not be made again. */
static eh_status moe_selftest(void *state, eh_check *check, eh_error *error)
{
	moe_state *s = state;
	moe_oracle crafted;
	eh_status status;
	memset(&crafted, 0, sizeof crafted);
	status = moe_oracle_make(&crafted, s->bench, &s->plan.shape, &s->route);
	if (status == EH_OK) {
		moe_oracle_crafted(&crafted);
		status = upload(s, &crafted, error);
	} else
		status = support_error(error, status, "moe: no host memory");
	if (status == EH_OK)
		status = moe_poison(s, error);
	if (status == EH_OK)
		status = moe_enqueue(s, 0, error);
	if (status == EH_OK)
		status = check_output(s, &crafted, check, error);
	moe_oracle_free(&crafted);
	return status == EH_OK ? upload(s, &s->oracle, error) : status;
}

static eh_status moe_vary(void *state, uint32_t variant, eh_error *error)
{
	return set_variant(state, variant, error);
}

static eh_status moe_library(void *state, eh_layer *layer, eh_error *error)
{
	const moe_state *s = state;
	char name[MOE_EXPERTS][24];
	const char *names[MOE_EXPERTS];
	size_t i;
	for (i = 0; i < s->libraries; i++) {
		snprintf(name[i], sizeof name[i], "%" PRIu32 " rows", s->library_rows[i]);
		names[i] = name[i];
	}
	return library_layers(s->library, names, s->libraries, layer, error);
}

static const eh_workload moe_workload = {
	.magic = EH_WORKLOAD_MAGIC,
	.struct_size = sizeof(eh_workload),
	.abi_major = EH_ABI_MAJOR,
	.abi_minor = EH_ABI_MINOR,
	.pointer_bytes = sizeof(void *),
	.revision = 1,
	.name = "moe",
	.summary = "the grouped matrix product of a mixture of experts, with even and skewed loads",
	.params = moe_params,
	.describe = moe_describe,
	.prepare = moe_prepare,
	.selftest = moe_selftest,
	.enqueue = moe_enqueue,
	.poison = moe_poison,
	.check = moe_check,
	.vary = moe_vary,
	.finish = moe_finish,
	.library = moe_library,
	.flags = EH_WORKLOAD_SHARED,
	.checks = "exact on crafted inputs; then samples in every 128 rows against double precision within a "
	          "bound, and every row by random signs",
};

const eh_workload *eh_workload_entry_v1(void)
{
	return &moe_workload;
}
