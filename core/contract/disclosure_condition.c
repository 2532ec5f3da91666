/* SPDX-License-Identifier: Apache-2.0 */
/* Conditions of rules about what the executors disclose, and what of it differs. */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "contract/condition.h"
#include "record/disclosure.h"

static const record_device *device_of(const result *r)
{
	return &r->record->executor.device;
}

static bool same_name(const result *a, const result *b)
{
	const char *na = device_of(a)->name;
	const char *nb = device_of(b)->name;

	return strcmp(na != NULL ? na : "", nb != NULL ? nb : "") == 0;
}

SIDE(side_undisclosed)
{
	const char *name = device_of(a)->name;

	return a->record->executor.digest[0] == '\0' || name == NULL || name[0] == '\0' ||
	       a->record->executor.layers.count == 0;
}

/* The value as text; "" when it is not known. */
static void value_text(const record_field *field, char out[64])
{
	const scalar *value = &field->value;

	out[0] = '\0';
	if (field->source == RECORD_SOURCE_UNAVAILABLE)
		return;
	if (value->kind == SCALAR_TEXT)
		snprintf(out, 64, "%s", value->text);
	else if (value->kind == SCALAR_BOOL)
		snprintf(out, 64, "%s", value->truth ? "on" : "off");
	else if (value->kind == SCALAR_NUMBER)
		snprintf(out, 64, "%.15g", value->number);
}

/* Of the first layer of that kind that has the field and knows it. */
static void field_of(const result *r, enum record_layer_kind kind, const char *key, char out[64])
{
	const record_layer_list *layers = &r->record->executor.layers;

	out[0] = '\0';
	for (size_t i = 0; i < layers->count; i++) {
		const record_layer *layer = &layers->items[i];

		for (size_t k = 0; layer->layer == kind && k < layer->fields.count; k++) {
			if (strcmp(layer->fields.items[k].name, key) == 0)
				value_text(&layer->fields.items[k], out);
			if (out[0] != '\0')
				return;
		}
	}
}

/* Fires when both sides know the field and it differs. */
static bool known_differ(const result *a, const result *b, enum record_layer_kind kind,
                         const char *key, char *detail, size_t size)
{
	char va[64];
	char vb[64];

	field_of(a, kind, key, va);
	field_of(b, kind, key, vb);
	snprintf(detail, size, "%s: %s | %s", key, va, vb);
	return va[0] != '\0' && vb[0] != '\0' && strcmp(va, vb) != 0;
}

/* The same, and when one side alone knows it. */
static bool text_differ(const result *a, const result *b, enum record_layer_kind kind,
                        const char *key, char *detail, size_t size)
{
	char va[64];
	char vb[64];

	field_of(a, kind, key, va);
	field_of(b, kind, key, vb);
	snprintf(detail, size, "%s: %s | %s", key, va[0] != '\0' ? va : "unknown",
	         vb[0] != '\0' ? vb : "unknown");
	return strcmp(va, vb) != 0;
}

/* 0 and absent: unknown. */
static bool amount_differs(const char *what, uint64_t va, uint64_t vb, char *detail, size_t size)
{
	if (va == LAYOUT_NO_UINT || vb == LAYOUT_NO_UINT || va == 0 || vb == 0 || va == vb)
		return false;
	snprintf(detail, size, "%s: %llu | %llu", what, (unsigned long long)va,
	         (unsigned long long)vb);
	return true;
}

CONDITION(condition_partition)
{
	static const char *const fields[] = { "mig", "partition", "sub-device" };
	const record_device *da = device_of(a);
	const record_device *db = device_of(b);

	if (!same_name(a, b))
		return false;
	if (amount_differs("compute_units", da->compute_units, db->compute_units, detail, size) ||
	    amount_differs("memory_bytes", da->memory_bytes, db->memory_bytes, detail, size))
		return true;
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		if (text_differ(a, b, RECORD_LAYER_HARDWARE, fields[i], detail, size))
			return true;
	return false;
}

CONDITION(condition_device_count)
{
	return known_differ(a, b, RECORD_LAYER_HARDWARE, "devices", detail, size);
}

CONDITION(condition_power_cap)
{
	static const char *const keys[] = { "power-cap-watts", "power-limit-watts" };

	/* Other devices have other limits; that is the device, not a setting. */
	if (!same_name(a, b))
		return false;
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (known_differ(a, b, RECORD_LAYER_HARDWARE, keys[i], detail, size))
			return true;
	return false;
}

CONDITION(condition_virtual)
{
	return text_differ(a, b, RECORD_LAYER_HOST, "virtualization", detail, size);
}

CONDITION(condition_container)
{
	return text_differ(a, b, RECORD_LAYER_HOST, "container", detail, size);
}

CONDITION(condition_ecc)
{
	return text_differ(a, b, RECORD_LAYER_HARDWARE, "ecc", detail, size);
}

CONDITION(condition_layers)
{
	char list[200];
	size_t count = condition_layer_list(a, b, list, sizeof(list));

	snprintf(detail, size, "%zu: %s", count, list);
	return count > 0;
}

/* ---- what the protocol asks for -------------------------------------------------------------- */

static bool required(const result *r, const disclosure_field *field, bool certified)
{
	const char *list = r->record->protocol.canonical.requires;

	return (certified && field->certified) || (list != NULL && condition_in_list(list, field->name));
}

/* What the protocol requires and the executor does not disclose. */
SIDE(side_fields)
{
	const disclosure_field *fields;
	size_t count = disclosure_fields(&fields);
	bool certified = contract_declares_certified(a);
	text t = { 0 };

	for (size_t i = 0; i < count; i++) {
		disclosure found;

		if (required(a, &fields[i], certified) &&
		    !disclosure_find(&a->record->executor, &a->record->who, &fields[i], &found))
			text_add(&t, "%s%s", t.size > 0 ? ", " : "", fields[i].name);
	}
	if (t.size == 0)
		return false;
	snprintf(detail, size, "%s", t.data);
	text_free(&t);
	return true;
}
