/* SPDX-License-Identifier: Apache-2.0 */
#include "streams.h"

#include <stdlib.h>
#include <time.h>

#include "faults.h"

typedef enum task_kind { TASK_COMMAND, TASK_RECORD, TASK_WAIT, TASK_GRAPH } task_kind;

typedef struct task {
	struct task *next;
	task_kind kind;
	streams_work work;
	streams_event *event;   /* of a record                                               */
	streams_stream *other;  /* of a wait: until its ticket is done                       */
	uint64_t ticket;
	streams_graph *graph;
} task;

struct streams_graph {
	task *first, **last;
	uint64_t size;
	unsigned holds;
};

struct streams_stream {
	streams_device *device;
	streams_stream *next;
	unsigned holds;
	bool blocking;
	task *first, **last;
	uint64_t enqueued, done;
	streams_graph *capture;
	bool began_capture;
};

struct streams_event {
	unsigned holds;
	bool timed;
	bool recorded;
	streams_stream *stream; /* of the latest record; held                                */
	uint64_t ticket;
	uint64_t ns;
	streams_graph *captured; /* the graph that holds the latest record, not held          */
};

struct streams_device {
	int64_t fate, lost_code;
	bool hangs;
	uint64_t ticks;
	streams_stream *streams;
	streams_stream *legacy;
};

uint64_t streams_now(void)
{
	struct timespec time = { 0, 0 };

	(void)clock_gettime(CLOCK_MONOTONIC_RAW, &time);
	return (uint64_t)time.tv_sec * UINT64_C(1000000000) + (uint64_t)time.tv_nsec;
}

static void *allocate(size_t size)
{
	void *memory = calloc(1, size);

	if (memory == NULL)
		abort();
	return memory;
}

static void stream_drop(streams_stream *stream)
{
	if (stream != NULL && --stream->holds == 0)
		free(stream);
}

static void event_drop(streams_event *event)
{
	if (--event->holds > 0)
		return;
	stream_drop(event->stream);
	free(event);
}

static void task_free(task *t)
{
	if (t->work.drop != NULL)
		t->work.drop(t->work.data);
	if (t->event != NULL)
		event_drop(t->event);
	stream_drop(t->other);
	if (t->graph != NULL)
		streams_graph_drop(t->graph);
	free(t);
}

streams_device *streams_device_of(const streams_stream *stream)
{
	return stream->device;
}

streams_device *streams_device_new(int64_t lost_code)
{
	streams_device *device = allocate(sizeof(*device));

	device->lost_code = lost_code;
	device->legacy = streams_new(device, false);
	return device;
}

void streams_device_free(streams_device *device)
{
	for (streams_stream *s = device->streams, *next; s != NULL; s = next) {
		next = s->next;
		streams_free(s);
	}
	free(device);
}

int64_t streams_device_fate(const streams_device *device)
{
	return device->fate;
}

streams_stream *streams_device_legacy(streams_device *device)
{
	return device->legacy;
}

streams_stream *streams_new(streams_device *device, bool blocking)
{
	streams_stream *stream = allocate(sizeof(*stream));

	stream->device = device;
	stream->holds = 1;
	stream->blocking = blocking;
	stream->last = &stream->first;
	stream->next = device->streams;
	device->streams = stream;
	return stream;
}

bool streams_belongs(const streams_stream *stream, const streams_device *device)
{
	return stream->device == device;
}

static void run_until(streams_stream *stream, uint64_t ticket);

static void append(streams_stream *stream, task *t)
{
	*stream->last = t;
	stream->last = &t->next;
	stream->enqueued++;
}

static void run_command(streams_device *device, task *t)
{
	int64_t code;

	faults_slow();
	if (faults_due(FAULTS_HANG)) {
		device->hangs = true;
		return;
	}
	if (faults_due(FAULTS_LOST)) {
		device->fate = device->lost_code;
		return;
	}
	if (faults_due(FAULTS_STALE))
		return;
	code = t->work.run(t->work.data);
	if (code != 0)
		device->fate = code;
	else if (faults_due(FAULTS_WRONG) && t->work.spoil != NULL)
		t->work.spoil(t->work.data);
}

