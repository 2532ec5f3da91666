/* SPDX-License-Identifier: Apache-2.0 */
/* A product by eh.gemm.1 on an open session against a naive one in double. */
#ifndef UNIT_GEMM_TRIAL_H
#define UNIT_GEMM_TRIAL_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/error.h"
#include "base/text.h"
#include "evenhand/extensions.h"
#include "plugin/session.h"

/* Whole numbers of a few bits, so that each type holds them and their sums exactly. */
static inline double trial_value(uint64_t i, uint64_t step)
{
	return (double)(i * step % 7) - 3;
}

static inline uint64_t trial_bytes(const char *type)
{
	static const struct { const char *type; uint64_t bytes; } all[] = {
		{ "f64", 8 }, { "f32", 4 }, { "tf32", 4 }, { "i32", 4 }, { "f16", 2 }, { "bf16", 2 },
		{ "i8", 1 }, { "e4m3", 1 }, { "e5m2", 1 }, { "e4m3z", 1 }, { "e5m2z", 1 },
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (strcmp(type, all[i].type) == 0)
			return all[i].bytes;
	fail_msg("no type %s", type);
	return 0;
}

static inline void trial_put(void *at, const char *type, uint64_t i, double value)
{
	const float f = (float)value;
	uint32_t bits;

	memcpy(&bits, &f, sizeof(bits));
	if (strcmp(type, "f64") == 0)
		((double *)at)[i] = value;
	else if (strcmp(type, "f32") == 0 || strcmp(type, "tf32") == 0)
		((float *)at)[i] = f;
	else if (type[0] == 'e') /* of a normal number or 0; the bias of those with a z is one more */
		((uint8_t *)at)[i] = value == 0 ? 0 : (uint8_t)((bits >> 24 & 0x80) |
			(type[1] == '4' ? ((bits >> 23 & 0xff) - 120 + (type[4] == 'z')) << 3 | (bits >> 20 & 7)
			                : ((bits >> 23 & 0xff) - 112 + (type[4] == 'z')) << 2 | (bits >> 21 & 3)));
	else if (strcmp(type, "i32") == 0)
		((int32_t *)at)[i] = (int32_t)value;
	else if (strcmp(type, "i8") == 0)
		((int8_t *)at)[i] = (int8_t)value;
	else if (strcmp(type, "bf16") == 0)
		((uint16_t *)at)[i] = (uint16_t)(bits >> 16);
	else /* f16 of a normal number or 0 */
		((uint16_t *)at)[i] = value == 0 ? 0 : (uint16_t)((bits >> 16 & 0x8000) |
			((bits >> 23 & 0xff) - 112) << 10 | (bits >> 13 & 0x3ff));
}

static inline double trial_get(const void *at, const char *type, uint64_t i)
{
	if (strcmp(type, "f64") == 0)
		return ((const double *)at)[i];
	if (strcmp(type, "f32") == 0)
		return (double)((const float *)at)[i];
	if (strcmp(type, "i32") == 0)
		return ((const int32_t *)at)[i];
	if (strcmp(type, "bf16") == 0) {
		const uint32_t bits = (uint32_t)((const uint16_t *)at)[i] << 16;
		float f;

		memcpy(&f, &bits, sizeof(f));
		return (double)f;
	} else {
		const uint16_t half = ((const uint16_t *)at)[i];
		const double part = (half & 0x3ff) / 1024.0;
		const int power = half >> 10 & 31;
		const double size = power == 0 ? ldexp(part, -14) : ldexp(1 + part, power - 15);

		return half & 0x8000 ? -size : size;
	}
}

typedef struct trial_shape {
	uint64_t m, n, k;
	uint32_t flags;
	uint64_t pad;          /* of each row                                                     */
	uint64_t batch, gap;   /* elements between matrices                                       */
	uint64_t offset;       /* in bytes, of each matrix                                       */
	double alpha, beta;
} trial_shape;

/* The most that the library may ask for. */
static uint64_t trial_workspace;

static const trial_shape trial_shapes[] = {
	{ 1, 1, 1, 0, 0, 1, 0, 0, 1, 0 },
	{ 17, 23, 31, 0, 0, 1, 0, 0, 1, 0 },
	{ 33, 9, 65, EH_GEMM_TRANSPOSE_A, 3, 1, 0, 16, 1, 0 },
	{ 12, 45, 7, EH_GEMM_TRANSPOSE_B, 5, 1, 0, 64, 2, 0 },
	{ 31, 30, 29, EH_GEMM_TRANSPOSE_A | EH_GEMM_TRANSPOSE_B, 1, 1, 0, 4096, 1, 1 },
	{ 19, 21, 40, 0, 2, 5, 8, 32, -1, 2 },
	{ 16, 5, 11, EH_GEMM_TRANSPOSE_B, 0, 3, 0, 0, 1, 0 },
	{ 130, 257, 100, 0, 0, 1, 0, 0, 1, 0 },
};
enum { TRIAL_PLAIN = 1, TRIAL_TURNED = 4, TRIAL_BATCH = 5, TRIAL_LARGE = 7 };
enum { TRIAL_SHAPES = sizeof(trial_shapes) / sizeof(trial_shapes[0]) };

static inline eh_gemm trial_gemm(const trial_shape *s, const char *in, const char *out,
                                 const char *accumulate)
{
	eh_gemm g = { .struct_size = sizeof(g), .flags = s->flags, .m = s->m, .n = s->n, .k = s->k,
	              .batch = s->batch, .alpha = s->alpha, .beta = s->beta,
	              .workspace_limit = trial_workspace };

	g.lda = (s->flags & EH_GEMM_TRANSPOSE_A ? s->m : s->k) + s->pad;
	g.ldb = (s->flags & EH_GEMM_TRANSPOSE_B ? s->k : s->n) + s->pad;
	g.ldc = s->n + s->pad;
	g.stride_a = g.lda * (s->flags & EH_GEMM_TRANSPOSE_A ? s->k : s->m) + s->gap;
	g.stride_b = g.ldb * (s->flags & EH_GEMM_TRANSPOSE_B ? s->n : s->k) + s->gap;
	g.stride_c = g.ldc * s->m + s->gap;
	strcpy(g.type_a, in);
	strcpy(g.type_b, in);
	strcpy(g.type_c, out);
	strcpy(g.accumulate, accumulate);
	return g;
}

/* The element (i, j) of matrix number `of` of C. */
static inline double trial_expected(const eh_gemm *g, uint64_t of, uint64_t i, uint64_t j)
{
	double sum = 0;

	for (uint64_t l = 0; l < g->k; l++) {
		const uint64_t at_a = g->flags & EH_GEMM_TRANSPOSE_A ? l * g->lda + i : i * g->lda + l;
		const uint64_t at_b = g->flags & EH_GEMM_TRANSPOSE_B ? j * g->ldb + l : l * g->ldb + j;

		sum += trial_value(of * g->stride_a + at_a, 5) * trial_value(of * g->stride_b + at_b, 3);
	}
	return g->alpha * sum +
	       g->beta * trial_value(of * g->stride_c + i * g->ldc + j, 2);
}

static inline eh_buffer *trial_buffer(const session *s, uint64_t offset, uint64_t count,
                                      const char *type, uint64_t step)
{
	const uint64_t bytes = (offset + count * trial_bytes(type) + 15) / 4 * 4;
	unsigned char *host = memory_get(bytes);
	eh_error error = ERROR_INIT;
	eh_buffer *buffer;

	for (uint64_t i = 0; i < count; i++)
		trial_put(host + offset, type, i, trial_value(i, step));
	if (s->ops->buffer_alloc(s->device, EH_MEMORY_DEVICE, bytes, &buffer, &error) != EH_OK ||
	    s->ops->upload(s->plain, buffer, 0, host, bytes, &error) != EH_OK ||
	    s->ops->queue_wait(s->plain, &error) != EH_OK)
		fail_msg("%s", error.message);
	free(host);
	return buffer;
}

/* What lies between the rows and the matrices stays as it was. */
static inline void trial_compare(const session *s, const eh_gemm *g, eh_buffer *c, uint64_t offset)
{
	const uint64_t count = g->stride_c * g->batch, bytes = count * trial_bytes(g->type_c);
	unsigned char *host = memory_get(bytes + 4);
	eh_error error = ERROR_INIT;

	if (s->ops->download(s->plain, host, c, offset, (bytes + 3) / 4 * 4, &error) != EH_OK ||
	    s->ops->queue_wait(s->plain, &error) != EH_OK)
		fail_msg("%s", error.message);
	for (uint64_t at = 0; at < count; at++) {
		const uint64_t of = at / g->stride_c, in = at % g->stride_c;
		const uint64_t i = in / g->ldc, j = in % g->ldc;
		const double got = trial_get(host, g->type_c, at);
		const double want = i < g->m && j < g->n ? trial_expected(g, of, i, j)
		                                         : trial_value(at, 2);

		if (got != want)
			fail_msg("%s %ux%ux%u flags %u: C[%u][%u][%u] is %g and should be %g", g->type_a,
			         (unsigned)g->m, (unsigned)g->n, (unsigned)g->k, g->flags, (unsigned)of,
			         (unsigned)i, (unsigned)j, got, want);
	}
	free(host);
}

/* Prepares and runs one product, compares it, and gives the layer; the status is that of prepare. */
static inline eh_status trial_run(const session *s, const eh_gemm_ops *ops, const trial_shape *shape,
                                  const char *in, const char *out, const char *accumulate,
                                  eh_layer *layer, eh_error *error)
{
	const eh_gemm g = trial_gemm(shape, in, out, accumulate);
	eh_gemm_operands o = { .struct_size = sizeof(o), .offset_a = shape->offset,
	                       .offset_b = shape->offset, .offset_c = shape->offset };
	eh_gemm_plan *plan = NULL;
	uint64_t workspace = 0;
	const eh_status status = ops->prepare(s->device, &g, &plan, &workspace, error);

	if (status != EH_OK)
		return status;
	assert_true(workspace <= trial_workspace);
	if (workspace > 0 &&
	    s->ops->buffer_alloc(s->device, EH_MEMORY_DEVICE, workspace, &o.workspace, error) != EH_OK)
		fail_msg("%s", error->message);
	o.a = trial_buffer(s, shape->offset, g.stride_a * g.batch, in, 5);
	o.b = trial_buffer(s, shape->offset, g.stride_b * g.batch, in, 3);
	o.c = trial_buffer(s, shape->offset, g.stride_c * g.batch, out, 2);
	if (ops->enqueue(s->plain, plan, &o, error) != EH_OK ||
	    s->ops->queue_wait(s->plain, error) != EH_OK)
		fail_msg("%s", error->message);
	trial_compare(s, &g, o.c, shape->offset);
	layer->struct_size = sizeof(*layer);
	assert_int_equal(ops->layer(plan, layer, error), EH_OK);
	assert_int_equal(layer->kind, EH_LAYER_LIBRARY);
	assert_non_null(strstr(layer->detail, "kernel="));
	assert_non_null(strstr(layer->detail, "picked="));
	ops->destroy(plan);
	s->ops->buffer_free(o.a);
	s->ops->buffer_free(o.b);
	s->ops->buffer_free(o.c);
	s->ops->buffer_free(o.workspace);
	return EH_OK;
}

#endif
