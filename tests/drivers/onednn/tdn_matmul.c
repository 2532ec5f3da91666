/* SPDX-License-Identifier: Apache-2.0 */
/* The product. */
#include <stdlib.h>
#include <string.h>

#include "tdn_state.h"

#define X(field, names, arguments) typedef dnnl_status_t tdn_##field arguments;
ONEDNN_FUNCTIONS(X)
ONEDNN3_FUNCTIONS(X)
#undef X
TDN_VISIBLE tdn_matmul_create dnnl_matmul_primitive_desc_create;
TDN_VISIBLE tdn_primitive_desc_query dnnl_primitive_desc_query;
TDN_VISIBLE tdn_primitive_desc_destroy dnnl_primitive_desc_destroy;
TDN_VISIBLE tdn_primitive_create dnnl_primitive_create;
TDN_VISIBLE tdn_primitive_execute dnnl_primitive_execute;
TDN_VISIBLE tdn_primitive_destroy dnnl_primitive_destroy;

static product_type type_of(dnnl_data_type_t type)
{
	switch (type) {
	case dnnl_f64: return PRODUCT_F64;
	case dnnl_f32: return PRODUCT_F32;
	case dnnl_s32: return PRODUCT_I32;
	case dnnl_f16: return PRODUCT_F16;
	case dnnl_bf16: return PRODUCT_BF16;
	case dnnl_s8: return PRODUCT_I8;
	case dnnl_f8_e4m3: return PRODUCT_E4M3;
	case dnnl_f8_e5m2: return PRODUCT_E5M2;
	default: return PRODUCT_NONE;
	}
}

static bool has_types(dnnl_data_type_t a, dnnl_data_type_t b, dnnl_data_type_t c)
{
	if (a != b)
		return false;
	if (a == dnnl_s8)
		return c == dnnl_s32;
	if (a == dnnl_f32 || a == dnnl_f64)
		return c == a;
	if (a == dnnl_f16 || a == dnnl_bf16)
		return c == a || c == dnnl_f32;
	return (a == dnnl_f8_e4m3 || a == dnnl_f8_e5m2) && (c == dnnl_bf16 || c == dnnl_f32);
}

/* As it is stored, by columns; the matrix is op() of it, turned once more, because the product that is made is
 * the transposed one: C by rows is its transpose by columns. */
static bool stored(const struct dnnl_memory_desc *d, product_matrix *out)
{
	const int first = d->dimensions - 2;
	const int64_t rows = d->sizes[first], columns = d->sizes[first + 1];
	const int64_t row = d->strides[first], column = d->strides[first + 1];

	*out = (product_matrix){ .type = type_of(d->type), .batch = first > 0 ? (int32_t)d->sizes[0] : 1,
		                 .offset = first > 0 ? d->strides[0] : 0 };
	if (column == 1) { /* by rows */
		out->rows = (uint64_t)columns;
		out->columns = (uint64_t)rows;
		out->leading = row;
		return row >= columns || rows == 1;
	}
	out->rows = (uint64_t)rows;
	out->columns = (uint64_t)columns;
	out->leading = column;
	out->turned = true;
	return row == 1 && column >= rows;
}

TDN_API dnnl_matmul_primitive_desc_create(dnnl_primitive_desc_t *out, dnnl_engine_t engine,
                                          const struct dnnl_memory_desc *a, const struct dnnl_memory_desc *b,
                                          const struct dnnl_memory_desc *bias, const struct dnnl_memory_desc *c,
                                          const struct dnnl_primitive_attr *attr)
{
	struct dnnl_primitive_desc *desc;
	TDN_ENTER("dnnl_matmul_primitive_desc_create");

	if (!tdn_is(engine, TDN_ENGINE) || !tdn_is(a, TDN_MEMORY_DESC) || !tdn_is(b, TDN_MEMORY_DESC) ||
	    !tdn_is(c, TDN_MEMORY_DESC) || bias != NULL || !tdn_is(attr, TDN_ATTR) ||
	    a->dimensions != b->dimensions || a->dimensions != c->dimensions)
		return dnnl_invalid_arguments;
	if (!has_types(a->type, b->type, c->type))
		return dnnl_unimplemented;
	desc = tdn_new(TDN_DESC, sizeof(*desc));
	desc->a = *a;
	desc->b = *b;
	desc->c = *c;
	desc->attr = *attr;
	*out = desc;
	return dnnl_success;
}

