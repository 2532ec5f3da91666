/* SPDX-License-Identifier: Apache-2.0 */
/*
 * block - a stack of transformer blocks as a language model has them: norms, products, rotary positions, a
 * KV cache, attention with shared KV heads and gated units, with synthetic weights.  Prefill reads a
 * prompt, decode makes one token for each sequence.
 *
 * This file has the parameters and the counts.  block_inputs.c makes the inputs, block_run.c launches,
 * block_check.c compares every operation of chosen layers with double precision.
 */
#include "block.h"

#define TOKENS_MAX 8      /* rows of x in one pass over W in decode                             */
#define GROUP_MAX 8       /* heads that one group decodes together                              */
#define SPLIT "512"       /* what the parameter is in prefill                                  */
#define ROWS_MAX 1048576
#define GRID_MAX 65535    /* groups along y of a launch                                        */
#define ITEMS_MAX (UINT64_C(1) << 31) /* work-items of a launch                                */

static const eh_param block_params[] = {
	{"mode", EH_PARAM_ENUM, 0, "decode", "prefill|decode", NULL,
	 "a prompt, or one token for each sequence"},
	{"precision", EH_PARAM_ENUM, 0, "bf16", "bf16|f16|f32", NULL,
	 "of weights, activations and the cache; arithmetic is in f32"},
	{"layers", EH_PARAM_UINT, 0, "4", "1..256", NULL, "blocks, each with its own weights"},
	{"hidden", EH_PARAM_UINT, 0, "1024", "8..65536", NULL, "width of the residual stream, a multiple of 8"},
	{"intermediate", EH_PARAM_UINT, 0, "3584", "8..262144", NULL,
	 "gates, and ups, of a block; a multiple of 8"},
	{"heads", EH_PARAM_UINT, 0, "16", "1..1024", NULL, "query heads"},
	{"kv-heads", EH_PARAM_UINT, 0, "4", "0..1024", NULL,
	 "heads of keys and values, a divisor of heads; 0 = as many"},
	{"head", EH_PARAM_ENUM, 0, "64", "64|128", NULL, "D, the elements of a query, key or value"},
	{"batch", EH_PARAM_UINT, 0, "1", "1..1024", NULL, "sequences"},
	{"tokens", EH_PARAM_UINT, 0, "0", "0..65535", NULL,
	 "new tokens of each sequence; 0 = 128, decode: 1"},
	{"context", EH_PARAM_UINT, 0, "512", "0..1048576", NULL,
	 "tokens of each sequence that are in the cache before"},
	{"vocabulary", EH_PARAM_UINT, 0, "0", "0..1048576", NULL,
	 "logits of each sequence's last token, a multiple of 8; 0 = none"},
	{"split", EH_PARAM_UINT, 0, SPLIT, "32..1048576", "256,512,1024,4096",
	 "keys per group of decode's attention; prefill has none"},
	{NULL, 0, 0, NULL, NULL, NULL, NULL},
};

uint64_t block_cache_row(const block_shape *s)
{
	return s->kv_heads * s->head;
}

uint64_t block_cache_sequence(const block_shape *s)
{
	return s->keys * block_cache_row(s);
}

/* ---- describing ------------------------------------------------------------------------------ */

static void derive_shape(block_shape *s)
{
	const uint64_t q = s->heads * s->head, qkv = q + 2 * s->kv_heads * s->head;
	const uint64_t n[BLOCK_PRODUCTS] = {qkv, s->hidden, 2 * s->intermediate, s->hidden, s->vocabulary};
	const uint64_t k[BLOCK_PRODUCTS] = {s->hidden, q, s->hidden, s->intermediate, s->hidden};
	const uint64_t width[BLOCK_STAGES] = {s->hidden, s->hidden, qkv, q, q, s->hidden, s->hidden,
	                                      2 * s->intermediate, s->intermediate, s->hidden};
	s->rows = s->batch * s->tokens;
	s->keys = s->context + s->tokens;
	memcpy(s->n, n, sizeof n);
	memcpy(s->k, k, sizeof k);
	memcpy(s->width, width, sizeof width);
}

