/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels and their launch. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "cuda_state.h"

enum { MOST_ARGUMENTS = 20 };

/* How many parameters the PTX says that the kernel has; CHECKS_ANY_COUNT when it is not found.  The
 * driver tells that only from CUDA 12.4 on. */
static int64_t count_parameters(const char *ptx, const char *name)
{
	static const char entry[] = ".entry", parameter[] = ".param";
	const size_t length = strlen(name);

	for (const char *p = ptx; (p = strstr(p, entry)) != NULL;) {
		int64_t count = 0;
		const char *end;

		p += sizeof(entry) - 1;
		while (isspace((unsigned char)*p))
			p++;
		if (strncmp(p, name, length) != 0 || (p[length] != '(' && !isspace((unsigned char)p[length])))
			continue;
		p += length;
		while (isspace((unsigned char)*p))
			p++;
		if (*p != '(')
			return 0;
		end = strchr(p, ')');
		while ((p = strstr(p, parameter)) != NULL && end != NULL && p < end) {
			count++;
			p += sizeof(parameter) - 1;
		}
		return count;
	}
	return CHECKS_ANY_COUNT;
}

static eh_status ask(const eh_kernel *k, CUfunction_attribute attribute, uint32_t *out, eh_error *error)
{
	eh_device *d = k->program->device;
	int value = 0;
	const CUresult rc = d->api->function_attribute(&value, attribute, k->function);

	if (rc != CUDA_SUCCESS)
		return cuda_devices_failed(d, error, rc, "cuFuncGetAttribute",
		                           "Kernel %.60s does not tell what it takes", k->name);
	*out = value > 0 ? (uint32_t)value : 0;
	return EH_OK;
}

eh_status cuda_kernels_get(eh_program *p, const char *name, eh_kernel **out, eh_error *error)
{
	eh_device *d = p->device;
	CUfunction function = NULL;
	eh_kernel *k;
	CUresult rc;
	uint32_t items = 0;
	eh_status status;

	for (k = p->kernels; k != NULL; k = k->next)
		if (strcmp(k->name, name) == 0) {
			*out = k;
			return EH_OK;
		}
	status = cuda_devices_enter(d, "kernel_get", error);
	if (status != EH_OK)
		return status;
	rc = d->api->module_function(&function, p->module, name);
	if (rc == CUDA_ERROR_NOT_FOUND)
		return cuda_error_as(d->api, error, EH_E_INVALID_ARGUMENT, rc, "cuModuleGetFunction",
		                     "The program has no kernel %.60s", name);
	if (rc != CUDA_SUCCESS)
		return cuda_devices_failed(d, error, rc, "cuModuleGetFunction",
		                           "Kernel %.60s cannot be made", name);
	k = calloc(1, sizeof(*k));
	if (k != NULL)
		k->name = strdup(name);
	if (k == NULL || k->name == NULL) {
		free(k);
		return failure_set(error, EH_E_NO_MEMORY, "kernel_get",
		                   "No memory is left for kernel %.60s.", name);
	}
	k->program = p;
	k->function = function;
	k->argument_count = count_parameters(p->ptx, name);
	k->limits = d->limits;
	status = ask(k, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, &items, error);
	if (status != EH_OK) {
		cuda_kernels_free(k);
		return status;
	}
	if (items > 0)
		k->limits.group_items = items;
	k->next = p->kernels;
	p->kernels = k;
	*out = k;
	return EH_OK;
}

void cuda_kernels_free(eh_kernel *k)
{
	free(k->name);
	free(k);
}

eh_status cuda_kernels_info(eh_kernel *k, eh_kernel_info *out, eh_error *error)
{
	uint32_t items = 0, registers = 0, local = 0, private = 0;
	eh_kernel_info info;
	eh_status status = cuda_devices_enter(k->program->device, "kernel_info", error);

	if (status == EH_OK)
		status = ask(k, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, &items, error);
	if (status == EH_OK)
		status = ask(k, CU_FUNC_ATTRIBUTE_NUM_REGS, &registers, error);
	if (status == EH_OK)
		status = ask(k, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, &local, error);
	if (status == EH_OK)
		status = ask(k, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES, &private, error);
	if (status != EH_OK)
		return status;
	memset(&info, 0, sizeof(info));
	info.max_group_items = items;
	info.registers = registers;
	info.local_bytes = local;
	info.private_bytes = private;
	failure_deliver(out, &info, sizeof(info));
	return EH_OK;
}

eh_status cuda_kernels_launch(eh_queue *q, eh_kernel *k, const eh_launch *l, eh_error *error)
{
	void *parameters[MOST_ARGUMENTS];
	CUresult rc;
	eh_status status = checks_launch(k->name, k->argument_count, &k->limits, l, error);

	if (status == EH_OK)
		status = cuda_devices_enter(q->device, "launch", error);
	if (status != EH_OK)
		return status;
	/* The driver reads the values before it returns, and takes pointers to const for none. */
	for (uint32_t i = 0; i < l->arg_count; i++)
		parameters[i] = l->args[i].buffer != NULL ? (void *)&l->args[i].buffer->address
		                                          : (void *)(uintptr_t)l->args[i].data;
	rc = q->device->api->launch_kernel(k->function, l->groups[0], l->groups[1], l->groups[2],
	    l->group_size[0], l->group_size[1], l->group_size[2], 0, q->stream, parameters, NULL);
	if (rc != CUDA_SUCCESS)
		return cuda_devices_failed(q->device, error, rc, "cuLaunchKernel",
		    "Kernel %.60s does not start in %u x %u x %u groups of %u x %u x %u", k->name,
		    (unsigned)l->groups[0], (unsigned)l->groups[1], (unsigned)l->groups[2],
		    (unsigned)l->group_size[0], (unsigned)l->group_size[1], (unsigned)l->group_size[2]);
	return EH_OK;
}
