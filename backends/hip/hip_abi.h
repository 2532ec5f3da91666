/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What this backend uses of the ABI of AMD's HIP runtime and of hiprtc, declared here, so that it is
 * built without ROCm.  Names, values and layouts are those of hip/hip_runtime_api.h and of
 * hip/hiprtc.h of ROCm 5.2 to 7; tests/abi/vendor.sh compares each with them, and reads this file in
 * the forms that tests/abi/vendor/facts.awk lists.
 */
#ifndef HIP_ABI_H
#define HIP_ABI_H

#include <stddef.h>

#ifndef ABI_OF_VENDOR /* the test takes these from the vendor's headers instead */

typedef enum hipError_t {
	hipSuccess = 0,
	hipErrorInvalidValue = 1,
	hipErrorOutOfMemory = 2,
	hipErrorNotInitialized = 3,
	hipErrorDeinitialized = 4,
	hipErrorInvalidConfiguration = 9,
	hipErrorInvalidDevicePointer = 17,
	hipErrorInsufficientDriver = 35,
	hipErrorPriorLaunchFailure = 53,
	hipErrorInvalidDeviceFunction = 98,
	hipErrorNoDevice = 100,
	hipErrorInvalidDevice = 101,
	hipErrorInvalidImage = 200,
	hipErrorInvalidContext = 201,
	hipErrorNoBinaryForGpu = 209,
	hipErrorECCNotCorrectable = 214,
	hipErrorInvalidKernelFile = 218,
	hipErrorInvalidSource = 300,
	hipErrorSharedObjectInitFailed = 303,
	hipErrorOperatingSystem = 304,
	hipErrorInvalidHandle = 400,
	hipErrorIllegalState = 401,
	hipErrorNotFound = 500,
	hipErrorNotReady = 600,
	hipErrorIllegalAddress = 700,
	hipErrorLaunchOutOfResources = 701,
	hipErrorLaunchTimeOut = 702,
	hipErrorPeerAccessAlreadyEnabled = 704,
	hipErrorContextIsDestroyed = 709,
	hipErrorAssert = 710,
	hipErrorLaunchFailure = 719,
	hipErrorNotSupported = 801,
	hipErrorStreamCaptureUnsupported = 900,
	hipErrorStreamCaptureInvalidated = 901,
	hipErrorStreamCaptureImplicit = 906,
	hipErrorUnknown = 999,
	hipErrorRuntimeMemory = 1052,
	hipErrorRuntimeOther = 1053,
} hipError_t;

typedef int hipDevice_t;
typedef void *hipDeviceptr_t;
typedef struct ihipStream_t *hipStream_t;
typedef struct ihipEvent_t *hipEvent_t;
typedef struct ihipModule_t *hipModule_t;
typedef struct ihipModuleSymbol_t *hipFunction_t;
typedef struct ihipGraph *hipGraph_t;
typedef struct hipGraphNode *hipGraphNode_t;
typedef struct hipGraphExec *hipGraphExec_t;

typedef struct hipUUID_t {
	char bytes[16];
} hipUUID;

/* Used through pointers only: its layout changed with ROCm 6, which has the new one under another
 * name. */
typedef struct hipDeviceProp_t hipDeviceProp_t;

typedef enum hipDeviceAttribute_t {
	hipDeviceAttributeEccEnabled = 0,
	hipDeviceAttributeClockRate = 5,
	hipDeviceAttributeConcurrentManagedAccess = 9,
	hipDeviceAttributeIntegrated = 16,
	hipDeviceAttributeL2CacheSize = 19,
	hipDeviceAttributeManagedMemory = 24,
	hipDeviceAttributeMaxBlockDimX = 26,
	hipDeviceAttributeMaxBlockDimY = 27,
	hipDeviceAttributeMaxBlockDimZ = 28,
	hipDeviceAttributeMaxGridDimX = 29,
	hipDeviceAttributeMaxGridDimY = 30,
	hipDeviceAttributeMaxGridDimZ = 31,
	hipDeviceAttributeMaxThreadsPerBlock = 56,
	hipDeviceAttributeMaxThreadsPerMultiProcessor = 57,
	hipDeviceAttributeMemoryBusWidth = 59,
	hipDeviceAttributeMemoryClockRate = 60,
	hipDeviceAttributeMultiprocessorCount = 63,
	hipDeviceAttributeMaxSharedMemoryPerBlock = 74,
	hipDeviceAttributeWarpSize = 87,
	hipDeviceAttributeMaxSharedMemoryPerMultiprocessor = 10002,
	hipDeviceAttributeIsLargeBar = 10011,
} hipDeviceAttribute_t;