static eh_status check_shape(const block_shape *s, eh_error *error)
{
	if (s->hidden % 8 != 0 || s->intermediate % 8 != 0 || s->vocabulary % 8 != 0)
		return support_error(error, EH_E_INVALID_ARGUMENT,
		                     "block: hidden=%" PRIu64 ", intermediate=%" PRIu64
		                     " and vocabulary=%" PRIu64 " must be multiples of 8",
		                     s->hidden, s->intermediate, s->vocabulary);
	if (s->heads % s->kv_heads != 0)
		return support_error(error, EH_E_INVALID_ARGUMENT,
		                     "block: kv-heads=%" PRIu64 " does not divide heads=%" PRIu64,
		                     s->kv_heads, s->heads);
	if (!s->prefill && s->tokens != 1)
		return support_error(error, EH_E_INVALID_ARGUMENT,
		                     "block: mode=decode makes one token for each sequence: leave tokens out, "
		                     "or take mode=prefill");
	if (s->rows > ROWS_MAX)
		return support_error(error, EH_E_INVALID_ARGUMENT,
		                     "block: batch=%" PRIu64 " times tokens=%" PRIu64 " is more than %d rows: take "
		                     "fewer sequences or tokens",
		                     s->batch, s->tokens, ROWS_MAX);
	if (s->batch * s->heads > GRID_MAX)
		return support_error(error, EH_E_INVALID_ARGUMENT,
		                     "block: batch=%" PRIu64 " times heads=%" PRIu64 " is more than %d groups: take "
		                     "fewer sequences or heads",
		                     s->batch, s->heads, GRID_MAX);
	if (s->rows * (s->heads + 2 * s->kv_heads) * (s->head / 2) > ITEMS_MAX)
		return support_error(error, EH_E_INVALID_ARGUMENT,
		                     "block: %" PRIu64 " rows of %" PRIu64 " + 2 * %" PRIu64 " heads of %" PRIu64
		                     " are more than 2^31 pairs to turn: take fewer sequences or tokens",
		                     s->rows, s->heads, s->kv_heads, s->head);
	return EH_OK;
}

static eh_status plan_shape(const eh_case *values, block_shape *s, eh_error *error)
{
	memset(s, 0, sizeof *s);
	snprintf(s->precision, sizeof s->precision, "%s", eh_case_text(values, "precision"));
	s->prefill = strcmp(eh_case_text(values, "mode"), "prefill") == 0;
	s->layers = support_positive(values, "layers");
	s->hidden = support_positive(values, "hidden");
	s->intermediate = support_positive(values, "intermediate");
	s->heads = support_positive(values, "heads");
	s->kv_heads = eh_case_number(values, "kv-heads");
	s->head = strcmp(eh_case_text(values, "head"), "128") == 0 ? 128 : 64;
	s->batch = support_positive(values, "batch");
	s->tokens = eh_case_number(values, "tokens");
	s->context = eh_case_number(values, "context");
	s->vocabulary = eh_case_number(values, "vocabulary");
	if (s->kv_heads == 0)
		s->kv_heads = s->heads;
	if (s->tokens == 0)
		s->tokens = s->prefill ? 128 : 1;
	derive_shape(s);
	return check_shape(s, error);
}

/* Tiles of as few rows as there are. */
static void plan_prefill(block_plan *p)
{
	const block_shape *s = &p->shape;
	for (p->rows = 8; p->rows > 1 && 8 * p->rows >= s->rows; p->rows /= 2)
		;
	/* As the kernel text has them: the tiles of x and W; of queries, keys and weights, and the sums. */
	p->product_local = UINT64_C(4) * 16 * (16 * p->rows + 8 + 128 + 8);
	p->attention_local = 4 * (s->head * (64 + 32) + 64 * 32 + 4 * 64);
}

static void plan_decode(const eh_case *values, block_plan *p)
{
	const block_shape *s = &p->shape;
	const uint64_t passes = (s->rows + TOKENS_MAX - 1) / TOKENS_MAX, share = s->heads / s->kv_heads;
	p->rows = 4;
	p->tokens = (s->rows + passes - 1) / passes;
	p->unroll = p->tokens <= 2 ? 4 : p->tokens <= 4 ? 2 : 1;
	for (p->group = share < GROUP_MAX ? share : GROUP_MAX; share % p->group != 0; p->group--)
		;
	p->split = support_positive(values, "split");
	p->splits = (s->keys + p->split - 1) / p->split;
	p->product_local = 4 * p->rows * p->tokens * 128;
	p->attention_local = 4 * (p->group * s->head + 256 * p->group + 32 * s->head + 2 * 256);
	p->part = 4 * s->batch * s->heads * p->splits * s->head;
	p->state = 8 * s->batch * s->heads * p->splits;
}

