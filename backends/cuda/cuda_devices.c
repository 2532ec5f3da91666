/* SPDX-License-Identifier: Apache-2.0 */
/* Devices: what they are, opening one, and the context that the calling thread works in. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda_cublaslt.h"
#include "shared/lastcache.h"
#include "shared/pcinode.h"

enum { EVENT_RESOLUTION_NS = 500 }; /* as NVIDIA documents for event times */

bool cuda_devices_attribute(const cuda_query *q, int attribute, const char *fact, int *value)
{
	const CUresult rc = q->api->device_attribute(value, (CUdevice_attribute)attribute, q->device);

	if (rc == CUDA_SUCCESS)
		return true;
	*value = 0;
	stream_error_gap(q->api, q->gaps, fact, rc, "cuDeviceGetAttribute");
	return false;
}

static uint32_t positive(const cuda_query *q, int attribute, const char *fact)
{
	int value = 0;

	return cuda_devices_attribute(q, attribute, fact, &value) && value > 0 ? (uint32_t)value : 0;
}

eh_status cuda_devices_count(void *opaque, uint32_t *count, eh_error *error)
{
	const cuda_self *self = opaque;

	(void)error;
	*count = self->device_count;
	return EH_OK;
}

static uint64_t caps_of(const cuda_query *q, int compute, const eh_device_info *info)
{
	uint64_t caps = EH_CAP_ASYNC | EH_CAP_DEVICE_TIME | EH_CAP_PINNED | EH_CAP_FP64 |
	                EH_CAP_FP16_STORE | EH_CAP_BF16_STORE | EH_CAP_ATOMIC64;

	if (compute >= 53)
		caps |= EH_CAP_FP16;
	/* Without concurrent access the host must keep off all managed memory while a kernel runs. */
	if (q->api->mem_managed_alloc != NULL &&
	    positive(q, CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY, "managed-memory") > 0 &&
	    positive(q, CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS, "concurrent-managed-access") > 0)
		caps |= EH_CAP_SHARED;
	if (strncmp(info->name, "TEST ", 5) == 0)
		caps |= EH_CAP_SIMULATED;
	return caps;
}

static void read_bus(const cuda_query *q, eh_device_info *info)
{
	int domain = 0, bus = 0, slot = 0;

	if (!cuda_devices_attribute(q, CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID, "pci", &domain) ||
	    !cuda_devices_attribute(q, CU_DEVICE_ATTRIBUTE_PCI_BUS_ID, "pci", &bus) ||
	    !cuda_devices_attribute(q, CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID, "pci", &slot))
		return;
	snprintf(info->pci, sizeof(info->pci), "%04x:%02x:%02x.0", (unsigned)domain & 0xffffu,
	         (unsigned)bus & 0xffu, (unsigned)slot & 0x1fu);
}

static void describe(const cuda_query *q, int compute, eh_device_info *info)
{
	const cuda_api *api = q->api;
	char version[16];
	CUuuid uuid;
	size_t bytes = 0;
	CUresult rc;

	info->type = EH_DEVICE_GPU;
	snprintf(info->vendor, sizeof(info->vendor), "NVIDIA");
	cuda_api_version(api, version, sizeof(version));
	snprintf(info->platform, sizeof(info->platform), "CUDA%s%s", version[0] != '\0' ? " " : "",
	         version);
	info->caps = caps_of(q, compute, info);
	rc = api->device_memory(&bytes, q->device);
	if (rc != CUDA_SUCCESS)
		stream_error_gap(api, q->gaps, "memory-bytes", rc, "cuDeviceTotalMem");
	info->memory_bytes = info->max_alloc_bytes = rc == CUDA_SUCCESS ? bytes : 0;
	info->timer_resolution_ns = EVENT_RESOLUTION_NS;
	info->compute_units = positive(q, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT,
	                               "multiprocessors");
	info->max_group_items = positive(q, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, "group-items");
	info->max_group_size[0] = positive(q, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X, "group-size-x");
	info->max_group_size[1] = positive(q, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y, "group-size-y");
	info->max_group_size[2] = positive(q, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z, "group-size-z");
	info->local_memory_bytes = positive(q, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN,
	                                    "shared-bytes");
	info->clock_mhz = positive(q, CU_DEVICE_ATTRIBUTE_CLOCK_RATE, "clock-mhz") / 1000;
	read_bus(q, info);
	rc = api->device_uuid(&uuid, q->device);
	if (rc == CUDA_SUCCESS)
		wording_uuid((const unsigned char *)uuid.bytes, info->uuid, sizeof(info->uuid));
	else
		stream_error_gap(api, q->gaps, "uuid", rc, "cuDeviceGetUuid");
}

/* The L2 is the last level of NVIDIA's GPUs. */
static void read_machine(const cuda_self *self, const cuda_query *q, eh_device *d)
{
	eh_device_info *info = &d->info;
	const lastcache cache = lastcache_find(&(lastcache_query){
		.root = self->root, .pci = info->pci, .name = info->name,
		.reported = positive(q, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, "l2-bytes"),
		.memory_bytes = info->memory_bytes });

	info->last_level_cache_bytes = cache.bytes;
	d->cache_source = cache.source;
	info->numa_node = pcinode_of(self->root, info->pci);
	if (self->root[0] != '\0')
		info->caps |= EH_CAP_SIMULATED;
}

