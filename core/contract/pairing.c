/* SPDX-License-Identifier: Apache-2.0 */
/* Which case stands against which. */
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/text.h"
#include "contract/condition.h"

/* A row under the text that it is looked up by. */
typedef struct entry {
	const char *key;
	char *own;       /* the key where it was made for this, else NULL */
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

/* The first that is not taken; count gets how many there are. */
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

char *pairing_identity(const result_row *r, bool with_tier)
{
	static const char *const settings[] = { "cache", "regime", "statistic", "scenario",
		                                "input_data" };
	const cJSON *work = json_path(r->plan, "work");
	const cJSON *measure = json_path(r->plan, "measure");
	char *parameters = json_canonical(json_path(r->plan, "parameters"));
	uint64_t revision = 0;
	double amount = 0;
	text t = { 0 };
	size_t i;

	(void)json_uint(r->plan, "revision", &revision);
	(void)json_double(work, "amount", &amount);
	text_add(&t, "%s %llu %s %s %s %s %.17g", r->workload, (unsigned long long)revision,
	         r->precision, with_tier ? r->tier : "", json_string(work, "metric", ""),
	         json_string(work, "region", ""), amount);
	for (i = 0; i < sizeof(settings) / sizeof(settings[0]); i++)
		text_add(&t, " %s", json_string(measure, settings[i], "-"));
	text_add(&t, " %s", parameters);
	free(parameters);
	return t.data;
}

static void add_row(comparison *c, const result_row *a, const result_row *b)
{
	c->rows[c->row_count++] = (comparison_row){ .id = a != NULL ? a->id : b->id, .a = a, .b = b };
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

/* Rows that have no namesake get the one row of the other side that is of the same identity, when
 * it is the only one on both sides. */
static void pair_renamed(comparison *c, listing *a, listing *b)
{
	listing left = listing_by_identity(a);
	listing right = listing_by_identity(b);
	size_t i;

	for (i = 0; i < c->row_count; i++) {
		comparison_row *row = &c->rows[i];
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

static int by_row_id(const void *a, const void *b)
{
	const comparison_row *const *x = a;
	const comparison_row *const *y = b;

	return strcmp((*x)->id, (*y)->id);
}

static void index_rows(comparison *c)
{
	const comparison_row **sorted = memory_get((c->row_count + 1) * sizeof(*sorted));
	size_t i;

	for (i = 0; i < c->row_count; i++)
		sorted[i] = &c->rows[i];
	if (c->row_count > 1)
		qsort(sorted, c->row_count, sizeof(*sorted), by_row_id);
	c->by_id = memory_get((c->row_count + 1) * sizeof(*c->by_id));
	for (i = 0; i < c->row_count; i++)
		c->by_id[i] = (size_t)(sorted[i] - c->rows);
	free(sorted);
}

void pairing_fill(comparison *c)
{
	listing a = listing_by_id(c->a);
	listing b = listing_by_id(c->b);
	size_t count;
	size_t i;

	c->rows = memory_get((a.count + b.count + 1) * sizeof(*c->rows));
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
	if (strcmp(c->a->protocol_digest, c->b->protocol_digest) != 0 &&
	    condition_protocols_fit(c->a, c->b))
		pair_renamed(c, &a, &b);
	for (i = 0; i < c->b->row_count; i++) {
		entry *mine = listing_find(&b, c->b->rows[i].id, &count);

		if (mine != NULL && mine->row == &c->b->rows[i])
			add_row(c, NULL, &c->b->rows[i]);
	}
	listing_free(&a);
	listing_free(&b);
	index_rows(c);
}

const comparison_row *comparison_row_by_id(const comparison *c, const char *id)
{
	size_t low = 0;
	size_t high = c->row_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (strcmp(c->rows[c->by_id[middle]].id, id) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low < c->row_count && strcmp(c->rows[c->by_id[low]].id, id) == 0 ?
	       &c->rows[c->by_id[low]] : NULL;
}
