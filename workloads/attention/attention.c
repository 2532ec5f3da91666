/* SPDX-License-Identifier: Apache-2.0 */
/*
 * attention - O = softmax(Q K^T / sqrt(D)) V in one pass over the keys, or as three kernels with the
 * scores in memory; or for one query of each head, as in the decoding of a language model; or by the library of
 * the backend (the vendor tier).
 *
 * Selftest: crafted inputs whose outcome follows from sums over V; every element of O is compared.
 *
 * Gate B: normal inputs, quantised once.  Sampled rows are compared with double precision.  Every pair
 * of V adds up to one number, so that every pair of O must, too.
 */
#include <math.h>

#include "../library.h"
#include "attention_oracle.h"

#define SHARE_MAX 8       /* heads that one group decodes together                              */
#define DECODE_ITEMS 256
#define DECODE_SLOTS 32
/* Bytes that a library may ask for: where all queries see the keys before them, a mask. */
#define MASK_MAX (UINT64_C(1) << 30)

static const eh_param attention_params[] = {
	{"precision", EH_PARAM_ENUM, 0, "f32", "f32|f16|bf16", NULL,
	 "of Q, K, V and O; arithmetic is in f32"},
	{"mode", EH_PARAM_ENUM, 0, "prefill", "prefill|decode", NULL,
	 "many queries, or one of each head"},
	{"batch", EH_PARAM_UINT, 0, "1", "1..65535", NULL, "sequences"},
	{"heads", EH_PARAM_UINT, 0, "8", "1..65535", NULL, "query heads"},
	{"kv-heads", EH_PARAM_UINT, 0, "0", "0..65535", NULL,
	 "heads of K and V, a divisor of heads; 0 = as many"},
	{"query", EH_PARAM_UINT, 0, "0", "0..1048576", NULL, "queries; 0 = as keys, decode: 1"},
	{"keys", EH_PARAM_UINT, 0, "2048", "1..1048576", NULL, "keys and values of each sequence"},
	{"head", EH_PARAM_ENUM, 0, "64", "64|128", NULL, "D, the elements of a query, key or value"},
	{"causal", EH_PARAM_ENUM, 0, "no", "no|yes", NULL,
	 "query i sees the keys up to i + keys - query"},
	{"form", EH_PARAM_ENUM, 0, "fused", "fused|naive", NULL,
	 "one pass, or three kernels with all scores in memory"},
	{"tile-query", EH_PARAM_UINT, 0, "64", "16..256", "64,128", "queries of a tile"},
	{"tile-keys", EH_PARAM_UINT, 0, "0", "0..256", "32,64",
	 "keys of a tile; 0 = 64, or 32 where head is 128: in f32 that is 57 KiB of local memory"},
	{"width", EH_PARAM_UINT, 0, "8", "2..16", "4,8,16", "queries per vector"},
	{"vectors", EH_PARAM_UINT, 0, "2", "1..4", "1,2", "vectors per work-item"},
	{"rows", EH_PARAM_UINT, 0, "0", "0..16", "4,8",
	 "elements of D per work-item; 0 = as many as fill 16 rows of work-items"},
	{"split", EH_PARAM_UINT, 0, "512", "32..1048576", "256,512,1024,4096",
	 "keys per group in decode"},
	{NULL, 0, 0, NULL, NULL, NULL, NULL},
};

/* What follows from a case. */
typedef struct attention_plan {
	attention_shape shape;
	uint64_t tile_query, tile_keys, width, vectors, rows, split;
	uint64_t items;          /* of a group                                                  */
	uint64_t tiles, padded;  /* tiles of queries; keys in whole tiles                        */
	uint64_t groups_y;
	uint64_t share;          /* decode: heads of one group                                   */
	uint64_t splits;
	uint64_t scratch[2];     /* bytes of device memory beside inputs and output              */
	uint64_t local;
} attention_plan;

typedef struct attention_state {
	const eh_bench *bench;
	attention_plan plan;
	attention_oracle oracle;
	eh_kernel *kernels[3];
	eh_buffer *in[ORACLE_INPUTS], *out, *scratch[2];
	unsigned char *got;      /* the whole of O                                              */
	const eh_attention_ops *library; /* of the vendor tier                                  */
	eh_attention_plan *attending;    /* NULL in other tiers                                 */
	eh_buffer *workspace;
} attention_state;

