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
	uint64_t workspace_bytes;
	eh_buffer *workspace;
	int lent;                    /* the workspace is another product's                       */
} library_product;

SUPPORT_INLINE int library_wanted(const eh_bench *bench)
{
	return EH_ROOM(bench->struct_size, eh_bench, tier) && bench->tier == EH_TIER_VENDOR;
}

/* Asks the backend for the product g, of which workspace_limit is set here; no workspace yet. */
SUPPORT_INLINE eh_status library_plan(library_product *l, const eh_bench *bench, const eh_gemm *g,
                                      eh_error *error)
{
	eh_gemm wanted = *g;
	eh_status status;

	l->bench = bench;
	wanted.workspace_limit = LIBRARY_WORKSPACE;
	l->ops = bench->extension(bench, EH_GEMM_NAME);
	if (l->ops == NULL)
		return support_error(error, EH_E_UNSUPPORTED,
		                     "The backend offers no library for matrix products (%s).",
		                     EH_GEMM_NAME);
	status = l->ops->prepare(bench->device, &wanted, &l->plan, &l->workspace_bytes, error);
	if (status != EH_OK)
		l->plan = NULL;
	return status;
}

/* One workspace for products of one queue, which follow each other; the first one owns it. */
SUPPORT_INLINE eh_status library_share(library_product *l, size_t count, eh_error *error)
{
	uint64_t most = 0;
	eh_status status = EH_OK;
	size_t i;
	for (i = 0; i < count; i++)
		if (l[i].plan != NULL && l[i].workspace_bytes > most)
			most = l[i].workspace_bytes;
	if (most > 0)
		status = support_alloc(l[0].bench, EH_MEMORY_DEVICE, most, &l[0].workspace, error);
	for (i = 1; i < count; i++) {
		l[i].lent = 1;
		if (l[i].workspace_bytes > 0)
			l[i].workspace = l[0].workspace;
	}
	return status;
}

SUPPORT_INLINE eh_status library_open(library_product *l, const eh_bench *bench, const eh_gemm *g,
                                      eh_error *error)
{
	const eh_status status = library_plan(l, bench, g, error);
	return status == EH_OK ? library_share(l, 1, error) : status;
}

/* C = op(A) op(B) + beta C, the matrices at byte `at`, in this order, of the buffers. */
SUPPORT_INLINE eh_status library_enqueue_at(const library_product *l, eh_buffer *a, eh_buffer *b,
                                            eh_buffer *c, const uint64_t at[3], eh_error *error)
{
	const eh_gemm_operands operands = {
		.struct_size = sizeof operands,
		.a = a, .b = b, .c = c,
		.workspace = l->workspace_bytes > 0 ? l->workspace : NULL,
		.offset_a = at[0], .offset_b = at[1], .offset_c = at[2],
	};
	return l->ops->enqueue(l->bench->queue, l->plan, &operands, error);
}

SUPPORT_INLINE eh_status library_enqueue(const library_product *l, eh_buffer *a, eh_buffer *b,
                                         eh_buffer *c, eh_error *error)
{
	static const uint64_t start[3];
	return library_enqueue_at(l, a, b, c, start, error);
}

/* library_plan for Y = X W^T + beta Y of m rows: X is m x k, W n x k, Y m x n, all of them whole. */
SUPPORT_INLINE eh_status library_plan_layer(library_product *l, const eh_bench *bench, uint64_t m, uint64_t n,
                                            uint64_t k, double beta, const char *input,
                                            const char *output, eh_error *error)
{
	eh_gemm g = {
		.struct_size = sizeof g,
		.flags = EH_GEMM_TRANSPOSE_B,
		.m = m, .n = n, .k = k,
		.lda = k, .ldb = k, .ldc = n,
		.batch = 1,
		.stride_a = m * k, .stride_b = n * k, .stride_c = m * n,
		.alpha = 1, .beta = beta,
	};
	snprintf(g.type_a, sizeof g.type_a, "%s", input);
	snprintf(g.type_b, sizeof g.type_b, "%s", input);
	snprintf(g.type_c, sizeof g.type_c, "%s", output);
	snprintf(g.accumulate, sizeof g.accumulate, "f32");
	return library_plan(l, bench, &g, error);
}

SUPPORT_INLINE eh_status library_layer(const library_product *l, eh_layer *layer, eh_error *error)
{
	return l->ops->layer(l->plan, layer, error);
}

/* The value of "kernel=" in a layer's detail, and its length in bytes. */
SUPPORT_INLINE const char *library_kernel(const eh_layer *layer, int *length)
{
	static const char key[] = "kernel=";
	const char *at = strstr(layer->detail, key);
	at = at != NULL ? at + sizeof key - 1 : "";
	*length = (int)strcspn(at, ";");
	return at;
}

/*
 * Of several products, some perhaps without a plan: the layer of the first, and the kernel or library of each
 * other that has another one, as "kernel of NAME=...".  What does not fit into the detail is counted.
 */
SUPPORT_INLINE eh_status library_layers(const library_product *l, const char *const *names, size_t count,
                                        eh_layer *layer, eh_error *error)
{
	int known = 0, more = 0, length, n;
	size_t i;
	for (i = 0; i < count; i++) {
		eh_layer other = {.struct_size = sizeof other, .kind = EH_LAYER_LIBRARY};
		const char *kernel, *before;
		eh_status status;
		if (l[i].plan == NULL)
			continue;
		status = library_layer(&l[i], known ? &other : layer, error);
		if (status != EH_OK)
			return status;
		if (!known) {
			known = 1;
			continue;
		}
		kernel = library_kernel(&other, &n);
		before = library_kernel(layer, &length);
		if (strcmp(other.name, layer->name) == 0 && n == length &&
		    strncmp(kernel, before, (size_t)n) == 0)
			continue;
		if (strlen(layer->detail) + strlen(names[i]) + strlen(other.name) + (size_t)n + 48 >
		    sizeof layer->detail) {
			more++;
			continue;
		}
		snprintf(layer->detail + strlen(layer->detail),
		         sizeof layer->detail - strlen(layer->detail), "; kernel of %s=%s%s%.*s", names[i],
		         strcmp(other.name, layer->name) == 0 ? "" : other.name,
		         strcmp(other.name, layer->name) == 0 ? "" : ": ", n, kernel);
	}
	if (more > 0 && strlen(layer->detail) + 32 < sizeof layer->detail)
		snprintf(layer->detail + strlen(layer->detail),
		         sizeof layer->detail - strlen(layer->detail), "; further kernels=%d", more);
	return EH_OK;
}

SUPPORT_INLINE void library_close(library_product *l)
{
	if (l->plan != NULL)
		l->ops->destroy(l->plan);
	if (l->bench != NULL && !l->lent)
		support_free(l->bench, l->workspace);
}

#endif
