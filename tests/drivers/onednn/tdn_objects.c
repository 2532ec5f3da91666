/* SPDX-License-Identifier: Apache-2.0 */
/* Objects, and what is told of them. */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "tdn_state.h"

static atomic_int live;

void *tdn_new(tdn_kind kind, size_t size)
{
	tdn_kind *object = calloc(1, size);

	if (object == NULL)
		abort();
	*object = kind;
	(void)atomic_fetch_add(&live, 1);
	return object;
}

bool tdn_is(const void *object, tdn_kind kind)
{
	return object != NULL && *(const tdn_kind *)object == kind;
}

dnnl_status_t tdn_end(void *object, tdn_kind kind)
{
	if (!tdn_is(object, kind))
		return dnnl_invalid_arguments;
	*(tdn_kind *)object = TDN_NONE;
	free(object);
	(void)atomic_fetch_sub(&live, 1);
	return dnnl_success;
}

/* For tests: the objects that are left. */
TDN_VISIBLE int evenhand_test_dnnl_live(void);
TDN_VISIBLE int evenhand_test_dnnl_live(void)
{
	return atomic_load(&live);
}

bool tdn_word(const char *text, int64_t *code)
{
	static const struct {
		const char *text;
		int code;
	} words[] = {
		{ "oom", dnnl_out_of_memory }, { "invalid", dnnl_invalid_arguments },
		{ "unsupported", dnnl_unimplemented }, { "wrong", TDN_WRONG }, { "stale", TDN_STALE },
		{ "narrow", TDN_NARROW }, { "pieces", TDN_PIECES }, { "cannot", TDN_CANNOT }, { "cpu", TDN_CPU }, { "four", TDN_FOUR }, { "old", TDN_OLD },
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strcmp(words[i].text, text) == 0) {
			*code = words[i].code;
			return true;
		}
	return false;
}

/* Each has the type by which the backends call it. */
#define X(field, names, arguments) typedef dnnl_status_t tdn_##field arguments;
ONEDNN_FUNCTIONS(X)
ONEDNN3_FUNCTIONS(X)
#undef X
TDN_VISIBLE tdn_engine_create dnnl_engine_create;
TDN_VISIBLE tdn_engine_destroy dnnl_engine_destroy;
TDN_VISIBLE tdn_stream_create dnnl_stream_create;
TDN_VISIBLE tdn_stream_wait dnnl_stream_wait;
TDN_VISIBLE tdn_stream_destroy dnnl_stream_destroy;
TDN_VISIBLE tdn_memory_desc_create dnnl_memory_desc_create_with_strides;
TDN_VISIBLE tdn_memory_desc_destroy dnnl_memory_desc_destroy;
TDN_VISIBLE tdn_memory_create dnnl_memory_create;
TDN_VISIBLE tdn_memory_set dnnl_memory_set_data_handle;
TDN_VISIBLE tdn_memory_destroy dnnl_memory_destroy;
TDN_VISIBLE tdn_attr_create dnnl_primitive_attr_create;
TDN_VISIBLE tdn_attr_destroy dnnl_primitive_attr_destroy;
TDN_VISIBLE tdn_attr_set_post_ops dnnl_primitive_attr_set_post_ops;
TDN_VISIBLE tdn_attr_set_fpmath dnnl_primitive_attr_set_fpmath_mode;
TDN_VISIBLE tdn_post_ops_create dnnl_post_ops_create;
TDN_VISIBLE tdn_post_ops_destroy dnnl_post_ops_destroy;
TDN_VISIBLE tdn_append_sum dnnl_post_ops_append_sum;
TDN_VISIBLE tdn_append_eltwise dnnl_post_ops_append_eltwise;
TDN_VISIBLE const dnnl_version_t *dnnl_version(void);

TDN_VISIBLE const dnnl_version_t *dnnl_version(void)
{
	static dnnl_version_t version = { .minor = 12, .patch = 7, .hash = "7e57ab1e" };
	int64_t planned = 0;

	(void)faults_call("dnnl_version", tdn_word, &planned);
	version.major = planned == TDN_FOUR ? 4 : 3;
	version.minor = planned == TDN_OLD ? 2 : 12;
	version.cpu_runtime = tdn_has_cpu ? DNNL_RUNTIME_OMP : 0;
	version.gpu_runtime = planned == TDN_CPU ? 0 : tdn_runtime;
	return &version;
}

/* Engines of a GPU are made of other programs' objects. */
TDN_API dnnl_engine_create(dnnl_engine_t *engine, dnnl_engine_kind_t kind, size_t index)
{
	TDN_ENTER("dnnl_engine_create");

	if (kind != dnnl_cpu || index != 0 || !tdn_has_cpu)
		return dnnl_unimplemented;
	*engine = tdn_new(TDN_ENGINE, sizeof(**engine));
	return dnnl_success;
}

TDN_API dnnl_engine_destroy(dnnl_engine_t engine)
{
	TDN_ENTER("dnnl_engine_destroy");

	return tdn_end(engine, TDN_ENGINE);
}

TDN_API dnnl_stream_create(dnnl_stream_t *stream, dnnl_engine_t engine, unsigned flags)
{
	TDN_ENTER("dnnl_stream_create");

	if (!tdn_has_cpu)
		return dnnl_unimplemented;
	if (!tdn_is(engine, TDN_ENGINE) || flags != 1)
		return dnnl_invalid_arguments;
	*stream = tdn_new(TDN_STREAM, sizeof(**stream));
	(*stream)->engine = engine;
	return dnnl_success;
}

