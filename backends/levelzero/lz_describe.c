/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a device's properties from its driver. */
#include <stdio.h>
#include <string.h>

#include "lz_state.h"
#include "shared/lastcache.h"
#include "shared/pcinode.h"

enum { MOST_MEMORIES = 16, MOST_CACHES = 16 };

void lz_describe_version(uint32_t version, char *text, size_t size)
{
	snprintf(text, size, "%u.%u.%u", (unsigned)(version >> 24), (unsigned)(version >> 16 & 0xff),
	         (unsigned)(version & 0xffff));
}

static uint32_t type_of(ze_device_type_t type)
{
	switch (type) {
	case ZE_DEVICE_TYPE_GPU:
		return EH_DEVICE_GPU;
	case ZE_DEVICE_TYPE_CPU:
		return EH_DEVICE_CPU;
	case ZE_DEVICE_TYPE_FPGA:
	case ZE_DEVICE_TYPE_VPU:
		return EH_DEVICE_ACCELERATOR;
	default:
		return EH_DEVICE_OTHER;
	}
}

/* Whether the call succeeded; if not, its facts are among the gaps. */
static bool told(eh_device *d, ze_result_t rc, const char *facts, const char *where)
{
	if (rc != ZE_RESULT_SUCCESS)
		wording_gap(&d->gaps, facts, where, lz_error_name(rc), (int64_t)rc);
	return rc == ZE_RESULT_SUCCESS;
}

static void describe_memory(const lz_api *api, eh_device *d)
{
	ze_device_memory_properties_t memories[MOST_MEMORIES];
	uint32_t count = 0;
	ze_result_t rc = api->device_memory(d->place.device, &count, NULL);

	memset(memories, 0, sizeof(memories));
	for (size_t i = 0; i < MOST_MEMORIES; i++)
		memories[i].stype = ZE_STRUCTURE_TYPE_DEVICE_MEMORY_PROPERTIES;
	if (rc == ZE_RESULT_SUCCESS && count > 0) {
		count = count > MOST_MEMORIES ? MOST_MEMORIES : count;
		rc = api->device_memory(d->place.device, &count, memories);
	}
	if (!told(d, rc, "memory-bytes", "zeDeviceGetMemoryProperties"))
		return;
	d->memory = memories[0];
	for (uint32_t i = 0; i < count && i < MOST_MEMORIES; i++)
		d->info.memory_bytes += memories[i].totalSize;
}

/* The largest cache that the driver lists; 0 = none. */
static uint64_t largest_cache(const lz_api *api, eh_device *d)
{
	ze_device_cache_properties_t caches[MOST_CACHES];
	uint64_t largest = 0;
	uint32_t count = 0;
	ze_result_t rc = api->device_cache(d->place.device, &count, NULL);

	memset(caches, 0, sizeof(caches));
	for (size_t i = 0; i < MOST_CACHES; i++)
		caches[i].stype = ZE_STRUCTURE_TYPE_DEVICE_CACHE_PROPERTIES;
	if (rc == ZE_RESULT_SUCCESS && count > 0) {
		count = count > MOST_CACHES ? MOST_CACHES : count;
		rc = api->device_cache(d->place.device, &count, caches);
	}
	if (!told(d, rc, "cache-bytes", "zeDeviceGetCacheProperties"))
		return 0;
	for (uint32_t i = 0; i < count && i < MOST_CACHES; i++)
		if (caches[i].cacheSize > largest)
			largest = caches[i].cacheSize;
	return largest;
}

static void describe_cache(const lz_self *self, eh_device *d)
{
	const lastcache cache = lastcache_find(&(lastcache_query){
		.root = self->root, .pci = d->info.pci, .name = d->info.name,
		.reported = largest_cache(&self->api, d), .memory_bytes = d->info.memory_bytes });

	d->info.last_level_cache_bytes = cache.bytes;
	d->cache_source = cache.source;
}

static void describe_groups(const lz_api *api, eh_device *d)
{
	eh_device_info *info = &d->info;
	checks_limits *limits = &d->limits;
	ze_device_compute_properties_t c;

	memset(&c, 0, sizeof(c));
	c.stype = ZE_STRUCTURE_TYPE_DEVICE_COMPUTE_PROPERTIES;
	if (!told(d, api->device_compute(d->place.device, &c), "group-items, group-size, local-bytes",
	          "zeDeviceGetComputeProperties"))
		return;
	info->max_group_items = c.maxTotalGroupSize;
	info->max_group_size[0] = c.maxGroupSizeX;
	info->max_group_size[1] = c.maxGroupSizeY;
	info->max_group_size[2] = c.maxGroupSizeZ;
	info->local_memory_bytes = c.maxSharedLocalMemory;
	limits->groups[0] = c.maxGroupCountX;
	limits->groups[1] = c.maxGroupCountY;
	limits->groups[2] = c.maxGroupCountZ;
	memcpy(limits->group_size, info->max_group_size, sizeof(limits->group_size));
	limits->group_items = c.maxTotalGroupSize;
}

