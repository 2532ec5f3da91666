/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What this backend uses of the ABI of NVIDIA's driver and of NVRTC, declared here, so that it is
 * built without a toolkit.  Names, values and layouts are those of cuda.h and nvrtc.h of CUDA 11 to
 * 13; tests/abi/vendor.sh compares each with them, and reads this file in the forms that
 * tests/abi/vendor/facts.awk lists.
 */
#ifndef CUDA_ABI_H
#define CUDA_ABI_H

#include <stddef.h>

#ifndef ABI_OF_VENDOR /* the test takes these from the vendor's headers instead */

#define CUDAAPI /* the platform's own calling convention */

typedef enum cudaError_enum {
	CUDA_SUCCESS = 0,
	CUDA_ERROR_INVALID_VALUE = 1,
	CUDA_ERROR_OUT_OF_MEMORY = 2,
	CUDA_ERROR_NOT_INITIALIZED = 3,
	CUDA_ERROR_DEINITIALIZED = 4,
	CUDA_ERROR_STUB_LIBRARY = 34,
	CUDA_ERROR_DEVICE_UNAVAILABLE = 46,
	CUDA_ERROR_NO_DEVICE = 100,
	CUDA_ERROR_INVALID_DEVICE = 101,
	CUDA_ERROR_DEVICE_NOT_LICENSED = 102,
	CUDA_ERROR_INVALID_IMAGE = 200,
	CUDA_ERROR_INVALID_CONTEXT = 201,
	CUDA_ERROR_NO_BINARY_FOR_GPU = 209,
	CUDA_ERROR_ECC_UNCORRECTABLE = 214,
	CUDA_ERROR_INVALID_PTX = 218,
	CUDA_ERROR_NVLINK_UNCORRECTABLE = 220,
	CUDA_ERROR_JIT_COMPILER_NOT_FOUND = 221,
	CUDA_ERROR_UNSUPPORTED_PTX_VERSION = 222,
	CUDA_ERROR_JIT_COMPILATION_DISABLED = 223,
	CUDA_ERROR_CONTAINED = 226,
	CUDA_ERROR_INVALID_SOURCE = 300,
	CUDA_ERROR_OPERATING_SYSTEM = 304,
	CUDA_ERROR_INVALID_HANDLE = 400,
	CUDA_ERROR_ILLEGAL_STATE = 401,
	CUDA_ERROR_NOT_FOUND = 500,
	CUDA_ERROR_NOT_READY = 600,
	CUDA_ERROR_ILLEGAL_ADDRESS = 700,
	CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES = 701,
	CUDA_ERROR_LAUNCH_TIMEOUT = 702,
	CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED = 704,
	CUDA_ERROR_CONTEXT_IS_DESTROYED = 709,
	CUDA_ERROR_ASSERT = 710,
	CUDA_ERROR_TOO_MANY_PEERS = 711,
	CUDA_ERROR_HARDWARE_STACK_ERROR = 714,
	CUDA_ERROR_ILLEGAL_INSTRUCTION = 715,
	CUDA_ERROR_MISALIGNED_ADDRESS = 716,
	CUDA_ERROR_INVALID_ADDRESS_SPACE = 717,
	CUDA_ERROR_INVALID_PC = 718,
	CUDA_ERROR_LAUNCH_FAILED = 719,
	CUDA_ERROR_TENSOR_MEMORY_LEAK = 721,
	CUDA_ERROR_NOT_PERMITTED = 800,
	CUDA_ERROR_NOT_SUPPORTED = 801,
	CUDA_ERROR_SYSTEM_NOT_READY = 802,
	CUDA_ERROR_SYSTEM_DRIVER_MISMATCH = 803,
	CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE = 804,
	CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED = 900,
	CUDA_ERROR_STREAM_CAPTURE_INVALIDATED = 901,
	CUDA_ERROR_TIMEOUT = 909,
	CUDA_ERROR_EXTERNAL_DEVICE = 911,
	CUDA_ERROR_UNKNOWN = 999,
} CUresult;

typedef int CUdevice;
typedef unsigned long long CUdeviceptr;
typedef struct CUctx_st *CUcontext;
typedef struct CUmod_st *CUmodule;
typedef struct CUfunc_st *CUfunction;
typedef struct CUstream_st *CUstream;
typedef struct CUevent_st *CUevent;
typedef struct CUgraph_st *CUgraph;
typedef struct CUgraphNode_st *CUgraphNode;
typedef struct CUgraphExec_st *CUgraphExec;

typedef struct CUuuid_st {
	char bytes[16];
} CUuuid;

typedef enum CUdevice_attribute_enum {
	CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 1,
	CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X = 2,
	CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y = 3,
	CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z = 4,
	CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X = 5,
	CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y = 6,
	CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z = 7,
	CU_DEVICE_ATTRIBUTE_CLOCK_RATE = 13,
	CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT = 16,
	CU_DEVICE_ATTRIBUTE_COMPUTE_MODE = 20,
	CU_DEVICE_ATTRIBUTE_PCI_BUS_ID = 33,
	CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID = 34,
	CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE = 38,
	CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID = 50,
	CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR = 75,
	CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR = 76,
	CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY = 83,
	CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS = 89,
	CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN = 97,
} CUdevice_attribute;