typedef enum hipDeviceP2PAttr {
	hipDevP2PAttrPerformanceRank = 0,
	hipDevP2PAttrNativeAtomicSupported = 2,
} hipDeviceP2PAttr;

typedef enum hipFunction_attribute {
	HIP_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 0,
	HIP_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES = 1,
	HIP_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES = 3,
	HIP_FUNC_ATTRIBUTE_NUM_REGS = 4,
} hipFunction_attribute;

typedef enum hipMemcpyKind {
	hipMemcpyDefault = 4,
} hipMemcpyKind;

typedef enum hipStreamCaptureMode {
	hipStreamCaptureModeRelaxed = 2,
} hipStreamCaptureMode;

/* Flags of devices, streams, events, host memory and managed memory. */
enum {
	hipDeviceScheduleAuto = 0,
	hipDeviceScheduleSpin = 1,
	hipDeviceScheduleYield = 2,
	hipDeviceScheduleBlockingSync = 4,
	hipStreamNonBlocking = 1,
	hipEventDefault = 0,
	hipEventBlockingSync = 1,
	hipEventDisableTiming = 2,
	hipEventDisableSystemFence = 0x20000000,
	hipHostMallocPortable = 1,
	hipHostMallocMapped = 2,
	hipMemAttachGlobal = 1,
};

typedef enum hiprtcResult {
	HIPRTC_SUCCESS = 0,
	HIPRTC_ERROR_OUT_OF_MEMORY = 1,
	HIPRTC_ERROR_COMPILATION = 6,
} hiprtcResult;

typedef struct _hiprtcProgram *hiprtcProgram;

#endif

/*
 * The functions: X(field, "name|older name", (arguments)).  Every required function is in ROCm 5.2.
 * The name with R0600 is ROCm 6's, for its own struct; there the older function fills the older
 * struct.
 */
#define HIP_REQUIRED(X) \
	X(init, "hipInit", (unsigned flags)) \
	X(driver_version, "hipDriverGetVersion", (int *version)) \
	X(runtime_version, "hipRuntimeGetVersion", (int *version)) \
	X(device_count, "hipGetDeviceCount", (int *count)) \
	X(device_name, "hipDeviceGetName", (char *name, int size, hipDevice_t device)) \
	X(device_memory, "hipDeviceTotalMem", (size_t *bytes, hipDevice_t device)) \
	X(device_attribute, "hipDeviceGetAttribute", \
	  (int *value, hipDeviceAttribute_t attribute, int device)) \
	X(device_pci, "hipDeviceGetPCIBusId", (char *id, int size, int device)) \
	X(device_properties, "hipGetDevicePropertiesR0600|hipGetDeviceProperties", \
	  (hipDeviceProp_t *properties, int device)) \
	X(enter, "hipSetDevice", (int device)) \
	X(device_flags, "hipSetDeviceFlags", (unsigned flags)) \
	X(mem_alloc, "hipMalloc", (void **address, size_t bytes)) \
	X(mem_free, "hipFree", (void *address)) \
	X(mem_host_alloc, "hipHostMalloc", (void **address, size_t bytes, unsigned flags)) \
	X(mem_host_address, "hipHostGetDevicePointer", \
	  (void **address, void *host, unsigned flags)) \
	X(mem_host_free, "hipHostFree", (void *address)) \
	X(memset_32, "hipMemsetD32Async", \
	  (hipDeviceptr_t to, int pattern, size_t words, hipStream_t stream)) \
	X(memcpy_up, "hipMemcpyHtoDAsync", \
	  (hipDeviceptr_t to, const void *from, size_t bytes, hipStream_t stream)) \
	X(memcpy_down, "hipMemcpyDtoHAsync", \
	  (void *to, hipDeviceptr_t from, size_t bytes, hipStream_t stream)) \
	X(memcpy_device, "hipMemcpyDtoDAsync", \
	  (hipDeviceptr_t to, hipDeviceptr_t from, size_t bytes, hipStream_t stream)) \
	X(memcpy_any, "hipMemcpyAsync", \
	  (void *to, const void *from, size_t bytes, hipMemcpyKind kind, hipStream_t stream)) \
	X(stream_create, "hipStreamCreateWithFlags", (hipStream_t *stream, unsigned flags)) \
	X(stream_wait, "hipStreamSynchronize", (hipStream_t stream)) \
	X(stream_destroy, "hipStreamDestroy", (hipStream_t stream)) \
	X(event_create, "hipEventCreateWithFlags", (hipEvent_t *event, unsigned flags)) \
	X(event_record, "hipEventRecord", (hipEvent_t event, hipStream_t stream)) \
	X(event_wait, "hipEventSynchronize", (hipEvent_t event)) \
	X(event_query, "hipEventQuery", (hipEvent_t event)) \
	X(event_elapsed, "hipEventElapsedTime", \
	  (float *milliseconds, hipEvent_t from, hipEvent_t to)) \
	X(event_destroy, "hipEventDestroy", (hipEvent_t event)) \
	X(stream_wait_event, "hipStreamWaitEvent", \
	  (hipStream_t stream, hipEvent_t event, unsigned flags)) \
	X(module_load, "hipModuleLoadData", (hipModule_t *module, const void *image)) \
	X(module_unload, "hipModuleUnload", (hipModule_t module)) \
	X(module_function, "hipModuleGetFunction", \
	  (hipFunction_t *function, hipModule_t module, const char *name)) \
	X(function_attribute, "hipFuncGetAttribute", \
	  (int *value, hipFunction_attribute attribute, hipFunction_t function)) \
	X(launch_kernel, "hipModuleLaunchKernel", \
	  (hipFunction_t function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, \
	   unsigned by, unsigned bz, unsigned shared, hipStream_t stream, void **parameters, \
	   void **extra))

