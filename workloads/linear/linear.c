/* SPDX-License-Identifier: Apache-2.0 */
/*
 * linear - y = x W^T for few tokens: a linear layer as it is when a language model generates text.
 * W has 32 to 4 bits per element, the small formats with scales; x and y have 16 or 32, sums are f32.
 *
 * Gate A (selftest): elements of -1, 0 and 1 and scales of powers of two, so few that sums are exact.
 *
 * Gate B: normal inputs, quantised once; 4-bit codes and scales are uniform.  The elements of sampled
 * rows of W are compared with double precision, and all elements of each token, added up with random
 * signs, with x * (signs * W).
 */
#include "linear_oracle.h"
#include "../library.h"

#define TOKENS_MAX 8 /* in one pass over W, unless the case sets block */

static const eh_param linear_params[] = {
	{"weights", EH_PARAM_ENUM, 0, "bf16", "bf16|f16|f32|e4m3|i8|i4|mxfp4", NULL,
	 "of W; e4m3 and i8: an f32 scale per row; i4: a scale of x's type per 128; mxfp4: e2m1, a power of "
	 "two per 32"},
	{"precision", EH_PARAM_ENUM, 0, "standard", "standard|f32|f16|bf16", NULL,
	 "of x and y; standard = that of f32 and f16 weights, else bf16; sums are in f32"},
	{"m", EH_PARAM_UINT, 0, "1", "1..64", NULL, "tokens: rows of x and y"},
	{"n", EH_PARAM_UINT, 0, "4096", "1..1048576", NULL, "rows of W, columns of y"},
	{"k", EH_PARAM_UINT, 0, "4096", "1..1048576", NULL,
	 "columns of W and x; of i4 a multiple of 128, of mxfp4 of 32"},
	{"rows", EH_PARAM_UINT, 0, "4", "1..8", "2,4,8", "rows of W per group"},
	{"block", EH_PARAM_UINT, 0, "0", "0..16", "4,16",
	 "tokens in one pass over a group's rows; 0 = up to 8, evenly"},
	{"items", EH_PARAM_UINT, 0, "0", "0..512", "128,256",
	 "work-items per group, a multiple of 16, which share K; 0 = 128, or fewer for short rows"},
	{"unroll", EH_PARAM_UINT, 0, "0", "0..8", "1,4",
	 "reads of each row that a work-item has under way, of 16 bytes, of f32 32, in large blocks of small "
	 "formats 8; 0 = 4, in larger blocks and for short rows fewer; no effect on the host"},
	{NULL, 0, 0, NULL, NULL, NULL, NULL},
};

/* What follows from a case. */
typedef struct linear_plan {
	linear_shape shape;
	uint64_t rows, block, items, unroll;
	uint64_t groups;
	int wide;                  /* W and x are read in 16 bytes                               */
} linear_plan;

typedef struct linear_state {
	const eh_bench *bench;
	linear_plan plan;
	linear_oracle oracle;
	eh_kernel *kernel;         /* of the portable and the tuned tier                         */
	library_product library;   /* of the vendor tier                                         */
	eh_buffer *x, *w, *scales, *y;
	unsigned char *got;        /* the whole of y                                             */
} linear_state;

/* ---- describing ------------------------------------------------------------------------------ */

static eh_status plan_shape(linear_shape *s, const eh_case *values, eh_error *error)
{
	const char *precision = eh_case_text(values, "precision");
	memset(s, 0, sizeof *s);
	s->format = linear_format_of((enum linear_kind)eh_case_value(values, "weights")->number);
	s->m = support_positive(values, "m");
	s->n = support_positive(values, "n");
	s->k = support_positive(values, "k");
	if (strcmp(precision, "standard") == 0)
		precision = s->format->name[0] == 'f' ? s->format->name : "bf16";
	snprintf(s->precision, sizeof s->precision, "%s", precision);
	if (s->format->group != 0 && s->k % s->format->group != 0)
		return support_error(error, EH_E_INVALID_ARGUMENT,
		                     "linear: k=%" PRIu64 " is not a multiple of %" PRIu64
		                     ", which share a scale in weights=%s",
		                     s->k, s->format->group, eh_case_text(values, "weights"));
	return EH_OK;
}

/* Elements of a row in 16 bytes, of f32 in 32: what a step of a work-item is made of on a device. */
static uint64_t take_of(const linear_shape *s)
{
	return s->format->bits > 16 ? 8 : 128 / s->format->bits;
}

