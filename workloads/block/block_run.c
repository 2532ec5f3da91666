/* SPDX-License-Identifier: Apache-2.0 */
/* What a stack has on the device, and the launches of one operation. */
#include "block.h"

/* ---- memory --------------------------------------------------------------------------------- */

void block_choose(block_state *s, uint32_t variant)
{
	const uint64_t layers = s->plan.shape.layers;
	uint32_t random;
	uint64_t l;
	int i;
	uint64_t chosen[BLOCK_CHOSEN];
	s->chosen_count = layers < BLOCK_CHOSEN ? (int)layers : BLOCK_CHOSEN;
	s->sets = layers > BLOCK_CHOSEN ? BLOCK_CHOSEN + 1 : s->chosen_count;
	s->bench->fill_bytes(s->bench, &random, variant * sizeof random, sizeof random,
	                     s->bench->values->seed, 91);
	for (i = 0; i < s->chosen_count; i++)
		chosen[i] = (uint64_t)i;
	chosen[s->chosen_count - 1] = layers - 1;
	if (layers > BLOCK_CHOSEN)
		chosen[1] = 1 + random % (layers - 2);
	for (l = 0; l < layers; l++)
		s->layers[l].set = BLOCK_CHOSEN;
	for (i = 0; i < s->chosen_count; i++) {
		s->layers[chosen[i]].set = i;
		if (chosen[i] != s->chosen[i])
			memset(s->vector_made[i], 0, sizeof s->vector_made[i]);
		s->chosen[i] = chosen[i];
	}
}

/* What a chosen layer reads and writes is kept; the others, in turn, overwrite what they have read. */
static eh_buffer *x_of(const block_state *s, uint64_t layer)
{
	if (layer == s->plan.shape.layers)
		return s->out;
	if (s->layers[layer].set == BLOCK_CHOSEN && s->layers[layer - 1].set != BLOCK_CHOSEN)
		return s->stage[s->layers[layer - 1].set][BLOCK_NEXT];
	return s->stage[s->layers[layer].set][BLOCK_X];
}

eh_buffer *block_stage_of(const block_state *s, uint64_t layer, int stage)
{
	if (stage == BLOCK_X || stage == BLOCK_NEXT)
		return x_of(s, stage == BLOCK_X ? layer : layer + 1);
	return s->stage[s->layers[layer].set][stage];
}

/* Widths are multiples of 8, so these are whole words, all of which the poison covers. */
static uint64_t stage_bytes(const block_state *s, uint64_t width)
{
	return s->plan.shape.rows * width * s->inputs.element;
}

/* `count` elements that repeat `block` from place `at` on. */
static eh_status put(block_state *s, eh_buffer *to, uint64_t count, const unsigned char *block, uint64_t at,
                     eh_error *error)
{
	const uint64_t size = s->inputs.element;
	return support_upload_repeated(s->bench, to, count * size, block + at * size, ORACLE_BLOCK * size,
	                               error);
}

static eh_status make(block_state *s, eh_buffer **to, uint64_t count, const unsigned char *block,
                      uint64_t at, eh_error *error)
{
	const eh_status status = support_alloc(s->bench, EH_MEMORY_DEVICE, count * s->inputs.element, to,
	                                       error);
	return status == EH_OK ? put(s, *to, count, block, at, error) : status;
}

static eh_status make_layer(block_state *s, uint64_t l, eh_error *error)
{
	const block_shape *shape = &s->plan.shape;
	block_layer *layer = &s->layers[l];
	eh_status status = EH_OK;
	int i;
	for (i = 0; i < BLOCK_TO_LOGITS && status == EH_OK; i++)
		status = make(s, &layer->weight[i], shape->n[i] * shape->k[i], s->inputs.weight[i],
		              block_weight_at(l, (enum block_product)i), error);
	for (i = 0; i < 2 && status == EH_OK; i++)
		status = make(s, &layer->norm[i], shape->hidden, s->inputs.norm,
		              block_norm_at(l, (uint64_t)i), error);
	for (i = 0; i < BLOCK_CACHES && status == EH_OK; i++)
		status = support_alloc(s->bench, EH_MEMORY_DEVICE,
		                       shape->batch * block_cache_sequence(shape) * s->inputs.element,
		                       &layer->cache[i], error);
	return status;
}

