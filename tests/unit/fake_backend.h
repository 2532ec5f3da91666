/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A backend inside the test program, with faults to order.  Work takes real time: every command
 * has a time at which it completes on the host's clock, takes effect then, and waiting for it means
 * waiting until then.  The device clock is the host's, unless a fault bends it.
 */
#ifndef TESTS_FAKE_BACKEND_H
#define TESTS_FAKE_BACKEND_H

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/random.h"
#include "base/text.h"
#include "plugin/session.h"

enum fault {
	FAULT_NONE,
	FAULT_EARLY,          /* waiting does not wait; downloads do                          */
	FAULT_EARLY_BLIND,    /* neither does                                                 */
	FAULT_HALF,           /* waiting, and reading one word, ends when half of it is over  */
	FAULT_TICK,           /* every device time is 1 ns                                    */
	FAULT_CLOCK_FAST,     /* the device clock runs 1.5 times as fast                      */
	FAULT_CLOCK_SLOW,     /* or 0.3 times                                                 */
	FAULT_WRONG,          /* one value of each output is wrong                            */
	FAULT_STALE,          /* a download gives what the first one of that buffer gave      */
	FAULT_SKIP,           /* launches do nothing and take no time                         */
	FAULT_SKIP_REPEATED,  /* a launch equal to the last command is left out               */
	FAULT_MERGE,          /* launches without a mark between them become one, the first   */
	FAULT_MERGE_LAST,     /* or the last of them                                          */
	FAULT_ERROR,          /* launching fails                                              */
	FAULT_LOST,           /* the device is lost                                           */
	FAULT_BACKWARDS,      /* every third mark has a time before the one before it         */
	FAULT_NO_MEMORY,      /* large buffers cannot be had                                  */
	FAULT_PASSED,         /* asked without waiting, every mark has passed                 */
	FAULT_MEMO,           /* work takes longer on inputs it has not had before             */
	FAULT_BORROWED        /* a mark has the end of the launch before it, or the beginning of
	                         the next one where none was launched since the last wait     */
};

enum { FAKE_REMEMBERED = 256, FAKE_WAITING = 64, FAKE_MARK_NS = 40 };

/* How long before its end a wait stops to sleep, which may take longer than was asked for. */
#ifndef FAKE_SPIN_NS
#define FAKE_SPIN_NS UINT64_C(200000)
#endif

enum { FAKE_COMPUTE = 1, FAKE_MEMORY, FAKE_WORK };

typedef struct fake_command fake_command;
struct fake_command {
	enum { FAKE_FILL, FAKE_COPY, FAKE_UPLOAD, FAKE_LAUNCH, FAKE_MARK } kind;
	uint64_t done_ns;
	eh_buffer *buffer;
	uint64_t offset, bytes;
	uint32_t pattern;
	void *data;             /* of an upload                                               */
	int kernel;
	eh_buffer *args[3];
	int64_t numbers[4];
	uint32_t groups;
	eh_mark *mark;
	fake_command *next;
};