/* ---- describing ------------------------------------------------------------------------------ */

static eh_status plan_shape(const eh_case *values, attention_plan *plan, eh_error *error)
{
	attention_shape *s = &plan->shape;
	snprintf(s->precision, sizeof s->precision, "%s", eh_case_text(values, "precision"));
	s->decode = strcmp(eh_case_text(values, "mode"), "decode") == 0;
	s->causal = strcmp(eh_case_text(values, "causal"), "yes") == 0;
	s->naive = strcmp(eh_case_text(values, "form"), "naive") == 0;
	s->batch = eh_case_number(values, "batch");
	s->heads = support_positive(values, "heads");
	s->kv_heads = eh_case_number(values, "kv-heads");
	s->keys = eh_case_number(values, "keys");
	s->query = eh_case_number(values, "query");
	s->head = strtoul(eh_case_text(values, "head"), NULL, 10);
	if (s->kv_heads == 0)
		s->kv_heads = s->heads;
	if (s->query == 0)
		s->query = s->decode ? 1 : s->keys;
	if (s->heads % s->kv_heads != 0)
		return support_error(error, EH_E_INVALID_ARGUMENT,
		                     "attention: kv-heads=%" PRIu64 " does not divide heads=%" PRIu64,
		                     s->kv_heads, s->heads);
	s->share = s->heads / s->kv_heads;
	if (s->batch * s->heads > 65535)
		return support_error(error, EH_E_INVALID_ARGUMENT,
		                     "attention: batch * heads is above 65535");
	if (s->decode && (s->query != 1 || s->causal || s->naive))
		return support_error(error, EH_E_INVALID_ARGUMENT,
		                     "attention: mode=decode has query=1, causal=no and form=fused: one "
		                     "query sees all keys, and its scores are no matrix");
	if (s->causal && s->query > s->keys)
		return support_error(error, EH_E_INVALID_ARGUMENT,
		                     "attention: causal=yes needs no more queries than keys: the first of "
		                     "query=%" PRIu64 " would see none of keys=%" PRIu64,
		                     s->query, s->keys);
	return EH_OK;
}

static int power_of_two(uint64_t x)
{
	return x != 0 && (x & (x - 1)) == 0;
}

static eh_status plan_tiles(const eh_case *values, attention_plan *p, eh_error *error)
{
	const attention_shape *s = &p->shape;
	uint64_t along_d;
	p->tile_query = eh_case_number(values, "tile-query");
	p->tile_keys = eh_case_number(values, "tile-keys");
	if (p->tile_keys == 0)
		p->tile_keys = s->head == 64 ? 64 : 32;
	p->width = eh_case_number(values, "width");
	p->vectors = eh_case_number(values, "vectors");
	p->rows = eh_case_number(values, "rows");
	if (p->rows == 0)
		p->rows = s->head / 16;
	if (!power_of_two(p->tile_query) || !power_of_two(p->tile_keys) || !power_of_two(p->width) ||
	    !power_of_two(p->vectors) || !power_of_two(p->rows))
		return support_error(error, EH_E_INVALID_ARGUMENT,
		                     "attention: tile-query, tile-keys, width, vectors and rows must be "
		                     "powers of two");
	along_d = s->head / p->rows;
	if (p->width * p->vectors > p->tile_query || p->width * p->vectors > along_d ||
	    along_d > p->tile_keys)
		return support_error(error, EH_E_INVALID_ARGUMENT,
		                     "attention: head=%" PRIu64 " / rows=%" PRIu64
		                     " must be at least width * vectors=%" PRIu64
		                     " and at most tile-keys=%" PRIu64
		                     ", and tile-query at least width * vectors",
		                     s->head, p->rows, p->width * p->vectors, p->tile_keys);
	p->items = p->tile_query / (p->width * p->vectors) * along_d;
	if (p->items > 1024 || s->head * p->tile_keys % (8 * p->items) != 0)
		return support_error(error, EH_E_INVALID_ARGUMENT,
		                     "attention: %" PRIu64 " work-items are too many for the tile: take "
		                     "more rows, width or vectors", p->items);
	p->tiles = (s->query + p->tile_query - 1) / p->tile_query;
	p->padded = (s->keys + p->tile_keys - 1) / p->tile_keys * p->tile_keys;
	p->groups_y = s->batch * s->heads;
	p->local = 4 * (s->head * (p->tile_query + p->tile_keys) + p->tile_query * p->tile_keys +
	                2 * p->items);
	if (s->naive) {
		const uint64_t queries = p->groups_y * p->tiles * p->tile_query;
		if (p->tiles * (p->padded / p->tile_keys) > INT32_MAX)
			return support_error(error, EH_E_INVALID_ARGUMENT,
			                     "attention: form=naive has no room for so many scores");
		p->scratch[0] = 4 * queries * p->padded;
		p->scratch[1] = 4 * queries;
	}
	return EH_OK;
}

