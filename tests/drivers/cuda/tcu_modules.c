/* SPDX-License-Identifier: Apache-2.0 */
/* Modules and functions.  PTX is translated; machine code of a real device is refused with the code
 * that a driver gives for the wrong device, which is what a test device is. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tcu_state.h"

enum { MEMORY = 1 << 30, THREADS_MOST = 1024, PTX_NEWEST = 90 };

typedef struct logs {
	char *error, *info;
	size_t error_size, info_size;
} logs;

/* A size is passed as the pointer's own value. */
static logs logs_of(unsigned count, const CUjit_option *options, void **values)
{
	logs l = { 0 };

	for (unsigned i = 0; i < count; i++) {
		if (options[i] == CU_JIT_ERROR_LOG_BUFFER)
			l.error = values[i];
		else if (options[i] == CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES)
			l.error_size = (size_t)(uintptr_t)values[i];
		else if (options[i] == CU_JIT_INFO_LOG_BUFFER)
			l.info = values[i];
		else if (options[i] == CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES)
			l.info_size = (size_t)(uintptr_t)values[i];
	}
	return l;
}

void tcu_module_release(tcu_module *module)
{
	if (--module->holds > 0)
		return;
	for (size_t i = 0; module->variables != NULL && i < module->ptx.variable_count; i++)
		(void)devmem_release(module->variables[i]);
	if (module->object != NULL)
		(void)dlclose(module->object);
	ptx_module_free(&module->ptx);
	free(module->variables);
	free(module->functions);
	free(module);
}

static void *zeros(size_t count, size_t size)
{
	void *memory = calloc(count + 1, size);

	if (memory == NULL)
		abort();
	return memory;
}

static CUresult place_variables(tcu_module *module)
{
	const ptx_module *p = &module->ptx;

	module->variables = zeros(p->variable_count, sizeof(*module->variables));
	for (size_t i = 0; i < p->variable_count; i++) {
		const ptx_variable *v = &p->variables[i];
		char *at;

		module->variables[i] = devmem_allocate(module->device, DEVMEM_OWN, v->bytes,
		                                       faults_memory(MEMORY));
		if (module->variables[i] == 0)
			return CUDA_ERROR_OUT_OF_MEMORY;
		at = devmem_view(module->variables[i], v->bytes);
		memset(at, 0, v->bytes);
		if (v->data != NULL)
			memcpy(at, v->data, v->bytes);
	}
	return CUDA_SUCCESS;
}

static bool find_functions(tcu_module *module)
{
	const ptx_module *p = &module->ptx;
	char name[48];

	module->functions = zeros(p->kernel_count, sizeof(*module->functions));
	for (size_t i = 0; i < p->kernel_count; i++) {
		void *run;

		snprintf(name, sizeof(name), "ptx_run_%zu", i);
		run = dlsym(module->object, name);
		if (run == NULL)
			return false;
		module->functions[i].module = module;
		module->functions[i].kernel = &p->kernels[i];
		module->functions[i].dynamic_limit = TCU_SHARED - p->kernels[i].shared_bytes;
		memcpy(&module->functions[i].run, &run, sizeof(run));
	}
	return true;
}

static CUresult accept(const tcu_device *device, const char *text, const char **why)
{
	const char *version = strstr(text, ".version"), *target = strstr(text, ".target");
	unsigned major = 0, minor = 0, sm = 0;

	*why = "";
	if (version == NULL || target == NULL ||
	    sscanf(version, ".version %u.%u", &major, &minor) != 2 ||
	    sscanf(target, ".target sm_%u", &sm) != 1) {
		*why = "the image is neither PTX nor code for a TEST device";
		return CUDA_ERROR_INVALID_IMAGE;
	}
	if (major * 10 + minor > PTX_NEWEST) {
		*why = "the version of the PTX is newer than the driver";
		return CUDA_ERROR_UNSUPPORTED_PTX_VERSION;
	}
	if ((int)sm > device->compute) {
		*why = "the PTX is for a newer device";
		return CUDA_ERROR_INVALID_PTX;
	}
	return CUDA_SUCCESS;
}

