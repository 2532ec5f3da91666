/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels and their launch.  Arguments are set at each launch, though a kernel object would keep them,
 * so that repeated ones cost as much as new ones. */
#include <stdlib.h>
#include <string.h>

#include "ocl_state.h"

eh_status ocl_kernels_get(eh_program *program, const char *name, eh_kernel **out, eh_error *error)
{
	const ocl_api *api = program->device->api;
	cl_int rc = CL_SUCCESS;
	cl_uint count = 0;
	cl_kernel kernel;
	eh_kernel *k;
	for (k = program->kernels; k != NULL; k = k->next)
		if (strcmp(k->name, name) == 0) {
			*out = k;
			return EH_OK;
		}
	kernel = api->clCreateKernel(program->program, name, &rc);
	if (rc == CL_INVALID_KERNEL_NAME)
		return ocl_error_call_as(error, EH_E_INVALID_ARGUMENT, rc, "clCreateKernel",
		    "The program has no kernel %s", name);
	if (rc != CL_SUCCESS || kernel == NULL)
		return ocl_error_call(error, rc, "clCreateKernel", "Kernel %s cannot be made", name);
	rc = api->clGetKernelInfo(kernel, CL_KERNEL_NUM_ARGS, sizeof(count), &count, NULL);
	if (rc != CL_SUCCESS) {
		(void)api->clReleaseKernel(kernel);
		return ocl_error_call(error, rc, "clGetKernelInfo", "Kernel %s does not tell its arguments",
		    name);
	}
	k = calloc(1, sizeof(*k) + count * sizeof(k->arguments[0]));
	if (k != NULL)
		k->name = strdup(name);
	if (k == NULL || k->name == NULL) {
		free(k);
		(void)api->clReleaseKernel(kernel);
		return failure_set(error, EH_E_NO_MEMORY, "kernel_get",
		    "No memory is left for kernel %s.", name);
	}
	k->program = program;
	k->kernel = kernel;
	k->argument_count = count;
	k->next = program->kernels;
	program->kernels = k;
	*out = k;
	return EH_OK;
}

void ocl_kernels_free(eh_kernel *k)
{
	(void)k->program->device->api->clReleaseKernel(k->kernel);
	free(k->name);
	free(k);
}

eh_status ocl_kernels_info(eh_kernel *k, eh_kernel_info *out, eh_error *error)
{
	const ocl_api *api = k->program->device->api;
	const cl_device_id device = k->program->device->listing->id;
	size_t items = 0, wanted[3] = { 0, 0, 0 };
	cl_ulong local = 0, private = 0;
	const struct { cl_kernel_work_group_info what; size_t size; void *to; } facts[] = {
		{ CL_KERNEL_WORK_GROUP_SIZE, sizeof(items), &items },
		{ CL_KERNEL_COMPILE_WORK_GROUP_SIZE, sizeof(wanted), wanted },
		{ CL_KERNEL_LOCAL_MEM_SIZE, sizeof(local), &local },
		{ CL_KERNEL_PRIVATE_MEM_SIZE, sizeof(private), &private },
	};
	eh_kernel_info info;
	for (size_t i = 0; i < sizeof(facts) / sizeof(facts[0]); i++) {
		const cl_int rc = api->clGetKernelWorkGroupInfo(k->kernel, device, facts[i].what,
		    facts[i].size, facts[i].to, NULL);
		if (rc != CL_SUCCESS)
			return ocl_error_call(error, rc, "clGetKernelWorkGroupInfo",
			    "Kernel %s does not tell what it takes", k->name);
	}
	memset(&info, 0, sizeof(info));
	/* A driver that takes a larger group in the text reports a wrong limit: rusticl reports 32
	 * for every kernel. */
	if (items >= wanted[0] * wanted[1] * wanted[2])
		info.max_group_items = items > UINT32_MAX ? UINT32_MAX : (uint32_t)items;
	info.local_bytes = local;
	info.private_bytes = private;
	eh_give(out, &info, sizeof(info));
	return EH_OK;
}

