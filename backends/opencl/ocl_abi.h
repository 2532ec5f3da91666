/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What this backend uses of OpenCL's ABI, declared here, so that it is built without Khronos'
 * headers.  Names, values and layouts are those of the OpenCL 3.0 headers; tests/abi/vendor.sh
 * compares each with them, and reads this file in the forms that tests/abi/vendor/facts.awk lists.
 */
#ifndef OCL_ABI_H
#define OCL_ABI_H

#include <stddef.h>
#include <stdint.h>

#ifndef ABI_OF_VENDOR /* the test takes these from Khronos' headers instead */

#define CL_API_CALL /* the platform's own calling convention */
#define CL_CALLBACK

typedef signed char cl_char;
typedef int32_t cl_int;
typedef uint32_t cl_uint;
typedef uint64_t cl_ulong;
typedef cl_uint cl_bool;
typedef cl_ulong cl_bitfield;
typedef cl_ulong cl_properties;

typedef struct _cl_platform_id *cl_platform_id;
typedef struct _cl_device_id *cl_device_id;
typedef struct _cl_context *cl_context;
typedef struct _cl_command_queue *cl_command_queue;
typedef struct _cl_mem *cl_mem;
typedef struct _cl_program *cl_program;
typedef struct _cl_kernel *cl_kernel;
typedef struct _cl_event *cl_event;
typedef struct _cl_command_buffer_khr *cl_command_buffer_khr;
typedef struct _cl_mutable_command_khr *cl_mutable_command_khr;

typedef cl_uint cl_platform_info;
typedef cl_bitfield cl_device_type;
typedef cl_uint cl_device_info;
typedef intptr_t cl_context_properties;
typedef cl_bitfield cl_command_queue_properties;
typedef cl_bitfield cl_mem_flags;
typedef cl_bitfield cl_svm_mem_flags;
typedef cl_uint cl_buffer_create_type;
typedef cl_bitfield cl_map_flags;
typedef cl_uint cl_program_info;
typedef cl_uint cl_program_build_info;
typedef cl_uint cl_kernel_info;
typedef cl_uint cl_kernel_work_group_info;
typedef cl_uint cl_event_info;
typedef cl_uint cl_profiling_info;
typedef cl_uint cl_sync_point_khr;

