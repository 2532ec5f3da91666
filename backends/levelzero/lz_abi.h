/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What this backend uses of the ABI of the Level Zero loader, declared here, so that it is built without
 * its headers.  Names, values and layouts are those of ze_api.h and loader/ze_loader.h of version 1.0 and
 * later; tests/abi/vendor.sh compares each with them, and reads this file in the forms that
 * tests/abi/vendor/facts.awk lists.
 */
#ifndef LZ_ABI_H
#define LZ_ABI_H

#include <stddef.h>
#include <stdint.h>

#ifndef ABI_OF_VENDOR /* the test takes these from the vendor's headers instead */

#define ZE_APICALL /* the platform's own calling convention */

typedef enum _ze_result_t {
	ZE_RESULT_SUCCESS = 0,
	ZE_RESULT_NOT_READY = 1,
	ZE_RESULT_ERROR_DEVICE_LOST = 0x70000001,
	ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY = 0x70000002,
	ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY = 0x70000003,
	ZE_RESULT_ERROR_MODULE_BUILD_FAILURE = 0x70000004,
	ZE_RESULT_ERROR_MODULE_LINK_FAILURE = 0x70000005,
	ZE_RESULT_ERROR_DEVICE_REQUIRES_RESET = 0x70000006,
	ZE_RESULT_ERROR_DEVICE_IN_LOW_POWER_STATE = 0x70000007,
	ZE_RESULT_ERROR_INSUFFICIENT_PERMISSIONS = 0x70010000,
	ZE_RESULT_ERROR_NOT_AVAILABLE = 0x70010001,
	ZE_RESULT_ERROR_DEPENDENCY_UNAVAILABLE = 0x70020000,
	ZE_RESULT_ERROR_UNINITIALIZED = 0x78000001,
	ZE_RESULT_ERROR_UNSUPPORTED_VERSION = 0x78000002,
	ZE_RESULT_ERROR_UNSUPPORTED_FEATURE = 0x78000003,
	ZE_RESULT_ERROR_INVALID_ARGUMENT = 0x78000004,
	ZE_RESULT_ERROR_INVALID_NULL_HANDLE = 0x78000005,
	ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE = 0x78000006,
	ZE_RESULT_ERROR_INVALID_NULL_POINTER = 0x78000007,
	ZE_RESULT_ERROR_INVALID_SIZE = 0x78000008,
	ZE_RESULT_ERROR_UNSUPPORTED_SIZE = 0x78000009,
	ZE_RESULT_ERROR_UNSUPPORTED_ALIGNMENT = 0x7800000a,
	ZE_RESULT_ERROR_INVALID_SYNCHRONIZATION_OBJECT = 0x7800000b,
	ZE_RESULT_ERROR_INVALID_ENUMERATION = 0x7800000c,
	ZE_RESULT_ERROR_UNSUPPORTED_ENUMERATION = 0x7800000d,
	ZE_RESULT_ERROR_INVALID_NATIVE_BINARY = 0x7800000f,
	ZE_RESULT_ERROR_INVALID_KERNEL_NAME = 0x78000011,
	ZE_RESULT_ERROR_INVALID_GROUP_SIZE_DIMENSION = 0x78000013,
	ZE_RESULT_ERROR_INVALID_GLOBAL_WIDTH_DIMENSION = 0x78000014,
	ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_INDEX = 0x78000015,
	ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_SIZE = 0x78000016,
	ZE_RESULT_ERROR_INVALID_MODULE_UNLINKED = 0x78000018,
	ZE_RESULT_ERROR_INVALID_COMMAND_LIST_TYPE = 0x78000019,
	ZE_RESULT_ERROR_OVERLAPPING_REGIONS = 0x7800001a,
	ZE_RESULT_ERROR_UNKNOWN = 0x7ffffffe,
} ze_result_t;

/* major << 16 | minor. */
typedef enum _ze_api_version_t {
	ZE_API_VERSION_1_0 = 0x10000,
	ZE_API_VERSION_1_2 = 0x10002,
	ZE_API_VERSION_1_7 = 0x10007,
} ze_api_version_t;