/* False, with the words of NVIDIA's assembler, when a kernel has more static memory than there is. */
static bool is_within_shared(const ptx_module *p, char *why, size_t size)
{
	for (size_t i = 0; i < p->kernel_count; i++)
		if (p->kernels[i].shared_bytes > TCU_SHARED) {
			snprintf(why, size, "Entry function '%s' uses too much shared data (0x%x bytes, 0x%x max)",
			         p->kernels[i].name, (unsigned)p->kernels[i].shared_bytes, TCU_SHARED);
			return false;
		}
	return true;
}

static CUresult load(tcu_device *device, const char *image, CUmodule *out, char *why, size_t size)
{
	tcu_module *module;
	const char *said = "";
	CUresult rc;
	char *c = NULL;

	/* ELF, and the wrapper of several images. */
	if (memcmp(image, "\177ELF", 4) == 0 || memcmp(image, "\x50\xed\x55\xba", 4) == 0) {
		snprintf(why, size, "a TEST device runs PTX only");
		return CUDA_ERROR_NO_BINARY_FOR_GPU;
	}
	rc = accept(device, image, &said);
	if (rc != CUDA_SUCCESS) {
		snprintf(why, size, "%s", said);
		return rc;
	}
	module = zeros(1, sizeof(*module));
	module->holds = 1;
	module->device = device->index;
	if (!ptx_translate(image, &c, &module->ptx, why, size)) {
		free(module);
		return CUDA_ERROR_INVALID_PTX;
	}
	if (is_within_shared(&module->ptx, why, size))
		module->object = tcu_compile(c, why, size);
	free(c);
	rc = module->object == NULL || !find_functions(module) ? CUDA_ERROR_INVALID_PTX
	                                                       : place_variables(module);
	if (rc != CUDA_SUCCESS) {
		tcu_module_release(module);
		return rc;
	}
	driver_note(DRIVER_MODULE, module);
	*out = (CUmodule)module;
	return CUDA_SUCCESS;
}

TCU_API cuModuleLoadDataEx(CUmodule *out, const void *image, unsigned count, CUjit_option *options,
                           void **values)
{
	logs l;
	char why[600] = "";
	CUresult rc;
	TCU_ENTER_CONTEXT("cuModuleLoadDataEx");

	l = logs_of(count, options, values);
	rc = load(device, image, out, why, sizeof(why));
	if (l.error != NULL && l.error_size > 0)
		snprintf(l.error, l.error_size, "%s%s", why[0] != '\0' ? "error: " : "", why);
	if (l.info != NULL && l.info_size > 0)
		l.info[0] = '\0';
	return rc;
}

TCU_API cuModuleLoadData(CUmodule *out, const void *image)
{
	char why[600] = "";
	TCU_ENTER_CONTEXT("cuModuleLoadData");

	return load(device, image, out, why, sizeof(why));
}

TCU_API cuModuleUnload(CUmodule module)
{
	TCU_ENTER("cuModuleUnload");

	if (!driver_known(DRIVER_MODULE, module))
		return CUDA_ERROR_INVALID_HANDLE;
	driver_forget(DRIVER_MODULE, module);
	tcu_module_release((tcu_module *)module);
	return CUDA_SUCCESS;
}

TCU_API cuModuleGetFunction(CUfunction *out, CUmodule handle, const char *name)
{
	tcu_module *module = (tcu_module *)handle;
	TCU_ENTER_CONTEXT("cuModuleGetFunction");

	(void)device;
	if (!driver_known(DRIVER_MODULE, module))
		return CUDA_ERROR_INVALID_HANDLE;
	for (size_t i = 0; i < module->ptx.kernel_count; i++)
		if (strcmp(module->ptx.kernels[i].name, name) == 0) {
			*out = (CUfunction)&module->functions[i];
			return CUDA_SUCCESS;
		}
	return CUDA_ERROR_NOT_FOUND;
}

