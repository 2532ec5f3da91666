/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How commands run: only when somebody waits or asks, and what stands between two barriers of a
 * list from its end to its beginning: as good an order as any when nothing says otherwise.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../shared/devmem.h"
#include "../shared/faults.h"
#include "tze_state.h"

static tze_stream *streams;

tze_stream *tze_engine_new(tze_device *device, bool in_order, bool offloads)
{
	tze_stream *s = tze_new(sizeof(*s));

	s->device = device;
	s->in_order = in_order;
	s->offloads = offloads;
	s->last = &s->first;
	s->next = streams;
	streams = s;
	return s;
}

void tze_engine_put(tze_stream *s, tze_command *c)
{
	c->next = NULL;
	*s->last = c;
	s->last = &c->next;
	if (c->list != NULL)
		c->list->in_flight++;
}

/* ---- one command ---- */

/* Memory of the process that no driver allocated. */
static bool is_foreign(uint64_t address)
{
	const uint64_t base = (uint64_t)(uintptr_t)devmem_base();

	return (address & DEVMEM_TAG) == 0 && (address < base || address >= base + devmem_span());
}

/* The host's view of what a command of this device touches. */
static char *view(const tze_device *d, uint64_t address, uint64_t bytes)
{
	const devmem_block *block = devmem_find(address);

	if (block == NULL || (block->kind == DEVMEM_OWN && !tze_device_reaches(d, block->device)))
		return NULL;
	return devmem_view(address, bytes);
}

/* The host's view of what a copy touches; from and to memory of the process, too. */
static char *view_any(const tze_device *d, uint64_t address, uint64_t bytes)
{
	if (!is_foreign(address))
		return view(d, address, bytes);
	faults_note("copy of pageable memory");
	return (char *)(uintptr_t)address;
}

static bool launch(const tze_device *d, const tze_command *c, char **written)
{
	void *views[TZE_MOST_ARGUMENTS] = { NULL };

	for (uint32_t i = 0; i < c->kernel->count; i++) {
		const tze_argument *a = &c->arguments[i];
		uint64_t address;

		if (!a->pointer || a->local)
			continue;
		memcpy(&address, a->value, sizeof(address));
		views[i] = view(d, address, 1);
		if (views[i] == NULL)
			return false;
		if (*written == NULL)
			*written = views[i];
	}
	return tze_pocl_run(c, views);
}

/* False when the device faults; *written is where it wrote. */
static bool execute(tze_device *d, const tze_command *c, char **written)
{
	char *to, *from;
	uint64_t ticks;

	switch (c->kind) {
	case TZE_LAUNCH:
		return launch(d, c, written);
	case TZE_COPY:
		to = view_any(d, c->to, c->bytes);
		from = view_any(d, c->from, c->bytes);
		if (to == NULL || from == NULL)
			return false;
		memmove(to, from, c->bytes);
		*written = to;
		return true;
	case TZE_FILL:
		to = view(d, c->to, c->bytes);
		if (to == NULL)
			return false;
		for (size_t i = 0; i < c->bytes; i++)
			to[i] = (char)c->pattern[i % c->pattern_size];
		*written = to;
		return true;
	case TZE_TIME:
		to = view(d, c->to, sizeof(ticks));
		if (to == NULL)
			return false;
		ticks = tze_device_ticks(d);
		memcpy(to, &ticks, sizeof(ticks));
		return true;
	case TZE_RESET:
		c->event->signalled = false;
		return true;
	default:
		return true;
	}
}

static bool moves_data(tze_kind kind)
{
	return kind == TZE_LAUNCH || kind == TZE_COPY || kind == TZE_FILL;
}

static void run(const tze_stream *s, const tze_command *c)
{
	tze_device *d = s->device;
	char *written = NULL;

	if (c->kind == TZE_COPY && s->offloads)
		faults_note("copy engine");
	if (moves_data(c->kind)) {
		faults_slow();
		if (faults_due(FAULTS_HANG)) {
			d->hangs = true;
			return;
		}
		d->lost = d->lost || faults_due(FAULTS_LOST);
	}
	if (d->lost)
		return;
	if (!moves_data(c->kind) || !faults_due(FAULTS_STALE)) {
		if (!execute(d, c, &written)) {
			d->lost = true;
			return;
		}
		if (moves_data(c->kind) && faults_due(FAULTS_WRONG) && written != NULL)
			written[0] ^= 1;
	}
	if (c->signal != NULL)
		c->signal->signalled = true;
}

