/* SPDX-License-Identifier: Apache-2.0 */
#include "measure/calibrate.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/text.h"
#include "measure/clocktrial.h"
#include "measure/prepared.h"
#include "record/implied.h"
#include "stat/settle.h"

enum {
	CLOCK_READS = 4096,
	LAUNCHES = 101,
	ATTEMPTS = 5,
	IDLE_READS = 5,
	WAIT_LAUNCHES = 8,
	MAX_LAUNCHES = 4096,
	STEPS = 3,             /* of a coarse clock that are looked at                        */
	ORDER_TRIALS = 3,      /* in each of which a false clock steps back                   */
	IMPOSSIBLE = 3         /* times that make a clock false; fewer may be glitches         */
};
static const uint64_t launch_budget_ns = 50000000;
static const uint64_t trial_ns = 20000000;
/* What lies between a mark and the work beside it, some microseconds, is little of this. */
static const uint64_t borrowed_shortest_ns = 1000000;

static void host_clock(calibration *out)
{
	uint64_t start = clock_now_ns();
	uint64_t last = start;
	uint64_t step = UINT64_MAX;
	record_order_trial *order = layout_new(record_order_trial_layout());

	for (int i = 0; i < CLOCK_READS; i++) {
		uint64_t now = clock_now_ns();

		if (now != last && now - last < step)
			step = now - last;
		last = now;
	}
	out->record.host_overhead_ns = (last - start) / CLOCK_READS;
	out->record.host_resolution_ns = step == UINT64_MAX ? last - start : step;
	clocktrial_host(clock_now_ns, order);
	out->record.host_order = order;
	if (order->steps_back > 0)
		(void)snprintf(out->distrust, sizeof(out->distrust),
		               "The host's clock stepped back %llu times in %llu readings, by up to %llu "
		               "ns: no time taken here can be trusted.",
		               (unsigned long long)order->steps_back,
		               (unsigned long long)order->readings,
		               (unsigned long long)order->largest_ns);
}

