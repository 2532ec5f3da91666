/* SPDX-License-Identifier: Apache-2.0 */
#include "onednn.h"

#include <stdio.h>
#include <string.h>

#include "failure.h"

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

static const vendorlib_symbol symbols[] = {
#define X(field, names, arguments) VENDORLIB_REQUIRED(onednn_api, field, names)
	ONEDNN_FUNCTIONS(X)
	ONEDNN_VERSION(X)
#undef X
};

static const onednn_version *const versions[] = { &onednn_3, &onednn_2 };

/* The types of a product: of A and B, of C.  Of f64 the CPU has none. */
static const struct {
	const char *in, *out, *accumulate;
	dnnl_data_type_t type, result;
} products[] = {
	{ "f32", "f32", "f32", dnnl_f32, dnnl_f32 },
	{ "bf16", "bf16", "f32", dnnl_bf16, dnnl_bf16 },
	{ "bf16", "f32", "f32", dnnl_bf16, dnnl_f32 },
	{ "f16", "f16", "f32", dnnl_f16, dnnl_f16 },
	{ "f16", "f32", "f32", dnnl_f16, dnnl_f32 },
	{ "e4m3", "bf16", "f32", dnnl_f8_e4m3, dnnl_bf16 },
	{ "e4m3", "f32", "f32", dnnl_f8_e4m3, dnnl_f32 },
	{ "e5m2", "bf16", "f32", dnnl_f8_e5m2, dnnl_bf16 },
	{ "e5m2", "f32", "f32", dnnl_f8_e5m2, dnnl_f32 },
	{ "i8", "i32", "i32", dnnl_s8, dnnl_s32 },
	{ "f64", "f64", "f64", dnnl_f64, dnnl_f64 },
};

/* The first of each that the library knows: an older one calls a type a wrong argument. */
static int known_from(dnnl_data_type_t type)
{
	return type == dnnl_f8_e4m3 || type == dnnl_f8_e5m2 ? 304 : type == dnnl_f64 ? 300 : 0;
}

static size_t product_of(const eh_gemm *gemm, dnnl_engine_kind_t kind)
{
	size_t i = 0;

	while (i < COUNT(products) && !products_types(gemm, products[i].in, products[i].in, products[i].out,
	                                              products[i].accumulate))
		i++;
	return i < COUNT(products) && products[i].type == dnnl_f64 && kind == dnnl_cpu ? COUNT(products) : i;
}

bool onednn_has_types(const eh_gemm *gemm, dnnl_engine_kind_t kind)
{
	return product_of(gemm, kind) < COUNT(products);
}

eh_status onednn_resolve(const vendorlib *file, onednn_api *api, const char *advice, eh_error *error)
{
	const dnnl_version_t *version;
	eh_status status = vendorlib_resolve(file, symbols, COUNT(symbols), api, advice, error);

	if (status != EH_OK)
		return status;
	version = api->version();
	for (size_t i = 0; i < COUNT(versions) && api->of == NULL; i++)
		if (version->major == versions[i]->major)
			api->of = versions[i];
	if (api->of == NULL)
		return failure_set(error, EH_E_INCOMPATIBLE, "dnnl_version", "%.150s is oneDNN %d: %s.",
		                   file->path, version->major, advice);
	snprintf(api->version_text, sizeof(api->version_text), "%d.%d.%d", version->major, version->minor,
	         version->patch);
	return vendorlib_resolve(file, api->of->symbols, api->of->symbol_count, api->own, advice, error);
}

/* batch x rows x columns, as op() of what is stored. */
static void set_matrix(onednn_matrix *out, dnnl_data_type_t type, uint64_t batch, uint64_t stride,
                       uint64_t rows, uint64_t columns, uint64_t leading, bool turned)
{
	const dnnl_dim_t sizes[] = { (dnnl_dim_t)batch, (dnnl_dim_t)rows, (dnnl_dim_t)columns };
	const dnnl_dim_t strides[] = { (dnnl_dim_t)stride, turned ? 1 : (dnnl_dim_t)leading,
	                               turned ? (dnnl_dim_t)leading : 1 };
	const int skip = batch == 1;

	out->type = type;
	out->dimensions = 3 - skip;
	memcpy(out->sizes, sizes + skip, sizeof(sizes[0]) * (size_t)out->dimensions);
	memcpy(out->strides, strides + skip, sizeof(strides[0]) * (size_t)out->dimensions);
}

