/* SPDX-License-Identifier: Apache-2.0 */
/* The driver, its devices, their memory. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../shared/devmem.h"
#include "../shared/faults.h"
#include "../shared/streams.h"
#include "tze_state.h"

enum { MOST = TZE_MOST_DEVICES + TZE_MOST_TILES };

static char the_driver;
static tze_device devices[MOST];

static uint32_t root_count(void)
{
	const uint64_t count = tze_setting("devices", 2);

	return count > TZE_MOST_DEVICES ? TZE_MOST_DEVICES : (uint32_t)count;
}

static uint64_t clock_hertz(void)
{
	return tze_setting("hertz", 19200000);
}

static uint32_t clock_bits(void)
{
	return (uint32_t)tze_setting("bits", 32);
}

uint64_t tze_device_ticks(tze_device *d)
{
	const uint64_t ns = faults_clock(streams_now(), &d->readings);
	unsigned __int128 ticks = (unsigned __int128)ns * clock_hertz() / 1000000000u;
	const uint32_t bits = clock_bits();

	/* Of the clock that always says the least: one tick per reading. */
	if (faults_elapsed(0, 2) == 1)
		ticks = d->readings;
	if (bits >= 64)
		return (uint64_t)ticks;
	return ((uint64_t)ticks & ((UINT64_C(1) << bits) - 1)) | UINT64_C(0x5a5a5a5a5a5a5a5a) << bits;
}

bool tze_device_reaches(const tze_device *d, int slice)
{
	return d->slice == slice || tze_setting("peer", 1) != 0;
}

/* ---- the driver ---- */

TZE_FUNCTION(Init, (ze_init_flags_t flags), (flags))
{
	if ((flags & ZE_INIT_FLAG_VPU_ONLY) != 0 || !devmem_start())
		return ZE_RESULT_ERROR_UNINITIALIZED;
	for (uint32_t i = 0; i < TZE_MOST_DEVICES; i++)
		devices[i] = (tze_device){ .root = i, .tile = -1, .slice = (int)i };
	/* The first tile shares the memory of its card, the second has its own. */
	for (int i = 0; i < TZE_MOST_TILES; i++)
		devices[TZE_MOST_DEVICES + i] = (tze_device){ .tile = i,
			.slice = i == 0 ? 0 : TZE_MOST_DEVICES + i };
	tze_engine_start();
	return ZE_RESULT_SUCCESS;
}

/* How lists are handed out: *count 0 asks how many there are. */
static ze_result_t give(uint32_t *count, void **list, void *first, size_t step, uint32_t there)
{
	if (*count == 0 || *count > there)
		*count = there;
	for (uint32_t i = 0; list != NULL && i < *count; i++)
		list[i] = (char *)first + i * step;
	return ZE_RESULT_SUCCESS;
}

TZE_FUNCTION(DriverGet, (uint32_t *count, ze_driver_handle_t *list), (count, list))
{
	return give(count, (void **)list, &the_driver, 0, 1);
}

TZE_FUNCTION(DriverGetApiVersion, (ze_driver_handle_t driver, ze_api_version_t *version),
             (driver, version))
{
	const uint64_t api = tze_setting("api", 104);

	(void)driver;
	*version = (ze_api_version_t)ZE_MAKE_VERSION(api / 100, api % 100);
	return ZE_RESULT_SUCCESS;
}

TZE_FUNCTION(DriverGetProperties, (ze_driver_handle_t driver, ze_driver_properties_t *p),
             (driver, p))
{
	(void)driver;
	memset(&p->uuid, 0x5a, sizeof(p->uuid));
	p->driverVersion = 1u << 24 | 2u << 16 | 345u;
	return ZE_RESULT_SUCCESS;
}

TZE_FUNCTION(DriverGetExtensionProperties,
             (ze_driver_handle_t driver, uint32_t *count, ze_driver_extension_properties_t *list),
             (driver, count, list))
{
	(void)driver;
	(void)list;
	*count = 0;
	return ZE_RESULT_SUCCESS;
}

/* ---- devices ---- */

TZE_FUNCTION(DeviceGet, (ze_driver_handle_t driver, uint32_t *count, ze_device_handle_t *list),
             (driver, count, list))
{
	(void)driver;
	return give(count, (void **)list, devices, sizeof(devices[0]), root_count());
}

