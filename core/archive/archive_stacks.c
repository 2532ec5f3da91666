/* SPDX-License-Identifier: Apache-2.0 */
/* The stacks of an archive, and how two of them differ. */
#include <stdlib.h>
#include <string.h>

#include "archive/archive_inside.h"
#include "base/text.h"

typedef struct stack_read { int64_t key; record_executor *record; } stack_read;

struct archive_stacks {
	archive *a;
	stack_read *items;
	size_t count;
};

archive_stacks *archive_stacks_new(archive *a)
{
	archive_stacks *s = memory_get(sizeof(*s));

	s->a = a;
	return s;
}

void archive_stacks_free(archive_stacks *s)
{
	for (size_t i = 0; i < s->count; i++)
		layout_free(record_executor_layout(), s->items[i].record);
	free(s->items);
	free(s);
}

/* A copy of the text, as the row's may be gone. */
static eh_status stack_read_one(archive *a, int64_t key, record_executor *out, eh_error *error)
{
	const db_value value = db_of_integer(key);
	db_rows *rows;
	char *body = NULL;
	eh_status status = db_query(a->db, "SELECT record FROM stack WHERE id = $1", &value, 1, &rows, error);

	if (status != EH_OK)
		return status;
	if (db_next(rows))
		body = memory_text(db_text(rows, 0));
	status = db_end(rows, error);
	if (status == EH_OK && body != NULL)
		status = layout_read(record_executor_layout(), body, strlen(body), a->where, out, error);
	free(body);
	return status;
}

static eh_status stack_of(archive_stacks *s, const archive_point *p, const record_executor **out, eh_error *error)
{
	record_executor *record;
	eh_status status;

	for (size_t i = 0; i < s->count; i++)
		if (s->items[i].key == p->stack_key) {
			*out = s->items[i].record;
			return EH_OK;
		}
	record = layout_new(record_executor_layout());
	status = stack_read_one(s->a, p->stack_key, record, error);
	if (status != EH_OK) {
		layout_free(record_executor_layout(), record);
		return status;
	}
	s->items = memory_grow(s->items, (s->count + 1) * sizeof(*s->items));
	s->items[s->count++] = (stack_read){ p->stack_key, record };
	*out = record;
	return EH_OK;
}

eh_status archive_stacks_differ(archive_stacks *s, const archive_point *from, const archive_point *to,
                                stack_group_list *groups, eh_error *error)
{
	const record_executor *x, *y;
	eh_status status = stack_of(s, from, &x, error);

	if (status == EH_OK)
		status = stack_of(s, to, &y, error);
	if (status == EH_OK)
		(void)stacks_compare(x, y, false, groups);
	return status;
}
