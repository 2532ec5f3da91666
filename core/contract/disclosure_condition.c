/* SPDX-License-Identifier: Apache-2.0 */
/* Conditions of rules about what the executors disclose, and what of it differs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/text.h"
#include "contract/condition.h"
#include "record/disclosure.h"

#define UNUSED_ROWS() ((void)x, (void)y)

static const char *device_name(const result *r)
{
	return json_string(json_path(r->root, "executor.device"), "name", "");
}

static bool undisclosed(const result *r)
{
	return json_string(json_path(r->root, "executor"), "digest", "")[0] == '\0' ||
	       device_name(r)[0] == '\0' ||
	       cJSON_GetArraySize(json_path(r->root, "executor.layers")) == 0;
}

CONDITION(condition_undisclosed)
{
	UNUSED_ROWS();
	return condition_either(undisclosed(a), undisclosed(b), "no device or no layers", detail,
	                        size);
}

/* The value as text; "" when it is not known. */
static void value_text(const cJSON *field, char out[64])
{
	const cJSON *value = json_path(field, "value");
	char *body;

	out[0] = '\0';
	if (value == NULL || strcmp(json_string(field, "source", ""), "unavailable") == 0)
		return;
	if (cJSON_IsString(value)) {
		snprintf(out, 64, "%s", value->valuestring);
		return;
	}
	if (cJSON_IsBool(value)) {
		snprintf(out, 64, "%s", cJSON_IsTrue(value) ? "on" : "off");
		return;
	}
	body = json_text(value, false);
	snprintf(out, 64, "%s", body);
	free(body);
}

/* Of the first layer of that kind that has the field and knows it. */
static void field_of(const result *r, const char *kind, const char *key, char out[64])
{
	const cJSON *layer;

	out[0] = '\0';
	cJSON_ArrayForEach(layer, json_path(r->root, "executor.layers")) {
		const cJSON *fields = json_path(layer, "fields");

		if (strcmp(json_string(layer, "layer", ""), kind) != 0)
			continue;
		value_text(cJSON_GetObjectItemCaseSensitive(fields, key), out);
		if (out[0] != '\0')
			return;
	}
}

/* Fires when both sides know the field and it differs. */
static bool known_differ(const result *a, const result *b, const char *kind, const char *key,
                         char *detail, size_t size)
{
	char va[64];
	char vb[64];

	field_of(a, kind, key, va);
	field_of(b, kind, key, vb);
	snprintf(detail, size, "%s: %s | %s", key, va, vb);
	return va[0] != '\0' && vb[0] != '\0' && strcmp(va, vb) != 0;
}

/* The same, and when one side alone knows it. */
static bool text_differ(const result *a, const result *b, const char *kind, const char *key,
                        char *detail, size_t size)
{
	char va[64];
	char vb[64];

	field_of(a, kind, key, va);
	field_of(b, kind, key, vb);
	snprintf(detail, size, "%s: %s | %s", key, va[0] != '\0' ? va : "unknown",
	         vb[0] != '\0' ? vb : "unknown");
	return strcmp(va, vb) != 0;
}

CONDITION(condition_partition)
{
	static const char *const keys[] = { "compute_units", "memory_bytes" };
	static const char *const fields[] = { "mig", "partition", "sub-device" };
	const cJSON *da = json_path(a->root, "executor.device");
	const cJSON *db = json_path(b->root, "executor.device");
	size_t i;

	UNUSED_ROWS();
	if (strcmp(device_name(a), device_name(b)) != 0)
		return false;
	for (i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		uint64_t va = 0;
		uint64_t vb = 0;

		/* 0 is unknown. */
		if (!json_uint(da, keys[i], &va) || !json_uint(db, keys[i], &vb) || va == 0 ||
		    vb == 0 || va == vb)
			continue;
		snprintf(detail, size, "%s: %llu | %llu", keys[i], (unsigned long long)va,
		         (unsigned long long)vb);
		return true;
	}
	for (i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		if (text_differ(a, b, "hardware", fields[i], detail, size))
			return true;
	return false;
}

CONDITION(condition_device_count)
{
	UNUSED_ROWS();
	return known_differ(a, b, "hardware", "devices", detail, size);
}

CONDITION(condition_power_cap)
{
	static const char *const keys[] = { "power-cap-watts", "power-limit-watts" };
	size_t i;

	UNUSED_ROWS();
	/* Other devices have other limits; that is the device, not a setting. */
	if (strcmp(device_name(a), device_name(b)) != 0)
		return false;
	for (i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (known_differ(a, b, "hardware", keys[i], detail, size))
			return true;
	return false;
}

CONDITION(condition_virtual)
{
	UNUSED_ROWS();
	return text_differ(a, b, "host", "virtualization", detail, size);
}

CONDITION(condition_container)
{
	UNUSED_ROWS();
	return text_differ(a, b, "host", "container", detail, size);
}

CONDITION(condition_ecc)
{
	UNUSED_ROWS();
	return text_differ(a, b, "hardware", "ecc", detail, size);
}

CONDITION(condition_layers)
{
	char list[200];
	size_t count = condition_layer_list(a, b, list, sizeof(list));

	UNUSED_ROWS();
	snprintf(detail, size, "%zu: %s", count, list);
	return count > 0;
}

/* ---- what the protocol asks for -------------------------------------------------------------- */

static bool required(const result *r, const disclosure_field *field, bool certified)
{
	const char *list = json_string(json_path(r->root, "protocol.canonical"), "requires", "");
	size_t size = strlen(field->name);
	const char *at = list;

	if (certified && field->certified)
		return true;
	while ((at = strstr(at, field->name)) != NULL) {
		if ((at == list || at[-1] == ' ' || at[-1] == ',') &&
		    (at[size] == '\0' || at[size] == ' ' || at[size] == ','))
			return true;
		at += size;
	}
	return false;
}

static bool is_certified(const result *r)
{
	return strcmp(json_string(json_path(r->root, "protocol.canonical"), "level", ""),
	              "certified") == 0;
}

/* Adds what the protocol requires and the executor does not disclose. */
static void add_missing(text *t, const char *side, const result *r)
{
	const disclosure_field *fields;
	size_t count = disclosure_fields(&fields);
	bool certified = is_certified(r);
	bool first = true;
	size_t i;

	for (i = 0; i < count; i++) {
		disclosure found;

		if (!required(r, &fields[i], certified) ||
		    disclosure_find(&r->record->executor, &r->record->who, &fields[i], &found))
			continue;
		text_add(t, "%s%s%s", t->size > 0 && first ? "; " : "", first ? side : ", ",
		         fields[i].name);
		first = false;
	}
}

CONDITION(condition_fields)
{
	text t = { 0 };

	UNUSED_ROWS();
	add_missing(&t, "baseline: ", a);
	add_missing(&t, "other: ", b);
	if (t.size == 0)
		return false;
	snprintf(detail, size, "%s", t.data);
	text_free(&t);
	return true;
}
