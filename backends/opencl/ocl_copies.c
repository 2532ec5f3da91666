/* SPDX-License-Identifier: Apache-2.0 */
/* Filling and copying; nothing here waits. */
#include "ocl_state.h"
#include "shared/checks.h"

/* Ends a command on up to two buffers: keeps its event, and maps buffers again. */
static eh_status finish(eh_queue *queue, cl_int rc, cl_event event, const char *where, eh_buffer *a,
                        eh_buffer *b, eh_error *error)
{
	eh_status status = EH_OK;
	eh_status back;
	if (rc == CL_SUCCESS)
		ocl_queue_note(queue, event);
	else
		status = ocl_error_call(error, rc, where, "%s does not take a copy",
		    queue->device->listing->selector);
	if (a != NULL) {
		back = ocl_memory_take_back(queue, a, status == EH_OK ? error : NULL);
		status = status == EH_OK ? back : status;
	}
	if (b != NULL) {
		back = ocl_memory_take_back(queue, b, status == EH_OK ? error : NULL);
		status = status == EH_OK ? back : status;
	}
	return status;
}

eh_status ocl_copies_fill(eh_queue *queue, eh_buffer *buffer, uint64_t offset, uint64_t bytes,
                          uint32_t pattern, eh_error *error)
{
	cl_event event = NULL;
	cl_int rc;
	eh_status status = checks_fill(buffer->bytes, offset, bytes, error);
	if (status != EH_OK || bytes == 0)
		return status;
	if (queue->recording != NULL)
		return ocl_graphs_fill(queue, buffer, offset, bytes, pattern, error);
	status = ocl_memory_lend(queue, buffer, error);
	if (status != EH_OK)
		return status;
	rc = queue->device->api->clEnqueueFillBuffer(queue->queue, buffer->mem, &pattern,
	    sizeof(pattern), (size_t)offset, (size_t)bytes, 0, NULL, &event);
	return finish(queue, rc, event, "clEnqueueFillBuffer", buffer, NULL, error);
}

static eh_status write_from(eh_queue *queue, eh_buffer *to, uint64_t offset, const void *from,
                            uint64_t bytes, eh_error *error)
{
	cl_event event = NULL;
	cl_int rc;
	eh_status status = ocl_memory_lend(queue, to, error);
	if (status != EH_OK)
		return status;
	rc = queue->device->api->clEnqueueWriteBuffer(queue->queue, to->mem, CL_FALSE, (size_t)offset,
	    (size_t)bytes, from, 0, NULL, &event);
	return finish(queue, rc, event, "clEnqueueWriteBuffer", to, NULL, error);
}

static eh_status read_to(eh_queue *queue, void *to, eh_buffer *from, uint64_t offset,
                         uint64_t bytes, eh_error *error)
{
	cl_event event = NULL;
	cl_int rc;
	eh_status status = ocl_memory_lend(queue, from, error);
	if (status != EH_OK)
		return status;
	rc = queue->device->api->clEnqueueReadBuffer(queue->queue, from->mem, CL_FALSE, (size_t)offset,
	    (size_t)bytes, to, 0, NULL, &event);
	return finish(queue, rc, event, "clEnqueueReadBuffer", from, NULL, error);
}

eh_status ocl_copies_copy(eh_queue *queue, eh_buffer *to, uint64_t to_offset, eh_buffer *from,
                          uint64_t from_offset, uint64_t bytes, eh_error *error)
{
	cl_event event = NULL;
	cl_int rc;
	eh_status status = checks_copy(to == from, to->bytes, to_offset, from->bytes, from_offset,
	    bytes, error);
	if (status != EH_OK || bytes == 0)
		return status;
	if (queue->recording != NULL)
		return ocl_graphs_copy(queue, to, to_offset, from, from_offset, bytes, error);
	if (from->mapped && !to->mapped)
		return write_from(queue, to, to_offset, (const char *)from->host + from_offset, bytes,
		    error);
	if (to->mapped && !from->mapped)
		return read_to(queue, (char *)to->host + to_offset, from, from_offset, bytes, error);
	status = ocl_memory_lend(queue, to, error);
	if (status == EH_OK)
		status = ocl_memory_lend(queue, from, error);
	if (status != EH_OK) {
		(void)ocl_memory_take_back(queue, to, NULL);
		return status;
	}
	rc = queue->device->api->clEnqueueCopyBuffer(queue->queue, from->mem, to->mem,
	    (size_t)from_offset, (size_t)to_offset, (size_t)bytes, 0, NULL, &event);
	return finish(queue, rc, event, "clEnqueueCopyBuffer", to, from, error);
}

eh_status ocl_copies_upload(eh_queue *queue, eh_buffer *to, uint64_t offset, const void *from,
                            uint64_t bytes, eh_error *error)
{
	const eh_status status = checks_range("upload", to->bytes, offset, bytes, error);
	if (status != EH_OK || bytes == 0)
		return status;
	return write_from(queue, to, offset, from, bytes, error);
}

eh_status ocl_copies_download(eh_queue *queue, void *to, eh_buffer *from, uint64_t offset,
                              uint64_t bytes, eh_error *error)
{
	const eh_status status = checks_range("download", from->bytes, offset, bytes,
	    error);
	if (status != EH_OK || bytes == 0)
		return status;
	return read_to(queue, to, from, offset, bytes, error);
}