typedef enum _ze_structure_type_t {
	ZE_STRUCTURE_TYPE_DRIVER_PROPERTIES = 1,
	ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES = 3,
	ZE_STRUCTURE_TYPE_DEVICE_COMPUTE_PROPERTIES = 4,
	ZE_STRUCTURE_TYPE_DEVICE_MODULE_PROPERTIES = 5,
	ZE_STRUCTURE_TYPE_COMMAND_QUEUE_GROUP_PROPERTIES = 6,
	ZE_STRUCTURE_TYPE_DEVICE_MEMORY_PROPERTIES = 7,
	ZE_STRUCTURE_TYPE_DEVICE_MEMORY_ACCESS_PROPERTIES = 8,
	ZE_STRUCTURE_TYPE_DEVICE_CACHE_PROPERTIES = 9,
	ZE_STRUCTURE_TYPE_DEVICE_P2P_PROPERTIES = 11,
	ZE_STRUCTURE_TYPE_CONTEXT_DESC = 13,
	ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC = 14,
	ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC = 15,
	ZE_STRUCTURE_TYPE_EVENT_POOL_DESC = 16,
	ZE_STRUCTURE_TYPE_EVENT_DESC = 17,
	ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC = 21,
	ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC = 22,
	ZE_STRUCTURE_TYPE_MODULE_DESC = 27,
	ZE_STRUCTURE_TYPE_KERNEL_DESC = 29,
	ZE_STRUCTURE_TYPE_KERNEL_PROPERTIES = 30,
	ZE_STRUCTURE_TYPE_PCI_EXT_PROPERTIES = 0x10008,
	ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES_1_2 = 0x20006,
} ze_structure_type_t;

typedef enum _ze_device_type_t {
	ZE_DEVICE_TYPE_GPU = 1,
	ZE_DEVICE_TYPE_CPU = 2,
	ZE_DEVICE_TYPE_FPGA = 3,
	ZE_DEVICE_TYPE_VPU = 5,
} ze_device_type_t;

typedef enum _ze_command_queue_mode_t {
	ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS = 2,
} ze_command_queue_mode_t;

typedef enum _ze_command_queue_priority_t {
	ZE_COMMAND_QUEUE_PRIORITY_NORMAL = 0,
} ze_command_queue_priority_t;

typedef enum _ze_module_format_t {
	ZE_MODULE_FORMAT_IL_SPIRV = 0,
} ze_module_format_t;

/* Bits of the flags whose types follow; ZE_COMMAND_QUEUE_FLAG_IN_ORDER is of version 1.7. */
enum {
	ZE_DEVICE_PROPERTY_FLAG_INTEGRATED = 1,
	ZE_DEVICE_PROPERTY_FLAG_ECC = 4,
	ZE_DEVICE_FP_FLAG_SOFT_FLOAT = 128,
	ZE_DEVICE_P2P_PROPERTY_FLAG_ATOMICS = 2,
	ZE_DEVICE_MODULE_FLAG_FP16 = 1,
	ZE_DEVICE_MODULE_FLAG_FP64 = 2,
	ZE_DEVICE_MODULE_FLAG_INT64_ATOMICS = 4,
	ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COMPUTE = 1,
	ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COPY = 2,
	ZE_MEMORY_ACCESS_CAP_FLAG_RW = 1,
	ZE_COMMAND_QUEUE_FLAG_IN_ORDER = 2,
	ZE_COMMAND_QUEUE_FLAG_COPY_OFFLOAD_HINT = 4,
	ZE_EVENT_POOL_FLAG_HOST_VISIBLE = 1,
	ZE_EVENT_SCOPE_FLAG_HOST = 4,
};

