/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the engine itself does in and between the samples of a case, seen by a backend that stands
 * around the fake one: time between two samples, allocations and I/O inside a timed region.
 */
#ifndef TESTS_ENGINE_COST_H
#define TESTS_ENGINE_COST_H

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "fake_backend.h"
#include "fake_workload.h"
#include "measure/measure.h"

enum { ENGINE_GAPS = 4096 };

typedef struct engine_cost {
	uint64_t gaps_ns[ENGINE_GAPS]; /* between the end of a sample and the begin of the next    */
	size_t gaps;
	uint64_t regions;
	uint64_t allocations;          /* by the engine inside timed regions                       */
	uint64_t calls;                /* reads and writes of the process inside them              */
	bool calls_known;
} engine_cost;

/* Counts what is allocated; a program that replaces malloc advances it. */
static uint64_t engine_allocations;

static struct {
	engine_cost *cost;
	bool in_region;
	uint64_t left_ns;              /* when the last wait returned, 0 = none since a drain      */
	uint64_t allocations;          /* when the backend was left                                */
	uint64_t calls;
	int io;                        /* /proc/self/io, -1 = there is none                        */
} watch;

/* Reads and writes of this process so far; this is one of them. */
static uint64_t watch_calls(void)
{
	unsigned long long reads = 0;
	unsigned long long writes = 0;
	char block[512];
	const char *at;
	ssize_t got = watch.io < 0 ? -1 : pread(watch.io, block, sizeof(block) - 1, 0);

	if (got <= 0)
		return 0;
	block[got] = '\0';
	at = strstr(block, "syscr:");
	if (at != NULL && sscanf(at, "syscr: %llu syscw: %llu", &reads, &writes) == 2)
		watch.cost->calls_known = true;
	return reads + writes;
}

static void watch_enter(void)
{
	if (!watch.in_region)
		return;
	watch.cost->allocations += engine_allocations - watch.allocations;
	/* The reading before it counted itself only after it was taken. */
	watch.cost->calls += watch.cost->calls_known ? watch_calls() - watch.calls - 1 : 0;
}

static void watch_leave(void)
{
	watch.allocations = engine_allocations;
	watch.calls = watch.io >= 0 ? watch_calls() : 0;
}

static eh_status watched_launch(eh_queue *queue, eh_kernel *kernel, const eh_launch *launch,
                                eh_error *error)
{
	uint64_t now = clock_now_ns();
	eh_status status;

	if (!watch.in_region && watch.left_ns != 0 && watch.cost->gaps < ENGINE_GAPS)
		watch.cost->gaps_ns[watch.cost->gaps++] = now - watch.left_ns;
	watch_enter();
	watch.in_region = kernel->id == FAKE_WORK;
	status = fake_launch(queue, kernel, launch, error);
	watch_leave();
	return status;
}

static eh_status watched_record(eh_queue *queue, eh_mark *mark, eh_error *error)
{
	eh_status status;

	watch_enter();
	status = fake_mark_record(queue, mark, error);
	watch_leave();
	return status;
}

static eh_status watched_wait(eh_queue *queue, eh_error *error)
{
	eh_status status;

	watch_enter();
	status = fake_queue_wait(queue, error);
	watch.cost->regions += watch.in_region;
	watch.left_ns = watch.in_region ? clock_now_ns() : 0;
	watch.in_region = false;
	return status;
}

static eh_status watched_fill(eh_queue *queue, eh_buffer *buffer, uint64_t offset, uint64_t bytes,
                              uint32_t pattern, eh_error *error)
{
	watch.in_region = false;
	watch.left_ns = 0;
	return fake_fill(queue, buffer, offset, bytes, pattern, error);
}

/* One case of `samples` samples by the host's clock; its record is the caller's.  With `io` reads
 * and writes are counted, which costs time in each sample. */
static record_execution *engine_measure(engine_cost *out, uint64_t samples, bool io)
{
	static const eh_source source = { .struct_size = sizeof(source), .name = "canary" };
	fake f = { .work_ns = 50000 };
	eh_device device;
	eh_queue queue[2];
	session s;
	eh_backend_ops ops = fake_ops;
	protocol_section section = { .measure = {
		.warmup_max_ns = 5000000, .samples_min = samples, .samples_max = samples,
		.time_max_ns = UINT64_C(10000000000), .half_width = 10, .confidence = 0.95,
		.proof_ns = 1000000, .clock = RECORD_CLOCK_HOST,
		.cache = RECORD_CACHE_WARM, .regime = RECORD_REGIME_BURST,
		.statistic = RECORD_STATISTIC_MEDIAN, .input_data = RECORD_DATA_STANDARD,
		.scenario = RECORD_SCENARIO_NONE,
	} };
	eh_value value = { "cost", "1", 1 };
	char id[] = "fake";
	plan_case c = { .id = id, .section = &section, .workload = &fake_workload,
		        .tier = RECORD_TIER_PORTABLE,
		        .values = { sizeof(eh_case), 1, &value, 7 } };
	eh_error error = ERROR_INIT;
	record_execution *record = NULL;
	measure *m;
	bool lost;

	*out = (engine_cost){ 0 };
	watch.cost = out;
	watch.in_region = false;
	watch.left_ns = 0;
	watch.io = io ? open("/proc/self/io", O_RDONLY | O_CLOEXEC) : -1;
	fake_session(&f, &device, queue, &s);
	ops.launch = watched_launch;
	ops.mark_record = watched_record;
	ops.queue_wait = watched_wait;
	ops.fill = watched_fill;
	s.ops = &ops;
	if (fake_describe(&c.values, &c.work, NULL) == EH_OK &&
	    measure_new_from(&s, false, 1, &source, "", &m, &error) == EH_OK) {
		record = measure_case(m, &c, NULL, NULL, &lost);
		measure_free(m);
	}
	fake_advance(&f, UINT64_MAX);
	if (watch.io >= 0)
		(void)close(watch.io);
	return record;
}

#endif
