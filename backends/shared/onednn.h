/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Products by the matmul of oneDNN 2 and 3, on an engine that a backend makes: the CPU's, or one of an OpenCL or
 * Level Zero device.  The versions make one product by different functions; each version's are in a file of
 * its own.
 */
#ifndef SHARED_ONEDNN_H
#define SHARED_ONEDNN_H

#include <string.h>

#include "onednn_abi.h"
#include "products.h"
#include "vendorlib.h"

enum { ONEDNN_A, ONEDNN_B, ONEDNN_C, ONEDNN_MATRICES };

typedef struct onednn_matrix {
	dnnl_data_type_t type;
	int dimensions;                       /* 2, or 3 with the batch first                    */
	dnnl_dim_t sizes[3], strides[3];      /* as op() of what is stored; in elements          */
} onednn_matrix;

/* What a product consists of; NULL where it was not made. */
typedef struct onednn_product {
	dnnl_primitive_attr_t attr;
	dnnl_post_ops_t ops;
	dnnl_primitive_desc_t desc;
	dnnl_primitive_t primitive;
	dnnl_memory_t memory[ONEDNN_MATRICES]; /* without a buffer                               */
} onednn_product;

/* Room for the functions of a version. */
enum { ONEDNN_OWN = 16 };

typedef struct onednn_version {
	int major;
	const vendorlib_symbol *symbols;
	size_t symbol_count;
	/* Appends C = alpha * product + beta * C to p->ops, of which 1 and 0 need nothing. */
	dnnl_status_t (*scale)(const void *api, onednn_product *p, const eh_gemm *gemm);
	/* Fills p->desc and p->memory, from the rest of *p; *call = the function that was called last. */
	dnnl_status_t (*describe)(const void *api, dnnl_engine_t engine, onednn_product *p,
	                          const onednn_matrix matrices[ONEDNN_MATRICES], const char **call);
} onednn_version;

extern const onednn_version onednn_2, onednn_3;

typedef struct onednn_api {
#define X(field, names, arguments) dnnl_status_t (*field) arguments;
	ONEDNN_FUNCTIONS(X)
#undef X
#define X(field, names, arguments) const dnnl_version_t *(*field) arguments;
	ONEDNN_VERSION(X)
#undef X
	const onednn_version *of;
	void *own[ONEDNN_OWN]; /* the functions of that version                                   */
	char version_text[32]; /* "3.6.2"                                                         */
} onednn_api;

/* Fills *api from the library's file.  EH_E_INCOMPATIBLE for one that is no whole oneDNN 2 or 3; `advice` is a
 * clause about what to install. */
eh_status onednn_resolve(const vendorlib *file, onednn_api *api, const char *advice, eh_error *error);

/* Can it make products of these types at all, on engines of that kind? */
bool onednn_has_types(const eh_gemm *gemm, dnnl_engine_kind_t kind);

/* The product on engine, all or nothing, and the kernel that the library chose for it, a text of the
 * library's.  f32 is multiplied as f32, whatever the environment says.  dnnl_unimplemented when it has none;
 * *call = the function of the library's that said so. */
dnnl_status_t onednn_build(const onednn_api *api, dnnl_engine_t engine, dnnl_engine_kind_t kind,
                           const eh_gemm *gemm, onednn_product *p, const char **kernel, const char **call);
void onednn_release(const onednn_api *api, onednn_product *p);

/* Its handles are not const, though it writes to outputs alone. */
static inline void *onednn_handle(const void *data)
{
	void *out;

	memcpy(&out, &data, sizeof(out));
	return out;
}

/* Enqueues it in the stream; its memory has buffers. */
dnnl_status_t onednn_execute(const onednn_api *api, const onednn_product *p, dnnl_stream_t stream);

#endif
