/* SPDX-License-Identifier: Apache-2.0 */
#include "record/record.h"

#define LAYOUT_FILE "record/record.def"
#define LAYOUT_NAME(name) record_##name
#include "base/layout_tables.h"

const record_mark *record_status_mark(enum record_status status)
{
#define STATUS(constant, word, counts, sentence, remedy, follows) \
	[constant] = { word, sentence, remedy, follows, counts },
	static const record_mark marks[] = {
		[record_status_absent] = { "", "", "", "", false },
#include "record/status.def"
	};
#undef STATUS
	return &marks[status];
}

const record_mark *record_flag_mark(enum record_flag flag)
{
#define FLAG(constant, word, sentence, remedy, follows) \
	[constant] = { word, sentence, remedy, follows, true },
	static const record_mark marks[] = {
		[record_flag_absent] = { "", "", "", "", true },
#include "record/flag.def"
	};
#undef FLAG
	return &marks[flag];
}

const record_layer_traits *record_layer_traits_of(enum record_layer_kind kind)
{
#define LAYER(constant, word, area, lead, apart, example, sentence) \
	[constant] = { area, lead, apart, example },
	static const record_layer_traits traits[] = {
#include "record/layer_kind.def"
	};
#undef LAYER
	return &traits[kind];
}

const record_field *record_layer_field(const record_layer *layer, const char *name)
{
	for (size_t i = 0; i < layer->fields.count; i++)
		if (strcmp(layer->fields.items[i].name, name) == 0)
			return &layer->fields.items[i];
	return NULL;
}

bool record_asked(const text_list *asked, const char *id)
{
	return asked->count == 0 || text_list_has(asked, id);
}

const record_instrument *record_instrument_of(const record_instrument_list *all, uint64_t execution)
{
	for (size_t low = 0, high = all->count; low < high;) {
		size_t middle = low + (high - low) / 2;

		if (all->items[middle].execution == execution)
			return &all->items[middle];
		if (all->items[middle].execution < execution)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}
