/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Work that waits until somebody waits for it: the streams, events and graphs of a test driver.
 * What is enqueued runs in the thread that waits, queries or synchronises, never before, so that a
 * program that forgets to wait reads old data every time instead of once in a million.
 *
 * Codes are the vendor's own; 0 is success.  Not safe for several threads: the driver holds its
 * lock.
 */
#ifndef DRIVERS_STREAMS_H
#define DRIVERS_STREAMS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct streams_device streams_device;
typedef struct streams_stream streams_stream;
typedef struct streams_event streams_event;
typedef struct streams_graph streams_graph;

/* A command: may run many times (a graph's) or never (the device died before). */
typedef struct streams_work {
	int64_t (*run)(void *data);
	void (*spoil)(void *data); /* flips a bit in what run wrote; NULL = nothing to spoil      */
	void (*drop)(void *data);  /* frees data; NULL = nothing to free                          */
	void *data;
} streams_work;

/* The code that a device answers once it is lost is lost_code. */
streams_device *streams_device_new(int64_t lost_code);
void streams_device_free(streams_device *device);
streams_device *streams_device_of(const streams_stream *stream);

/* The error that killed the device, 0 while it lives. */
int64_t streams_device_fate(const streams_device *device);

/* The stream that others wait for and that waits for them: CUDA's legacy default stream. */
streams_stream *streams_device_legacy(streams_device *device);

/* blocking: takes part in the rules of the legacy stream. */
streams_stream *streams_new(streams_device *device, bool blocking);

bool streams_belongs(const streams_stream *stream, const streams_device *device);

/* Runs what is left in it. */
void streams_free(streams_stream *stream);

/* Takes data over, whatever it answers. */
int64_t streams_enqueue(streams_stream *stream, streams_work work);

/* Runs everything in the stream (of the device). */
int64_t streams_wait(streams_stream *stream);
int64_t streams_device_wait(streams_device *device);

/* Runs everything that waits nowhere; for a device that makes progress by itself. */
void streams_device_progress(streams_device *device);

/* Runs one command and says whether that was the last. */
int64_t streams_query(streams_stream *stream, bool *done);

streams_event *streams_event_new(bool timed);
void streams_event_free(streams_event *event);
int64_t streams_event_record(streams_event *event, streams_stream *stream);
bool streams_event_recorded(const streams_event *event);
bool streams_event_timed(const streams_event *event);
int64_t streams_event_wait(streams_event *event);
int64_t streams_event_query(streams_event *event, bool *done);

/* The time on the simulated device's clock at which the event passed, in ns; false before. */
bool streams_event_time(const streams_event *event, uint64_t *ns);

/* Later work of stream waits for the event's latest record; nothing when there was none. */
int64_t streams_wait_for(streams_stream *stream, streams_event *event);

/* Capture: what is enqueued goes into a graph instead.  A stream that waits for an event that was
 * captured joins.  begin is false when the stream captures already; end is NULL when the stream is
 * not the one that began. */
bool streams_capture_begin(streams_stream *stream);
bool streams_capturing(const streams_stream *stream);
streams_graph *streams_capture_end(streams_stream *stream);
void streams_graph_hold(streams_graph *graph);
void streams_graph_drop(streams_graph *graph);
uint64_t streams_graph_size(const streams_graph *graph);
streams_graph *streams_graph_empty(void);
int64_t streams_graph_launch(streams_graph *graph, streams_stream *stream);

/* The host's clock, from which every device time is derived. */
uint64_t streams_now(void);

#endif
