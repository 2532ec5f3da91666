/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Triad kernels launched by the least C that does it, in turn on the same buffers, each with a
 * launch between two samples of another.  Prints the median ns of one triad for every form, in
 * the order given, by the host clock from before the enqueue to the completion of the kernel's own
 * event.
 * usage: cl_triad PLATFORM-SUBSTRING ELEMENTS REPETITIONS SOURCE:KERNEL:GROUP:PER-ITEM...
 * GROUP is the size of the work-groups, 0 leaves it to the driver; an item takes PER-ITEM elements.
 */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC_RAW, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static int ascending(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

static void must(cl_int code, const char *what)
{
	if (code != CL_SUCCESS) {
		fprintf(stderr, "cl_triad: %s: %d\n", what, (int)code);
		exit(1);
	}
}

static char *read_file(const char *path)
{
	FILE *f = fopen(path, "rb");
	char *text;
	long size;
	if (f == NULL || fseek(f, 0, SEEK_END) != 0 || (size = ftell(f)) < 0) {
		perror(path);
		exit(5);
	}
	rewind(f);
	text = calloc((size_t)size + 1, 1);
	if (text == NULL || fread(text, 1, (size_t)size, f) != (size_t)size) {
		perror(path);
		exit(5);
	}
	fclose(f);
	return text;
}

static cl_device_id find_device(const char *wanted)
{
	cl_platform_id platforms[16];
	cl_uint count = 0;
	must(clGetPlatformIDs(16, platforms, &count), "clGetPlatformIDs");
	for (cl_uint i = 0; i < count && i < 16; i++) {
		char name[256] = "";
		cl_device_id device;
		clGetPlatformInfo(platforms[i], CL_PLATFORM_NAME, sizeof(name), name, NULL);
		if (strstr(name, wanted) != NULL &&
		    clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, 1, &device, NULL) == CL_SUCCESS)
			return device;
	}
	fprintf(stderr, "cl_triad: no platform named like %s\n", wanted);
	exit(77);
}

typedef struct form {
	cl_program program;
	cl_kernel kernel;
	size_t group, global;
	double *times;
} form;

static void usage(void)
{
	fprintf(stderr, "usage: cl_triad PLATFORM ELEMENTS REPETITIONS SOURCE:KERNEL:GROUP:PER-ITEM...\n");
	exit(4);
}

static form make_form(cl_context context, cl_device_id device, const char *words, size_t elements,
                      size_t repetitions)
{
	char path[4096], name[64];
	size_t group, per_item;
	form f = { .times = calloc(repetitions, sizeof(double)) };
	char *text;
	cl_int code;

	if (sscanf(words, "%4095[^:]:%63[^:]:%zu:%zu", path, name, &group, &per_item) != 4 || per_item == 0)
		usage();
	text = read_file(path);
	f.program = clCreateProgramWithSource(context, 1, (const char **)&text, NULL, &code);
	must(code, "clCreateProgramWithSource");
	must(clBuildProgram(f.program, 1, &device, "-cl-std=CL1.2", NULL, NULL), "clBuildProgram");
	f.kernel = clCreateKernel(f.program, name, &code);
	must(code, "clCreateKernel");
	f.group = group;
	f.global = elements / per_item;
	free(text);
	return f;
}

static void set_arguments(const form *f, cl_mem buffers[3])
{
	const float s = 0.4f;

	for (cl_uint i = 0; i < 3; i++)
		must(clSetKernelArg(f->kernel, i, sizeof(cl_mem), &buffers[i]), "clSetKernelArg");
	must(clSetKernelArg(f->kernel, 3, sizeof(s), &s), "clSetKernelArg");
}

static double launch(cl_command_queue queue, const form *f)
{
	cl_event event;
	const double start = now();
	double time;

	must(clEnqueueNDRangeKernel(queue, f->kernel, 1, NULL, &f->global, f->group > 0 ? &f->group : NULL,
	                            0, NULL, &event), "clEnqueueNDRangeKernel");
	must(clWaitForEvents(1, &event), "clWaitForEvents");
	time = now() - start;
	clReleaseEvent(event);
	return time;
}

static cl_mem make_buffer(cl_context context, cl_command_queue queue, size_t n, const float *data)
{
	cl_int code;
	cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, n * sizeof(float), NULL, &code);

	must(code, "clCreateBuffer");
	must(clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, n * sizeof(float), data, 0, NULL, NULL),
	     "clEnqueueWriteBuffer");
	return buffer;
}

/* The outputs of one launch on a cleared buffer. */
static void check(cl_command_queue queue, const form *f, cl_mem out, size_t n, float *data)
{
	memset(data, 0, n * sizeof(float));
	must(clEnqueueWriteBuffer(queue, out, CL_TRUE, 0, n * sizeof(float), data, 0, NULL, NULL),
	     "clEnqueueWriteBuffer");
	launch(queue, f);
	must(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, n * sizeof(float), data, 0, NULL, NULL),
	     "clEnqueueReadBuffer");
	for (size_t i = 0; i < n; i++) {
		const float b = (float)(i % 1013) / 1013;

		if (!(data[i] >= b + 0.4f * b - 1e-6f && data[i] <= b + 0.4f * b + 1e-6f)) {
			fprintf(stderr, "cl_triad: wrong result at %zu\n", i);
			exit(1);
		}
	}
}

int main(int argc, char **argv)
{
	enum { MOST_FORMS = 32 };
	form forms[MOST_FORMS];
	cl_int code;

	if (argc < 5 || argc - 4 > MOST_FORMS)
		usage();
	const size_t n = (size_t)atoll(argv[2]), repetitions = (size_t)atoll(argv[3]);
	const size_t count = (size_t)argc - 4;
	cl_device_id device = find_device(argv[1]);
	cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
	must(code, "clCreateContext");
	cl_command_queue queue = clCreateCommandQueue(context, device, 0, &code);
	must(code, "clCreateCommandQueue");
	float *data = calloc(n, sizeof(float));
	cl_mem buffers[3];
	if (data == NULL)
		return 5;
	for (size_t i = 0; i < n; i++)
		data[i] = (float)(i % 1013) / 1013;
	for (int i = 0; i < 3; i++)
		buffers[i] = make_buffer(context, queue, n, data);
	for (size_t i = 0; i < count; i++) {
		forms[i] = make_form(context, device, argv[4 + i], n, repetitions);
		set_arguments(&forms[i], buffers);
		check(queue, &forms[i], buffers[0], n, data);
	}
	for (size_t r = 0; r < repetitions; r++)
		for (size_t i = 0; i < count; i++)
			forms[i].times[r] = launch(queue, &forms[i]);
	for (size_t i = 0; i < count; i++) {
		qsort(forms[i].times, repetitions, sizeof(double), ascending);
		printf("%.0f\n", forms[i].times[repetitions / 2]);
	}
	return 0;
}
