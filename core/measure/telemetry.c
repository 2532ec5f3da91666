/* SPDX-License-Identifier: Apache-2.0 */
#include "measure/telemetry.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"
#include "base/text.h"
#include "measure/telemetry_state.h"
#include "plugin/plugin.h"
#include "plugin/probestart.h"

#define SECOND UINT64_C(1000000000)
/* A read that takes longer hangs. */
static const uint64_t hang_ns = 2 * SECOND;

/* ---- keeping ----------------------------------------------------------------------------------- */

/* Drops every second reading, so that the rest covers the same time. */
static void thin_out(telemetry_log *log)
{
	size_t kept = 0;

	for (size_t i = 0; i < log->count; i += 2, kept++) {
		log->times_ns[kept] = log->times_ns[i];
		log->natives[kept] = log->natives[i];
		log->counts[kept] = log->counts[i];
		log->values[kept] = log->values[i];
	}
	log->count = kept;
}

/* Counters are kept as the increase since the first reading. */
static uint64_t counted(telemetry_log *log, uint64_t raw)
{
	uint64_t so_far = log->count > 0 ? log->counts[log->count - 1] : 0;
	uint64_t step = 0;

	if (log->count > 0 && raw >= log->last_raw)
		step = raw - log->last_raw;
	else if (log->count > 0 && log->info->wrap > log->last_raw)
		step = log->info->wrap - log->last_raw + raw;
	else if (log->count > 0)
		log->went_back = true;
	log->last_raw = raw;
	return so_far + step;
}

static void keep(telemetry_log *log, const eh_reading *r)
{
	size_t at = log->count;
	uint64_t count = log->info->form == EH_FORM_COUNTER ? counted(log, r->count) : r->count;

	log->times_ns[at] = r->time_ns;
	log->natives[at] = r->native;
	log->counts[at] = count;
	log->values[at] = r->value;
	log->count++;
}

static void keep_place(telemetry_reader *reader, telemetry_place *place, const eh_reading *readings,
                       eh_error *error)
{
	bool full = false;

	for (uint32_t c = 0; c < place->place->info.channel_count; c++) {
		telemetry_log *log = &place->logs[c];
		eh_status status = readings[c].status;

		if (readings[c].skip || log->given_up)
			continue;
		log->lost = status == EH_E_DEVICE_LOST ? log->lost + 1 : 0;
		if (status == EH_OK) {
			keep(log, &readings[c]);
			full = full || log->count >= TELEMETRY_MOST;
			continue;
		}
		log->failures++;
		(void)snprintf(log->reason, sizeof(log->reason), "%.300s",
		               error_sentence(error, status));
		log->given_up = log->lost >= TELEMETRY_LOST;
	}
	if (!full)
		return;
	for (uint32_t p = 0; p < reader->place_count; p++)
		for (uint32_t c = 0; c < reader->places[p].place->info.channel_count; c++)
			if (!(reader->places[p].place->channels[c].flags & EH_CHANNEL_RARE))
				thin_out(&reader->places[p].logs[c]);
	reader->period_ns *= 2;
}

/* ---- reading ----------------------------------------------------------------------------------- */

static uint64_t thread_cpu_ns(void)
{
	struct timespec now;

	if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now) != 0)
		return 0;
	return (uint64_t)now.tv_sec * SECOND + (uint64_t)now.tv_nsec;
}

/* All places once; the lock is held, and let go while a sensor is read.  false when this thread
 * was given up meanwhile. */
static bool read_round(telemetry_round *round, bool rare)
{
	telemetry_reader *reader = round->reader;
	telemetry *t = reader->owner;
	uint64_t before = thread_cpu_ns();
	uint64_t spent;

	for (uint32_t p = 0; p < reader->place_count; p++) {
		telemetry_place *place = &reader->places[p];
		uint32_t count = place->place->info.channel_count;
		eh_error error = ERROR_INIT;
		uint32_t wanted = 0;
		eh_status status;

		for (uint32_t c = 0; c < count; c++) {
			const eh_channel_info *info = &place->place->channels[c];

			round->readings[c] = (eh_reading){ .status = EH_READING_NONE };
			round->readings[c].skip = info->status != EH_OK || place->logs[c].given_up ||
			                          place->logs[c].hanging ||
			                          ((info->flags & EH_CHANNEL_RARE) && !rare);
			wanted += !round->readings[c].skip;
		}
		if (wanted == 0)
			continue;
		reader->busy_place = p;
		reader->busy_since = clock_now_ns();
		pthread_mutex_unlock(&t->lock);
		status = probes_read(&reader->probe, place->index, round->readings, count, &error);
		pthread_mutex_lock(&t->lock);
		if (round->abandoned != NULL) {
			round->abandoned->hanging = false;
			return false;
		}
		reader->busy_since = 0;
		/* A probe that fails as a whole need not have filled anything. */
		for (uint32_t c = 0; status != EH_OK && c < count; c++)
			if (round->readings[c].status == EH_READING_NONE)
				round->readings[c].status = status;
		keep_place(reader, place, round->readings, &error);
	}
	spent = thread_cpu_ns() - before;
	reader->cpu_ns += spent;
	/* Nothing is measured while the first and the last one are waited for. */
	if (!rare)
		reader->between_ns += spent;
	reader->rounds++;
	return true;
}

