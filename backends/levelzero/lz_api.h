/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The functions of the Level Zero loader, found at run time.  Nothing here links to it: its header
 * is needed at build time only.  All of the required are in version 1.0.
 */
#ifndef LZ_API_H
#define LZ_API_H

#include <level_zero/ze_api.h>

#include "shared/vendorlib.h"

#define LZ_WAITS ze_event_handle_t signal, uint32_t count, ze_event_handle_t *waits

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

#define LZ_OPTIONAL(X) \
	X(device_pci, "zeDevicePciGetPropertiesExt", \
	  (ze_device_handle_t device, ze_pci_ext_properties_t *properties))

typedef struct lz_api {
#define LZ_FIELD(field, names, arguments) ze_result_t(ZE_APICALL *field) arguments;
	LZ_REQUIRED(LZ_FIELD)
	LZ_OPTIONAL(LZ_FIELD)
#undef LZ_FIELD
	vendorlib library;
	char loader[64];      /* the loader's own version, "" = it does not tell              */
	ze_result_t loader_rc; /* what it answered when asked for that                        */
} lz_api;

/*
 * Opens the loader (chosen: a path that the user set, NULL = by its name) and initialises its
 * drivers.  *present is false when it has none with a device; that is no error.  Sysman is switched
 * on for who reads sensors in this process.
 */
eh_status lz_api_open(lz_api *api, const char *chosen, bool *present, eh_error *error);

#endif