typedef enum CUdevice_P2PAttribute_enum {
	CU_DEVICE_P2P_ATTRIBUTE_PERFORMANCE_RANK = 1,
	CU_DEVICE_P2P_ATTRIBUTE_NATIVE_ATOMIC_SUPPORTED = 3,
} CUdevice_P2PAttribute;

typedef enum CUfunction_attribute_enum {
	CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 0,
	CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES = 1,
	CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES = 3,
	CU_FUNC_ATTRIBUTE_NUM_REGS = 4,
	CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES = 8,
} CUfunction_attribute;

typedef enum CUjit_option_enum {
	CU_JIT_ERROR_LOG_BUFFER = 5,
	CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES = 6,
} CUjit_option;

typedef enum CUstreamCaptureMode_enum {
	CU_STREAM_CAPTURE_MODE_RELAXED = 2,
} CUstreamCaptureMode;

/* Flags of contexts, streams, events, host memory and managed memory; the compute mode. */
enum {
	CU_CTX_SCHED_AUTO = 0,
	CU_CTX_SCHED_SPIN = 1,
	CU_CTX_SCHED_YIELD = 2,
	CU_CTX_SCHED_BLOCKING_SYNC = 4,
	CU_STREAM_NON_BLOCKING = 1,
	CU_EVENT_DEFAULT = 0,
	CU_EVENT_BLOCKING_SYNC = 1,
	CU_EVENT_DISABLE_TIMING = 2,
	CU_MEMHOSTALLOC_PORTABLE = 1,
	CU_MEMHOSTALLOC_DEVICEMAP = 2,
	CU_MEM_ATTACH_GLOBAL = 1,
	CU_COMPUTEMODE_PROHIBITED = 2,
};

typedef enum nvrtcResult_enum {
	NVRTC_SUCCESS = 0,
	NVRTC_ERROR_OUT_OF_MEMORY = 1,
	NVRTC_ERROR_COMPILATION = 6,
	NVRTC_ERROR_INTERNAL_ERROR = 11,
} nvrtcResult;

typedef struct nvrtcProgram_st *nvrtcProgram;

#endif

/*
 * The functions: X(field, "name|older name", (arguments)).  Names carry the version whose arguments
 * are spelled out, because cuda.h renames its functions between toolkits.  Every required function
 * is in the driver of CUDA 11.
 */
#define CUDA_REQUIRED(X) \
	X(init, "cuInit", (unsigned flags)) \
	X(driver_version, "cuDriverGetVersion", (int *version)) \
	X(error_name, "cuGetErrorName", (CUresult code, const char **name)) \
	X(device_count, "cuDeviceGetCount", (int *count)) \
	X(device_get, "cuDeviceGet", (CUdevice *device, int index)) \
	X(device_name, "cuDeviceGetName", (char *name, int size, CUdevice device)) \
	X(device_memory, "cuDeviceTotalMem_v2", (size_t *bytes, CUdevice device)) \
	X(device_attribute, "cuDeviceGetAttribute", \
	  (int *value, CUdevice_attribute attribute, CUdevice device)) \
	X(device_uuid, "cuDeviceGetUuid_v2|cuDeviceGetUuid", (CUuuid *uuid, CUdevice device)) \
	X(context_retain, "cuDevicePrimaryCtxRetain", (CUcontext *context, CUdevice device)) \
	X(context_release, "cuDevicePrimaryCtxRelease_v2|cuDevicePrimaryCtxRelease", \
	  (CUdevice device)) \
	X(context_flags, "cuDevicePrimaryCtxSetFlags_v2|cuDevicePrimaryCtxSetFlags", \
	  (CUdevice device, unsigned flags)) \
	X(enter, "cuCtxSetCurrent", (CUcontext context)) \
	X(mem_alloc, "cuMemAlloc_v2", (CUdeviceptr *address, size_t bytes)) \
	X(mem_free, "cuMemFree_v2", (CUdeviceptr address)) \
	X(mem_host_alloc, "cuMemHostAlloc", (void **address, size_t bytes, unsigned flags)) \
	X(mem_host_address, "cuMemHostGetDevicePointer_v2", \
	  (CUdeviceptr *address, void *host, unsigned flags)) \
	X(mem_host_free, "cuMemFreeHost", (void *address)) \
	X(memset_32, "cuMemsetD32Async", \
	  (CUdeviceptr to, unsigned pattern, size_t words, CUstream stream)) \
	X(memcpy_up, "cuMemcpyHtoDAsync_v2", \
	  (CUdeviceptr to, const void *from, size_t bytes, CUstream stream)) \
	X(memcpy_down, "cuMemcpyDtoHAsync_v2", \
	  (void *to, CUdeviceptr from, size_t bytes, CUstream stream)) \
	X(memcpy_device, "cuMemcpyDtoDAsync_v2", \
	  (CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream)) \
	X(memcpy_any, "cuMemcpyAsync", \
	  (CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream)) \
	X(stream_create, "cuStreamCreate", (CUstream *stream, unsigned flags)) \
	X(stream_wait, "cuStreamSynchronize", (CUstream stream)) \
	X(stream_destroy, "cuStreamDestroy_v2", (CUstream stream)) \
	X(event_create, "cuEventCreate", (CUevent *event, unsigned flags)) \
	X(event_record, "cuEventRecord", (CUevent event, CUstream stream)) \
	X(event_wait, "cuEventSynchronize", (CUevent event)) \
	X(event_query, "cuEventQuery", (CUevent event)) \
	X(event_elapsed, "cuEventElapsedTime_v2|cuEventElapsedTime", \
	  (float *milliseconds, CUevent from, CUevent to)) \
	X(event_destroy, "cuEventDestroy_v2", (CUevent event)) \
	X(stream_wait_event, "cuStreamWaitEvent", \
	  (CUstream stream, CUevent event, unsigned flags)) \
	X(module_load, "cuModuleLoadDataEx", \
	  (CUmodule *module, const void *image, unsigned count, CUjit_option *options, \
	   void **values)) \
	X(module_unload, "cuModuleUnload", (CUmodule module)) \
	X(module_function, "cuModuleGetFunction", \
	  (CUfunction *function, CUmodule module, const char *name)) \
	X(function_attribute, "cuFuncGetAttribute", \
	  (int *value, CUfunction_attribute attribute, CUfunction function)) \
	X(function_set, "cuFuncSetAttribute", \
	  (CUfunction function, CUfunction_attribute attribute, int value)) \
	X(launch_kernel, "cuLaunchKernel", \
	  (CUfunction function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, \
	   unsigned bz, unsigned shared, CUstream stream, void **parameters, void **extra))