TCU_API cuModuleGetGlobal_v2(CUdeviceptr *address, size_t *bytes, CUmodule handle, const char *name)
{
	const tcu_module *module = (const tcu_module *)handle;
	TCU_ENTER_CONTEXT("cuModuleGetGlobal_v2");

	(void)device;
	if (!driver_known(DRIVER_MODULE, module))
		return CUDA_ERROR_INVALID_HANDLE;
	for (size_t i = 0; i < module->ptx.variable_count; i++)
		if (strcmp(module->ptx.variables[i].name, name) == 0) {
			if (address != NULL)
				*address = module->variables[i];
			if (bytes != NULL)
				*bytes = module->ptx.variables[i].bytes;
			return CUDA_SUCCESS;
		}
	return CUDA_ERROR_NOT_FOUND;
}

static bool is_function(const tcu_function *function)
{
	return function != NULL && driver_known(DRIVER_MODULE, function->module);
}

TCU_API cuFuncGetAttribute(int *value, CUfunction_attribute attribute, CUfunction handle)
{
	const tcu_function *function = (const tcu_function *)handle;
	const ptx_kernel *k;
	TCU_ENTER_CONTEXT("cuFuncGetAttribute");

	if (!is_function(function))
		return CUDA_ERROR_INVALID_HANDLE;
	k = function->kernel;
	*value = 0;
	if (attribute == CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK)
		*value = k->max_items != 0 ? (int)k->max_items : THREADS_MOST;
	else if (attribute == CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES)
		*value = (int)k->shared_bytes;
	else if (attribute == CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES)
		*value = (int)k->local_bytes;
	else if (attribute == CU_FUNC_ATTRIBUTE_NUM_REGS)
		*value = k->registers > 255 ? 255 : (int)k->registers;
	else if (attribute == CU_FUNC_ATTRIBUTE_PTX_VERSION ||
	         attribute == CU_FUNC_ATTRIBUTE_BINARY_VERSION)
		*value = device->compute;
	return CUDA_SUCCESS;
}

TCU_API cuFuncSetAttribute(CUfunction handle, CUfunction_attribute attribute, int value)
{
	tcu_function *function = (tcu_function *)handle;
	TCU_ENTER_CONTEXT("cuFuncSetAttribute");

	(void)device;
	if (!is_function(function))
		return CUDA_ERROR_INVALID_HANDLE;
	if (attribute != CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES)
		return CUDA_ERROR_NOT_SUPPORTED;
	if (value < 0 || (uint32_t)value > tcu_shared_most() - function->kernel->shared_bytes)
		return CUDA_ERROR_INVALID_VALUE;
	function->dynamic_limit = (uint32_t)value;
	return CUDA_SUCCESS;
}

TCU_API cuLaunchKernel(CUfunction handle, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                       unsigned by, unsigned bz, unsigned shared, CUstream queue,
                       void **parameters, void **extra)
{
	tcu_function *function = (tcu_function *)handle;
	const unsigned grid[3] = { gx, gy, gz }, block[3] = { bx, by, bz };
	streams_stream *stream;
	TCU_ENTER_CONTEXT("cuLaunchKernel");

	stream = tcu_stream_of(device, queue);
	if (stream == NULL || !is_function(function))
		return CUDA_ERROR_INVALID_HANDLE;
	if (extra != NULL)
		return CUDA_ERROR_NOT_SUPPORTED;
	if (function->module->device != device->index)
		return CUDA_ERROR_INVALID_CONTEXT;
	return tcu_launch(device, function, grid, block, shared, stream, parameters);
}

TCU_API cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, CUfunction handle, int size,
                                                    size_t shared)
{
	const tcu_function *function = (const tcu_function *)handle;
	size_t used, by_memory;
	int by_threads;
	TCU_ENTER_CONTEXT("cuOccupancyMaxActiveBlocksPerMultiprocessor");

	(void)device;
	if (!is_function(function) || size <= 0)
		return CUDA_ERROR_INVALID_VALUE;
	used = function->kernel->shared_bytes + shared;
	by_threads = 2 * THREADS_MOST / size;
	by_memory = used == 0 ? 32 : tcu_shared_most() / used;
	*blocks = by_threads < (int)by_memory ? by_threads : (int)by_memory;
	return CUDA_SUCCESS;
}
