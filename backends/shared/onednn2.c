/* SPDX-License-Identifier: Apache-2.0 */
/* A product of oneDNN 2: descriptions are structs that the caller has room for. */
#include "onednn.h"
#include "onednn2_abi.h"

typedef struct onednn2_api {
#define X(field, names, arguments) dnnl_status_t (*field) arguments;
	ONEDNN2_FUNCTIONS(X)
#undef X
} onednn2_api;
_Static_assert(sizeof(onednn2_api) <= ONEDNN_OWN * sizeof(void *), "the functions have room");

static const vendorlib_symbol symbols[] = {
#define X(field, names, arguments) VENDORLIB_REQUIRED(onednn2_api, field, names)
	ONEDNN2_FUNCTIONS(X)
#undef X
};

/* Room for its two descriptions; tests/abi/vendor/onednn2.c has these numbers too. */
enum { MEMORY_DESC = 1024, MATMUL_DESC = 4096 };

static dnnl_status_t scale(const void *table, onednn_product *p, const eh_gemm *gemm)
{
	const onednn2_api *api = table;
	dnnl_status_t rc = dnnl_success;

	if (gemm->alpha != 1)
		rc = api->append_eltwise(p->ops, 1, dnnl_eltwise_linear, (float)gemm->alpha, 0);
	if (rc == dnnl_success && gemm->beta != 0)
		rc = api->append_sum(p->ops, (float)gemm->beta);
	return rc;
}

static dnnl_status_t describe(const void *table, dnnl_engine_t engine, onednn_product *p,
                              const onednn_matrix matrices[ONEDNN_MATRICES], const char **call)
{
	const onednn2_api *api = table;
	_Alignas(16) unsigned char desc[ONEDNN_MATRICES][MEMORY_DESC];
	_Alignas(16) unsigned char operation[MATMUL_DESC];
	dnnl_status_t rc = dnnl_success;

	for (int i = 0; i < ONEDNN_MATRICES && rc == dnnl_success; i++) {
		*call = "dnnl_memory_desc_init_by_strides";
		rc = api->memory_desc((void *)desc[i], matrices[i].dimensions, matrices[i].sizes,
		                      matrices[i].type, matrices[i].strides);
	}
	if (rc == dnnl_success) {
		*call = "dnnl_matmul_desc_init";
		rc = api->matmul_desc((void *)operation, (void *)desc[ONEDNN_A], (void *)desc[ONEDNN_B],
		                      NULL, (void *)desc[ONEDNN_C]);
	}
	if (rc == dnnl_success) {
		*call = "dnnl_primitive_desc_create";
		rc = api->primitive_desc_create(&p->desc, operation, p->attr, engine, NULL);
	}
	for (int i = 0; i < ONEDNN_MATRICES && rc == dnnl_success; i++) {
		*call = "dnnl_memory_create";
		rc = api->memory_create(&p->memory[i], (void *)desc[i], engine, NULL);
	}
	return rc;
}

const onednn_version onednn_2 = {
	.major = 2,
	.symbols = symbols,
	.symbol_count = sizeof(symbols) / sizeof(symbols[0]),
	.scale = scale,
	.describe = describe,
};