TDN_API dnnl_primitive_desc_query(const struct dnnl_primitive_desc *desc, dnnl_query_t what, int index, void *result)
{
	static const char name[] = "jit:gemm:test";
	const char *text = name;
	TDN_ENTER("dnnl_primitive_desc_query");

	if (!tdn_is(desc, TDN_DESC) || what != dnnl_query_impl_info_str || index != 0)
		return dnnl_invalid_arguments;
	memcpy(result, &text, sizeof(text));
	return dnnl_success;
}

TDN_API dnnl_primitive_desc_destroy(dnnl_primitive_desc_t desc)
{
	TDN_ENTER("dnnl_primitive_desc_destroy");

	return tdn_end(desc, TDN_DESC);
}

TDN_API dnnl_primitive_create(dnnl_primitive_t *primitive, const struct dnnl_primitive_desc *desc)
{
	TDN_ENTER("dnnl_primitive_create");

	if (!tdn_is(desc, TDN_DESC))
		return dnnl_invalid_arguments;
	*primitive = tdn_new(TDN_PRIMITIVE, sizeof(**primitive));
	(*primitive)->desc = *desc;
	return dnnl_success;
}

TDN_API dnnl_primitive_destroy(dnnl_primitive_t primitive)
{
	TDN_ENTER("dnnl_primitive_destroy");

	return tdn_end(primitive, TDN_PRIMITIVE);
}

/* In memory of the host's, between a copy from the device and one back. */
static dnnl_status_t make(const struct dnnl_stream *stream, const product *p, struct dnnl_memory *const m[3])
{
	const size_t bytes[3] = { product_extent(&p->b), product_extent(&p->a), product_extent(&p->d) };
	char *copies[3] = { NULL };
	bool good = true;

	for (int i = 0; i < 3; i++) {
		copies[i] = malloc(bytes[i]);
		if (copies[i] == NULL)
			abort();
		good = good && tdn_fetch(stream, m[i]->place, copies[i], bytes[i]);
	}
	if (good) {
		product_compute(p, copies[1], copies[0], copies[2], copies[2]);
		good = tdn_store(stream, m[2]->place, copies[2], bytes[2]);
	}
	for (int i = 0; i < 3; i++)
		free(copies[i]);
	return good ? dnnl_success : dnnl_out_of_memory;
}

static bool same(const struct dnnl_memory_desc *x, const struct dnnl_memory_desc *y)
{
	return x->dimensions == y->dimensions && x->type == y->type &&
	       memcmp(x->sizes, y->sizes, sizeof(x->sizes)) == 0 &&
	       memcmp(x->strides, y->strides, sizeof(x->strides)) == 0;
}

TDN_API dnnl_primitive_execute(const struct dnnl_primitive *primitive, dnnl_stream_t stream, int count,
                               const dnnl_exec_arg_t *arguments)
{
	static const int names[3] = { DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_DST };
	const struct dnnl_memory_desc *of[3];
	struct dnnl_memory *m[3] = { NULL };
	product p = { .alpha = 1 };
	TDN_ENTER("dnnl_primitive_execute");

	if (!tdn_is(primitive, TDN_PRIMITIVE) || !tdn_is(stream, TDN_STREAM) || count != 3)
		return dnnl_invalid_arguments;
	of[0] = &primitive->desc.a;
	of[1] = &primitive->desc.b;
	of[2] = &primitive->desc.c;
	for (int i = 0; i < 3; i++) {
		m[i] = arguments[i].memory;
		if (arguments[i].arg != names[i] || !tdn_is(m[i], TDN_MEMORY) || m[i]->place == NULL ||
		    !same(&m[i]->desc, of[i]))
			return dnnl_invalid_arguments;
	}
	if (!stored(of[0], &p.b) || !stored(of[1], &p.a) || !stored(of[2], &p.d) || p.d.turned || !product_sizes(&p))
		return dnnl_invalid_arguments;
	p.alpha = primitive->desc.attr.ops.alpha;
	p.beta = primitive->desc.attr.ops.beta;
	p.tf32 = of[0]->type == dnnl_f32 && (planned_ == TDN_NARROW || !primitive->desc.attr.strict);
	p.wrong = planned_ == TDN_WRONG;
	return planned_ == TDN_STALE ? dnnl_success : make(stream, &p, m);
}