/* Codes of errors. */
enum {
	CL_SUCCESS = 0,
	CL_DEVICE_NOT_FOUND = -1,
	CL_DEVICE_NOT_AVAILABLE = -2,
	CL_COMPILER_NOT_AVAILABLE = -3,
	CL_MEM_OBJECT_ALLOCATION_FAILURE = -4,
	CL_OUT_OF_RESOURCES = -5,
	CL_OUT_OF_HOST_MEMORY = -6,
	CL_PROFILING_INFO_NOT_AVAILABLE = -7,
	CL_MEM_COPY_OVERLAP = -8,
	CL_IMAGE_FORMAT_MISMATCH = -9,
	CL_IMAGE_FORMAT_NOT_SUPPORTED = -10,
	CL_BUILD_PROGRAM_FAILURE = -11,
	CL_MAP_FAILURE = -12,
	CL_MISALIGNED_SUB_BUFFER_OFFSET = -13,
	CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST = -14,
	CL_COMPILE_PROGRAM_FAILURE = -15,
	CL_LINKER_NOT_AVAILABLE = -16,
	CL_LINK_PROGRAM_FAILURE = -17,
	CL_DEVICE_PARTITION_FAILED = -18,
	CL_KERNEL_ARG_INFO_NOT_AVAILABLE = -19,
	CL_INVALID_VALUE = -30,
	CL_INVALID_DEVICE_TYPE = -31,
	CL_INVALID_PLATFORM = -32,
	CL_INVALID_DEVICE = -33,
	CL_INVALID_CONTEXT = -34,
	CL_INVALID_QUEUE_PROPERTIES = -35,
	CL_INVALID_COMMAND_QUEUE = -36,
	CL_INVALID_HOST_PTR = -37,
	CL_INVALID_MEM_OBJECT = -38,
	CL_INVALID_IMAGE_FORMAT_DESCRIPTOR = -39,
	CL_INVALID_IMAGE_SIZE = -40,
	CL_INVALID_SAMPLER = -41,
	CL_INVALID_BINARY = -42,
	CL_INVALID_BUILD_OPTIONS = -43,
	CL_INVALID_PROGRAM = -44,
	CL_INVALID_PROGRAM_EXECUTABLE = -45,
	CL_INVALID_KERNEL_NAME = -46,
	CL_INVALID_KERNEL_DEFINITION = -47,
	CL_INVALID_KERNEL = -48,
	CL_INVALID_ARG_INDEX = -49,
	CL_INVALID_ARG_VALUE = -50,
	CL_INVALID_ARG_SIZE = -51,
	CL_INVALID_KERNEL_ARGS = -52,
	CL_INVALID_WORK_DIMENSION = -53,
	CL_INVALID_WORK_GROUP_SIZE = -54,
	CL_INVALID_WORK_ITEM_SIZE = -55,
	CL_INVALID_GLOBAL_OFFSET = -56,
	CL_INVALID_EVENT_WAIT_LIST = -57,
	CL_INVALID_EVENT = -58,
	CL_INVALID_OPERATION = -59,
	CL_INVALID_GL_OBJECT = -60,
	CL_INVALID_BUFFER_SIZE = -61,
	CL_INVALID_MIP_LEVEL = -62,
	CL_INVALID_GLOBAL_WORK_SIZE = -63,
	CL_INVALID_PROPERTY = -64,
	CL_INVALID_IMAGE_DESCRIPTOR = -65,
	CL_INVALID_COMPILER_OPTIONS = -66,
	CL_INVALID_LINKER_OPTIONS = -67,
	CL_INVALID_DEVICE_PARTITION_COUNT = -68,
	CL_INVALID_PIPE_SIZE = -69,
	CL_INVALID_DEVICE_QUEUE = -70,
	CL_INVALID_SPEC_ID = -71,
	CL_MAX_SIZE_RESTRICTION_EXCEEDED = -72,
	CL_PLATFORM_NOT_FOUND_KHR = -1001,
	CL_DEVICE_PARTITION_FAILED_EXT = -1057,
	CL_INVALID_PARTITION_COUNT_EXT = -1058,
	CL_INVALID_PARTITION_NAME_EXT = -1059,
	CL_COMMAND_TERMINATED_ITSELF_WITH_FAILURE_ARM = -1108,
	CL_CONTEXT_TERMINATED_KHR = -1121,
	CL_INVALID_COMMAND_BUFFER_KHR = -1138,
	CL_INVALID_SYNC_POINT_WAIT_LIST_KHR = -1139,
	CL_INCOMPATIBLE_COMMAND_QUEUE_KHR = -1140,
	CL_INVALID_MUTABLE_COMMAND_KHR = -1141,
	CL_INVALID_SEMAPHORE_KHR = -1142,
};

#define CL_DEVICE_TYPE_ALL 0xffffffff

