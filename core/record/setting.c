/* SPDX-License-Identifier: Apache-2.0 */
#include "record/setting.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

enum { SHOWN = 40 };

bool setting_is(const record_layer *layer)
{
	return layer->layer == RECORD_LAYER_CONFIGURATION;
}

static const char *field_text(const record_layer *layer, const char *name)
{
	const record_field *field = record_layer_field(layer, name);

	return field != NULL ? text_or_empty(field->value.text) : "";
}

bool setting_is_file(const record_layer *setting)
{
	return record_layer_field(setting, "value") == NULL;
}

bool setting_same(const record_layer *a, const record_layer *b)
{
	return strcmp(field_text(a, "value"), field_text(b, "value")) == 0 &&
	       strcmp(text_or_empty(a->sha256), text_or_empty(b->sha256)) == 0;
}

/* ---- who reads it ---------------------------------------------------------------------------- */

/* The size of a shared object's name without its version. */
static size_t stem_size(const char *name)
{
	const char *so = strstr(name, ".so");
	size_t whole = so != NULL ? (size_t)(so - name) : strlen(name), end = whole;

	while (so != NULL && end > 0 && strchr("0123456789.", name[end - 1]) != NULL)
		end--;
	return end > 1 && end < whole && name[end - 1] == '-' ? end - 1 : whole;
}

char *setting_object_stem(const char *name)
{
	return memory_format("%.*s", (int)stem_size(name), name);
}

static bool same_object(const char *a, const char *b)
{
	size_t size;

	if (a[0] != b[0])
		return false;
	size = stem_size(a);
	return size == stem_size(b) && strncmp(a, b, size) == 0;
}

static bool has_object(const record_layer_list *layers, const char *name)
{
	for (size_t i = 0; i < layers->count; i++) {
		const char *path = text_or_empty(layers->items[i].path);
		const char *slash = strrchr(path, '/');

		if (!setting_is(&layers->items[i]) &&
		    (same_object(layers->items[i].name, name) ||
		     (slash != NULL && same_object(slash + 1, name))))
			return true;
	}
	return false;
}

char *setting_reader(const record_layer *setting)
{
	const char *readers = field_text(setting, "read-by");

	return memory_format("%.*s", (int)strcspn(readers, ","), readers);
}

bool setting_has_readers(const record_layer *setting)
{
	return setting_is(setting) && field_text(setting, "read-by")[0] != '\0';
}

bool setting_is_read(const record_layer *setting, const record_layer_list *layers)
{
	char *copy = memory_text(field_text(setting, "read-by")), *rest = copy, *name;
	bool found = !setting_has_readers(setting);

	while (!found && (name = strsep(&rest, ",")) != NULL)
		found = has_object(layers, name + strspn(name, " "));
	free(copy);
	return found;
}

/* ---- words ----------------------------------------------------------------------------------- */

/* malloc'd: cut between characters. */
static char *cut(const char *value)
{
	size_t end = strlen(value);

	if (end <= SHOWN)
		return memory_text(value[0] != '\0' ? value : "(empty)");
	end = SHOWN;
	while (end > 0 && (value[end] & 0xc0) == 0x80)
		end--;
	return memory_format("%.*s...", (int)end, value);
}

char *setting_words(const record_layer *setting, const record_layer *other,
                    const record_layer_list *layers)
{
	if (setting == NULL)
		return memory_text(!setting_is_read(other, layers) ? "(not read)" :
		                   setting_is_file(other) ? "(no file)" : "(not set)");
	return setting_is_file(setting) ? memory_format("sha256 %.12s", text_or_empty(setting->sha256))
	                        : cut(field_text(setting, "value"));
}
