/* SPDX-License-Identifier: Apache-2.0 */
#include "report/table_fit.h"

#include <stdbool.h>

/* What columns keep at first, and at last. */
enum { WORDS = 24, NAME = 20, WORDS_LEAST = 12, NAME_LEAST = 5, HEAD_LEAST = 4 };

size_t table_fit_total(const table_fit *f)
{
	size_t total = 0;
	bool first = true;

	for (size_t k = 0; k < f->columns; k++) {
		if (f->align[k] == 'b' && f->widths[k] == 0)
			continue;
		total += f->widths[k] + (first ? 0 : f->gap);
		first = false;
	}
	return total;
}

static void leave_out_drawings(table_fit *f, size_t room)
{
	for (size_t k = f->columns; k-- > 0 && table_fit_total(f) > room;)
		if (f->align[k] == 'b')
			f->widths[k] = 0;
}

/* The least that the column may have; a whole one's name gives way to what stands below it. */
static size_t least_of(const table_fit *f, size_t k, size_t least)
{
	bool whole = f->align[k] != 'n' && f->align[k] != 'w';

	return whole && f->bodies[k] > least ? f->bodies[k] : least;
}

/* Takes from the widest of these columns, one after the other. */
static void narrow(table_fit *f, size_t room, const char *letters, size_t least)
{
	while (table_fit_total(f) > room) {
		size_t widest = f->columns;

		for (size_t k = 0; k < f->columns; k++)
			if ((f->align[k] == letters[0] || f->align[k] == letters[1]) &&
			    f->widths[k] > least_of(f, k, least) &&
			    (widest == f->columns || f->widths[k] > f->widths[widest]))
				widest = k;
		if (widest == f->columns)
			return;
		f->widths[widest]--;
	}
}

void table_fit_into(table_fit *f, size_t room)
{
	if (table_fit_total(f) > room)
		f->gap = 1;
	narrow(f, room, "bb", HEAD_LEAST);
	leave_out_drawings(f, room);
	narrow(f, room, "ww", WORDS);
	narrow(f, room, "nn", NAME);
	narrow(f, room, "ww", WORDS_LEAST);
	narrow(f, room, "lr", HEAD_LEAST);
	narrow(f, room, "nn", NAME_LEAST);
}
