/* SPDX-License-Identifier: Apache-2.0 */
/* Buffers: device memory, pinned host memory that the device can reach, and managed memory. */
#include <stdlib.h>

#include "cuda_state.h"

static CUresult allocate(const cuda_api *api, eh_buffer *b, const char **where)
{
	CUresult rc;

	switch (b->kind) {
	case EH_MEMORY_PINNED:
		*where = "cuMemHostAlloc";
		rc = api->mem_host_alloc(&b->host, (size_t)b->bytes,
		                         CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP);
		if (rc != CUDA_SUCCESS)
			return rc;
		*where = "cuMemHostGetDevicePointer";
		rc = api->mem_host_address(&b->address, b->host, 0);
		if (rc != CUDA_SUCCESS)
			(void)api->mem_host_free(b->host);
		return rc;
	case EH_MEMORY_SHARED:
		*where = "cuMemAllocManaged";
		rc = api->mem_managed_alloc(&b->address, (size_t)b->bytes, CU_MEM_ATTACH_GLOBAL);
		/* Managed memory has one address for both sides. */
		b->host = (void *)(uintptr_t)b->address;
		return rc;
	default:
		*where = "cuMemAlloc";
		return api->mem_alloc(&b->address, (size_t)b->bytes);
	}
}

eh_status cuda_memory_alloc(eh_device *d, uint32_t kind, uint64_t bytes, eh_buffer **out,
                            eh_error *error)
{
	const char *where = "";
	eh_buffer *b;
	CUresult rc;
	eh_status status = checks_alloc(d->info.name, d->info.caps,
	    kind == EH_MEMORY_DEVICE ? d->info.max_alloc_bytes : 0, kind, bytes, error);

	if (status == EH_OK)
		status = cuda_devices_enter(d, "buffer_alloc", error);
	if (status != EH_OK)
		return status;
	b = calloc(1, sizeof(*b));
	if (b == NULL)
		return failure_set(error, EH_E_NO_MEMORY, "buffer_alloc",
		                   "No memory is left for a buffer.");
	b->device = d;
	b->kind = kind;
	b->bytes = bytes;
	rc = allocate(d->api, b, &where);
	if (rc != CUDA_SUCCESS) {
		free(b);
		return cuda_devices_failed(d, error, rc, where, "%s cannot allocate %llu bytes",
		                           d->info.name, (unsigned long long)bytes);
	}
	*out = b;
	return EH_OK;
}

void cuda_memory_free(eh_buffer *b)
{
	if (b == NULL)
		return;
	cuda_devices_enter_quietly(b->device);
	if (b->kind == EH_MEMORY_PINNED)
		(void)b->device->api->mem_host_free(b->host);
	else
		(void)b->device->api->mem_free(b->address);
	free(b);
}

void *cuda_memory_host_pointer(eh_buffer *b)
{
	return b->host;
}