static void wait_until(telemetry *t, uint64_t monotonic_ns)
{
	struct timespec at = { .tv_sec = (time_t)(monotonic_ns / SECOND),
	                       .tv_nsec = (long)(monotonic_ns % SECOND) };

	(void)pthread_cond_timedwait(&t->changed, &t->lock, &at);
}

static uint64_t monotonic_ns(void)
{
	struct timespec now = { 0 };

	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * SECOND + (uint64_t)now.tv_nsec;
}

/* One recording, with the lock held; false when the thread was given up. */
static bool record(telemetry_round *round)
{
	telemetry_reader *reader = round->reader;
	telemetry *t = reader->owner;
	uint64_t number = t->recording_number;
	uint64_t next = monotonic_ns();

	if (!read_round(round, reader->started != number))
		return false;
	reader->started = number;
	pthread_cond_broadcast(&t->changed);
	while (t->recording && !t->quit) {
		uint64_t now = monotonic_ns();

		/* Late readings are skipped. */
		while (next <= now)
			next += reader->period_ns;
		wait_until(t, next);
		if (t->recording && !t->quit && monotonic_ns() >= next && !read_round(round, false))
			return false;
	}
	if (!read_round(round, true))
		return false;
	reader->ended = number;
	pthread_cond_broadcast(&t->changed);
	return true;
}

static void *read_loop(void *context)
{
	telemetry_round *round = context;
	telemetry_reader *reader = round->reader;
	telemetry *t = reader->owner;
	bool mine = true;

	pthread_mutex_lock(&t->lock);
	while (mine && !t->quit) {
		if (t->recording && reader->ended != t->recording_number)
			mine = record(round);
		else
			(void)pthread_cond_wait(&t->changed, &t->lock);
	}
	pthread_mutex_unlock(&t->lock);
	free(round->readings);
	free(round);
	return NULL;
}

static bool start_thread(telemetry_reader *reader)
{
	uint32_t most = 1;

	for (uint32_t p = 0; p < reader->place_count; p++)
		if (reader->places[p].place->info.channel_count > most)
			most = reader->places[p].place->info.channel_count;
	reader->round = memory_get(sizeof(*reader->round));
	reader->round->reader = reader;
	reader->round->readings = memory_get(most * sizeof(*reader->round->readings));
	reader->busy_since = 0;
	reader->running = pthread_create(&reader->thread, NULL, read_loop, reader->round) == 0;
	if (!reader->running) {
		free(reader->round->readings);
		free(reader->round);
		reader->round = NULL;
		log_write(EH_LOG_WARN, "no thread for the sensors of probe %s: they are not read",
		          reader->probe.name);
	}
	return reader->running;
}

/* ---- hanging sensors ---------------------------------------------------------------------------- */

/* The thread stays where it is; another one reads the other channels.  The lock is held. */
static void give_up(telemetry_reader *reader)
{
	telemetry_place *place = &reader->places[reader->busy_place];
	telemetry_log *log;
	uint32_t c = 0;

	while (c < place->place->info.channel_count &&
	       (reader->round->readings[c].skip ||
	        __atomic_load_n(&reader->round->readings[c].status, __ATOMIC_ACQUIRE) != EH_READING_NONE))
		c++;
	/* Where all are done the place as a whole hangs; its last channel is given up. */
	if (c == place->place->info.channel_count)
		c--;
	log = &place->logs[c];
	log->hanging = true;
	log->given_up = ++log->hangs >= TELEMETRY_HANGS;
	log->failures++;
	(void)snprintf(log->reason, sizeof(log->reason),
	               "reading it did not return within %u s (%u of %u times), so it is not read %s",
	               (unsigned)(hang_ns / SECOND), log->hangs, (unsigned)TELEMETRY_HANGS,
	               log->given_up ? "any more in this process" : "until it does");
	log_write(EH_LOG_WARN, "probe %s, %s: the sensor '%s' hangs and is given up%s",
	          reader->probe.name, place->place->info.id, place->place->channels[c].name,
	          log->given_up ? "" : " until it returns");
	reader->round->abandoned = log;
	reader->hung = true;
	(void)pthread_detach(reader->thread);
	(void)start_thread(reader);
}