static eh_status plan_case(const eh_case *values, linear_plan *p, eh_error *error)
{
	linear_shape *s = &p->shape;
	uint64_t takes, passes;
	const eh_status status = plan_shape(s, values, error);
	if (status != EH_OK)
		return status;
	p->rows = support_positive(values, "rows");
	p->block = eh_case_number(values, "block");
	p->items = eh_case_number(values, "items");
	p->unroll = eh_case_number(values, "unroll");
	p->wide = s->k % take_of(s) == 0;
	p->groups = (s->n + p->rows - 1) / p->rows;
	if (p->items % 16 != 0)
		return support_error(error, EH_E_INVALID_ARGUMENT,
		                     "linear: items=%" PRIu64 " is not a multiple of 16", p->items);
	/* As many passes as there must be, and as even as they can be. */
	passes = (s->m + TOKENS_MAX - 1) / TOKENS_MAX;
	if (p->block == 0 || p->block > s->m)
		p->block = p->block > s->m ? s->m : (s->m + passes - 1) / passes;
	takes = p->wide ? s->k / take_of(s) : s->k;
	if (p->items == 0)
		for (p->items = 128; p->items > 16 && p->items / 2 >= takes; p->items /= 2)
			;
	if (p->unroll == 0)
		for (p->unroll = p->block <= 2 ? 4 : p->block <= 4 ? 2 : 1;
		     p->unroll > 1 && takes % (p->items * p->unroll) != 0; p->unroll /= 2)
			;
	return EH_OK;
}

/* A format's name in the dialect. */
static void define_format(eh_work *work, const char *name, const char *precision)
{
	char word[8] = {0};
	size_t i;
	for (i = 0; i + 1 < sizeof word && precision[i] != '\0'; i++)
		word[i] = (char)(precision[i] >= 'a' ? precision[i] - 'a' + 'A' : precision[i]);
	support_define(work, name, "%s", word);
}

static void define_types(const linear_shape *s, eh_work *work)
{
	support_define(work, "EH_W_BITS", "%" PRIu32, s->format->bits);
	support_define(work, "EH_W_GROUP", "%" PRIu64, s->format->group);
	define_format(work, "EH_W_FORMAT", s->format->name);
	define_format(work, "EH_W_SCALE", s->format->group == 0 ? "f32" : linear_scale_precision(s));
	define_format(work, "EH_W_PRECISION", s->precision);
	support_define(work, "EH_W_X_BYTES", "%" PRIu32, support_element_bytes(s->precision));
}

static void describe_bytes(const linear_shape *s, eh_work *work)
{
	static const char *const of_weights[] = {"N*K/2", "N*K", "2*N*K", "4*N*K"};
	const uint32_t bits = s->format->bits;
	const char *weights = of_weights[bits == 4 ? 0 : bits == 8 ? 1 : bits == 16 ? 2 : 3];
	const uint64_t element = support_element_bytes(s->precision);
	const uint64_t scales = linear_scales(s) * linear_scale_bytes(s);
	char of_scales[32] = "";
	work->working_set_bytes = linear_weight_bytes(s) + scales + element * s->m * (s->k + s->n);
	work->bytes = (double)work->working_set_bytes;
	work->device_bytes = work->working_set_bytes + 16;
	if (s->format->group == 1)
		snprintf(of_scales, sizeof of_scales, " + 4*N");
	else if (s->format->group != 0)
		snprintf(of_scales, sizeof of_scales, " + %sN*K/%" PRIu64,
		         s->format->scale == NULL ? "s*" : "", s->format->group);
	snprintf(work->bytes_formula, sizeof work->bytes_formula, "%s%s + s*(M*K + M*N)", weights, of_scales);
}

