/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The OpenCL entry points, found at run time in the ICD loader's library.  Nothing here links to
 * it: the headers are needed at build time only.
 */
#ifndef OCL_LOADER_H
#define OCL_LOADER_H

#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>

#include "evenhand/backend.h"

/* OpenCL 1.2, all or nothing.  clCreateCommandQueue is deprecated since 2.0 and present in every
 * version; its successor hangs on a 1.2 platform behind a newer loader, so it is not used. */
#define OCL_REQUIRED(X) \
	X(clGetPlatformIDs) \
	X(clGetPlatformInfo) \
	X(clGetDeviceIDs) \
	X(clGetDeviceInfo) \
	X(clCreateContext) \
	X(clReleaseContext) \
	X(clCreateCommandQueue) \
	X(clReleaseCommandQueue) \
	X(clCreateBuffer) \
	X(clReleaseMemObject) \
	X(clEnqueueMapBuffer) \
	X(clEnqueueUnmapMemObject) \
	X(clEnqueueReadBuffer) \
	X(clEnqueueWriteBuffer) \
	X(clEnqueueCopyBuffer) \
	X(clEnqueueFillBuffer) \
	X(clEnqueueMarkerWithWaitList) \
	X(clEnqueueNDRangeKernel) \
	X(clFlush) \
	X(clFinish) \
	X(clWaitForEvents) \
	X(clRetainEvent) \
	X(clReleaseEvent) \
	X(clGetEventInfo) \
	X(clGetEventProfilingInfo) \
	X(clCreateProgramWithSource) \
	X(clBuildProgram) \
	X(clGetProgramBuildInfo) \
	X(clGetProgramInfo) \
	X(clReleaseProgram) \
	X(clCreateKernel) \
	X(clReleaseKernel) \
	X(clGetKernelInfo) \
	X(clGetKernelWorkGroupInfo) \
	X(clSetKernelArg)

/* Name and the OpenCL version of the platform and device below which it must not be called, even
 * when the loader exports it: a loader passes the call on to whatever the platform has there. */
#define OCL_OPTIONAL(X) \
	X(clGetExtensionFunctionAddressForPlatform, 120) \
	X(clSVMAlloc, 200) \
	X(clSVMFree, 200)

typedef struct ocl_api {
#define OCL_FIELD(name) __typeof__(&name) name;
#define OCL_OPTIONAL_FIELD(name, since) __typeof__(&name) name;
	OCL_REQUIRED(OCL_FIELD)
	OCL_OPTIONAL(OCL_OPTIONAL_FIELD)
#undef OCL_FIELD
#undef OCL_OPTIONAL_FIELD
	char path[256];     /* of the loader's library, as mapped                             */
	char name[64];      /* what the loader calls itself, "OpenCL ICD Loader"              */
	char version[64];
	cl_int version_rc;  /* what it answered when asked for that                           */
} ocl_api;

/*
 * Opens library (NULL: libOpenCL.so.1) and fills *api.  EH_E_UNAVAILABLE with the package to
 * install when it is not there, EH_E_INCOMPATIBLE when a required entry point is missing.  The
 * library stays open for the life of the process: drivers keep threads and exit handlers in it.
 */
eh_status ocl_loader_open(ocl_api *api, const char *library, eh_error *error);

#endif