static void plan_decode(const eh_case *values, attention_plan *p)
{
	const attention_shape *s = &p->shape;
	p->split = support_positive(values, "split");
	p->splits = (s->keys + p->split - 1) / p->split;
	p->share = s->share < SHARE_MAX ? s->share : SHARE_MAX;
	while (s->share % p->share != 0)
		p->share--;
	p->items = DECODE_ITEMS;
	p->groups_y = s->batch * s->heads / p->share;
	/* As the kernel text has it: the queries, the products, the sums and the state of each item. */
	p->local = 4 * (p->share * s->head + DECODE_ITEMS * (p->share <= 2 ? 4U : 2U) * p->share +
	                DECODE_SLOTS * s->head + 2 * DECODE_ITEMS);
	if (p->splits > 1) {
		p->scratch[0] = 4 * s->batch * s->heads * p->splits * s->head;
		p->scratch[1] = 8 * s->batch * s->heads * p->splits;
	}
}

static eh_status plan_case(const eh_case *values, attention_plan *p, eh_error *error)
{
	eh_status status;
	memset(p, 0, sizeof *p);
	status = plan_shape(values, p, error);
	if (status != EH_OK)
		return status;
	if (!p->shape.decode)
		return plan_tiles(values, p, error);
	plan_decode(values, p);
	return EH_OK;
}

static void define_kernel(const attention_plan *p, eh_work *work)
{
	const attention_shape *s = &p->shape;
	const char *precision = s->precision;
	support_define(work, "EH_A_PRECISION", "%s",
	               precision[0] == 'b'             ? "BF16"
	               : strcmp(precision, "f16") == 0 ? "F16"
	                                               : "F32");
	support_define(work, "EH_A_ELEMENT", strcmp(precision, "f32") == 0 ? "float" : "eh_%s", precision);
	support_define(work, "EH_A_HEAD", "%" PRIu64, s->head);
	/* 1 / sqrt(D), rounded to f32. */
	support_define(work, "EH_A_SCALE", "%s", s->head == 64 ? "0.125f" : "0.088388348f");
	if (s->decode) {
		support_define(work, "EH_A_SHARE", "%" PRIu64, p->share);
		support_define(work, "EH_A_BATCH", "%d", p->share <= 2 ? 4 : 2);
		if (p->splits == 1)
			support_define(work, "EH_A_WHOLE", "1");
		return;
	}
	support_define(work, "EH_A_VECTOR", "eh_f32x%" PRIu64, p->width);
	support_define(work, "EH_A_WIDTH", "%" PRIu64, p->width);
	support_define(work, "EH_A_VECTORS", "%" PRIu64, p->vectors);
	support_define(work, "EH_A_ROWS", "%" PRIu64, p->rows);
	support_define(work, "EH_A_QUERIES", "%" PRIu64, p->tile_query);
	support_define(work, "EH_A_KEYS", "%" PRIu64, p->tile_keys);
	if (s->causal)
		support_define(work, "EH_A_CAUSAL", "1");
	if (s->naive)
		support_define(work, "EH_A_NAIVE", "1");
	if (s->query % p->tile_query != 0)
		support_define(work, "EH_A_TAIL_Q", "1");
	if (s->keys % p->tile_keys != 0)
		support_define(work, "EH_A_TAIL_K", "1");
}

