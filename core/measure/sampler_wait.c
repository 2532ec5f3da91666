/* SPDX-License-Identifier: Apache-2.0 */
/* Whether waiting waits: before the first sample, and from time to time between them. */
#include <stdio.h>

#include "base/clock.h"
#include "base/text.h"
#include "measure/doubts.h"
#include "stat/settle.h"

enum {
	OPERATIONS = 64,            /* in one trial where samples are not batched             */
	MOST_OPERATIONS = 65536,
	IDLES = 8,                  /* idle drains that a trial lasts before it counts        */
	SLOW_DRAINS = 3             /* in a row, after which waiting is tried again            */
};
static const uint64_t longest_drain_gap_ns = 100000000;
static const double most_hidden = 0.25; /* of the work's time, seen only in the read-back  */

static void early(sampler *s, const record_doubt *d)
{
	size_t last = d->first_ns.count - 1;
	char claimed[32];
	char more[32];

	text_format_ns((double)d->first_ns.items[last], claimed);
	text_format_ns((double)(d->second_ns.items[last] - d->first_ns.items[last]), more);
	(void)snprintf(s->impossible, sizeof(s->impossible),
	               "Waiting returned early: %s of work were reported as complete, but reading back "
	               "took %s more.", claimed, more);
}

/* second_ns: reading back when nothing is to be done. */
typedef struct wait_trial { uint64_t waited_ns, first_ns, second_ns; } wait_trial;

static eh_status run_trial(sampler *s, uint64_t operations, wait_trial *t, eh_error *error)
{
	uint64_t start = clock_now_ns();
	eh_status status = prepared_enqueue(s->p, operations, error);

	if (status == EH_OK)
		status = prepared_wait(s->p, error);
	t->waited_ns = clock_now_ns() - start;
	if (status == EH_OK)
		status = prepared_drain(s->p, &t->first_ns, error);
	return status == EH_OK ? prepared_drain(s->p, &t->second_ns, error) : status;
}

/* What reading back took beyond the usual; a launch is allowed. */
static uint64_t hidden(const sampler *s, const wait_trial *t)
{
	uint64_t usual = t->second_ns + s->clocks->launch_ns;

	return t->first_ns > usual ? t->first_ns - usual : 0;
}

static bool shows_waiting(const sampler *s, const wait_trial *t)
{
	return (double)hidden(s, t) <= most_hidden * (double)t->waited_ns;
}

void sampler_see_wait(sampler *s, uint64_t host_ns, uint64_t drained_ns)
{
	const wait_trial t = { host_ns, drained_ns, s->idle_ns };

	s->waits = s->region == EH_REGION_EXECUTION && shows_waiting(s, &t);
}

/* Trials until one shows that waiting waits, or until so many do not that it is sure. */
static eh_status try_often(sampler *s, record_doubt *d, eh_error *error)
{
	uint64_t operations = s->batch < OPERATIONS &&
	                      s->region != EH_REGION_EXECUTION ? OPERATIONS : s->batch;
	uint64_t begin = clock_now_ns();
	wait_trial t;

	while (doubts_judge(d) == RECORD_DOUBT_OPEN &&
	       (d->first_ns.count < DOUBTS_LEAST || clock_now_ns() - begin < DOUBTS_PATIENCE_NS)) {
		eh_status status = run_trial(s, operations, &t, error);

		if (status != EH_OK || shows_waiting(s, &t))
			return status;
		/* Against so little work a change in the time of reading back is no evidence. */
		if (t.waited_ns + t.first_ns < IDLES * s->idle_ns && operations < MOST_OPERATIONS) {
			operations *= 2;
			continue;
		}
		/* And in so little time a slow wake is none. */
		if (settle_too_short(t.waited_ns, t.waited_ns + hidden(s, &t), SETTLE_WAIT) &&
		    operations < MOST_OPERATIONS) {
			operations *= 2;
			d->first_ns.count = d->second_ns.count = 0;
			continue;
		}
		uint_list_add(&d->first_ns, t.waited_ns);
		uint_list_add(&d->second_ns, t.waited_ns + hidden(s, &t));
	}
	return EH_OK;
}

eh_status sampler_try_wait(sampler *s, eh_error *error)
{
	record_doubt d = { .kind = RECORD_DOUBT_WAIT, .limit = SETTLE_WAIT };
	eh_status status = s->waits ? EH_OK : try_often(s, &d, error);

	if (status == EH_OK && d.verdict == RECORD_DOUBT_CONFIRMED) {
		early(s, &d);
		layout_move(record_doubt_layout(), &d, layout_append(record_doubt_layout(), &s->doubts));
	}
	layout_clear(record_doubt_layout(), &d);
	return status;
}

/* The same from time to time while sampling, for a backend that begins to lie later. */
eh_status sampler_drain(sampler *s, eh_error *error)
{
	uint64_t since = s->end_ns - s->drained_ns;
	uint64_t took;
	eh_status status;

	if (since < s->drain_gap_ns)
		return EH_OK;
	status = prepared_drain(s->p, &took, error);
	if ((double)took > most_hidden * (double)since + 2 * (double)s->clocks->launch_ns)
		s->slow_drains++;
	else
		s->slow_drains = 0;
	if (status == EH_OK && s->slow_drains >= SLOW_DRAINS) {
		s->waits = false;
		s->slow_drains = 0;
		status = sampler_try_wait(s, error);
	}
	if (s->drain_gap_ns < longest_drain_gap_ns)
		s->drain_gap_ns *= 2;
	s->drained_ns = clock_now_ns();
	return status;
}