typedef struct fake {
	enum fault fault;
	uint64_t fault_after;   /* launches of the work; 0 = from the start                   */
	bool fault_till_inputs; /* it ends when inputs change                                 */
	uint64_t remembered[FAKE_REMEMBERED]; /* contents that were uploaded                   */
	size_t remembered_count;
	bool fresh;             /* an upload since the last launch was new                    */
	uint64_t memo_percent;  /* of its time that work then takes; 0 = 1000                 */
	uint64_t memo_times;    /* after so often it takes no longer; 0 = always              */
	uint64_t work_ns;       /* one launch of the work                                     */
	uint64_t read_ns;       /* every download sleeps so long after the work               */
	bool read_least;        /* or lasts at least so long, the wait for the work included  */
	uint64_t unseen_ns;     /* that the device clock leaves out between two marks         */
	uint64_t wake_ns;       /* until who waits knows that what was waited for is done     */
	uint64_t spin_ns;       /* a wait that is over sooner was never asleep                */
	uint64_t wake_slow_ns;  /* now and then it takes so long, with a chance of            */
	double wake_slow_share;
	uint64_t taken_turn_ns; /* others have the processors: waking takes one to three turns  */
	uint64_t taken_phase_ns; /* in every second phase, so long                            */
	random_state wakes;
	bool slept;             /* in the last wait                                           */
	uint64_t launch_ns;     /* of the host's time that a launch takes                     */
	uint64_t group_ns;      /* that a group of the canary's memory part takes, 0 = 5000   */
	uint64_t clock_step_ns; /* of the device clock; 0 = 1 ns                              */
	uint64_t (*done_after)(uint64_t from_ns, uint64_t cost_ns); /* NULL: their sum        */
	uint64_t cold_ns;       /* that the work takes longer after another output, 0 = never  */
	const eh_buffer *warm;  /* the output of the last launch of the work                  */
	uint64_t settled_after; /* launches of the work up to which it takes twice as long    */
	uint64_t launches;      /* of the work                                                */
	uint64_t slow_after;    /* launches of the work after which the canary takes four times
	                           as long; 0 = never                                         */
	uint64_t busy_ns;       /* when everything enqueued has completed                     */
	fake_command *first, *last;
	int64_t last_launch;    /* the number that tells launches of the work apart, -1 none  */
	uint64_t lent_ns;       /* the end of the newest launch since the last wait, 0 = none */
	eh_mark *waiting[FAKE_WAITING]; /* marks that borrow the beginning of the next one    */
	size_t waiting_count;
	size_t objects;         /* alive, to find leaks                                       */
} fake;

struct eh_device { fake *f; };
struct eh_queue { fake *f; bool timed; };
struct eh_buffer { fake *f; uint64_t bytes; unsigned char *data, *old; uint32_t filled; };
struct eh_program { fake *f; eh_kernel *kernels; };
struct eh_kernel { int id; };
struct eh_mark { fake *f; bool timed; const eh_queue *queue; uint64_t done_ns; };

static bool fake_has(const fake *f, enum fault fault)
{
	return f->fault == fault && f->launches >= f->fault_after;
}

static void fake_run(const fake_command *c, bool wrong)
{
	switch (c->kind) {
	case FAKE_FILL:
		for (uint64_t i = 0; i < c->bytes; i += 4)
			memcpy(c->buffer->data + c->offset + i, &c->pattern, 4);
		break;
	case FAKE_COPY:
		memcpy(c->buffer->data + c->offset, c->args[0]->data + c->numbers[0], c->bytes);
		break;
	case FAKE_UPLOAD:
		memcpy(c->buffer->data + c->offset, c->data, c->bytes);
		break;
	case FAKE_MARK:
		break;
	case FAKE_LAUNCH: {
		float *out = (float *)c->args[1]->data;

		if (c->kernel == FAKE_WORK) {
			const float *in = (const float *)c->args[0]->data;

			for (int64_t i = 0; i < c->numbers[0]; i++)
				out[i] = 2 * in[i] + 1;
			if (wrong)
				out[c->numbers[0] / 2] += 1;
		} else {
			float value = c->kernel == FAKE_MEMORY ? (float)c->numbers[1] : 0.5f;

			for (uint32_t i = 0; i < c->groups * 64; i++)
				out[i] = value;
		}
		break;
	}
	}
}

/* Everything that has completed by now takes effect. */
static void fake_advance(fake *f, uint64_t now)
{
	while (f->first != NULL && f->first->done_ns <= now) {
		fake_command *c = f->first;

		fake_run(c, fake_has(f, FAULT_WRONG));
		f->first = c->next;
		if (f->first == NULL)
			f->last = NULL;
		free(c->data);
		free(c);
	}
}

