/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "executor/executor.h"
#include "executor/layer.h"
#include "record/identity.h"

#define LAYER_LIMIT 1000 /* of layers, for a backend whose list never ends */

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
	{ EH_CAP_FP64_SOFT, "fp64-soft" },
	{ EH_CAP_FP16_SOFT, "fp16-soft" },
	{ EH_CAP_SIMULATED, "simulated" },
};

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

char *executor_name(const eh_backend *backend, const eh_device_info *info)
{
	return memory_format("%s:%s", backend->name, info->id);
}

void executor_device(const eh_device_info *info, record_device *out)
{
	static const char *const types[] = { "other", "cpu", "gpu", "accelerator", "other" };

	text_set(&out->id, info->id);
	text_set(&out->name, info->name);
	text_set(&out->vendor, info->vendor);
	text_set(&out->platform, info->platform);
	text_set(&out->type, types[info->type < COUNT(types) ? info->type : 0]);
	text_set(&out->pci, info->pci);
	text_set(&out->uuid, info->uuid);
	out->memory_bytes = info->memory_bytes;
	out->max_alloc_bytes = info->max_alloc_bytes;
	out->last_level_cache_bytes = info->last_level_cache_bytes;
	out->compute_units = info->compute_units;
	out->max_group_items = info->max_group_items;
	out->local_memory_bytes = info->local_memory_bytes;
	out->clock_mhz = info->clock_mhz;
	out->numa_node = info->numa_node;
	out->timer_resolution_ns = info->timer_resolution_ns;
	/* An empty list, not an absent one. */
	out->caps.items = memory_get(sizeof(*out->caps.items));
	for (size_t i = 0; i < COUNT(cap_words); i++)
		if (info->caps & cap_words[i].bit)
			text_list_add(&out->caps, cap_words[i].word);
}

bool executor_is_simulated(const record_device *device)
{
	return text_list_has(&device->caps, "simulated");
}

/* ---- layers that the backend knows --------------------------------------------------------- */

static enum record_layer_kind layer_kind(uint32_t kind)
{
	static const enum record_layer_kind kinds[] = {
		[EH_LAYER_HARDWARE] = RECORD_LAYER_HARDWARE,
		[EH_LAYER_FIRMWARE] = RECORD_LAYER_FIRMWARE,
		[EH_LAYER_DRIVER] = RECORD_LAYER_DRIVER,
		[EH_LAYER_RUNTIME] = RECORD_LAYER_RUNTIME,
		[EH_LAYER_COMPILER] = RECORD_LAYER_COMPILER,
		[EH_LAYER_LIBRARY] = RECORD_LAYER_LIBRARY,
		[EH_LAYER_FRAMEWORK] = RECORD_LAYER_FRAMEWORK,
		[EH_LAYER_SERVING] = RECORD_LAYER_SERVING,
		[EH_LAYER_MODEL] = RECORD_LAYER_MODEL,
		[EH_LAYER_CONFIGURATION] = RECORD_LAYER_CONFIGURATION,
		[EH_LAYER_DEMAND] = RECORD_LAYER_DEMAND,
	};

	return kind < COUNT(kinds) && kinds[kind] != 0 ? kinds[kind] : RECORD_LAYER_LIBRARY;
}

static enum record_source layer_source(uint32_t source)
{
	static const enum record_source sources[] = {
		[EH_SOURCE_MEASURED] = RECORD_SOURCE_MEASURED,
		[EH_SOURCE_QUERIED] = RECORD_SOURCE_QUERIED,
		[EH_SOURCE_DECLARED] = RECORD_SOURCE_DECLARED,
	};

	return source < COUNT(sources) && sources[source] != 0 ? sources[source]
	                                                       : RECORD_SOURCE_UNAVAILABLE;
}

/* "key=value; key=value" */
static void add_details(record_layer *layer, const char *detail, enum record_source source)
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

static void backend_layers(record_layer_list *layers, const eh_backend_ops *ops,
                           eh_device *device, executor_files *files)
{
	if (device == NULL || !EH_HAS(ops, eh_backend_ops, device_layer))
		return;
	for (uint32_t i = 0; i < LAYER_LIMIT; i++) {
		eh_layer found = { .struct_size = sizeof(found) };
		enum record_source source;
		record_layer *layer;

		if (ops->device_layer(device, i, &found, NULL) != EH_OK)
			break;
		text_clean_array(found.name);
		text_clean_array(found.version);
		text_clean_array(found.path);
		text_clean_array(found.detail);
		text_clean_array(found.maker);
		source = layer_source(found.source);
		layer = layer_add(layers, layer_kind(found.kind), found.name, found.version,
		                  source);
		if (found.path[0] != '\0')
			layer_file(layer, found.path, files);
		add_details(layer, found.detail, source);
		text_set(&layer_settle(layer)->maker, found.maker[0] != '\0' ? found.maker : NULL);
	}
}

/* ---- the whole ------------------------------------------------------------------------------ */

/* The layers that are known without the backend. */
static void add_outside(record_executor *record)
{
	record->simulated = executor_is_simulated(&record->device);
	executor_hardware(&record->layers);
	executor_device_facts(&record->layers, "", &record->device);
	executor_link(&record->layers, "", record->device.pci);
	executor_system(&record->layers, "");
}

static void finish(record_executor *record, const site *declared)
{
	char hex[65];

	if (declared != NULL) {
		site_add(declared, record->name, &record->layers);
		site_own(declared, &record->layers);
	}
	/* A text that looks redacted is the machine's own: the digest is of it all the same. */
	(void)identity_digest(record, hex);
	text_set(&record->digest, hex);
}

void executor_describe(const executor_subject *s, record_executor *out)
{
	record_layer_list mapped = { 0 };

	/* First: the steps below map files themselves. */
	executor_mapped(&mapped, "/proc/self/maps", s->files);
	out->name = executor_name(s->backend, s->info);
	executor_device(s->info, &out->device);
	add_outside(out);
	backend_layers(&out->layers, s->ops, s->device, s->files);
	executor_harness(&out->layers, s->backend, s->plugin_path, s->options, s->files);
	for (size_t i = 0; i < mapped.count; i++)
		*(record_layer *)layout_append(record_layer_layout(), &out->layers) = mapped.items[i];
	free(mapped.items);
	executor_configuration(&out->layers, "", (const char *const *)environ, s->files);
	finish(out, s->site);
}

void executor_outline(const char *name, const record_device *device, const site *declared,
                      record_executor *out)
{
	text_set(&out->name, name);
	layout_copy(record_device_layout(), device, &out->device);
	add_outside(out);
	layer_add(&out->layers, RECORD_LAYER_RUNTIME, "the device's own stack", "",
	          RECORD_SOURCE_UNAVAILABLE);
	finish(out, declared);
}
