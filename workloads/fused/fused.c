/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fused - the memory-bound operations of language models: rmsnorm, the same with a residual, swiglu,
 * rope, softmax.  Any number of tokens and any width; the kernel guards what its groups do not fill.
 */
#include "fused_oracle.h"

#define MAX_BUFFERS 5

static const eh_param fused_params[] = {
	{"operation", EH_PARAM_ENUM, 0, "rmsnorm", "rmsnorm|rmsnorm-residual|swiglu|rope|softmax", NULL,
	 "y=x/rms(x)*w, the same of x+residual which is stored too, silu(gate)*up, rotary embedding, softmax"},
	{"precision", EH_PARAM_ENUM, 0, "f32", "f32|f16|bf16", NULL,
	 "of the elements; arithmetic is in f32"},
	{"tokens", EH_PARAM_UINT, 0, "4096", "1..16777216", NULL, "rows"},
	{"width", EH_PARAM_UINT, 0, "4096", "1..4194304", NULL, "elements per row; rope has its heads"},
	{"heads", EH_PARAM_UINT, 0, "32", "1..1024", NULL, "rope: heads of q"},
	{"kv-heads", EH_PARAM_UINT, 0, "8", "0..1024", NULL, "rope: heads of k"},
	{"head-dim", EH_PARAM_UINT, 0, "128", "2..512", NULL, "rope: elements per head, even"},
	{"items", EH_PARAM_UINT, 0, "0", "0..64", "4,8,16,32",
	 "swiglu, rope: elements per work-item; 0 = 16 bytes"},
	{"group", EH_PARAM_UINT, 0, "0", "0..1024", "64,128,256,512,1024",
	 "work-items per group, a multiple of 16; 0 = 256, or fewer for short rows"},
	{NULL, 0, 0, NULL, NULL, NULL, NULL},
};

/* What follows from a case. */
typedef struct fused_shape {
	enum fused_operation operation;
	uint64_t tokens, width;       /* of rope half a head                                    */
	uint64_t heads, head_dim;     /* rope: all heads                                        */
	uint64_t items, group, rows;  /* group: work-items along x, rows along y                */
	uint64_t groups;
	uint32_t size, wide;          /* bytes of an element; whether memory is taken in spans   */
	int guard;
} fused_shape;

typedef struct fused_state {
	const eh_bench *bench;
	fused_shape shape;
	fused_oracle oracle;
	eh_kernel *kernel;
	eh_buffer *in[ORACLE_INPUTS], *out[2];
	unsigned char *got;           /* a downloaded chunk                                     */
} fused_state;

/* ---- describing ------------------------------------------------------------------------------ */

static eh_status shape_of_rows(fused_shape *p, const eh_case *values, eh_error *error)
{
	const uint64_t span = p->wide ? 16 / p->size : 1;
	if (p->items != 0)
		return support_error(error, EH_E_INVALID_ARGUMENT,
		                     "fused: operation=%s has items=%" PRIu64
		                     " and takes none: a group has a row",
		                     eh_case_text(values, "operation"), p->items);
	if (p->group == 0)
		for (p->group = 32; p->group < 256 && p->group * 4 * span < p->width; p->group *= 2)
			;
	p->groups = p->tokens;
	return EH_OK;
}

static eh_status shape_of_swiglu(fused_shape *p)
{
	const uint64_t elements = p->tokens * p->width;
	uint64_t piece;
	p->items = p->items == 0 ? 16 / p->size : p->items;
	p->group = p->group == 0 ? 256 : p->group;
	/* Buffers end on whole spans, so that any number of elements is taken in spans. */
	p->wide = p->items % (16 / p->size) == 0;
	piece = p->group * p->items;
	p->groups = (elements + piece - 1) / piece;
	p->guard = elements % piece != 0;
	return EH_OK;
}