/* Flags, and the names of queries. */
enum {
	CL_COMPLETE = 0,
	CL_FALSE = 0,
	CL_TRUE = 1,
	CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR = 1,
	CL_COMMAND_BUFFER_CAPABILITY_SIMULTANEOUS_USE_KHR = 4,
	CL_COMMAND_BUFFER_FLAGS_KHR = 0x1293,
	CL_CONTEXT_PLATFORM = 0x1084,
	CL_DEVICE_SVM_COARSE_GRAIN_BUFFER = 1,
	CL_DEVICE_SVM_FINE_GRAIN_BUFFER = 2,
	CL_DEVICE_TYPE_CPU = 2,
	CL_DEVICE_TYPE_GPU = 4,
	CL_DEVICE_TYPE_ACCELERATOR = 8,
	CL_FP_SOFT_FLOAT = 64,
	CL_DEVICE_TYPE = 0x1000,
	CL_DEVICE_VENDOR_ID = 0x1001,
	CL_DEVICE_MAX_COMPUTE_UNITS = 0x1002,
	CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS = 0x1003,
	CL_DEVICE_MAX_WORK_GROUP_SIZE = 0x1004,
	CL_DEVICE_MAX_WORK_ITEM_SIZES = 0x1005,
	CL_DEVICE_MAX_CLOCK_FREQUENCY = 0x100c,
	CL_DEVICE_MAX_MEM_ALLOC_SIZE = 0x1010,
	CL_DEVICE_GLOBAL_MEM_CACHE_SIZE = 0x101e,
	CL_DEVICE_GLOBAL_MEM_SIZE = 0x101f,
	CL_DEVICE_LOCAL_MEM_SIZE = 0x1023,
	CL_DEVICE_PROFILING_TIMER_RESOLUTION = 0x1025,
	CL_DEVICE_ENDIAN_LITTLE = 0x1026,
	CL_DEVICE_AVAILABLE = 0x1027,
	CL_DEVICE_COMPILER_AVAILABLE = 0x1028,
	CL_DEVICE_QUEUE_PROPERTIES = 0x102a,
	CL_DEVICE_NAME = 0x102b,
	CL_DEVICE_VENDOR = 0x102c,
	CL_DEVICE_VERSION = 0x102f,
	CL_DEVICE_EXTENSIONS = 0x1030,
	CL_DEVICE_DOUBLE_FP_CONFIG = 0x1032,
	CL_DEVICE_HALF_FP_CONFIG = 0x1033,
	CL_DEVICE_OPENCL_C_VERSION = 0x103d,
	CL_DEVICE_SVM_CAPABILITIES = 0x1053,
	CL_DEVICE_EXTENSIONS_WITH_VERSION = 0x1060,
	CL_DEVICE_UUID_KHR = 0x106a,
	CL_DEVICE_COMMAND_BUFFER_CAPABILITIES_KHR = 0x12a9,
	CL_DEVICE_COMMAND_BUFFER_REQUIRED_QUEUE_PROPERTIES_KHR = 0x12aa,
	CL_DEVICE_TOPOLOGY_AMD = 0x4037,
	CL_DEVICE_PCI_BUS_INFO_KHR = 0x410f,
	CL_DRIVER_VERSION = 0x102d,
	CL_EVENT_COMMAND_EXECUTION_STATUS = 0x11d3,
	CL_KERNEL_NUM_ARGS = 0x1191,
	CL_KERNEL_WORK_GROUP_SIZE = 0x11b0,
	CL_KERNEL_COMPILE_WORK_GROUP_SIZE = 0x11b1,
	CL_KERNEL_LOCAL_MEM_SIZE = 0x11b2,
	CL_KERNEL_PRIVATE_MEM_SIZE = 0x11b4,
	CL_MAP_READ = 1,
	CL_MAP_WRITE = 2,
	CL_MEM_READ_WRITE = 1,
	CL_BUFFER_CREATE_TYPE_REGION = 0x1220,
	CL_MEM_USE_HOST_PTR = 8,
	CL_MEM_ALLOC_HOST_PTR = 16,
	CL_MEM_SVM_FINE_GRAIN_BUFFER = 0x400,
	CL_PLATFORM_VERSION = 0x901,
	CL_PLATFORM_NAME = 0x902,
	CL_PLATFORM_EXTENSIONS = 0x904,
	CL_PROFILING_COMMAND_START = 0x1282,
	CL_PROFILING_COMMAND_END = 0x1283,
	CL_PROGRAM_BINARY_SIZES = 0x1165,
	CL_PROGRAM_BINARIES = 0x1166,
	CL_PROGRAM_BUILD_LOG = 0x1183,
	CL_QUEUE_PROFILING_ENABLE = 2,
};

