/* SPDX-License-Identifier: Apache-2.0 */
/* The stack under a device, layer by layer. */
#include <stdio.h>
#include <string.h>

#include "cuda_state.h"
#include "shared/lastcache.h"
#include "shared/wording.h"

/* As numbers, because older headers lack some of them. */
enum {
	ATTRIBUTE_ECC = 32,
	ATTRIBUTE_MEMORY_CLOCK = 36,
	ATTRIBUTE_MEMORY_BITS = 37,
	ATTRIBUTE_THREADS_PER_MULTIPROCESSOR = 39,
	ATTRIBUTE_COPY_ENGINES = 40,
	ATTRIBUTE_SHARED_PER_MULTIPROCESSOR = 81,
	ATTRIBUTE_MPS = 133
};

static void add_attribute(const cuda_query *q, eh_layer *layer, const char *key, int attribute,
                          uint64_t divisor)
{
	int value = 0;

	if (cuda_devices_attribute(q, attribute, key, &value) && value > 0)
		wording_detail_number(layer, key, (uint64_t)value / divisor);
}

static void hardware(const eh_device *d, eh_layer *layer)
{
	const char *mig = strstr(d->info.name, " MIG ");
	wording_gaps gaps = d->gaps;
	const cuda_query q = { d->api, d->device, &gaps };
	char text[32];
	int ecc = 0;

	layer->kind = EH_LAYER_HARDWARE;
	snprintf(layer->name, sizeof(layer->name), "%.95s", d->info.name);
	snprintf(text, sizeof(text), "%d.%d", d->compute / 10, d->compute % 10);
	wording_detail(layer, "compute-capability", text);
	wording_detail(layer, "mig", mig != NULL ? mig + 5 : "");
	wording_detail_number(layer, "multiprocessors", d->info.compute_units);
	wording_detail_number(layer, "memory-bytes", d->info.memory_bytes);
	if (cuda_devices_attribute(&q, ATTRIBUTE_ECC, "ecc", &ecc))
		wording_detail(layer, "ecc", ecc != 0 ? "on" : "off");
	wording_detail_number(layer, "clock-mhz", d->info.clock_mhz);
	add_attribute(&q, layer, "memory-clock-mhz", ATTRIBUTE_MEMORY_CLOCK, 1000);
	add_attribute(&q, layer, "memory-bits", ATTRIBUTE_MEMORY_BITS, 1);
	lastcache_detail(layer, d->info.last_level_cache_bytes, d->cache_source);
	add_attribute(&q, layer, "threads-per-multiprocessor", ATTRIBUTE_THREADS_PER_MULTIPROCESSOR,
	              1);
	add_attribute(&q, layer, "shared-bytes-per-multiprocessor", ATTRIBUTE_SHARED_PER_MULTIPROCESSOR,
	              1);
	add_attribute(&q, layer, "copy-engines", ATTRIBUTE_COPY_ENGINES, 1);
	if (d->mode > 0)
		wording_detail_number(layer, "compute-mode", (uint64_t)d->mode);
	add_attribute(&q, layer, "mps", ATTRIBUTE_MPS, 1);
	wording_detail_gaps(layer, &gaps);
}

/* The version of the kernel module, "570.86.15", from /proc. */
static void module_version(char *version, size_t size, char *flavour, size_t flavour_size)
{
	static const char module[] = "Kernel Module";
	char line[256] = "";
	const char *p;
	FILE *file = fopen("/proc/driver/nvidia/version", "r");

	version[0] = '\0';
	flavour[0] = '\0';
	if (file == NULL)
		return;
	if (fgets(line, sizeof(line), file) == NULL)
		line[0] = '\0';
	(void)fclose(file);
	p = strstr(line, module);
	if (p == NULL)
		return;
	snprintf(flavour, flavour_size, "%s", strstr(line, "Open") != NULL ? "open" : "proprietary");
	/* "Kernel Module  570.86.15  Thu ..." or "Kernel Module for x86_64  570.86.15  ..." */
	for (p += sizeof(module) - 1; *p != '\0'; p++)
		if (*p >= '0' && *p <= '9' && p[-1] == ' ' && strspn(p, "0123456789.") > 3) {
			snprintf(version, size, "%.*s", (int)strspn(p, "0123456789."), p);
			return;
		}
}

static void driver(const eh_device *d, eh_layer *layer)
{
	char version[64], flavour[16], api[16];

	module_version(version, sizeof(version), flavour, sizeof(flavour));
	layer->kind = EH_LAYER_DRIVER;
	snprintf(layer->name, sizeof(layer->name), "NVIDIA kernel module");
	snprintf(layer->version, sizeof(layer->version), "%s", version);
	if (version[0] == '\0')
		layer->source = EH_SOURCE_UNAVAILABLE;
	wording_detail(layer, "flavour", flavour);
	cuda_api_version(d->api, api, sizeof(api));
	wording_detail(layer, "cuda", api);
}

static void runtime(const eh_device *d, eh_layer *layer)
{
	wording_gaps gaps = { "" };

	layer->kind = EH_LAYER_RUNTIME;
	snprintf(layer->name, sizeof(layer->name), "CUDA driver API");
	cuda_api_version(d->api, layer->version, sizeof(layer->version));
	if (layer->version[0] == '\0')
		stream_error_gap(d->api, &gaps, "version", d->api->version_rc, "cuDriverGetVersion");
	wording_path(layer, d->api->library.path);
	if (d->schedule_rc == CUDA_SUCCESS)
		wording_detail(layer, "wait", d->self->schedule_word);
	else
		stream_error_gap(d->api, &gaps, "wait", d->schedule_rc, "cuDevicePrimaryCtxSetFlags");
	wording_detail_gaps(layer, &gaps);
}

static void compiler(const eh_device *d, eh_layer *layer)
{
	const cuda_self *self = d->self;

	layer->kind = EH_LAYER_COMPILER;
	snprintf(layer->name, sizeof(layer->name), "NVRTC");
	cuda_nvrtc_version(d->nvrtc, layer->version, sizeof(layer->version));
	if (d->nvrtc != NULL)
		wording_path(layer, d->nvrtc->library.path);
	else
		layer->source = EH_SOURCE_UNAVAILABLE;
	wording_detail(layer, "flags", CUDA_COMPILE_FLAGS);
	wording_detail(layer, "driver-kernel-cache", self->jit_cache);
}

eh_status cuda_layers_get(eh_device *d, uint32_t index, eh_layer *out, eh_error *error)
{
	static void (*const layers[])(const eh_device *, eh_layer *) = {
		hardware, driver, runtime, compiler
	};
	eh_layer layer;

	if (index == sizeof(layers) / sizeof(layers[0]) && cuda_gemm_layer(d, &layer)) {
		eh_give(out, &layer, sizeof(layer));
		return EH_OK;
	}
	if (index >= sizeof(layers) / sizeof(layers[0]))
		return failure_set(error, EH_E_INVALID_ARGUMENT, "device_layer",
		                   "A CUDA device has %zu layers.",
		                   sizeof(layers) / sizeof(layers[0]) + d->gemm.used);
	memset(&layer, 0, sizeof(layer));
	layer.source = EH_SOURCE_QUERIED;
	layers[index](d, &layer);
	eh_give(out, &layer, sizeof(layer));
	return EH_OK;
}