static eh_status shape_of_rope(fused_shape *p, const eh_case *values, eh_error *error)
{
	const uint64_t half = p->head_dim / 2, span = 16 / p->size, all = p->tokens * p->heads;
	const uint64_t most = p->group == 0 ? 256 : p->group;
	if (p->head_dim % 2 != 0)
		return support_error(error, EH_E_INVALID_ARGUMENT,
		                     "fused: head-dim=%" PRIu64 " is odd, and rope turns pairs",
		                     p->head_dim);
	p->width = half;
	if (p->items == 0)
		p->items = half % span == 0 ? span : 1;
	if (half % p->items != 0 || half / p->items > most)
		return support_error(error, EH_E_INVALID_ARGUMENT,
		                     "fused: head-dim=%" PRIu64 " has %" PRIu64 " pairs, which items=%"
		                     PRIu64 " does not divide into at most group=%" PRIu64
		                     " work-items",
		                     p->head_dim, half, p->items, most);
	if (all > INT32_MAX)
		return support_error(error, EH_E_INVALID_ARGUMENT,
		                     "fused: tokens=%s makes more than 2^31 heads",
		                     eh_case_text(values, "tokens"));
	p->wide = p->items % span == 0;
	p->group = half > p->items ? half / p->items : 1;
	p->rows = most / p->group;
	p->groups = (all + p->rows - 1) / p->rows;
	p->guard = all % p->rows != 0;
	return EH_OK;
}

static eh_status shape_of(fused_shape *p, const eh_case *values, eh_error *error)
{
	eh_status status;
	memset(p, 0, sizeof *p);
	p->operation = (enum fused_operation)eh_case_value(values, "operation")->number;
	p->size = support_element_bytes(eh_case_text(values, "precision"));
	p->tokens = eh_case_number(values, "tokens");
	p->width = eh_case_number(values, "width");
	p->head_dim = eh_case_number(values, "head-dim");
	p->heads = eh_case_number(values, "heads") + eh_case_number(values, "kv-heads");
	p->items = eh_case_number(values, "items");
	p->group = eh_case_number(values, "group");
	p->rows = 1;
	p->wide = p->width % (16 / p->size) == 0;
	if (p->group % 16 != 0)
		return support_error(error, EH_E_INVALID_ARGUMENT,
		                     "fused: group=%" PRIu64 " is not a multiple of 16", p->group);
	status = p->operation == SWIGLU ? shape_of_swiglu(p)
	         : p->operation == ROPE ? shape_of_rope(p, values, error)
	                                : shape_of_rows(p, values, error);
	if (status == EH_OK && p->groups > INT32_MAX)
		return support_error(error, EH_E_INVALID_ARGUMENT,
		                     "fused: tokens=%s makes more than 2^31 work-groups; take more items",
		                     eh_case_text(values, "tokens"));
	return status;
}

static eh_status fused_describe(const eh_case *values, eh_work *work, eh_error *error)
{
	static const char *const bytes[] = {"2*T*H*s + H*s", "4*T*H*s + H*s", "3*T*I*s",
	                                    "2*T*(Hq+Hk)*D*s + T*D*s", "2*T*H*s"};
	static const char *const flops[] = {"4*T*H", "5*T*H", "", "3*T*(Hq+Hk)*D", ""};
	static const double arrays[] = {2, 4, 3, 2, 2}, per_element[] = {4, 5, 0, 3, 0};
	const char *precision = eh_case_text(values, "precision");
	const char *upper = strcmp(precision, "f16") == 0 ? "F16" : "BF16";
	fused_shape p;
	double elements, beside;
	const eh_status status = shape_of(&p, values, error);
	if (status != EH_OK)
		return status;

	elements = (double)p.tokens * (double)(p.operation == ROPE ? p.heads * p.head_dim : p.width);
	/* The weights, or the table. */
	beside = p.operation == ROPE                           ? (double)(p.tokens * p.head_dim)
	         : p.operation == SWIGLU || p.operation == SOFTMAX ? 0
	                                                       : (double)p.width;
	support_work_clear(work);
	work->metric = EH_METRIC_BYTES_PER_SECOND;
	work->region = EH_REGION_EXECUTION;
	work->bytes = (arrays[p.operation] * elements + beside) * p.size;
	work->flops = per_element[p.operation] * elements;
	work->amount = work->bytes;
	work->needs = support_needs(precision);
	work->working_set_bytes = (uint64_t)work->bytes;
	/* Every buffer ends on whole 16 bytes. */
	work->device_bytes = work->working_set_bytes + MAX_BUFFERS * 16;
	work->group_items = p.group * p.rows;
	snprintf(work->precision, sizeof work->precision, p.size == 2 ? "%s/f32/%s" : "%s", precision,
	         precision);
	snprintf(work->bytes_formula, sizeof work->bytes_formula, "%s", bytes[p.operation]);
	snprintf(work->flops_formula, sizeof work->flops_formula, "%s", flops[p.operation]);
	snprintf(work->kernel, sizeof work->kernel, "fused");
	support_define(work, "EH_U_OPERATION", "%d", (int)p.operation);
	support_define(work, "EH_U_PRECISION", "%s", p.size == 4 ? "F32" : upper);
	support_define(work, "EH_U_ELEMENT", p.size == 4 ? "float" : "eh_%s", precision);
	support_define(work, "EH_U_WIDE", "%" PRIu32, p.wide);
	support_define(work, "EH_U_GROUP", "%" PRIu64, p.group);
	if (p.operation == SWIGLU || p.operation == ROPE) {
		support_define(work, "EH_U_ITEMS", "%" PRIu64, p.items);
		support_define(work, "EH_U_GUARD", "%d", p.guard);
	}
	if (p.operation != SWIGLU)
		support_define(work, "EH_U_WIDTH", "%" PRIu64, p.width);
	if (p.operation == ROPE) {
		support_define(work, "EH_U_ROWS", "%" PRIu64, p.rows);
		support_define(work, "EH_U_HEADS", "%" PRIu64, p.heads);
	}
	return EH_OK;
}

