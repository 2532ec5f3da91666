/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An OpenCL 1.2 library that does nothing, and misbehaves on request: for the price of a launch,
 * and for what real stacks do too seldom to be tested with.  Words in NULL_OPENCL, read when the
 * platforms are listed:
 *   no-platforms no-devices old not-available no-compiler no-profiling no-context no-memory
 *   no-answer (whether the device is available)   no-kernel (success, and none is there)
 *   double half soft (it has these, both in software)
 *   twins (two platforms of one name)   moves (a mapped buffer comes back elsewhere)
 *   backwards no-clock                  what its events say of time
 *   listed                              times of 0 for markers that wait for a list, as NVIDIA's have
 *   failed unfinished lost              what a wait ends with
 * Built with -DOLD_LOADER it lacks an entry point of OpenCL 1.2.
 * Entry points newer than its version abort the process: the backend must not call them.
 */
#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <stdlib.h>
#include <string.h>

#define OUT __attribute__((visibility("default")))

OUT long null_opencl_events, null_opencl_arguments, null_opencl_launches, null_opencl_memory;

static int things[8]; /* handles are addresses in here */
static char words[200];
static int fails, lost, unfinished, backwards, no_clock, listed;
static cl_ulong ticks = 1000000;
static int moves;

static int has(const char *word)
{
	return strstr(words, word) != NULL;
}

static cl_int answer(const void *value, size_t value_size, size_t size, void *out, size_t *need)
{
	if (need != NULL)
		*need = value_size;
	if (out != NULL && size < value_size)
		return CL_INVALID_VALUE;
	if (out != NULL)
		memcpy(out, value, value_size);
	return CL_SUCCESS;
}

static cl_int text(const char *value, size_t size, void *out, size_t *need)
{
	return answer(value, strlen(value) + 1, size, out, need);
}

static cl_event new_event(void)
{
	null_opencl_events++;
	return (cl_event)(void *)&things[0];
}

static void give(cl_event *event)
{
	if (event != NULL)
		*event = new_event();
}

OUT cl_int clGetPlatformIDs(cl_uint room, cl_platform_id *out, cl_uint *count)
{
	const char *asked = getenv("NULL_OPENCL");
	cl_uint n;
	words[0] = '\0';
	if (asked != NULL)
		strncpy(words, asked, sizeof(words) - 1);
	fails = has("failed");
	lost = has("lost");
	unfinished = has("unfinished");
	backwards = has("backwards");
	no_clock = has("no-clock");
	listed = has("listed");
	moves = has("moves");
	if (has("no-platforms"))
		return -1001;
	n = has("twins") ? 2 : 1;
	if (count != NULL)
		*count = n;
	for (cl_uint i = 0; out != NULL && i < n && i < room; i++)
		out[i] = (cl_platform_id)(void *)&things[1 + i];
	return CL_SUCCESS;
}

OUT cl_int clGetPlatformInfo(cl_platform_id p, cl_platform_info what, size_t size, void *out,
                             size_t *need)
{
	(void)p;
	switch (what) {
	case CL_PLATFORM_NAME: return text("Null (TEST) CL ", size, out, need);
	case CL_PLATFORM_VERSION: return text(has("old") ? "OpenCL 1.1 null" : "OpenCL 1.2 null", size,
	                              out, need);
	default: return text("", size, out, need);
	}
}

OUT cl_int clGetDeviceIDs(cl_platform_id p, cl_device_type type, cl_uint room, cl_device_id *out,
                          cl_uint *count)
{
	(void)p;
	(void)type;
	if (has("no-devices"))
		return CL_DEVICE_NOT_FOUND;
	if (count != NULL)
		*count = 1;
	if (out != NULL && room > 0)
		out[0] = (cl_device_id)(void *)&things[3];
	return CL_SUCCESS;
}