static void run_task(streams_device *device, task *t)
{
	if (t->kind == TASK_WAIT)
		run_until(t->other, t->ticket);
	if (device->fate != 0 || device->hangs)
		return;
	switch (t->kind) {
	case TASK_COMMAND:
		run_command(device, t);
		break;
	case TASK_RECORD:
		t->event->ns = faults_clock(streams_now(), &device->ticks);
		break;
	case TASK_WAIT:
		break;
	case TASK_GRAPH:
		for (task *node = t->graph->first; node != NULL; node = node->next)
			run_task(device, node);
		break;
	}
}

static void run_first(streams_stream *stream)
{
	task *t = stream->first;

	run_task(stream->device, t);
	if (stream->device->hangs)
		return;
	stream->first = t->next;
	if (stream->first == NULL)
		stream->last = &stream->first;
	stream->done++;
	task_free(t);
}

static void run_until(streams_stream *stream, uint64_t ticket)
{
	while (stream->done < ticket && !stream->device->hangs)
		run_first(stream);
}

static int64_t wait_until(streams_stream *stream, uint64_t ticket)
{
	if (faults_due(FAULTS_EARLY))
		return stream->device->fate;
	run_until(stream, ticket);
	if (stream->device->hangs)
		faults_hang();
	return stream->device->fate;
}

void streams_free(streams_stream *stream)
{
	streams_stream **link = &stream->device->streams;

	if (stream->capture != NULL && stream->began_capture)
		streams_graph_drop(stream->capture);
	run_until(stream, stream->enqueued);
	while (stream->first != NULL) {
		task *t = stream->first;

		stream->first = t->next;
		task_free(t);
	}
	stream->done = stream->enqueued;
	while (*link != stream)
		link = &(*link)->next;
	*link = stream->next;
	stream_drop(stream);
}

static void add_wait(streams_stream *stream, streams_stream *other, uint64_t ticket)
{
	task *t = allocate(sizeof(*t));

	t->kind = TASK_WAIT;
	t->other = other;
	t->ticket = ticket;
	other->holds++;
	append(stream, t);
}

static void heed_legacy(streams_stream *stream)
{
	streams_device *device = stream->device;

	if (stream != device->legacy) {
		if (stream->blocking && device->legacy->done < device->legacy->enqueued)
			add_wait(stream, device->legacy, device->legacy->enqueued);
		return;
	}
	for (streams_stream *s = device->streams; s != NULL; s = s->next)
		if (s->blocking && s->done < s->enqueued)
			add_wait(stream, s, s->enqueued);
}

static void put(streams_stream *stream, task *t)
{
	if (stream->capture != NULL) {
		*stream->capture->last = t;
		stream->capture->last = &t->next;
		stream->capture->size++;
		return;
	}
	heed_legacy(stream);
	append(stream, t);
}

int64_t streams_enqueue(streams_stream *stream, streams_work work)
{
	task *t;

	if (stream->device->fate != 0) {
		if (work.drop != NULL)
			work.drop(work.data);
		return stream->device->fate;
	}
	t = allocate(sizeof(*t));
	t->kind = TASK_COMMAND;
	t->work = work;
	put(stream, t);
	return 0;
}

int64_t streams_wait(streams_stream *stream)
{
	heed_legacy(stream);
	return wait_until(stream, stream->enqueued);
}

int64_t streams_device_wait(streams_device *device)
{
	for (streams_stream *s = device->streams; s != NULL; s = s->next) {
		int64_t code = wait_until(s, s->enqueued);

		if (code != 0)
			return code;
	}
	return device->fate;
}