static eh_status attention_describe(const eh_case *values, eh_work *work, eh_error *error)
{
	attention_plan p;
	const attention_shape *s = &p.shape;
	double rows, seen;
	uint64_t size, elements;
	const eh_status status = plan_case(values, &p, error);
	if (status != EH_OK)
		return status;

	size = support_element_bytes(s->precision);
	rows = (double)(s->batch * s->heads * s->query);
	seen = s->causal ? ((double)(s->keys - s->query) + (double)s->keys) / 2 : (double)s->keys;
	elements = 2 * s->head * s->batch * (s->heads * s->query + s->kv_heads * s->keys);
	support_work_clear(work);
	work->metric = s->decode ? EH_METRIC_BYTES_PER_SECOND : EH_METRIC_FLOP_PER_SECOND;
	work->region = EH_REGION_EXECUTION;
	work->flops = 4 * rows * seen * (double)s->head;
	work->bytes = (double)(size * elements);
	work->amount = s->decode ? work->bytes : work->flops;
	work->needs = support_needs(s->precision);
	work->working_set_bytes = size * elements + p.scratch[0] + p.scratch[1];
	work->device_bytes = work->working_set_bytes;
	work->group_items = p.items;
	if (work->struct_size >= sizeof *work)
		work->local_bytes = p.local;
	snprintf(work->precision, sizeof work->precision, size == 2 ? "%s/f32/%s" : "%s", s->precision,
	         s->precision);
	snprintf(work->flops_formula, sizeof work->flops_formula,
	         s->causal ? "4*B*H*Sq*(Sk - Sq + Sk)/2*D" : "4*B*H*Sq*Sk*D");
	snprintf(work->bytes_formula, sizeof work->bytes_formula, "s*2*D*B*(H*Sq + Hkv*Sk)");
	snprintf(work->kernel, sizeof work->kernel, s->decode ? "attention_decode" : "attention");
	define_kernel(&p, work);
	return EH_OK;
}

/* ---- the workload --------------------------------------------------------------------------- */

static eh_status upload(attention_state *s, eh_error *error)
{
	const attention_oracle *o = &s->oracle;
	eh_status status = EH_OK;
	int i;
	for (i = 0; i < ORACLE_INPUTS && status == EH_OK; i++)
		status = support_upload_repeated(s->bench, s->in[i], o->count[i] * o->element, o->data[i],
		                                 o->block[i] * o->element, error);
	return status;
}

/* Q or K of the crafted inputs, some rows at a time. */
static eh_status upload_crafted_rows(attention_state *s, int input, void *piece, eh_error *error)
{
	const attention_oracle *o = &s->oracle;
	const uint64_t bytes = o->shape.head * o->element, rows = o->count[input] / o->shape.head;
	const uint64_t room = SUPPORT_CHUNK / bytes;
	eh_status status = EH_OK;
	uint64_t at;
	for (at = 0; at < rows && status == EH_OK; at += room) {
		const uint64_t n = rows - at < room ? rows - at : room;
		attention_oracle_crafted_rows(o, input, at, n, piece);
		status = s->bench->ops->upload(s->bench->queue, s->in[input], at * bytes, piece, n * bytes, error);
		if (status == EH_OK)
			status = s->bench->ops->queue_wait(s->bench->queue, error);
	}
	return status;
}

static eh_status upload_crafted(attention_state *s, eh_error *error)
{
	const attention_oracle *o = &s->oracle;
	void *piece = malloc(SUPPORT_CHUNK);         /* holds ORACLE_BLOCK elements as well */
	eh_status status;
	if (piece == NULL)
		return support_error(error, EH_E_NO_MEMORY, "attention: no host memory");
	status = upload_crafted_rows(s, ORACLE_Q, piece, error);
	if (status == EH_OK)
		status = upload_crafted_rows(s, ORACLE_K, piece, error);
	if (status == EH_OK) {
		attention_oracle_crafted_values(o, piece);
		status = support_upload_repeated(s->bench, s->in[ORACLE_V], o->count[ORACLE_V] * o->element, piece,
		                                 ORACLE_BLOCK * o->element, error);
	}
	free(piece);
	return status;
}

