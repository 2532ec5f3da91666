/* SPDX-License-Identifier: Apache-2.0 */
#define LT_PRODUCTS_HERE
#include "cuda_matmul.h"

eh_status cuda_matmul_make(eh_device *device, const eh_gemm *g, const cuda_matmul_types *types,
                           cuda_matmul *m, eh_error *error)
{
	const cuda_cublaslt *l = device->self->cublaslt;
	const char *where = "";
	const cublasStatus_t rc = lt_products_describe(&l->api, g, &types->types, &m->product, &where);
	char text[48];

	if (rc == CUBLAS_STATUS_SUCCESS)
		return cuda_matmul_choose(device, g, types, m, error);
	products_text(g, text, sizeof(text));
	return cuda_cublaslt_failed(error, rc, where, "cuBLASLt %s does not take a product of %s", l->version,
	                            text);
}
