/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels of a stream API, and their launch: see shared/streamapi.h. */
#include <stdlib.h>
#include <string.h>

enum { MOST_ARGUMENTS = 20 };

static eh_status ask_kernel(const eh_kernel *k, stream_attribute attribute, uint32_t *out,
                            eh_error *error)
{
	eh_device *d = k->program->device;
	int value = 0;
	const stream_rc rc = d->api->function_attribute(&value, attribute, k->function);

	if (rc != STREAM_OK)
		return stream_devices_failed(d, error, rc, STREAM_CALLS.function_attribute,
		                             "Kernel %.60s does not tell what it takes", k->name);
	*out = value > 0 ? (uint32_t)value : 0;
	return EH_OK;
}

static void free_kernel(eh_kernel *k)
{
	free(k->name);
	free(k);
}

eh_status stream_kernels_get(eh_program *p, const char *name, eh_kernel **out, eh_error *error)
{
	eh_device *d = p->device;
	stream_function function = NULL;
	eh_kernel *k;
	stream_rc rc;
	uint32_t items = 0;
	eh_status status;

	for (k = p->kernels; k != NULL; k = k->next)
		if (strcmp(k->name, name) == 0) {
			*out = k;
			return EH_OK;
		}
	status = stream_devices_enter(d, "kernel_get", error);
	if (status != EH_OK)
		return status;
	rc = d->api->module_function(&function, p->module, name);
	if (rc == STREAM_NOT_FOUND)
		return stream_error_as(d->api, error, EH_E_INVALID_ARGUMENT, rc,
		                       STREAM_CALLS.module_function, "The program has no kernel %.60s",
		                       name);
	if (rc != STREAM_OK)
		return stream_devices_failed(d, error, rc, STREAM_CALLS.module_function,
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
	k->argument_count = stream_vendor_arguments(p, name);
	k->limits = d->limits;
	status = ask_kernel(k, STREAM_ATTRIBUTE(MAX_THREADS_PER_BLOCK), &items, error);
	if (status != EH_OK) {
		free_kernel(k);
		return status;
	}
	if (items > 0)
		k->limits.group_items = items;
	k->next = p->kernels;
	p->kernels = k;
	*out = k;
	return EH_OK;
}

void stream_kernels_free(eh_program *p)
{
	while (p->kernels != NULL) {
		eh_kernel *next = p->kernels->next;

		free_kernel(p->kernels);
		p->kernels = next;
	}
}

eh_status stream_kernels_info(eh_kernel *k, eh_kernel_info *out, eh_error *error)
{
	uint32_t items = 0, registers = 0, local = 0, private = 0;
	eh_kernel_info info;
	eh_status status = stream_devices_enter(k->program->device, "kernel_info", error);

	if (status == EH_OK)
		status = ask_kernel(k, STREAM_ATTRIBUTE(MAX_THREADS_PER_BLOCK), &items, error);
	if (status == EH_OK)
		status = ask_kernel(k, STREAM_ATTRIBUTE(NUM_REGS), &registers, error);
	if (status == EH_OK)
		status = ask_kernel(k, STREAM_ATTRIBUTE(SHARED_SIZE_BYTES), &local, error);
	if (status == EH_OK)
		status = ask_kernel(k, STREAM_ATTRIBUTE(LOCAL_SIZE_BYTES), &private, error);
	if (status != EH_OK)
		return status;
	memset(&info, 0, sizeof(info));
	info.max_group_items = items;
	info.registers = registers;
	info.local_bytes = local;
	info.private_bytes = private;
	eh_give(out, &info, sizeof(info));
	return EH_OK;
}

eh_status stream_kernels_launch(eh_queue *q, eh_kernel *k, const eh_launch *l, eh_error *error)
{
	void *parameters[MOST_ARGUMENTS];
	unsigned local = 0;
	stream_rc rc;
	eh_status status = checks_launch(k->name, k->argument_count, &k->limits, l, error);

	if (status == EH_OK)
		status = stream_devices_enter(q->device, "launch", error);
	if (status == EH_OK)
		status = stream_vendor_local(k, l, &local, error);
	if (status != EH_OK)
		return status;
	for (unsigned i = 0; i < 3; i++)
		if (STREAM_MOST_ITEMS != 0 &&
		    (uint64_t)l->groups[i] * l->group_size[i] > (uint64_t)STREAM_MOST_ITEMS)
			return failure_set(error, EH_E_UNSUPPORTED, "launch",
			                   "Kernel %.60s is launched with %u groups of %u work-items in "
			                   "dimension %u, and " STREAM_VENDOR " counts work-items in 32 bits.",
			                   k->name, (unsigned)l->groups[i], (unsigned)l->group_size[i], i);
	/* The driver reads the values before it returns, but its parameter is not const. */
	for (uint32_t i = 0; i < l->arg_count; i++)
		parameters[i] = l->args[i].buffer != NULL ? (void *)&l->args[i].buffer->address
		                                          : (void *)(uintptr_t)l->args[i].data;
	rc = q->device->api->launch_kernel(k->function, l->groups[0], l->groups[1], l->groups[2],
	    l->group_size[0], l->group_size[1], l->group_size[2], local, q->stream, parameters, NULL);
	if (rc != STREAM_OK)
		return stream_devices_failed(q->device, error, rc, STREAM_CALLS.launch_kernel,
		    "Kernel %.60s does not start in %u x %u x %u groups of %u x %u x %u", k->name,
		    (unsigned)l->groups[0], (unsigned)l->groups[1], (unsigned)l->groups[2],
		    (unsigned)l->group_size[0], (unsigned)l->group_size[1], (unsigned)l->group_size[2]);
	return EH_OK;
}