static void attention_finish(void *state)
{
	attention_state *s = state;
	int i;
	if (s == NULL)
		return;
	if (s->attending != NULL)
		s->library->destroy(s->attending);
	support_free(s->bench, s->workspace);
	for (i = 0; i < ORACLE_INPUTS; i++)
		support_free(s->bench, s->in[i]);
	support_free(s->bench, s->out);
	for (i = 0; i < 2; i++)
		support_free(s->bench, s->scratch[i]);
	attention_oracle_free(&s->oracle);
	free(s->got);
	free(s);
}

static eh_status get_kernels(attention_state *s, eh_error *error)
{
	static const char *const fused[] = {"eh_attention", NULL};
	static const char *const naive[] = {"eh_attention_qk", "eh_attention_softmax", "eh_attention_pv",
	                                    NULL};
	static const char *const decode[] = {"eh_attention_decode", "eh_attention_merge", NULL};
	static const char *const whole[] = {"eh_attention_decode", NULL};
	const char *const *names = s->plan.shape.naive    ? naive
	                           : !s->plan.shape.decode ? fused
	                           : s->plan.splits > 1    ? decode
	                                                   : whole;
	eh_status status = EH_OK;
	int i;
	for (i = 0; names[i] != NULL && status == EH_OK; i++)
		status = s->bench->ops->kernel_get(s->bench->program, names[i], &s->kernels[i], error);
	return status;
}

/* Asks the backend's library for this attention. */
static eh_status plan_library(attention_state *s, eh_error *error)
{
	const attention_shape *shape = &s->plan.shape;
	eh_attention a = {
		.struct_size = sizeof a,
		.flags = shape->causal ? EH_ATTENTION_CAUSAL : 0,
		.batch = shape->batch, .heads = shape->heads, .kv_heads = shape->kv_heads,
		.query = shape->query, .keys = shape->keys, .head = shape->head,
		.scale = 1 / sqrt((double)shape->head),
		.accumulate = "f32",
		.workspace_limit = MASK_MAX,
	};
	uint64_t workspace = 0;
	eh_status status;
	snprintf(a.type, sizeof a.type, "%s", shape->precision);
	if (shape->naive)
		return support_error(error, EH_E_UNSUPPORTED,
		                     "attention: form=naive is what one pass is compared with, and no library's");
	s->library = s->bench->extension(s->bench, EH_ATTENTION_NAME);
	if (s->library == NULL)
		return support_error(error, EH_E_UNSUPPORTED, "The backend offers no library for attention (%s).",
		                     EH_ATTENTION_NAME);
	status = s->library->prepare(s->bench->device, &a, &s->attending, &workspace, error);
	if (status != EH_OK)
		s->attending = NULL;
	else if (workspace > 0)
		status = support_alloc(s->bench, EH_MEMORY_DEVICE, workspace, &s->workspace, error);
	return status;
}

static eh_status enqueue_library(attention_state *s, eh_error *error)
{
	const eh_attention_operands operands = {
		.struct_size = sizeof operands,
		.q = s->in[ORACLE_Q], .k = s->in[ORACLE_K], .v = s->in[ORACLE_V], .o = s->out,
		.workspace = s->workspace,
	};
	return s->library->enqueue(s->bench->queue, s->attending, &operands, error);
}

static eh_status attention_library(void *state, eh_layer *layer, eh_error *error)
{
	const attention_state *s = state;
	return s->library->layer(s->attending, layer, error);
}

static eh_status get_buffers(attention_state *s, eh_error *error)
{
	const attention_oracle *o = &s->oracle;
	eh_status status = EH_OK;
	int i;
	for (i = 0; i < ORACLE_INPUTS && status == EH_OK; i++)
		status = support_alloc(s->bench, EH_MEMORY_DEVICE, o->count[i] * o->element, &s->in[i],
		                       error);
	if (status == EH_OK)
		status = support_alloc(s->bench, EH_MEMORY_DEVICE, o->count[ORACLE_Q] * o->element,
		                       &s->out, error);
	for (i = 0; i < 2 && status == EH_OK && s->attending == NULL; i++)
		if (s->plan.scratch[i] != 0)
			status = support_alloc(s->bench, EH_MEMORY_DEVICE, s->plan.scratch[i],
			                       &s->scratch[i], error);
	return status;
}