typedef uint8_t ze_bool_t;
typedef uint32_t ze_init_flags_t;
typedef uint32_t ze_device_property_flags_t;
typedef uint32_t ze_device_module_flags_t;
typedef uint32_t ze_device_fp_flags_t;
typedef uint32_t ze_command_queue_group_property_flags_t;
typedef uint32_t ze_memory_access_cap_flags_t;
typedef uint32_t ze_device_memory_property_flags_t;
typedef uint32_t ze_device_cache_property_flags_t;
typedef uint32_t ze_device_p2p_property_flags_t;
typedef uint32_t ze_context_flags_t;
typedef uint32_t ze_command_queue_flags_t;
typedef uint32_t ze_command_list_flags_t;
typedef uint32_t ze_event_pool_flags_t;
typedef uint32_t ze_event_scope_flags_t;
typedef uint32_t ze_device_mem_alloc_flags_t;
typedef uint32_t ze_host_mem_alloc_flags_t;
typedef uint32_t ze_kernel_flags_t;

typedef struct _ze_driver_handle_t *ze_driver_handle_t;
typedef struct _ze_device_handle_t *ze_device_handle_t;
typedef struct _ze_context_handle_t *ze_context_handle_t;
typedef struct _ze_event_pool_handle_t *ze_event_pool_handle_t;
typedef struct _ze_event_handle_t *ze_event_handle_t;
typedef struct _ze_command_queue_handle_t *ze_command_queue_handle_t;
typedef struct _ze_command_list_handle_t *ze_command_list_handle_t;
typedef struct _ze_fence_handle_t *ze_fence_handle_t;
typedef struct _ze_module_handle_t *ze_module_handle_t;
typedef struct _ze_module_build_log_handle_t *ze_module_build_log_handle_t;
typedef struct _ze_kernel_handle_t *ze_kernel_handle_t;
typedef struct _ze_module_constants_t ze_module_constants_t;

enum {
	ZE_MAX_DRIVER_UUID_SIZE = 16,
	ZE_MAX_DEVICE_UUID_SIZE = 16,
	ZE_MAX_DEVICE_NAME = 256,
	ZE_MAX_NATIVE_KERNEL_UUID_SIZE = 16,
	ZE_MAX_KERNEL_UUID_SIZE = 16,
	ZE_MAX_MODULE_UUID_SIZE = 16,
	ZE_SUBGROUPSIZE_COUNT = 8,
	ZEL_COMPONENT_STRING_SIZE = 64,
};

typedef struct _ze_driver_uuid_t {
	uint8_t id[ZE_MAX_DRIVER_UUID_SIZE];
} ze_driver_uuid_t;

typedef struct _ze_driver_properties_t {
	ze_structure_type_t stype;
	void *pNext;
	ze_driver_uuid_t uuid;
	uint32_t driverVersion;
} ze_driver_properties_t;

typedef struct _ze_device_uuid_t {
	uint8_t id[ZE_MAX_DEVICE_UUID_SIZE];
} ze_device_uuid_t;

typedef struct _ze_device_properties_t {
	ze_structure_type_t stype;
	void *pNext;
	ze_device_type_t type;
	uint32_t vendorId;
	uint32_t deviceId;
	ze_device_property_flags_t flags;
	uint32_t subdeviceId;
	uint32_t coreClockRate;
	uint64_t maxMemAllocSize;
	uint32_t maxHardwareContexts;
	uint32_t maxCommandQueuePriority;
	uint32_t numThreadsPerEU;
	uint32_t physicalEUSimdWidth;
	uint32_t numEUsPerSubslice;
	uint32_t numSubslicesPerSlice;
	uint32_t numSlices;
	uint64_t timerResolution;
	uint32_t timestampValidBits;
	uint32_t kernelTimestampValidBits;
	ze_device_uuid_t uuid;
	char name[ZE_MAX_DEVICE_NAME];
} ze_device_properties_t;