/* ---- streams ---- */

static bool ready(const tze_command *c)
{
	for (uint32_t i = 0; i < c->wait_count; i++)
		if (!c->waits[i]->signalled)
			return false;
	return true;
}

/* The place in the list of the command to run next, or NULL. */
static tze_command **choose(tze_stream *s)
{
	tze_command **chosen = NULL;

	for (tze_command **p = &s->first; *p != NULL; p = &(*p)->next) {
		const bool ordered = s->in_order || (*p)->kind == TZE_BARRIER;

		if (ordered && p != &s->first)
			break;
		if (ready(*p))
			chosen = p;
		if (ordered)
			break;
	}
	return chosen;
}

static void finish(tze_stream *s, tze_command **place)
{
	tze_command *c = *place;

	*place = c->next;
	if (s->last == &c->next)
		s->last = place;
	if (c->list != NULL)
		c->list->in_flight--;
	free(c);
}

/* Runs one command of it, if one can run. */
static bool advance(tze_stream *s)
{
	tze_command **place;

	if (s->device->lost || s->device->hangs)
		return false;
	place = choose(s);
	if (place == NULL)
		return false;
	run(s, *place);
	if (s->device->lost || s->device->hangs)
		return true;
	finish(s, place);
	return true;
}

static ze_result_t fate(void)
{
	for (const tze_stream *s = streams; s != NULL; s = s->next) {
		if (s->device->hangs)
			faults_hang();
		if (s->device->lost)
			return ZE_RESULT_ERROR_DEVICE_LOST;
	}
	return ZE_RESULT_SUCCESS;
}

ze_result_t tze_engine_step(void)
{
	for (tze_stream *s = streams; s != NULL; s = s->next)
		(void)advance(s);
	return fate();
}

ze_result_t tze_engine_wait(const tze_event *event, const tze_stream *stream)
{
	if (faults_due(FAULTS_EARLY))
		return ZE_RESULT_SUCCESS;
	while (event != NULL ? !event->signalled : stream->first != NULL) {
		bool any = false;
		ze_result_t rc;

		for (tze_stream *s = streams; s != NULL; s = s->next)
			while (advance(s)) {
				any = !s->device->lost && !s->device->hangs;
				if (!any)
					break;
			}
		rc = fate();
		if (rc != ZE_RESULT_SUCCESS)
			return rc;
		if (!any && (event != NULL ? !event->signalled : stream->first != NULL)) {
			fprintf(stderr, "test driver: a wait for what nothing will ever signal\n");
			abort();
		}
	}
	return fate();
}

static void *make_progress(void *ms)
{
	const long each = (long)(intptr_t)ms;
	const struct timespec pause = { each / 1000, each % 1000 * 1000000 };

	for (;;) {
		(void)nanosleep(&pause, NULL);
		tze_lock();
		for (tze_stream *s = streams; s != NULL; s = s->next)
			while (advance(s) && !s->device->lost && !s->device->hangs)
				continue;
		tze_unlock();
	}
	return NULL;
}

void tze_engine_start(void)
{
	const char *text = getenv("EVENHAND_TEST_PROGRESS");
	const long ms = text != NULL ? strtol(text, NULL, 10) : 0;
	pthread_t thread;
	static bool started;

	if (started || ms <= 0 || ms > 60000)
		return;
	started = pthread_create(&thread, NULL, make_progress, (void *)(intptr_t)ms) == 0;
	if (started)
		(void)pthread_detach(thread);
}

void tze_engine_free(tze_stream *s)
{
	tze_stream **link = &streams;

	while (advance(s) && !s->device->lost && !s->device->hangs)
		continue;
	while (s->first != NULL)
		finish(s, &s->first);
	while (*link != s)
		link = &(*link)->next;
	*link = s->next;
	free(s);
}