void streams_device_progress(streams_device *device)
{
	for (streams_stream *s = device->streams; s != NULL; s = s->next)
		run_until(s, s->enqueued);
}

int64_t streams_query(streams_stream *stream, bool *done)
{
	if (stream->done < stream->enqueued)
		run_first(stream);
	*done = stream->done == stream->enqueued;
	return stream->device->fate;
}

streams_event *streams_event_new(bool timed)
{
	streams_event *event = allocate(sizeof(*event));

	event->holds = 1;
	event->timed = timed;
	return event;
}

void streams_event_free(streams_event *event)
{
	event_drop(event);
}

int64_t streams_event_record(streams_event *event, streams_stream *stream)
{
	task *t;

	if (stream->device->fate != 0)
		return stream->device->fate;
	t = allocate(sizeof(*t));
	t->kind = TASK_RECORD;
	t->event = event;
	event->holds++;
	put(stream, t);
	stream->holds++;
	stream_drop(event->stream);
	event->stream = stream;
	event->recorded = true;
	event->captured = stream->capture;
	event->ticket = stream->enqueued;
	return 0;
}

bool streams_event_recorded(const streams_event *event)
{
	return event->recorded;
}

bool streams_event_timed(const streams_event *event)
{
	return event->timed;
}

int64_t streams_event_wait(streams_event *event)
{
	return event->recorded ? wait_until(event->stream, event->ticket) : 0;
}

int64_t streams_event_query(streams_event *event, bool *done)
{
	*done = true;
	if (!event->recorded)
		return 0;
	if (event->stream->done < event->ticket)
		run_first(event->stream);
	*done = event->stream->done >= event->ticket;
	return event->stream->device->fate;
}

bool streams_event_time(const streams_event *event, uint64_t *ns)
{
	if (!event->recorded || event->stream->done < event->ticket)
		return false;
	*ns = event->ns;
	return true;
}

int64_t streams_wait_for(streams_stream *stream, streams_event *event)
{
	if (stream->device->fate != 0)
		return stream->device->fate;
	if (!event->recorded)
		return 0;
	if (event->captured != NULL && event->captured == event->stream->capture) {
		stream->capture = event->captured;
		return 0;
	}
	if (stream->capture == NULL)
		add_wait(stream, event->stream, event->ticket);
	return 0;
}

bool streams_capture_begin(streams_stream *stream)
{
	if (stream->capture != NULL)
		return false;
	stream->capture = streams_graph_empty();
	stream->began_capture = true;
	return true;
}

bool streams_capturing(const streams_stream *stream)
{
	return stream->capture != NULL;
}

streams_graph *streams_capture_end(streams_stream *stream)
{
	streams_graph *graph = stream->capture;

	if (graph == NULL || !stream->began_capture)
		return NULL;
	stream->began_capture = false;
	for (streams_stream *s = stream->device->streams; s != NULL; s = s->next)
		if (s->capture == graph)
			s->capture = NULL;
	return graph;
}

streams_graph *streams_graph_empty(void)
{
	streams_graph *graph = allocate(sizeof(*graph));

	graph->holds = 1;
	graph->last = &graph->first;
	return graph;
}

void streams_graph_hold(streams_graph *graph)
{
	graph->holds++;
}

void streams_graph_drop(streams_graph *graph)
{
	if (--graph->holds > 0)
		return;
	while (graph->first != NULL) {
		task *t = graph->first;

		graph->first = t->next;
		task_free(t);
	}
	free(graph);
}

uint64_t streams_graph_size(const streams_graph *graph)
{
	return graph->size;
}

int64_t streams_graph_launch(streams_graph *graph, streams_stream *stream)
{
	task *t;

	if (stream->device->fate != 0)
		return stream->device->fate;
	t = allocate(sizeof(*t));
	t->kind = TASK_GRAPH;
	t->graph = graph;
	graph->holds++;
	put(stream, t);
	return 0;
}
