/* SPDX-License-Identifier: Apache-2.0 */
#include "record/disclosure.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/text.h"

static bool say(disclosure *out, const char *value, const char *source)
{
	snprintf(out->value, sizeof(out->value), "%s", value);
	snprintf(out->source, sizeof(out->source), "%s", source);
	return true;
}

/* A value that says something. */
static bool take(const cJSON *value, const char *source, disclosure *out)
{
	if (strcmp(source, "unavailable") == 0)
		return false;
	if (cJSON_IsString(value) && value->valuestring[0] != '\0')
		return say(out, value->valuestring, source);
	if (cJSON_IsNumber(value) && value->valuedouble > 0) {
		char *number = json_text(value, false);
		bool said = say(out, number, source);

		free(number);
		return said;
	}
	return cJSON_IsBool(value) && say(out, cJSON_IsTrue(value) ? "yes" : "no", source);
}

static bool in_layer(const cJSON *layer, const char *key, disclosure *out)
{
	const cJSON *field;

	if (strcmp(key, "version") == 0 || strcmp(key, "sha256") == 0)
		return take(cJSON_GetObjectItemCaseSensitive(layer, key),
		            json_string(layer, "source", "unavailable"), out);
	field = cJSON_GetObjectItemCaseSensitive(json_path(layer, "fields"), key);
	return field != NULL && take(json_path(field, "value"),
	                             json_string(field, "source", "unavailable"), out);
}

static bool in_layers(const cJSON *record, const char *kind, const char *key, disclosure *out)
{
	const cJSON *layer;

	cJSON_ArrayForEach(layer, json_path(record, "layers"))
		if (strcmp(json_string(layer, "layer", ""), kind) == 0 && in_layer(layer, key, out))
			return true;
	return false;
}

static bool one(const cJSON *record, const cJSON *who, const disclosure_field *field,
                const char *key, disclosure *out)
{
	if (strcmp(field->layer, "device") == 0)
		return take(cJSON_GetObjectItemCaseSensitive(json_path(record, "device"), key),
		            "queried", out);
	if (strcmp(field->layer, "who") == 0)
		return take(cJSON_GetObjectItemCaseSensitive(who, key), "declared", out);
	return in_layers(record, field->layer, key, out);
}

bool disclosure_find(const cJSON *record, const cJSON *who, const disclosure_field *field,
                     disclosure *out)
{
	char *copy = memory_text(field->keys), *rest = copy, *key;
	bool cpu = strcmp(json_string(json_path(record, "device"), "type", ""), "cpu") == 0;
	bool found = false;

	memset(out, 0, sizeof(*out));
	while (!found && (key = strsep(&rest, "|")) != NULL)
		found = one(record, who, field, key, out);
	free(copy);
	if (!found && field->site_key != NULL)
		found = in_layers(record, "site", field->site_key, out);
	if (!found && field->cpu_exempt && cpu)
		found = say(out, "not applicable to a processor", "measured");
	if (!found)
		(void)say(out, "", "unavailable");
	return found;
}