typedef struct _ze_device_compute_properties_t {
	ze_structure_type_t stype;
	void *pNext;
	uint32_t maxTotalGroupSize;
	uint32_t maxGroupSizeX;
	uint32_t maxGroupSizeY;
	uint32_t maxGroupSizeZ;
	uint32_t maxGroupCountX;
	uint32_t maxGroupCountY;
	uint32_t maxGroupCountZ;
	uint32_t maxSharedLocalMemory;
	uint32_t numSubGroupSizes;
	uint32_t subGroupSizes[ZE_SUBGROUPSIZE_COUNT];
} ze_device_compute_properties_t;

typedef struct _ze_native_kernel_uuid_t {
	uint8_t id[ZE_MAX_NATIVE_KERNEL_UUID_SIZE];
} ze_native_kernel_uuid_t;

typedef struct _ze_device_module_properties_t {
	ze_structure_type_t stype;
	void *pNext;
	uint32_t spirvVersionSupported;
	ze_device_module_flags_t flags;
	ze_device_fp_flags_t fp16flags;
	ze_device_fp_flags_t fp32flags;
	ze_device_fp_flags_t fp64flags;
	uint32_t maxArgumentsSize;
	uint32_t printfBufferSize;
	ze_native_kernel_uuid_t nativeKernelSupported;
} ze_device_module_properties_t;

typedef struct _ze_device_memory_properties_t {
	ze_structure_type_t stype;
	void *pNext;
	ze_device_memory_property_flags_t flags;
	uint32_t maxClockRate;
	uint32_t maxBusWidth;
	uint64_t totalSize;
	char name[ZE_MAX_DEVICE_NAME];
} ze_device_memory_properties_t;

typedef struct _ze_device_memory_access_properties_t {
	ze_structure_type_t stype;
	void *pNext;
	ze_memory_access_cap_flags_t hostAllocCapabilities;
	ze_memory_access_cap_flags_t deviceAllocCapabilities;
	ze_memory_access_cap_flags_t sharedSingleDeviceAllocCapabilities;
	ze_memory_access_cap_flags_t sharedCrossDeviceAllocCapabilities;
	ze_memory_access_cap_flags_t sharedSystemAllocCapabilities;
} ze_device_memory_access_properties_t;

typedef struct _ze_device_cache_properties_t {
	ze_structure_type_t stype;
	void *pNext;
	ze_device_cache_property_flags_t flags;
	size_t cacheSize;
} ze_device_cache_properties_t;

typedef struct _ze_device_p2p_properties_t {
	ze_structure_type_t stype;
	void *pNext;
	ze_device_p2p_property_flags_t flags;
} ze_device_p2p_properties_t;

typedef struct _ze_command_queue_group_properties_t {
	ze_structure_type_t stype;
	void *pNext;
	ze_command_queue_group_property_flags_t flags;
	size_t maxMemoryFillPatternSize;
	uint32_t numQueues;
} ze_command_queue_group_properties_t;

typedef struct _ze_pci_address_ext_t {
	uint32_t domain;
	uint32_t bus;
	uint32_t device;
	uint32_t function;
} ze_pci_address_ext_t;

typedef struct _ze_pci_speed_ext_t {
	int32_t genVersion;
	int32_t width;
	int64_t maxBandwidth;
} ze_pci_speed_ext_t;

typedef struct _ze_pci_ext_properties_t {
	ze_structure_type_t stype;
	void *pNext;
	ze_pci_address_ext_t address;
	ze_pci_speed_ext_t maxSpeed;
} ze_pci_ext_properties_t;

typedef struct _ze_context_desc_t {
	ze_structure_type_t stype;
	const void *pNext;
	ze_context_flags_t flags;
} ze_context_desc_t;

typedef struct _ze_device_mem_alloc_desc_t {
	ze_structure_type_t stype;
	const void *pNext;
	ze_device_mem_alloc_flags_t flags;
	uint32_t ordinal;
} ze_device_mem_alloc_desc_t;

typedef struct _ze_host_mem_alloc_desc_t {
	ze_structure_type_t stype;
	const void *pNext;
	ze_host_mem_alloc_flags_t flags;
} ze_host_mem_alloc_desc_t;

