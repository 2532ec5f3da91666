/* SPDX-License-Identifier: Apache-2.0 */
#include "record/disclosure.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

static bool fill(disclosure *out, const char *value, enum record_source source)
{
	snprintf(out->value, sizeof(out->value), "%s", value);
	out->source = source;
	return true;
}

/* False for a value that is empty, 0 or unavailable. */
static bool take_text(const char *value, enum record_source source, disclosure *out)
{
	return source != RECORD_SOURCE_UNAVAILABLE && value != NULL && value[0] != '\0' &&
	       fill(out, value, source);
}

static bool take_number(double value, enum record_source source, disclosure *out)
{
	char digits[32];

	snprintf(digits, sizeof(digits), "%.15g", value);
	return value > 0 && take_text(digits, source, out);
}

static bool take(const scalar *value, enum record_source source, disclosure *out)
{
	switch (value->kind) {
	case SCALAR_TEXT: return take_text(value->text, source, out);
	case SCALAR_NUMBER: return take_number(value->number, source, out);
	case SCALAR_BOOL: return take_text(value->truth ? "yes" : "no", source, out);
	case SCALAR_ABSENT: break;
	}
	return false;
}

bool disclosure_is_stack(const record_layer *layer)
{
	const record_field *role = record_layer_field(layer, "role");

	return layer->layer != RECORD_LAYER_MAPPED_OBJECT || role == NULL ||
	       role->value.kind != SCALAR_TEXT || strcmp(role->value.text, "stack") == 0;
}

bool disclosure_is_lasting(const record_layer *layer, const record_field *field)
{
	return layer->layer == RECORD_LAYER_CONFIGURATION ? strcmp(field->name, "value") == 0
	                                                  : strncmp(field->name, "now-", 4) != 0;
}

static bool in_layer(const record_layer *layer, const char *key, disclosure *out)
{
	const record_field *field;

	if (strcmp(key, "version") == 0)
		return take_text(layer->version, layer->source, out);
	if (strcmp(key, "sha256") == 0)
		return take_text(layer->sha256, layer->source, out);
	field = record_layer_field(layer, key);
	return field != NULL && take(&field->value, field->source, out);
}

static bool in_layers(const record_executor *record, const char *kind, const char *key,
                      disclosure *out)
{
	for (size_t i = 0; i < record->layers.count; i++)
		if (strcmp(record_layer_kind_word(record->layers.items[i].layer), kind) == 0 &&
		    in_layer(&record->layers.items[i], key, out))
			return true;
	return false;
}

/* Looks up a text or a whole number of the device or of `who` by its name in record.def. */
static bool in_members(const layout *l, const void *object, const char *key,
                       enum record_source source, disclosure *out)
{
	for (size_t i = 0; object != NULL && i < l->count; i++) {
		const void *member = (const char *)object + l->fields[i].offset;

		if (strcmp(l->fields[i].key, key) != 0)
			continue;
		if (l->fields[i].kind == LAYOUT_TEXT)
			return take_text(*(char *const *)member, source, out);
		if (l->fields[i].kind == LAYOUT_UINT && *(const uint64_t *)member != LAYOUT_NO_UINT)
			return take_number((double)*(const uint64_t *)member, source, out);
	}
	return false;
}

static bool find_one(const record_executor *record, const record_who *who,
                     const disclosure_field *field, const char *key, disclosure *out)
{
	if (strcmp(field->layer, "device") == 0)
		return in_members(record_device_layout(), &record->device, key,
		                  RECORD_SOURCE_QUERIED, out);
	if (strcmp(field->layer, "who") == 0)
		return in_members(record_who_layout(), who, key, RECORD_SOURCE_DECLARED, out);
	return in_layers(record, field->layer, key, out);
}

bool disclosure_find(const record_executor *record, const record_who *who,
                     const disclosure_field *field, disclosure *out)
{
	char *copy = memory_text(field->keys), *rest = copy, *key;
	const char *type = record->device.type;
	bool found = false;

	while (!found && (key = strsep(&rest, "|")) != NULL)
		found = find_one(record, who, field, key, out);
	free(copy);
	if (!found && field->site_key != NULL)
		found = in_layers(record, record_layer_kind_word(RECORD_LAYER_SITE),
		                  field->site_key, out);
	if (!found && field->cpu_exempt && type != NULL && strcmp(type, "cpu") == 0)
		found = fill(out, "not applicable to a processor", RECORD_SOURCE_MEASURED);
	if (!found)
		(void)fill(out, "", RECORD_SOURCE_UNAVAILABLE);
	return found;
}
