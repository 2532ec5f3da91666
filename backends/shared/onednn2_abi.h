/* SPDX-License-Identifier: Apache-2.0 */
/* Of the ABI of oneDNN, what is so in version 2 alone; see onednn_abi.h. */
#ifndef ONEDNN2_ABI_H
#define ONEDNN2_ABI_H

#include "onednn_abi.h"

#ifndef ABI_OF_VENDOR

typedef enum dnnl_alg_kind_t {
	dnnl_eltwise_linear = 127,
} dnnl_alg_kind_t;

/* Only pointed to: the library fills them.  They have 696 and 2,800 bytes. */
typedef struct dnnl_memory_desc_t dnnl_memory_desc_t;
typedef struct dnnl_matmul_desc_t dnnl_matmul_desc_t;

#endif

#define ONEDNN2_FUNCTIONS(X) \
	X(memory_desc, "dnnl_memory_desc_init_by_strides", \
	  (dnnl_memory_desc_t *desc, int dimensions, const dnnl_dim_t *sizes, dnnl_data_type_t type, \
	   const dnnl_dim_t *strides)) \
	X(matmul_desc, "dnnl_matmul_desc_init", \
	  (dnnl_matmul_desc_t *desc, const dnnl_memory_desc_t *a, const dnnl_memory_desc_t *b, \
	   const dnnl_memory_desc_t *bias, const dnnl_memory_desc_t *c)) \
	X(append_sum, "dnnl_post_ops_append_sum", (dnnl_post_ops_t ops, float scale)) \
	X(append_eltwise, "dnnl_post_ops_append_eltwise", \
	  (dnnl_post_ops_t ops, float scale, dnnl_alg_kind_t kind, float alpha, float beta)) \
	X(primitive_desc_create, "dnnl_primitive_desc_create", \
	  (dnnl_primitive_desc_t *desc, const void *operation, const struct dnnl_primitive_attr *attr, \
	   dnnl_engine_t engine, const struct dnnl_primitive_desc *hint)) \
	X(memory_create, "dnnl_memory_create", \
	  (dnnl_memory_t *memory, const dnnl_memory_desc_t *desc, dnnl_engine_t engine, void *data))

#endif