static eh_status linear_describe(const eh_case *values, eh_work *work, eh_error *error)
{
	linear_plan p;
	const linear_shape *s = &p.shape;
	const eh_status status = plan_case(values, &p, error);
	if (status != EH_OK)
		return status;
	support_work_clear(work);
	work->metric = EH_METRIC_BYTES_PER_SECOND;
	work->region = EH_REGION_EXECUTION;
	describe_bytes(s, work);
	work->amount = work->bytes;
	work->flops = 2 * (double)s->m * (double)s->n * (double)s->k;
	work->needs = support_needs(s->precision) | support_needs(s->format->name);
	work->group_items = p.items;
	if (work->struct_size >= sizeof *work)
		work->local_bytes = 4 * p.rows * p.block * p.items;
	if (s->format->bits == 32 && strcmp(s->precision, "f32") == 0)
		snprintf(work->precision, sizeof work->precision, "f32");
	else
		snprintf(work->precision, sizeof work->precision, "%.5s/f32/%.4s",
		         eh_case_text(values, "weights"), s->precision);
	snprintf(work->flops_formula, sizeof work->flops_formula, "2*M*N*K");
	snprintf(work->kernel, sizeof work->kernel, "linear");
	define_types(s, work);
	support_define(work, "EH_W_K", "%" PRIu64, s->k);
	support_define(work, "EH_W_ROWS", "%" PRIu64, p.rows);
	support_define(work, "EH_W_TOKENS", "%" PRIu64, p.block);
	support_define(work, "EH_W_ITEMS", "%" PRIu64, p.items);
	support_define(work, "EH_W_UNROLL", "%" PRIu64, p.unroll);
	support_define(work, "EH_W_WIDE", "%d", p.wide);
	if (s->n % p.rows != 0)
		support_define(work, "EH_W_TAIL_N", "1");
	if (s->m % p.block != 0)
		support_define(work, "EH_W_TAIL_M", "1");
	return EH_OK;
}

/* ---- the workload --------------------------------------------------------------------------- */

static void linear_finish(void *state)
{
	linear_state *s = state;
	if (s == NULL)
		return;
	library_close(&s->library);
	support_free(s->bench, s->x);
	support_free(s->bench, s->w);
	support_free(s->bench, s->scales);
	support_free(s->bench, s->y);
	linear_oracle_free(&s->oracle);
	free(s->got);
	free(s);
}

static uint64_t y_bytes(const linear_state *s)
{
	return s->plan.shape.m * s->plan.shape.n * s->oracle.element;
}

static eh_status upload(linear_state *s, const linear_oracle *o, eh_error *error)
{
	const linear_shape *shape = &o->shape;
	const uint32_t scale = linear_scale_bytes(shape);
	eh_status status = support_upload_repeated(s->bench, s->x, shape->m * shape->k * o->element, o->x,
	                                           o->x_count * o->element, error);
	if (status == EH_OK)
		status = support_upload_repeated(s->bench, s->w, linear_weight_bytes(shape), o->w,
		                                 o->w_count * o->stored, error);
	if (status == EH_OK && s->scales != NULL)
		status = support_upload_repeated(s->bench, s->scales, linear_scales(shape) * scale,
		                                 o->scale, o->scale_count * scale, error);
	return status;
}

static eh_status get_buffers(linear_state *s, eh_error *error)
{
	const linear_shape *shape = &s->plan.shape;
	const uint64_t scales = linear_scales(shape) * linear_scale_bytes(shape);
	eh_status status = support_alloc(s->bench, EH_MEMORY_DEVICE,
	                                 shape->m * shape->k * s->oracle.element, &s->x, error);
	if (status == EH_OK)
		status = support_alloc(s->bench, EH_MEMORY_DEVICE, linear_weight_bytes(shape), &s->w,
		                       error);
	if (status == EH_OK && scales != 0)
		status = support_alloc(s->bench, EH_MEMORY_DEVICE, scales, &s->scales, error);
	if (status == EH_OK)
		status = support_alloc(s->bench, EH_MEMORY_DEVICE, support_padded(y_bytes(s)), &s->y, error);
	return status;
}

/* Asks the backend's library for y = x W^T. */
static eh_status plan_library(linear_state *s, eh_error *error)
{
	const linear_shape *shape = &s->plan.shape;
	eh_status status;
	if (strcmp(shape->format->name, shape->precision) != 0)
		return support_error(error, EH_E_UNSUPPORTED,
		                     "linear: libraries of products take W and x in one format; weights=%s "
		                     "with tokens of %s has the tiers portable and tuned",
		                     eh_case_text(s->bench->values, "weights"), shape->precision);
	status = library_plan_layer(&s->library, s->bench, shape->m, shape->n, shape->k, 0, shape->precision,
	                            shape->precision, error);
	return status == EH_OK ? library_share(&s->library, 1, error) : status;
}

static eh_status make_state(linear_state *s, eh_error *error)
{
	const eh_bench *bench = s->bench;
	eh_status status = plan_case(bench->values, &s->plan, error);
	if (status != EH_OK)
		return status;
	status = linear_oracle_make(&s->oracle, bench, &s->plan.shape);
	if (status == EH_OK)
		s->got = malloc(y_bytes(s));
	if (s->got == NULL)
		return support_error(error, EH_E_NO_MEMORY, "linear: no host memory");
	if (library_wanted(bench))
		status = plan_library(s, error);
	else
		status = bench->ops->kernel_get(bench->program, "eh_linear", &s->kernel, error);
	if (status == EH_OK)
		status = get_buffers(s, error);
	if (status == EH_OK) {
		linear_oracle_normal(&s->oracle, 0);
		status = upload(s, &s->oracle, error);
	}
	return status;
}

