/* SPDX-License-Identifier: Apache-2.0 */
#include "record/identity.h"

#include <stdlib.h>
#include <string.h>

#include "record/disclosure.h"
#include "record/redact.h"

/* Copies what identifies a device; sizes do not, as a virtual machine may change them. */
static void add_device(const record_device *from, record_device *to)
{
	layout_copy(record_device_layout(), from, to);
	to->memory_bytes = to->max_alloc_bytes = to->last_level_cache_bytes = LAYOUT_NO_UINT;
	to->max_group_items = to->local_memory_bytes = to->clock_mhz = LAYOUT_NO_UINT;
	to->timer_resolution_ns = LAYOUT_NO_UINT;
	to->numa_node = LAYOUT_NO_INT;
}

/* Copies a layer without maker and owner, fields that do not last, and the path of a file with a digest. */
static void add_lasting(const record_layer *from, record_layer *to)
{
	record_field *fields;
	size_t kept = 0;

	layout_copy(record_layer_layout(), from, to);
	fields = to->fields.items;
	for (size_t i = 0; i < to->fields.count; i++) {
		if (disclosure_is_lasting(from, &fields[i])) {
			fields[kept++] = fields[i];
			continue;
		}
		free(fields[i].name);
		layout_clear(record_field_layout(), &fields[i]);
	}
	to->fields.count = kept;
	text_set(&to->maker, NULL);
	text_set(&to->owner, NULL);
	if (to->sha256 != NULL)
		text_set(&to->path, NULL);
}

/* Whether a text of the layer is redacted. */
static bool hides(const record_layer *layer)
{
	bool any = redact_is_mark(text_or_empty(layer->name)) ||
	           (layer->path != NULL && redact_is_mark(layer->path));

	for (size_t i = 0; i < layer->fields.count && !any; i++)
		any = layer->fields.items[i].value.text != NULL &&
		      redact_is_mark(layer->fields.items[i].value.text);
	return any;
}

static bool is_hidden(const record_identity *essence)
{
	const record_device *d = &essence->device;
	bool any = (d->uuid != NULL && redact_is_mark(d->uuid)) ||
	           (d->pci != NULL && redact_is_mark(d->pci));

	for (size_t i = 0; i < essence->layers.count && !any; i++)
		any = hides(&essence->layers.items[i]);
	return any;
}

static void take_essence(const record_executor *record, record_identity *essence)
{
	layout_init(record_identity_layout(), essence);
	text_set(&essence->name, record->name);
	add_device(&record->device, &essence->device);
	/* A corrected site file does not make another stack. */
	for (size_t i = 0; i < record->layers.count; i++)
		if (record->layers.items[i].layer != RECORD_LAYER_SITE &&
		    disclosure_is_stack(&record->layers.items[i]))
			add_lasting(&record->layers.items[i],
			            layout_append(record_layer_layout(), &essence->layers));
}

bool identity_digest(const record_executor *record, char hex[65])
{
	record_identity essence;
	bool whole;

	take_essence(record, &essence);
	whole = !is_hidden(&essence);
	layout_digest(record_identity_layout(), &essence, hex);
	layout_clear(record_identity_layout(), &essence);
	return whole;
}

/* ---- the stack of fewer cases ---------------------------------------------------------------- */

/* What a stack has only once a case uses it: a library that is opened, files that it maps and reads. */
static bool comes_late(const record_layer *layer)
{
	return layer->layer == RECORD_LAYER_LIBRARY || layer->layer == RECORD_LAYER_MAPPED_OBJECT ||
	       layer->layer == RECORD_LAYER_CONFIGURATION;
}

/* Whether all items of the comma list `part` are in `whole`. */
static bool lists_within(const char *whole, const char *part)
{
	while (*part != '\0') {
		size_t length = strcspn(part, ",");
		const char *found = whole;

		while (found != NULL && (strncmp(found, part, length) != 0 ||
		                         (found[length] != ',' && found[length] != '\0'))) {
			found = strchr(found, ',');
			found = found == NULL ? NULL : found + 1 + strspn(found + 1, " ");
		}
		if (found == NULL)
			return false;
		part += length;
		part += strspn(part, ", ");
	}
	return true;
}

/* The facts of what comes late may be those of the cases that ran: a library's kernels, who reads a file. */
static bool field_within(const record_field *whole, const record_field *part, bool late)
{
	if (whole == NULL || whole->source != part->source)
		return false;
	return scalar_same(&whole->value, &part->value) ||
	       (late && whole->value.kind == SCALAR_TEXT && part->value.kind == SCALAR_TEXT &&
	        lists_within(whole->value.text, part->value.text));
}

static bool fields_within(const record_layer *whole, const record_layer *part)
{
	const bool late = comes_late(part);

	if (!late && whole->fields.count != part->fields.count)
		return false;
	for (size_t i = 0; i < part->fields.count; i++)
		if (!field_within(record_layer_field(whole, part->fields.items[i].name), &part->fields.items[i], late))
			return false;
	return true;
}

static bool layer_within(const record_layer *whole, const record_layer *part)
{
	return whole->layer == part->layer && whole->source == part->source &&
	       strcmp(text_or_empty(whole->name), text_or_empty(part->name)) == 0 &&
	       strcmp(text_or_empty(whole->version), text_or_empty(part->version)) == 0 &&
	       strcmp(text_or_empty(whole->sha256), text_or_empty(part->sha256)) == 0 &&
	       strcmp(text_or_empty(whole->path), text_or_empty(part->path)) == 0 && fields_within(whole, part);
}

static bool layers_within(const record_layer_list *whole, const record_layer_list *part)
{
	bool *seen = memory_get((whole->count + 1) * sizeof(*seen));
	bool yes = true;

	for (size_t i = 0; i < part->count && yes; i++) {
		size_t k = 0;

		while (k < whole->count && (seen[k] || !layer_within(&whole->items[k], &part->items[i])))
			k++;
		yes = k < whole->count;
		seen[k] = true;
	}
	for (size_t k = 0; k < whole->count && yes; k++)
		yes = seen[k] || comes_late(&whole->items[k]);
	free(seen);
	return yes;
}

bool identity_within(const record_executor *whole, const record_executor *part)
{
	record_identity all, few;
	char a[65], b[65];
	bool yes;

	take_essence(whole, &all);
	take_essence(part, &few);
	yes = layers_within(&all.layers, &few.layers);
	layout_list_clear(record_layer_layout(), &all.layers);
	layout_list_clear(record_layer_layout(), &few.layers);
	layout_digest(record_identity_layout(), &all, a);
	layout_digest(record_identity_layout(), &few, b);
	layout_clear(record_identity_layout(), &all);
	layout_clear(record_identity_layout(), &few);
	return yes && strcmp(a, b) == 0;
}