static eh_status attention_prepare(const eh_bench *bench, void **state, eh_error *error)
{
	attention_state *s = calloc(1, sizeof *s);
	eh_status status;

	if (s == NULL)
		return support_error(error, EH_E_NO_MEMORY, "attention: no host memory");
	s->bench = bench;
	status = plan_case(bench->values, &s->plan, error);
	if (status == EH_OK) {
		status = attention_oracle_make(&s->oracle, bench, &s->plan.shape);
		if (status == EH_OK)
			s->got = malloc(s->oracle.count[ORACLE_Q] * s->oracle.element);
		s->oracle.library = library_wanted(bench);
		if (s->got == NULL)
			status = support_error(error, EH_E_NO_MEMORY, "attention: no host memory");
	}
	if (status == EH_OK)
		status = library_wanted(bench) ? plan_library(s, error) : get_kernels(s, error);
	if (status == EH_OK)
		status = get_buffers(s, error);
	if (status == EH_OK) {
		attention_oracle_normal(&s->oracle, 0);
		status = upload(s, error);
	}
	if (status != EH_OK) {
		attention_finish(s);
		return status;
	}
	*state = s;
	return EH_OK;
}

static eh_status enqueue_naive(attention_state *s, eh_error *error)
{
	const attention_plan *p = &s->plan;
	const int32_t query = (int32_t)p->shape.query, keys = (int32_t)p->shape.keys;
	const int32_t share = (int32_t)p->shape.share, tiles = (int32_t)p->tiles;
	const int32_t padded = (int32_t)p->padded;
	const uint32_t x = (uint32_t)p->tile_query, y = (uint32_t)(p->items / p->tile_query);
	const eh_arg sizes[5] = {support_value(&query, 4), support_value(&keys, 4),
	                         support_value(&share, 4), support_value(&tiles, 4),
	                         support_value(&padded, 4)};
	const eh_arg scores = support_buffer(s->scratch[0]), inverse = support_buffer(s->scratch[1]);
	const eh_arg qk[8] = {support_buffer(s->in[ORACLE_Q]), support_buffer(s->in[ORACLE_K]), scores,
	                      sizes[0], sizes[1], sizes[2], sizes[3], sizes[4]};
	const eh_arg softmax[4] = {scores, inverse, sizes[3], sizes[4]};
	const eh_arg pv[9] = {scores, inverse, support_buffer(s->in[ORACLE_V]), support_buffer(s->out),
	                      sizes[0], sizes[1], sizes[2], sizes[3], sizes[4]};
	eh_status status = support_launch(s->bench, s->kernels[0],
	                                  (uint32_t)(p->tiles * (p->padded / p->tile_keys)),
	                                  (uint32_t)p->groups_y, x, y, qk, 8, error);
	if (status == EH_OK)
		status = support_launch(s->bench, s->kernels[1], (uint32_t)p->tiles,
		                        (uint32_t)p->groups_y, x, y, softmax, 4, error);
	if (status == EH_OK)
		status = support_launch(s->bench, s->kernels[2], (uint32_t)p->tiles,
		                        (uint32_t)p->groups_y, x, y, pv, 9, error);
	return status;
}

static eh_status enqueue_decode(attention_state *s, eh_error *error)
{
	const attention_plan *p = &s->plan;
	const int32_t keys = (int32_t)p->shape.keys, split = (int32_t)p->split;
	const int32_t turns = (int32_t)(p->shape.share / p->share), splits = (int32_t)p->splits;
	/* Where a group has all keys, its kernel leaves the places of the parts alone. */
	const eh_arg part = support_buffer(p->splits > 1 ? s->scratch[0] : s->out);
	const eh_arg state = support_buffer(p->splits > 1 ? s->scratch[1] : s->out);
	const eh_arg decode[9] = {
		support_buffer(s->in[ORACLE_Q]), support_buffer(s->in[ORACLE_K]),
		support_buffer(s->in[ORACLE_V]), support_buffer(s->out), part, state,
		support_value(&keys, 4), support_value(&split, 4), support_value(&turns, 4),
	};
	const eh_arg merge[4] = {part, state, support_buffer(s->out), support_value(&splits, 4)};
	const eh_status status = support_launch(s->bench, s->kernels[0], (uint32_t)p->splits,
	                                        (uint32_t)p->groups_y, DECODE_ITEMS / DECODE_SLOTS,
	                                        DECODE_SLOTS, decode, 9, error);
	if (status != EH_OK || p->splits == 1)
		return status;
	return support_launch(s->bench, s->kernels[1], (uint32_t)(p->shape.batch * p->shape.heads), 1,
	                      (uint32_t)p->shape.head, 1, merge, 4, error);
}

