/* SPDX-License-Identifier: Apache-2.0 */
/* Modules and kernels.  What a kernel takes is read from the SPIR-V itself. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../shared/faults.h"
#include "tze_state.h"

#define MAGIC UINT32_C(0x07230203)

/* The instructions that matter, and what their words mean, as the SPIR-V specification numbers
 * them. */
enum {
	OP_ENTRY_POINT = 15,     /* model, function, name                                      */
	OP_EXECUTION_MODE = 16,  /* function, mode, values                                     */
	OP_TYPE_POINTER = 32,    /* id, storage class, type                                    */
	OP_TYPE_FUNCTION = 33,   /* id, result, parameters                                     */
	OP_FUNCTION = 54,        /* result, id, control, type                                  */
	MODE_LOCAL_SIZE = 17,
	STORAGE_WORKGROUP = 4,
	HEADER_WORDS = 5
};

typedef struct tze_module {
	void *program;
	uint32_t *words;
	size_t count;
	unsigned kernels;
} tze_module;

TZE_FUNCTION(ModuleCreate,
             (ze_context_handle_t context, ze_device_handle_t device, const ze_module_desc_t *desc,
              ze_module_handle_t *out, ze_module_build_log_handle_t *log),
             (context, device, desc, out, log))
{
	char *text = NULL;
	tze_module *m;
	uint32_t magic = 0;

	(void)context;
	(void)device;
	if (log != NULL)
		*log = NULL;
	if (desc->inputSize >= HEADER_WORDS * 4)
		memcpy(&magic, desc->pInputModule, sizeof(magic));
	if (desc->format != ZE_MODULE_FORMAT_IL_SPIRV || magic != MAGIC || desc->inputSize % 4 != 0)
		return ZE_RESULT_ERROR_INVALID_NATIVE_BINARY;
	m = tze_new(sizeof(*m));
	m->program = tze_pocl_build(desc->pInputModule, desc->inputSize, &text);
	if (log != NULL) {
		*log = (ze_module_build_log_handle_t)(text != NULL ? text : tze_new(1));
		tze_live("build logs", 1);
	} else {
		free(text);
	}
	if (m->program == NULL) {
		free(m);
		return ZE_RESULT_ERROR_MODULE_BUILD_FAILURE;
	}
	m->count = desc->inputSize / 4;
	m->words = tze_new(desc->inputSize);
	memcpy(m->words, desc->pInputModule, desc->inputSize);
	*out = (ze_module_handle_t)m;
	tze_live("modules", 1);
	return ZE_RESULT_SUCCESS;
}

TZE_FUNCTION(ModuleDestroy, (ze_module_handle_t handle), (handle))
{
	tze_module *m = (tze_module *)handle;

	if (m->kernels > 0)
		return ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE;
	tze_pocl_free(m->program);
	free(m->words);
	free(m);
	tze_live("modules", -1);
	return ZE_RESULT_SUCCESS;
}

/* A binary that nothing can be done with but to take its digest. */
TZE_FUNCTION(ModuleGetNativeBinary, (ze_module_handle_t handle, size_t *size, uint8_t *binary),
             (handle, size, binary))
{
	const tze_module *m = (const tze_module *)handle;

	if (binary != NULL)
		for (size_t i = 0; i < *size && i < m->count * 4; i++)
			binary[i] = (uint8_t)(((const uint8_t *)m->words)[i] ^ 0xff);
	*size = m->count * 4;
	return ZE_RESULT_SUCCESS;
}

TZE_FUNCTION(ModuleBuildLogGetString,
             (ze_module_build_log_handle_t log, size_t *size, char *text), (log, size, text))
{
	const char *said = (const char *)log;

	if (text != NULL && *size > 0)
		snprintf(text, *size, "%s", said);
	*size = strlen(said) + 1;
	return ZE_RESULT_SUCCESS;
}

TZE_FUNCTION(ModuleBuildLogDestroy, (ze_module_build_log_handle_t log), (log))
{
	free(log);
	tze_live("build logs", -1);
	return ZE_RESULT_SUCCESS;
}

/* ---- reading the SPIR-V ---- */

/* The next instruction of this kind behind *place, or NULL. */
static const uint32_t *next_of(const tze_module *m, uint32_t op, size_t *place)
{
	while (*place < m->count) {
		const uint32_t *w = m->words + *place;
		const uint32_t length = w[0] >> 16;

		if (length == 0 || length > m->count - *place)
			return NULL;
		*place += length;
		if ((w[0] & 0xffff) == op)
			return w;
	}
	return NULL;
}

static uint32_t function_of(const tze_module *m, const char *name)
{
	size_t place = HEADER_WORDS;

	for (const uint32_t *w; (w = next_of(m, OP_ENTRY_POINT, &place)) != NULL;)
		if (strncmp((const char *)(w + 3), name, ((w[0] >> 16) - 3) * (size_t)4) == 0)
			return w[2];
	return 0;
}

static void read_group(const tze_module *m, uint32_t function, tze_kernel *k)
{
	size_t place = HEADER_WORDS;

	for (const uint32_t *w; (w = next_of(m, OP_EXECUTION_MODE, &place)) != NULL;)
		if (w[1] == function && w[2] == MODE_LOCAL_SIZE)
			memcpy(k->required, w + 3, sizeof(k->required));
}

static void read_parameter(const tze_module *m, uint32_t type, tze_argument *a)
{
	size_t place = HEADER_WORDS;

	for (const uint32_t *w; (w = next_of(m, OP_TYPE_POINTER, &place)) != NULL;)
		if (w[1] == type) {
			a->pointer = true;
			a->local = w[2] == STORAGE_WORKGROUP;
		}
}

