/* SPDX-License-Identifier: Apache-2.0 */
/* Running kernels: the SPIR-V is translated back to bitcode, which PoCL takes as a binary. */
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tze_state.h"

#define FUNCTIONS(X) \
	X(clGetPlatformIDs) X(clGetPlatformInfo) X(clGetDeviceIDs) X(clCreateContext) \
	X(clCreateCommandQueueWithProperties) X(clCreateProgramWithBinary) X(clBuildProgram) \
	X(clGetProgramBuildInfo) X(clReleaseProgram) X(clCreateKernel) X(clReleaseKernel) \
	X(clSetKernelArg) X(clSetKernelArgSVMPointer) X(clEnqueueNDRangeKernel) X(clFinish)

static struct {
	bool tried;
	cl_device_id device;
	cl_context context;
	cl_command_queue queue;
#define FIELD(name) __typeof__(&name) name;
	FUNCTIONS(FIELD)
#undef FIELD
} cl;

static bool find_functions(void *library)
{
	void *found;

#define FIND(name) \
	found = dlsym(library, #name); \
	if (found == NULL) \
		return false; \
	memcpy(&cl.name, &found, sizeof(found));
	FUNCTIONS(FIND)
#undef FIND
	return true;
}

/* Opens PoCL at the first module; false when it is not there. */
static bool start(void)
{
	cl_platform_id platforms[16];
	cl_uint count = 0;
	char name[128];
	void *library;

	if (cl.tried)
		return cl.queue != NULL;
	cl.tried = true;
	library = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
	if (library == NULL || !find_functions(library) ||
	    cl.clGetPlatformIDs(16, platforms, &count) != CL_SUCCESS)
		return false;
	for (cl_uint i = 0; i < count && i < 16; i++) {
		cl_int code = CL_SUCCESS;

		if (cl.clGetPlatformInfo(platforms[i], CL_PLATFORM_NAME, sizeof(name), name, NULL) !=
		        CL_SUCCESS || strstr(name, "Portable Computing Language") == NULL ||
		    cl.clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_CPU, 1, &cl.device, NULL) != CL_SUCCESS)
			continue;
		cl.context = cl.clCreateContext(NULL, 1, &cl.device, NULL, NULL, &code);
		if (code == CL_SUCCESS)
			cl.queue = cl.clCreateCommandQueueWithProperties(cl.context, cl.device, NULL, &code);
		return code == CL_SUCCESS && cl.queue != NULL;
	}
	return false;
}

/* The translator of the LLVM that made the SPIR-V. */
static const char *translator(void)
{
	const char *name = getenv("EVENHAND_TEST_TRANSLATOR");

	return name != NULL ? name : "llvm-spirv";
}

/* Runs the translator; false when it refuses. */
static bool translate(const char *from, const char *to)
{
	const char *name = translator();
	int status = 0;
	const pid_t child = fork();

	if (child == 0) {
		(void)execlp(name, name, "-r", from, "-o", to, (char *)NULL);
		_exit(127);
	}
	return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) &&
	       WEXITSTATUS(status) == 0;
}

static unsigned char *read_file(const char *path, size_t *size)
{
	struct stat about;
	unsigned char *bytes = NULL;
	FILE *f = fopen(path, "re");

	if (f == NULL)
		return NULL;
	if (fstat(fileno(f), &about) == 0 && about.st_size > 0) {
		*size = (size_t)about.st_size;
		bytes = tze_new(*size);
		if (fread(bytes, 1, *size, f) != *size) {
			free(bytes);
			bytes = NULL;
		}
	}
	(void)fclose(f);
	return bytes;
}

static unsigned char *bitcode_of(const void *spirv, size_t size, size_t *bitcode_size)
{
	char from[] = "/tmp/evenhand-tze-XXXXXX", to[sizeof(from) + 4];
	unsigned char *bitcode = NULL;
	const int fd = mkstemp(from);

	if (fd < 0)
		return NULL;
	snprintf(to, sizeof(to), "%s.bc", from);
	if (write(fd, spirv, size) == (ssize_t)size && close(fd) == 0 && translate(from, to))
		bitcode = read_file(to, bitcode_size);
	(void)unlink(from);
	(void)unlink(to);
	return bitcode;
}

void *tze_pocl_build(const void *spirv, size_t size, char **log)
{
	size_t bitcode_size = 0, log_size = 0;
	unsigned char *bitcode;
	const unsigned char *one;
	cl_program program;
	cl_int status = CL_SUCCESS, code = CL_SUCCESS;

	if (!start()) {
		*log = strdup("the test driver finds no PoCL to run kernels with\n");
		return NULL;
	}
	bitcode = bitcode_of(spirv, size, &bitcode_size);
	if (bitcode == NULL) {
		if (asprintf(log, "%s does not translate this SPIR-V, or is not installed\n", translator()) < 0)
			*log = NULL;
		return NULL;
	}
	one = bitcode;
	program = cl.clCreateProgramWithBinary(cl.context, 1, &cl.device, &bitcode_size, &one, &status,
	                                       &code);
	free(bitcode);
	if (code != CL_SUCCESS)
		return NULL;
	code = cl.clBuildProgram(program, 1, &cl.device, "-x spir -spir-std=1.2", NULL, NULL);
	if (cl.clGetProgramBuildInfo(program, cl.device, CL_PROGRAM_BUILD_LOG, 0, NULL, &log_size) ==
	        CL_SUCCESS && log_size > 0) {
		*log = tze_new(log_size + 1);
		(void)cl.clGetProgramBuildInfo(program, cl.device, CL_PROGRAM_BUILD_LOG, log_size, *log,
		                               NULL);
	}
	if (code == CL_SUCCESS)
		return program;
	(void)cl.clReleaseProgram(program);
	return NULL;
}

void tze_pocl_free(void *program)
{
	(void)cl.clReleaseProgram(program);
}

void *tze_pocl_kernel(void *program, const char *name)
{
	cl_int code = CL_SUCCESS;
	cl_kernel kernel = cl.clCreateKernel(program, name, &code);

	return code == CL_SUCCESS ? kernel : NULL;
}

void tze_pocl_free_kernel(void *kernel)
{
	(void)cl.clReleaseKernel(kernel);
}

bool tze_pocl_run(const tze_command *c, void *const views[TZE_MOST_ARGUMENTS])
{
	size_t global[3], local[3];

	for (uint32_t i = 0; i < c->kernel->count; i++) {
		const tze_argument *a = &c->arguments[i];
		const cl_int code = a->pointer && !a->local
			? cl.clSetKernelArgSVMPointer(c->kernel->cl, i, views[i])
			: cl.clSetKernelArg(c->kernel->cl, i, a->size, a->local ? NULL : a->value);

		if (code != CL_SUCCESS)
			return false;
	}
	for (int i = 0; i < 3; i++) {
		local[i] = c->group[i];
		global[i] = (size_t)c->groups[i] * c->group[i];
	}
	return cl.clEnqueueNDRangeKernel(cl.queue, c->kernel->cl, 3, NULL, global, local, 0, NULL,
	                                 NULL) == CL_SUCCESS && cl.clFinish(cl.queue) == CL_SUCCESS;
}
