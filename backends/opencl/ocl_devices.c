/* SPDX-License-Identifier: Apache-2.0 */
/* Devices: what they are, and opening one. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ocl_state.h"
#include "shared/wording.h"

/* Extensions' queries are spelled out: older headers lack some of them. */
enum {
	ASK_UUID_KHR = 0x106A,
	ASK_PCI_BUS_INFO_KHR = 0x410F,
	ASK_PCI_BUS_ID_NV = 0x4008,
	ASK_PCI_SLOT_ID_NV = 0x4009,
	ASK_PCI_DOMAIN_ID_NV = 0x400A,
	ASK_TOPOLOGY_AMD = 0x4037,
	ASK_SVM_CAPABILITIES = 0x1053,
	SVM_COARSE = 1,
	SVM_FINE = 2
};

static uint64_t ask_u64(const ocl_api *api, cl_device_id device, cl_device_info what)
{
	cl_ulong value = 0;
	const cl_int rc = api->clGetDeviceInfo(device, what, sizeof(value), &value, NULL);
	return rc == CL_SUCCESS ? value : 0;
}

static uint32_t ask_u32(const ocl_api *api, cl_device_id device, cl_device_info what)
{
	cl_uint value = 0;
	const cl_int rc = api->clGetDeviceInfo(device, what, sizeof(value), &value, NULL);
	return rc == CL_SUCCESS ? value : 0;
}

static size_t ask_size(const ocl_api *api, cl_device_id device, cl_device_info what)
{
	size_t value = 0;
	const cl_int rc = api->clGetDeviceInfo(device, what, sizeof(value), &value, NULL);
	return rc == CL_SUCCESS ? value : 0;
}

static uint32_t clamp(uint64_t value)
{
	return value > UINT32_MAX ? UINT32_MAX : (uint32_t)value;
}

static void copy_text(const ocl_api *api, cl_device_id device, cl_device_info what, char *out,
                      size_t size)
{
	char *text = ocl_platforms_device_text(api, device, what);
	snprintf(out, size, "%s", text != NULL ? text : "");
	free(text);
}

static uint32_t kind_of(const ocl_api *api, cl_device_id device)
{
	switch (ask_u64(api, device, CL_DEVICE_TYPE) &
	        (CL_DEVICE_TYPE_CPU | CL_DEVICE_TYPE_GPU | CL_DEVICE_TYPE_ACCELERATOR)) {
	case CL_DEVICE_TYPE_CPU: return EH_DEVICE_CPU;
	case CL_DEVICE_TYPE_GPU: return EH_DEVICE_GPU;
	case CL_DEVICE_TYPE_ACCELERATOR: return EH_DEVICE_ACCELERATOR;
	default: return EH_DEVICE_OTHER;
	}
}

static uint64_t svm_of(const ocl_api *api, const ocl_listing *d)
{
	if (d->version < 200 || api->clSVMAlloc == NULL || api->clSVMFree == NULL)
		return 0;
	return ask_u64(api, d->id, ASK_SVM_CAPABILITIES);
}

static uint64_t caps_of(const ocl_api *api, const ocl_listing *d, const char *extensions)
{
	/* Vector loads of half and 16-bit integers belong to every OpenCL C. */
	uint64_t caps = EH_CAP_ASYNC | EH_CAP_DEVICE_TIME | EH_CAP_PINNED | EH_CAP_FP16_STORE |
	                EH_CAP_BF16_STORE;
	if ((svm_of(api, d) & SVM_COARSE) != 0)
		caps |= EH_CAP_SHARED;
	if (ocl_platforms_has_word(extensions, "cl_khr_fp64") ||
	    ask_u64(api, d->id, CL_DEVICE_DOUBLE_FP_CONFIG) != 0)
		caps |= EH_CAP_FP64;
	if (ocl_platforms_has_word(extensions, "cl_khr_fp16"))
		caps |= EH_CAP_FP16;
	if (ocl_platforms_has_word(extensions, "cl_khr_int64_base_atomics"))
		caps |= EH_CAP_ATOMIC64;
	if (strstr(d->platform->name, "Oclgrind") != NULL || strstr(d->name, "Simulator") != NULL ||
	    strstr(d->platform->name, "Emulation") != NULL)
		caps |= EH_CAP_SIMULATED;
	return caps;
}