static void fake_wait_until(fake *f, uint64_t when)
{
	uint64_t now = clock_now_ns();

	f->slept = f->spin_ns == 0 || when > now + f->spin_ns;
	while (now < when) {
		if (when - now > FAKE_SPIN_NS + FAKE_SPIN_NS / 2)
			clock_sleep_ns(when - now - FAKE_SPIN_NS);
		now = clock_now_ns();
	}
	fake_advance(f, now);
}

static void fake_wait_half(fake *f)
{
	uint64_t now = clock_now_ns();

	if (f->busy_ns > now)
		fake_wait_until(f, now + (f->busy_ns - now) / 2);
}

/* Who waits sleeps, and has to be woken. */
static void fake_wake(fake *f)
{
	f->lent_ns = 0;
	f->waiting_count = 0;
	if (!f->slept)
		return;
	bool slow = f->wake_slow_ns > 0 && random_unit(&f->wakes) < f->wake_slow_share;
	uint64_t takes = slow ? f->wake_slow_ns : f->wake_ns;

	if (f->taken_turn_ns > 0 && clock_now_ns() / f->taken_phase_ns % 2 == 1)
		takes += f->taken_turn_ns * (1 + random_below(&f->wakes, 3));
	if (takes > 0)
		fake_wait_until(f, clock_now_ns() + takes);
}

static fake_command *fake_enqueue(fake *f, uint64_t cost_ns)
{
	fake_command *c = memory_get(sizeof(*c));
	uint64_t now = clock_now_ns();

	fake_advance(f, now);
	f->busy_ns = f->busy_ns > now ? f->busy_ns : now;
	f->busy_ns = f->done_after != NULL ? f->done_after(f->busy_ns, cost_ns) :
	             f->busy_ns + cost_ns;
	c->done_ns = f->busy_ns;
	if (f->last != NULL)
		f->last->next = c;
	else
		f->first = c;
	f->last = c;
	return c;
}

static eh_status fake_alloc(eh_device *device, uint32_t kind, uint64_t bytes, eh_buffer **buffer,
                            eh_error *error)
{
	(void)kind;
	if (fake_has(device->f, FAULT_NO_MEMORY) && bytes <= 8192 && bytes > 64)
		return error_set(error, EH_E_NO_MEMORY, "The device has no memory left.");
	*buffer = memory_get(sizeof(**buffer));
	(*buffer)->f = device->f;
	(*buffer)->bytes = bytes;
	(*buffer)->data = memory_get(bytes);
	device->f->objects++;
	return EH_OK;
}

static void fake_free(eh_buffer *buffer)
{
	if (buffer == NULL)
		return;
	/* What an early wait left behind must not write to freed memory. */
	fake_advance(buffer->f, UINT64_MAX);
	buffer->f->objects--;
	free(buffer->data);
	free(buffer->old);
	free(buffer);
}

static eh_status fake_queue_wait(eh_queue *queue, eh_error *error)
{
	(void)error;
	if (fake_has(queue->f, FAULT_EARLY) || fake_has(queue->f, FAULT_EARLY_BLIND))
		return EH_OK;
	if (fake_has(queue->f, FAULT_HALF))
		fake_wait_half(queue->f);
	else
		fake_wait_until(queue->f, queue->f->busy_ns);
	fake_wake(queue->f);
	return EH_OK;
}

static eh_status fake_fill(eh_queue *queue, eh_buffer *buffer, uint64_t offset, uint64_t bytes,
                           uint32_t pattern, eh_error *error)
{
	fake_command *c = fake_enqueue(queue->f, 1000);

	(void)error;
	c->kind = FAKE_FILL;
	c->buffer = buffer;
	c->offset = offset;
	c->bytes = bytes;
	c->pattern = pattern;
	buffer->filled = pattern;
	queue->f->last_launch = -1;
	return EH_OK;
}