static eh_status linear_prepare(const eh_bench *bench, void **state, eh_error *error)
{
	linear_state *s = calloc(1, sizeof *s);
	eh_status status;

	if (s == NULL)
		return support_error(error, EH_E_NO_MEMORY, "linear: no host memory");
	s->bench = bench;
	status = make_state(s, error);
	if (status != EH_OK) {
		linear_finish(s);
		return status;
	}
	*state = s;
	return EH_OK;
}

static eh_status linear_enqueue(void *state, uint64_t iteration, eh_error *error)
{
	linear_state *s = state;
	const linear_plan *p = &s->plan;
	const int32_t n = (int32_t)p->shape.n, m = (int32_t)p->shape.m;
	/* A kernel without scales leaves their place alone. */
	const eh_arg args[6] = {
		support_buffer(s->w), support_buffer(s->scales != NULL ? s->scales : s->w),
		support_buffer(s->x), support_buffer(s->y),
		support_value(&n, sizeof n), support_value(&m, sizeof m),
	};
	(void)iteration;
	if (s->library.plan != NULL)
		return library_enqueue(&s->library, s->x, s->w, s->y, error);
	return support_launch(s->bench, s->kernel, (uint32_t)p->groups, 1, 16, (uint32_t)(p->items / 16),
	                      args, 6, error);
}

static eh_status linear_poison(void *state, eh_error *error)
{
	linear_state *s = state;
	return support_poison(s->bench, s->y, support_padded(y_bytes(s)), error);
}

static eh_status check_output(linear_state *s, linear_oracle *o, eh_check *check, eh_error *error)
{
	const eh_status status = support_fetch(s->bench, s->got, s->y, 0, y_bytes(s), error);
	if (status == EH_OK)
		linear_oracle_check(o, s->got, check);
	return status;
}

static eh_status linear_check(void *state, uint64_t iteration, eh_check *check, eh_error *error)
{
	linear_state *s = state;
	(void)iteration;
	return check_output(s, &s->oracle, check, error);
}

/* On crafted inputs of an oracle of their own, so that the normal ones need not be made again. */
static eh_status linear_selftest(void *state, eh_check *check, eh_error *error)
{
	linear_state *s = state;
	linear_oracle crafted;
	eh_status status;
	memset(&crafted, 0, sizeof crafted);
	status = linear_oracle_make(&crafted, s->bench, &s->plan.shape);
	if (status == EH_OK) {
		linear_oracle_crafted(&crafted);
		status = upload(s, &crafted, error);
	} else
		status = support_error(error, status, "linear: no host memory");
	if (status == EH_OK)
		status = linear_poison(s, error);
	if (status == EH_OK)
		status = linear_enqueue(s, 0, error);
	if (status == EH_OK)
		status = check_output(s, &crafted, check, error);
	linear_oracle_free(&crafted);
	return status == EH_OK ? upload(s, &s->oracle, error) : status;
}

static eh_status linear_vary(void *state, uint32_t variant, eh_error *error)
{
	linear_state *s = state;
	linear_oracle_normal(&s->oracle, variant);
	return upload(s, &s->oracle, error);
}

static eh_status linear_library(void *state, eh_layer *layer, eh_error *error)
{
	return library_layer(&((linear_state *)state)->library, layer, error);
}

static const eh_workload linear_workload = {
	.magic = EH_WORKLOAD_MAGIC,
	.struct_size = sizeof(eh_workload),
	.abi_major = EH_ABI_MAJOR,
	.abi_minor = EH_ABI_MINOR,
	.pointer_bytes = sizeof(void *),
	.revision = 1,
	.name = "linear",
	.summary = "a linear layer for few tokens: weights of 32 to 4 bits, read once for up to 8 tokens",
	.params = linear_params,
	.describe = linear_describe,
	.prepare = linear_prepare,
	.selftest = linear_selftest,
	.enqueue = linear_enqueue,
	.poison = linear_poison,
	.check = linear_check,
	.vary = linear_vary,
	.finish = linear_finish,
	.library = linear_library,
	.checks = "exact on crafted inputs; then 64 rows of W against double precision within a bound, and "
	          "every token by random signs",
};

const eh_workload *eh_workload_entry_v1(void)
{
	return &linear_workload;
}