static void *watch_loop(void *context)
{
	telemetry *t = context;

	pthread_mutex_lock(&t->lock);
	while (!t->quit) {
		bool busy = t->recording;

		for (size_t i = 0; i < t->reader_count; i++) {
			telemetry_reader *r = &t->readers[i];

			busy = busy || r->busy_since != 0;
			if (r->running && r->busy_since != 0 && clock_now_ns() - r->busy_since > hang_ns)
				give_up(r);
		}
		if (busy)
			wait_until(t, monotonic_ns() + SECOND / 2);
		else
			(void)pthread_cond_wait(&t->changed, &t->lock);
	}
	pthread_mutex_unlock(&t->lock);
	return NULL;
}

/* ---- opening ------------------------------------------------------------------------------------ */

static bool concerns(const eh_place_info *place, const eh_device_info *device)
{
	return place->kind == EH_PLACE_PACKAGE || place->kind == EH_PLACE_HOST ||
	       probes_match(place, device);
}

static telemetry_log *new_logs(const probe_place *place)
{
	telemetry_log *logs = memory_get((place->info.channel_count + 1) * sizeof(*logs));

	for (uint32_t c = 0; c < place->info.channel_count; c++) {
		logs[c].info = &place->channels[c];
		if (place->channels[c].status != EH_OK)
			continue;
		logs[c].times_ns = memory_get(TELEMETRY_MOST * sizeof(uint64_t));
		logs[c].natives = memory_get(TELEMETRY_MOST * sizeof(uint64_t));
		logs[c].counts = memory_get(TELEMETRY_MOST * sizeof(uint64_t));
		logs[c].values = memory_get(TELEMETRY_MOST * sizeof(double));
	}
	return logs;
}

/* Keeps the places that concern the device; false when the probe has nothing for it. */
static bool select_places(telemetry_reader *reader, const eh_device_info *device)
{
	const probes_one *p = &reader->probe;
	uint32_t readable = 0;

	reader->places = memory_get((p->place_count + 1) * sizeof(*reader->places));
	for (uint32_t i = 0; i < p->place_count; i++) {
		telemetry_place *place = &reader->places[reader->place_count];

		if (!concerns(&p->places[i].info, device))
			continue;
		place->index = i;
		place->place = &p->places[i];
		place->logs = new_logs(place->place);
		for (uint32_t c = 0; c < place->place->info.channel_count; c++)
			readable += place->place->channels[c].status == EH_OK;
		reader->place_count++;
	}
	return readable > 0;
}

static void free_reader(telemetry_reader *reader)
{
	for (uint32_t p = 0; p < reader->place_count; p++) {
		telemetry_place *place = &reader->places[p];

		for (uint32_t c = 0; c < place->place->info.channel_count; c++) {
			free(place->logs[c].times_ns);
			free(place->logs[c].natives);
			free(place->logs[c].counts);
			free(place->logs[c].values);
		}
		free(place->logs);
	}
	free(reader->places);
	probes_stop(&reader->probe, false);
}

/* Succeeds without readers, too: then the record has gaps alone. */
static bool start_threads(telemetry *t)
{
	pthread_condattr_t attributes;
	size_t started = 0;

	if (pthread_condattr_init(&attributes) != 0)
		return false;
	(void)pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	(void)pthread_mutex_init(&t->lock, NULL);
	(void)pthread_cond_init(&t->changed, &attributes);
	(void)pthread_condattr_destroy(&attributes);
	for (size_t i = 0; i < t->reader_count; i++)
		started += start_thread(&t->readers[i]);
	t->watching = started > 0 && pthread_create(&t->watch, NULL, watch_loop, t) == 0;
	return started > 0 || t->reader_count == 0;
}

static bool is_named(const char *const *names, const char *name)
{
	for (; names != NULL && *names != NULL; names++)
		if (strcmp(*names, name) == 0)
			return true;
	return false;
}

static void leave_out(telemetry *t, const char *name, const char *reason)
{
	record_telemetry_gap *gap = layout_append(record_telemetry_gap_layout(), &t->empty.gaps);

	text_set(&gap->probe, name);
	text_set(&gap->place, "");
	text_set(&gap->name, "");
	text_set(&gap->reason, reason);
}

/* Starts a probe as the next reader; false when it has nothing for this device. */
/* *refused: the file is no probe that can be loaded. */
static bool open_reader(telemetry *t, const plugin_file *file, bool *refused)
{
	telemetry_reader *reader = &t->readers[t->reader_count];
	eh_error error = ERROR_INIT;
	eh_status status;

	memset(reader, 0, sizeof(*reader));
	reader->owner = t;
	status = probestart_in_time(&reader->probe, file->path, &error);
	*refused = status == EH_E_INCOMPATIBLE;
	if (status == EH_OK && select_places(reader, &t->device))
		return true;
	if (status == EH_E_TIMEOUT) {
		log_write(EH_LOG_WARN, "probe %s: %s; it is left out", file->name, error.message);
		leave_out(t, file->name, error.message);
	} else if (status != EH_OK) {
		/* A vendor's library that is missing is normal; `devices -v` reports it. */
		log_write(EH_LOG_INFO, "%s", error.message);
	}
	free_reader(reader);
	return false;
}