#define HIP_OPTIONAL(X) \
	X(device_uuid, "hipDeviceGetUuid", (hipUUID *uuid, hipDevice_t device)) \
	X(mem_managed_alloc, "hipMallocManaged", (void **address, size_t bytes, unsigned flags)) \
	X(capture_begin, "hipStreamBeginCapture", \
	  (hipStream_t stream, hipStreamCaptureMode mode)) \
	X(capture_end, "hipStreamEndCapture", (hipStream_t stream, hipGraph_t *graph)) \
	X(graph_nodes, "hipGraphGetNodes", \
	  (hipGraph_t graph, hipGraphNode_t *nodes, size_t *count)) \
	X(graph_make, "hipGraphInstantiate", \
	  (hipGraphExec_t *exec, hipGraph_t graph, hipGraphNode_t *at, char *log, size_t size)) \
	X(graph_launch, "hipGraphLaunch", (hipGraphExec_t exec, hipStream_t stream)) \
	X(graph_exec_destroy, "hipGraphExecDestroy", (hipGraphExec_t exec)) \
	X(graph_destroy, "hipGraphDestroy", (hipGraph_t graph)) \
	X(peer_can, "hipDeviceCanAccessPeer", (int *can, int device, int other)) \
	X(peer_enable, "hipDeviceEnablePeerAccess", (int other, unsigned flags)) \
	X(peer_disable, "hipDeviceDisablePeerAccess", (int other)) \
	X(peer_attribute, "hipDeviceGetP2PAttribute", \
	  (int *value, hipDeviceP2PAttr attribute, int device, int other)) \
	X(peer_copy, "hipMemcpyPeerAsync", \
	  (void *to, int to_device, const void *from, int from_device, size_t bytes, \
	   hipStream_t stream))

/* The runtime's only function that returns a text; optional. */
#define HIP_TEXT(X) \
	X(error_name, "hipGetErrorName", (hipError_t code))

#define HIPRTC_REQUIRED(X) \
	X(version, "hiprtcVersion", (int *major, int *minor)) \
	X(create, "hiprtcCreateProgram", \
	  (hiprtcProgram *program, const char *text, const char *name, int headers, \
	   const char *const *texts, const char *const *names)) \
	X(compile, "hiprtcCompileProgram", \
	  (hiprtcProgram program, int count, const char *const *options)) \
	X(destroy, "hiprtcDestroyProgram", (hiprtcProgram *program)) \
	X(log_size, "hiprtcGetProgramLogSize", (hiprtcProgram program, size_t *size)) \
	X(log, "hiprtcGetProgramLog", (hiprtcProgram program, char *log)) \
	X(code_size, "hiprtcGetCodeSize", (hiprtcProgram program, size_t *size)) \
	X(code, "hiprtcGetCode", (hiprtcProgram program, char *code))

/* hiprtc's only function that returns a text. */
#define HIPRTC_TEXT(X) \
	X(error_text, "hiprtcGetErrorString", (hiprtcResult code))

#endif
