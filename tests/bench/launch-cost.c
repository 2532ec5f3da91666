/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a launch through the backend ABI costs over the direct OpenCL calls: one kernel whose arguments
 * are set at each launch, launched directly and through the slot in turns, in one process.  On the
 * null library (tests/opencl/null_opencl.c) the difference is the slot's own cost, for there
 * the calls do nothing; on a real loader it also holds what the stack charges for an event.
 *
 *   cc -O2 -fPIC -shared -fvisibility=hidden -o null.so tests/opencl/null_opencl.c
 *   cc -O2 -D_GNU_SOURCE -I core/include -o launch-cost tests/bench/launch-cost.c -ldl
 *   ./launch-cost build/lib/evenhand/backends/opencl.so ./null.so
 *   OCL_ICD_VENDORS=/etc/OpenCL/vendors/pocl.icd ./launch-cost .../opencl.so libOpenCL.so.1
 *
 * usage: launch-cost BACKEND.so OPENCL-LIBRARY
 * Prints, for 2 and for 16 arguments, one line
 *   ARGUMENTS direct_ns slot_ns difference_ns
 * of medians over rounds.  Exit status 1 when the difference is 100 ns or more on a null library,
 * 5 when something could not be set up.
 */
#define CL_TARGET_OPENCL_VERSION 120
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "evenhand/backend.h"

enum { ROUNDS = 101, MAX_ARGUMENTS = 16, ITEMS = 64 };

static const char text[] =
	"__kernel __attribute__((reqd_work_group_size(64, 1, 1)))\n"
	"void k2(__global uint *a, uint b) { if (b == 12345) a[0] = b; }\n"
	"__kernel __attribute__((reqd_work_group_size(64, 1, 1)))\n"
	"void k9(__global uint *a, __global uint *b, __global uint *c, __global uint *d, uint e,\n"
	"        uint f, uint g, uint h, uint i, uint j, uint k, uint l, uint m, uint n, uint o,\n"
	"        uint p)\n"
	"{ if (e == 12345) a[0] = b[0] + c[0] + d[0] + f + g + h + i + j + k + l + m + n + o + p; }\n";

static eh_error error = { .struct_size = sizeof(eh_error) };
static const char *library;

static void log_line(void *context, int level, const char *message)
{
	(void)context;
	(void)level;
	fprintf(stderr, "%s\n", message);
}