static eh_status plan_case(const eh_case *values, block_plan *p, eh_error *error)
{
	eh_status status;
	memset(p, 0, sizeof *p);
	status = plan_shape(values, &p->shape, error);
	if (status != EH_OK)
		return status;
	if (p->shape.prefill && strcmp(eh_case_text(values, "split"), SPLIT) != 0)
		return support_error(error, EH_E_INVALID_ARGUMENT,
		                     "block: split=%s belongs to mode=decode, not to mode=prefill; leave it out",
		                     eh_case_text(values, "split"));
	if (p->shape.prefill)
		plan_prefill(p);
	else
		plan_decode(values, p);
	return EH_OK;
}

/* Elements of the matrices of a layer, and of all matrices and norms. */
static uint64_t layer_elements(const block_shape *s)
{
	uint64_t sum = 0;
	int p;
	for (p = 0; p < BLOCK_TO_LOGITS; p++)
		sum += s->n[p] * s->k[p];
	return sum;
}

static uint64_t weight_elements(const block_shape *s)
{
	return s->layers * (layer_elements(s) + 2 * s->hidden) +
	       (s->vocabulary != 0 ? s->hidden * (s->vocabulary + 1) : 0);
}

/* Unique elements in and out: weights, the caches read and written, the tokens' activations, and the
 * output: activations, or logits of the last ones. */
static uint64_t counted_elements(const block_shape *s)
{
	const uint64_t out = s->vocabulary != 0 ? s->batch * s->vocabulary : s->rows * s->hidden;
	return weight_elements(s) + s->layers * 2 * s->batch * block_cache_sequence(s) +
	       s->rows * s->hidden + out;
}

static uint64_t device_elements(const block_shape *s)
{
	const uint64_t sets = s->layers > BLOCK_CHOSEN ? BLOCK_CHOSEN + 1 : s->layers;
	uint64_t row = 0;
	int i;
	for (i = 0; i < BLOCK_STAGES; i++)
		row += s->width[i];
	return weight_elements(s) + s->layers * 2 * s->batch * block_cache_sequence(s) +
	       s->rows * (sets * row + s->hidden) +
	       (s->vocabulary != 0 ? s->batch * (s->hidden + s->vocabulary) : 0);
}

static double count_flops(const block_shape *s)
{
	/* Token t of `tokens` sees context + t + 1 keys. */
	const double seen = (double)s->context + ((double)s->tokens + 1) / 2;
	const double attention = 4 * (double)(s->heads * s->head * s->rows) * seen;
	return (double)s->layers * (2 * (double)layer_elements(s) * (double)s->rows + attention) +
	       2 * (double)s->batch * (double)(s->hidden * s->vocabulary);
}

static void define_kernel(const block_plan *p, eh_work *work)
{
	const block_shape *s = &p->shape;
	const char *precision = s->precision;
	support_define(work, "EH_B_PRECISION", "%s",
	               precision[0] == 'b' ? "BF16" : strcmp(precision, "f16") == 0 ? "F16" : "F32");
	support_define(work, "EH_B_ELEMENT", strcmp(precision, "f32") == 0 ? "float" : "eh_%s", precision);
	support_define(work, "EH_B_HEAD", "%" PRIu64, s->head);
	/* 1 / sqrt(D), rounded to f32. */
	support_define(work, "EH_B_SCALE", "%s", s->head == 64 ? "0.125f" : "0.088388348f");
	support_define(work, "EH_B_HEADS", "%" PRIu64, s->heads);
	support_define(work, "EH_B_KV", "%" PRIu64, s->kv_heads);
	support_define(work, "EH_B_ROWS", "%" PRIu64, p->rows);
	if (s->prefill) {
		support_define(work, "EH_B_PREFILL", "1");
		return;
	}
	support_define(work, "EH_B_TOKENS", "%" PRIu64, p->tokens);
	support_define(work, "EH_B_UNROLL", "%" PRIu64, p->unroll);
	support_define(work, "EH_B_GROUP", "%" PRIu64, p->group);
}