TZE_FUNCTION(DeviceGetSubDevices,
             (ze_device_handle_t device, uint32_t *count, ze_device_handle_t *list),
             (device, count, list))
{
	const tze_device *d = (const tze_device *)device;
	uint64_t tiles = d->root == 0 && d->tile < 0 ? tze_setting("tiles", TZE_MOST_TILES) : 0;

	if (tiles > TZE_MOST_TILES)
		tiles = TZE_MOST_TILES;
	return give(count, (void **)list, devices + TZE_MOST_DEVICES, sizeof(devices[0]),
	            (uint32_t)tiles);
}

TZE_FUNCTION(DeviceGetProperties, (ze_device_handle_t device, ze_device_properties_t *p),
             (device, p))
{
	const tze_device *d = (const tze_device *)device;
	const ze_structure_type_t type = p->stype;
	void *next = p->pNext;

	memset(p, 0, sizeof(*p));
	p->stype = type;
	p->pNext = next;
	p->type = ZE_DEVICE_TYPE_GPU;
	p->vendorId = 0x8086;
	p->deviceId = 0x0bd5;
	p->flags = ZE_DEVICE_PROPERTY_FLAG_ECC;
	if (d->tile >= 0) {
		p->flags |= ZE_DEVICE_PROPERTY_FLAG_SUBDEVICE;
		p->subdeviceId = (uint32_t)d->tile;
	}
	p->coreClockRate = 1600;
	p->maxMemAllocSize = UINT64_C(4) << 30;
	p->maxHardwareContexts = 1;
	p->numThreadsPerEU = 8;
	p->physicalEUSimdWidth = 16;
	p->numEUsPerSubslice = 8;
	p->numSubslicesPerSlice = 16;
	p->numSlices = d->tile < 0 ? 2 : 1;
	p->timerResolution = type == ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES_1_2
	                     ? clock_hertz() : UINT64_C(1000000000) / clock_hertz();
	p->timestampValidBits = clock_bits();
	p->kernelTimestampValidBits = clock_bits();
	memset(p->uuid.id, 0x11, sizeof(p->uuid.id));
	p->uuid.id[14] = (uint8_t)d->root;
	p->uuid.id[15] = (uint8_t)(d->tile + 1);
	snprintf(p->name, sizeof(p->name), "TEST Level Zero GPU");
	return ZE_RESULT_SUCCESS;
}

TZE_FUNCTION(DeviceGetComputeProperties,
             (ze_device_handle_t device, ze_device_compute_properties_t *p), (device, p))
{
	(void)device;
	p->maxTotalGroupSize = 1024;
	p->maxGroupSizeX = p->maxGroupSizeY = p->maxGroupSizeZ = 1024;
	p->maxGroupCountX = p->maxGroupCountY = p->maxGroupCountZ = UINT32_MAX;
	p->maxSharedLocalMemory = 65536;
	p->numSubGroupSizes = 1;
	p->subGroupSizes[0] = 16;
	return ZE_RESULT_SUCCESS;
}

TZE_FUNCTION(DeviceGetModuleProperties,
             (ze_device_handle_t device, ze_device_module_properties_t *p), (device, p))
{
	(void)device;
	p->spirvVersionSupported = ZE_MAKE_VERSION(1, 2);
	p->flags = ZE_DEVICE_MODULE_FLAG_INT64_ATOMICS;
	if (tze_setting("fp64", 1) != 0)
		p->flags |= ZE_DEVICE_MODULE_FLAG_FP64;
	if (tze_setting("fp16", 0) != 0)
		p->flags |= ZE_DEVICE_MODULE_FLAG_FP16;
	p->fp64flags = tze_setting("fp64", 1) == 2 ? ZE_DEVICE_FP_FLAG_SOFT_FLOAT : 0;
	p->fp16flags = tze_setting("fp16", 0) == 2 ? ZE_DEVICE_FP_FLAG_SOFT_FLOAT : 0;
	p->maxArgumentsSize = 1024;
	return ZE_RESULT_SUCCESS;
}

/* The first group only copies: who takes it blindly launches nothing. */
TZE_FUNCTION(DeviceGetCommandQueueGroupProperties,
             (ze_device_handle_t device, uint32_t *count, ze_command_queue_group_properties_t *p),
             (device, count, p))
{
	(void)device;
	if (*count == 0 || *count > 2)
		*count = 2;
	for (uint32_t i = 0; p != NULL && i < *count; i++) {
		p[i].flags = ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COPY;
		if (i == 1)
			p[i].flags |= ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COMPUTE;
		p[i].maxMemoryFillPatternSize = 16;
		p[i].numQueues = i == 1 ? 4 : 1;
	}
	return ZE_RESULT_SUCCESS;
}

