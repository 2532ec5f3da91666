/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The peer of stream's triad on OpenCL: the same kernel text, launched by the least C that does
 * it.  Prints "median_ns best_ns" of one triad by the host clock, from before the enqueue to the
 * completion of the kernel's own event.
 * usage: cl_triad SOURCE.cl KERNEL PLATFORM-SUBSTRING ELEMENTS GROUP-SIZE ELEMENTS-PER-GROUP REPETITIONS
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

int main(int argc, char **argv)
{
	cl_int code;
	if (argc != 8) {
		fprintf(stderr, "usage: cl_triad SOURCE.cl KERNEL PLATFORM ELEMENTS GROUP PER-GROUP REPETITIONS\n");
		return 4;
	}
	const char *text = read_file(argv[1]);
	const size_t n = (size_t)atoll(argv[4]), group = (size_t)atoll(argv[5]);
	const size_t per_group = (size_t)atoll(argv[6]);
	const int repetitions = atoi(argv[7]);
	cl_device_id device = find_device(argv[3]);
	cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
	must(code, "clCreateContext");
	cl_command_queue queue = clCreateCommandQueue(context, device, 0, &code);
	must(code, "clCreateCommandQueue");
	cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &code);
	must(code, "clCreateProgramWithSource");
	must(clBuildProgram(program, 1, &device, "-cl-std=CL1.2", NULL, NULL), "clBuildProgram");
	cl_kernel kernel = clCreateKernel(program, argv[2], &code);
	must(code, "clCreateKernel");

	float *data = calloc(n, sizeof(float));
	double *times = calloc((size_t)repetitions, sizeof(*times));
	cl_mem buffer[3];
	if (data == NULL || times == NULL)
		return 5;
	for (size_t i = 0; i < n; i++)
		data[i] = (float)(i % 1013) / 1013;
	for (int i = 0; i < 3; i++) {
		buffer[i] = clCreateBuffer(context, CL_MEM_READ_WRITE, n * sizeof(float), NULL, &code);
		must(code, "clCreateBuffer");
		must(clEnqueueWriteBuffer(queue, buffer[i], CL_TRUE, 0, n * sizeof(float), data, 0, NULL, NULL),
		     "clEnqueueWriteBuffer");
		must(clSetKernelArg(kernel, (cl_uint)i, sizeof(cl_mem), &buffer[i]), "clSetKernelArg");
	}
	const float s = 0.4f;
	must(clSetKernelArg(kernel, 3, sizeof(s), &s), "clSetKernelArg");
	const size_t global = n / per_group * group;
	for (int r = -3; r < repetitions; r++) {
		cl_event event;
		const double start = now();
		must(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &group, 0, NULL, &event),
		     "clEnqueueNDRangeKernel");
		must(clWaitForEvents(1, &event), "clWaitForEvents");
		if (r >= 0)
			times[r] = now() - start;
		clReleaseEvent(event);
	}
	must(clEnqueueReadBuffer(queue, buffer[0], CL_TRUE, 0, n * sizeof(float), data, 0, NULL, NULL),
	     "clEnqueueReadBuffer");
	for (size_t i = 0; i < n; i += 4099) {
		const float b = (float)(i % 1013) / 1013;
		if (data[i] < b + s * b - 1e-6f || data[i] > b + s * b + 1e-6f) {
			fprintf(stderr, "cl_triad: wrong result at %zu\n", i);
			return 1;
		}
	}
	qsort(times, (size_t)repetitions, sizeof(*times), ascending);
	printf("%.0f %.0f\n", times[repetitions / 2], times[0]);
	return 0;
}
