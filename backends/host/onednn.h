/* SPDX-License-Identifier: Apache-2.0 */
/* oneDNN 2 and 3 make one product by different functions; each version's are in a file of its own. */
#ifndef HOST_ONEDNN_H
#define HOST_ONEDNN_H

#include "gemmplans.h"
#include "onednn_abi.h"

enum { ONEDNN_A, ONEDNN_B, ONEDNN_C, ONEDNN_MATRICES };

typedef struct onednn_matrix {
	dnnl_data_type_t type;
	int dimensions;                       /* 2, or 3 with the batch first                    */
	dnnl_dim_t sizes[3], strides[3];      /* as op() of what is stored; in elements          */
} onednn_matrix;

/* What a product consists of; NULL where it was not made. */
typedef struct onednn_product {
	dnnl_engine_t engine;
	dnnl_stream_t stream;
	dnnl_primitive_attr_t attr;
	dnnl_post_ops_t ops;
	dnnl_primitive_desc_t desc;
	dnnl_primitive_t primitive;
	dnnl_memory_t memory[ONEDNN_MATRICES];
} onednn_product;

/* Room for the functions of a version. */
enum { ONEDNN_OWN = 16 };

typedef struct onednn_version {
	int major;
	const vendorlib_symbol *symbols;
	size_t symbol_count;
	/* Appends C = alpha * product + beta * C to p->ops, of which 1 and 0 need nothing. */
	dnnl_status_t (*scale)(const void *api, onednn_product *p, const eh_gemm *gemm);
	/* Fills p->desc and p->memory, from the rest of *p. */
	dnnl_status_t (*describe)(const void *api, onednn_product *p,
	                          const onednn_matrix matrices[ONEDNN_MATRICES]);
} onednn_version;

extern const onednn_version onednn_2, onednn_3;

#endif
