/* SPDX-License-Identifier: Apache-2.0 */
/* Buffers of a stream API: device memory, pinned host memory that the device can reach, and managed
 * memory.  See shared/streamapi.h. */
#include <stdlib.h>

static stream_rc allocate_memory(const stream_api *api, eh_buffer *b, const char **where)
{
	stream_rc rc;

	switch (b->kind) {
	case EH_MEMORY_PINNED:
		*where = STREAM_CALLS.mem_host_alloc;
		rc = api->mem_host_alloc(&b->host, (size_t)b->bytes, STREAM_HOST_FLAGS);
		if (rc != STREAM_OK)
			return rc;
		*where = STREAM_CALLS.mem_host_address;
		rc = api->mem_host_address(&b->address, b->host, 0);
		if (rc != STREAM_OK)
			(void)api->mem_host_free(b->host);
		return rc;
	case EH_MEMORY_SHARED:
		*where = STREAM_CALLS.mem_managed_alloc;
		rc = api->mem_managed_alloc(&b->address, (size_t)b->bytes, STREAM_MANAGED_FLAGS);
		/* Managed memory has one address for both sides. */
		b->host = (void *)(uintptr_t)b->address;
		return rc;
	default:
		*where = STREAM_CALLS.mem_alloc;
		return api->mem_alloc(&b->address, (size_t)b->bytes);
	}
}

eh_status stream_memory_alloc(eh_device *d, uint32_t kind, uint64_t bytes, eh_buffer **out,
                              eh_error *error)
{
	const char *where = "";
	eh_buffer *b;
	stream_rc rc;
	eh_status status = checks_alloc(d->info.name, d->info.caps,
	    kind == EH_MEMORY_DEVICE ? d->info.max_alloc_bytes : 0, kind, bytes, error);

	if (status == EH_OK)
		status = stream_devices_enter(d, "buffer_alloc", error);
	if (status != EH_OK)
		return status;
	b = calloc(1, sizeof(*b));
	if (b == NULL)
		return failure_set(error, EH_E_NO_MEMORY, "buffer_alloc",
		                   "No memory is left for a buffer.");
	b->device = d;
	b->kind = kind;
	b->bytes = bytes;
	rc = allocate_memory(d->api, b, &where);
	if (rc != STREAM_OK) {
		free(b);
		return stream_devices_failed(d, error, rc, where, "%s cannot allocate %llu bytes",
		                             d->info.name, (unsigned long long)bytes);
	}
	*out = b;
	return EH_OK;
}

void stream_memory_free(eh_buffer *b)
{
	if (b == NULL)
		return;
	stream_devices_enter_quietly(b->device);
	if (b->kind == EH_MEMORY_PINNED)
		(void)b->device->api->mem_host_free(b->host);
	else
		(void)b->device->api->mem_free(b->address);
	free(b);
}

void *stream_memory_host_pointer(eh_buffer *b)
{
	return b->host;
}
