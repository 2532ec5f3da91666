/* SPDX-License-Identifier: Apache-2.0 */
#include "queue.h"

#include <stdlib.h>
#include <string.h>

#include "faults.h"
#include "recording.h"
#include "shared/checks.h"

enum {
	BLOCK = 4096,            /* unit of a copy that is shared among threads                   */
	SHARED_FROM = 256 << 10, /* smaller copies are faster on one thread                       */
	MOST_ARGS = 64,
};

eh_status queue_create(eh_device *device, uint32_t flags, eh_queue **queue, eh_error *error)
{
	const eh_status status = checks_flags("queue_create", flags, EH_TIMED | EH_COPIES, error);
	eh_queue *q = status == EH_OK ? calloc(1, sizeof(*q)) : NULL;

	if (status != EH_OK)
		return status;
	if (q == NULL)
		return faults_set(error, EH_E_NO_MEMORY, "Memory is exhausted");
	q->device = device;
	q->timed = (flags & EH_TIMED) != 0;
	*queue = q;
	return EH_OK;
}

void queue_destroy(eh_queue *queue)
{
	if (queue == NULL)
		return;
	recording_drop(queue);
	free(queue);
}

eh_status queue_flush(eh_queue *queue, eh_error *error)
{
	(void)queue;
	(void)error;
	return EH_OK;
}

eh_status queue_wait(eh_queue *queue, eh_error *error)
{
	(void)queue;
	(void)error;
	return EH_OK;
}

/* What stands before a mark is done. */
eh_status queue_wait_mark(eh_queue *queue, eh_mark *mark, eh_error *error)
{
	(void)queue;
	return queue_mark_wait(mark, error);
}

/* ---- memory commands ----------------------------------------------------------------------- */

typedef struct moving {
	unsigned char *to;
	const unsigned char *from; /* NULL = the pattern                                        */
	uint64_t bytes;
	uint32_t pattern;
} moving;

static void move_blocks(void *context, int64_t first, int64_t end)
{
	const moving *m = context;
	const uint64_t start = (uint64_t)first * BLOCK;
	const uint64_t stop = (uint64_t)end * BLOCK < m->bytes ? (uint64_t)end * BLOCK : m->bytes;

	if (m->from != NULL)
		memcpy(m->to + start, m->from + start, stop - start);
	else
		for (uint64_t i = start; i + 4 <= stop; i += 4)
			memcpy(m->to + i, &m->pattern, 4);
}

static void run_move(const eh_queue *queue, void *context)
{
	const moving *m = context;
	const int64_t blocks = (int64_t)((m->bytes + BLOCK - 1) / BLOCK);

	if (m->bytes < SHARED_FROM)
		move_blocks(context, 0, blocks);
	else
		pool_run(queue->device->pool, blocks, move_blocks, context);
}

static eh_status move(eh_queue *queue, const moving *m, eh_error *error)
{
	moving job = *m;

	if (m->bytes == 0)
		return EH_OK;
	if (queue->recording != NULL)
		return recording_add(queue, run_move, &job, sizeof(job), error);
	run_move(queue, &job);
	return EH_OK;
}

eh_status queue_fill(eh_queue *queue, eh_buffer *buffer, uint64_t offset, uint64_t bytes,
                     uint32_t pattern, eh_error *error)
{
	const eh_status status = buffer_check(buffer, offset, bytes, error);

	if (status != EH_OK)
		return status;
	if (bytes % 4 != 0)
		return faults_set(error, EH_E_INVALID_ARGUMENT, "A fill of %llu bytes is not a "
		                  "multiple of 4", (unsigned long long)bytes);
	return move(queue, &(moving){ buffer->data + offset, NULL, bytes, pattern }, error);
}

eh_status queue_copy(eh_queue *queue, eh_buffer *to, uint64_t to_offset, eh_buffer *from,
                     uint64_t from_offset, uint64_t bytes, eh_error *error)
{
	eh_status status = buffer_check(to, to_offset, bytes, error);

	if (status == EH_OK)
		status = buffer_check(from, from_offset, bytes, error);
	if (status != EH_OK)
		return status;
	if (to == from && bytes > 0 && to_offset < from_offset + bytes &&
	    from_offset < to_offset + bytes)
		return faults_set(error, EH_E_INVALID_ARGUMENT, "The two ranges of a copy overlap");
	return move(queue, &(moving){ to->data + to_offset, from->data + from_offset, bytes, 0 },
	            error);
}

eh_status queue_upload(eh_queue *queue, eh_buffer *to, uint64_t offset, const void *from,
                       uint64_t bytes, eh_error *error)
{
	const eh_status status = buffer_check(to, offset, bytes, error);

	if (status != EH_OK)
		return status;
	if (from == NULL && bytes > 0)
		return faults_set(error, EH_E_INVALID_ARGUMENT, "There is nothing to upload from");
	return move(queue, &(moving){ to->data + offset, from, bytes, 0 }, error);
}

eh_status queue_download(eh_queue *queue, void *to, eh_buffer *from, uint64_t offset,
                         uint64_t bytes, eh_error *error)
{
	const eh_status status = buffer_check(from, offset, bytes, error);

	if (status != EH_OK)
		return status;
	if (to == NULL && bytes > 0)
		return faults_set(error, EH_E_INVALID_ARGUMENT, "There is nothing to download to");
	return move(queue, &(moving){ to, from->data + offset, bytes, 0 }, error);
}

/* ---- kernels --------------------------------------------------------------------------------- */

typedef struct execution {
	object_entry entry;
	void *args[MOST_ARGS];
	int32_t groups[3];
	uint32_t arg_count;
	/* Values, aligned for every type that fits. */
	union { unsigned char bytes[16]; long double align; void *pointer; } values[MOST_ARGS];
} execution;

