/* SPDX-License-Identifier: Apache-2.0 */
#include "queue.h"

#include <sched.h>
#include <stdlib.h>

#include "evenhand/backend_helper.h"

static uint64_t now_ns(const eh_device *device)
{
	return device->host->now_ns(device->host->ctx);
}

/* ---- counters -------------------------------------------------------------------------------- */

/* What was written before is visible to whoever sees the new value.  A thread is woken only for the
 * value that it waits for: waking costs more than many a command. */
static void counter_advance(eh_device *device, counter *c, uint64_t value)
{
	pthread_mutex_lock(&device->lock);
	atomic_store(&c->value, value);
	if (c->wanted != 0 && c->wanted <= value) {
		c->wanted = 0;
		pthread_cond_broadcast(&device->reached);
	}
	pthread_mutex_unlock(&device->lock);
}

/* Looks for a moment before it sleeps: a round trip would else pay for two wake-ups.  It yields
 * meanwhile, for the other side may need this processor. */
static void counter_await(eh_device *device, counter *c, uint64_t goal)
{
	if (atomic_load(&c->value) >= goal)
		return;
	for (const uint64_t until = now_ns(device) + SPIN_NS; now_ns(device) < until; sched_yield())
		if (atomic_load(&c->value) >= goal)
			return;
	pthread_mutex_lock(&device->lock);
	while (atomic_load(&c->value) < goal) {
		if (c->wanted == 0 || c->wanted > goal)
			c->wanted = goal;
		pthread_cond_wait(&device->reached, &device->lock);
	}
	pthread_mutex_unlock(&device->lock);
}

/* ---- errors of commands: the first one is kept until a wait tells it ------------------------- */

static void failure_keep(eh_queue *queue, const eh_error *error)
{
	pthread_mutex_lock(&queue->device->lock);
	if (queue->failure.code == EH_OK)
		queue->failure = *error;
	pthread_mutex_unlock(&queue->device->lock);
}

static eh_status failure_tell(eh_queue *queue, eh_error *error)
{
	eh_error whole;

	pthread_mutex_lock(&queue->device->lock);
	whole = queue->failure;
	queue->failure.code = EH_OK;
	pthread_mutex_unlock(&queue->device->lock);
	if (whole.code != EH_OK && error != NULL)
		eh_give(error, &whole, sizeof(whole));
	return whole.code;
}

/* ---- queues ---------------------------------------------------------------------------------- */

static void *queue_main(void *context)
{
	eh_queue *q = context;

	for (uint64_t n = 0;; n++) {
		const command *c = &q->ring[n % QUEUE_ROOM];
		eh_error error = { .struct_size = sizeof(error) };

		counter_await(q->device, &q->added, n + 1);
		if (c->run == NULL)
			return NULL;
		if (c->run(q, c, &error) != EH_OK)
			failure_keep(q, &error);
		counter_advance(q->device, &q->done, n + 1);
	}
}

void queue_add(eh_queue *queue, const command *c)
{
	const uint64_t n = atomic_load(&queue->added.value); /* only the caller changes it */

	if (n >= QUEUE_ROOM)
		counter_await(queue->device, &queue->done, n + 1 - QUEUE_ROOM);
	queue->ring[n % QUEUE_ROOM] = *c;
	counter_advance(queue->device, &queue->added, n + 1);
}

eh_status queue_create(eh_device *device, uint32_t flags, eh_queue **queue, eh_error *error)
{
	pthread_attr_t attributes;
	eh_queue *q;
	int failed;

	if ((flags & ~(uint32_t)(EH_TIMED | EH_COPIES)) != 0)
		return eh_fail(error, EH_E_INVALID_ARGUMENT, "queue_create", "unknown flags");
	q = calloc(1, sizeof(*q));
	if (q == NULL)
		return eh_fail(error, EH_E_NO_MEMORY, "queue_create",
		               "this process has no memory left");
	q->device = device;
	q->timed = (flags & EH_TIMED) != 0;
	failed = pthread_attr_init(&attributes);
	if (failed == 0) {
		failed = pthread_attr_setstacksize(&attributes, QUEUE_STACK);
		if (failed == 0)
			failed = pthread_create(&q->thread, &attributes, queue_main, q);
		pthread_attr_destroy(&attributes);
	}
	if (failed != 0) {
		free(q);
		return eh_fail_native(error, EH_E_NO_MEMORY, "pthread_create", failed, "",
		                      "no thread can be started: raise the limit (ulimit -u)");
	}
	*queue = q;
	return EH_OK;
}