static eh_status attention_enqueue(void *state, uint64_t iteration, eh_error *error)
{
	attention_state *s = state;
	const attention_plan *p = &s->plan;
	const int32_t query = (int32_t)p->shape.query, keys = (int32_t)p->shape.keys;
	const int32_t share = (int32_t)p->shape.share;
	const eh_arg args[7] = {
		support_buffer(s->in[ORACLE_Q]), support_buffer(s->in[ORACLE_K]),
		support_buffer(s->in[ORACLE_V]), support_buffer(s->out),
		support_value(&query, 4), support_value(&keys, 4), support_value(&share, 4),
	};
	(void)iteration;
	if (s->attending != NULL)
		return enqueue_library(s, error);
	if (p->shape.naive)
		return enqueue_naive(s, error);
	if (p->shape.decode)
		return enqueue_decode(s, error);
	return support_launch(s->bench, s->kernels[0], (uint32_t)p->tiles, (uint32_t)p->groups_y,
	                      (uint32_t)p->tile_query, (uint32_t)(p->items / p->tile_query), args, 7,
	                      error);
}

static eh_status attention_poison(void *state, eh_error *error)
{
	attention_state *s = state;
	eh_status status = support_poison(s->bench, s->out, s->oracle.count[ORACLE_Q] * s->oracle.element,
	                                  error);
	int i;
	/* What lies between the kernels, too: each must do its work. */
	for (i = 0; i < 2 && status == EH_OK; i++)
		if (s->scratch[i] != NULL)
			status = support_poison(s->bench, s->scratch[i], s->plan.scratch[i], error);
	return status;
}

static eh_status attention_check(void *state, uint64_t iteration, eh_check *check, eh_error *error)
{
	attention_state *s = state;
	const eh_status status = support_fetch(s->bench, s->got, s->out, 0,
	                                       s->oracle.count[ORACLE_Q] * s->oracle.element, error);
	(void)iteration;
	if (status == EH_OK)
		attention_oracle_check(&s->oracle, s->got, check);
	return status;
}

/* The crafted inputs take nothing from the normal ones, which are uploaded again. */
static eh_status attention_selftest(void *state, eh_check *check, eh_error *error)
{
	attention_state *s = state;
	eh_status status;
	attention_oracle_crafted(&s->oracle);
	status = upload_crafted(s, error);
	if (status == EH_OK)
		status = attention_poison(s, error);
	if (status == EH_OK)
		status = attention_enqueue(s, 0, error);
	if (status == EH_OK)
		status = attention_check(s, 0, check, error);
	s->oracle.crafted = 0;
	return status == EH_OK ? upload(s, error) : status;
}

static eh_status attention_vary(void *state, uint32_t variant, eh_error *error)
{
	attention_state *s = state;
	attention_oracle_normal(&s->oracle, variant);
	return upload(s, error);
}

static const eh_workload attention_workload = {
	.magic = EH_WORKLOAD_MAGIC,
	.struct_size = sizeof(eh_workload),
	.abi_major = EH_ABI_MAJOR,
	.abi_minor = EH_ABI_MINOR,
	.pointer_bytes = sizeof(void *),
	.revision = 1,
	.name = "attention",
	.summary = "scaled dot-product attention, fused, as three kernels or the library's, prefill and decode",
	.params = attention_params,
	.describe = attention_describe,
	.prepare = attention_prepare,
	.selftest = attention_selftest,
	.enqueue = attention_enqueue,
	.poison = attention_poison,
	.check = attention_check,
	.vary = attention_vary,
	.finish = attention_finish,
	.library = attention_library,
	.checks = "sampled rows against double precision, the sum of every pair of elements, and once all "
	          "elements for crafted inputs",
};

const eh_workload *eh_workload_entry_v1(void)
{
	return &attention_workload;
}