/* ---- the workload --------------------------------------------------------------------------- */

static void fused_finish(void *state)
{
	fused_state *s = state;
	int i;
	if (s == NULL)
		return;
	for (i = 0; i < ORACLE_INPUTS; i++)
		support_free(s->bench, s->in[i]);
	for (i = 0; i < 2; i++)
		support_free(s->bench, s->out[i]);
	fused_oracle_free(&s->oracle);
	free(s->got);
	free(s);
}

/* The bytes of a buffer of so many elements, which spans may be taken of. */
static uint64_t padded(const fused_state *s, uint64_t elements)
{
	return (elements * s->oracle.element + 15) & ~UINT64_C(15);
}

static uint64_t out_elements(const fused_state *s)
{
	return s->oracle.rows * s->oracle.width;
}

static eh_status fused_upload(fused_state *s, const fused_oracle *o, eh_error *error)
{
	eh_status status = EH_OK;
	uint32_t i;
	for (i = 0; i < o->inputs && status == EH_OK; i++)
		status = support_upload_repeated(s->bench, s->in[i], o->in[i].count * o->element,
		                                 o->in[i].block, o->in[i].period * o->element,
		                                 error);
	return status;
}

static eh_status fused_prepare(const eh_bench *bench, void **state, eh_error *error)
{
	fused_state *s = calloc(1, sizeof *s);
	fused_oracle *o;
	eh_status status;
	uint32_t i;

	if (s == NULL)
		return support_error(error, EH_E_NO_MEMORY, "fused: no host memory");
	s->bench = bench;
	o = &s->oracle;
	status = fused_oracle_make(o, bench, 0);
	s->got = malloc(SUPPORT_CHUNK);
	if (status != EH_OK || s->got == NULL)
		status = support_error(error, EH_E_NO_MEMORY, "fused: no host memory");
	else
		status = shape_of(&s->shape, bench->values, error);
	if (status == EH_OK)
		status = bench->ops->kernel_get(bench->program, "eh_fused", &s->kernel, error);
	for (i = 0; i < o->inputs && status == EH_OK; i++)
		status = support_alloc(bench, EH_MEMORY_DEVICE, padded(s, o->in[i].count), &s->in[i],
		                       error);
	for (i = 0; i < o->outputs && status == EH_OK; i++)
		status = support_alloc(bench, EH_MEMORY_DEVICE, padded(s, out_elements(s)),
		                       &s->out[i], error);
	if (status == EH_OK) {
		fused_oracle_fill(o, 0);
		status = fused_upload(s, o, error);
	}
	if (status != EH_OK) {
		fused_finish(s);
		return status;
	}
	*state = s;
	return EH_OK;
}