static eh_status set_argument(eh_kernel *k, uint32_t i, const eh_arg *arg, eh_error *error)
{
	ocl_argument *held = &k->arguments[i];
	cl_int rc;
	if (arg->buffer == NULL && (arg->data == NULL || arg->size == 0))
		return failure_set(error, EH_E_INVALID_ARGUMENT, "launch",
		    "Argument %u of kernel %s is neither a buffer nor a value.", (unsigned)i, k->name);
	/* Unknown until the call has succeeded. */
	k->mapped_count -= held->mapped;
	memset(held, 0, sizeof(*held));
	if (arg->buffer != NULL)
		rc = k->program->device->api->clSetKernelArg(k->kernel, i, sizeof(cl_mem),
		    &arg->buffer->mem);
	else
		rc = k->program->device->api->clSetKernelArg(k->kernel, i, arg->size, arg->data);
	if (rc != CL_SUCCESS)
		return ocl_error_call_as(error, rc == CL_OUT_OF_HOST_MEMORY || rc == CL_OUT_OF_RESOURCES ?
		    EH_E_NO_MEMORY : EH_E_INVALID_ARGUMENT, rc, "clSetKernelArg",
		    "Kernel %s does not take argument %u as given", k->name, (unsigned)i);
	if (arg->buffer != NULL) {
		held->serial = arg->buffer->serial;
		held->mapped = arg->buffer->mapped;
		k->mapped_count += held->mapped;
	} else if (arg->size <= sizeof(held->value)) {
		held->size = arg->size;
		memcpy(held->value, arg->data, arg->size);
	}
	return EH_OK;
}

/* Lends, or maps again, every buffer that is kept mapped. */
static eh_status lend_all(eh_queue *queue, const eh_kernel *k, const eh_launch *launch,
                          eh_error *error)
{
	eh_status status = EH_OK;
	for (uint32_t i = 0; i < launch->arg_count && status == EH_OK; i++)
		if (k->arguments[i].mapped)
			status = ocl_memory_lend(queue, launch->args[i].buffer, error);
	return status;
}

static eh_status take_back_all(eh_queue *queue, const eh_kernel *k, const eh_launch *launch,
                               eh_status status, eh_error *error)
{
	for (uint32_t i = 0; i < launch->arg_count; i++)
		if (k->arguments[i].mapped) {
			const eh_status back = ocl_memory_take_back(queue, launch->args[i].buffer,
			    status == EH_OK ? error : NULL);
			status = status == EH_OK ? back : status;
		}
	return status;
}

eh_status ocl_kernels_launch(eh_queue *queue, eh_kernel *k, const eh_launch *launch,
                             eh_error *error)
{
	size_t local[3], global[3];
	cl_event event = NULL;
	cl_uint dimensions = 1;
	eh_status status = EH_OK;
	cl_int rc;
	if (launch->arg_count != k->argument_count)
		return failure_set(error, EH_E_INVALID_ARGUMENT, "launch",
		    "Kernel %s takes %u arguments, and %u are given.", k->name,
		    (unsigned)k->argument_count, (unsigned)launch->arg_count);
	for (uint32_t i = 0; i < launch->arg_count && status == EH_OK; i++)
		status = set_argument(k, i, &launch->args[i], error);
	if (status != EH_OK)
		return status;
	for (cl_uint i = 0; i < 3; i++) {
		local[i] = launch->group_size[i];
		global[i] = (size_t)launch->groups[i] * local[i];
		if (global[i] == 0)
			return failure_set(error, EH_E_INVALID_ARGUMENT, "launch",
			    "Kernel %s is launched with no work in dimension %u.", k->name, (unsigned)i);
		if (global[i] > 1)
			dimensions = i + 1;
	}
	if (queue->recording != NULL)
		return ocl_graphs_kernel(queue, k, launch, dimensions, global, local, error);
	if (k->mapped_count > 0)
		status = lend_all(queue, k, launch, error);
	if (status == EH_OK) {
		rc = queue->device->api->clEnqueueNDRangeKernel(queue->queue, k->kernel, dimensions, NULL,
		    global, local, 0, NULL, &event);
		if (rc == CL_SUCCESS)
			ocl_queue_note(queue, event);
		else
			status = ocl_error_call(error, rc, "clEnqueueNDRangeKernel",
			    "Kernel %s does not start in groups of %u x %u x %u", k->name,
			    (unsigned)launch->group_size[0], (unsigned)launch->group_size[1],
			    (unsigned)launch->group_size[2]);
	}
	if (k->mapped_count > 0)
		status = take_back_all(queue, k, launch, status, error);
	return status;
}
