/* SPDX-License-Identifier: Apache-2.0 */
/* Synthetic weights, activations and caches, of which activations stay of order one in any depth. */
#include "block.h"

/* As embeddings are, so small that eps counts in the first norm. */
#define X_SCALE 0x1p-8F
#define ROPE_BASE 10000.0

/* Streams of the generator; those of the variants follow. */
enum { STREAM_WEIGHTS, STREAM_NORM = BLOCK_PRODUCTS, STREAM_VARIANTS };

uint64_t block_weight_at(uint64_t layer, enum block_product product)
{
	return (layer * 65537 + (uint64_t)product * 7919 + 1) % ORACLE_BLOCK;
}

uint64_t block_norm_at(uint64_t layer, uint64_t norm)
{
	return (2 * layer + norm) * 257 % ORACLE_BLOCK;
}

uint64_t block_cache_at(uint64_t layer)
{
	return (layer * 40961 + 3) % ORACLE_BLOCK;
}

/* A block, twice in a row: base + scale * normal, rounded to the precision. */
static void fill(block_inputs *in, unsigned char *out, uint32_t stream, float base, float scale)
{
	const eh_bench *b = in->bench;
	const uint64_t size = in->element;
	float some[1024];
	uint64_t at, i;
	for (at = 0; at < ORACLE_BLOCK; at += 1024) {
		const uint64_t n = ORACLE_BLOCK - at < 1024 ? ORACLE_BLOCK - at : 1024;
		b->fill_normal(b, some, at, n, "f32", b->values->seed, stream);
		for (i = 0; i < n; i++)
			support_encode(out + (at + i) * size, base + scale * some[i], in->shape->precision);
	}
	memcpy(out + ORACLE_BLOCK * size, out, ORACLE_BLOCK * size);
}

static void read_values(const block_inputs *in, float *out, const unsigned char *elements)
{
	uint64_t i;
	for (i = 0; i < 2 * ORACLE_BLOCK; i++)
		out[i] = (float)support_value_of(in->bench, elements + i * in->element, in->shape->precision);
}

/* The angles of the positions context, context + 1, ... */
static void fill_table(const block_inputs *in)
{
	const block_shape *s = in->shape;
	const uint64_t half = s->head / 2;
	uint64_t i, t;
	for (i = 0; i < half; i++) {
		const double step = pow(ROPE_BASE, -(double)i / (double)half);
		for (t = 0; t < s->tokens; t++) {
			const double angle = (double)(s->context + t) * step;
			in->table[t * s->head + i] = (float)cos(angle);
			in->table[t * s->head + half + i] = (float)sin(angle);
		}
	}
}

static int get_memory(block_inputs *in)
{
	const uint64_t bytes = 2 * ORACLE_BLOCK * in->element, values = 2 * ORACLE_BLOCK * sizeof(float);
	int i, good = 1;
	for (i = 0; i < BLOCK_PRODUCTS; i++) {
		in->weight[i] = malloc(bytes);
		in->weight_value[i] = malloc(values);
		good = good && in->weight[i] != NULL && in->weight_value[i] != NULL;
	}
	for (i = 0; i < BLOCK_CACHES; i++) {
		in->cache[i] = malloc(bytes);
		good = good && in->cache[i] != NULL;
	}
	in->norm = malloc(bytes);
	in->norm_value = malloc(values);
	in->x = malloc(bytes);
	in->table = malloc(in->shape->tokens * in->shape->head * sizeof(float));
	return good && in->norm != NULL && in->norm_value != NULL && in->x != NULL && in->table != NULL;
}

eh_status block_inputs_make(block_inputs *in, const eh_bench *bench, const block_shape *shape)
{
	uint32_t i;
	in->bench = bench;
	in->shape = shape;
	in->element = support_element_bytes(shape->precision);
	if (!get_memory(in))
		return EH_E_NO_MEMORY;
	for (i = 0; i < BLOCK_PRODUCTS; i++) {
		fill(in, in->weight[i], STREAM_WEIGHTS + i, 0, 1 / sqrtf((float)shape->k[i]));
		read_values(in, in->weight_value[i], in->weight[i]);
	}
	fill(in, in->norm, STREAM_NORM, 1, 0.25F);
	read_values(in, in->norm_value, in->norm);
	fill_table(in);
	return EH_OK;
}

void block_inputs_free(block_inputs *in)
{
	int i;
	for (i = 0; i < BLOCK_PRODUCTS; i++) {
		free(in->weight[i]);
		free(in->weight_value[i]);
	}
	for (i = 0; i < BLOCK_CACHES; i++)
		free(in->cache[i]);
	free(in->norm);
	free(in->norm_value);
	free(in->x);
	free(in->table);
}

void block_inputs_vary(block_inputs *in, uint32_t variant)
{
	const uint32_t stream = STREAM_VARIANTS + 3 * variant;
	fill(in, in->x, stream, 0, X_SCALE);
	fill(in, in->cache[BLOCK_KEYS], stream + 1, 0, 1);
	fill(in, in->cache[BLOCK_VALUES], stream + 2, 0, 1);
}