static uint64_t now(void *context)
{
	struct timespec t;
	(void)context;
	clock_gettime(CLOCK_MONOTONIC_RAW, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static const char *option(void *context, const char *key)
{
	(void)context;
	return strcmp(key, "library") == 0 ? library : NULL;
}

static void sha256(void *context, const void *data, size_t size, char hex[65])
{
	(void)context;
	(void)data;
	(void)size;
	memset(hex, '0', 64);
	hex[64] = '\0';
}

static void must(int good, const char *what)
{
	if (good)
		return;
	fprintf(stderr, "launch-cost: %s failed: %s\n", what, error.message);
	exit(5);
}

static int ascending(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

static double median(double *values)
{
	qsort(values, ROUNDS, sizeof(*values), ascending);
	return values[ROUNDS / 2];
}

static void *symbol(void *from, const char *name)
{
	void *found = dlsym(from, name);
	must(found != NULL, name);
	return found;
}

/* The same kernel and queue once more, by OpenCL alone. */
typedef struct direct {
	__typeof__(&clEnqueueNDRangeKernel) enqueue;
	__typeof__(&clFinish) finish;
	__typeof__(&clSetKernelArg) set;
	__typeof__(&clCreateKernel) kernel;
	cl_context context;
	cl_command_queue queue;
	cl_program program;
	cl_mem memory;
} direct;

static void direct_open(direct *d)
{
	void *lib = dlopen(library, RTLD_NOW | RTLD_LOCAL);
	const char *source = text;
	cl_platform_id platform;
	cl_device_id device;
	cl_int rc = 0;
	must(lib != NULL, library);
	__typeof__(&clGetPlatformIDs) platforms = symbol(lib, "clGetPlatformIDs");
	__typeof__(&clGetDeviceIDs) devices = symbol(lib, "clGetDeviceIDs");
	__typeof__(&clCreateContext) context = symbol(lib, "clCreateContext");
	__typeof__(&clCreateCommandQueue) queue = symbol(lib, "clCreateCommandQueue");
	__typeof__(&clCreateProgramWithSource) program = symbol(lib, "clCreateProgramWithSource");
	__typeof__(&clBuildProgram) build = symbol(lib, "clBuildProgram");
	__typeof__(&clCreateBuffer) buffer = symbol(lib, "clCreateBuffer");
	d->enqueue = symbol(lib, "clEnqueueNDRangeKernel");
	d->finish = symbol(lib, "clFinish");
	d->set = symbol(lib, "clSetKernelArg");
	d->kernel = symbol(lib, "clCreateKernel");
	must(platforms(1, &platform, NULL) == 0, "clGetPlatformIDs");
	must(devices(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL) == 0, "clGetDeviceIDs");
	d->context = context(NULL, 1, &device, NULL, NULL, &rc);
	must(rc == 0, "clCreateContext");
	/* Profiling as in the backend: it is a property of the measurement, not of the slot. */
	d->queue = queue(d->context, device, CL_QUEUE_PROFILING_ENABLE, &rc);
	must(rc == 0, "clCreateCommandQueue");
	d->program = program(d->context, 1, &source, NULL, &rc);
	must(rc == 0 && build(d->program, 1, &device, "-cl-std=CL1.2", NULL, NULL) == 0,
	    "clBuildProgram");
	d->memory = buffer(d->context, CL_MEM_READ_WRITE, 4096, NULL, &rc);
	must(rc == 0, "clCreateBuffer");
}

typedef struct slot {
	const eh_backend_ops *ops;
	void *self;
	eh_device *device;
	eh_queue *queue;
	eh_program *program;
	eh_buffer *buffer;
} slot;

static void slot_open(slot *s, const char *path)
{
	static const eh_host host = { .struct_size = sizeof(host), .abi_major = EH_ABI_MAJOR,
		.log = log_line, .now_ns = now, .option = option, .sha256 = sha256 };
	const eh_source source = { .struct_size = sizeof(source), .name = "launch-cost",
		.prelude = "", .body = text, .digest = "" };
	eh_backend_entry entry;
	void *lib = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	must(lib != NULL, path);
	*(void **)&entry = symbol(lib, EH_BACKEND_ENTRY_NAME);
	s->ops = entry()->ops;
	must(s->ops->start(&host, &s->self, &error) == EH_OK, "start");
	must(s->ops->device_open(s->self, 0, &s->device, &error) == EH_OK, "device_open");
	must(s->ops->queue_create(s->device, EH_TIMED, &s->queue, &error) == EH_OK, "queue_create");
	must(s->ops->program_build(s->device, &source, &s->program, NULL, 0, &error) == EH_OK,
	    "program_build");
	must(s->ops->buffer_alloc(s->device, EH_MEMORY_DEVICE, 4096, &s->buffer, &error) == EH_OK,
	    "buffer_alloc");
}

static double compare(const direct *d, const slot *s, const char *name, cl_uint count,
                      cl_uint buffers, int launches)
{
	static const uint32_t value = 1;
	const size_t items = ITEMS;
	double direct_ns[ROUNDS], slot_ns[ROUNDS], difference[ROUNDS], middle;
	eh_arg args[MAX_ARGUMENTS] = { { .buffer = NULL } };
	const eh_launch launch = { .struct_size = sizeof(launch), .arg_count = count,
		.groups = { 1, 1, 1 }, .group_size = { ITEMS, 1, 1 }, .args = args };
	eh_kernel *k;
	cl_int rc = 0;
	cl_kernel kernel = d->kernel(d->program, name, &rc);
	must(rc == 0, "clCreateKernel");
	must(s->ops->kernel_get(s->program, name, &k, &error) == EH_OK, "kernel_get");
	for (cl_uint i = 0; i < count; i++)
		if (i < buffers)
			args[i].buffer = s->buffer;
		else
			args[i] = (eh_arg){ .data = &value, .size = sizeof(value) };
	for (int r = -3; r < ROUNDS; r++) {
		uint64_t t0, t1, t2, t3;
		t0 = now(NULL);
		for (int i = 0; i < launches; i++) {
			for (cl_uint a = 0; a < count; a++)
				rc |= a < buffers ? d->set(kernel, a, sizeof(d->memory), &d->memory) :
				                    d->set(kernel, a, sizeof(value), &value);
			rc |= d->enqueue(d->queue, kernel, 1, NULL, &items, &items, 0, NULL, NULL);
		}
		t1 = now(NULL);
		rc |= d->finish(d->queue);
		t2 = now(NULL);
		for (int i = 0; i < launches; i++)
			rc |= s->ops->launch(s->queue, k, &launch, &error);
		t3 = now(NULL);
		rc |= s->ops->queue_wait(s->queue, &error);
		must(rc == 0, "a launch");
		if (r < 0)
			continue;
		direct_ns[r] = (double)(t1 - t0) / launches;
		slot_ns[r] = (double)(t3 - t2) / launches;
		difference[r] = slot_ns[r] - direct_ns[r];
	}
	middle = median(difference);
	printf("%u %.1f %.1f %.1f\n", (unsigned)count, median(direct_ns), median(slot_ns), middle);
	return middle;
}

int main(int argc, char **argv)
{
	direct d;
	slot s;
	double worst, other;
	int launches;
	if (argc != 3) {
		fprintf(stderr, "usage: launch-cost BACKEND.so OPENCL-LIBRARY\n");
		return 5;
	}
	library = argv[2];
	slot_open(&s, argv[1]);
	direct_open(&d);
	launches = strstr(library, "null") != NULL ? 20000 : 100;
	worst = compare(&d, &s, "k2", 2, 1, launches);
	other = compare(&d, &s, "k9", 16, 4, launches);
	if (other > worst)
		worst = other;
	s.ops->buffer_free(s.buffer);
	s.ops->program_destroy(s.program);
	s.ops->queue_destroy(s.queue);
	s.ops->device_close(s.device);
	s.ops->stop(s.self);
	return launches > 1000 && worst >= 100;
}
