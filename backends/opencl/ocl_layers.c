/* SPDX-License-Identifier: Apache-2.0 */
/* The stack under a device, layer by layer, as OpenCL reports it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ocl_state.h"
#include "shared/lastcache.h"
#include "shared/wording.h"

static void hardware(const eh_device *device, eh_layer *layer)
{
	const ocl_api *api = device->api;
	const eh_host *host = device->self->host;
	wording_gaps gaps = device->gaps;
	const size_t gaps_before = strlen(gaps.text);
	char *extensions = ocl_platforms_device_text(api, device->listing->id, CL_DEVICE_EXTENSIONS,
	    "extensions", &gaps);
	const bool told = strlen(gaps.text) == gaps_before;
	char *version = ocl_platforms_device_text(api, device->listing->id, CL_DEVICE_VERSION,
	    "device-version", &gaps);
	cl_uint vendor = 0;
	cl_int rc;
	char hex[65], number[16];
	layer->kind = EH_LAYER_HARDWARE;
	snprintf(layer->name, sizeof(layer->name), "%.95s", device->listing->name);
	if (version != NULL)
		wording_detail(layer, "device-version", version);
	rc = api->clGetDeviceInfo(device->listing->id, CL_DEVICE_VENDOR_ID, sizeof(vendor), &vendor,
	    NULL);
	if (rc == CL_SUCCESS) {
		snprintf(number, sizeof(number), "0x%04x", vendor);
		wording_detail(layer, "vendor-id", number);
	} else {
		ocl_error_gap(&gaps, "vendor-id", rc, "clGetDeviceInfo");
	}
	lastcache_detail(layer, device->cache_bytes, device->cache_source);
	/* Before the extensions, which may fill the rest of the detail. */
	wording_detail_gaps(layer, &gaps);
	if (extensions != NULL && told) {
		uint64_t count = extensions[0] != '\0';
		for (const char *p = extensions; *p != '\0'; p++)
			count += *p == ' ';
		host->sha256(host->ctx, extensions, strlen(extensions), hex);
		wording_detail_number(layer, "extension-count", count);
		wording_detail(layer, "extensions-sha256", hex);
		wording_detail(layer, "extensions", extensions);
	}
	free(extensions);
	free(version);
}

static void driver(const eh_device *device, eh_layer *layer)
{
	const ocl_platform *p = device->listing->platform;
	wording_gaps gaps = { "" };
	char *version = ocl_platforms_device_text(device->api, device->listing->id, CL_DRIVER_VERSION,
	    "version", &gaps);
	layer->kind = EH_LAYER_DRIVER;
	snprintf(layer->name, sizeof(layer->name), "%s driver", p->slug);
	snprintf(layer->version, sizeof(layer->version), "%s", version != NULL ? version : "");
	snprintf(layer->path, sizeof(layer->path), "%s", p->library);
	wording_detail_gaps(layer, &gaps);
	free(version);
}

static void platform(const eh_device *device, eh_layer *layer)
{
	const ocl_platform *p = device->listing->platform;
	const char *enabled = getenv("RUSTICL_ENABLE");
	layer->kind = EH_LAYER_RUNTIME;
	snprintf(layer->name, sizeof(layer->name), "%.95s", p->name);
	snprintf(layer->version, sizeof(layer->version), "%.127s", p->version_text);
	snprintf(layer->path, sizeof(layer->path), "%s", p->library);
	if (strcmp(p->slug, "rusticl") == 0 && enabled != NULL)
		wording_detail(layer, "RUSTICL_ENABLE", enabled);
}

static void loader(const eh_device *device, eh_layer *layer)
{
	const ocl_api *api = device->api;
	wording_gaps gaps = { "" };
	layer->kind = EH_LAYER_RUNTIME;
	snprintf(layer->name, sizeof(layer->name), "%s", api->name);
	snprintf(layer->version, sizeof(layer->version), "%s", api->version);
	snprintf(layer->path, sizeof(layer->path), "%s", api->path);
	if (api->version_rc != CL_SUCCESS)
		ocl_error_gap(&gaps, "version", api->version_rc, "clGetICDLoaderInfoOCLICD");
	wording_detail_gaps(layer, &gaps);
}

static void compiler(const eh_device *device, eh_layer *layer)
{
	const ocl_platform *p = device->listing->platform;
	wording_gaps gaps = { "" };
	char *language = ocl_platforms_device_text(device->api, device->listing->id,
	    CL_DEVICE_OPENCL_C_VERSION, "language", &gaps);
	layer->kind = EH_LAYER_COMPILER;
	snprintf(layer->name, sizeof(layer->name), "%s", p->slug);
	ocl_programs_compiler_version(device, layer->version, sizeof(layer->version), &gaps);
	snprintf(layer->path, sizeof(layer->path), "%s", p->library);
	wording_detail(layer, "flags", OCL_PROGRAMS_FLAGS);
	if (language != NULL)
		wording_detail(layer, "language", language);
	wording_detail(layer, "kernel-cache", ocl_platforms_cache(device->self, p));
	wording_detail_gaps(layer, &gaps);
	free(language);
}

eh_status ocl_layers_get(eh_device *device, uint32_t index, eh_layer *out, eh_error *error)
{
	static void (*const layers[])(const eh_device *, eh_layer *) = {
		hardware, driver, platform, loader, compiler
	};
	eh_layer layer;
	const uint32_t count = sizeof(layers) / sizeof(layers[0]);
	uint32_t libraries = 0;
	if (index >= count && ocl_gemm_layer(device, index - count, &layer)) {
		eh_give(out, &layer, sizeof(layer));
		return EH_OK;
	}
	if (index >= count) {
		while (ocl_gemm_layer(device, libraries, &layer))
			libraries++;
		return failure_set(error, EH_E_INVALID_ARGUMENT, "device_layer",
		    "An OpenCL device has %u layers.", (unsigned)(count + libraries));
	}
	memset(&layer, 0, sizeof(layer));
	layer.source = EH_SOURCE_QUERIED;
	layers[index](device, &layer);
	eh_give(out, &layer, sizeof(layer));
	return EH_OK;
}