static eh_status make_logits(block_state *s, eh_error *error)
{
	const block_shape *shape = &s->plan.shape;
	eh_status status = make(s, &s->last_weight, shape->vocabulary * shape->hidden,
	                        s->inputs.weight[BLOCK_TO_LOGITS], block_weight_at(0, BLOCK_TO_LOGITS),
	                        error);
	if (status == EH_OK)
		status = make(s, &s->last_norm, shape->hidden, s->inputs.norm,
		              block_norm_at(shape->layers, 0), error);
	if (status == EH_OK)
		status = support_alloc(s->bench, EH_MEMORY_DEVICE,
		                       shape->batch * shape->hidden * s->inputs.element, &s->last_normed,
		                       error);
	return status == EH_OK ? support_alloc(s->bench, EH_MEMORY_DEVICE,
	                                       shape->batch * shape->vocabulary * s->inputs.element,
	                                       &s->logits, error)
	                       : status;
}

static eh_status make_stages(block_state *s, eh_error *error)
{
	const block_shape *shape = &s->plan.shape;
	eh_status status = support_alloc(s->bench, EH_MEMORY_DEVICE, stage_bytes(s, shape->hidden), &s->out,
	                                 error);
	int set, i;
	for (set = 0; set < s->sets; set++)
		for (i = 0; i < BLOCK_STAGES && status == EH_OK; i++)
			status = support_alloc(s->bench, EH_MEMORY_DEVICE, stage_bytes(s, shape->width[i]),
			                       &s->stage[set][i], error);
	if (status == EH_OK && s->plan.part != 0)
		status = support_alloc(s->bench, EH_MEMORY_DEVICE, s->plan.part, &s->part, error);
	if (status == EH_OK && s->plan.state != 0)
		status = support_alloc(s->bench, EH_MEMORY_DEVICE, s->plan.state, &s->state, error);
	return status;
}

static eh_status make_table(block_state *s, eh_error *error)
{
	const uint64_t bytes = s->plan.shape.tokens * s->plan.shape.head * sizeof(float);
	const eh_status status = support_alloc(s->bench, EH_MEMORY_DEVICE, bytes, &s->table, error);
	return status == EH_OK ? support_upload_repeated(s->bench, s->table, bytes, s->inputs.table, bytes,
	                                                 error)
	                       : status;
}

static eh_status get_kernels(block_state *s, eh_error *error)
{
	const struct { const char *name; eh_kernel **to; int wanted; } kernels[] = {
		{"eh_block_norm", &s->norm, 1},
		{"eh_block_product", &s->product, !library_wanted(s->bench)},
		{"eh_block_rope", &s->rope, 1},
		{"eh_block_attention", &s->attention, 1},
		{"eh_block_merge", &s->merge, !s->plan.shape.prefill},
		{"eh_block_swiglu", &s->swiglu, 1},
	};
	eh_status status = EH_OK;
	size_t i;
	for (i = 0; i < sizeof kernels / sizeof kernels[0] && status == EH_OK; i++)
		if (kernels[i].wanted)
			status = s->bench->ops->kernel_get(s->bench->program, kernels[i].name, kernels[i].to,
			                                   error);
	return status;
}

static eh_status open_libraries(block_state *s, eh_error *error)
{
	const block_shape *shape = &s->plan.shape;
	eh_status status = EH_OK;
	int p;
	for (p = 0; p < BLOCK_PRODUCTS && status == EH_OK; p++)
		if (shape->n[p] != 0)
			status = library_plan_layer(&s->library[p], s->bench,
			                            p == BLOCK_TO_LOGITS ? shape->batch : shape->rows,
			                            shape->n[p], shape->k[p], BLOCK_ADDS(p) ? 1 : 0,
			                            shape->precision, shape->precision, error);
	return status == EH_OK ? library_share(s->library, BLOCK_PRODUCTS, error) : status;
}

eh_status block_library(void *state, eh_layer *layer, eh_error *error)
{
	static const char *const names[BLOCK_PRODUCTS] = {"qkv", "hidden", "gates", "down", "logits"};
	return library_layers(((block_state *)state)->library, names, BLOCK_PRODUCTS, layer, error);
}

eh_status block_make(block_state *s, eh_error *error)
{
	const uint64_t layers = s->plan.shape.layers;
	eh_status status;
	uint64_t l;
	s->layers = calloc(layers, sizeof *s->layers);
	if (s->layers == NULL)
		return support_error(error, EH_E_NO_MEMORY, "block: no host memory");
	block_choose(s, 0);
	status = get_kernels(s, error);
	if (status == EH_OK && library_wanted(s->bench))
		status = open_libraries(s, error);
	if (status == EH_OK)
		status = make_stages(s, error);
	if (status == EH_OK)
		status = make_table(s, error);
	for (l = 0; l < layers && status == EH_OK; l++)
		status = make_layer(s, l, error);
	return status == EH_OK && s->plan.shape.vocabulary != 0 ? make_logits(s, error) : status;
}