static int compare_times(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a;
	uint64_t y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

typedef struct trial {
	const session *s;
	canary *work;
	calibration *out;
	record_instrument *record;  /* in *out */
	eh_mark *from, *middle, *to;
	uint64_t idle_ns; /* reading the work's output back when nothing is to be done          */
	bool refused;
	unsigned impossible; /* times so far that cannot be true                                */
} trial;

/* Takes the reason, which is malloc'd. */
static void set_reason(trial *t, char *reason)
{
	free(t->record->device_time_reason);
	t->record->device_time_reason = reason;
}

/* The device's clock cannot be used. */
static void refuse(trial *t, char *reason)
{
	set_reason(t, reason);
	t->refused = true;
}

/* It gave, without any error, times that cannot be true. */
static void refuse_false(trial *t, char *reason)
{
	refuse(t, reason);
	t->out->false_clock = true;
}

/* The smallest difference of sorted times; of a clock so coarse that most are zero, the smallest time
 * that is not. */
static uint64_t smallest_step(const uint64_t *ticks, size_t count)
{
	bool coarse = ticks[count / 2] == 0;
	uint64_t least = 0;

	for (size_t i = 0; i < count; i++) {
		uint64_t step = i == 0 || coarse ? ticks[i] : ticks[i] - ticks[i - 1];

		if (step != 0 && (least == 0 || step < least))
			least = step;
	}
	return least;
}

/* Where no launch showed a step: launches until the time since the first has gone up a few times. */
static eh_status await_steps(trial *t, eh_error *error)
{
	const eh_backend_ops *ops = t->s->ops;
	uint64_t *least = &t->record->device_resolution_ns;
	uint64_t begin = clock_now_ns();
	uint64_t before = 0;
	eh_status status = ops->mark_record(t->s->queue, t->from, error);

	for (int seen = 0; status == EH_OK && seen < STEPS && clock_now_ns() - begin < launch_budget_ns;) {
		uint64_t since = 0;

		if (t->work != NULL)
			status = canary_nothing(t->work, error);
		if (status == EH_OK)
			status = ops->mark_record(t->s->queue, t->to, error);
		if (status == EH_OK)
			status = ops->mark_wait(t->to, error);
		if (status == EH_OK)
			status = ops->mark_elapsed(t->from, t->to, &since, error);
		if (status != EH_OK || since <= before)
			continue;
		*least = *least == 0 || since - before < *least ? since - before : *least;
		before = since;
		seen++;
	}
	return status;
}

/* Null work, recorded and waited for; with device time also the smallest steps of its clock. */
static eh_status launch_path(trial *t, bool device, eh_error *error)
{
	const eh_backend_ops *ops = t->s->ops;
	uint64_t times[LAUNCHES];
	uint64_t ticks[LAUNCHES];
	uint64_t begin = clock_now_ns();
	size_t count = 0;
	eh_status status;

	while (count < LAUNCHES && (count < 11 || clock_now_ns() - begin < launch_budget_ns)) {
		uint64_t start;

		status = ops->mark_record(t->s->queue, t->from, error);
		start = clock_now_ns();
		if (status == EH_OK && t->work != NULL)
			status = canary_nothing(t->work, error);
		if (status == EH_OK)
			status = ops->mark_record(t->s->queue, t->to, error);
		if (status == EH_OK)
			status = ops->mark_wait(t->to, error);
		times[count] = clock_now_ns() - start;
		if (status == EH_OK && device)
			status = ops->mark_elapsed(t->from, t->to, &ticks[count], error);
		if (status != EH_OK)
			return status;
		count++;
	}
	qsort(times, count, sizeof(times[0]), compare_times);
	t->record->launch_ns = times[count / 2];
	t->record->launch_least_ns = times[0];
	t->record->launch_most_ns = times[count - 1];
	if (!device)
		return EH_OK;
	qsort(ticks, count, sizeof(ticks[0]), compare_times);
	t->record->device_resolution_ns = smallest_step(ticks, count);
	return t->record->device_resolution_ns == 0 ? await_steps(t, error) : EH_OK;
}

/* Times of one run of work. */
typedef struct pair {
	uint64_t device;
	uint64_t host;    /* until its output was read back                                     */
	uint64_t waited;  /* until waiting returned                                             */
} pair;

/* A time that cannot be true makes the clock false when it is not the only one. */
static void note_impossible(trial *t, char *reason)
{
	if (++t->impossible >= IMPOSSIBLE)
		refuse_false(t, reason);
	else
		set_reason(t, reason);
}

/* `launches` of real work between two marks, with a third mark half-way; by the host clock up to
 * the output read back, which no early completion can shorten. */
static eh_status timed_work(trial *t, uint64_t launches, bool device, pair *out, eh_error *error)
{
	const eh_backend_ops *ops = t->s->ops;
	uint64_t first = 0;
	uint64_t second = 0;
	uint64_t start;
	eh_status status = canary_clear(t->work, error);

	start = clock_now_ns();
	if (status == EH_OK)
		status = ops->mark_record(t->s->queue, t->from, error);
	if (status == EH_OK)
		status = canary_compute(t->work, launches / 2, error);
	if (status == EH_OK)
		status = ops->mark_record(t->s->queue, t->middle, error);
	if (status == EH_OK)
		status = canary_compute(t->work, launches - launches / 2, error);
	if (status == EH_OK)
		status = ops->mark_record(t->s->queue, t->to, error);
	if (status == EH_OK)
		status = ops->mark_wait(t->to, error);
	out->waited = clock_now_ns() - start;
	if (status == EH_OK)
		status = canary_read(t->work, error);
	out->host = clock_now_ns() - start;
	out->device = 0;
	if (status != EH_OK || !device)
		return status;
	status = ops->mark_elapsed(t->from, t->to, &out->device, error);
	if (status == EH_OK)
		status = ops->mark_elapsed(t->from, t->middle, &first, error);
	if (status == EH_OK)
		status = ops->mark_elapsed(t->middle, t->to, &second, error);
	if (status != EH_OK)
		return status;
	/* The parts make the whole, but for one tick each. */
	if (first > out->device || second > out->device ||
	    first + second > out->device + out->device / 100 + 4 * t->record->device_resolution_ns ||
	    first + second + out->device / 100 + 4 * t->record->device_resolution_ns < out->device)
		note_impossible(t, memory_format("The device clock is not monotonic: parts of %llu and %llu ns "
		                                 "make %llu ns.", (unsigned long long)first,
		                                 (unsigned long long)second,
		                                 (unsigned long long)out->device));
	return EH_OK;
}

bool calibrate_impossible(const record_instrument *i, uint64_t device_ns, uint64_t host_ns)
{
	return implied_impossible(i, 1, (double)device_ns, (double)host_ns);
}

static void judge(trial *t, pair once, pair twice)
{
	double ratio_once = (double)once.device / (double)once.host;
	double ratio_twice = (double)twice.device / (double)twice.host;
	double low = ratio_once < ratio_twice ? ratio_once : ratio_twice;
	double scale = once.device == 0 ? 0 : (double)twice.device / (double)once.device;

	/* The host's time can only be too long, never too short. */
	if (calibrate_impossible(t->record, once.device, once.host) ||
	    calibrate_impossible(t->record, twice.device, twice.host)) {
		note_impossible(t, memory_format("The device clock runs fast: it claims %.3f ms where the "
		                                 "host clock saw %.3f ms.", (double)twice.device * 1e-6,
		                                 (double)twice.host * 1e-6));
		return;
	}
	t->record->device_time = low >= CALIBRATE_LOWEST_RATIO && scale >= 1.6 && scale <= 2.5;
	if (t->record->device_time)
		set_reason(t, memory_text(""));
	else if (low < CALIBRATE_LOWEST_RATIO)
		set_reason(t, memory_format("The device clock claims %.6f ms for work that took %.3f ms "
		                            "until its output could be read.", (double)once.device * 1e-6,
		                            (double)once.host * 1e-6));
	else
		set_reason(t, memory_format("The device clock does not follow the work: twice as much "
		                            "took %.2f times as long.", scale));
}

static eh_status idle_read(trial *t, eh_error *error)
{
	uint64_t took[IDLE_READS];
	eh_status status = canary_compute(t->work, 1, error);

	if (status == EH_OK)
		status = canary_read(t->work, error);
	for (int i = 0; i < IDLE_READS && status == EH_OK; i++) {
		uint64_t start = clock_now_ns();

		status = canary_read(t->work, error);
		took[i] = clock_now_ns() - start;
	}
	if (status != EH_OK)
		return status;
	qsort(took, IDLE_READS, sizeof(took[0]), compare_times);
	t->idle_ns = took[IDLE_READS / 2];
	return EH_OK;
}

/*
 * How many launches last at least so long by the host clock up to their output read back, which an
 * early completion cannot shorten; *reached_ns is how long they did.
 */
static eh_status long_enough(trial *t, uint64_t least_ns, uint64_t *launches, uint64_t *reached_ns,
                             eh_error *error)
{
	*launches = WAIT_LAUNCHES;
	for (;;) {
		uint64_t more;
		pair unused;
		eh_status status = timed_work(t, *launches, false, &unused, error);

		if (status != EH_OK)
			return status;
		*reached_ns = unused.host;
		if (unused.host >= least_ns || *launches >= MAX_LAUNCHES)
			return EH_OK;
		more = *launches * least_ns / (unused.host + 1) * 5 / 4 + 1;
		*launches = more > *launches * 8 ? *launches * 8 : more;
	}
}

/* Reading back work that waiting reported as complete takes next to no time, at least once. */
static eh_status try_wait(trial *t, eh_error *error)
{
	uint64_t least = prepared_outlast(t->idle_ns, 0);
	uint64_t waited[SETTLE_MOST];
	uint64_t done[SETTLE_MOST];
	uint64_t launches;
	uint64_t reached;
	eh_status status = long_enough(t, least, &launches, &reached, error);
	settle_verdict verdict = SETTLE_OPEN;
	size_t n = 0;

	/* Too short: reading back would look long in any case.  The trials of each case decide. */
	if (status != EH_OK || reached < least / 2)
		return status;
	while (n < SETTLE_MOST && verdict == SETTLE_OPEN) {
		pair is;

		status = timed_work(t, launches, false, &is, error);
		waited[n] = is.waited;
		done[n] = is.host;
		if (status != EH_OK || (double)waited[n] >= SETTLE_WAIT * (double)done[n])
			return status;
		if (settle_too_short(waited[n], done[n], SETTLE_WAIT) && launches <= MAX_LAUNCHES / 2) {
			launches *= 2;
			n = 0;
			continue;
		}
		verdict = settle_pairs(waited, done, ++n, SETTLE_WAIT);
	}
	if (verdict == SETTLE_CONFIRMED && t->out->distrust[0] == '\0')
		(void)snprintf(t->out->distrust, sizeof(t->out->distrust),
		               "Waiting returns early on this device: reading back work that it reported "
		               "as complete took %.2f times as long as the wait.",
		               (double)(done[n - 1] - waited[n - 1]) / (double)(waited[n - 1] + 1));
	return EH_OK;
}

/* Marks that were recorded one after the other have times in that order, and of their own. */
static eh_status try_order(trial *t, eh_error *error)
{
	record_order_trial *order = layout_new(record_order_trial_layout());
	bool borrowed = false;
	eh_status status = clocktrial_device(t->s, t->work, order, &borrowed, error);
	uint64_t steps = order->steps_back;

	/* Again: one that steps back once is not used, one that steps back each time is false. */
	for (int i = 1; i < ORDER_TRIALS && status == EH_OK && (steps > 0 || borrowed); i++) {
		record_order_trial *more = layout_new(record_order_trial_layout());
		bool again = false;

		status = clocktrial_device(t->s, t->work, more, &again, error);
		steps = steps > 0 ? more->steps_back : 0;
		borrowed = borrowed && again;
		layout_free(record_order_trial_layout(), more);
	}
	if (status == EH_OK && borrowed)
		t->record->device_shortest_ns = borrowed_shortest_ns;
	if (status == EH_OK && order->steps_back > 0)
		(steps > 0 ? refuse_false : refuse)
			(t, memory_format("The device clock is not monotonic: %llu of %llu marks in a row have a "
			                  "time before that of the mark before them, by up to %llu ns.",
			                  (unsigned long long)order->steps_back,
			                  (unsigned long long)order->readings,
			                  (unsigned long long)order->largest_ns));
	if (order->readings > 0)
		t->record->device_order = order;
	else
		layout_free(record_order_trial_layout(), order);
	return status;
}

/* Attempts until one passes; further ones while it is open whether the clock is false, because it
 * claims less than half of the host's time. */
static eh_status try_often(trial *t, uint64_t launches, uint64_t least, eh_error *error)
{
	uint64_t device[SETTLE_MOST];
	uint64_t host[SETTLE_MOST];
	settle_verdict low = SETTLE_OPEN;

	for (size_t i = 0; i < SETTLE_MOST && !t->record->device_time && !t->refused &&
	     (i < ATTEMPTS || low == SETTLE_OPEN) && low != SETTLE_CONFIRMED;) {
		pair once;
		pair twice = { 0 };
		eh_status status = timed_work(t, launches, true, &once, error);

		if (status == EH_OK && !t->refused)
			status = timed_work(t, launches * 2, true, &twice, error);
		if (status != EH_OK)
			return status;
		/* On a quieter machine the work may no longer be long enough. */
		if (once.host < least / 2)
			launches *= 2;
		if (!t->refused)
			judge(t, once, twice);
		if (settle_too_short(twice.device, twice.host, SETTLE_CLAIM) && launches <= MAX_LAUNCHES / 2) {
			launches *= 2;
			i = 0;
			continue;
		}
		device[i] = twice.device;
		host[i] = twice.host;
		low = settle_pairs(device, host, ++i, SETTLE_CLAIM);
	}
	t->out->false_clock = t->out->false_clock || low == SETTLE_CONFIRMED;
	return EH_OK;
}

static eh_status try_device(trial *t, eh_error *error)
{
	uint64_t least = prepared_outlast(t->idle_ns, trial_ns);
	uint64_t launches;
	uint64_t reached;
	eh_status status = long_enough(t, least, &launches, &reached, error);

	if (status == EH_OK && reached < least)
		refuse(t, memory_text("No work long enough to try the device clock on could be made."));
	else if (status == EH_OK)
		status = try_often(t, launches, least, error);
	t->record->device_time = t->record->device_time && !t->refused;
	return status;
}

/* An error that leaves the device usable only costs the device clock. */
static eh_status survive(trial *t, eh_status status, eh_error *cause, eh_error *error)
{
	if (status == EH_OK)
		return EH_OK;
	if (status == EH_E_DEVICE_LOST) {
		if (error != NULL)
			*error = *cause;
		return status;
	}
	refuse(t, memory_format("The trial of the device clock failed: %.140s",
	                        error_sentence(cause, status)));
	t->record->device_time = false;
	return EH_OK;
}

eh_status calibrate(const session *s, canary *work, const char *missing, calibration *out,
                    eh_error *error)
{
	const eh_backend_ops *ops = s->ops;
	bool claims = (s->info.caps & EH_CAP_DEVICE_TIME) != 0;
	trial t = { .s = s, .work = work, .out = out,
		    .record = &out->record };
	eh_error cause = ERROR_INIT;
	eh_status status;

	*out = (calibration){ 0 };
	layout_init(record_instrument_layout(), &out->record);
	text_set(&out->record.device_time_reason, "");
	host_clock(out);
	status = ops->mark_create(s->device, EH_TIMED, &t.from, error);
	if (status == EH_OK)
		status = ops->mark_create(s->device, EH_TIMED, &t.middle, error);
	if (status == EH_OK)
		status = ops->mark_create(s->device, EH_TIMED, &t.to, error);
	if (status == EH_OK)
		status = launch_path(&t, false, error);
	if (status == EH_OK && work != NULL)
		status = idle_read(&t, error);
	if (status == EH_OK && work != NULL)
		status = try_wait(&t, error);
	if (status != EH_OK)
		goto undo_marks;
	if (!claims) {
		refuse(&t, memory_text("The backend offers no device time."));
	} else if (work == NULL) {
		refuse(&t, memory_format("No work to try the device clock on: %.140s", missing));
	} else {
		status = launch_path(&t, true, &cause);
		if (status == EH_OK)
			status = try_order(&t, &cause);
		if (status == EH_OK && !t.refused)
			status = try_device(&t, &cause);
		status = survive(&t, status, &cause, error);
	}
undo_marks:
	ops->mark_destroy(t.to);
	ops->mark_destroy(t.middle);
	ops->mark_destroy(t.from);
	return status;
}

void calibrate_clear(calibration *c)
{
	layout_clear(record_instrument_layout(), &c->record);
}