/* An element of CL_DEVICE_EXTENSIONS_WITH_VERSION. */
typedef struct _cl_buffer_region {
	size_t origin;
	size_t size;
} cl_buffer_region;

typedef struct _cl_name_version {
	cl_uint version;
	char name[64];
} cl_name_version;

typedef struct _cl_device_pci_bus_info_khr {
	cl_uint pci_domain;
	cl_uint pci_bus;
	cl_uint pci_device;
	cl_uint pci_function;
} cl_device_pci_bus_info_khr;

typedef union {
	struct {
		cl_uint type;
		cl_uint data[5];
	} raw;
	struct {
		cl_uint type;
		cl_char unused[17];
		cl_char bus;
		cl_char device;
		cl_char function;
	} pcie;
} cl_device_topology_amd;

#endif

/*
 * The functions: X(field, "name", result, (arguments)).  Of OpenCL 1.2, all or nothing.
 * clCreateCommandQueue is deprecated since 2.0 and present in every version; its successor hangs on
 * a 1.2 platform behind a newer loader, so it is not used.
 */
#define OCL_REQUIRED(X) \
	X(clGetPlatformIDs, "clGetPlatformIDs", cl_int, \
	  (cl_uint room, cl_platform_id *platforms, cl_uint *count)) \
	X(clGetPlatformInfo, "clGetPlatformInfo", cl_int, \
	  (cl_platform_id platform, cl_platform_info name, size_t size, void *value, size_t \
	   *size_ret)) \
	X(clGetDeviceIDs, "clGetDeviceIDs", cl_int, \
	  (cl_platform_id platform, cl_device_type type, cl_uint room, cl_device_id *devices, \
	   cl_uint *count)) \
	X(clGetDeviceInfo, "clGetDeviceInfo", cl_int, \
	  (cl_device_id device, cl_device_info name, size_t size, void *value, size_t *size_ret)) \
	X(clCreateContext, "clCreateContext", cl_context, \
	  (const cl_context_properties *properties, cl_uint count, const cl_device_id *devices, \
	   void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *), void *user, \
	   cl_int *rc)) \
	X(clReleaseContext, "clReleaseContext", cl_int, \
	  (cl_context context)) \
	X(clCreateCommandQueue, "clCreateCommandQueue", cl_command_queue, \
	  (cl_context context, cl_device_id device, cl_command_queue_properties properties, \
	   cl_int *rc)) \
	X(clReleaseCommandQueue, "clReleaseCommandQueue", cl_int, \
	  (cl_command_queue queue)) \
	X(clCreateBuffer, "clCreateBuffer", cl_mem, \
	  (cl_context context, cl_mem_flags flags, size_t bytes, void *host, cl_int *rc)) \
	X(clReleaseMemObject, "clReleaseMemObject", cl_int, \
	  (cl_mem buffer)) \
	X(clEnqueueMapBuffer, "clEnqueueMapBuffer", void *, \
	  (cl_command_queue queue, cl_mem buffer, cl_bool blocking, cl_map_flags flags, size_t \
	   offset, size_t bytes, cl_uint count, const cl_event *waits, cl_event *event, cl_int \
	   *rc)) \
	X(clEnqueueUnmapMemObject, "clEnqueueUnmapMemObject", cl_int, \
	  (cl_command_queue queue, cl_mem buffer, void *mapped, cl_uint count, const cl_event \
	   *waits, cl_event *event)) \
	X(clCreateSubBuffer, "clCreateSubBuffer", cl_mem, \
	  (cl_mem buffer, cl_mem_flags flags, cl_buffer_create_type type, const void *region, \
	   cl_int *rc)) \
	X(clEnqueueReadBuffer, "clEnqueueReadBuffer", cl_int, \
	  (cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset, size_t \
	   bytes, void *to, cl_uint count, const cl_event *waits, cl_event *event)) \
	X(clEnqueueWriteBuffer, "clEnqueueWriteBuffer", cl_int, \
	  (cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset, size_t \
	   bytes, const void *from, cl_uint count, const cl_event *waits, cl_event *event)) \
	X(clEnqueueCopyBuffer, "clEnqueueCopyBuffer", cl_int, \
	  (cl_command_queue queue, cl_mem from, cl_mem to, size_t from_offset, size_t \
	   to_offset, size_t bytes, cl_uint count, const cl_event *waits, cl_event *event)) \
	X(clEnqueueFillBuffer, "clEnqueueFillBuffer", cl_int, \
	  (cl_command_queue queue, cl_mem buffer, const void *pattern, size_t pattern_size, \
	   size_t offset, size_t bytes, cl_uint count, const cl_event *waits, cl_event *event)) \
	X(clEnqueueMarkerWithWaitList, "clEnqueueMarkerWithWaitList", cl_int, \
	  (cl_command_queue queue, cl_uint count, const cl_event *waits, cl_event *event)) \
	X(clEnqueueBarrierWithWaitList, "clEnqueueBarrierWithWaitList", cl_int, \
	  (cl_command_queue queue, cl_uint count, const cl_event *waits, cl_event *event)) \
	X(clEnqueueNDRangeKernel, "clEnqueueNDRangeKernel", cl_int, \
	  (cl_command_queue queue, cl_kernel kernel, cl_uint dimensions, const size_t *offset, \
	   const size_t *items, const size_t *group, cl_uint count, const cl_event *waits, \
	   cl_event *event)) \
	X(clFlush, "clFlush", cl_int, \
	  (cl_command_queue queue)) \
	X(clFinish, "clFinish", cl_int, \
	  (cl_command_queue queue)) \
	X(clWaitForEvents, "clWaitForEvents", cl_int, \
	  (cl_uint count, const cl_event *events)) \
	X(clRetainEvent, "clRetainEvent", cl_int, \
	  (cl_event event)) \
	X(clReleaseEvent, "clReleaseEvent", cl_int, \
	  (cl_event event)) \
	X(clGetEventInfo, "clGetEventInfo", cl_int, \
	  (cl_event event, cl_event_info name, size_t size, void *value, size_t *size_ret)) \
	X(clGetEventProfilingInfo, "clGetEventProfilingInfo", cl_int, \
	  (cl_event event, cl_profiling_info name, size_t size, void *value, size_t *size_ret)) \
	X(clCreateProgramWithSource, "clCreateProgramWithSource", cl_program, \
	  (cl_context context, cl_uint count, const char **texts, const size_t *sizes, cl_int \
	   *rc)) \
	X(clBuildProgram, "clBuildProgram", cl_int, \
	  (cl_program program, cl_uint count, const cl_device_id *devices, const char *options, \
	   void(CL_CALLBACK *notify)(cl_program, void *), void *user)) \
	X(clGetProgramBuildInfo, "clGetProgramBuildInfo", cl_int, \
	  (cl_program program, cl_device_id device, cl_program_build_info name, size_t size, \
	   void *value, size_t *size_ret)) \
	X(clGetProgramInfo, "clGetProgramInfo", cl_int, \
	  (cl_program program, cl_program_info name, size_t size, void *value, size_t *size_ret)) \
	X(clReleaseProgram, "clReleaseProgram", cl_int, \
	  (cl_program program)) \
	X(clCreateKernel, "clCreateKernel", cl_kernel, \
	  (cl_program program, const char *name, cl_int *rc)) \
	X(clReleaseKernel, "clReleaseKernel", cl_int, \
	  (cl_kernel kernel)) \
	X(clGetKernelInfo, "clGetKernelInfo", cl_int, \
	  (cl_kernel kernel, cl_kernel_info name, size_t size, void *value, size_t *size_ret)) \
	X(clGetKernelWorkGroupInfo, "clGetKernelWorkGroupInfo", cl_int, \
	  (cl_kernel kernel, cl_device_id device, cl_kernel_work_group_info name, size_t size, \
	   void *value, size_t *size_ret)) \
	X(clSetKernelArg, "clSetKernelArg", cl_int, \
	  (cl_kernel kernel, cl_uint index, size_t size, const void *value))

