/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "products.h"

bool product_sizes(product *p)
{
	p->m = p->a.turned ? p->a.columns : p->a.rows;
	p->k = p->a.turned ? p->a.rows : p->a.columns;
	p->n = p->b.turned ? p->b.rows : p->b.columns;
	return p->k == (p->b.turned ? p->b.columns : p->b.rows) && p->m == p->d.rows && p->n == p->d.columns &&
	       p->a.batch == p->b.batch && p->a.batch == p->d.batch;
}

uint64_t product_extent(const product_matrix *x)
{
	return ((uint64_t)(x->batch - 1) * (uint64_t)x->offset + (x->columns - 1) * (uint64_t)x->leading +
	        x->rows) * product_bytes(x->type);
}

static uint64_t place(const product_matrix *x, uint64_t i, uint64_t j, uint64_t of)
{
	const uint64_t row = x->turned ? j : i, column = x->turned ? i : j;

	return of * (uint64_t)x->offset + column * (uint64_t)x->leading + row;
}

static double rounded(double value, product_type type)
{
	char at[sizeof(double)];

	product_put(at, type, 0, value);
	return product_get(at, type, 0);
}

static double factor(const product *p, const product_matrix *x, const char *at, uint64_t index)
{
	const double value = product_get(at, x->type, index);

	if (p->tf32)
		return product_tf32(value);
	return p->flush ? product_flushed(value, x->type) : value;
}

static void one_product(const product *p, const char *a, const char *b, const char *c, char *d, uint64_t of)
{
	for (uint64_t j = 0; j < p->n; j++)
		for (uint64_t i = 0; i < p->m; i++) {
			const uint64_t at = place(&p->d, i, j, of);
			double sum = 0;

			for (uint64_t l = 0; l < p->k; l++) {
				sum += factor(p, &p->a, a, place(&p->a, i, l, of)) *
				       factor(p, &p->b, b, place(&p->b, l, j, of));
				if (p->bits > 0)
					sum = product_cut(sum, p->bits);
				if (p->part > 0 && (l + 1) % p->part == 0)
					sum = rounded(sum, p->d.type);
			}
			sum *= p->alpha;
			if (p->beta != 0)
				sum += p->beta * product_get(c, p->d.type, at);
			if (p->flush)
				sum = product_flushed(sum, p->d.type);
			product_put(d, p->d.type, at, sum);
		}
}

void product_spoil(const product *p, char *d)
{
	const uint64_t bytes = product_bytes(p->d.type);
	const uint64_t at = place(&p->d, p->m / 2, p->n / 3, 0) * bytes + bytes - 1;

	d[at] = (char)(d[at] ^ 0x40);
}

void product_compute(const product *p, const char *a, const char *b, const char *c, char *d)
{
	for (int32_t of = 0; of < p->d.batch; of++)
		one_product(p, a, b, c, d, (uint64_t)of);
	if (p->wrong)
		product_spoil(p, d);
}
