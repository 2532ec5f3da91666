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

/* One side of every row. */
typedef struct sided { const result_row *row; const comparison_side *side; } sided;

static sided side_of(const comparison_row *row, bool baseline)
{
	return baseline ? (sided){ row->a, row->baseline } : (sided){ row->b, row->other };
}

static bool usable(sided s)
{
	return s.row != NULL && s.row->side.executions > 0 && s.side->evidence.level < EVIDENCE_BAD;
}

static bool is_portable(const result_row *r)
{
	return r->planned->tier == RECORD_TIER_PORTABLE;
}

static portable *portables_of(const comparison *c, bool baseline, size_t *count)
{
	portable *list = memory_get((c->cases.count + 1) * sizeof(*list));
	size_t tuned = 0;
	size_t i;

	*count = 0;
	for (i = 0; i < c->cases.count; i++) {
		sided s = side_of(&c->cases.items[i], baseline);

		tuned += s.row != NULL && !is_portable(s.row);
	}
	for (i = 0; i < c->cases.count && tuned > 0; i++) {
		sided s = side_of(&c->cases.items[i], baseline);

		if (usable(s) && is_portable(s.row))
			list[(*count)++] = (portable){ pairing_identity(s.row, false), s.row };
	}
	if (*count > 1)
		qsort(list, *count, sizeof(*list), by_key);
	return list;
}

static comparison_ratio *gain_of(const portable *list, size_t count, sided s)
{
	const portable *found;
	portable wanted;
	statistics_side base;
	statistics_side tuned;

	if (count == 0 || !usable(s) || is_portable(s.row))
		return NULL;
	wanted = (portable){ pairing_identity(s.row, false), NULL };
	found = bsearch(&wanted, list, count, sizeof(*list), by_key);
	free(wanted.key);
	if (found == NULL)
		return NULL;
	base = found->row->medians;
	tuned = s.row->medians;
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
	portable *a = portables_of(c, true, &a_count);
	portable *b = portables_of(c, false, &b_count);
	size_t i;

	for (i = 0; i < c->cases.count; i++) {
		comparison_row *row = &c->cases.items[i];

		row->baseline_tuning_gain = gain_of(a, a_count, side_of(row, true));
		row->other_tuning_gain = gain_of(b, b_count, side_of(row, false));
	}
	portables_free(a, a_count);
	portables_free(b, b_count);
}
