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

bool identity_digest(const record_executor *record, char hex[65])
{
	record_identity essence;
	bool whole;

	layout_init(record_identity_layout(), &essence);
	text_set(&essence.name, record->name);
	add_device(&record->device, &essence.device);
	/* A corrected site file does not make another stack. */
	for (size_t i = 0; i < record->layers.count; i++)
		if (record->layers.items[i].layer != RECORD_LAYER_SITE &&
		    disclosure_is_stack(&record->layers.items[i]))
			add_lasting(&record->layers.items[i],
			            layout_append(record_layer_layout(), &essence.layers));
	whole = !is_hidden(&essence);
	layout_digest(record_identity_layout(), &essence, hex);
	layout_clear(record_identity_layout(), &essence);
	return whole;
}
