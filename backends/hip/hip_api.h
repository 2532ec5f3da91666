/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The functions of the HIP runtime and of hiprtc, found at run time.  Nothing here links to either:
 * their headers are needed at build time only.  Every one of the required is in ROCm 5.2; what the
 * headers of 5.2 declare is the same in 6 and 7, but for hipDeviceProp_t, which is asked for one
 * text only and never read by its layout.
 */
#ifndef HIP_API_H
#define HIP_API_H

/* AMD's own runtime, not the one over CUDA. */
#ifndef __HIP_PLATFORM_AMD__
#define __HIP_PLATFORM_AMD__ 1
#endif
#include <hip/hip_runtime_api.h>
#include <hip/hiprtc.h>

#include "shared/vendorlib.h"

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
	  (void *properties, int device)) \
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
	X(peer_copy, "hipMemcpyPeerAsync", \
	  (void *to, int to_device, const void *from, int from_device, size_t bytes, \
	   hipStream_t stream)) \
	X(stream_wait_event, "hipStreamWaitEvent", \
	  (hipStream_t stream, hipEvent_t event, unsigned flags))

/* Each function's names. */
typedef struct hip_names {
#define HIP_NAME(field, names, arguments) const char *field;
	HIP_REQUIRED(HIP_NAME)
	HIP_OPTIONAL(HIP_NAME)
#undef HIP_NAME
} hip_names;
extern const hip_names hip_calls;

typedef struct hip_api {
#define HIP_FIELD(field, names, arguments) hipError_t(*field) arguments;
	HIP_REQUIRED(HIP_FIELD)
	HIP_OPTIONAL(HIP_FIELD)
#undef HIP_FIELD
	const char *(*error_name)(hipError_t code);
	vendorlib library;
	int major;            /* of the library's soname, 0 = not told                       */
	int version;          /* of the runtime: 10000000 * major + 100000 * minor + patch   */
	hipError_t version_rc; /* why that is 0                                              */
} hip_api;

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

typedef struct hiprtc_api {
#define HIPRTC_FIELD(field, names, arguments) hiprtcResult(*field) arguments;
	HIPRTC_REQUIRED(HIPRTC_FIELD)
#undef HIPRTC_FIELD
	const char *(*error_text)(hiprtcResult code);
	vendorlib library;
	int major, minor;
	bool inside;          /* it is part of the runtime's library                         */
} hiprtc_api;

/* Opens the runtime (`chosen`: another than the newest that is found, or NULL) and initialises it.
 * *present is false when all is well and there is no device.  EH_E_UNAVAILABLE with advice when the
 * runtime is not there, refuses, or may not use /dev/kfd. */
eh_status hip_api_open(hip_api *api, const char *chosen, bool *present, eh_error *error);

/* Opens the hiprtc of the runtime's own version: a library of its own, else the runtime's.  One
 * that does not tell its version is of no use, for what it compiles is kept by version. */
eh_status hip_api_open_hiprtc(hiprtc_api *hiprtc, const hip_api *api, const char *chosen,
                              eh_error *error);

#endif
