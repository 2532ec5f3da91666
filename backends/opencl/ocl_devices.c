/* SPDX-License-Identifier: Apache-2.0 */
/* Devices: what they are, and opening one. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ocl_state.h"
#include "shared/lastcache.h"
#include "shared/pcinode.h"
#include "shared/wording.h"

enum { VENDOR_AMD = 0x1002, VENDOR_NVIDIA = 0x10de }; /* of the PCI bus */

/* NVIDIA's, which is not in Khronos' headers. */
enum {
	CL_DEVICE_PCI_BUS_ID_NV = 0x4008,
	CL_DEVICE_PCI_SLOT_ID_NV = 0x4009,
	CL_DEVICE_PCI_DOMAIN_ID_NV = 0x400A
};

/* A device and its gaps, while its facts are read. */
typedef struct query {
	const ocl_api *api;
	cl_device_id id;
	wording_gaps *gaps;
} query;

/* `size` bytes at out; zero for a fact that the device does not report. */
static bool ask(const query *q, cl_device_info what, const char *fact, void *out, size_t size)
{
	const cl_int rc = q->api->clGetDeviceInfo(q->id, what, size, out, NULL);
	if (rc == CL_SUCCESS)
		return true;
	memset(out, 0, size);
	ocl_error_gap(q->gaps, fact, rc, "clGetDeviceInfo");
	return false;
}

static uint64_t ask_u64(const query *q, cl_device_info what, const char *fact)
{
	cl_ulong value = 0;
	return ask(q, what, fact, &value, sizeof(value)) ? value : 0;
}

static uint32_t ask_u32(const query *q, cl_device_info what, const char *fact)
{
	cl_uint value = 0;
	return ask(q, what, fact, &value, sizeof(value)) ? value : 0;
}

static size_t ask_size(const query *q, cl_device_info what, const char *fact)
{
	size_t value = 0;
	return ask(q, what, fact, &value, sizeof(value)) ? value : 0;
}

static uint32_t clamp(uint64_t value)
{
	return value > UINT32_MAX ? UINT32_MAX : (uint32_t)value;
}

static void copy_text(const query *q, cl_device_info what, const char *fact, char *out, size_t size)
{
	char *text = ocl_platforms_device_text(q->api, q->id, what, fact, q->gaps);
	snprintf(out, size, "%s", text != NULL ? text : "");
	free(text);
}

static uint32_t kind_of(const query *q)
{
	switch (ask_u64(q, CL_DEVICE_TYPE, "type") &
	        (CL_DEVICE_TYPE_CPU | CL_DEVICE_TYPE_GPU | CL_DEVICE_TYPE_ACCELERATOR)) {
	case CL_DEVICE_TYPE_CPU: return EH_DEVICE_CPU;
	case CL_DEVICE_TYPE_GPU: return EH_DEVICE_GPU;
	case CL_DEVICE_TYPE_ACCELERATOR: return EH_DEVICE_ACCELERATOR;
	default: return EH_DEVICE_OTHER;
	}
}

static uint64_t svm_of(const query *q, const ocl_listing *d)
{
	if (d->version < 200 || q->api->clSVMAlloc == NULL || q->api->clSVMFree == NULL)
		return 0;
	return ask_u64(q, CL_DEVICE_SVM_CAPABILITIES, "shared");
}

static uint64_t caps_of(const query *q, const ocl_listing *d, uint64_t svm, const char *extensions)
{
	/* Every OpenCL C has vector loads of half and 16-bit integers. */
	uint64_t caps = EH_CAP_ASYNC | EH_CAP_DEVICE_TIME | EH_CAP_PINNED | EH_CAP_FP16_STORE |
	                EH_CAP_BF16_STORE;
	const uint64_t wide = ask_u64(q, CL_DEVICE_DOUBLE_FP_CONFIG, "fp64");
	if ((svm & CL_DEVICE_SVM_COARSE_GRAIN_BUFFER) != 0)
		caps |= EH_CAP_SHARED;
	if (ocl_platforms_has_word(extensions, "cl_khr_fp64") || wide != 0)
		caps |= EH_CAP_FP64 | ((wide & CL_FP_SOFT_FLOAT) != 0 ? EH_CAP_FP64_SOFT : 0);
	if (ocl_platforms_has_word(extensions, "cl_khr_fp16"))
		caps |= EH_CAP_FP16 |
		        ((ask_u64(q, CL_DEVICE_HALF_FP_CONFIG, "fp16-soft") & CL_FP_SOFT_FLOAT) != 0 ?
		         EH_CAP_FP16_SOFT : 0);
	if (ocl_platforms_has_word(extensions, "cl_khr_int64_base_atomics"))
		caps |= EH_CAP_ATOMIC64;
	if (strstr(d->platform->name, "Oclgrind") != NULL || strstr(d->name, "Simulator") != NULL ||
	    strstr(d->platform->name, "Emulation") != NULL)
		caps |= EH_CAP_SIMULATED;
	return caps;
}

