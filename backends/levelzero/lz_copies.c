/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Filling and copying.  Level Zero promises nothing for memory that it did not allocate, so copies
 * from and to such memory pass through two pieces of host memory in turn: while the device copies
 * one, the host copies the other.
 */
#include <string.h>

#include "lz_state.h"

enum { STAGE_BYTES = 1 << 20 };

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
                        ze_event_handle_t signal, eh_error *error)
{
	ze_command_list_handle_t list = NULL;
	const eh_status status = lz_queue_list(q, &list, error);

	if (status != EH_OK)
		return status;
	return refused(q, q->device->api->append_copy(list, to, from, (size_t)bytes, signal, 0, NULL),
	    "zeCommandListAppendMemoryCopy", what, bytes, error);
}

eh_status lz_copies_copy(eh_queue *q, eh_buffer *to, uint64_t to_offset, eh_buffer *from,
                         uint64_t from_offset, uint64_t bytes, eh_error *error)
{
	const eh_status status = checks_copy(to == from, to->bytes, to_offset, from->bytes, from_offset,
	    bytes, error);

	if (status != EH_OK || bytes == 0)
		return status;
	return append(q, to->address + to_offset, from->address + from_offset, bytes, "copy", NULL,
	              error);
}

/* Waits until nothing uses the stage. */
static eh_status settle(eh_queue *q, lz_stage *s, eh_error *error)
{
	eh_status status;

	if (!s->busy)
		return EH_OK;
	status = lz_queue_flush(q, error);
	if (status == EH_OK)
		status = lz_events_wait(q->device, &s->done, error);
	if (status == EH_OK)
		s->busy = false;
	return status;
}

/* The next stage, with its event ready to be signalled again. */
static eh_status next_stage(eh_queue *q, lz_stage **out, eh_error *error)
{
	const ze_host_mem_alloc_desc_t desc = { .stype = ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC };
	eh_device *d = q->device;
	lz_stage *s = &q->stages[q->stage];
	eh_status status = lz_devices_enter(d, "copy", error);

	if (status == EH_OK)
		status = settle(q, s, error);
	if (status == EH_OK && s->memory == NULL) {
		void *memory = NULL;
		const ze_result_t rc = d->api->mem_host(d->context, &desc, STAGE_BYTES, 64, &memory);

		if (rc != ZE_RESULT_SUCCESS)
			return lz_devices_failed(d, error, rc, "zeMemAllocHost",
			                         "%s gives no memory to copy through", d->info.name);
		s->memory = memory;
	}
	if (status == EH_OK)
		status = s->done.handle == NULL ? lz_events_take(d, &s->done, error)
		                                : lz_events_reset(d, &s->done, error);
	if (status != EH_OK)
		return status;
	q->stage = (q->stage + 1) % LZ_STAGES;
	*out = s;
	return EH_OK;
}

static uint64_t piece_of(uint64_t left)
{
	return left < STAGE_BYTES ? left : STAGE_BYTES;
}

eh_status lz_copies_upload(eh_queue *q, eh_buffer *to, uint64_t offset, const void *from,
                           uint64_t bytes, eh_error *error)
{
	eh_status status = checks_range("upload", to->bytes, offset, bytes, error);
	lz_stage *s = NULL;

	for (uint64_t done = 0; status == EH_OK && done < bytes;) {
		const uint64_t piece = piece_of(bytes - done);

		status = next_stage(q, &s, error);
		if (status != EH_OK || s == NULL)
			break;
		memcpy(s->memory, (const char *)from + done, (size_t)piece);
		status = append(q, to->address + offset + done, s->memory, piece, "upload",
		                s->done.handle, error);
		if (status == EH_OK)
			status = lz_queue_flush(q, error);
		s->busy = status == EH_OK;
		done += piece;
	}
	return status;
}

/* Copies `piece` bytes from a stage to their place. */
static eh_status take(eh_queue *q, lz_stage *s, char *to, uint64_t piece, eh_error *error)
{
	const eh_status status = settle(q, s, error);

	if (status == EH_OK)
		memcpy(to, s->memory, (size_t)piece);
	return status;
}

eh_status lz_copies_download(eh_queue *q, void *to, eh_buffer *from, uint64_t offset,
                             uint64_t bytes, eh_error *error)
{
	eh_status status = checks_range("download", from->bytes, offset, bytes, error);
	lz_stage *s = NULL, *earlier = NULL;
	uint64_t earlier_at = 0, earlier_piece = 0;

	for (uint64_t done = 0; status == EH_OK && done < bytes;) {
		const uint64_t piece = piece_of(bytes - done);

		status = next_stage(q, &s, error);
		if (status == EH_OK && s != NULL)
			status = append(q, s->memory, from->address + offset + done, piece, "download",
			                s->done.handle, error);
		if (status == EH_OK)
			status = lz_queue_flush(q, error);
		if (status != EH_OK || s == NULL)
			break;
		s->busy = true;
		if (earlier != NULL)
			status = take(q, earlier, (char *)to + earlier_at, earlier_piece, error);
		earlier = s;
		earlier_at = done;
		earlier_piece = piece;
		done += piece;
	}
	if (status == EH_OK && earlier != NULL)
		status = take(q, earlier, (char *)to + earlier_at, earlier_piece, error);
	return status;
}

void lz_copies_free_stages(eh_queue *q)
{
	for (size_t i = 0; i < LZ_STAGES; i++) {
		if (q->stages[i].memory != NULL)
			(void)q->device->api->mem_free(q->device->context, q->stages[i].memory);
		lz_events_return(q->device, &q->stages[i].done);
	}
}
