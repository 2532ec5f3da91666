/* SPDX-License-Identifier: Apache-2.0 */
/* The stack under a device, layer by layer. */
#include <stdio.h>
#include <string.h>

#include "hip_state.h"
#include "shared/lastcache.h"
#include "shared/wording.h"

static void add_attribute(const hip_query *q, eh_layer *layer, const char *key,
                          hipDeviceAttribute_t attribute, uint64_t divisor)
{
	int value = 0;

	if (hip_devices_attribute(q, attribute, key, &value) && value > 0)
		wording_detail_number(layer, key, (uint64_t)value / divisor);
}

static void hardware(const eh_device *d, eh_layer *layer)
{
	wording_gaps gaps = d->gaps;
	const hip_query q = { d->api, d->device, &gaps };
	int ecc = 0;

	layer->kind = EH_LAYER_HARDWARE;
	snprintf(layer->name, sizeof(layer->name), "%.95s", d->info.name);
	wording_detail(layer, "architecture", d->architecture);
	wording_detail_number(layer, "compute-units", d->info.compute_units);
	wording_detail_number(layer, "memory-bytes", d->info.memory_bytes);
	if (hip_devices_attribute(&q, hipDeviceAttributeEccEnabled, "ecc", &ecc))
		wording_detail(layer, "ecc", ecc != 0 ? "on" : "off");
	wording_detail_number(layer, "clock-mhz", d->info.clock_mhz);
	add_attribute(&q, layer, "memory-clock-mhz", hipDeviceAttributeMemoryClockRate, 1000);
	add_attribute(&q, layer, "memory-bits", hipDeviceAttributeMemoryBusWidth, 1);
	add_attribute(&q, layer, "l2-bytes", hipDeviceAttributeL2CacheSize, 1);
	lastcache_detail(layer, d->info.last_level_cache_bytes, d->cache_source);
	add_attribute(&q, layer, "wavefront-items", hipDeviceAttributeWarpSize, 1);
	add_attribute(&q, layer, "items-per-compute-unit",
	              hipDeviceAttributeMaxThreadsPerMultiProcessor, 1);
	add_attribute(&q, layer, "lds-bytes-per-compute-unit",
	              hipDeviceAttributeMaxSharedMemoryPerMultiprocessor, 1);
	add_attribute(&q, layer, "integrated", hipDeviceAttributeIntegrated, 1);
	add_attribute(&q, layer, "large-bar", hipDeviceAttributeIsLargeBar, 1);
	wording_detail_gaps(layer, &gaps);
}

/* Only a kernel module from outside the kernel has a version. */
static void driver(const eh_device *d, eh_layer *layer)
{
	FILE *file = fopen("/sys/module/amdgpu/version", "r");
	wording_gaps gaps = { "" };
	char number[24];
	int version = 0;
	const hipError_t rc = d->api->driver_version(&version);

	layer->kind = EH_LAYER_DRIVER;
	snprintf(layer->name, sizeof(layer->name), "amdgpu kernel module");
	if (file != NULL) {
		if (fgets(layer->version, (int)sizeof(layer->version), file) == NULL)
			layer->version[0] = '\0';
		(void)fclose(file);
		wording_tidy(layer->version);
	}
	if (layer->version[0] == '\0')
		layer->source = EH_SOURCE_UNAVAILABLE;
	if (rc == hipSuccess) {
		hip_devices_version(version, number, sizeof(number));
		wording_detail(layer, "hip", number);
	} else {
		stream_error_gap(d->api, &gaps, "hip", rc, "hipDriverGetVersion");
	}
	wording_detail_gaps(layer, &gaps);
}

static void runtime(const eh_device *d, eh_layer *layer)
{
	wording_gaps gaps = { "" };

	layer->kind = EH_LAYER_RUNTIME;
	snprintf(layer->name, sizeof(layer->name), "HIP runtime");
	hip_devices_version(d->api->version, layer->version, sizeof(layer->version));
	if (layer->version[0] == '\0')
		stream_error_gap(d->api, &gaps, "version", d->api->version_rc, "hipRuntimeGetVersion");
	wording_path(layer, d->api->library.path);
	if (d->schedule_rc == hipSuccess)
		wording_detail(layer, "wait", d->self->schedule_word);
	else
		stream_error_gap(d->api, &gaps, "wait", d->schedule_rc, "hipSetDeviceFlags");
	wording_detail(layer, "timed-marks", d->timed_event == hipEventDefault ? "system fence" :
	               "no system fence");
	wording_detail_gaps(layer, &gaps);
}

static void compiler(const eh_device *d, eh_layer *layer)
{
	const hip_self *self = d->self;

	layer->kind = EH_LAYER_COMPILER;
	snprintf(layer->name, sizeof(layer->name), "hiprtc");
	hip_compile_version(self, layer->version, sizeof(layer->version));
	if (self->hiprtc.library.handle == NULL)
		layer->source = EH_SOURCE_UNAVAILABLE;
	wording_path(layer, self->hiprtc.library.path);
	wording_detail(layer, "flags", HIP_COMPILE_FLAGS);
	wording_detail(layer, "compiler-kernel-cache", self->compiler_cache);
	wording_detail(layer, "process", self->compile_apart ? "a child" : "the worker");
}

eh_status hip_layers_get(eh_device *d, uint32_t index, eh_layer *out, eh_error *error)
{
	static void (*const layers[])(const eh_device *, eh_layer *) = {
		hardware, driver, runtime, compiler
	};
	const uint32_t count = sizeof(layers) / sizeof(layers[0]);
	eh_layer layer;

	if (index >= count && hip_gemm_layer(d, index - count, &layer)) {
		eh_give(out, &layer, sizeof(layer));
		return EH_OK;
	}
	if (index >= count)
		return failure_set(error, EH_E_INVALID_ARGUMENT, "device_layer", "A HIP device has %u layers.",
		                   (unsigned)count + d->gemm.used[HIP_HIPBLASLT] + d->gemm.used[HIP_ROCBLAS]);
	memset(&layer, 0, sizeof(layer));
	layer.source = EH_SOURCE_QUERIED;
	layers[index](d, &layer);
	eh_give(out, &layer, sizeof(layer));
	return EH_OK;
}