static void execute(void *context, int64_t first, int64_t end)
{
	execution *e = context;

	e->entry(e->args, e->groups, first, end);
}

static void run_execution(const eh_queue *queue, void *context)
{
	execution *e = context;
	int64_t groups = 1;

	for (int d = 0; d < 3; d++)
		groups *= e->groups[d];
	/* It may have been copied since its arguments were taken. */
	for (uint32_t i = 0; i < e->arg_count; i++)
		e->args[i] = &e->values[i];
	pool_run(queue->device->pool, groups, execute, e);
}

/* The number of groups, 0 when it is not possible. */
static int64_t count_groups(const eh_launch *launch)
{
	uint64_t total = 1;

	for (int d = 0; d < 3; d++) {
		if (launch->groups[d] == 0 || launch->groups[d] > INT32_MAX ||
		    total > (uint64_t)INT64_MAX / 2 / launch->groups[d])
			return 0;
		total *= launch->groups[d];
	}
	return (int64_t)total;
}

static eh_status take_args(execution *e, const eh_launch *launch, eh_error *error)
{
	for (uint32_t i = 0; i < launch->arg_count; i++) {
		const eh_arg *a = &launch->args[i];

		if (a->buffer != NULL) {
			e->values[i].pointer = a->buffer->data;
		} else if (a->data == NULL || a->size == 0 || a->size > sizeof(e->values[i])) {
			return faults_set(error, EH_E_INVALID_ARGUMENT, "Argument %u is neither a "
			                  "buffer nor a value of 1 to %zu bytes", i,
			                  sizeof(e->values[i]));
		} else {
			memcpy(e->values[i].bytes, a->data, a->size);
		}
		e->args[i] = &e->values[i];
	}
	e->arg_count = launch->arg_count;
	return EH_OK;
}

eh_status queue_launch(eh_queue *queue, eh_kernel *kernel, const eh_launch *launch,
                       eh_error *error)
{
	const int64_t groups = count_groups(launch);
	const uint64_t plane = (uint64_t)launch->group_size[0] * launch->group_size[1];
	execution e;
	eh_status status;

	if (groups == 0)
		return faults_set(error, EH_E_INVALID_ARGUMENT, "%u x %u x %u work-groups cannot be "
		                  "launched", launch->groups[0], launch->groups[1],
		                  launch->groups[2]);
	if (plane == 0 || plane > DEVICE_GROUP_ITEMS || launch->group_size[2] == 0 ||
	    plane * launch->group_size[2] > DEVICE_GROUP_ITEMS)
		return faults_set(error, EH_E_INVALID_ARGUMENT, "A work-group of %u x %u x %u is "
		                  "not within 1 to %d work-items", launch->group_size[0],
		                  launch->group_size[1], launch->group_size[2],
		                  DEVICE_GROUP_ITEMS);
	if (launch->arg_count > MOST_ARGS || (launch->arg_count > 0 && launch->args == NULL))
		return faults_set(error, EH_E_INVALID_ARGUMENT, "%u kernel arguments are more than "
		                  "%d, or there is no list of them", launch->arg_count, MOST_ARGS);
	e.entry = kernel->entry;
	status = take_args(&e, launch, error);
	if (status != EH_OK)
		return status;
	for (int d = 0; d < 3; d++)
		e.groups[d] = (int32_t)launch->groups[d];
	if (queue->recording != NULL)
		return recording_add(queue, run_execution, &e, sizeof(e), error);
	pool_run(queue->device->pool, groups, execute, &e);
	return EH_OK;
}

/* ---- marks ----------------------------------------------------------------------------------- */

eh_status queue_mark_create(eh_device *device, uint32_t flags, eh_mark **mark, eh_error *error)
{
	const eh_status status = checks_flags("mark_create", flags, EH_TIMED, error);
	eh_mark *m = status == EH_OK ? calloc(1, sizeof(*m)) : NULL;

	if (status != EH_OK)
		return status;
	if (m == NULL)
		return faults_set(error, EH_E_NO_MEMORY, "Memory is exhausted");
	m->device = device;
	m->timed = (flags & EH_TIMED) != 0;
	*mark = m;
	return EH_OK;
}

void queue_mark_destroy(eh_mark *mark)
{
	free(mark);
}

eh_status queue_mark_record(eh_queue *queue, eh_mark *mark, eh_error *error)
{
	const eh_host *host = queue->device->state->host;

	(void)error;
	mark->queue = queue;
	mark->ns = host->now_ns(host->ctx);
	return EH_OK;
}

eh_status queue_mark_wait(eh_mark *mark, eh_error *error)
{
	if (mark->queue == NULL)
		return faults_set(error, EH_E_INVALID_ARGUMENT, "The mark was never recorded");
	return EH_OK;
}

eh_status queue_mark_passed(eh_mark *mark, uint32_t *passed, eh_error *error)
{
	if (mark->queue == NULL)
		return faults_set(error, EH_E_INVALID_ARGUMENT, "The mark was never recorded");
	*passed = 1;
	return EH_OK;
}

eh_status queue_mark_elapsed(eh_mark *from, eh_mark *to, uint64_t *ns, eh_error *error)
{
	const bool timed = from->timed && to->timed && from->queue != NULL && from->queue->timed;
	const eh_status usable = checks_elapsed(from->queue, to->queue, timed, error);

	if (usable != EH_OK)
		return usable;
	if (to->ns < from->ns)
		return faults_set(error, EH_E_INVALID_ARGUMENT, "The first mark is the later one");
	*ns = to->ns - from->ns;
	return EH_OK;
}