static void free_telemetry(telemetry *t)
{
	for (size_t i = 0; i < t->reader_count; i++)
		free_reader(&t->readers[i]);
	layout_clear(record_telemetry_layout(), &t->empty);
	free(t->readers);
	free(t);
}

telemetry *telemetry_open(const eh_device_info *info, const char *const *without)
{
	plugin_file *files = NULL;
	size_t count = plugin_search(PLUGIN_PROBE, &files);
	telemetry *t = memory_get(sizeof(*t));

	t->device = *info;
	layout_init(record_telemetry_layout(), &t->empty);
	t->readers = memory_get((count + 1) * sizeof(*t->readers));
	for (size_t i = 0; i < count; i++) {
		bool refused = false;

		if (files[i].status != EH_OK)
			log_write(EH_LOG_INFO, "probe %s: %s", files[i].name, files[i].reason);
		else if (is_named(without, files[i].name))
			leave_out(t, files[i].name, "it ended an earlier worker of this run, so it is not read");
		else
			t->reader_count += open_reader(t, &files[i], &refused);
		if (refused)
			(void)plugin_next(files, count, i);
	}
	plugin_files_free(files, count);
	if ((t->reader_count > 0 || t->empty.gaps.count > 0) && start_threads(t))
		return t;
	free_telemetry(t);
	return NULL;
}

void telemetry_close(telemetry *t)
{
	bool hung = false;

	if (t == NULL)
		return;
	telemetry_stop(t);
	pthread_mutex_lock(&t->lock);
	t->quit = true;
	pthread_cond_broadcast(&t->changed);
	pthread_mutex_unlock(&t->lock);
	if (t->watching)
		(void)pthread_join(t->watch, NULL);
	for (size_t i = 0; i < t->reader_count; i++) {
		telemetry_reader *r = &t->readers[i];

		if (r->running && r->busy_since == 0)
			(void)pthread_join(r->thread, NULL);
		else
			r->hung = r->hung || r->running;
		hung = hung || r->hung;
	}
	/* A thread that comes back later finds everything as it was. */
	if (hung)
		return;
	(void)pthread_cond_destroy(&t->changed);
	(void)pthread_mutex_destroy(&t->lock);
	free_telemetry(t);
}

/* ---- a recording -------------------------------------------------------------------------------- */

/* Waits for every reader's first (or last) round, or hang_ns and the time to notice it. */
static void wait_for_readers(telemetry *t, bool last)
{
	uint64_t until = monotonic_ns() + hang_ns + SECOND;

	for (;;) {
		bool all = true;

		for (size_t i = 0; i < t->reader_count; i++) {
			const telemetry_reader *r = &t->readers[i];

			all = all && (!r->running || (last ? r->ended : r->started) == t->recording_number);
		}
		if (all || monotonic_ns() >= until)
			return;
		wait_until(t, until);
	}
}

void telemetry_start(telemetry *t, uint64_t period_ns)
{
	if (t == NULL || period_ns == 0)
		return;
	telemetry_stop(t);
	pthread_mutex_lock(&t->lock);
	for (size_t i = 0; i < t->reader_count; i++) {
		telemetry_reader *r = &t->readers[i];

		r->period_ns = period_ns;
		r->cpu_ns = 0;
		r->between_ns = 0;
		r->rounds = 0;
		for (uint32_t p = 0; p < r->place_count; p++)
			for (uint32_t c = 0; c < r->places[p].place->info.channel_count; c++) {
				telemetry_log *log = &r->places[p].logs[c];

				log->count = 0;
				log->failures = 0;
				log->went_back = false;
				log->lost = 0;
				log->given_up = log->hangs >= TELEMETRY_HANGS;
			}
	}
	t->period_ns = period_ns;
	t->begin_ns = clock_now_ns();
	t->recording_number++;
	t->recording = true;
	pthread_cond_broadcast(&t->changed);
	wait_for_readers(t, false);
	pthread_mutex_unlock(&t->lock);
}

void telemetry_stop(telemetry *t)
{
	if (t == NULL)
		return;
	pthread_mutex_lock(&t->lock);
	if (t->recording) {
		t->recording = false;
		pthread_cond_broadcast(&t->changed);
		wait_for_readers(t, true);
		t->end_ns = clock_now_ns();
	}
	pthread_mutex_unlock(&t->lock);
}