static eh_status launch(fused_state *s, const fused_oracle *o, eh_error *error)
{
	const fused_shape *p = &s->shape;
	const int64_t elements = (int64_t)out_elements(s);
	const int32_t heads = (int32_t)(p->tokens * p->heads);
	eh_arg args[MAX_BUFFERS + 1];
	uint32_t count = 0, i;

	for (i = 0; i < o->outputs; i++)
		args[count++] = support_buffer(s->out[i]);
	for (i = 0; i < o->inputs; i++)
		args[count++] = support_buffer(s->in[i]);
	if (p->operation == SWIGLU)
		args[count++] = support_value(&elements, sizeof elements);
	else if (p->operation == ROPE)
		args[count++] = support_value(&heads, sizeof heads);
	else if (p->operation != SOFTMAX)
		args[count++] = support_value(&o->eps, sizeof o->eps);
	return support_launch(s->bench, s->kernel, (uint32_t)p->groups, 1, (uint32_t)p->group,
	                      (uint32_t)p->rows, args, count, error);
}

static eh_status fused_enqueue(void *state, uint64_t iteration, eh_error *error)
{
	fused_state *s = state;
	(void)iteration;
	return launch(s, &s->oracle, error);
}

static eh_status fused_poison(void *state, eh_error *error)
{
	fused_state *s = state;
	eh_status status = EH_OK;
	uint32_t i;
	for (i = 0; i < s->oracle.outputs && status == EH_OK; i++)
		status = support_poison(s->bench, s->out[i], padded(s, out_elements(s)), error);
	return status;
}

static eh_status check_outputs(fused_state *s, fused_oracle *o, uint64_t iteration,
                               eh_check *check, eh_error *error)
{
	const uint64_t elements = out_elements(s), step = SUPPORT_CHUNK / o->element;
	uint64_t first;
	uint32_t i;
	fused_oracle_begin(o, check);
	for (i = 0; i < o->outputs; i++)
		for (first = 0; first < elements; first += step) {
			const uint64_t n = elements - first < step ? elements - first : step;
			const eh_status status =
				support_fetch(s->bench, s->got, s->out[i], first * o->element,
				              n * o->element, error);
			if (status != EH_OK)
				return status;
			fused_oracle_compare(o, i, first, s->got, n, iteration, check);
		}
	fused_oracle_end(o, check);
	return EH_OK;
}

static eh_status fused_check(void *state, uint64_t iteration, eh_check *check, eh_error *error)
{
	fused_state *s = state;
	return check_outputs(s, &s->oracle, iteration, check, error);
}

/* On crafted inputs of an oracle of their own, so that the normal ones need not be made again. */
static eh_status fused_selftest(void *state, eh_check *check, eh_error *error)
{
	fused_state *s = state;
	fused_oracle *crafted = malloc(sizeof *crafted);
	eh_status status;
	if (crafted == NULL)
		return support_error(error, EH_E_NO_MEMORY, "fused: no host memory");
	status = fused_oracle_make(crafted, s->bench, 1);
	if (status == EH_OK) {
		fused_oracle_fill(crafted, 0);
		status = fused_upload(s, crafted, error);
	} else
		status = support_error(error, status, "fused: no host memory");
	if (status == EH_OK)
		status = fused_poison(s, error);
	if (status == EH_OK)
		status = launch(s, crafted, error);
	if (status == EH_OK)
		status = check_outputs(s, crafted, 0, check, error);
	fused_oracle_free(crafted);
	free(crafted);
	return status == EH_OK ? fused_upload(s, &s->oracle, error) : status;
}

static eh_status fused_vary(void *state, uint32_t variant, eh_error *error)
{
	fused_state *s = state;
	fused_oracle_fill(&s->oracle, variant);
	return fused_upload(s, &s->oracle, error);
}

static const eh_workload fused_workload = {
	.magic = EH_WORKLOAD_MAGIC,
	.struct_size = sizeof(eh_workload),
	.abi_major = EH_ABI_MAJOR,
	.abi_minor = EH_ABI_MINOR,
	.pointer_bytes = sizeof(void *),
	.revision = 1,
	.name = "fused",
	.summary = "fused operations of language models: rmsnorm, swiglu, rope, softmax",
	.params = fused_params,
	.describe = fused_describe,
	.prepare = fused_prepare,
	.selftest = fused_selftest,
	.enqueue = fused_enqueue,
	.poison = fused_poison,
	.check = fused_check,
	.vary = fused_vary,
	.finish = fused_finish,
	.checks = "every element against double precision, of more than 2^25 in sampled rows; exactly on "
	          "crafted inputs",
};

const eh_workload *eh_workload_entry_v1(void)
{
	return &fused_workload;
}