static void find_pci(const ocl_api *api, cl_device_id id, const char *extensions, char *out,
                     size_t size)
{
	struct { cl_uint domain, bus, device, function; } khr = { 0, 0, 0, 0 };
	struct { cl_uint type; unsigned char unused[17], bus, device, function; } amd = { .type = 0 };
	if (ocl_platforms_has_word(extensions, "cl_khr_pci_bus_info") &&
	    api->clGetDeviceInfo(id, ASK_PCI_BUS_INFO_KHR, sizeof(khr), &khr, NULL) == CL_SUCCESS) {
		snprintf(out, size, "%04x:%02x:%02x.%x", khr.domain & 0xffff, khr.bus & 0xff,
		    khr.device & 0x1f, khr.function & 7);
	} else if (ocl_platforms_has_word(extensions, "cl_nv_device_attribute_query")) {
		const uint32_t slot = ask_u32(api, id, ASK_PCI_SLOT_ID_NV);
		snprintf(out, size, "%04x:%02x:%02x.%x", ask_u32(api, id, ASK_PCI_DOMAIN_ID_NV) & 0xffff,
		    ask_u32(api, id, ASK_PCI_BUS_ID_NV) & 0xff, (slot >> 3) & 0x1f, slot & 7);
	} else if (ocl_platforms_has_word(extensions, "cl_amd_device_attribute_query") &&
	           api->clGetDeviceInfo(id, ASK_TOPOLOGY_AMD, sizeof(amd), &amd, NULL) == CL_SUCCESS &&
	           amd.type == 1) {
		snprintf(out, size, "0000:%02x:%02x.%x", amd.bus, amd.device & 0x1f, amd.function & 7);
	}
}

static void find_uuid(const ocl_api *api, cl_device_id id, const char *extensions, char *out,
                      size_t size)
{
	unsigned char u[16];
	if (!ocl_platforms_has_word(extensions, "cl_khr_device_uuid") ||
	    api->clGetDeviceInfo(id, ASK_UUID_KHR, sizeof(u), u, NULL) != CL_SUCCESS)
		return;
	wording_uuid(u, out, size);
}

static void find_sizes(const ocl_api *api, cl_device_id id, eh_device_info *info)
{
	size_t sizes[16] = { 0 };
	const uint32_t dimensions = ask_u32(api, id, CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS);
	if (dimensions < 3 || dimensions > 16 ||
	    api->clGetDeviceInfo(id, CL_DEVICE_MAX_WORK_ITEM_SIZES, dimensions * sizeof(size_t), sizes,
	        NULL) != CL_SUCCESS)
		return;
	for (int i = 0; i < 3; i++)
		info->max_group_size[i] = clamp(sizes[i]);
}

eh_status ocl_devices_count(void *opaque, uint32_t *count, eh_error *error)
{
	const ocl_self *self = opaque;
	(void)error;
	*count = self->device_count;
	return EH_OK;
}