static uint64_t caps_of(const lz_api *api, eh_device *d)
{
	uint64_t caps = EH_CAP_ASYNC | EH_CAP_FP16_STORE | EH_CAP_BF16_STORE;
	ze_device_module_properties_t m;
	ze_device_memory_access_properties_t a;

	memset(&m, 0, sizeof(m));
	memset(&a, 0, sizeof(a));
	m.stype = ZE_STRUCTURE_TYPE_DEVICE_MODULE_PROPERTIES;
	a.stype = ZE_STRUCTURE_TYPE_DEVICE_MEMORY_ACCESS_PROPERTIES;
	if (d->clock.hertz != 0)
		caps |= EH_CAP_DEVICE_TIME;
	if (told(d, api->device_module(d->place.device, &m), "fp64, fp16, atomic64",
	         "zeDeviceGetModuleProperties")) {
		if ((m.flags & ZE_DEVICE_MODULE_FLAG_FP64) != 0)
			caps |= EH_CAP_FP64 |
			        ((m.fp64flags & ZE_DEVICE_FP_FLAG_SOFT_FLOAT) != 0 ? EH_CAP_FP64_SOFT : 0);
		if ((m.flags & ZE_DEVICE_MODULE_FLAG_FP16) != 0)
			caps |= EH_CAP_FP16 |
			        ((m.fp16flags & ZE_DEVICE_FP_FLAG_SOFT_FLOAT) != 0 ? EH_CAP_FP16_SOFT : 0);
		caps |= (m.flags & ZE_DEVICE_MODULE_FLAG_INT64_ATOMICS) != 0 ? EH_CAP_ATOMIC64 : 0;
	}
	if (told(d, api->device_access(d->place.device, &a), "pinned, shared",
	         "zeDeviceGetMemoryAccessProperties")) {
		caps |= (a.hostAllocCapabilities & ZE_MEMORY_ACCESS_CAP_FLAG_RW) != 0 ? EH_CAP_PINNED : 0;
		caps |= (a.sharedSingleDeviceAllocCapabilities & ZE_MEMORY_ACCESS_CAP_FLAG_RW) != 0
		        ? EH_CAP_SHARED : 0;
	}
	if (strncmp(d->info.name, "TEST ", 5) == 0)
		caps |= EH_CAP_SIMULATED;
	return caps;
}

/* The address of a sub-device is that of the card it is on. */
static void describe_bus(const lz_api *api, eh_device *d)
{
	eh_device_info *info = &d->info;
	ze_pci_ext_properties_t pci;

	info->numa_node = -1;
	memset(&pci, 0, sizeof(pci));
	pci.stype = ZE_STRUCTURE_TYPE_PCI_EXT_PROPERTIES;
	if (api->device_pci == NULL ||
	    !told(d, api->device_pci(d->place.root, &pci), "pci", "zeDevicePciGetPropertiesExt"))
		return;
	snprintf(info->pci, sizeof(info->pci), "%04x:%02x:%02x.%x",
	         (unsigned)(pci.address.domain & 0xffff), (unsigned)(pci.address.bus & 0xff),
	         (unsigned)(pci.address.device & 0x1f), (unsigned)(pci.address.function & 7));
}

/* The properties of version 1.2, whose resolution is a rate, where the driver has them. */
static ze_result_t ask(const lz_api *api, eh_device *d)
{
	const bool newer = d->place.driver->api >= ZE_API_VERSION_1_2;
	ze_device_properties_t *p = &d->properties;
	ze_result_t rc;

	p->stype = newer ? ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES_1_2
	                 : ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES;
	rc = api->device_properties(d->place.device, p);
	if (rc == ZE_RESULT_SUCCESS)
		d->clock = lz_clock_make(p->timerResolution, newer, p->timestampValidBits);
	return rc;
}

eh_status lz_describe(const lz_self *self, eh_device *d, eh_error *error)
{
	const lz_api *api = &self->api;
	const lz_place *place = &d->place;
	ze_device_properties_t *p = &d->properties;
	eh_device_info *info = &d->info;
	char version[32];
	ze_result_t rc;

	info->struct_size = sizeof(*info);
	info->numa_node = -1;
	if (place->sub < 0)
		snprintf(info->id, sizeof(info->id), "%u", (unsigned)place->root_index);
	else
		snprintf(info->id, sizeof(info->id), "%u.%d", (unsigned)place->root_index, place->sub);
	snprintf(info->name, sizeof(info->name), "Level Zero device %.40s", info->id);
	lz_describe_version(place->driver->version, version, sizeof(version));
	snprintf(info->platform, sizeof(info->platform), "Level Zero %u.%u, driver %s",
	         (unsigned)(place->driver->api >> 16), (unsigned)(place->driver->api & 0xffff),
	         version);
	rc = ask(api, d);
	if (rc != ZE_RESULT_SUCCESS)
		return lz_error_as(error, EH_E_UNAVAILABLE, rc, "zeDeviceGetProperties",
		                   "Level Zero device %s does not answer", info->id);
	p->name[sizeof(p->name) - 1] = '\0';
	wording_tidy(p->name);
	if (p->name[0] != '\0' && place->sub < 0)
		snprintf(info->name, sizeof(info->name), "%.120s", p->name);
	else if (p->name[0] != '\0')
		snprintf(info->name, sizeof(info->name), "%.100s tile %d", p->name, place->sub);
	if (p->vendorId == 0x8086)
		snprintf(info->vendor, sizeof(info->vendor), "Intel");
	else
		snprintf(info->vendor, sizeof(info->vendor), "PCI vendor %04x", (unsigned)p->vendorId);
	info->type = type_of(p->type);
	info->max_alloc_bytes = p->maxMemAllocSize;
	info->compute_units = p->numSlices * p->numSubslicesPerSlice;
	info->clock_mhz = p->coreClockRate;
	if (d->clock.hertz != 0)
		info->timer_resolution_ns =
			(UINT64_C(1000000000) + d->clock.hertz - 1) / d->clock.hertz;
	describe_memory(api, d);
	describe_groups(api, d);
	describe_bus(api, d);
	describe_cache(self, d);
	info->numa_node = pcinode_of(self->root, info->pci);
	wording_uuid(p->uuid.id, info->uuid, sizeof(info->uuid));
	info->caps = caps_of(api, d) | (self->root[0] != '\0' ? EH_CAP_SIMULATED : 0);
	return EH_OK;
}
