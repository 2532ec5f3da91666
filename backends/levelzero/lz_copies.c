/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Filling and copying.  Memory that Level Zero did not allocate is given to the driver as it is:
 * drivers of GPUs copy from and to any memory of the process, by a way of their own.
 */
#include "lz_state.h"

static eh_status refused(eh_queue *q, ze_result_t rc, const char *where, const char *what,
                         uint64_t bytes, eh_error *error)
{
	if (rc == ZE_RESULT_SUCCESS) {
		lz_queue_appended(q);
		return EH_OK;
	}
	return lz_devices_failed(q->device, error, rc, where, "%s does not take a %s of %llu bytes",
	                         q->device->info.name, what, (unsigned long long)bytes);
}

eh_status lz_copies_fill(eh_queue *q, eh_buffer *buffer, uint64_t offset, uint64_t bytes,
                         uint32_t pattern, eh_error *error)
{
	const size_t pattern_size = q->device->fill_pattern >= sizeof(pattern) ? sizeof(pattern) : 1;
	ze_command_list_handle_t list = NULL;
	eh_status status = checks_fill(buffer->bytes, offset, bytes, error);

	if (status == EH_OK && pattern_size == 1 && pattern != (pattern & 0xff) * 0x01010101u)
		status = failure_set(error, EH_E_UNSUPPORTED, "fill", "%s fills with single bytes only.",
		                     q->device->info.name);
	if (status == EH_OK && bytes > 0)
		status = lz_queue_list(q, &list, error);
	if (status != EH_OK || bytes == 0)
		return status;
	return refused(q, q->device->api->append_fill(list, buffer->address + offset, &pattern,
	    pattern_size, (size_t)bytes, NULL, 0, NULL), "zeCommandListAppendMemoryFill", "fill", bytes,
	    error);
}

static eh_status append(eh_queue *q, void *to, const void *from, uint64_t bytes, const char *what,
                        eh_error *error)
{
	ze_command_list_handle_t list = NULL;
	const eh_status status = lz_queue_list(q, &list, error);

	if (status != EH_OK)
		return status;
	return refused(q, q->device->api->append_copy(list, to, from, (size_t)bytes, NULL, 0, NULL),
	    "zeCommandListAppendMemoryCopy", what, bytes, error);
}

eh_status lz_copies_copy(eh_queue *q, eh_buffer *to, uint64_t to_offset, eh_buffer *from,
                         uint64_t from_offset, uint64_t bytes, eh_error *error)
{
	const eh_status status = checks_copy(to == from, to->bytes, to_offset, from->bytes, from_offset,
	    bytes, error);

	if (status != EH_OK || bytes == 0)
		return status;
	return append(q, to->address + to_offset, from->address + from_offset, bytes, "copy",
	              error);
}

eh_status lz_copies_upload(eh_queue *q, eh_buffer *to, uint64_t offset, const void *from,
                           uint64_t bytes, eh_error *error)
{
	const eh_status status = checks_range("upload", to->bytes, offset, bytes, error);

	if (status != EH_OK || bytes == 0)
		return status;
	return append(q, to->address + offset, from, bytes, "upload", error);
}

eh_status lz_copies_download(eh_queue *q, void *to, eh_buffer *from, uint64_t offset,
                             uint64_t bytes, eh_error *error)
{
	const eh_status status = checks_range("download", from->bytes, offset, bytes, error);

	if (status != EH_OK || bytes == 0)
		return status;
	return append(q, to, from->address + offset, bytes, "download", error);
}
