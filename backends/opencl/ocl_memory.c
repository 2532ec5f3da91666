/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Buffers.  Memory with a host pointer is kept mapped, so that the host may use it at any time;
 * OpenCL lets no command touch a mapped buffer, so it is unmapped before and mapped again after
 * each one ("lent"), in the queue and without waiting.  Copies to and from the device's memory go
 * through the host pointer instead and need no lending.
 */
#include <stdint.h>
#include <stdlib.h>

#include "ocl_state.h"
#include "shared/checks.h"

enum { ALIGNMENT = 128 };
#define MAP_BOTH (CL_MAP_READ | CL_MAP_WRITE)

static bool map(eh_buffer *b, cl_int *rc)
{
	b->host = b->device->api->clEnqueueMapBuffer(b->device->service, b->mem, CL_TRUE, MAP_BOTH, 0,
	    (size_t)b->bytes, 0, NULL, NULL, rc);
	b->mapped = *rc == CL_SUCCESS && b->host != NULL;
	return b->mapped;
}

static void unmap(eh_buffer *b)
{
	const ocl_api *api = b->device->api;
	if (!b->mapped)
		return;
	(void)api->clEnqueueUnmapMemObject(b->device->service, b->mem, b->host, 0, NULL, NULL);
	(void)api->clFinish(b->device->service);
	b->mapped = false;
}

/* The backend's own memory under the memory object, for a platform whose own is not aligned:
 * Oclgrind. */
static bool replace_by_own(eh_buffer *b, cl_int *rc)
{
	const ocl_api *api = b->device->api;
	const size_t size = ((size_t)b->bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
	unmap(b);
	(void)api->clReleaseMemObject(b->mem);
	b->mem = NULL;
	b->own = aligned_alloc(ALIGNMENT, size);
	if (b->own == NULL)
		return false;
	b->mem = api->clCreateBuffer(b->device->context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR,
	    (size_t)b->bytes, b->own, rc);
	return *rc == CL_SUCCESS && b->mem != NULL && map(b, rc);
}

eh_status ocl_memory_alloc(eh_device *device, uint32_t kind, uint64_t bytes, eh_buffer **out,
                           eh_error *error)
{
	const ocl_api *api = device->api;
	const char *where = "clCreateBuffer";
	cl_mem_flags flags = CL_MEM_READ_WRITE;
	cl_int rc = CL_SUCCESS;
	eh_buffer *b;
	const eh_status status = checks_alloc(device->listing->selector, device->caps, device->max_alloc, kind,
	    bytes, error);
	if (status != EH_OK)
		return status;
	b = calloc(1, sizeof(*b));
	if (b == NULL)
		goto no_memory;
	b->device = device;
	b->bytes = bytes;
	b->kind = kind;
	b->serial = ++device->next_serial;
	if (kind == EH_MEMORY_PINNED)
		flags |= CL_MEM_ALLOC_HOST_PTR;
	if (kind == EH_MEMORY_SHARED) {
		where = "clSVMAlloc";
		b->svm = api->clSVMAlloc(device->context, CL_MEM_READ_WRITE |
		    (device->shared_needs_map ? 0 : CL_MEM_SVM_FINE_GRAIN_BUFFER), (size_t)bytes,
		    ALIGNMENT);
		if (b->svm == NULL)
			goto undo_struct;
		b->host = b->svm;
		/* A memory object over the shared memory lets kernels and copies take it like any
		 * other. */
		flags |= CL_MEM_USE_HOST_PTR;
	}
	b->mem = api->clCreateBuffer(device->context, flags, (size_t)bytes, b->svm, &rc);
	if (rc != CL_SUCCESS || b->mem == NULL)
		goto undo_svm;
	if (kind == EH_MEMORY_PINNED || (kind == EH_MEMORY_SHARED && device->shared_needs_map)) {
		where = "clEnqueueMapBuffer";
		if (!map(b, &rc) ||
		    ((uintptr_t)b->host % ALIGNMENT != 0 && !replace_by_own(b, &rc)))
			goto undo_mem;
	}
	*out = b;
	return EH_OK;

undo_mem:
	if (b->mem != NULL)
		(void)api->clReleaseMemObject(b->mem);
	free(b->own);
undo_svm:
	if (b->svm != NULL)
		api->clSVMFree(device->context, b->svm);
undo_struct:
	free(b);
	if (rc != CL_SUCCESS)
		return ocl_error_call(error, rc, where, "%s cannot allocate %llu bytes",
		    device->listing->selector, (unsigned long long)bytes);
no_memory:
	return failure_set(error, EH_E_NO_MEMORY, where, "%s cannot allocate %llu bytes.",
	    device->listing->selector, (unsigned long long)bytes);
}

void ocl_memory_free(eh_buffer *b)
{
	if (b == NULL)
		return;
	unmap(b);
	(void)b->device->api->clReleaseMemObject(b->mem);
	if (b->svm != NULL)
		b->device->api->clSVMFree(b->device->context, b->svm);
	free(b->own);
	free(b);
}

void *ocl_memory_host_pointer(eh_buffer *b)
{
	return b->host;
}

eh_status ocl_memory_lend(eh_queue *queue, eh_buffer *b, eh_error *error)
{
	cl_event event = NULL;
	cl_int rc;
	if (!b->mapped)
		return EH_OK;
	rc = b->device->api->clEnqueueUnmapMemObject(queue->queue, b->mem, b->host, 0, NULL, &event);
	if (rc != CL_SUCCESS)
		return ocl_error_call(error, rc, "clEnqueueUnmapMemObject",
		    "A buffer with a host pointer cannot be handed to the device");
	b->mapped = false;
	ocl_queue_note(queue, event);
	return EH_OK;
}

eh_status ocl_memory_take_back(eh_queue *queue, eh_buffer *b, eh_error *error)
{
	cl_event event = NULL;
	cl_int rc = CL_SUCCESS;
	void *host;
	if (b->host == NULL || b->mapped || (b->svm != NULL && !b->device->shared_needs_map))
		return EH_OK;
	host = b->device->api->clEnqueueMapBuffer(queue->queue, b->mem, CL_FALSE, MAP_BOTH, 0,
	    (size_t)b->bytes, 0, NULL, &event, &rc);
	if (rc != CL_SUCCESS)
		return ocl_error_call(error, rc, "clEnqueueMapBuffer",
		    "A buffer with a host pointer does not come back from the device");
	ocl_queue_note(queue, event);
	b->mapped = true;
	if (host != b->host) {
		b->host = host;
		return failure_set(error, EH_E_UNSUPPORTED, "clEnqueueMapBuffer",
		    "%s moved a buffer with a host pointer to another address; use device memory in "
		    "kernels and fills.", b->device->listing->selector);
	}
	return EH_OK;
}
