/* SPDX-License-Identifier: Apache-2.0 */
/* Devices: what they are, opening one, and the device that the calling thread works on. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hip_state.h"
#include "shared/lastcache.h"
#include "shared/pcinode.h"

enum {
	EVENT_RESOLUTION_NS = 1000,  /* events count the device's 100 MHz clock, in a float of ms   */
	PROPERTIES_ROOM = 16384      /* hipDeviceProp_t has 800 bytes in ROCm 5 and 1472 in 6 and 7 */
};

bool hip_devices_attribute(const hip_query *q, hipDeviceAttribute_t attribute, const char *fact,
                           int *value)
{
	const hipError_t rc = q->api->device_attribute(value, attribute, q->device);

	if (rc == hipSuccess)
		return true;
	*value = 0;
	stream_error_gap(q->api, q->gaps, fact, rc, "hipDeviceGetAttribute");
	return false;
}

static uint32_t positive(const hip_query *q, hipDeviceAttribute_t attribute, const char *fact)
{
	int value = 0;

	return hip_devices_attribute(q, attribute, fact, &value) && value > 0 ? (uint32_t)value : 0;
}

void hip_devices_version(int version, char *text, size_t size)
{
	text[0] = '\0';
	if (version > 0)
		snprintf(text, size, "%d.%d.%d", version / 10000000, version / 100000 % 100,
		         version % 100000);
}

eh_status hip_devices_count(void *opaque, uint32_t *count, eh_error *error)
{
	const hip_self *self = opaque;

	(void)error;
	*count = self->device_count;
	return EH_OK;
}

static uint64_t caps_of(const hip_query *q, const eh_device_info *info)
{
	uint64_t caps = EH_CAP_ASYNC | EH_CAP_DEVICE_TIME | EH_CAP_PINNED | EH_CAP_FP64 | EH_CAP_FP16 |
	                EH_CAP_FP16_STORE | EH_CAP_BF16_STORE | EH_CAP_ATOMIC64;

	/* Without concurrent access the host must keep off all managed memory while a kernel runs. */
	if (q->api->mem_managed_alloc != NULL &&
	    positive(q, hipDeviceAttributeManagedMemory, "managed-memory") > 0 &&
	    positive(q, hipDeviceAttributeConcurrentManagedAccess, "concurrent-managed-access") > 0)
		caps |= EH_CAP_SHARED;
	if (strncmp(info->name, "TEST ", 5) == 0)
		caps |= EH_CAP_SIMULATED;
	return caps;
}

/* AMD's sixteen bytes are the digits of a number in text, as rocm-smi shows it. */
static void read_uuid(const hip_query *q, eh_device_info *info)
{
	hipUUID uuid;
	bool text = true;
	hipError_t rc;

	if (q->api->device_uuid == NULL)
		return;
	memset(&uuid, 0, sizeof(uuid));
	rc = q->api->device_uuid(&uuid, q->device);
	if (rc != hipSuccess) {
		stream_error_gap(q->api, q->gaps, "uuid", rc, "hipDeviceGetUuid");
		return;
	}
	for (size_t i = 0; i < sizeof(uuid.bytes); i++)
		text = text && isxdigit((unsigned char)uuid.bytes[i]) != 0;
	if (text)
		snprintf(info->uuid, sizeof(info->uuid), "GPU-%.16s", uuid.bytes);
	else
		wording_uuid((const unsigned char *)uuid.bytes, info->uuid, sizeof(info->uuid));
}

static void read_pci(const hip_query *q, eh_device_info *info)
{
	char text[32] = "";
	unsigned domain, bus, slot, function = 0;
	const hipError_t rc = q->api->device_pci(text, (int)sizeof(text), q->device);

	if (rc != hipSuccess) {
		stream_error_gap(q->api, q->gaps, "pci", rc, "hipDeviceGetPCIBusId");
		return;
	}
	text[sizeof(text) - 1] = '\0';
	if (sscanf(text, "%x:%x:%x.%x", &domain, &bus, &slot, &function) >= 3)
		snprintf(info->pci, sizeof(info->pci), "%04x:%02x:%02x.%x", domain & 0xffffu, bus & 0xffu,
		         slot & 0x1fu, function & 7u);
}

