/* SPDX-License-Identifier: Apache-2.0 */
/* Buffers: device memory, host memory that devices reach, and shared memory. */
#include <stdlib.h>

#include "lz_state.h"

enum { ALIGNMENT = 64 };

static ze_result_t allocate(eh_buffer *b, void **address, const char **where)
{
	const eh_device *d = b->device;
	const ze_device_mem_alloc_desc_t device = { .stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC };
	const ze_host_mem_alloc_desc_t host = { .stype = ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC };

	switch (b->kind) {
	case EH_MEMORY_PINNED:
		*where = "zeMemAllocHost";
		return d->api->mem_host(d->context, &host, (size_t)b->bytes, ALIGNMENT, address);
	case EH_MEMORY_SHARED:
		*where = "zeMemAllocShared";
		return d->api->mem_shared(d->context, &device, &host, (size_t)b->bytes, ALIGNMENT,
		                          d->place.device, address);
	default:
		*where = "zeMemAllocDevice";
		return d->api->mem_device(d->context, &device, (size_t)b->bytes, ALIGNMENT,
		                          d->place.device, address);
	}
}

eh_status lz_memory_alloc(eh_device *d, uint32_t kind, uint64_t bytes, eh_buffer **out,
                          eh_error *error)
{
	const char *where = "";
	void *address = NULL;
	eh_buffer *b;
	ze_result_t rc;
	eh_status status = checks_alloc(d->info.name, d->info.caps, d->info.max_alloc_bytes, kind,
	                                bytes, error);

	if (status == EH_OK)
		status = lz_devices_enter(d, "buffer_alloc", error);
	if (status != EH_OK)
		return status;
	b = calloc(1, sizeof(*b));
	if (b == NULL)
		return failure_set(error, EH_E_NO_MEMORY, "buffer_alloc",
		                   "No memory is left for a buffer.");
	b->device = d;
	b->kind = kind;
	b->bytes = bytes;
	rc = allocate(b, &address, &where);
	if (rc != ZE_RESULT_SUCCESS) {
		free(b);
		return lz_devices_failed(d, error, rc, where, "%s cannot allocate %llu bytes",
		                         d->info.name, (unsigned long long)bytes);
	}
	b->address = address;
	*out = b;
	return EH_OK;
}

void lz_memory_free(eh_buffer *b)
{
	if (b == NULL)
		return;
	(void)b->device->api->mem_free(b->device->context, b->address);
	free(b);
}

void *lz_memory_host_pointer(eh_buffer *b)
{
	return b->kind == EH_MEMORY_DEVICE ? NULL : b->address;
}