static eh_status fake_copy(eh_queue *queue, eh_buffer *to, uint64_t to_offset, eh_buffer *from,
                           uint64_t from_offset, uint64_t bytes, eh_error *error)
{
	fake_command *c = fake_enqueue(queue->f, 1000);

	(void)error;
	c->kind = FAKE_COPY;
	c->buffer = to;
	c->offset = to_offset;
	c->args[0] = from;
	c->numbers[0] = (int64_t)from_offset;
	c->bytes = bytes;
	queue->f->last_launch = -1;
	return EH_OK;
}

static void fake_remember(fake *f, const void *from, uint64_t bytes)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	for (uint64_t i = 0; i < bytes; i++)
		hash = (hash ^ ((const unsigned char *)from)[i]) * UINT64_C(0x100000001b3);
	for (size_t i = 0; i < f->remembered_count; i++)
		if (f->remembered[i] == hash)
			return;
	f->fresh = true;
	if (f->remembered_count < FAKE_REMEMBERED)
		f->remembered[f->remembered_count++] = hash;
	if (f->fault_till_inputs && f->launches > f->fault_after)
		f->fault = FAULT_NONE;
}

static eh_status fake_upload(eh_queue *queue, eh_buffer *to, uint64_t offset, const void *from,
                             uint64_t bytes, eh_error *error)
{
	fake_command *c = fake_enqueue(queue->f, 1000);

	(void)error;
	fake_remember(queue->f, from, bytes);
	c->kind = FAKE_UPLOAD;
	c->buffer = to;
	c->offset = offset;
	c->bytes = bytes;
	c->data = memory_get(bytes);
	memcpy(c->data, from, bytes);
	queue->f->last_launch = -1;
	return EH_OK;
}

static eh_status fake_download(eh_queue *queue, void *to, eh_buffer *from, uint64_t offset,
                               uint64_t bytes, eh_error *error)
{
	fake *f = queue->f;
	uint64_t start = clock_now_ns();

	(void)error;
	if (fake_has(f, FAULT_HALF) && bytes == sizeof(from->filled)) {
		fake_wait_half(f);
		memcpy(to, &from->filled, bytes);
		return EH_OK;
	}
	if (!fake_has(f, FAULT_EARLY_BLIND))
		fake_wait_until(f, f->busy_ns);
	if (f->fault == FAULT_STALE && from->old == NULL) {
		from->old = memory_get(from->bytes);
		memcpy(from->old, from->data, from->bytes);
	}
	memcpy(to, (fake_has(f, FAULT_STALE) ? from->old : from->data) + offset, bytes);
	if (f->wake_slow_ns > 0 || f->taken_turn_ns > 0)
		fake_wake(f);
	if (f->read_ns > 0)
		fake_wait_until(f, (f->read_least ? start : clock_now_ns()) + f->read_ns);
	return EH_OK;
}

static eh_status fake_build(eh_device *device, const eh_source *source, eh_program **program,
                            char *log, size_t log_size, eh_error *error)
{
	(void)source;
	(void)error;
	if (log != NULL && log_size > 0)
		log[0] = '\0';
	*program = memory_get(sizeof(**program));
	(*program)->f = device->f;
	(*program)->kernels = memory_get(3 * sizeof(eh_kernel));
	device->f->objects++;
	return EH_OK;
}

static void fake_program_destroy(eh_program *program)
{
	if (program == NULL)
		return;
	program->f->objects--;
	free(program->kernels);
	free(program);
}

static eh_status fake_kernel(eh_program *program, const char *name, eh_kernel **kernel,
                             eh_error *error)
{
	int id = strcmp(name, "canary_compute") == 0 ? FAKE_COMPUTE :
	         strcmp(name, "canary_memory") == 0 ? FAKE_MEMORY :
	         strcmp(name, "work") == 0 ? FAKE_WORK : 0;

	if (id == 0)
		return error_set(error, EH_E_INVALID_ARGUMENT, "There is no kernel %s.", name);
	*kernel = &program->kernels[id - 1];
	(*kernel)->id = id;
	return EH_OK;
}