static void describe(const hip_query *q, eh_device_info *info)
{
	const hip_api *api = q->api;
	char version[32];
	size_t bytes = 0;
	hipError_t rc;

	info->type = EH_DEVICE_GPU;
	snprintf(info->vendor, sizeof(info->vendor), "AMD");
	hip_devices_version(api->version, version, sizeof(version));
	snprintf(info->platform, sizeof(info->platform), "HIP%s%s", version[0] != '\0' ? " " : "",
	         version);
	info->caps = caps_of(q, info);
	rc = api->device_memory(&bytes, q->device);
	if (rc != hipSuccess)
		stream_error_gap(api, q->gaps, "memory-bytes", rc, "hipDeviceTotalMem");
	info->memory_bytes = info->max_alloc_bytes = rc == hipSuccess ? bytes : 0;
	info->timer_resolution_ns = EVENT_RESOLUTION_NS;
	info->compute_units = positive(q, hipDeviceAttributeMultiprocessorCount, "compute-units");
	info->max_group_items = positive(q, hipDeviceAttributeMaxThreadsPerBlock, "group-items");
	info->max_group_size[0] = positive(q, hipDeviceAttributeMaxBlockDimX, "group-size-x");
	info->max_group_size[1] = positive(q, hipDeviceAttributeMaxBlockDimY, "group-size-y");
	info->max_group_size[2] = positive(q, hipDeviceAttributeMaxBlockDimZ, "group-size-z");
	info->local_memory_bytes = positive(q, hipDeviceAttributeMaxSharedMemoryPerBlock, "lds-bytes");
	info->clock_mhz = positive(q, hipDeviceAttributeClockRate, "clock-mhz") / 1000;
	read_pci(q, info);
	read_uuid(q, info);
}

/* The runtime reports the L2, which is the last level on older GPUs only. */
static void read_machine(const hip_self *self, eh_device *d)
{
	eh_device_info *info = &d->info;
	const lastcache cache = lastcache_find(&(lastcache_query){
		.root = self->root, .pci = info->pci, .name = info->name,
		.memory_bytes = info->memory_bytes });

	info->last_level_cache_bytes = cache.bytes;
	d->cache_source = cache.source;
	info->numa_node = pcinode_of(self->root, info->pci);
	if (self->root[0] != '\0')
		info->caps |= EH_CAP_SIMULATED;
}

/* Asks the runtime and the machine about a device: fills info and gaps of *d. */
static eh_status find(const hip_self *self, uint32_t index, eh_device *d, eh_error *error)
{
	const hip_query q = { &self->api, (int)index, &d->gaps };
	eh_device_info *info = &d->info;
	hipError_t rc;

	if (index >= self->device_count)
		return failure_set(error, EH_E_INVALID_ARGUMENT, "device_info",
		                   "There is no HIP device %u; there are %u.", (unsigned)index,
		                   (unsigned)self->device_count);
	memset(info, 0, sizeof(*info));
	info->struct_size = sizeof(*info);
	info->numa_node = -1;
	snprintf(info->id, sizeof(info->id), "%u", (unsigned)index);
	snprintf(info->name, sizeof(info->name), "HIP device %u", (unsigned)index);
	rc = self->api.device_name(info->name, (int)sizeof(info->name), (int)index);
	if (rc != hipSuccess)
		return stream_error_as(&self->api, error, EH_E_UNAVAILABLE, rc, "hipDeviceGetName",
		                       "HIP device %u does not answer", (unsigned)index);
	info->name[sizeof(info->name) - 1] = '\0';
	wording_tidy(info->name);
	describe(&q, info);
	read_machine(self, d);
	/* The name is empty without libdrm-amdgpu's table of marketing names. */
	if (info->name[0] == '\0')
		snprintf(info->name, sizeof(info->name), "AMD GPU %u", (unsigned)index);
	return EH_OK;
}

eh_status hip_devices_info(void *opaque, uint32_t index, eh_device_info *out, eh_error *error)
{
	const hip_self *self = opaque;
	eh_device d;
	eh_status status;

	memset(&d, 0, sizeof(d));
	status = find(self, index, &d, error);
	if (status == EH_OK || status == EH_E_UNAVAILABLE)
		eh_give(out, &d.info, sizeof(d.info));
	wording_say_gaps(self->host, d.info.name, &d.gaps);
	return status;
}

