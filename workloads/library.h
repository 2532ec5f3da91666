/* SPDX-License-Identifier: Apache-2.0 */
/* The vendor tier: a matrix product by the library of the backend (eh.gemm.1). */
#ifndef WORKLOADS_LIBRARY_H
#define WORKLOADS_LIBRARY_H

#include "evenhand/extensions.h"
#include "support.h"

/* As much as the largest GPUs' libraries ask for. */
#define LIBRARY_WORKSPACE (UINT64_C(64) << 20)

/* Zeroed: none. */
typedef struct library_product {
	const eh_bench *bench;
	const eh_gemm_ops *ops;
	eh_gemm_plan *plan;          /* NULL where this is not the vendor tier                   */
	eh_buffer *workspace;
} library_product;

SUPPORT_INLINE int library_wanted(const eh_bench *bench)
{
	return EH_ROOM(bench->struct_size, eh_bench, tier) && bench->tier == EH_TIER_VENDOR;
}

/* Asks the backend for the product g, of which workspace_limit is set here. */
SUPPORT_INLINE eh_status library_open(library_product *l, const eh_bench *bench, const eh_gemm *g,
                                      eh_error *error)
{
	eh_gemm wanted = *g;
	uint64_t workspace = 0;
	eh_status status;

	l->bench = bench;
	wanted.workspace_limit = LIBRARY_WORKSPACE;
	l->ops = bench->extension(bench, EH_GEMM_NAME);
	if (l->ops == NULL)
		return support_error(error, EH_E_UNSUPPORTED,
		                     "The backend offers no library for matrix products (%s).",
		                     EH_GEMM_NAME);
	status = l->ops->prepare(bench->device, &wanted, &l->plan, &workspace, error);
	if (status != EH_OK)
		l->plan = NULL;
	if (status == EH_OK && workspace > 0)
		status = support_alloc(bench, EH_MEMORY_DEVICE, workspace, &l->workspace, error);
	return status;
}

/* C = op(A) op(B), the matrices at the start of the buffers. */
SUPPORT_INLINE eh_status library_enqueue(const library_product *l, eh_buffer *a, eh_buffer *b,
                                         eh_buffer *c, eh_error *error)
{
	const eh_gemm_operands operands = {
		.struct_size = sizeof operands,
		.a = a, .b = b, .c = c, .workspace = l->workspace,
	};
	return l->ops->enqueue(l->bench->queue, l->plan, &operands, error);
}

SUPPORT_INLINE eh_status library_layer(const library_product *l, eh_layer *layer, eh_error *error)
{
	return l->ops->layer(l->plan, layer, error);
}

SUPPORT_INLINE void library_close(library_product *l)
{
	if (l->plan != NULL)
		l->ops->destroy(l->plan);
	if (l->bench != NULL)
		support_free(l->bench, l->workspace);
}

#endif