static uint64_t memory_of_device(void)
{
	const uint64_t bytes = tze_setting("memory", 8) << 30;

	return faults_memory(bytes < DEVMEM_SLICE ? bytes : DEVMEM_SLICE);
}

TZE_FUNCTION(DeviceGetMemoryProperties,
             (ze_device_handle_t device, uint32_t *count, ze_device_memory_properties_t *p),
             (device, count, p))
{
	(void)device;
	if (*count > 0 && p != NULL) {
		p->flags = 0;
		p->maxClockRate = 1600;
		p->maxBusWidth = 1024;
		p->totalSize = memory_of_device();
		snprintf(p->name, sizeof(p->name), "HBM");
	}
	*count = 1;
	return ZE_RESULT_SUCCESS;
}

TZE_FUNCTION(DeviceGetMemoryAccessProperties,
             (ze_device_handle_t device, ze_device_memory_access_properties_t *p), (device, p))
{
	(void)device;
	p->hostAllocCapabilities = ZE_MEMORY_ACCESS_CAP_FLAG_RW;
	p->deviceAllocCapabilities = ZE_MEMORY_ACCESS_CAP_FLAG_RW | ZE_MEMORY_ACCESS_CAP_FLAG_ATOMIC;
	p->sharedSingleDeviceAllocCapabilities = p->deviceAllocCapabilities;
	p->sharedCrossDeviceAllocCapabilities = 0;
	p->sharedSystemAllocCapabilities = 0;
	return ZE_RESULT_SUCCESS;
}

TZE_FUNCTION(DeviceGetCacheProperties,
             (ze_device_handle_t device, uint32_t *count, ze_device_cache_properties_t *p),
             (device, count, p))
{
	(void)device;
	if (*count > 0 && p != NULL) {
		p->flags = 0;
		p->cacheSize = 1 << 20;
	}
	*count = 1;
	return ZE_RESULT_SUCCESS;
}

TZE_FUNCTION(DeviceCanAccessPeer,
             (ze_device_handle_t device, ze_device_handle_t other, ze_bool_t *can),
             (device, other, can))
{
	*can = tze_device_reaches((const tze_device *)device, ((const tze_device *)other)->slice);
	return ZE_RESULT_SUCCESS;
}

TZE_FUNCTION(DeviceGetP2PProperties,
             (ze_device_handle_t device, ze_device_handle_t other, ze_device_p2p_properties_t *p),
             (device, other, p))
{
	p->flags = 0;
	if (tze_device_reaches((const tze_device *)device, ((const tze_device *)other)->slice))
		p->flags = ZE_DEVICE_P2P_PROPERTY_FLAG_ACCESS | ZE_DEVICE_P2P_PROPERTY_FLAG_ATOMICS;
	return ZE_RESULT_SUCCESS;
}

TZE_FUNCTION(DevicePciGetPropertiesExt, (ze_device_handle_t device, ze_pci_ext_properties_t *p),
             (device, p))
{
	memset(&p->address, 0, sizeof(p->address));
	p->address.bus = 0x4d + ((const tze_device *)device)->root;
	return ZE_RESULT_SUCCESS;
}

/* ---- contexts and memory ---- */

TZE_FUNCTION(ContextCreate,
             (ze_driver_handle_t driver, const ze_context_desc_t *desc, ze_context_handle_t *out),
             (driver, desc, out))
{
	(void)driver;
	(void)desc;
	*out = tze_new(8);
	tze_live("contexts", 1);
	return ZE_RESULT_SUCCESS;
}

TZE_FUNCTION(ContextDestroy, (ze_context_handle_t context), (context))
{
	free(context);
	tze_live("contexts", -1);
	return ZE_RESULT_SUCCESS;
}

static ze_result_t allocate(int slice, devmem_kind kind, size_t bytes, size_t alignment, void **out)
{
	uint64_t address;

	if (bytes == 0 || (kind == DEVMEM_OWN && bytes > UINT64_C(4) << 30))
		return ZE_RESULT_ERROR_UNSUPPORTED_SIZE;
	if (alignment > DEVMEM_GRANULE)
		return ZE_RESULT_ERROR_UNSUPPORTED_ALIGNMENT;
	address = devmem_allocate(slice, kind, bytes, memory_of_device());
	if (address == 0)
		return ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY;
	*out = (void *)(uintptr_t)address;
	tze_live("allocations", 1);
	return ZE_RESULT_SUCCESS;
}