/* The first is of OpenCL 1.2, the others of 2.0.  They must not be called below that version of the
 * platform and device, even when the loader exports them: it passes the call on to whatever entry
 * the platform has there. */
#define OCL_OPTIONAL(X) \
	X(clGetExtensionFunctionAddressForPlatform, "clGetExtensionFunctionAddressForPlatform", void *, \
	  (cl_platform_id platform, const char *name)) \
	X(clSVMAlloc, "clSVMAlloc", void *, \
	  (cl_context context, cl_svm_mem_flags flags, size_t bytes, cl_uint alignment)) \
	X(clSVMFree, "clSVMFree", void, \
	  (cl_context context, void *address))

/* Of cl_khr_command_buffer. */
#define OCL_COMMANDS(X) \
	X(create, "clCreateCommandBufferKHR", cl_command_buffer_khr, \
	  (cl_uint count, const cl_command_queue *queues, const cl_properties *properties, \
	   cl_int *rc)) \
	X(finalize, "clFinalizeCommandBufferKHR", cl_int, \
	  (cl_command_buffer_khr commands)) \
	X(release, "clReleaseCommandBufferKHR", cl_int, \
	  (cl_command_buffer_khr commands)) \
	X(enqueue, "clEnqueueCommandBufferKHR", cl_int, \
	  (cl_uint queue_count, cl_command_queue *queues, cl_command_buffer_khr commands, \
	   cl_uint count, const cl_event *waits, cl_event *event)) \
	X(kernel, "clCommandNDRangeKernelKHR", cl_int, \
	  (cl_command_buffer_khr commands, cl_command_queue queue, const cl_properties \
	   *properties, cl_kernel kernel, cl_uint dimensions, const size_t *offset, const \
	   size_t *items, const size_t *group, cl_uint count, const cl_sync_point_khr *waits, \
	   cl_sync_point_khr *point, cl_mutable_command_khr *handle))