/* Products are made when they are enqueued. */
TDN_API dnnl_stream_wait(dnnl_stream_t stream)
{
	TDN_ENTER("dnnl_stream_wait");

	return tdn_is(stream, TDN_STREAM) ? dnnl_success : dnnl_invalid_arguments;
}

TDN_API dnnl_stream_destroy(dnnl_stream_t stream)
{
	TDN_ENTER("dnnl_stream_destroy");

	if (tdn_is(stream, TDN_STREAM))
		tdn_forget(stream);
	return tdn_end(stream, TDN_STREAM);
}

TDN_API dnnl_memory_desc_create_with_strides(dnnl_memory_desc_t *out, int dimensions, const dnnl_dim_t *sizes,
                                             dnnl_data_type_t type, const dnnl_dim_t *strides)
{
	struct dnnl_memory_desc *desc;
	TDN_ENTER("dnnl_memory_desc_create_with_strides");

	if (dimensions < 2 || dimensions > 3)
		return dnnl_invalid_arguments;
	desc = tdn_new(TDN_MEMORY_DESC, sizeof(*desc));
	desc->dimensions = dimensions;
	desc->type = type;
	memcpy(desc->sizes, sizes, (size_t)dimensions * sizeof(*sizes));
	memcpy(desc->strides, strides, (size_t)dimensions * sizeof(*strides));
	*out = desc;
	return dnnl_success;
}

TDN_API dnnl_memory_desc_destroy(dnnl_memory_desc_t desc)
{
	TDN_ENTER("dnnl_memory_desc_destroy");

	return tdn_end(desc, TDN_MEMORY_DESC);
}

TDN_API dnnl_memory_create(dnnl_memory_t *out, const struct dnnl_memory_desc *desc, dnnl_engine_t engine, void *data)
{
	struct dnnl_memory *memory;
	TDN_ENTER("dnnl_memory_create");

	if (!tdn_is(desc, TDN_MEMORY_DESC) || !tdn_is(engine, TDN_ENGINE))
		return dnnl_invalid_arguments;
	memory = tdn_new(TDN_MEMORY, sizeof(*memory));
	memory->desc = *desc;
	memory->place = data;
	*out = memory;
	return dnnl_success;
}

TDN_API dnnl_memory_set_data_handle(dnnl_memory_t memory, void *data)
{
	TDN_ENTER("dnnl_memory_set_data_handle");

	if (!tdn_is(memory, TDN_MEMORY))
		return dnnl_invalid_arguments;
	memory->place = data;
	return dnnl_success;
}

TDN_API dnnl_memory_destroy(dnnl_memory_t memory)
{
	TDN_ENTER("dnnl_memory_destroy");

	return tdn_end(memory, TDN_MEMORY);
}

TDN_API dnnl_primitive_attr_create(dnnl_primitive_attr_t *attr)
{
	TDN_ENTER("dnnl_primitive_attr_create");

	*attr = tdn_new(TDN_ATTR, sizeof(**attr));
	(*attr)->ops.alpha = 1;
	return dnnl_success;
}

TDN_API dnnl_primitive_attr_destroy(dnnl_primitive_attr_t attr)
{
	TDN_ENTER("dnnl_primitive_attr_destroy");

	return tdn_end(attr, TDN_ATTR);
}

TDN_API dnnl_primitive_attr_set_post_ops(dnnl_primitive_attr_t attr, const struct dnnl_post_ops *ops)
{
	TDN_ENTER("dnnl_primitive_attr_set_post_ops");

	if (!tdn_is(attr, TDN_ATTR) || !tdn_is(ops, TDN_OPS))
		return dnnl_invalid_arguments;
	attr->ops = *ops;
	return dnnl_success;
}

TDN_API dnnl_primitive_attr_set_fpmath_mode(dnnl_primitive_attr_t attr, dnnl_fpmath_mode_t mode)
{
	TDN_ENTER("dnnl_primitive_attr_set_fpmath_mode");

	if (!tdn_is(attr, TDN_ATTR))
		return dnnl_invalid_arguments;
	attr->strict = mode == dnnl_fpmath_mode_strict;
	return dnnl_success;
}

TDN_API dnnl_post_ops_create(dnnl_post_ops_t *ops)
{
	TDN_ENTER("dnnl_post_ops_create");

	*ops = tdn_new(TDN_OPS, sizeof(**ops));
	(*ops)->alpha = 1;
	return dnnl_success;
}

TDN_API dnnl_post_ops_destroy(dnnl_post_ops_t ops)
{
	TDN_ENTER("dnnl_post_ops_destroy");

	return tdn_end(ops, TDN_OPS);
}

/* After the factor of the product, as the operations are done in order. */
TDN_API dnnl_post_ops_append_sum(dnnl_post_ops_t ops, float scale, int32_t zero_point, dnnl_data_type_t type)
{
	TDN_ENTER("dnnl_post_ops_append_sum");

	if (!tdn_is(ops, TDN_OPS) || zero_point != 0 || type != dnnl_data_type_undef)
		return dnnl_invalid_arguments;
	ops->beta += (double)scale;
	return dnnl_success;
}

TDN_API dnnl_post_ops_append_eltwise(dnnl_post_ops_t ops, dnnl_alg_kind_t kind, float alpha, float beta)
{
	TDN_ENTER("dnnl_post_ops_append_eltwise");

	if (!tdn_is(ops, TDN_OPS) || kind != dnnl_eltwise_linear || beta != 0)
		return dnnl_invalid_arguments;
	ops->alpha *= (double)alpha;
	ops->beta *= (double)alpha;
	return dnnl_success;
}
