/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The functions of the driver API and of NVRTC, found at run time.  Nothing here links to either:
 * their headers are needed at build time only.  Names carry the version whose arguments are
 * spelled out, for cuda.h renames its functions from one toolkit to the next; every one of the
 * required is in the driver of CUDA 11.
 */
#ifndef CUDA_API_H
#define CUDA_API_H

#include <cuda.h>
#include <nvrtc.h>

#include "shared/vendorlib.h"

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
	X(module_load, "cuModuleLoadDataEx", \
	  (CUmodule *module, const void *image, unsigned count, CUjit_option *options, \
	   void **values)) \
	X(module_unload, "cuModuleUnload", (CUmodule module)) \
	X(module_function, "cuModuleGetFunction", \
	  (CUfunction *function, CUmodule module, const char *name)) \
	X(function_attribute, "cuFuncGetAttribute", \
	  (int *value, CUfunction_attribute attribute, CUfunction function)) \
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
	X(peer_copy, "cuMemcpyPeerAsync", \
	  (CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context, \
	   size_t bytes, CUstream stream)) \
	X(stream_wait_event, "cuStreamWaitEvent", \
	  (CUstream stream, CUevent event, unsigned flags))

/* Each function's names. */
typedef struct cuda_names {
#define CUDA_NAME(field, names, arguments) const char *field;
	CUDA_REQUIRED(CUDA_NAME)
	CUDA_OPTIONAL(CUDA_NAME)
#undef CUDA_NAME
} cuda_names;
extern const cuda_names cuda_calls;

typedef struct cuda_api {
#define CUDA_FIELD(field, names, arguments) CUresult(CUDAAPI *field) arguments;
	CUDA_REQUIRED(CUDA_FIELD)
	CUDA_OPTIONAL(CUDA_FIELD)
#undef CUDA_FIELD
	vendorlib library;
	int version;          /* 1000 * major + 10 * minor, as the driver says; 0 = it does not */
	CUresult version_rc;  /* then why                                                    */
} cuda_api;

#define NVRTC_REQUIRED(X) \
	X(version, "nvrtcVersion", (int *major, int *minor)) \
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

/* Of NVRTC 11.2; without them only PTX can be had. */
#define NVRTC_OPTIONAL(X) \
	X(cubin_size, "nvrtcGetCUBINSize", (nvrtcProgram program, size_t *size)) \
	X(cubin, "nvrtcGetCUBIN", (nvrtcProgram program, char *cubin)) \
	X(arch_count, "nvrtcGetNumSupportedArchs", (int *count)) \
	X(archs, "nvrtcGetSupportedArchs", (int *list))

typedef struct nvrtc_api {
#define NVRTC_FIELD(field, names, arguments) nvrtcResult(*field) arguments;
	NVRTC_REQUIRED(NVRTC_FIELD)
	NVRTC_OPTIONAL(NVRTC_FIELD)
	const char *(*error_text)(nvrtcResult code);
#undef NVRTC_FIELD
	vendorlib library;
	int major, minor;
} nvrtc_api;

/* Opens the driver's library (`chosen`: another than libcuda.so.1, or NULL) and initialises it.
 * *present is false when all is well and there is no device.  EH_E_UNAVAILABLE with advice when the
 * driver is not there or refuses. */
eh_status cuda_api_open(cuda_api *api, const char *chosen, bool *present, eh_error *error);

/* "13.0", or "" when the driver does not tell. */
void cuda_api_version(const cuda_api *api, char *text, size_t size);

/* Opens the NVRTC that suits the driver best: its own major version, then older, then newer; the
 * newest when the driver does not tell its version.  One that does not tell its own is of no use,
 * for what it compiles is kept by version. */
eh_status cuda_api_open_nvrtc(nvrtc_api *nvrtc, const cuda_api *api, const char *chosen,
                              eh_error *error);

#endif