static dnnl_status_t make(const onednn_api *api, dnnl_engine_t engine, const eh_gemm *g, onednn_product *p,
                          const onednn_matrix matrices[ONEDNN_MATRICES], const char **kernel,
                          const char **call)
{
	dnnl_status_t rc;

	*call = "dnnl_primitive_attr_create";
	rc = api->attr_create(&p->attr);
	if (rc == dnnl_success) {
		/* ONEDNN_DEFAULT_FPMATH_MODE would have f32 multiplied as bf16. */
		*call = "dnnl_primitive_attr_set_fpmath_mode";
		rc = api->attr_set_fpmath(p->attr, dnnl_fpmath_mode_strict);
	}
	if (rc == dnnl_success) {
		*call = "dnnl_post_ops_create";
		rc = api->post_ops_create(&p->ops);
	}
	if (rc == dnnl_success) {
		*call = "dnnl_post_ops_append";
		rc = api->of->scale(api->own, p, g);
	}
	if (rc == dnnl_success) {
		*call = "dnnl_primitive_attr_set_post_ops";
		rc = api->attr_set_post_ops(p->attr, p->ops);
	}
	if (rc == dnnl_success)
		rc = api->of->describe(api->own, engine, p, matrices, call);
	if (rc == dnnl_success) {
		*call = "dnnl_primitive_desc_query";
		rc = api->primitive_desc_query(p->desc, dnnl_query_impl_info_str, 0, (void *)kernel);
	}
	if (rc == dnnl_success) {
		*call = "dnnl_primitive_create";
		rc = api->primitive_create(&p->primitive, p->desc);
	}
	return rc;
}

dnnl_status_t onednn_build(const onednn_api *api, dnnl_engine_t engine, dnnl_engine_kind_t kind,
                           const eh_gemm *g, onednn_product *p, const char **kernel, const char **call)
{
	const size_t of = product_of(g, kind);
	const dnnl_version_t *v = api->version();
	onednn_matrix matrices[ONEDNN_MATRICES];
	dnnl_status_t rc;

	*p = (onednn_product){ 0 };
	*call = "dnnl_version";
	if (of == COUNT(products) || v->major * 100 + v->minor < known_from(products[of].type))
		return dnnl_unimplemented;
	set_matrix(&matrices[ONEDNN_A], products[of].type, g->batch, g->stride_a, g->m, g->k, g->lda,
	           (g->flags & EH_GEMM_TRANSPOSE_A) != 0);
	set_matrix(&matrices[ONEDNN_B], products[of].type, g->batch, g->stride_b, g->k, g->n, g->ldb,
	           (g->flags & EH_GEMM_TRANSPOSE_B) != 0);
	set_matrix(&matrices[ONEDNN_C], products[of].result, g->batch, g->stride_c, g->m, g->n, g->ldc,
	           false);
	rc = make(api, engine, g, p, matrices, kernel, call);
	if (rc != dnnl_success)
		onednn_release(api, p);
	return rc;
}

void onednn_release(const onednn_api *api, onednn_product *p)
{
	for (int i = 0; i < ONEDNN_MATRICES; i++)
		if (p->memory[i] != NULL)
			(void)api->memory_destroy(p->memory[i]);
	if (p->primitive != NULL)
		(void)api->primitive_destroy(p->primitive);
	if (p->desc != NULL)
		(void)api->primitive_desc_destroy(p->desc);
	if (p->ops != NULL)
		(void)api->post_ops_destroy(p->ops);
	if (p->attr != NULL)
		(void)api->attr_destroy(p->attr);
	*p = (onednn_product){ 0 };
}

dnnl_status_t onednn_execute(const onednn_api *api, const onednn_product *p, dnnl_stream_t stream)
{
	const dnnl_exec_arg_t arguments[] = {
		{ DNNL_ARG_SRC, p->memory[ONEDNN_A] },
		{ DNNL_ARG_WEIGHTS, p->memory[ONEDNN_B] },
		{ DNNL_ARG_DST, p->memory[ONEDNN_C] },
	};

	return api->primitive_execute(p->primitive, stream, ONEDNN_MATRICES, arguments);
}