static eh_status block_describe(const eh_case *values, eh_work *work, eh_error *error)
{
	block_plan p;
	const block_shape *s = &p.shape;
	uint64_t size;
	const eh_status status = plan_case(values, &p, error);
	if (status != EH_OK)
		return status;
	size = support_element_bytes(s->precision);
	support_work_clear(work);
	work->metric = EH_METRIC_SECONDS;
	work->region = EH_REGION_EXECUTION;
	work->amount = 1;
	work->flops = count_flops(s);
	work->working_set_bytes = size * counted_elements(s);
	work->bytes = (double)work->working_set_bytes;
	work->device_bytes = size * device_elements(s) + 4 * s->tokens * s->head + p.part + p.state;
	work->needs = support_needs(s->precision);
	work->group_items = 256;
	if (work->struct_size >= sizeof *work)
		work->local_bytes = p.product_local > p.attention_local ? p.product_local
		                                                        : p.attention_local;
	snprintf(work->precision, sizeof work->precision, size == 2 ? "%s/f32/%s" : "%s", s->precision,
	         s->precision);
	snprintf(work->flops_formula, sizeof work->flops_formula,
	         "2*W*B*T + 4*L*B*T*H*D*(C + (T+1)/2)%s", s->vocabulary != 0 ? " + 2*B*V*hidden" : "");
	snprintf(work->bytes_formula, sizeof work->bytes_formula,
	         s->vocabulary != 0 ? "s*(W + V*hidden + norms + 2*L*B*(C + T)*Hkv*D + B*T*hidden + B*V)"
	                            : "s*(W + norms + 2*L*B*(C + T)*Hkv*D + 2*B*T*hidden)");
	snprintf(work->kernel, sizeof work->kernel, "block");
	define_kernel(&p, work);
	return EH_OK;
}

/* ---- the workload --------------------------------------------------------------------------- */

static void block_finish(void *state)
{
	block_state *s = state;
	if (s == NULL)
		return;
	block_free(s);
	block_check_free(s);
	block_inputs_free(&s->inputs);
	free(s);
}

static eh_status make_state(block_state *s, eh_error *error)
{
	eh_status status = plan_case(s->bench->values, &s->plan, error);
	if (status != EH_OK)
		return status;
	status = block_inputs_make(&s->inputs, s->bench, &s->plan.shape);
	if (status == EH_OK)
		status = block_check_make(s);
	if (status != EH_OK)
		return support_error(error, status, "block: no host memory");
	block_inputs_vary(&s->inputs, 0);
	status = block_make(s, error);
	return status == EH_OK ? block_upload_variant(s, error) : status;
}

static eh_status block_prepare(const eh_bench *bench, void **state, eh_error *error)
{
	block_state *s = calloc(1, sizeof *s);
	eh_status status;

	if (s == NULL)
		return support_error(error, EH_E_NO_MEMORY, "block: no host memory");
	s->bench = bench;
	status = make_state(s, error);
	if (status != EH_OK) {
		block_finish(s);
		return status;
	}
	*state = s;
	return EH_OK;
}

static eh_status block_vary(void *state, uint32_t variant, eh_error *error)
{
	block_state *s = state;
	block_inputs_vary(&s->inputs, variant);
	block_choose(s, variant);
	return block_upload_variant(s, error);
}

static const eh_workload block_workload = {
	.magic = EH_WORKLOAD_MAGIC,
	.struct_size = sizeof(eh_workload),
	.abi_major = EH_ABI_MAJOR,
	.abi_minor = EH_ABI_MINOR,
	.pointer_bytes = sizeof(void *),
	.revision = 1,
	.name = "block",
	.summary = "a stack of transformer blocks with a KV cache: the time of a prompt, or of a token",
	.params = block_params,
	.describe = block_describe,
	.prepare = block_prepare,
	.enqueue = block_enqueue,
	.poison = block_poison,
	.check = block_check,
	.vary = block_vary,
	.finish = block_finish,
	.library = block_library,
	.flags = EH_WORKLOAD_SHARED,
	.checks = "every operation of three layers against double precision, from what the device gave it; "
	          "products also by signed sums, the cache bit by bit; of more than 2^26 elements in a layer "
	          "some rows",
};

const eh_workload *eh_workload_entry_v1(void)
{
	return &block_workload;
}
