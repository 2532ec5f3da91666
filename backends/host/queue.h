/* SPDX-License-Identifier: Apache-2.0 */
/* The queue executes a command before the call returns, which makes order, waiting and marks
 * simple: a mark's time is the host's clock when it is recorded. */
#ifndef HOST_QUEUE_H
#define HOST_QUEUE_H

#include "buffer.h"
#include "program.h"

struct eh_queue {
	eh_device *device;
	bool timed;
	struct recording *recording; /* NULL = commands are run                                */
};

struct eh_mark {
	eh_device *device;
	bool timed;
	const eh_queue *queue;  /* that it was recorded in, NULL = not yet                       */
	uint64_t ns;
};

eh_status queue_create(eh_device *device, uint32_t flags, eh_queue **queue, eh_error *error);
void queue_destroy(eh_queue *queue);
eh_status queue_flush(eh_queue *queue, eh_error *error);
eh_status queue_wait(eh_queue *queue, eh_error *error);
eh_status queue_wait_mark(eh_queue *queue, eh_mark *mark, eh_error *error);

eh_status queue_fill(eh_queue *queue, eh_buffer *buffer, uint64_t offset, uint64_t bytes,
                     uint32_t pattern, eh_error *error);
eh_status queue_copy(eh_queue *queue, eh_buffer *to, uint64_t to_offset, eh_buffer *from,
                     uint64_t from_offset, uint64_t bytes, eh_error *error);
eh_status queue_upload(eh_queue *queue, eh_buffer *to, uint64_t offset, const void *from,
                       uint64_t bytes, eh_error *error);
eh_status queue_download(eh_queue *queue, void *to, eh_buffer *from, uint64_t offset,
                         uint64_t bytes, eh_error *error);
eh_status queue_launch(eh_queue *queue, eh_kernel *kernel, const eh_launch *launch,
                       eh_error *error);

eh_status queue_mark_create(eh_device *device, uint32_t flags, eh_mark **mark, eh_error *error);
void queue_mark_destroy(eh_mark *mark);
eh_status queue_mark_record(eh_queue *queue, eh_mark *mark, eh_error *error);
eh_status queue_mark_wait(eh_mark *mark, eh_error *error);
eh_status queue_mark_passed(eh_mark *mark, uint32_t *passed, eh_error *error);
eh_status queue_mark_elapsed(eh_mark *from, eh_mark *to, uint64_t *ns, eh_error *error);

#endif