OUT cl_int clGetDeviceInfo(cl_device_id d, cl_device_info what, size_t size, void *out,
                           size_t *need)
{
	cl_ulong number = 0;
	(void)d;
	switch (what) {
	case CL_DEVICE_NAME: return text("TEST Simulator", size, out, need);
	case CL_DEVICE_VERSION: return text("OpenCL 3.0 null", size, out, need);
	case CL_DEVICE_EXTENSIONS:
		return text(has("half") ? "cl_khr_fp16 cl_khr_fp64_not" :
		            "cl_khr_fp64_not cl_khr_pci_bus_info cl_khr_device_uuid", size, out, need);
	case CL_DEVICE_DOUBLE_FP_CONFIG:
	case 0x1033: /* the same of half */
		if (!has(what == CL_DEVICE_DOUBLE_FP_CONFIG ? "double" : "half"))
			return CL_INVALID_VALUE;
		number = CL_FP_FMA | (has("soft") ? CL_FP_SOFT_FLOAT : 0);
		break;
	case CL_DEVICE_TYPE: number = CL_DEVICE_TYPE_GPU | CL_DEVICE_TYPE_CPU; break;
	case CL_DEVICE_AVAILABLE:
		if (has("no-answer"))
			return CL_OUT_OF_RESOURCES;
		number = !has("not-available");
		break;
	case CL_DEVICE_COMPILER_AVAILABLE: number = !has("no-compiler"); break;
	case CL_DEVICE_ENDIAN_LITTLE: number = 1; break;
	case CL_DEVICE_QUEUE_PROPERTIES: number = has("no-profiling") ? 0 : CL_QUEUE_PROFILING_ENABLE;
		break;
	case CL_DEVICE_MAX_MEM_ALLOC_SIZE: number = 1 << 20; break;
	case 0x1053: number = 3; break; /* shared memory, of a device newer than its platform */
	case 0x410F: {
		const cl_uint pci[4] = { 0, 0x3b, 2, 1 };
		return answer(pci, sizeof(pci), size, out, need);
	}
	case 0x106A: return answer("0123456789abcdef", 16, size, out, need);
	case CL_DEVICE_VENDOR:
	case CL_DRIVER_VERSION:
	case CL_DEVICE_OPENCL_C_VERSION: return text("null 1", size, out, need);
	default: return CL_INVALID_VALUE;
	}
	/* Little-endian: the low bytes serve every width. */
	return answer(&number, size < sizeof(number) ? size : sizeof(number), size, out, need);
}

OUT cl_context clCreateContext(const cl_context_properties *properties, cl_uint count,
    const cl_device_id *devices,
    void (CL_CALLBACK *notify)(const char *, const void *, size_t, void *), void *user, cl_int *rc)
{
	(void)properties;
	(void)count;
	(void)devices;
	(void)notify;
	(void)user;
	*rc = has("no-context") ? CL_OUT_OF_HOST_MEMORY : CL_SUCCESS;
	return *rc == CL_SUCCESS ? (cl_context)(void *)&things[4] : NULL;
}

OUT cl_int clReleaseContext(cl_context c)
{
	(void)c;
	return CL_SUCCESS;
}

OUT cl_command_queue clCreateCommandQueue(cl_context c, cl_device_id d,
                                          cl_command_queue_properties p, cl_int *rc)
{
	(void)c;
	(void)d;
	(void)p;
	*rc = CL_SUCCESS;
	return (cl_command_queue)(void *)&things[5];
}

OUT cl_int clReleaseCommandQueue(cl_command_queue q)
{
	(void)q;
	return CL_SUCCESS;
}

OUT cl_mem clCreateBuffer(cl_context c, cl_mem_flags flags, size_t bytes, void *host, cl_int *rc)
{
	void *memory = NULL;
	(void)c;
	(void)flags;
	(void)host;
	if (!has("no-memory"))
		memory = malloc(bytes + 64);
	*rc = memory != NULL ? CL_SUCCESS : CL_MEM_OBJECT_ALLOCATION_FAILURE;
	null_opencl_memory += memory != NULL;
	return (cl_mem)memory;
}

OUT cl_mem clCreateSubBuffer(cl_mem m, cl_mem_flags flags, cl_buffer_create_type type, const void *region, cl_int *rc)
{
	(void)m;
	(void)flags;
	(void)type;
	(void)region;
	*rc = CL_MISALIGNED_SUB_BUFFER_OFFSET;
	return NULL;
}

OUT cl_int clReleaseMemObject(cl_mem m)
{
	null_opencl_memory--;
	free(m);
	return CL_SUCCESS;
}

