/* SPDX-License-Identifier: Apache-2.0 */
/* Buffers: device memory, pinned host memory that the device can reach, and managed memory. */
#include <stdlib.h>

#include "hip_state.h"

static hipError_t allocate(const hip_api *api, eh_buffer *b, const char **where)
{
	void *address = NULL;
	hipError_t rc;

	switch (b->kind) {
	case EH_MEMORY_PINNED:
		*where = "hipHostMalloc";
		rc = api->mem_host_alloc(&b->host, (size_t)b->bytes,
		                         hipHostMallocPortable | hipHostMallocMapped);
		if (rc != hipSuccess)
			return rc;
		*where = "hipHostGetDevicePointer";
		rc = api->mem_host_address(&address, b->host, 0);
		b->address = address;
		if (rc != hipSuccess)
			(void)api->mem_host_free(b->host);
		return rc;
	case EH_MEMORY_SHARED:
		*where = "hipMallocManaged";
		rc = api->mem_managed_alloc(&address, (size_t)b->bytes, hipMemAttachGlobal);
		/* Managed memory has one address for both sides. */
		b->host = address;
		b->address = address;
		return rc;
	default:
		*where = "hipMalloc";
		rc = api->mem_alloc(&address, (size_t)b->bytes);
		b->address = address;
		return rc;
	}
}

eh_status hip_memory_alloc(eh_device *d, uint32_t kind, uint64_t bytes, eh_buffer **out,
                           eh_error *error)
{
	const char *where = "";
	eh_buffer *b;
	hipError_t rc;
	eh_status status = checks_alloc(d->info.name, d->info.caps,
	    kind == EH_MEMORY_DEVICE ? d->info.max_alloc_bytes : 0, kind, bytes, error);

	if (status == EH_OK)
		status = hip_devices_enter(d, "buffer_alloc", error);
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
	if (rc != hipSuccess) {
		free(b);
		return hip_devices_failed(d, error, rc, where, "%s cannot allocate %llu bytes",
		                          d->info.name, (unsigned long long)bytes);
	}
	*out = b;
	return EH_OK;
}

void hip_memory_free(eh_buffer *b)
{
	if (b == NULL)
		return;
	hip_devices_enter_quietly(b->device);
	if (b->kind == EH_MEMORY_PINNED)
		(void)b->device->api->mem_host_free(b->host);
	else
		(void)b->device->api->mem_free(b->address);
	free(b);
}

void *hip_memory_host_pointer(eh_buffer *b)
{
	return b->host;
}
