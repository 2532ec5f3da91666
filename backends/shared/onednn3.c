/* SPDX-License-Identifier: Apache-2.0 */
/* A product of oneDNN 3: descriptions are objects of the library. */
#include "onednn.h"
#include "onednn3_abi.h"

typedef struct onednn3_api {
#define X(field, names, arguments) dnnl_status_t (*field) arguments;
	ONEDNN3_FUNCTIONS(X)
#undef X
} onednn3_api;
_Static_assert(sizeof(onednn3_api) <= ONEDNN_OWN * sizeof(void *), "the functions have room");

static const vendorlib_symbol symbols[] = {
#define X(field, names, arguments) VENDORLIB_REQUIRED(onednn3_api, field, names)
	ONEDNN3_FUNCTIONS(X)
#undef X
};

static dnnl_status_t scale(const void *table, onednn_product *p, const eh_gemm *gemm)
{
	const onednn3_api *api = table;
	dnnl_status_t rc = dnnl_success;

	if (gemm->alpha != 1)
		rc = api->append_eltwise(p->ops, dnnl_eltwise_linear, (float)gemm->alpha, 0);
	if (rc == dnnl_success && gemm->beta != 0)
		rc = api->append_sum(p->ops, (float)gemm->beta, 0, dnnl_data_type_undef);
	return rc;
}

static dnnl_status_t describe(const void *table, dnnl_engine_t engine, onednn_product *p,
                              const onednn_matrix matrices[ONEDNN_MATRICES], const char **call)
{
	const onednn3_api *api = table;
	dnnl_memory_desc_t desc[ONEDNN_MATRICES] = { NULL };
	dnnl_status_t rc = dnnl_success;

	for (int i = 0; i < ONEDNN_MATRICES && rc == dnnl_success; i++) {
		*call = "dnnl_memory_desc_create_with_strides";
		rc = api->memory_desc_create(&desc[i], matrices[i].dimensions, matrices[i].sizes,
		                             matrices[i].type, matrices[i].strides);
	}
	if (rc == dnnl_success) {
		*call = "dnnl_matmul_primitive_desc_create";
		rc = api->matmul_create(&p->desc, engine, desc[ONEDNN_A], desc[ONEDNN_B], NULL,
		                        desc[ONEDNN_C], p->attr);
	}
	for (int i = 0; i < ONEDNN_MATRICES && rc == dnnl_success; i++) {
		*call = "dnnl_memory_create";
		rc = api->memory_create(&p->memory[i], desc[i], engine, NULL);
	}
	/* What is made of them has copies. */
	for (int i = 0; i < ONEDNN_MATRICES; i++)
		if (desc[i] != NULL)
			(void)api->memory_desc_destroy(desc[i]);
	return rc;
}

const onednn_version onednn_3 = {
	.major = 3,
	.symbols = symbols,
	.symbol_count = sizeof(symbols) / sizeof(symbols[0]),
	.scale = scale,
	.describe = describe,
};
