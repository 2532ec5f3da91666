/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What cuBLASLt and hipBLASLt share: one interface under names and types of their own.  A backend
 * defines these words, then includes this file in its header; in one source file it defines
 * LT_PRODUCTS_HERE before.  The compiler checks every call against the vendor's types.
 *
 *   types    lt_api (the functions, by the fields that are used below) lt_rc lt_type lt_compute lt_desc
 *            lt_layout lt_algorithm lt_handle lt_stream
 *   words    LT_OK LT_TURN(N or T)  LT_NAME("MatmulDescCreate")  LT_DESC(TRANSA)
 *            LT_LAYOUT(BATCH_COUNT)
 *
 * Their fast kernels are those for matrices by columns.  A matrix by rows is its transpose by columns, so
 * the product is asked for as C' = op(B)' * op(A)': the library's first factor, `a` here, is the
 * caller's B, and its transposes are the caller's own.
 */
#ifndef SHARED_LT_PRODUCTS_H
#define SHARED_LT_PRODUCTS_H

#include "products.h"

/* What the product is for the library: the types of its own first and second factor. */
typedef struct lt_types {
	lt_compute compute;
	lt_type scale, a, b, c;
} lt_types;

typedef struct lt_product {
	lt_desc desc;
	lt_layout a, b, c;
	lt_algorithm algorithm;
	products_factor alpha, beta;
} lt_product;

/* Fills a zeroed *p but for the algorithm; *where is the call that failed.  After a failure too it is freed
 * with lt_products_free. */
lt_rc lt_products_describe(const lt_api *api, const eh_gemm *gemm, const lt_types *types, lt_product *p,
                           const char **where);

/* Frees what the host has of it: no stream waits. */
void lt_products_free(const lt_api *api, lt_product *p);

/* One command: addresses are the device's, a and b the caller's factors.  The factors alpha and beta are
 * read before it returns, so a stream that records takes it as it takes a launch. */
lt_rc lt_products_enqueue(const lt_api *api, lt_handle handle, const lt_product *p, const void *a,
                          const void *b, void *c, void *workspace, size_t workspace_bytes,
                          lt_stream stream);

#endif

#ifdef LT_PRODUCTS_HERE

/* The calls that describe a product, up to the first that fails. */
typedef struct lt_description {
	const lt_api *api;
	lt_rc rc;
	const char *where; /* it failed                                                       */
} lt_description;

static bool lt_good(lt_description *d, lt_rc rc, const char *where)
{
	if (d->rc == LT_OK && rc != LT_OK) {
		d->rc = rc;
		d->where = where;
	}
	return d->rc == LT_OK;
}

/* A stored matrix of rows x columns by rows is one of columns x rows by columns. */
static void lt_describe_matrix(lt_description *d, lt_layout *layout, lt_type type, uint64_t rows,
                               uint64_t columns, uint64_t leading, uint64_t batch, uint64_t stride)
{
	const int32_t count = (int32_t)batch;
	const int64_t offset = (int64_t)stride;

	if (d->rc != LT_OK || !lt_good(d, d->api->layout_create(layout, type, columns, rows, (int64_t)leading),
	                               LT_NAME("MatrixLayoutCreate"))) {
		*layout = NULL;
		return;
	}
	if (batch > 1 &&
	    lt_good(d, d->api->layout_set(*layout, LT_LAYOUT(BATCH_COUNT), &count, sizeof(count)),
	            LT_NAME("MatrixLayoutSetAttribute")))
		(void)lt_good(d, d->api->layout_set(*layout, LT_LAYOUT(STRIDED_BATCH_OFFSET), &offset,
		                                    sizeof(offset)),
		              LT_NAME("MatrixLayoutSetAttribute"));
}

static void lt_describe_operation(lt_description *d, const eh_gemm *g, const lt_types *types, lt_desc *desc)
{
	const int32_t turn_a = g->flags & EH_GEMM_TRANSPOSE_B ? LT_TURN(T) : LT_TURN(N);
	const int32_t turn_b = g->flags & EH_GEMM_TRANSPOSE_A ? LT_TURN(T) : LT_TURN(N);

	if (!lt_good(d, d->api->desc_create(desc, types->compute, types->scale), LT_NAME("MatmulDescCreate"))) {
		*desc = NULL;
		return;
	}
	if (lt_good(d, d->api->desc_set(*desc, LT_DESC(TRANSA), &turn_a, sizeof(turn_a)),
	            LT_NAME("MatmulDescSetAttribute")))
		(void)lt_good(d, d->api->desc_set(*desc, LT_DESC(TRANSB), &turn_b, sizeof(turn_b)),
		              LT_NAME("MatmulDescSetAttribute"));
}

lt_rc lt_products_describe(const lt_api *api, const eh_gemm *g, const lt_types *types, lt_product *p,
                           const char **where)
{
	const bool turn_a = (g->flags & EH_GEMM_TRANSPOSE_A) != 0;
	const bool turn_b = (g->flags & EH_GEMM_TRANSPOSE_B) != 0;
	lt_description d = { api, LT_OK, "" };

	lt_describe_operation(&d, g, types, &p->desc);
	lt_describe_matrix(&d, &p->a, types->a, turn_b ? g->n : g->k, turn_b ? g->k : g->n, g->ldb, g->batch,
	                   g->stride_b);
	lt_describe_matrix(&d, &p->b, types->b, turn_a ? g->k : g->m, turn_a ? g->m : g->k, g->lda, g->batch,
	                   g->stride_a);
	lt_describe_matrix(&d, &p->c, types->c, g->m, g->n, g->ldc, g->batch, g->stride_c);
	p->alpha = products_factor_of(g, g->alpha);
	p->beta = products_factor_of(g, g->beta);
	*where = d.where;
	return d.rc;
}

void lt_products_free(const lt_api *api, lt_product *p)
{
	if (p->c != NULL)
		(void)api->layout_destroy(p->c);
	if (p->b != NULL)
		(void)api->layout_destroy(p->b);
	if (p->a != NULL)
		(void)api->layout_destroy(p->a);
	if (p->desc != NULL)
		(void)api->desc_destroy(p->desc);
}

lt_rc lt_products_enqueue(const lt_api *api, lt_handle handle, const lt_product *p, const void *a,
                          const void *b, void *c, void *workspace, size_t workspace_bytes,
                          lt_stream stream)
{
	return api->matmul(handle, p->desc, &p->alpha, b, p->a, a, p->b, &p->beta, c, p->c, c, p->c,
	                   &p->algorithm, workspace, workspace_bytes, stream);
}

#endif