static void find_pci(const query *q, const char *extensions, char *out, size_t size)
{
	cl_device_pci_bus_info_khr khr = { .pci_domain = 0 };
	cl_device_topology_amd amd = { .raw = { .type = 0 } };
	cl_uint domain = 0, bus = 0, slot = 0;
	if (ocl_platforms_has_word(extensions, "cl_khr_pci_bus_info") &&
	    ask(q, CL_DEVICE_PCI_BUS_INFO_KHR, "pci", &khr, sizeof(khr))) {
		snprintf(out, size, "%04x:%02x:%02x.%x", khr.pci_domain & 0xffff, khr.pci_bus & 0xff,
		    khr.pci_device & 0x1f, khr.pci_function & 7);
	} else if (ocl_platforms_has_word(extensions, "cl_nv_device_attribute_query") &&
	           ask(q, CL_DEVICE_PCI_SLOT_ID_NV, "pci", &slot, sizeof(slot)) &&
	           ask(q, CL_DEVICE_PCI_DOMAIN_ID_NV, "pci", &domain, sizeof(domain)) &&
	           ask(q, CL_DEVICE_PCI_BUS_ID_NV, "pci", &bus, sizeof(bus))) {
		snprintf(out, size, "%04x:%02x:%02x.%x", domain & 0xffff, bus & 0xff, (slot >> 3) & 0x1f,
		    slot & 7);
	} else if (ocl_platforms_has_word(extensions, "cl_amd_device_attribute_query") &&
	           ask(q, CL_DEVICE_TOPOLOGY_AMD, "pci", &amd, sizeof(amd)) && amd.pcie.type == 1) {
		snprintf(out, size, "0000:%02x:%02x.%x", amd.pcie.bus & 0xff, amd.pcie.device & 0x1f,
		    amd.pcie.function & 7);
	}
}

static void find_uuid(const query *q, const char *extensions, char *out, size_t size)
{
	unsigned char u[16];
	if (!ocl_platforms_has_word(extensions, "cl_khr_device_uuid") ||
	    !ask(q, CL_DEVICE_UUID_KHR, "uuid", u, sizeof(u)))
		return;
	wording_uuid(u, out, size);
}