/* The command without a function is the last one: the thread has run all others when it ends. */
void queue_destroy(eh_queue *queue)
{
	if (queue == NULL) /* as for every destroy function */
		return;
	queue_add(queue, &(command){ .run = NULL });
	pthread_join(queue->thread, NULL);
	free(queue);
}

eh_status queue_wait(eh_queue *queue, eh_error *error)
{
	counter_await(queue->device, &queue->done, atomic_load(&queue->added.value));
	return failure_tell(queue, error);
}

static eh_status run_wait_mark(eh_queue *queue, const command *self, eh_error *error)
{
	(void)error;
	counter_await(queue->device, &self->mark.mark->passed, self->mark.recording);
	return EH_OK;
}

eh_status queue_wait_mark(eh_queue *queue, eh_mark *mark, eh_error *error)
{
	if (mark->recorded == 0)
		return eh_fail(error, EH_E_INVALID_ARGUMENT, "queue_wait_mark",
		               "the mark was not recorded");
	queue_add(queue, &(command){ .run = run_wait_mark, .mark = { mark, mark->recorded } });
	return EH_OK;
}

/* ---- marks: points in a queue, with a time --------------------------------------------------- */

eh_status mark_create(eh_device *device, uint32_t flags, eh_mark **mark, eh_error *error)
{
	eh_mark *m;

	if ((flags & ~(uint32_t)EH_TIMED) != 0)
		return eh_fail(error, EH_E_INVALID_ARGUMENT, "mark_create", "unknown flags");
	m = calloc(1, sizeof(*m));
	if (m == NULL)
		return eh_fail(error, EH_E_NO_MEMORY, "mark_create",
		               "this process has no memory left");
	m->device = device;
	m->timed = (flags & EH_TIMED) != 0;
	*mark = m;
	return EH_OK;
}

void mark_destroy(eh_mark *mark)
{
	free(mark);
}

/* The time is that of the passing, and taken only where somebody may ask for it. */
static eh_status run_mark(eh_queue *queue, const command *self, eh_error *error)
{
	eh_mark *mark = self->mark.mark;

	(void)error;
	if (queue->timed && mark->timed)
		mark->ns = now_ns(queue->device);
	counter_advance(queue->device, &mark->passed, self->mark.recording);
	return EH_OK;
}

/* ---- yours: cuEventRecord, the event of clEnqueueMarkerWithWaitList,
 * zeCommandListAppendWriteGlobalTimestamp. */
eh_status mark_record(eh_queue *queue, eh_mark *mark, eh_error *error)
{
	(void)error;
	/* A mark passes its recordings in their order: one queue sees to it, two do not. */
	if (mark->queue != queue)
		counter_await(mark->device, &mark->passed, mark->recorded);
	mark->queue = queue;
	mark->recorded++;
	queue_add(queue, &(command){ .run = run_mark, .mark = { mark, mark->recorded } });
	return EH_OK;
}

eh_status mark_wait(eh_mark *mark, eh_error *error)
{
	if (mark->recorded == 0)
		return eh_fail(error, EH_E_INVALID_ARGUMENT, "mark_wait",
		               "the mark was not recorded");
	counter_await(mark->device, &mark->passed, mark->recorded);
	return failure_tell(mark->queue, error);
}

eh_status mark_passed(eh_mark *mark, uint32_t *passed, eh_error *error)
{
	eh_status status;
	bool done;

	if (mark->recorded == 0)
		return eh_fail(error, EH_E_INVALID_ARGUMENT, "mark_passed",
		               "the mark was not recorded");
	done = atomic_load(&mark->passed.value) == mark->recorded;
	/* It takes the lock: then the queue's thread has left a mark that has passed, and the caller may
	 * destroy it. */
	status = failure_tell(mark->queue, error);
	if (status == EH_OK)
		*passed = done;
	return status;
}

eh_status mark_elapsed(eh_mark *from, eh_mark *to, uint64_t *ns, eh_error *error)
{
	if (from->queue == NULL || from->queue != to->queue || !from->queue->timed ||
	    !from->timed || !to->timed)
		return eh_fail(error, EH_E_INVALID_ARGUMENT, "mark_elapsed",
		               "two timed marks of one timed queue have a time between them");
	if (atomic_load(&from->passed.value) < from->recorded ||
	    atomic_load(&to->passed.value) < to->recorded)
		return eh_fail(error, EH_E_INVALID_ARGUMENT, "mark_elapsed",
		               "a mark has not passed: wait for it first");
	if (to->ns < from->ns)
		return eh_fail(error, EH_E_INVALID_ARGUMENT, "mark_elapsed",
		               "the marks are in the wrong order");
	*ns = to->ns - from->ns;
	return EH_OK;
}