/*
 * Only a member of hipDeviceProp_t has the architecture, and that struct changed with ROCm 6, which
 * has the new one under another name and keeps the old one for old programs.  The member is found
 * by its text, "gfx" and digits, behind the name that begins the struct.
 */
static eh_status read_architecture(eh_device *d, eh_error *error)
{
	char *room = calloc(1, PROPERTIES_ROOM);
	const char *found = NULL;
	hipError_t rc;

	if (room == NULL)
		return failure_set(error, EH_E_NO_MEMORY, "device_open",
		                   "No memory is left to open %s.", d->info.name);
	rc = d->api->device_properties((hipDeviceProp_t *)(void *)room, d->device);
	for (const char *p = room + 256; rc == hipSuccess && p < room + PROPERTIES_ROOM - 16; p++)
		if (memcmp(p, "gfx", 3) == 0 && isxdigit((unsigned char)p[3]) != 0 && found == NULL)
			found = p;
	if (found != NULL)
		snprintf(d->architecture, sizeof(d->architecture), "%.*s",
		         (int)strspn(found, "abcdefghijklmnopqrstuvwxyz0123456789:+-"), found);
	free(room);
	if (rc != hipSuccess)
		return stream_error_as(d->api, error, EH_E_UNAVAILABLE, rc, "hipGetDeviceProperties",
		                       "%s does not tell its architecture", d->info.name);
	if (found == NULL)
		return failure_set(error, EH_E_INCOMPATIBLE, "hipGetDeviceProperties",
		                   "The HIP runtime %s names no architecture \"gfx...\" of %s: evenhand "
		                   "knows the runtimes of ROCm 5, 6 and 7.", d->api->library.path,
		                   d->info.name);
	return EH_OK;
}

/*
 * A timed event needs no fence that makes results visible to the host, because queue_wait does:
 * between kernels that fence takes microseconds.  An older runtime does not know the flag.
 */
static eh_status try_events(eh_device *d, eh_error *error)
{
	hipEvent_t event = NULL;
	const hipError_t rc = d->api->event_create(&event, hipEventDisableSystemFence);

	d->timed_event = rc == hipSuccess ? hipEventDisableSystemFence : hipEventDefault;
	if (rc == hipSuccess)
		(void)d->api->event_destroy(event);
	if (rc == hipSuccess || rc == hipErrorInvalidValue)
		return EH_OK;
	return stream_devices_failed(d, error, rc, hip_calls.event_create, "%s gives no event",
	                             d->info.name);
}

eh_status hip_devices_open(void *opaque, uint32_t index, eh_device **out, eh_error *error)
{
	hip_self *self = opaque;
	const hip_api *api = &self->api;
	eh_device *d = calloc(1, sizeof(*d));
	hip_query q;
	eh_status status;

	if (d == NULL)
		return failure_set(error, EH_E_NO_MEMORY, "device_open",
		                   "No memory is left to open HIP device %u.", (unsigned)index);
	d->self = self;
	d->api = api;
	d->device = (int)index;
	d->place = d->device;
	stream_devices_open(d);
	status = find(self, index, d, error);
	if (status == EH_OK)
		status = read_architecture(d, error);
	if (status == EH_OK)
		status = stream_devices_enter(d, "device_open", error);
	if (status == EH_OK)
		status = try_events(d, error);
	if (status != EH_OK) {
		free(d);
		return status;
	}
	for (unsigned i = 0; i < 3; i++)
		d->limits.group_size[i] = d->info.max_group_size[i];
	q = (hip_query){ api, d->device, &d->gaps };
	d->limits.groups[0] = positive(&q, hipDeviceAttributeMaxGridDimX, "groups-x");
	d->limits.groups[1] = positive(&q, hipDeviceAttributeMaxGridDimY, "groups-y");
	d->limits.groups[2] = positive(&q, hipDeviceAttributeMaxGridDimZ, "groups-z");
	d->limits.group_items = d->info.max_group_items;
	/* It fails while the device is in use elsewhere in the process; the setting then stays, and
	 * the layer says so. */
	d->schedule_rc = api->device_flags(self->schedule);
	*out = d;
	return EH_OK;
}

void hip_devices_close(eh_device *d)
{
	if (d != NULL)
		hip_gemm_release(d);
	free(d);
}
