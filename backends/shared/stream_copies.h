/* SPDX-License-Identifier: Apache-2.0 */
/* Filling and copying in a stream API: see shared/streamapi.h.  Nothing here waits, but the driver
 * may with pageable memory. */

static eh_status check_copy(eh_queue *queue, stream_rc rc, const char *where, const char *what,
                            uint64_t bytes, eh_error *error)
{
	if (rc == STREAM_OK)
		return EH_OK;
	return stream_devices_failed(queue->device, error, rc, where,
	                             "%s does not take a %s of %llu bytes", queue->device->info.name,
	                             what, (unsigned long long)bytes);
}

eh_status stream_copies_fill(eh_queue *queue, eh_buffer *buffer, uint64_t offset, uint64_t bytes,
                             uint32_t pattern, eh_error *error)
{
	eh_status status = checks_fill(buffer->bytes, offset, bytes, error);

	if (status == EH_OK && bytes > 0)
		status = stream_devices_enter(queue->device, "fill", error);
	if (status != EH_OK || bytes == 0)
		return status;
	return check_copy(queue, queue->device->api->memset_32(STREAM_AT(buffer->address, offset),
	    (stream_pattern)pattern, (size_t)(bytes / 4), queue->stream), STREAM_CALLS.memset_32,
	    "fill", bytes, error);
}

eh_status stream_copies_copy(eh_queue *queue, eh_buffer *to, uint64_t to_offset, eh_buffer *from,
                             uint64_t from_offset, uint64_t bytes, eh_error *error)
{
	const stream_api *api = queue->device->api;
	const stream_address source = STREAM_AT(from->address, from_offset);
	const stream_address target = STREAM_AT(to->address, to_offset);
	const size_t size = (size_t)bytes;
	eh_status status = checks_copy(to == from, to->bytes, to_offset, from->bytes, from_offset,
	    bytes, error);

	if (status == EH_OK && bytes > 0)
		status = stream_devices_enter(queue->device, "copy", error);
	if (status != EH_OK || bytes == 0)
		return status;
	if (from->kind == EH_MEMORY_PINNED && to->kind == EH_MEMORY_DEVICE)
		return check_copy(queue, api->memcpy_up(target, (const char *)from->host + from_offset,
		    size, queue->stream), STREAM_CALLS.memcpy_up, "copy", bytes, error);
	if (to->kind == EH_MEMORY_PINNED && from->kind == EH_MEMORY_DEVICE)
		return check_copy(queue, api->memcpy_down((char *)to->host + to_offset, source, size,
		    queue->stream), STREAM_CALLS.memcpy_down, "copy", bytes, error);
	if (to->kind != EH_MEMORY_DEVICE || from->kind != EH_MEMORY_DEVICE)
		return check_copy(queue, stream_vendor_copy(api, target, source, size, queue->stream),
		    STREAM_CALLS.memcpy_any, "copy", bytes, error);
	return check_copy(queue, api->memcpy_device(target, source, size, queue->stream),
	    STREAM_CALLS.memcpy_device, "copy", bytes, error);
}

eh_status stream_copies_upload(eh_queue *queue, eh_buffer *to, uint64_t offset, const void *from,
                               uint64_t bytes, eh_error *error)
{
	eh_status status = checks_range("upload", to->bytes, offset, bytes, error);

	if (status == EH_OK && bytes > 0)
		status = stream_devices_enter(queue->device, "upload", error);
	if (status != EH_OK || bytes == 0)
		return status;
	return check_copy(queue, queue->device->api->memcpy_up(STREAM_AT(to->address, offset), from,
	    (size_t)bytes, queue->stream), STREAM_CALLS.memcpy_up, "upload", bytes, error);
}

eh_status stream_copies_download(eh_queue *queue, void *to, eh_buffer *from, uint64_t offset,
                                 uint64_t bytes, eh_error *error)
{
	eh_status status = checks_range("download", from->bytes, offset, bytes, error);

	if (status == EH_OK && bytes > 0)
		status = stream_devices_enter(queue->device, "download", error);
	if (status != EH_OK || bytes == 0)
		return status;
	return check_copy(queue, queue->device->api->memcpy_down(to, STREAM_AT(from->address, offset),
	    (size_t)bytes, queue->stream), STREAM_CALLS.memcpy_down, "download", bytes, error);
}