typedef struct _ze_event_pool_desc_t {
	ze_structure_type_t stype;
	const void *pNext;
	ze_event_pool_flags_t flags;
	uint32_t count;
} ze_event_pool_desc_t;

typedef struct _ze_event_desc_t {
	ze_structure_type_t stype;
	const void *pNext;
	uint32_t index;
	ze_event_scope_flags_t signal;
	ze_event_scope_flags_t wait;
} ze_event_desc_t;

typedef struct _ze_command_queue_desc_t {
	ze_structure_type_t stype;
	const void *pNext;
	uint32_t ordinal;
	uint32_t index;
	ze_command_queue_flags_t flags;
	ze_command_queue_mode_t mode;
	ze_command_queue_priority_t priority;
} ze_command_queue_desc_t;

typedef struct _ze_command_list_desc_t {
	ze_structure_type_t stype;
	const void *pNext;
	uint32_t commandQueueGroupOrdinal;
	ze_command_list_flags_t flags;
} ze_command_list_desc_t;

typedef struct _ze_module_desc_t {
	ze_structure_type_t stype;
	const void *pNext;
	ze_module_format_t format;
	size_t inputSize;
	const uint8_t *pInputModule;
	const char *pBuildFlags;
	const ze_module_constants_t *pConstants;
} ze_module_desc_t;

typedef struct _ze_kernel_desc_t {
	ze_structure_type_t stype;
	const void *pNext;
	ze_kernel_flags_t flags;
	const char *pKernelName;
} ze_kernel_desc_t;

typedef struct _ze_kernel_uuid_t {
	uint8_t kid[ZE_MAX_KERNEL_UUID_SIZE];
	uint8_t mid[ZE_MAX_MODULE_UUID_SIZE];
} ze_kernel_uuid_t;

typedef struct _ze_kernel_properties_t {
	ze_structure_type_t stype;
	void *pNext;
	uint32_t numKernelArgs;
	uint32_t requiredGroupSizeX;
	uint32_t requiredGroupSizeY;
	uint32_t requiredGroupSizeZ;
	uint32_t requiredNumSubGroups;
	uint32_t requiredSubgroupSize;
	uint32_t maxSubgroupSize;
	uint32_t maxNumSubgroups;
	uint32_t localMemSize;
	uint32_t privateMemSize;
	uint32_t spillMemSize;
	ze_kernel_uuid_t uuid;
} ze_kernel_properties_t;

typedef struct _ze_group_count_t {
	uint32_t groupCountX;
	uint32_t groupCountY;
	uint32_t groupCountZ;
} ze_group_count_t;

/* The loader's own. */
typedef struct _zel_version {
	int major;
	int minor;
	int patch;
} zel_version_t;

typedef struct zel_component_version {
	char component_name[ZEL_COMPONENT_STRING_SIZE];
	ze_api_version_t spec_version;
	zel_version_t component_lib_version;
} zel_component_version_t;

#endif

#define LZ_WAITS \
	ze_event_handle_t signal, uint32_t count, ze_event_handle_t *waits