static bool read_parameters(const tze_module *m, uint32_t function, tze_kernel *k)
{
	size_t place = HEADER_WORDS;
	uint32_t type = 0;
	const uint32_t *w;

	while ((w = next_of(m, OP_FUNCTION, &place)) != NULL)
		if (w[2] == function)
			type = w[4];
	place = HEADER_WORDS;
	while ((w = next_of(m, OP_TYPE_FUNCTION, &place)) != NULL)
		if (w[1] == type) {
			k->count = (w[0] >> 16) - 3;
			if (k->count > TZE_MOST_ARGUMENTS)
				return false;
			for (uint32_t i = 0; i < k->count; i++)
				read_parameter(m, w[3 + i], &k->arguments[i]);
			return true;
		}
	return false;
}

/* ---- kernels ---- */

TZE_FUNCTION(KernelCreate,
             (ze_module_handle_t handle, const ze_kernel_desc_t *desc, ze_kernel_handle_t *out),
             (handle, desc, out))
{
	tze_module *m = (tze_module *)handle;
	const uint32_t function = function_of(m, desc->pKernelName);
	tze_kernel *k;

	if (function == 0)
		return ZE_RESULT_ERROR_INVALID_KERNEL_NAME;
	k = tze_new(sizeof(*k));
	k->module = m;
	k->cl = tze_pocl_kernel(m->program, desc->pKernelName);
	read_group(m, function, k);
	if (k->cl == NULL || !read_parameters(m, function, k)) {
		free(k);
		return ZE_RESULT_ERROR_UNKNOWN;
	}
	m->kernels++;
	*out = (ze_kernel_handle_t)k;
	tze_live("kernels", 1);
	return ZE_RESULT_SUCCESS;
}

TZE_FUNCTION(KernelDestroy, (ze_kernel_handle_t handle), (handle))
{
	tze_kernel *k = (tze_kernel *)handle;

	tze_pocl_free_kernel(k->cl);
	k->module->kernels--;
	free(k);
	tze_live("kernels", -1);
	return ZE_RESULT_SUCCESS;
}

TZE_FUNCTION(KernelGetProperties, (ze_kernel_handle_t handle, ze_kernel_properties_t *p),
             (handle, p))
{
	const tze_kernel *k = (const tze_kernel *)handle;

	p->numKernelArgs = k->count;
	p->requiredGroupSizeX = k->required[0];
	p->requiredGroupSizeY = k->required[1];
	p->requiredGroupSizeZ = k->required[2];
	p->maxSubgroupSize = 16;
	p->maxNumSubgroups = 64;
	p->localMemSize = 0;
	p->privateMemSize = 128;
	p->spillMemSize = 0;
	return ZE_RESULT_SUCCESS;
}

TZE_FUNCTION(KernelSetGroupSize, (ze_kernel_handle_t handle, uint32_t x, uint32_t y, uint32_t z),
             (handle, x, y, z))
{
	tze_kernel *k = (tze_kernel *)handle;
	const uint32_t wanted[3] = { x, y, z };

	if ((uint64_t)x * y * z == 0 || (uint64_t)x * y * z > 1024 ||
	    (k->required[0] != 0 && memcmp(wanted, k->required, sizeof(wanted)) != 0))
		return ZE_RESULT_ERROR_INVALID_GROUP_SIZE_DIMENSION;
	memcpy(k->group, wanted, sizeof(wanted));
	return ZE_RESULT_SUCCESS;
}

TZE_FUNCTION(KernelSetArgumentValue,
             (ze_kernel_handle_t handle, uint32_t index, size_t size, const void *value),
             (handle, index, size, value))
{
	tze_kernel *k = (tze_kernel *)handle;
	tze_argument *a = index < k->count ? &k->arguments[index] : NULL;

	if (a == NULL)
		return ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_INDEX;
	if (size > sizeof(a->value) || (a->pointer && size != sizeof(void *)))
		return ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_SIZE;
	if (value == NULL)
		memset(a->value, 0, sizeof(a->value));
	else
		memcpy(a->value, value, size);
	a->size = size;
	a->set = true;
	k->given |= UINT32_C(1) << index;
	return ZE_RESULT_SUCCESS;
}

/* ---- tables ---- */

TZE_TABLE(zeGetModuleProcAddrTable, ze_module_dditable_t)
{
	(void)version;
	t->pfnCreate = tze_ModuleCreate;
	t->pfnDestroy = tze_ModuleDestroy;
	t->pfnGetNativeBinary = tze_ModuleGetNativeBinary;
	return ZE_RESULT_SUCCESS;
}

TZE_TABLE(zeGetModuleBuildLogProcAddrTable, ze_module_build_log_dditable_t)
{
	(void)version;
	t->pfnDestroy = tze_ModuleBuildLogDestroy;
	t->pfnGetString = tze_ModuleBuildLogGetString;
	return ZE_RESULT_SUCCESS;
}

TZE_TABLE(zeGetKernelProcAddrTable, ze_kernel_dditable_t)
{
	(void)version;
	t->pfnCreate = tze_KernelCreate;
	t->pfnDestroy = tze_KernelDestroy;
	t->pfnGetProperties = tze_KernelGetProperties;
	t->pfnSetGroupSize = tze_KernelSetGroupSize;
	t->pfnSetArgumentValue = tze_KernelSetArgumentValue;
	return ZE_RESULT_SUCCESS;
}
