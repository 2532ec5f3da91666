/* SPDX-License-Identifier: Apache-2.0 */
#include "products.h"

#include <stdlib.h>
#include <string.h>

#include "../shared/library.h"

enum { ILLEGAL_ADDRESS = 700 /* CUDA_ERROR_ILLEGAL_ADDRESS, hipErrorIllegalAddress */ };

static void spoil(void *data)
{
	const product *p = data;
	char *d = evenhand_test_view(p->d.at, product_extent(&p->d));

	if (d != NULL)
		product_spoil(p, d);
}

static int64_t run(void *data)
{
	product *p = data;
	const char *a = evenhand_test_view(p->a.at, product_extent(&p->a));
	const char *b = evenhand_test_view(p->b.at, product_extent(&p->b));
	const char *c = evenhand_test_view(p->at_c, product_extent(&p->d));
	char *d = evenhand_test_view(p->d.at, product_extent(&p->d)), *workspace = NULL;

	if (a == NULL || b == NULL || c == NULL || d == NULL)
		return ILLEGAL_ADDRESS;
	if (p->workspace_bytes > 0) {
		workspace = evenhand_test_view(p->workspace, p->workspace_bytes);
		if (workspace == NULL)
			return ILLEGAL_ADDRESS;
		memset(workspace, 0xff, p->workspace_bytes);
	}
	product_compute(p, a, b, c, d);
	return 0;
}

int64_t product_enqueue(void *stream, const product *p)
{
	product *copy = malloc(sizeof(*copy));

	if (copy == NULL)
		abort();
	*copy = *p;
	return evenhand_test_enqueue(stream, (streams_work){ run, spoil, free, copy });
}