/* The arguments of two functions changed with version 0.9.5 of the extension: before it, and
 * since. */
#define OCL_COMMANDS_BEFORE(X) \
	X(copy_before, "clCommandCopyBufferKHR", cl_int, \
	  (cl_command_buffer_khr commands, cl_command_queue queue, cl_mem from, cl_mem to, \
	   size_t from_offset, size_t to_offset, size_t bytes, cl_uint count, const \
	   cl_sync_point_khr *waits, cl_sync_point_khr *point, cl_mutable_command_khr *handle)) \
	X(fill_before, "clCommandFillBufferKHR", cl_int, \
	  (cl_command_buffer_khr commands, cl_command_queue queue, cl_mem buffer, const void \
	   *pattern, size_t pattern_size, size_t offset, size_t bytes, cl_uint count, const \
	   cl_sync_point_khr *waits, cl_sync_point_khr *point, cl_mutable_command_khr *handle))
#define OCL_COMMANDS_SINCE(X) \
	X(copy, "clCommandCopyBufferKHR", cl_int, \
	  (cl_command_buffer_khr commands, cl_command_queue queue, const cl_properties \
	   *properties, cl_mem from, cl_mem to, size_t from_offset, size_t to_offset, size_t \
	   bytes, cl_uint count, const cl_sync_point_khr *waits, cl_sync_point_khr *point, \
	   cl_mutable_command_khr *handle)) \
	X(fill, "clCommandFillBufferKHR", cl_int, \
	  (cl_command_buffer_khr commands, cl_command_queue queue, const cl_properties \
	   *properties, cl_mem buffer, const void *pattern, size_t pattern_size, size_t offset, \
	   size_t bytes, cl_uint count, const cl_sync_point_khr *waits, cl_sync_point_khr \
	   *point, cl_mutable_command_khr *handle))

#endif
