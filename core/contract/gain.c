/* SPDX-License-Identifier: Apache-2.0 */
/* What tuning gains: a case of the tuned or vendor tier against its portable sibling of the same
 * result.  It says how good the tuning is, and ranks no executor. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "contract/condition.h"

typedef struct portable { char *key; const result_row *row; } portable;

static int by_key(const void *a, const void *b)
{
	return strcmp(((const portable *)a)->key, ((const portable *)b)->key);
}

static bool usable(const result_row *r)
{
	return r->side.executions > 0 && record_counts(r->record->status);
}

static bool is_portable(const result_row *r)
{
	return r->planned->tier == RECORD_TIER_PORTABLE;
}

static portable *portables_of(const result *r, size_t *count)
{
	portable *list = memory_get((r->row_count + 1) * sizeof(*list));
	size_t tuned = 0;
	size_t i;

	*count = 0;
	for (i = 0; i < r->row_count; i++)
		tuned += !is_portable(&r->rows[i]);
	for (i = 0; i < r->row_count && tuned > 0; i++)
		if (is_portable(&r->rows[i]) && usable(&r->rows[i]))
			list[(*count)++] = (portable){ pairing_identity(&r->rows[i], false), &r->rows[i] };
	if (*count > 1)
		qsort(list, *count, sizeof(*list), by_key);
	return list;
}

static comparison_ratio *gain_of(const portable *list, size_t count, const result_row *r)
{
	const portable *found;
	portable wanted;
	statistics_side base;
	statistics_side tuned;

	if (count == 0 || r == NULL || is_portable(r) || !usable(r))
		return NULL;
	wanted = (portable){ pairing_identity(r, false), NULL };
	found = bsearch(&wanted, list, count, sizeof(*list), by_key);
	free(wanted.key);
	if (found == NULL)
		return NULL;
	base = found->row->medians;
	tuned = r->medians;
	return ratio_kept(ratio_of(&base, &tuned, false, 1 - DECISION_ERROR));
}

static void portables_free(portable *list, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		free(list[i].key);
	free(list);
}

void gain_fill(comparison *c)
{
	size_t a_count;
	size_t b_count;
	portable *a = portables_of(c->a, &a_count);
	portable *b = portables_of(c->b, &b_count);
	size_t i;

	for (i = 0; i < c->cases.count; i++) {
		comparison_row *row = &c->cases.items[i];

		row->baseline_tuning_gain = gain_of(a, a_count, row->a);
		row->other_tuning_gain = gain_of(b, b_count, row->b);
	}
	portables_free(a, a_count);
	portables_free(b, b_count);
}
