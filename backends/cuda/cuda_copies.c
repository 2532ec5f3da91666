/* SPDX-License-Identifier: Apache-2.0 */
/* Filling and copying.  Nothing here waits by itself; with pageable memory the driver may. */
#include "cuda_state.h"

static eh_status check(eh_queue *queue, CUresult rc, const char *where, const char *what,
                       uint64_t bytes, eh_error *error)
{
	if (rc == CUDA_SUCCESS)
		return EH_OK;
	return cuda_devices_failed(queue->device, error, rc, where, "%s does not take a %s of %llu bytes",
	                           queue->device->info.name, what, (unsigned long long)bytes);
}

eh_status cuda_copies_fill(eh_queue *queue, eh_buffer *buffer, uint64_t offset, uint64_t bytes,
                           uint32_t pattern, eh_error *error)
{
	eh_status status = checks_fill(buffer->bytes, offset, bytes, error);

	if (status == EH_OK && bytes > 0)
		status = cuda_devices_enter(queue->device, "fill", error);
	if (status != EH_OK || bytes == 0)
		return status;
	return check(queue, queue->device->api->memset_32(buffer->address + offset, pattern,
	    (size_t)(bytes / 4), queue->stream), "cuMemsetD32Async", "fill", bytes, error);
}

eh_status cuda_copies_copy(eh_queue *queue, eh_buffer *to, uint64_t to_offset, eh_buffer *from,
                           uint64_t from_offset, uint64_t bytes, eh_error *error)
{
	const cuda_api *api = queue->device->api;
	const CUdeviceptr source = from->address + from_offset, target = to->address + to_offset;
	const size_t size = (size_t)bytes;
	eh_status status = checks_copy(to == from, to->bytes, to_offset, from->bytes, from_offset,
	    bytes, error);

	if (status == EH_OK && bytes > 0)
		status = cuda_devices_enter(queue->device, "copy", error);
	if (status != EH_OK || bytes == 0)
		return status;
	if (from->kind == EH_MEMORY_PINNED && to->kind == EH_MEMORY_DEVICE)
		return check(queue, api->memcpy_up(target, (const char *)from->host + from_offset, size,
		    queue->stream), "cuMemcpyHtoDAsync", "copy", bytes, error);
	if (to->kind == EH_MEMORY_PINNED && from->kind == EH_MEMORY_DEVICE)
		return check(queue, api->memcpy_down((char *)to->host + to_offset, source, size,
		    queue->stream), "cuMemcpyDtoHAsync", "copy", bytes, error);
	if ((to->kind != EH_MEMORY_DEVICE || from->kind != EH_MEMORY_DEVICE) &&
	    api->memcpy_any != NULL)
		return check(queue, api->memcpy_any(target, source, size, queue->stream),
		    "cuMemcpyAsync", "copy", bytes, error);
	return check(queue, api->memcpy_device(target, source, size, queue->stream),
	    "cuMemcpyDtoDAsync", "copy", bytes, error);
}

eh_status cuda_copies_upload(eh_queue *queue, eh_buffer *to, uint64_t offset, const void *from,
                             uint64_t bytes, eh_error *error)
{
	eh_status status = checks_range("upload", to->bytes, offset, bytes, error);

	if (status == EH_OK && bytes > 0)
		status = cuda_devices_enter(queue->device, "upload", error);
	if (status != EH_OK || bytes == 0)
		return status;
	return check(queue, queue->device->api->memcpy_up(to->address + offset, from, (size_t)bytes,
	    queue->stream), "cuMemcpyHtoDAsync", "upload", bytes, error);
}

eh_status cuda_copies_download(eh_queue *queue, void *to, eh_buffer *from, uint64_t offset,
                               uint64_t bytes, eh_error *error)
{
	eh_status status = checks_range("download", from->bytes, offset, bytes, error);

	if (status == EH_OK && bytes > 0)
		status = cuda_devices_enter(queue->device, "download", error);
	if (status != EH_OK || bytes == 0)
		return status;
	return check(queue, queue->device->api->memcpy_down(to, from->address + offset, (size_t)bytes,
	    queue->stream), "cuMemcpyDtoHAsync", "download", bytes, error);
}
