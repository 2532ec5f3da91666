/* SPDX-License-Identifier: Apache-2.0 */
#include "record/row_sums.h"

#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/text.h"
#include "record/derive.h"

/* ---- run.order ------------------------------------------------------------------------------- */

/* The index of the execution, or where it would be inserted. */
static size_t place_in(const record_order_list *list, uint64_t execution)
{
	size_t low = 0;
	size_t high = list->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (list->items[middle].execution < execution)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

bool run_order_lists(const run_order *order, uint64_t execution)
{
	size_t i = place_in(order->list, execution);

	return !order->sound ||
	       (i < order->list->count && order->list->items[i].execution == execution);
}

/* ---- run.asked ------------------------------------------------------------------------------- */

static int by_text(const void *a, const void *b)
{
	const char *const *x = a, *const *y = b;

	return strcmp(*x, *y);
}

static void sort_asked(row_sums *s, const text_list *asked)
{
	s->asked = memory_get((asked->count + 1) * sizeof(*s->asked));
	s->asked_count = asked->count;
	for (size_t i = 0; i < asked->count; i++)
		s->asked[i] = asked->items[i];
	if (asked->count > 1)
		qsort(s->asked, asked->count, sizeof(*s->asked), by_text);
}

static bool is_asked(const row_sums *s, const char *id)
{
	return s->asked_count > 0 &&
	       bsearch(&id, s->asked, s->asked_count, sizeof(*s->asked), by_text) != NULL;
}

/* ---- rows ------------------------------------------------------------------------------------ */

void row_sums_make(row_sums *s, const record_result *head, const run_order *order, size_t row_count)
{
	memset(s, 0, sizeof(*s));
	s->order = order;
	s->rows = memory_get((row_count + 1) * sizeof(*s->rows));
	s->row_count = row_count;
	s->listed = memory_get((order->list->count + 1) * sizeof(*s->listed));
	(void)pthread_mutex_init(&s->lock, NULL);
	sort_asked(s, &head->run.asked);
}

static void add_place(row_sums *s, const record_execution *e, size_t row, size_t index)
{
	if (e->position == LAYOUT_NO_UINT)
		return;
	if (s->place_count == s->place_room) {
		s->place_room = s->place_room == 0 ? 64 : s->place_room * 2;
		s->places = memory_grow(s->places, s->place_room * sizeof(*s->places));
	}
	s->places[s->place_count++] = (row_place){ e->execution, e->position, (uint32_t)row,
		                                   (uint32_t)index };
}

static void add_execution(row_sums *s, const record_execution *e, size_t row, size_t index)
{
	if (s->order->sound && run_order_lists(s->order, e->execution))
		s->listed[place_in(s->order->list, e->execution)]++;
	s->samples |= record_execution_counts(e);
	add_place(s, e, row, index);
}

bool row_sums_add(row_sums *s, const record_case *row, size_t index)
{
	const record_execution_list *all = &row->executions;
	bool fits;

	s->rows[index] = (row_sum){ (uint32_t)all->count, true, is_asked(s, row->id) };
	(void)pthread_mutex_lock(&s->lock);
	fits = all->count <= LIMIT_EXECUTIONS - s->executions;
	for (size_t i = 0; i < all->count && fits; i++)
		add_execution(s, &all->items[i], index, i);
	s->executions += fits ? all->count : 0;
	(void)pthread_mutex_unlock(&s->lock);
	return fits;
}

void row_sums_clear(row_sums *s)
{
	(void)pthread_mutex_destroy(&s->lock);
	free(s->asked);
	free(s->rows);
	free(s->listed);
	free(s->places);
	memset(s, 0, sizeof(*s));
}