static void free_layer(const block_state *s, const block_layer *layer)
{
	int i;
	for (i = 0; i < BLOCK_TO_LOGITS; i++)
		support_free(s->bench, layer->weight[i]);
	for (i = 0; i < 2; i++)
		support_free(s->bench, layer->norm[i]);
	for (i = 0; i < BLOCK_CACHES; i++)
		support_free(s->bench, layer->cache[i]);
}

void block_free(block_state *s)
{
	eh_buffer *const rest[] = {s->out, s->table, s->part, s->state, s->last_weight, s->last_norm,
	                           s->last_normed, s->logits};
	uint64_t l;
	size_t i;
	int set, stage;
	for (l = 0; s->layers != NULL && l < s->plan.shape.layers; l++)
		free_layer(s, &s->layers[l]);
	for (set = 0; set < s->sets; set++)
		for (stage = 0; stage < BLOCK_STAGES; stage++)
			support_free(s->bench, s->stage[set][stage]);
	for (i = 0; i < sizeof rest / sizeof rest[0]; i++)
		support_free(s->bench, rest[i]);
	for (i = 0; i < BLOCK_PRODUCTS; i++)
		library_close(&s->library[i]);
	free(s->layers);
}

eh_status block_upload_variant(block_state *s, eh_error *error)
{
	const block_shape *shape = &s->plan.shape;
	eh_status status = put(s, s->stage[0][BLOCK_X], shape->rows * shape->hidden, s->inputs.x, 0, error);
	uint64_t l;
	int i;
	for (l = 0; l < shape->layers; l++)
		for (i = 0; i < BLOCK_CACHES && status == EH_OK; i++)
			status = put(s, s->layers[l].cache[i], shape->batch * block_cache_sequence(shape),
			             s->inputs.cache[i], block_cache_at(l), error);
	return status;
}

/* ---- one operation --------------------------------------------------------------------------- */

static uint32_t groups_of(uint64_t items, uint64_t each)
{
	return (uint32_t)((items + each - 1) / each);
}

/* Rows from + i * step of x become rows i of y. */
static eh_status norm(block_state *s, eh_buffer *y, eh_buffer *x, eh_buffer *w, uint64_t rows,
                      uint64_t first, uint64_t every, eh_error *error)
{
	const int32_t width = (int32_t)s->plan.shape.hidden, from = (int32_t)first, step = (int32_t)every;
	const float eps = BLOCK_EPS;
	const uint32_t groups[3] = {(uint32_t)rows, 1, 1};
	const eh_arg args[7] = {support_buffer(y), support_buffer(x), support_buffer(w),
	                        support_value(&width, 4), support_value(&from, 4),
	                        support_value(&step, 4), support_value(&eps, 4)};
	return support_launch_local(s->bench, s->norm, groups, 256, 1, 0, args, 7, error);
}

/* residual: NULL, or what is added. */
static eh_status product(block_state *s, enum block_product p, eh_buffer *y, eh_buffer *w, eh_buffer *x,
                         eh_buffer *residual, uint64_t rows, eh_error *error)
{
	const block_plan *plan = &s->plan;
	const int32_t n = (int32_t)plan->shape.n[p], m = (int32_t)rows, k = (int32_t)plan->shape.k[p];
	const int32_t add = residual != NULL;
	const eh_arg args[8] = {support_buffer(y), support_buffer(w), support_buffer(x),
	                        support_buffer(add ? residual : x), support_value(&n, 4),
	                        support_value(&m, 4), support_value(&k, 4), support_value(&add, 4)};
	const uint32_t many[3] = {groups_of(plan->shape.n[p], 128), groups_of(rows, 16 * plan->rows), 1};
	const uint32_t few[3] = {groups_of(plan->shape.n[p], plan->rows), 1, 1};
	if (s->library[p].plan != NULL) {
		const eh_status status =
			add ? s->bench->ops->copy(s->bench->queue, y, 0, residual, 0,
		                                  rows * plan->shape.n[p] * s->inputs.element, error)
			    : EH_OK;
		return status == EH_OK ? library_enqueue(&s->library[p], x, w, y, error) : status;
	}
	if (plan->shape.prefill)
		return support_launch_local(s->bench, s->product, many, 16, 16, plan->product_local, args, 8,
		                            error);
	return support_launch_local(s->bench, s->product, few, 128, 1, plan->product_local, args, 8, error);
}

