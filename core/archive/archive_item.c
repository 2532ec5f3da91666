/* SPDX-License-Identifier: Apache-2.0 */
/* What can be done for a result without the database, by any thread. */
#include "archive/archive_item.h"

#include <stdlib.h>
#include <zlib.h>

#include "base/text.h"

static void pack(archive_item *i, const void *bytes, size_t size)
{
	uLongf room = compressBound(size);

	i->size = size;
	i->packed = memory_get(room);
	(void)compress2(i->packed, &room, bytes, size, 3);
	i->packed_size = room;
	i->packed = memory_grow(i->packed, room > 0 ? room : 1);
}

archive_item *archive_item_make(result *of, const void *bytes, size_t size, const char *signatures,
                                const char *amendments)
{
	archive_item *i = memory_get(sizeof(*i));

	i->of = of;
	i->signatures = signatures != NULL ? memory_text(signatures) : NULL;
	i->amendments = amendments != NULL ? memory_text(amendments) : NULL;
	pack(i, bytes, size);
	layout_init(evidence_layout(), &i->whole);
	evidence_judge(of, NULL, contract_declares_certified(of), &i->whole);
	i->sides = memory_get((of->row_count + 1) * sizeof(*i->sides));
	for (size_t k = 0; k < of->row_count; k++) {
		i->sides[k] = contract_row_side(of, &of->rows[k], &i->whole);
		result_row_rest(of, &of->rows[k]);
	}
	return i;
}

void archive_item_free(archive_item *i)
{
	if (i == NULL)
		return;
	for (size_t k = 0; k < i->of->row_count; k++)
		layout_free(comparison_side_layout(), i->sides[k]);
	free(i->sides);
	layout_clear(evidence_layout(), &i->whole);
	result_free(i->of);
	free(i->packed);
	free(i->signatures);
	free(i->amendments);
	free(i);
}

const result *archive_item_result(const archive_item *i)
{
	return i->of;
}