OUT void *clEnqueueMapBuffer(cl_command_queue q, cl_mem m, cl_bool blocking, cl_map_flags flags,
    size_t offset, size_t bytes, cl_uint waits, const cl_event *list, cl_event *event, cl_int *rc)
{
	(void)q;
	(void)flags;
	(void)bytes;
	(void)waits;
	(void)list;
	give(event);
	*rc = CL_SUCCESS;
	return (char *)m + offset + (moves && !blocking ? 64 : 0);
}

OUT cl_int clEnqueueUnmapMemObject(cl_command_queue q, cl_mem m, void *at, cl_uint waits,
                                   const cl_event *list, cl_event *event)
{
	(void)q;
	(void)m;
	(void)at;
	(void)waits;
	(void)list;
	give(event);
	return CL_SUCCESS;
}

OUT cl_int clEnqueueReadBuffer(cl_command_queue q, cl_mem m, cl_bool blocking, size_t offset,
    size_t bytes, void *to, cl_uint waits, const cl_event *list, cl_event *event)
{
	(void)q;
	(void)blocking;
	(void)waits;
	(void)list;
	memcpy(to, (char *)m + offset, bytes);
	give(event);
	return CL_SUCCESS;
}

OUT cl_int clEnqueueWriteBuffer(cl_command_queue q, cl_mem m, cl_bool blocking, size_t offset,
    size_t bytes, const void *from, cl_uint waits, const cl_event *list, cl_event *event)
{
	(void)q;
	(void)blocking;
	(void)waits;
	(void)list;
	memcpy((char *)m + offset, from, bytes);
	give(event);
	return CL_SUCCESS;
}

OUT cl_int clEnqueueCopyBuffer(cl_command_queue q, cl_mem from, cl_mem to, size_t from_offset,
    size_t to_offset, size_t bytes, cl_uint waits, const cl_event *list, cl_event *event)
{
	(void)q;
	(void)waits;
	(void)list;
	memmove((char *)to + to_offset, (char *)from + from_offset, bytes);
	give(event);
	return CL_SUCCESS;
}

#ifndef OLD_LOADER
OUT cl_int clEnqueueFillBuffer(cl_command_queue q, cl_mem m, const void *pattern,
    size_t pattern_size, size_t offset, size_t bytes, cl_uint waits, const cl_event *list,
    cl_event *event)
{
	(void)q;
	(void)waits;
	(void)list;
	for (size_t i = 0; i < bytes; i += pattern_size)
		memcpy((char *)m + offset + i, pattern, pattern_size);
	give(event);
	return CL_SUCCESS;
}
#endif

OUT cl_int clEnqueueMarkerWithWaitList(cl_command_queue q, cl_uint waits, const cl_event *list,
                                       cl_event *event)
{
	(void)q;
	(void)list;
	give(event);
	if (event != NULL && listed && waits > 0)
		*event = (cl_event)(void *)&things[7];
	return CL_SUCCESS;
}

OUT cl_int clEnqueueBarrierWithWaitList(cl_command_queue q, cl_uint waits, const cl_event *list,
                                        cl_event *event)
{
	return clEnqueueMarkerWithWaitList(q, waits, list, event);
}

OUT cl_int clEnqueueNDRangeKernel(cl_command_queue q, cl_kernel k, cl_uint dimensions,
    const size_t *offset, const size_t *global, const size_t *local, cl_uint waits,
    const cl_event *list, cl_event *event)
{
	(void)q;
	(void)k;
	(void)dimensions;
	(void)offset;
	(void)global;
	(void)local;
	(void)waits;
	(void)list;
	null_opencl_launches++;
	give(event);
	return CL_SUCCESS;
}

OUT cl_int clFlush(cl_command_queue q)
{
	(void)q;
	return CL_SUCCESS;
}

OUT cl_int clFinish(cl_command_queue q)
{
	(void)q;
	return CL_SUCCESS;
}

OUT cl_int clWaitForEvents(cl_uint count, const cl_event *list)
{
	(void)count;
	(void)list;
	return fails || lost ? CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST : CL_SUCCESS;
}

OUT cl_int clRetainEvent(cl_event e)
{
	(void)e;
	null_opencl_events++;
	return CL_SUCCESS;
}

OUT cl_int clReleaseEvent(cl_event e)
{
	(void)e;
	null_opencl_events--;
	return CL_SUCCESS;
}