TZE_FUNCTION(MemAllocDevice,
             (ze_context_handle_t context, const ze_device_mem_alloc_desc_t *desc, size_t bytes,
              size_t alignment, ze_device_handle_t device, void **out),
             (context, desc, bytes, alignment, device, out))
{
	(void)context;
	(void)desc;
	return allocate(((const tze_device *)device)->slice, DEVMEM_OWN, bytes, alignment, out);
}

TZE_FUNCTION(MemAllocHost,
             (ze_context_handle_t context, const ze_host_mem_alloc_desc_t *desc, size_t bytes,
              size_t alignment, void **out),
             (context, desc, bytes, alignment, out))
{
	(void)context;
	(void)desc;
	return allocate(0, DEVMEM_PINNED, bytes, alignment, out);
}

TZE_FUNCTION(MemAllocShared,
             (ze_context_handle_t context, const ze_device_mem_alloc_desc_t *desc,
              const ze_host_mem_alloc_desc_t *host, size_t bytes, size_t alignment,
              ze_device_handle_t device, void **out),
             (context, desc, host, bytes, alignment, device, out))
{
	(void)context;
	(void)desc;
	(void)host;
	return allocate(device != NULL ? ((const tze_device *)device)->slice : 0, DEVMEM_SHARED, bytes,
	                alignment, out);
}

TZE_FUNCTION(MemFree, (ze_context_handle_t context, void *address), (context, address))
{
	(void)context;
	if (!devmem_release((uint64_t)(uintptr_t)address))
		return ZE_RESULT_ERROR_INVALID_ARGUMENT;
	tze_live("allocations", -1);
	return ZE_RESULT_SUCCESS;
}

/* ---- tables ---- */

TZE_TABLE(zeGetGlobalProcAddrTable, ze_global_dditable_t)
{
	(void)version;
	t->pfnInit = tze_Init;
	return ZE_RESULT_SUCCESS;
}

TZE_TABLE(zeGetDriverProcAddrTable, ze_driver_dditable_t)
{
	(void)version;
	t->pfnGet = tze_DriverGet;
	t->pfnGetApiVersion = tze_DriverGetApiVersion;
	t->pfnGetProperties = tze_DriverGetProperties;
	t->pfnGetExtensionProperties = tze_DriverGetExtensionProperties;
	return ZE_RESULT_SUCCESS;
}

TZE_TABLE(zeGetDeviceProcAddrTable, ze_device_dditable_t)
{
	(void)version;
	t->pfnGet = tze_DeviceGet;
	t->pfnGetSubDevices = tze_DeviceGetSubDevices;
	t->pfnGetProperties = tze_DeviceGetProperties;
	t->pfnGetComputeProperties = tze_DeviceGetComputeProperties;
	t->pfnGetModuleProperties = tze_DeviceGetModuleProperties;
	t->pfnGetCommandQueueGroupProperties = tze_DeviceGetCommandQueueGroupProperties;
	t->pfnGetMemoryProperties = tze_DeviceGetMemoryProperties;
	t->pfnGetMemoryAccessProperties = tze_DeviceGetMemoryAccessProperties;
	t->pfnGetCacheProperties = tze_DeviceGetCacheProperties;
	t->pfnCanAccessPeer = tze_DeviceCanAccessPeer;
	t->pfnGetP2PProperties = tze_DeviceGetP2PProperties;
	t->pfnPciGetPropertiesExt = tze_DevicePciGetPropertiesExt;
	return ZE_RESULT_SUCCESS;
}

TZE_TABLE(zeGetContextProcAddrTable, ze_context_dditable_t)
{
	(void)version;
	t->pfnCreate = tze_ContextCreate;
	t->pfnDestroy = tze_ContextDestroy;
	return ZE_RESULT_SUCCESS;
}

TZE_TABLE(zeGetMemProcAddrTable, ze_mem_dditable_t)
{
	(void)version;
	t->pfnAllocDevice = tze_MemAllocDevice;
	t->pfnAllocHost = tze_MemAllocHost;
	t->pfnAllocShared = tze_MemAllocShared;
	t->pfnFree = tze_MemFree;
	return ZE_RESULT_SUCCESS;
}