/* Buffers come first in every kernel's arguments; compute has its output first and alone. */
static eh_status fake_launch(eh_queue *queue, eh_kernel *kernel, const eh_launch *launch,
                             eh_error *error)
{
	fake *f = queue->f;
	int64_t numbers[4] = { 0 };
	eh_buffer *args[3] = { 0 };
	size_t buffers = 0;
	size_t count = 0;
	uint64_t cost;
	fake_command *c;

	/* However little comes of it, launching takes the host some time. */
	(void)clock_now_ns();
	if (f->launch_ns > 0)
		fake_wait_until(f, clock_now_ns() + f->launch_ns);
	for (uint32_t i = 0; i < launch->arg_count; i++) {
		if (launch->args[i].buffer != NULL)
			args[buffers++] = launch->args[i].buffer;
		else
			memcpy(&numbers[count++], launch->args[i].data, launch->args[i].size);
	}
	if (kernel->id == FAKE_COMPUTE)
		cost = 2000 + (uint64_t)numbers[0] * 2000;
	else if (kernel->id == FAKE_MEMORY)
		cost = 2000 + launch->groups[0] * (f->group_ns != 0 ? f->group_ns : UINT64_C(5000));
	else
		cost = f->work_ns * (uint64_t)numbers[1];
	if (kernel->id == FAKE_WORK) {
		f->launches++;
		if (fake_has(f, FAULT_LOST))
			return error_set(error, EH_E_DEVICE_LOST, "The device fell off the bus.");
		if (fake_has(f, FAULT_ERROR))
			return error_set(error, EH_E_DEVICE, "The device reports a fault.");
		if (fake_has(f, FAULT_SKIP) ||
		    (fake_has(f, FAULT_SKIP_REPEATED) && f->last_launch == numbers[1]))
			return EH_OK;
		if (fake_has(f, FAULT_MERGE) && f->last != NULL && f->last->kind == FAKE_LAUNCH &&
		    f->last->kernel == FAKE_WORK)
			return EH_OK;
		if (fake_has(f, FAULT_MERGE_LAST) && f->last != NULL && f->last->kind == FAKE_LAUNCH &&
		    f->last->kernel == FAKE_WORK) {
			f->last->args[0] = args[0];
			f->last->args[1] = args[1];
			return EH_OK;
		}
		f->last_launch = numbers[1];
	}
	if (kernel->id == FAKE_WORK && f->launches <= f->settled_after)
		cost *= 2;
	if (kernel->id == FAKE_WORK) {
		if (f->fresh && fake_has(f, FAULT_MEMO)) {
			cost = cost * (f->memo_percent != 0 ? f->memo_percent : 1000) / 100;
			if (f->memo_times > 0 && --f->memo_times == 0)
				f->fault = FAULT_NONE;
		}
		f->fresh = false;
		cost += f->warm != args[1] ? f->cold_ns : 0;
		f->warm = args[1];
	}
	if (f->slow_after != 0 && f->launches > f->slow_after && kernel->id != FAKE_WORK)
		cost *= 4;
	c = fake_enqueue(f, cost);
	f->lent_ns = c->done_ns;
	while (f->waiting_count > 0)
		f->waiting[--f->waiting_count]->done_ns = c->done_ns - cost;
	c->kind = FAKE_LAUNCH;
	c->kernel = kernel->id;
	c->groups = launch->groups[0];
	c->args[0] = args[0];
	c->args[1] = kernel->id == FAKE_COMPUTE ? args[0] : args[1];
	memcpy(c->numbers, numbers, sizeof(numbers));
	return EH_OK;
}

static eh_status fake_mark_create(eh_device *device, uint32_t flags, eh_mark **mark,
                                  eh_error *error)
{
	(void)error;
	*mark = memory_get(sizeof(**mark));
	(*mark)->f = device->f;
	(*mark)->timed = (flags & EH_TIMED) != 0;
	device->f->objects++;
	return EH_OK;
}

static void fake_mark_destroy(eh_mark *mark)
{
	if (mark == NULL)
		return;
	mark->f->objects--;
	free(mark);
}