OUT cl_int clGetEventInfo(cl_event e, cl_event_info what, size_t size, void *out, size_t *need)
{
	const cl_int state = fails ? CL_OUT_OF_RESOURCES : lost ? -1121 : unfinished ? CL_RUNNING :
	    CL_COMPLETE;
	(void)e;
	(void)what;
	return answer(&state, sizeof(state), size, out, need);
}

OUT cl_int clGetEventProfilingInfo(cl_event e, cl_profiling_info what, size_t size, void *out,
                                   size_t *need)
{
	cl_ulong value;
	ticks += 100;
	if (e == (cl_event)(void *)&things[7])
		value = 0;
	else if (no_clock)
		value = what - CL_PROFILING_COMMAND_QUEUED;
	else if (backwards)
		value = ticks = what == CL_PROFILING_COMMAND_END ? ticks - 5000 : ticks;
	else
		value = ticks;
	return answer(&value, sizeof(value), size, out, need);
}

OUT cl_program clCreateProgramWithSource(cl_context c, cl_uint count, const char **source,
                                         const size_t *lengths, cl_int *rc)
{
	(void)c;
	(void)count;
	(void)source;
	(void)lengths;
	*rc = CL_SUCCESS;
	return (cl_program)(void *)&things[6];
}

OUT cl_int clBuildProgram(cl_program p, cl_uint count, const cl_device_id *devices,
    const char *options, void (CL_CALLBACK *notify)(cl_program, void *), void *user)
{
	(void)p;
	(void)count;
	(void)devices;
	(void)options;
	(void)notify;
	(void)user;
	return CL_SUCCESS;
}

OUT cl_int clGetProgramBuildInfo(cl_program p, cl_device_id d, cl_program_build_info what,
                                 size_t size, void *out, size_t *need)
{
	(void)p;
	(void)d;
	(void)what;
	return text("a warning\n", size, out, need);
}

OUT cl_int clGetProgramInfo(cl_program p, cl_program_info what, size_t size, void *out,
                            size_t *need)
{
	(void)p;
	(void)what;
	(void)size;
	(void)out;
	(void)need;
	return CL_INVALID_OPERATION;
}

OUT cl_int clReleaseProgram(cl_program p)
{
	(void)p;
	return CL_SUCCESS;
}

/* A name's last digit says how many arguments the kernel takes; 9 stands for 16. */
OUT cl_kernel clCreateKernel(cl_program p, const char *name, cl_int *rc)
{
	int *kernel = has("no-kernel") ? NULL : malloc(sizeof(*kernel));
	(void)p;
	if (kernel != NULL) {
		*kernel = name[strlen(name) - 1] - '0';
		if (*kernel == 9)
			*kernel = 16;
	}
	*rc = kernel != NULL || has("no-kernel") ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
	return (cl_kernel)(void *)kernel;
}

OUT cl_int clReleaseKernel(cl_kernel k)
{
	free(k);
	return CL_SUCCESS;
}

OUT cl_int clGetKernelInfo(cl_kernel k, cl_kernel_info what, size_t size, void *out, size_t *need)
{
	const cl_uint count = (cl_uint)*(int *)(void *)k;
	(void)what;
	return answer(&count, sizeof(count), size, out, need);
}

OUT cl_int clGetKernelWorkGroupInfo(cl_kernel k, cl_device_id d, cl_kernel_work_group_info what,
                                    size_t size, void *out, size_t *need)
{
	(void)k;
	(void)d;
	(void)what;
	(void)size;
	(void)out;
	(void)need;
	return CL_INVALID_VALUE;
}

OUT cl_int clSetKernelArg(cl_kernel k, cl_uint index, size_t size, const void *value)
{
	(void)k;
	(void)index;
	(void)size;
	(void)value;
	null_opencl_arguments++;
	return CL_SUCCESS;
}

OUT cl_command_queue clCreateCommandQueueWithProperties(cl_context c, cl_device_id d,
                                                        const cl_queue_properties *p, cl_int *rc)
{
	(void)c;
	(void)d;
	(void)p;
	(void)rc;
	abort();
}

OUT void *clSVMAlloc(cl_context c, cl_svm_mem_flags flags, size_t bytes, cl_uint alignment)
{
	(void)c;
	(void)flags;
	(void)bytes;
	(void)alignment;
	abort();
}

OUT void clSVMFree(cl_context c, void *at)
{
	(void)c;
	(void)at;
	abort();
}