static eh_status rope(block_state *s, const block_layer *layer, eh_buffer *const stage[], eh_error *error)
{
	const block_shape *shape = &s->plan.shape;
	const int32_t tokens = (int32_t)shape->tokens, context = (int32_t)shape->context;
	const uint32_t groups[3] = {(uint32_t)(shape->rows * (shape->heads + 2 * shape->kv_heads)), 1, 1};
	const eh_arg args[7] = {support_buffer(stage[BLOCK_Q]), support_buffer(layer->cache[BLOCK_KEYS]),
	                        support_buffer(layer->cache[BLOCK_VALUES]), support_buffer(stage[BLOCK_QKV]),
	                        support_buffer(s->table), support_value(&tokens, 4),
	                        support_value(&context, 4)};
	return support_launch_local(s->bench, s->rope, groups, (uint32_t)shape->head / 2, 1, 0, args, 7,
	                            error);
}

static eh_status decode_attention(block_state *s, const block_layer *layer, eh_buffer *const stage[],
                                  eh_error *error)
{
	const block_plan *p = &s->plan;
	const block_shape *shape = &p->shape;
	const int32_t keys = (int32_t)shape->keys, split = (int32_t)p->split, splits = (int32_t)p->splits;
	const uint32_t groups[3] = {(uint32_t)p->splits, (uint32_t)(shape->batch * shape->heads / p->group), 1};
	const uint32_t heads[3] = {(uint32_t)(shape->batch * shape->heads), 1, 1};
	const eh_arg part = support_buffer(s->part), state = support_buffer(s->state);
	const eh_arg args[7] = {support_buffer(stage[BLOCK_Q]), support_buffer(layer->cache[BLOCK_KEYS]),
	                        support_buffer(layer->cache[BLOCK_VALUES]), part, state,
	                        support_value(&keys, 4), support_value(&split, 4)};
	const eh_arg merge[4] = {part, state, support_buffer(stage[BLOCK_O]), support_value(&splits, 4)};
	const eh_status status = support_launch_local(s->bench, s->attention, groups, 8, 32,
	                                              p->attention_local, args, 7, error);
	if (status != EH_OK)
		return status;
	return support_launch_local(s->bench, s->merge, heads, (uint32_t)shape->head, 1, 0, merge, 4, error);
}

static eh_status attention(block_state *s, const block_layer *layer, eh_buffer *const stage[],
                           eh_error *error)
{
	const block_shape *shape = &s->plan.shape;
	const int32_t tokens = (int32_t)shape->tokens, context = (int32_t)shape->context;
	const uint32_t groups[3] = {groups_of(shape->tokens * (shape->heads / shape->kv_heads), 64),
	                            (uint32_t)(shape->batch * shape->kv_heads), 1};
	const eh_arg args[6] = {support_buffer(stage[BLOCK_Q]), support_buffer(layer->cache[BLOCK_KEYS]),
	                        support_buffer(layer->cache[BLOCK_VALUES]), support_buffer(stage[BLOCK_O]),
	                        support_value(&tokens, 4), support_value(&context, 4)};
	if (!shape->prefill)
		return decode_attention(s, layer, stage, error);
	return support_launch_local(s->bench, s->attention, groups, 64, 2, s->plan.attention_local, args, 6,
	                            error);
}

static eh_status swiglu(block_state *s, eh_buffer *const stage[], eh_error *error)
{
	const block_shape *shape = &s->plan.shape;
	const int32_t width = (int32_t)shape->intermediate;
	const uint32_t groups[3] = {(uint32_t)shape->rows, groups_of(shape->intermediate, 2048), 1};
	const eh_arg args[3] = {support_buffer(stage[BLOCK_ACT]), support_buffer(stage[BLOCK_GATES]),
	                        support_value(&width, 4)};
	return support_launch_local(s->bench, s->swiglu, groups, 256, 1, 0, args, 3, error);
}

