/* SPDX-License-Identifier: Apache-2.0 */
/* The lists of numbers of an object, wherever they are in it. */
#include <string.h>

#include "base/layout.h"
#include "base/layout_inside.h"

static void move_list(void *list, layout_mover *move, void *context)
{
	size_t count;
	void *items = layout_list(list, &count);

	if (items == NULL)
		return;
	items = move(context, items, count * sizeof(uint64_t));
	memcpy(list, &items, sizeof(items)); /* the first member of every list */
}

static void move_elements(const layout *inner, const void *list, layout_mover *move, void *context)
{
	size_t count;
	char *items = layout_list(list, &count);

	for (size_t i = 0; i < count; i++)
		layout_move_numbers(inner, items + i * inner->size, move, context);
}

void layout_move_numbers(const layout *l, void *object, layout_mover *move, void *context)
{
	for (size_t i = 0; i < l->count; i++) {
		const layout_field *f = &l->fields[i];
		void *member = (char *)object + f->offset;

		if (f->kind == LAYOUT_UINTS || f->kind == LAYOUT_NUMBERS)
			move_list(member, move, context);
		else if (f->kind == LAYOUT_LIST || f->kind == LAYOUT_MAP)
			move_elements(f->inner(), member, move, context);
		else if (f->kind == LAYOUT_OBJECT && !f->optional)
			layout_move_numbers(f->inner(), member, move, context);
		else if (f->kind == LAYOUT_OBJECT && layout_pointer(member) != NULL)
			layout_move_numbers(f->inner(), layout_pointer(member), move, context);
	}
}
