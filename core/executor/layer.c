/* SPDX-License-Identifier: Apache-2.0 */
#include "executor/layer.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/limits.h"
#include "base/text.h"
#include "record/setting.h"

#define READ_LIMIT 65536

record_layer *layer_add(record_layer_list *layers, enum record_layer_kind kind, const char *name,
                        const char *version, enum record_source source)
{
	record_layer *layer = layout_append(record_layer_layout(), layers);

	layer->layer = kind;
	text_set(&layer->name, name);
	text_set(&layer->version, version != NULL ? version : "");
	layer->source = source;
	/* An empty map, not an absent one. */
	layer->fields.items = memory_get(sizeof(*layer->fields.items));
	return layer;
}

void layer_file(record_layer *layer, const char *path, executor_files *files)
{
	text_set(&layer->path, path);
	text_set(&layer->sha256, executor_files_digest(files, path));
}

/* Takes value. */
static void set_field(record_layer *layer, const char *key, scalar value, enum record_source source)
{
	record_field *field = NULL;

	for (size_t i = 0; i < layer->fields.count; i++)
		if (strcmp(layer->fields.items[i].name, key) == 0)
			field = &layer->fields.items[i];
	/* A reader would refuse more. */
	if (field == NULL && layer->fields.count >= LIMIT_FIELDS) {
		free(value.text);
		return;
	}
	if (field == NULL) {
		field = layout_append(record_field_layout(), &layer->fields);
		field->name = memory_text(key);
	}
	free(field->value.text);
	field->value = value;
	field->source = source;
}

void layer_text(record_layer *layer, const char *key, const char *value, enum record_source source)
{
	char *copy = memory_text(value != NULL ? value : "");

	set_field(layer, key, (scalar){ .kind = SCALAR_TEXT, .text = copy },
	          value != NULL ? source : RECORD_SOURCE_UNAVAILABLE);
}

void layer_number(record_layer *layer, const char *key, double value, enum record_source source)
{
	set_field(layer, key, (scalar){ .kind = SCALAR_NUMBER, .number = value }, source);
}

void layer_bool(record_layer *layer, const char *key, bool value, enum record_source source)
{
	set_field(layer, key, (scalar){ .kind = SCALAR_BOOL, .truth = value }, source);
}

record_layer *layer_settle(record_layer *layer)
{
	if (setting_is(layer) && setting_is_file(layer) && text_or_empty(layer->path)[0] == '\0') {
		layer_text(layer, "value", layer->version, layer->source);
		text_set(&layer->version, "");
	}
	return layer;
}

char *layer_read(const char *root, const char *path)
{
	char *full = memory_format("%s%s", root, path);
	int fd = open(full, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	char *body = NULL;
	size_t size = 0;

	free(full);
	if (fd < 0)
		return NULL;
	body = memory_get(READ_LIMIT + 1);
	while (size < READ_LIMIT) {
		ssize_t got = read(fd, body + size, READ_LIMIT - size);
		if (got <= 0)
			break;
		size += (size_t)got;
	}
	close(fd);
	while (size > 0 && strchr(" \t\r\n", body[size - 1]) != NULL)
		size--;
	body[size] = '\0';
	/* Control characters do not belong into the record. */
	for (size_t i = 0; i < size; i++)
		if ((unsigned char)body[i] < ' ' && strchr("\t\r\n", body[i]) == NULL)
			size = 0;
	if (size == 0) {
		free(body);
		return NULL;
	}
	return memory_grow(body, size + 1);
}

void layer_read_text(record_layer *layer, const char *key, const char *root, const char *path)
{
	char *value = layer_read(root, path);

	layer_text(layer, key, value, RECORD_SOURCE_QUERIED);
	free(value);
}

char *layer_value(const char *body, const char *key, char separator)
{
	size_t length = strlen(key);

	for (const char *line = body; line != NULL && *line != '\0';) {
		const char *end = strchr(line, '\n');
		size_t size = end != NULL ? (size_t)(end - line) : strlen(line);

		if (size > length && strncmp(line, key, length) == 0) {
			const char *at = line + length, *stop = line + size;

			while (at < stop && (*at == ' ' || *at == '\t'))
				at++;
			if (at < stop && *at == separator) {
				at++;
				while (at < stop && (*at == ' ' || *at == '\t'))
					at++;
				if (stop - at >= 2 && *at == '"' && stop[-1] == '"') {
					at++;
					stop--;
				}
				return memory_format("%.*s", (int)(stop - at), at);
			}
		}
		line = end != NULL ? end + 1 : NULL;
	}
	return NULL;
}
