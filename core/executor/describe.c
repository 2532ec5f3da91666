/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/text.h"
#include "executor/executor.h"
#include "executor/layer.h"

#define LAYER_LIMIT 1000 /* a backend that never ends its list is cut here */

static const struct { uint64_t bit; const char *word; } cap_words[] = {
	{ EH_CAP_ASYNC, "async" },
	{ EH_CAP_DEVICE_TIME, "device-time" },
	{ EH_CAP_PINNED, "pinned" },
	{ EH_CAP_SHARED, "shared" },
	{ EH_CAP_FP64, "fp64" },
	{ EH_CAP_FP16, "fp16" },
	{ EH_CAP_FP16_STORE, "fp16-store" },
	{ EH_CAP_BF16_STORE, "bf16-store" },
	{ EH_CAP_ATOMIC64, "atomic64" },
	{ EH_CAP_SIMULATED, "simulated" },
};

static const char *const type_words[] = { "other", "cpu", "gpu", "accelerator", "other" };

/* A device's numbers, by the name that the record gives them. */
typedef struct device_number { const char *key; size_t offset; bool wide; } device_number;
#define WIDE(field) { #field, offsetof(eh_device_info, field), true }
#define NARROW(field) { #field, offsetof(eh_device_info, field), false }
static const device_number device_numbers[] = {
	WIDE(memory_bytes), WIDE(max_alloc_bytes), WIDE(last_level_cache_bytes),
	WIDE(timer_resolution_ns), NARROW(compute_units), NARROW(max_group_items),
	NARROW(local_memory_bytes), NARROW(clock_mhz),
};
typedef struct device_word { const char *key; size_t offset, size; } device_word;
#define WORD(field) \
	{ #field, offsetof(eh_device_info, field), sizeof(((eh_device_info *)0)->field) }
static const device_word device_words[] = {
	WORD(id), WORD(name), WORD(vendor), WORD(platform), WORD(pci), WORD(uuid),
};
#define COUNT(array) (sizeof(array) / sizeof(*(array)))

char *executor_name(const eh_backend *backend, const eh_device_info *info)
{
	return memory_format("%s:%s", backend->name, info->id);
}

cJSON *executor_device(const eh_device_info *info)
{
	cJSON *device = cJSON_CreateObject(), *caps;
	const char *base = (const char *)info;

	for (size_t i = 0; i < COUNT(device_words); i++)
		json_add_string(device, device_words[i].key, base + device_words[i].offset);
	json_add_string(device, "type", type_words[info->type < COUNT(type_words) ? info->type : 0]);
	for (size_t i = 0; i < COUNT(device_numbers); i++) {
		const char *at = base + device_numbers[i].offset;
		uint64_t wide = 0;
		uint32_t narrow = 0;

		if (device_numbers[i].wide)
			memcpy(&wide, at, sizeof(wide));
		else
			memcpy(&narrow, at, sizeof(narrow));
		json_add_uint(device, device_numbers[i].key, device_numbers[i].wide ? wide : narrow);
	}
	json_set(device, "numa_node", cJSON_CreateNumber(info->numa_node));
	caps = json_add_array(device, "caps");
	for (size_t i = 0; i < COUNT(cap_words); i++)
		if (info->caps & cap_words[i].bit)
			json_append_string(caps, cap_words[i].word);
	return device;
}

void executor_device_read(const cJSON *json, eh_device_info *info)
{
	const char *type = json_string(json, "type", "");
	const cJSON *caps = json_path(json, "caps"), *cap;
	double node = -1;
	char *base = (char *)info;

	memset(info, 0, sizeof(*info));
	info->struct_size = sizeof(*info);
	for (size_t i = 0; i < COUNT(device_words); i++)
		snprintf(base + device_words[i].offset, device_words[i].size, "%s",
		         json_string(json, device_words[i].key, ""));
	for (uint32_t i = 1; i < COUNT(type_words); i++)
		if (info->type == 0 && strcmp(type, type_words[i]) == 0)
			info->type = i;
	for (size_t i = 0; i < COUNT(device_numbers); i++) {
		uint64_t wide = 0;
		uint32_t narrow;

		(void)json_uint(json, device_numbers[i].key, &wide);
		narrow = (uint32_t)wide;
		if (device_numbers[i].wide)
			memcpy(base + device_numbers[i].offset, &wide, sizeof(wide));
		else
			memcpy(base + device_numbers[i].offset, &narrow, sizeof(narrow));
	}
	(void)json_double(json, "numa_node", &node);
	info->numa_node = (int32_t)node;
	cJSON_ArrayForEach(cap, caps)
		for (size_t i = 0; i < COUNT(cap_words); i++)
			if (cJSON_IsString(cap) && strcmp(cap->valuestring, cap_words[i].word) == 0)
				info->caps |= cap_words[i].bit;
}

/* ---- layers that the backend knows --------------------------------------------------------- */

static const char *kind_word(uint32_t kind)
{
	static const char *const words[] = { "library", "hardware", "firmware", "driver", "runtime",
	                                     "compiler", "library" };

	return words[kind < COUNT(words) ? kind : 0];
}

static const char *source_word(uint32_t source)
{
	static const char *const words[] = { "unavailable", "measured", "queried", "declared",
	                                     "unavailable" };

	return words[source < COUNT(words) ? source : 0];
}

/* "key=value; key=value" */
static void add_details(cJSON *layer, const char *detail, const char *source)
{
	char *copy = memory_text(detail), *rest = copy, *pair;

	while ((pair = strsep(&rest, ";")) != NULL) {
		char *equals = strchr(pair, '='), *end;

		pair += strspn(pair, " ");
		if (*pair == '\0')
			continue;
		for (end = pair + strlen(pair); end > pair && end[-1] == ' ';)
			*--end = '\0';
		if (equals == NULL || equals <= pair) {
			layer_text(layer, "detail", pair, source);
			continue;
		}
		*equals = '\0';
		layer_text(layer, pair, equals + 1, source);
	}
	free(copy);
}

cJSON *executor_backend_layers(const eh_backend_ops *ops, eh_device *device, executor_files *files)
{
	cJSON *layers = cJSON_CreateArray();

	if (device == NULL || !EH_HAS(ops, eh_backend_ops, device_layer))
		return layers;
	for (uint32_t i = 0; i < LAYER_LIMIT; i++) {
		eh_layer said = { .struct_size = sizeof(said) };
		const char *source;
		cJSON *layer;

		if (ops->device_layer(device, i, &said, NULL) != EH_OK)
			break;
		said.name[sizeof(said.name) - 1] = '\0';
		said.version[sizeof(said.version) - 1] = '\0';
		said.path[sizeof(said.path) - 1] = '\0';
		said.detail[sizeof(said.detail) - 1] = '\0';
		source = source_word(said.source);
		layer = layer_add(layers, kind_word(said.kind), said.name, said.version, source);
		if (said.path[0] != '\0')
			layer_file(layer, said.path, files);
		add_details(layer, said.detail, source);
	}
	return layers;
}

/* ---- the whole ------------------------------------------------------------------------------ */

/* Moves every item of the array, which it frees. */
static void take_all(cJSON *layers, cJSON *piece)
{
	cJSON *item;

	while ((item = cJSON_DetachItemFromArray(piece, 0)) != NULL)
		cJSON_AddItemToArray(layers, item);
	cJSON_Delete(piece);
}

static void add_site(cJSON *layers, const site *declared, const char *name)
{
	cJSON *layer = declared != NULL ? site_layer(declared, name) : NULL;

	if (layer != NULL)
		cJSON_AddItemToArray(layers, layer);
	if (declared != NULL)
		site_own(declared, layers);
}

cJSON *executor_describe(const executor_subject *s)
{
	cJSON *record = cJSON_CreateObject(), *layers = cJSON_CreateArray(), *mapped;
	char *name = executor_name(s->backend, s->info);
	char hex[65];

	/* First of all, before looking around maps anything itself. */
	mapped = executor_mapped("/proc/self/maps", s->files);
	json_add_string(record, "name", name);
	json_add_string(record, "digest", "");
	json_add_bool(record, "simulated", (s->info->caps & EH_CAP_SIMULATED) != 0);
	json_set(record, "device", executor_device(s->info));
	take_all(layers, executor_hardware());
	take_all(layers, executor_device_facts("", s->info));
	take_all(layers, executor_link("", s->info->pci));
	take_all(layers, executor_system(""));
	take_all(layers, executor_backend_layers(s->ops, s->device, s->files));
	take_all(layers, executor_harness(s->backend, s->plugin_path, s->options, s->files));
	take_all(layers, mapped);
	add_site(layers, s->site, name);
	json_set(record, "layers", layers);
	executor_digest(record, hex);
	json_set(record, "digest", cJSON_CreateString(hex));
	free(name);
	return record;
}

cJSON *executor_outline(const char *name, const eh_device_info *info, const site *declared)
{
	cJSON *record = cJSON_CreateObject(), *layers = cJSON_CreateArray();
	char hex[65];

	json_add_string(record, "name", name);
	json_add_string(record, "digest", "");
	json_add_bool(record, "simulated", (info->caps & EH_CAP_SIMULATED) != 0);
	json_set(record, "device", executor_device(info));
	take_all(layers, executor_hardware());
	take_all(layers, executor_device_facts("", info));
	take_all(layers, executor_link("", info->pci));
	take_all(layers, executor_system(""));
	layer_add(layers, "runtime", "the device's own stack", "", "unavailable");
	add_site(layers, declared, name);
	json_set(record, "layers", layers);
	executor_digest(record, hex);
	json_set(record, "digest", cJSON_CreateString(hex));
	return record;
}

/* ---- the digest ----------------------------------------------------------------------------- */

/* Workloads and kernels are what is measured, not what it is measured on; what a site file says
 * may be corrected without another stack. */
static bool in_digest(const cJSON *layer)
{
	const char *role = strcmp(json_string(layer, "layer", ""), "site") == 0 ? "site" : "stack";
	const cJSON *field = json_path(layer, "fields.role");

	if (strcmp(json_string(layer, "layer", ""), "mapped-object") == 0)
		role = json_string(field, "value", "stack");
	return strcmp(role, "stack") == 0;
}

/* Without what is of the moment, and without the place of a file whose content is known. */
static cJSON *lasting(const cJSON *layer)
{
	cJSON *copy = cJSON_Duplicate(layer, true);
	cJSON *fields = cJSON_GetObjectItemCaseSensitive(copy, "fields");
	cJSON *field = fields != NULL ? fields->child : NULL;

	while (field != NULL) {
		cJSON *next = field->next;

		if (field->string != NULL && strncmp(field->string, "now-", 4) == 0)
			cJSON_Delete(cJSON_DetachItemViaPointer(fields, field));
		field = next;
	}
	cJSON_DeleteItemFromObjectCaseSensitive(copy, "owner");
	if (json_string(copy, "sha256", NULL) != NULL)
		cJSON_DeleteItemFromObjectCaseSensitive(copy, "path");
	return copy;
}

void executor_digest(const cJSON *record, char hex[65])
{
	static const char *const identity[] = { "id", "name", "vendor", "platform", "type", "pci",
	                                        "uuid", "compute_units", "caps" };
	cJSON *essence = cJSON_CreateObject(), *device, *layers;
	const cJSON *layer;

	json_add_string(essence, "name", json_string(record, "name", ""));
	device = json_add_object(essence, "device");
	for (size_t i = 0; i < COUNT(identity); i++) {
		const cJSON *item = cJSON_GetObjectItemCaseSensitive(json_path(record, "device"),
		                                                    identity[i]);
		if (item != NULL)
			json_set(device, identity[i], cJSON_Duplicate(item, true));
	}
	layers = json_add_array(essence, "layers");
	cJSON_ArrayForEach(layer, json_path(record, "layers"))
		if (in_digest(layer))
			cJSON_AddItemToArray(layers, lasting(layer));
	json_digest(essence, hex);
	cJSON_Delete(essence);
}
