/* SPDX-License-Identifier: Apache-2.0 */
/* Which case stands against which. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "contract/condition.h"

/* A row under the text that it is looked up by. */
typedef struct entry {
	const char *key;
	char *own;       /* the key where the listing owns it, else NULL */
	const result_row *row;
	bool taken;
} entry;
typedef struct listing { entry *items; size_t count; } listing;

static int by_key(const void *a, const void *b)
{
	const entry *x = a;
	const entry *y = b;
	int order = strcmp(x->key, y->key);

	return order != 0 ? order : (x->row > y->row) - (x->row < y->row);
}

static void listing_sort(listing *l)
{
	if (l->count > 1)
		qsort(l->items, l->count, sizeof(*l->items), by_key);
}

static listing listing_by_id(const result *r)
{
	listing l = { memory_get((r->row_count + 1) * sizeof(entry)), r->row_count };
	size_t i;

	for (i = 0; i < r->row_count; i++)
		l.items[i] = (entry){ .key = r->rows[i].id, .row = &r->rows[i] };
	listing_sort(&l);
	return l;
}

static void listing_free(listing *l)
{
	size_t i;

	for (i = 0; i < l->count; i++)
		free(l->items[i].own);
	free(l->items);
}

/* The first of that key that is not taken; count gets how many there are. */
static entry *listing_find(const listing *l, const char *key, size_t *count)
{
	size_t low = 0;
	size_t high = l->count;
	entry *found = NULL;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (strcmp(l->items[middle].key, key) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	*count = 0;
	for (; low < l->count && strcmp(l->items[low].key, key) == 0; low++) {
		if (l->items[low].taken)
			continue;
		if (found == NULL)
			found = &l->items[low];
		(*count)++;
	}
	return found;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const text_pair *)a)->key, ((const text_pair *)b)->key);
}

static void add_parameters(text *t, const text_map *parameters)
{
	text_pair *sorted = memory_get((parameters->count + 1) * sizeof(*sorted));

	if (parameters->count > 0) {
		memcpy(sorted, parameters->items, parameters->count * sizeof(*sorted));
		qsort(sorted, parameters->count, sizeof(*sorted), by_name);
	}
	for (size_t i = 0; i < parameters->count; i++)
		text_add(t, " %s=%s\n", sorted[i].key, sorted[i].value);
	free(sorted);
}

char *pairing_identity(const result_row *r, bool with_tier)
{
	const record_planned_case *p = r->planned;
	const record_settings *s = &p->measure;
	text t = { 0 };

	text_add(&t, "%s %llu %s %s %s %s %.17g", p->workload, (unsigned long long)p->revision,
	         p->precision, with_tier ? record_tier_word(p->tier) : "",
	         record_metric_word(p->work.metric), record_region_word(p->work.region), p->work.amount);
	text_add(&t, " %s %s %s %s %s", record_cache_state_word(s->cache),
	         record_regime_word(s->regime), record_statistic_word(s->statistic),
	         record_scenario_kind_word(s->scenario), record_distribution_word(s->input_data));
	add_parameters(&t, &p->parameters);
	return t.data;
}

static void add_row(comparison *c, const result_row *a, const result_row *b)
{
	comparison_row *row = layout_append(comparison_row_layout(), &c->cases);

	row->a = a;
	row->b = b;
	text_set(&row->id, a != NULL ? a->id : b->id);
}

static listing listing_by_identity(const listing *by_id)
{
	listing l = { memory_get((by_id->count + 1) * sizeof(entry)), 0 };
	size_t i;

	for (i = 0; i < by_id->count; i++) {
		char *own;

		if (by_id->items[i].taken)
			continue;
		own = pairing_identity(by_id->items[i].row, true);
		l.items[l.count++] = (entry){ .key = own, .own = own, .row = by_id->items[i].row };
	}
	listing_sort(&l);
	return l;
}

/* A row without a namesake is paired with the row of the same identity, where both sides have just
 * one of that. */
static void pair_renamed(comparison *c, listing *a, listing *b)
{
	listing left = listing_by_identity(a);
	listing right = listing_by_identity(b);
	size_t i;

	for (i = 0; i < c->cases.count; i++) {
		comparison_row *row = &c->cases.items[i];
		size_t twins;
		size_t count;
		entry *other;
		char *key;

		if (row->b != NULL)
			continue;
		key = pairing_identity(row->a, true);
		(void)listing_find(&left, key, &twins);
		other = listing_find(&right, key, &count);
		free(key);
		if (other == NULL || twins != 1 || count != 1)
			continue;
		row->b = other->row;
		other = listing_find(b, other->row->id, &count);
		if (other != NULL)
			other->taken = true;
	}
	listing_free(&left);
	listing_free(&right);
}

void pairing_fill(comparison *c)
{
	listing a = listing_by_id(c->a);
	listing b = listing_by_id(c->b);
	size_t count;
	size_t i;

	for (i = 0; i < c->a->row_count; i++) {
		entry *mine = listing_find(&a, c->a->rows[i].id, &count);
		entry *other = listing_find(&b, c->a->rows[i].id, &count);

		add_row(c, &c->a->rows[i], other != NULL ? other->row : NULL);
		if (other == NULL)
			continue;
		other->taken = true;
		if (mine != NULL)
			mine->taken = true;
	}
	if (strcmp(c->baseline.protocol_digest, c->other.protocol_digest) != 0 &&
	    condition_protocols_fit(c->a, c->b))
		pair_renamed(c, &a, &b);
	for (i = 0; i < c->b->row_count; i++) {
		entry *mine = listing_find(&b, c->b->rows[i].id, &count);

		if (mine != NULL && mine->row == &c->b->rows[i])
			add_row(c, NULL, &c->b->rows[i]);
	}
	listing_free(&a);
	listing_free(&b);
}
