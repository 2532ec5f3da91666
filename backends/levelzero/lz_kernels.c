/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels and their launch.  A kernel keeps its group size, of which only changes are set; arguments
 * are set at each launch, so that repeated ones cost as much as new ones. */
#include <stdlib.h>
#include <string.h>

#include "lz_state.h"

eh_status lz_kernels_get(eh_program *p, const char *name, eh_kernel **out, eh_error *error)
{
	const ze_kernel_desc_t desc = { .stype = ZE_STRUCTURE_TYPE_KERNEL_DESC, .pKernelName = name };
	eh_device *d = p->device;
	eh_kernel *k;
	ze_result_t rc;
	eh_status status;
	const char *where = "zeKernelCreate";

	for (k = p->kernels; k != NULL; k = k->next)
		if (strcmp(k->name, name) == 0) {
			*out = k;
			return EH_OK;
		}
	status = lz_devices_enter(d, "kernel_get", error);
	if (status != EH_OK)
		return status;
	k = calloc(1, sizeof(*k));
	if (k != NULL)
		k->name = strdup(name);
	if (k == NULL || k->name == NULL) {
		free(k);
		return failure_set(error, EH_E_NO_MEMORY, "kernel_get",
		                   "No memory is left for kernel %.60s.", name);
	}
	k->program = p;
	k->limits = d->limits;
	rc = d->api->kernel_create(p->module, &desc, &k->handle);
	if (rc == ZE_RESULT_SUCCESS) {
		where = "zeKernelGetProperties";
		k->properties.stype = ZE_STRUCTURE_TYPE_KERNEL_PROPERTIES;
		rc = d->api->kernel_properties(k->handle, &k->properties);
	} else {
		k->handle = NULL;
	}
	if (rc != ZE_RESULT_SUCCESS) {
		lz_kernels_free(k);
		if (rc == ZE_RESULT_ERROR_INVALID_KERNEL_NAME)
			return lz_error_as(error, EH_E_INVALID_ARGUMENT, rc, where,
			                   "The program has no kernel %.60s", name);
		return lz_devices_failed(d, error, rc, where, "Kernel %.60s cannot be made", name);
	}
	k->next = p->kernels;
	p->kernels = k;
	*out = k;
	return EH_OK;
}

void lz_kernels_free(eh_kernel *k)
{
	if (k->handle != NULL)
		(void)k->program->device->api->kernel_destroy(k->handle);
	free(k->name);
	free(k);
}

eh_status lz_kernels_info(eh_kernel *k, eh_kernel_info *out, eh_error *error)
{
	eh_kernel_info info;

	(void)error;
	memset(&info, 0, sizeof(info));
	info.max_group_items = k->limits.group_items;
	info.local_bytes = k->properties.localMemSize;
	info.private_bytes = (uint64_t)k->properties.privateMemSize + k->properties.spillMemSize;
	eh_give(out, &info, sizeof(info));
	return EH_OK;
}

static ze_result_t set_group(eh_kernel *k, const eh_launch *l)
{
	ze_result_t rc;

	if (memcmp(k->group_size, l->group_size, sizeof(k->group_size)) == 0)
		return ZE_RESULT_SUCCESS;
	rc = k->program->device->api->kernel_group(k->handle, l->group_size[0], l->group_size[1],
	                                           l->group_size[2]);
	if (rc == ZE_RESULT_SUCCESS)
		memcpy(k->group_size, l->group_size, sizeof(k->group_size));
	return rc;
}

static ze_result_t set_argument(const eh_kernel *k, uint32_t index, const eh_arg *a)
{
	const uint32_t size = a->buffer != NULL ? (uint32_t)sizeof(void *) : a->size;
	const void *value = a->buffer != NULL ? (const void *)&a->buffer->address : a->data;

	return k->program->device->api->kernel_argument(k->handle, index, size, value);
}

eh_status lz_kernels_launch(eh_queue *q, eh_kernel *k, const eh_launch *l, eh_error *error)
{
	const ze_group_count_t groups = { l->groups[0], l->groups[1], l->groups[2] };
	ze_command_list_handle_t list = NULL;
	const char *where = "zeKernelSetGroupSize";
	ze_result_t rc;
	eh_status status = checks_launch(k->name, k->properties.numKernelArgs, &k->limits, l, error);

	if (status == EH_OK)
		status = lz_queue_list(q, &list, error);
	if (status != EH_OK)
		return status;
	rc = set_group(k, l);
	for (uint32_t i = 0; rc == ZE_RESULT_SUCCESS && i < l->arg_count; i++) {
		where = "zeKernelSetArgumentValue";
		rc = set_argument(k, i, &l->args[i]);
	}
	if (rc == ZE_RESULT_SUCCESS) {
		where = "zeCommandListAppendLaunchKernel";
		rc = q->device->api->append_launch(list, k->handle, &groups, NULL, 0, NULL);
	}
	if (rc != ZE_RESULT_SUCCESS)
		return lz_devices_failed(q->device, error, rc, where,
		    "Kernel %.60s does not start in %u x %u x %u groups of %u x %u x %u", k->name,
		    (unsigned)l->groups[0], (unsigned)l->groups[1], (unsigned)l->groups[2],
		    (unsigned)l->group_size[0], (unsigned)l->group_size[1], (unsigned)l->group_size[2]);
	lz_queue_appended(q);
	return EH_OK;
}
