/* SPDX-License-Identifier: Apache-2.0 */
/* Code objects: what the test hiprtc made, an ELF file for this machine. */
#include <dlfcn.h>
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "thip_state.h"

/* The API tells no size: the file ends with its section headers. */
static size_t size_of(const void *image)
{
	Elf64_Ehdr head;

	memcpy(&head, image, sizeof(head));
	if (memcmp(head.e_ident, ELFMAG, SELFMAG) != 0)
		return 0;
	return head.e_shoff + (size_t)head.e_shnum * head.e_shentsize;
}

static bool write_all(int fd, const char *data, size_t size)
{
	while (size > 0) {
		const ssize_t done = write(fd, data, size);

		if (done <= 0)
			return false;
		data += done;
		size -= (size_t)done;
	}
	return true;
}

/* Each load is a file of its own, so that two modules of one image share nothing; it stays open as
 * *file, for the loader takes files of one name for one. */
static void *load(const void *image, size_t size, int *file)
{
	const int fd = memfd_create("kernels", MFD_CLOEXEC);
	void *object = NULL;
	char path[64];

	if (fd < 0)
		return NULL;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (write_all(fd, image, size))
		object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	*file = fd;
	if (object == NULL)
		(void)close(fd);
	return object;
}

THIP_API hipModuleLoadData(hipModule_t *out, const void *image)
{
	const struct emu_kernels *inside = NULL;
	thip_module *module;
	size_t size;
	void *object;
	int file = -1;
	THIP_ENTER_DEVICE("hipModuleLoadData");

	(void)device;
	size = size_of(image);
	if (size == 0)
		return hipErrorInvalidImage;
	object = load(image, size, &file);
	if (object != NULL)
		inside = dlsym(object, "evenhand_test_kernels");
	/* A real one, for the real hardware. */
	if (inside == NULL) {
		if (object != NULL) {
			(void)dlclose(object);
			(void)close(file);
		}
		return hipErrorNoBinaryForGpu;
	}
	module = calloc(1, sizeof(*module));
	if (module == NULL)
		abort();
	module->holds = 1;
	module->object = object;
	module->file = file;
	module->inside = inside;
	module->functions = calloc(inside->count + 1, sizeof(*module->functions));
	if (module->functions == NULL)
		abort();
	for (unsigned i = 0; i < inside->count; i++)
		module->functions[i] = (thip_function){ module, &inside->list[i] };
	driver_note(DRIVER_MODULE, module);
	*out = (hipModule_t)(void *)module;
	return hipSuccess;
}

void thip_module_release(thip_module *module)
{
	if (--module->holds > 0)
		return;
	(void)dlclose(module->object);
	(void)close(module->file);
	free(module->functions);
	free(module);
}

THIP_API hipModuleUnload(hipModule_t module)
{
	THIP_ENTER("hipModuleUnload");

	if (!driver_known(DRIVER_MODULE, module))
		return hipErrorInvalidValue;
	driver_forget(DRIVER_MODULE, module);
	thip_module_release((thip_module *)(void *)module);
	return hipSuccess;
}

THIP_API hipModuleGetFunction(hipFunction_t *out, hipModule_t handle, const char *name)
{
	const thip_module *module = (const thip_module *)(const void *)handle;
	THIP_ENTER_DEVICE("hipModuleGetFunction");

	(void)device;
	if (!driver_known(DRIVER_MODULE, module))
		return hipErrorInvalidHandle;
	for (unsigned i = 0; i < module->inside->count; i++)
		if (strcmp(module->inside->list[i].name, name) == 0) {
			*out = (hipFunction_t)(void *)&module->functions[i];
			return hipSuccess;
		}
	return hipErrorNotFound;
}

THIP_API hipFuncGetAttribute(int *value, hipFunction_attribute attribute, hipFunction_t handle)
{
	const thip_function *function = (const thip_function *)(const void *)handle;
	THIP_ENTER_DEVICE("hipFuncGetAttribute");

	(void)device;
	switch (attribute) {
	case HIP_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
		*value = (int)function->kernel->most_items;
		return hipSuccess;
	case HIP_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
		*value = (int)(function->module->inside->shared_end - function->module->inside->shared);
		return hipSuccess;
	case HIP_FUNC_ATTRIBUTE_NUM_REGS:
		*value = 32;
		return hipSuccess;
	case HIP_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:
		*value = 0;
		return hipSuccess;
	default:
		return hipErrorInvalidValue;
	}
}

THIP_API hipModuleLaunchKernel(hipFunction_t function, unsigned gx, unsigned gy, unsigned gz,
                               unsigned bx, unsigned by, unsigned bz, unsigned shared,
                               hipStream_t handle, void **parameters, void **extra)
{
	streams_stream *stream;
	THIP_ENTER_DEVICE("hipModuleLaunchKernel");

	stream = thip_stream_of(device, handle);
	if (stream == NULL)
		return hipErrorInvalidHandle;
	if (extra != NULL || function == NULL)
		return hipErrorInvalidValue;
	return thip_launch(device, (thip_function *)(void *)function, (unsigned[]){ gx, gy, gz },
	                   (unsigned[]){ bx, by, bz }, shared, stream, parameters);
}