static eh_status run_layer(block_state *s, uint64_t l, eh_error *error)
{
	const block_layer *layer = &s->layers[l];
	const uint64_t rows = s->plan.shape.rows;
	eh_buffer *stage[BLOCK_STAGES];
	eh_status status;
	int i;
	for (i = 0; i < BLOCK_STAGES; i++)
		stage[i] = block_stage_of(s, l, i);
	status = norm(s, stage[BLOCK_NORMED], stage[BLOCK_X], layer->norm[0], rows, 0, 1, error);
	if (status == EH_OK)
		status = product(s, BLOCK_TO_QKV, stage[BLOCK_QKV], layer->weight[BLOCK_TO_QKV],
		                 stage[BLOCK_NORMED], NULL, rows, error);
	if (status == EH_OK)
		status = rope(s, layer, stage, error);
	if (status == EH_OK)
		status = attention(s, layer, stage, error);
	if (status == EH_OK)
		status = product(s, BLOCK_TO_HIDDEN, stage[BLOCK_H], layer->weight[BLOCK_TO_HIDDEN],
		                 stage[BLOCK_O], stage[BLOCK_X], rows, error);
	if (status == EH_OK)
		status = norm(s, stage[BLOCK_NORMED2], stage[BLOCK_H], layer->norm[1], rows, 0, 1, error);
	if (status == EH_OK)
		status = product(s, BLOCK_TO_GATES, stage[BLOCK_GATES], layer->weight[BLOCK_TO_GATES],
		                 stage[BLOCK_NORMED2], NULL, rows, error);
	if (status == EH_OK)
		status = swiglu(s, stage, error);
	if (status == EH_OK)
		status = product(s, BLOCK_DOWN, stage[BLOCK_NEXT], layer->weight[BLOCK_DOWN],
		                 stage[BLOCK_ACT], stage[BLOCK_H], rows, error);
	return status;
}

eh_status block_enqueue(void *state, uint64_t iteration, eh_error *error)
{
	block_state *s = state;
	const block_shape *shape = &s->plan.shape;
	eh_status status = EH_OK;
	uint64_t l;
	(void)iteration;
	for (l = 0; l < shape->layers && status == EH_OK; l++)
		status = run_layer(s, l, error);
	if (status != EH_OK || shape->vocabulary == 0)
		return status;
	/* The last token of each sequence. */
	status = norm(s, s->last_normed, s->out, s->last_norm, shape->batch, shape->tokens - 1, shape->tokens,
	              error);
	return status == EH_OK ? product(s, BLOCK_TO_LOGITS, s->logits, s->last_weight, s->last_normed, NULL,
	                                 shape->batch, error)
	                       : status;
}

/* ---- poison --------------------------------------------------------------------------------- */

/* The rows of the caches that an operation writes. */
static eh_status poison_caches(block_state *s, eh_error *error)
{
	const block_shape *shape = &s->plan.shape;
	const uint64_t row = block_cache_row(shape) * s->inputs.element;
	eh_status status = EH_OK;
	uint64_t l, b;
	int i;
	for (l = 0; l < shape->layers; l++)
		for (i = 0; i < BLOCK_CACHES; i++)
			for (b = 0; b < shape->batch && status == EH_OK; b++)
				status = s->bench->ops->fill(s->bench->queue, s->layers[l].cache[i],
				                             (b * shape->keys + shape->context) * row,
				                             shape->tokens * row, SUPPORT_POISON, error);
	return status;
}

eh_status block_poison(void *state, eh_error *error)
{
	block_state *s = state;
	const block_shape *shape = &s->plan.shape;
	const uint64_t element = s->inputs.element;
	eh_status status = support_poison(s->bench, s->out, stage_bytes(s, shape->hidden), error);
	int set, i;
	/* All stages but the stack's input. */
	for (set = 0; set < s->sets; set++)
		for (i = set == 0 ? BLOCK_X + 1 : BLOCK_X; i < BLOCK_STAGES && status == EH_OK; i++)
			status = support_poison(s->bench, s->stage[set][i], stage_bytes(s, shape->width[i]),
			                        error);
	if (status == EH_OK && s->part != NULL)
		status = support_poison(s->bench, s->part, s->plan.part, error);
	if (status == EH_OK && s->state != NULL)
		status = support_poison(s->bench, s->state, s->plan.state, error);
	if (status == EH_OK && s->logits != NULL)
		status = support_poison(s->bench, s->logits, shape->batch * shape->vocabulary * element, error);
	if (status == EH_OK && s->last_normed != NULL)
		status = support_poison(s->bench, s->last_normed, shape->batch * shape->hidden * element,
		                        error);
	return status == EH_OK ? poison_caches(s, error) : status;
}
