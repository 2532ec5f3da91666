/* SPDX-License-Identifier: Apache-2.0 */
/* The stack under a device, layer by layer. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lz_state.h"
#include "shared/lastcache.h"
#include "shared/wording.h"

/* The file of the driver, which the loader does not report: Intel's, if it is mapped, or the
 * alternative driver that replaces all others. */
static void driver_file(char *path, size_t size)
{
	const char *alternative = getenv("ZE_ENABLE_ALT_DRIVERS");
	char line[PATH_MAX + 128];
	FILE *maps = fopen("/proc/self/maps", "re");

	path[0] = '\0';
	if (maps == NULL)
		return;
	while (path[0] == '\0' && fgets(line, sizeof(line), maps) != NULL) {
		char *file = strchr(line, '/');

		if (file == NULL)
			continue;
		file[strcspn(file, "\n")] = '\0';
		if (strstr(file, "libze_intel_") != NULL)
			snprintf(path, size, "%s", file);
	}
	(void)fclose(maps);
	if (path[0] == '\0' && alternative != NULL && strchr(alternative, ',') == NULL)
		snprintf(path, size, "%s", alternative);
}

static void hardware(eh_device *d, eh_layer *layer)
{
	const ze_device_properties_t *p = &d->properties;
	char text[32];

	layer->kind = EH_LAYER_HARDWARE;
	snprintf(layer->name, sizeof(layer->name), "%.95s", d->info.name);
	snprintf(text, sizeof(text), "%04x:%04x", (unsigned)(p->vendorId & 0xffff),
	         (unsigned)(p->deviceId & 0xffff));
	wording_detail(layer, "pci-id", text);
	wording_detail_number(layer, "slices", p->numSlices);
	wording_detail_number(layer, "subslices-per-slice", p->numSubslicesPerSlice);
	wording_detail_number(layer, "eus-per-subslice", p->numEUsPerSubslice);
	wording_detail_number(layer, "threads-per-eu", p->numThreadsPerEU);
	wording_detail_number(layer, "simd-width", p->physicalEUSimdWidth);
	wording_detail(layer, "ecc", (p->flags & ZE_DEVICE_PROPERTY_FLAG_ECC) != 0 ? "on" : "off");
	wording_detail(layer, "integrated",
	               (p->flags & ZE_DEVICE_PROPERTY_FLAG_INTEGRATED) != 0 ? "yes" : "no");
	if (d->info.memory_bytes > 0) {
		wording_detail_number(layer, "memory-bytes", d->info.memory_bytes);
		wording_detail_number(layer, "memory-clock-mhz", d->memory.maxClockRate);
		wording_detail_number(layer, "memory-bits", d->memory.maxBusWidth);
	}
	wording_detail_number(layer, "clock-mhz", d->info.clock_mhz);
	lastcache_detail(layer, d->info.last_level_cache_bytes, d->cache_source);
	wording_detail_number(layer, "copy-engines", d->copy_engines);
	if (d->place.sub >= 0)
		wording_detail_number(layer, "tile", (uint64_t)d->place.sub);
	wording_detail_gaps(layer, &d->gaps);
}

static void driver(eh_device *d, eh_layer *layer)
{
	const char *mask = getenv("ZE_AFFINITY_MASK"), *shape = getenv("ZE_FLAT_DEVICE_HIERARCHY");
	char api[16];

	layer->kind = EH_LAYER_DRIVER;
	snprintf(layer->name, sizeof(layer->name), "Level Zero driver");
	lz_describe_version(d->place.driver->version, layer->version, sizeof(layer->version));
	driver_file(layer->path, sizeof(layer->path));
	snprintf(api, sizeof(api), "%u.%u", (unsigned)(d->place.driver->api >> 16),
	         (unsigned)(d->place.driver->api & 0xffff));
	wording_detail(layer, "api", api);
	wording_detail(layer, "driver-kernel-cache", d->self->native_cache);
	wording_detail_number(layer, "version-number", d->place.driver->version);
	wording_detail_number(layer, "clock-hertz", d->clock.hertz);
	wording_detail_number(layer, "clock-bits", d->clock.bits);
	wording_detail(layer, "affinity-mask", mask != NULL ? mask : "");
	wording_detail(layer, "device-hierarchy", shape != NULL ? shape : "");
}

static void runtime(eh_device *d, eh_layer *layer)
{
	const char *validation = getenv("ZE_ENABLE_VALIDATION_LAYER");
	wording_gaps gaps = { "" };

	layer->kind = EH_LAYER_RUNTIME;
	snprintf(layer->name, sizeof(layer->name), "Level Zero loader");
	snprintf(layer->version, sizeof(layer->version), "%s", d->api->loader);
	wording_path(layer, d->api->library.path);
	wording_detail(layer, "lists", d->self->regular ? "regular" : "immediate");
	wording_detail(layer, "order", d->self->in_order && d->place.driver->api >=
	               LZ_API_IN_ORDER && !d->self->regular ? "list" : "barriers");
	wording_detail(layer, "validation-layer", validation != NULL ? validation : "");
	if (d->api->loader_rc != ZE_RESULT_SUCCESS)
		wording_gap(&gaps, "version", "zelLoaderGetVersions", lz_error_name(d->api->loader_rc),
		            (int64_t)d->api->loader_rc);
	wording_detail_gaps(layer, &gaps);
}

static void maker(const lz_maker *m, const char *when, eh_layer *layer)
{
	layer->kind = EH_LAYER_COMPILER;
	snprintf(layer->name, sizeof(layer->name), "%s", m->way != LZ_ANY ? m->compiler : when);
	snprintf(layer->version, sizeof(layer->version), "%s", m->version);
	if (m->way == LZ_ANY)
		layer->source = EH_SOURCE_UNAVAILABLE;
	/* The path of prebuilt kernels is a folder, which has no digest. */
	if (m->way != LZ_PREBUILT && strlen(m->path) < sizeof(layer->path))
		snprintf(layer->path, sizeof(layer->path), "%.255s", m->path);
	wording_detail(layer, "translator", m->translator);
	wording_detail(layer, "flags", m->flags);
}

/* For kernels that were compiled when evenhand was built. */
static void prebuilt(eh_device *d, eh_layer *layer)
{
	lz_compilers_search(&d->self->compilers);
	maker(&d->self->compilers.prebuilt, "SPIR-V, when built", layer);
}

/* For all others. */
static void compiler(eh_device *d, eh_layer *layer)
{
	lz_compilers_search(&d->self->compilers);
	maker(&d->self->compilers.runtime, "SPIR-V, at run time", layer);
}

eh_status lz_layers_get(eh_device *d, uint32_t index, eh_layer *out, eh_error *error)
{
	static void (*const layers[])(eh_device *, eh_layer *) = {
		hardware, driver, runtime, prebuilt, compiler
	};
	eh_layer layer;

	if (index == sizeof(layers) / sizeof(layers[0]) && lz_gemm_layer(d, &layer)) {
		eh_give(out, &layer, sizeof(layer));
		return EH_OK;
	}
	if (index >= sizeof(layers) / sizeof(layers[0]))
		return failure_set(error, EH_E_INVALID_ARGUMENT, "device_layer",
		                   "A Level Zero device has %zu layers.",
		                   sizeof(layers) / sizeof(layers[0]) + lz_gemm_layer(d, &layer));
	memset(&layer, 0, sizeof(layer));
	layer.source = EH_SOURCE_QUERIED;
	layers[index](d, &layer);
	eh_give(out, &layer, sizeof(layer));
	return EH_OK;
}