#define CUDA_OPTIONAL(X) \
	X(mem_managed_alloc, "cuMemAllocManaged", \
	  (CUdeviceptr *address, size_t bytes, unsigned flags)) \
	X(capture_begin, "cuStreamBeginCapture_v2", \
	  (CUstream stream, CUstreamCaptureMode mode)) \
	X(capture_end, "cuStreamEndCapture", (CUstream stream, CUgraph *graph)) \
	X(graph_nodes, "cuGraphGetNodes", (CUgraph graph, CUgraphNode *nodes, size_t *count)) \
	X(graph_make, "cuGraphInstantiateWithFlags", \
	  (CUgraphExec *exec, CUgraph graph, unsigned long long flags)) \
	X(graph_make_11, "cuGraphInstantiate_v2", \
	  (CUgraphExec *exec, CUgraph graph, CUgraphNode *at, char *log, size_t size)) \
	X(graph_launch, "cuGraphLaunch", (CUgraphExec exec, CUstream stream)) \
	X(graph_exec_destroy, "cuGraphExecDestroy", (CUgraphExec exec)) \
	X(graph_destroy, "cuGraphDestroy", (CUgraph graph)) \
	X(peer_can, "cuDeviceCanAccessPeer", (int *can, CUdevice device, CUdevice other)) \
	X(peer_enable, "cuCtxEnablePeerAccess", (CUcontext other, unsigned flags)) \
	X(peer_disable, "cuCtxDisablePeerAccess", (CUcontext other)) \
	X(peer_attribute, "cuDeviceGetP2PAttribute", \
	  (int *value, CUdevice_P2PAttribute attribute, CUdevice device, CUdevice other)) \
	X(peer_copy, "cuMemcpyPeerAsync", \
	  (CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context, \
	   size_t bytes, CUstream stream))

#define NVRTC_REQUIRED(X) \
	X(compiler_version, "nvrtcVersion", (int *major, int *minor)) \
	X(create, "nvrtcCreateProgram", \
	  (nvrtcProgram *program, const char *text, const char *name, int headers, \
	   const char *const *texts, const char *const *names)) \
	X(compile, "nvrtcCompileProgram", \
	  (nvrtcProgram program, int count, const char *const *options)) \
	X(destroy, "nvrtcDestroyProgram", (nvrtcProgram *program)) \
	X(log_size, "nvrtcGetProgramLogSize", (nvrtcProgram program, size_t *size)) \
	X(log, "nvrtcGetProgramLog", (nvrtcProgram program, char *log)) \
	X(ptx_size, "nvrtcGetPTXSize", (nvrtcProgram program, size_t *size)) \
	X(ptx, "nvrtcGetPTX", (nvrtcProgram program, char *ptx))

/* NVRTC's only function that returns a text. */
#define NVRTC_TEXT(X) \
	X(error_text, "nvrtcGetErrorString", (nvrtcResult code))

/* Of NVRTC 11.2; without them only PTX can be had. */
#define NVRTC_OPTIONAL(X) \
	X(cubin_size, "nvrtcGetCUBINSize", (nvrtcProgram program, size_t *size)) \
	X(cubin, "nvrtcGetCUBIN", (nvrtcProgram program, char *cubin)) \
	X(arch_count, "nvrtcGetNumSupportedArchs", (int *count)) \
	X(archs, "nvrtcGetSupportedArchs", (int *list))

#endif
