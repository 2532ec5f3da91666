/* SPDX-License-Identifier: Apache-2.0 */
/* Checks that the clocks and times of a row's executions fit together. */
#include <math.h>

#include "base/text.h"
#include "record/check.h"
#include "record/implied.h"

/* Readings of one clock at one time may differ by their conversion to seconds. */
static const double rounding_ns = 1000;

static void cannot_be(const row_check *c, size_t index, const char *member, char *sentence)
{
	check_add(c, EH_E_ALTERED, CHECK_ROWS, index, member, sentence);
}

/* ---- wall time ------------------------------------------------------------------------------- */

/* Until the last request of a load was done; else the sum of all samples. */
static double spent_ns(const record_case *row, const record_execution *e)
{
	const record_requests *r = e->requests;

	if (!record_is_load(&row->measure))
		return implied_host_ns(e);
	return r != NULL && r->done_ns.count > 0 ? (double)r->done_ns.items[r->done_ns.count - 1] : NAN;
}

static void check_wall(const row_check *c, const record_execution *e, size_t index)
{
	double proved = e->proof != NULL ? (double)e->proof->host_ns : 0;
	double spent = spent_ns(c->row, e);

	if (findings_enough(c->f) || e->load == NULL ||
	    !(spent + proved > e->load->wall_seconds * 1e9 + rounding_ns))
		return;
	cannot_be(c, index, "", memory_format("has samples of %.6g s and a proof of %.6g s, which do not "
	                                      "fit in its load.wall_seconds of %.6g", spent * 1e-9,
	                                      proved * 1e-9, e->load->wall_seconds));
}

/* ---- starts ---------------------------------------------------------------------------------- */

/* Requests overlap; other samples follow each other. */
static void check_starts(const row_check *c, const record_execution *e, size_t index)
{
	const uint_list *took = e->clock == RECORD_CLOCK_DEVICE ? &e->host_ns : &e->samples_ns;
	const uint_list *starts = &e->starts_ns;

	if (starts->items == NULL || record_is_load(&c->row->measure) || findings_enough(c->f))
		return;
	if (starts->count != e->samples_ns.count || took->count != starts->count) {
		cannot_be(c, index, "starts_ns",
		          memory_format("has %zu values and samples_ns %zu", starts->count,
		                        e->samples_ns.count));
		return;
	}
	for (size_t i = 1; i < starts->count; i++)
		if (starts->items[i] < starts->items[i - 1] ||
		    starts->items[i] - starts->items[i - 1] < took->items[i - 1]) {
			cannot_be(c, index, "starts_ns",
			          memory_format("has sample %zu begin before the end of sample %zu", i, i - 1));
			return;
		}
}

/* ---- clocks ---------------------------------------------------------------------------------- */

/* Why samples of this row cannot be by the device's clock; NULL when they can. */
static const char *host_only(const row_check *c, const record_instrument *instrument)
{
	const record_settings *m = &c->row->measure;

	if (m->clock == RECORD_CLOCK_HOST)
		return "its measurement asks for the host's";
	if (c->row->work.region != RECORD_REGION_EXECUTION || record_is_load(m))
		return "only the host's times such a region";
	return instrument != NULL && !instrument->device_time ? "its instrument did not trust that clock" :
	                                                        NULL;
}

/* A sample on the device may not last longer than the host waited for it; one glitch or two leave an
 * execution unproven.  A merged sample is the sum of several. */
static void check_pairs(const row_check *c, const record_execution *e, size_t index,
                        const record_instrument *instrument)
{
	enum { GLITCHES = 2 };
	double parts = e->sustained != NULL ? (double)e->sustained->merged : 1;
	size_t most = e->status == RECORD_UNPROVEN ? GLITCHES : 0;
	size_t seen = 0;

	for (size_t i = 0; i < e->host_ns.count && i < e->samples_ns.count; i++)
		if (implied_impossible(instrument, parts, (double)e->samples_ns.items[i],
		                       (double)e->host_ns.items[i]) && seen++ == most) {
			cannot_be(c, index, "samples_ns",
			          memory_format("has %llu ns by the device's clock in sample %zu, and host_ns "
			                        "%llu ns", (unsigned long long)e->samples_ns.items[i], i,
			                        (unsigned long long)e->host_ns.items[i]));
			return;
		}
}

static void check_clock(const row_check *c, const record_execution *e, size_t index)
{
	const record_instrument *instrument = record_instrument_of(&c->result->instruments, e->execution);
	const char *why = host_only(c, instrument);

	if (e->clock != RECORD_CLOCK_DEVICE || findings_enough(c->f))
		return;
	if (why != NULL)
		cannot_be(c, index, "clock", memory_format("is the device's, but %s", why));
	else if (instrument != NULL)
		check_pairs(c, e, index, instrument);
}

/* ---- the rest -------------------------------------------------------------------------------- */

static void check_telemetry(const row_check *c, const record_execution *e, size_t index)
{
	for (size_t i = 0; e->telemetry != NULL && i < e->telemetry->channels.count; i++) {
		const record_telemetry_channel *ch = &e->telemetry->channels.items[i];
		size_t k = 1;

		while (k < ch->times_ns.count && ch->times_ns.items[k] >= ch->times_ns.items[k - 1])
			k++;
		if (findings_enough(c->f) || (ch->times_ns.count == ch->values.count && k >= ch->times_ns.count))
			continue;
		cannot_be(c, index, "telemetry",
		          memory_format("has a channel %.40s whose times do not ascend with its values",
		                        ch->name));
	}
}

/* Turns are of a protocol that declares lockstep, and only of such a one. */
static void check_turns(const row_check *c, const record_execution *e, size_t index)
{
	bool declared = c->result->protocol.canonical.design == RECORD_DESIGN_LOCKSTEP;
	bool turns = declared && record_fits_turns(&c->row->measure);

	if (findings_enough(c->f) || (e->turns != NULL) == turns)
		return;
	cannot_be(c, index, "turns", memory_format("is %s, but %s", turns ? "absent" : "there",
	                                           turns ? "the protocol declares lockstep" : !declared ?
	                                           "the protocol does not declare lockstep" :
	                                           "its measurement cannot be divided into turns"));
}

void check_times(const row_check *c)
{
	const record_execution_list *all = &c->row->executions;

	for (size_t i = 0; i < all->count && !findings_enough(c->f); i++) {
		const record_execution *e = &all->items[i];

		if (!record_execution_counts(e))
			continue;
		check_wall(c, e, i);
		check_starts(c, e, i);
		check_clock(c, e, i);
		check_telemetry(c, e, i);
		check_turns(c, e, i);
	}
}
