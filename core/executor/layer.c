/* SPDX-License-Identifier: Apache-2.0 */
#include "executor/layer.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/json.h"
#include "base/text.h"

#define READ_LIMIT 65536

cJSON *layer_add(cJSON *layers, const char *kind, const char *name, const char *version,
                 const char *source)
{
	cJSON *layer = cJSON_CreateObject();

	json_add_string(layer, "layer", kind);
	json_add_string(layer, "name", name);
	json_add_string(layer, "version", version != NULL ? version : "");
	json_add_string(layer, "source", source);
	json_add_object(layer, "fields");
	cJSON_AddItemToArray(layers, layer);
	return layer;
}

void layer_file(cJSON *layer, const char *path, executor_files *files)
{
	const char *digest = executor_files_digest(files, path);

	json_set(layer, "path", cJSON_CreateString(path));
	if (digest != NULL)
		json_set(layer, "sha256", cJSON_CreateString(digest));
}

void layer_field(cJSON *layer, const char *key, cJSON *value, const char *source)
{
	cJSON *fields = cJSON_GetObjectItemCaseSensitive(layer, "fields");
	cJSON *field = cJSON_CreateObject();

	json_set(field, "value", value);
	json_add_string(field, "source", source);
	json_set(fields, key, field);
}

void layer_text(cJSON *layer, const char *key, const char *value, const char *source)
{
	layer_field(layer, key, cJSON_CreateString(value != NULL ? value : ""),
	            value != NULL ? source : "unavailable");
}

void layer_number(cJSON *layer, const char *key, double value, const char *source)
{
	cJSON *holder = cJSON_CreateObject();

	json_add_double(holder, "value", value);
	layer_field(layer, key, cJSON_DetachItemFromObjectCaseSensitive(holder, "value"), source);
	cJSON_Delete(holder);
}

void layer_bool(cJSON *layer, const char *key, bool value, const char *source)
{
	layer_field(layer, key, cJSON_CreateBool(value), source);
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
	/* Other than text has no place in the record. */
	for (size_t i = 0; i < size; i++)
		if ((unsigned char)body[i] < ' ' && strchr("\t\r\n", body[i]) == NULL)
			size = 0;
	if (size == 0) {
		free(body);
		return NULL;
	}
	return memory_grow(body, size + 1);
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
