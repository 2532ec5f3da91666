/* SPDX-License-Identifier: Apache-2.0 */
/* Of the ABI of oneDNN, what is so in version 3 alone; see onednn_abi.h. */
#ifndef ONEDNN3_ABI_H
#define ONEDNN3_ABI_H

#include "onednn_abi.h"

#ifndef ABI_OF_VENDOR

typedef enum dnnl_alg_kind_t {
	dnnl_eltwise_linear = 38,
} dnnl_alg_kind_t;

typedef struct dnnl_memory_desc *dnnl_memory_desc_t;

#endif

#define ONEDNN3_FUNCTIONS(X) \
	X(memory_desc_create, "dnnl_memory_desc_create_with_strides", \
	  (dnnl_memory_desc_t *desc, int dimensions, const dnnl_dim_t *sizes, dnnl_data_type_t type, \
	   const dnnl_dim_t *strides)) \
	X(memory_desc_destroy, "dnnl_memory_desc_destroy", (dnnl_memory_desc_t desc)) \
	X(matmul_create, "dnnl_matmul_primitive_desc_create", \
	  (dnnl_primitive_desc_t *desc, dnnl_engine_t engine, const struct dnnl_memory_desc *a, \
	   const struct dnnl_memory_desc *b, const struct dnnl_memory_desc *bias, \
	   const struct dnnl_memory_desc *c, const struct dnnl_primitive_attr *attr)) \
	X(append_sum, "dnnl_post_ops_append_sum", \
	  (dnnl_post_ops_t ops, float scale, int32_t zero_point, dnnl_data_type_t type)) \
	X(append_eltwise, "dnnl_post_ops_append_eltwise", \
	  (dnnl_post_ops_t ops, dnnl_alg_kind_t kind, float alpha, float beta)) \
	X(memory_create, "dnnl_memory_create", \
	  (dnnl_memory_t *memory, const struct dnnl_memory_desc *desc, dnnl_engine_t engine, void *data))

#endif