/* Kernels and capabilities depend on it, so a device without it is unavailable. */
static CUresult read_compute(const cuda_api *api, CUdevice device, int *compute)
{
	int major = 0, minor = 0;
	CUresult rc = api->device_attribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR,
	                                    device);

	if (rc == CUDA_SUCCESS)
		rc = api->device_attribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device);
	*compute = 10 * major + minor;
	return rc;
}

/* Asks the driver about a device: fills device, info, compute, mode and gaps of *d. */
static eh_status find(const cuda_self *self, uint32_t index, eh_device *d, eh_error *error)
{
	cuda_query q = { &self->api, 0, &d->gaps };
	eh_device_info *info = &d->info;
	CUresult rc;

	if (index >= self->device_count)
		return failure_set(error, EH_E_INVALID_ARGUMENT, "device_info",
		                   "There is no CUDA device %u; there are %u.", (unsigned)index,
		                   (unsigned)self->device_count);
	memset(info, 0, sizeof(*info));
	info->struct_size = sizeof(*info);
	info->numa_node = -1;
	snprintf(info->id, sizeof(info->id), "%u", (unsigned)index);
	snprintf(info->name, sizeof(info->name), "CUDA device %u", (unsigned)index);
	rc = self->api.device_get(&d->device, (int)index);
	if (rc != CUDA_SUCCESS)
		return stream_error_as(&self->api, error, EH_E_UNAVAILABLE, rc, "cuDeviceGet",
		                       "CUDA device %u does not answer", (unsigned)index);
	rc = self->api.device_name(info->name, (int)sizeof(info->name), d->device);
	if (rc != CUDA_SUCCESS)
		return stream_error_as(&self->api, error, EH_E_UNAVAILABLE, rc, "cuDeviceGetName",
		                       "CUDA device %u does not answer", (unsigned)index);
	info->name[sizeof(info->name) - 1] = '\0';
	wording_tidy(info->name);
	rc = read_compute(&self->api, d->device, &d->compute);
	if (rc != CUDA_SUCCESS)
		return stream_error_as(&self->api, error, EH_E_UNAVAILABLE, rc, "cuDeviceGetAttribute",
		                       "%s does not tell its compute capability", info->name);
	q.device = d->device;
	describe(&q, d->compute, info);
	read_machine(self, &q, d);
	if (cuda_devices_attribute(&q, CU_DEVICE_ATTRIBUTE_COMPUTE_MODE, "compute-mode", &d->mode) &&
	    d->mode == CU_COMPUTEMODE_PROHIBITED)
		return failure_set(error, EH_E_UNAVAILABLE, "device_info",
		                   "The compute mode of %s forbids contexts; nvidia-smi -i %u -c DEFAULT "
		                   "allows them.", info->name, (unsigned)index);
	return EH_OK;
}

eh_status cuda_devices_info(void *opaque, uint32_t index, eh_device_info *out, eh_error *error)
{
	const cuda_self *self = opaque;
	eh_device d;
	eh_status status;

	memset(&d, 0, sizeof(d));
	status = find(self, index, &d, error);
	if (status == EH_OK)
		self->computes[index] = d.compute;
	if (status == EH_OK || status == EH_E_UNAVAILABLE)
		eh_give(out, &d.info, sizeof(d.info));
	wording_say_gaps(self->host, d.info.name, &d.gaps);
	return status;
}

eh_status cuda_devices_open(void *opaque, uint32_t index, eh_device **out, eh_error *error)
{
	cuda_self *self = opaque;
	const cuda_api *api = &self->api;
	eh_device *d = calloc(1, sizeof(*d));
	cuda_query q;
	eh_status status;
	CUresult rc;

	if (d == NULL)
		return failure_set(error, EH_E_NO_MEMORY, "device_open",
		                   "No memory is left to open CUDA device %u.", (unsigned)index);
	d->self = self;
	d->api = api;
	status = find(self, index, d, error);
	if (status != EH_OK)
		goto undo_struct;
	q = (cuda_query){ api, d->device, &d->gaps };
	for (int i = 0; i < 3; i++)
		d->limits.group_size[i] = d->info.max_group_size[i];
	d->limits.groups[0] = positive(&q, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X, "groups-x");
	d->limits.groups[1] = positive(&q, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y, "groups-y");
	d->limits.groups[2] = positive(&q, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z, "groups-z");
	d->limits.group_items = d->info.max_group_items;
	/* It fails while the context is active elsewhere in the process; the setting then stays,
	 * and the layer says so. */
	d->schedule_rc = api->context_flags(d->device, self->schedule);
	rc = api->context_retain(&d->place, d->device);
	if (rc != CUDA_SUCCESS) {
		status = stream_error_as(api, error, EH_E_UNAVAILABLE, rc, "cuDevicePrimaryCtxRetain",
		                         "%s gives no context", d->info.name);
		goto undo_struct;
	}
	d->nvrtc_error.struct_size = sizeof(d->nvrtc_error);
	(void)cuda_nvrtc_for(&self->nvrtcs, d->compute, &d->nvrtc, &d->nvrtc_error);
	stream_devices_open(d);
	status = stream_devices_enter(d, "device_open", error);
	if (status != EH_OK)
		goto undo_context;
	*out = d;
	return EH_OK;
undo_context:
	(void)api->context_release(d->device);
undo_struct:
	free(d);
	return status;
}

void cuda_devices_close(eh_device *d)
{
	if (d == NULL)
		return;
	cuda_cublaslt_release(d);
	(void)d->api->enter(NULL);
	stream_devices_leave();
	(void)d->api->context_release(d->device);
	free(d);
}