static void find_sizes(const query *q, eh_device_info *info)
{
	size_t sizes[16] = { 0 };
	const uint32_t dimensions = ask_u32(q, CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS, "group-size");
	if (dimensions < 3 || dimensions > 16 ||
	    !ask(q, CL_DEVICE_MAX_WORK_ITEM_SIZES, "group-size", sizes, dimensions * sizeof(size_t)))
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

/* AMD and NVIDIA report an L1 of their GPUs. */
static uint64_t reported_cache(const query *q, uint32_t type)
{
	const uint32_t vendor = ask_u32(q, CL_DEVICE_VENDOR_ID, "vendor-id");
	if (type == EH_DEVICE_GPU && (vendor == VENDOR_AMD || vendor == VENDOR_NVIDIA))
		return 0;
	return ask_u64(q, CL_DEVICE_GLOBAL_MEM_CACHE_SIZE, "cache-bytes");
}

static void find_cache(const ocl_self *self, const query *q, eh_device_info *info,
                       const char **source)
{
	const lastcache cache = lastcache_find(&(lastcache_query){
	    .root = self->root, .pci = info->pci, .name = info->name,
	    .is_processor = info->type == EH_DEVICE_CPU, .reported = reported_cache(q, info->type),
	    .memory_bytes = info->memory_bytes });
	info->last_level_cache_bytes = cache.bytes;
	*source = cache.source;
}

/* What is known of a device beside its info. */
typedef struct facts {
	uint64_t svm;              /* capabilities of shared memory                         */
	const char *cache_source;
	wording_gaps gaps;         /* what the device does not report                       */
} facts;

static eh_status describe(const ocl_self *self, uint32_t index, eh_device_info *info, facts *also,
                          eh_error *error)
{
	const ocl_listing *d;
	query q = { &self->api, NULL, &also->gaps };
	char *extensions;
	memset(info, 0, sizeof(*info));
	info->numa_node = -1;
	if (index >= self->device_count)
		return failure_set(error, EH_E_INVALID_ARGUMENT, "device_info",
		    "There is no OpenCL device %u; there are %u.", (unsigned)index,
		    (unsigned)self->device_count);
	d = &self->devices[index];
	q.id = d->id;
	snprintf(info->id, sizeof(info->id), "%s", d->selector);
	snprintf(info->name, sizeof(info->name), "%s", d->name);
	snprintf(info->platform, sizeof(info->platform), "%.60s, %.64s", d->platform->name,
	    d->platform->version_text);
	if (!d->usable)
		return failure_set(error, EH_E_UNAVAILABLE, "device_info", "%s", d->reason);
	extensions = ocl_platforms_device_text(q.api, q.id, CL_DEVICE_EXTENSIONS, "extensions",
	    &also->gaps);
	if (extensions == NULL)
		return failure_set(error, EH_E_NO_MEMORY, "device_info",
		    "No memory is left to describe the device.");
	also->svm = svm_of(&q, d);
	info->type = kind_of(&q);
	info->caps = caps_of(&q, d, also->svm, extensions);
	if (self->root[0] != '\0')
		info->caps |= EH_CAP_SIMULATED;
	info->memory_bytes = ask_u64(&q, CL_DEVICE_GLOBAL_MEM_SIZE, "memory-bytes");
	info->max_alloc_bytes = ask_u64(&q, CL_DEVICE_MAX_MEM_ALLOC_SIZE, "max-alloc-bytes");
	info->timer_resolution_ns = ask_size(&q, CL_DEVICE_PROFILING_TIMER_RESOLUTION,
	    "timer-resolution");
	info->compute_units = ask_u32(&q, CL_DEVICE_MAX_COMPUTE_UNITS, "compute-units");
	info->max_group_items = clamp(ask_size(&q, CL_DEVICE_MAX_WORK_GROUP_SIZE, "group-items"));
	info->local_memory_bytes = clamp(ask_u64(&q, CL_DEVICE_LOCAL_MEM_SIZE, "local-bytes"));
	info->clock_mhz = ask_u32(&q, CL_DEVICE_MAX_CLOCK_FREQUENCY, "clock-mhz");
	find_sizes(&q, info);
	copy_text(&q, CL_DEVICE_VENDOR, "vendor", info->vendor, sizeof(info->vendor));
	find_pci(&q, extensions, info->pci, sizeof(info->pci));
	find_cache(self, &q, info, &also->cache_source);
	info->numa_node = pcinode_of(self->root, info->pci);
	find_uuid(&q, extensions, info->uuid, sizeof(info->uuid));
	free(extensions);
	return EH_OK;
}

eh_status ocl_devices_info(void *opaque, uint32_t index, eh_device_info *out, eh_error *error)
{
	const ocl_self *self = opaque;
	facts also = { .cache_source = "" };
	eh_device_info info;
	const eh_status status = describe(self, index, &info, &also, error);
	if (status == EH_OK || status == EH_E_UNAVAILABLE)
		eh_give(out, &info, sizeof(info));
	wording_say_gaps(self->host, info.id, &also.gaps);
	return status;
}

static void CL_CALLBACK on_context_message(const char *message, const void *data, size_t size,
                                           void *user)
{
	const ocl_self *self = user;
	char line[400];
	(void)data;
	(void)size;
	/* Oclgrind calls it without user data. */
	if (self == NULL || message == NULL)
		return;
	snprintf(line, sizeof(line), "%s", message);
	wording_tidy(line);
	self->host->log(self->host->ctx, EH_LOG_WARN, line);
}

eh_status ocl_devices_open(void *opaque, uint32_t index, eh_device **out, eh_error *error)
{
	ocl_self *self = opaque;
	cl_context_properties properties[3] = { CL_CONTEXT_PLATFORM, 0, 0 };
	facts also = { .cache_source = "" };
	eh_device_info info;
	cl_int rc = CL_SUCCESS;
	eh_device *device;
	eh_status status = describe(self, index, &info, &also, error);
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
	device->shared_needs_map = (also.svm & CL_DEVICE_SVM_FINE_GRAIN_BUFFER) == 0;
	device->cache_bytes = info.last_level_cache_bytes;
	device->cache_source = also.cache_source;
	device->gaps = also.gaps;
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
	ocl_gemm_close(device);
	(void)device->api->clReleaseCommandQueue(device->service);
	(void)device->api->clReleaseContext(device->context);
	free(device);
}