static eh_status fake_mark_record(eh_queue *queue, eh_mark *mark, eh_error *error)
{
	fake *f = queue->f;
	fake_command *c = fake_enqueue(f, FAKE_MARK_NS);

	(void)error;
	c->kind = FAKE_MARK;
	c->mark = mark;
	mark->queue = queue;
	mark->done_ns = c->done_ns;
	if (!fake_has(f, FAULT_BORROWED))
		return EH_OK;
	if (f->lent_ns != 0)
		mark->done_ns = f->lent_ns;
	else if (f->waiting_count < FAKE_WAITING)
		f->waiting[f->waiting_count++] = mark;
	return EH_OK;
}

static eh_status fake_mark_wait(eh_mark *mark, eh_error *error)
{
	(void)error;
	if (fake_has(mark->f, FAULT_EARLY) || fake_has(mark->f, FAULT_EARLY_BLIND))
		return EH_OK;
	fake_wait_until(mark->f, mark->done_ns);
	fake_wake(mark->f);
	return EH_OK;
}

static eh_status fake_mark_elapsed(eh_mark *from, eh_mark *to, uint64_t *ns, eh_error *error)
{
	const fake *f = from->f;
	static unsigned asked;

	if (!from->timed || !to->timed || !from->queue->timed || from->queue != to->queue)
		return error_set(error, EH_E_INVALID_ARGUMENT, "two timed marks of one timed queue");
	*ns = f->clock_step_ns == 0 ? to->done_ns - from->done_ns :
	      (to->done_ns / f->clock_step_ns - from->done_ns / f->clock_step_ns) * f->clock_step_ns;
	*ns -= *ns < f->unseen_ns ? *ns : f->unseen_ns;
	if (fake_has(f, FAULT_BACKWARDS) && ++asked % 3 == 0)
		*ns /= 2;
	if (fake_has(f, FAULT_TICK))
		*ns = 1;
	if (fake_has(f, FAULT_CLOCK_FAST))
		*ns = *ns * 3 / 2;
	if (fake_has(f, FAULT_CLOCK_SLOW))
		*ns = *ns * 3 / 10;
	return EH_OK;
}

static eh_status fake_mark_passed(eh_mark *mark, uint32_t *passed, eh_error *error)
{
	uint64_t now = clock_now_ns();

	(void)error;
	fake_advance(mark->f, now);
	*passed = mark->done_ns <= now || fake_has(mark->f, FAULT_PASSED);
	return EH_OK;
}

static const eh_backend_ops fake_ops = {
	.struct_size = sizeof(fake_ops),
	.buffer_alloc = fake_alloc,
	.buffer_free = fake_free,
	.queue_wait = fake_queue_wait,
	.fill = fake_fill,
	.copy = fake_copy,
	.upload = fake_upload,
	.download = fake_download,
	.program_build = fake_build,
	.program_destroy = fake_program_destroy,
	.kernel_get = fake_kernel,
	.launch = fake_launch,
	.mark_create = fake_mark_create,
	.mark_destroy = fake_mark_destroy,
	.mark_record = fake_mark_record,
	.mark_wait = fake_mark_wait,
	.mark_elapsed = fake_mark_elapsed,
	.mark_passed = fake_mark_passed,
};

/* A session on *f; the device and its two queues are the caller's. */
static void fake_session(fake *f, eh_device *device, eh_queue queue[2], session *s)
{
	f->last_launch = -1;
	device->f = f;
	queue[0] = (eh_queue){ .f = f, .timed = true };
	queue[1] = (eh_queue){ .f = f };
	*s = (session){ .ops = &fake_ops, .device = device, .queue = &queue[0], .plain = &queue[1] };
	s->info.struct_size = sizeof(s->info);
	s->info.caps = EH_CAP_ASYNC | EH_CAP_DEVICE_TIME;
	s->info.memory_bytes = UINT64_C(1) << 30;
	s->info.compute_units = 1;
}

#endif