eh_status ocl_devices_info(void *opaque, uint32_t index, eh_device_info *out, eh_error *error)
{
	const ocl_self *self = opaque;
	const ocl_api *api = &self->api;
	const ocl_listing *d;
	eh_device_info info;
	char *extensions;
	if (index >= self->device_count)
		return failure_set(error, EH_E_INVALID_ARGUMENT, "device_info",
		    "There is no OpenCL device %u; there are %u.", (unsigned)index,
		    (unsigned)self->device_count);
	d = &self->devices[index];
	memset(&info, 0, sizeof(info));
	info.numa_node = -1;
	snprintf(info.id, sizeof(info.id), "%s", d->selector);
	snprintf(info.name, sizeof(info.name), "%s", d->name);
	snprintf(info.platform, sizeof(info.platform), "%.60s, %.64s", d->platform->name,
	    d->platform->version_text);
	if (!d->usable) {
		failure_deliver(out, &info, sizeof(info));
		return failure_set(error, EH_E_UNAVAILABLE, "device_info", "%s", d->reason);
	}
	extensions = ocl_platforms_device_text(api, d->id, CL_DEVICE_EXTENSIONS);
	if (extensions == NULL)
		return failure_set(error, EH_E_NO_MEMORY, "device_info",
		    "No memory is left to describe the device.");
	info.type = kind_of(api, d->id);
	info.caps = caps_of(api, d, extensions);
	info.memory_bytes = ask_u64(api, d->id, CL_DEVICE_GLOBAL_MEM_SIZE);
	info.max_alloc_bytes = ask_u64(api, d->id, CL_DEVICE_MAX_MEM_ALLOC_SIZE);
	info.last_level_cache_bytes = ask_u64(api, d->id, CL_DEVICE_GLOBAL_MEM_CACHE_SIZE);
	info.timer_resolution_ns = ask_size(api, d->id, CL_DEVICE_PROFILING_TIMER_RESOLUTION);
	info.compute_units = ask_u32(api, d->id, CL_DEVICE_MAX_COMPUTE_UNITS);
	info.max_group_items = clamp(ask_size(api, d->id, CL_DEVICE_MAX_WORK_GROUP_SIZE));
	info.local_memory_bytes = clamp(ask_u64(api, d->id, CL_DEVICE_LOCAL_MEM_SIZE));
	info.clock_mhz = ask_u32(api, d->id, CL_DEVICE_MAX_CLOCK_FREQUENCY);
	find_sizes(api, d->id, &info);
	copy_text(api, d->id, CL_DEVICE_VENDOR, info.vendor, sizeof(info.vendor));
	find_pci(api, d->id, extensions, info.pci, sizeof(info.pci));
	find_uuid(api, d->id, extensions, info.uuid, sizeof(info.uuid));
	free(extensions);
	failure_deliver(out, &info, sizeof(info));
	return EH_OK;
}

static void CL_CALLBACK on_context_message(const char *message, const void *data, size_t size,
                                           void *user)
{
	const ocl_self *self = user;
	char line[400];
	(void)data;
	(void)size;
	/* Oclgrind hands over no user. */
	if (self == NULL || message == NULL)
		return;
	snprintf(line, sizeof(line), "%s", message);
	wording_tidy(line);
	self->host->log(self->host->ctx, EH_LOG_WARN, line);
}

eh_status ocl_devices_open(void *opaque, uint32_t index, eh_device **out, eh_error *error)
{
	ocl_self *self = opaque;
	eh_device_info info = { .struct_size = sizeof(info) };
	cl_context_properties properties[3] = { CL_CONTEXT_PLATFORM, 0, 0 };
	cl_int rc = CL_SUCCESS;
	eh_device *device;
	eh_status status = ocl_devices_info(self, index, &info, error);
	if (status != EH_OK)
		return status;
	device = calloc(1, sizeof(*device));
	if (device == NULL)
		return failure_set(error, EH_E_NO_MEMORY, "device_open",
		    "No memory is left to open %s.", info.id);
	device->self = self;
	device->api = &self->api;
	device->listing = &self->devices[index];
	device->caps = info.caps;
	device->max_alloc = info.max_alloc_bytes;
	device->shared_needs_map = (svm_of(&self->api, device->listing) & SVM_FINE) == 0;
	properties[1] = (cl_context_properties)device->listing->platform->id;
	device->context = self->api.clCreateContext(properties, 1, &device->listing->id,
	    on_context_message, self, &rc);
	if (rc != CL_SUCCESS || device->context == NULL) {
		free(device);
		return ocl_error_call_as(error, EH_E_UNAVAILABLE, rc, "clCreateContext",
		    "%s (%s) cannot be opened", info.id, info.name);
	}
	device->service = self->api.clCreateCommandQueue(device->context, device->listing->id, 0, &rc);
	if (rc != CL_SUCCESS || device->service == NULL) {
		(void)self->api.clReleaseContext(device->context);
		free(device);
		return ocl_error_call_as(error, EH_E_UNAVAILABLE, rc, "clCreateCommandQueue",
		    "%s (%s) gives no command queue", info.id, info.name);
	}
	*out = device;
	return EH_OK;
}

void ocl_devices_close(eh_device *device)
{
	if (device == NULL)
		return;
	(void)device->api->clReleaseCommandQueue(device->service);
	(void)device->api->clReleaseContext(device->context);
	free(device);
}