/* The functions: X(field, "name", (arguments)).  All required functions are in version 1.0. */
#define LZ_REQUIRED(X) \
	X(init, "zeInit", (ze_init_flags_t flags)) \
	X(driver_get, "zeDriverGet", (uint32_t *count, ze_driver_handle_t *drivers)) \
	X(driver_version, "zeDriverGetApiVersion", \
	  (ze_driver_handle_t driver, ze_api_version_t *version)) \
	X(driver_properties, "zeDriverGetProperties", \
	  (ze_driver_handle_t driver, ze_driver_properties_t *properties)) \
	X(device_get, "zeDeviceGet", \
	  (ze_driver_handle_t driver, uint32_t *count, ze_device_handle_t *devices)) \
	X(device_subdevices, "zeDeviceGetSubDevices", \
	  (ze_device_handle_t device, uint32_t *count, ze_device_handle_t *devices)) \
	X(device_properties, "zeDeviceGetProperties", \
	  (ze_device_handle_t device, ze_device_properties_t *properties)) \
	X(device_compute, "zeDeviceGetComputeProperties", \
	  (ze_device_handle_t device, ze_device_compute_properties_t *properties)) \
	X(device_module, "zeDeviceGetModuleProperties", \
	  (ze_device_handle_t device, ze_device_module_properties_t *properties)) \
	X(device_memory, "zeDeviceGetMemoryProperties", \
	  (ze_device_handle_t device, uint32_t *count, ze_device_memory_properties_t *properties)) \
	X(device_access, "zeDeviceGetMemoryAccessProperties", \
	  (ze_device_handle_t device, ze_device_memory_access_properties_t *properties)) \
	X(device_cache, "zeDeviceGetCacheProperties", \
	  (ze_device_handle_t device, uint32_t *count, ze_device_cache_properties_t *properties)) \
	X(device_engines, "zeDeviceGetCommandQueueGroupProperties", \
	  (ze_device_handle_t device, uint32_t *count, \
	   ze_command_queue_group_properties_t *properties)) \
	X(device_peer, "zeDeviceCanAccessPeer", \
	  (ze_device_handle_t device, ze_device_handle_t other, ze_bool_t *can)) \
	X(device_p2p, "zeDeviceGetP2PProperties", \
	  (ze_device_handle_t device, ze_device_handle_t other, \
	   ze_device_p2p_properties_t *properties)) \
	X(context_create, "zeContextCreate", \
	  (ze_driver_handle_t driver, const ze_context_desc_t *desc, ze_context_handle_t *context)) \
	X(context_destroy, "zeContextDestroy", (ze_context_handle_t context)) \
	X(mem_device, "zeMemAllocDevice", \
	  (ze_context_handle_t context, const ze_device_mem_alloc_desc_t *desc, size_t bytes, \
	   size_t alignment, ze_device_handle_t device, void **address)) \
	X(mem_host, "zeMemAllocHost", \
	  (ze_context_handle_t context, const ze_host_mem_alloc_desc_t *desc, size_t bytes, \
	   size_t alignment, void **address)) \
	X(mem_shared, "zeMemAllocShared", \
	  (ze_context_handle_t context, const ze_device_mem_alloc_desc_t *device_desc, \
	   const ze_host_mem_alloc_desc_t *host_desc, size_t bytes, size_t alignment, \
	   ze_device_handle_t device, void **address)) \
	X(mem_free, "zeMemFree", (ze_context_handle_t context, void *address)) \
	X(pool_create, "zeEventPoolCreate", \
	  (ze_context_handle_t context, const ze_event_pool_desc_t *desc, uint32_t count, \
	   ze_device_handle_t *devices, ze_event_pool_handle_t *pool)) \
	X(pool_destroy, "zeEventPoolDestroy", (ze_event_pool_handle_t pool)) \
	X(event_create, "zeEventCreate", \
	  (ze_event_pool_handle_t pool, const ze_event_desc_t *desc, ze_event_handle_t *event)) \
	X(event_destroy, "zeEventDestroy", (ze_event_handle_t event)) \
	X(event_wait, "zeEventHostSynchronize", (ze_event_handle_t event, uint64_t timeout)) \
	X(event_query, "zeEventQueryStatus", (ze_event_handle_t event)) \
	X(event_reset, "zeEventHostReset", (ze_event_handle_t event)) \
	X(queue_create, "zeCommandQueueCreate", \
	  (ze_context_handle_t context, ze_device_handle_t device, \
	   const ze_command_queue_desc_t *desc, ze_command_queue_handle_t *queue)) \
	X(queue_destroy, "zeCommandQueueDestroy", (ze_command_queue_handle_t queue)) \
	X(queue_execute, "zeCommandQueueExecuteCommandLists", \
	  (ze_command_queue_handle_t queue, uint32_t count, ze_command_list_handle_t *lists, \
	   ze_fence_handle_t fence)) \
	X(list_immediate, "zeCommandListCreateImmediate", \
	  (ze_context_handle_t context, ze_device_handle_t device, \
	   const ze_command_queue_desc_t *desc, ze_command_list_handle_t *list)) \
	X(list_create, "zeCommandListCreate", \
	  (ze_context_handle_t context, ze_device_handle_t device, \
	   const ze_command_list_desc_t *desc, ze_command_list_handle_t *list)) \
	X(list_close, "zeCommandListClose", (ze_command_list_handle_t list)) \
	X(list_reset, "zeCommandListReset", (ze_command_list_handle_t list)) \
	X(list_destroy, "zeCommandListDestroy", (ze_command_list_handle_t list)) \
	X(append_barrier, "zeCommandListAppendBarrier", (ze_command_list_handle_t list, LZ_WAITS)) \
	X(append_wait, "zeCommandListAppendWaitOnEvents", \
	  (ze_command_list_handle_t list, uint32_t count, ze_event_handle_t *events)) \
	X(append_reset, "zeCommandListAppendEventReset", \
	  (ze_command_list_handle_t list, ze_event_handle_t event)) \
	X(append_time, "zeCommandListAppendWriteGlobalTimestamp", \
	  (ze_command_list_handle_t list, uint64_t *to, LZ_WAITS)) \
	X(append_copy, "zeCommandListAppendMemoryCopy", \
	  (ze_command_list_handle_t list, void *to, const void *from, size_t bytes, LZ_WAITS)) \
	X(append_fill, "zeCommandListAppendMemoryFill", \
	  (ze_command_list_handle_t list, void *to, const void *pattern, size_t pattern_size, \
	   size_t bytes, LZ_WAITS)) \
	X(append_launch, "zeCommandListAppendLaunchKernel", \
	  (ze_command_list_handle_t list, ze_kernel_handle_t kernel, \
	   const ze_group_count_t *groups, LZ_WAITS)) \
	X(module_create, "zeModuleCreate", \
	  (ze_context_handle_t context, ze_device_handle_t device, const ze_module_desc_t *desc, \
	   ze_module_handle_t *module, ze_module_build_log_handle_t *log)) \
	X(module_destroy, "zeModuleDestroy", (ze_module_handle_t module)) \
	X(module_native, "zeModuleGetNativeBinary", \
	  (ze_module_handle_t module, size_t *size, uint8_t *binary)) \
	X(log_text, "zeModuleBuildLogGetString", \
	  (ze_module_build_log_handle_t log, size_t *size, char *text)) \
	X(log_destroy, "zeModuleBuildLogDestroy", (ze_module_build_log_handle_t log)) \
	X(kernel_create, "zeKernelCreate", \
	  (ze_module_handle_t module, const ze_kernel_desc_t *desc, ze_kernel_handle_t *kernel)) \
	X(kernel_destroy, "zeKernelDestroy", (ze_kernel_handle_t kernel)) \
	X(kernel_properties, "zeKernelGetProperties", \
	  (ze_kernel_handle_t kernel, ze_kernel_properties_t *properties)) \
	X(kernel_group, "zeKernelSetGroupSize", \
	  (ze_kernel_handle_t kernel, uint32_t x, uint32_t y, uint32_t z)) \
	X(kernel_argument, "zeKernelSetArgumentValue", \
	  (ze_kernel_handle_t kernel, uint32_t index, size_t size, const void *value))

/* Of version 1.3, of version 1.6, and of the loader 1.3. */
#define LZ_OPTIONAL(X) \
	X(device_pci, "zeDevicePciGetPropertiesExt", \
	  (ze_device_handle_t device, ze_pci_ext_properties_t *properties)) \
	X(list_wait, "zeCommandListHostSynchronize", \
	  (ze_command_list_handle_t list, uint64_t timeout)) \
	X(loader_versions, "zelLoaderGetVersions", \
	  (size_t *count, zel_component_version_t *versions))

#endif
