/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/diagnose.h"

#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

#include "analysis/ceilings.h"
#include "base/text.h"

#define NOTE(c, ...) text_list_format(&(c)->notes, __VA_ARGS__)

static void conclude(diagnosis_case *c, enum diagnosis_answer answer, enum diagnosis_limit limit)
{
	c->answer = answer;
	c->limit = limit;
}

/* Whether the case is above a ceiling wherever in their intervals both are. */
static bool surely_above(const diagnosis_case *c, const ceiling *of)
{
	interval around = ceilings_interval(c->row);
	double slower = around.high > 0 ? around.high / c->median_ns : 1;

	return c->share > DIAGNOSE_ABOVE * slower * of->slack;
}

/* By the share of the ceiling that binds. */
static void conclude_share(diagnosis_case *c, const ceiling *of, enum diagnosis_limit limit,
                           enum diagnosis_limit otherwise)
{
	if (surely_above(c, of))
		conclude(c, DIAGNOSIS_DEFECT, limit);
	else if (c->share >= DIAGNOSE_NEAR)
		conclude(c, DIAGNOSIS_HARDWARE, limit);
	else if (c->share >= DIAGNOSE_FAR)
		conclude(c, DIAGNOSIS_MIXED, limit);
	else
		conclude(c, DIAGNOSIS_SOFTWARE, otherwise);
}

/* ---- launch and host ------------------------------------------------------------------------- */

static bool on_device_clock(const diagnosis_case *c)
{
	return c->row->executions.items[0].clock == RECORD_CLOCK_DEVICE;
}

/* Per operation, without the time in which the device was idle. */
static double kernel_ns(const diagnosis_case *c)
{
	return on_device_clock(c) ? c->median_ns : c->median_ns * (1 - c->idle);
}

/* Per operation, by the host's clock. */
static double wall_ns(const diagnosis_case *c)
{
	return on_device_clock(c) && c->idle < 1 ? c->median_ns / (1 - c->idle) : c->median_ns;
}

static bool launch_bound(diagnosis_case *c, const ceiling_list *all)
{
	const ceiling *launch = ceilings_of(all, CEILING_LAUNCH, NULL);

	if (launch == NULL || !(c->idle >= DIAGNOSE_IDLE) ||
	    kernel_ns(c) >= DIAGNOSE_LAUNCHES * launch->ns)
		return false;
	NOTE(c, "Its kernel is shorter than %.0f launches (%.2f of one, %s).", DIAGNOSE_LAUNCHES,
	     kernel_ns(c) / launch->ns, launch->by != NULL ? launch->by : "the instrument's record");
	conclude(c, DIAGNOSIS_SOFTWARE, DIAGNOSIS_BY_LAUNCH);
	return true;
}

static bool host_bound(diagnosis_case *c, const ceiling_list *all)
{
	const ceiling *enqueue = ceilings_of(all, CEILING_ENQUEUE, NULL);
	double share;

	if (!(c->idle >= DIAGNOSE_IDLE))
		return false;
	if (enqueue == NULL) {
		NOTE(c, "Whether the host limits is not known: no case of launch (mode = enqueue) measures the "
		     "time of the calls.");
		return false;
	}
	share = enqueue->ns / wall_ns(c);
	NOTE(c, "The call that launches takes %.1f %% of the wall time (%s).", share * 100, enqueue->by);
	if (share < DIAGNOSE_ENQUEUE)
		return false;
	conclude(c, DIAGNOSIS_SOFTWARE, DIAGNOSIS_BY_HOST);
	return true;
}

/* ---- transfers ------------------------------------------------------------------------------- */

static bool is_by(const ceiling *c, const char *id)
{
	return c != NULL && c->by != NULL && strcmp(c->by, id) == 0;
}

static void judge_transfer(diagnosis_case *c, const ceiling_list *all)
{
	c->link = ceilings_copy(ceilings_of(all, CEILING_LINK, ceilings_parameter(c->row, "direction")));
	if (c->link == NULL) {
		NOTE(c, "The run has no sound transfer in its direction to judge it by.");
		conclude(c, DIAGNOSIS_UNKNOWN, 0);
	} else if (is_by(c->link, c->id)) {
		NOTE(c, "It is the fastest transfer in its direction, and so the ceiling of the others.");
		conclude(c, DIAGNOSIS_CEILING, DIAGNOSIS_BY_LINK);
	} else {
		c->share = c->row->work.bytes / c->median_ns * 1e9 / c->link->rate;
		conclude_share(c, c->link, DIAGNOSIS_BY_LINK, DIAGNOSIS_BY_LATENCY);
	}
}

/* ---- kernels --------------------------------------------------------------------------------- */

/* Whether all kernels that a library told of multiply by FMA in the row's own types, in the words of
 * cuBLASLt.  It also says FMA of tf32, which is another type than f32. */
static bool told_fma(const record_case *row)
{
	const char *bits = row->precision + 1;
	bool told = false;
	char want[64];

	if (row->precision[0] != 'f')
		return false;
	snprintf(want, sizeof(want), "FMA, ACCUMULATOR_%sF, INPUT_%sF (", bits, bits);
	for (size_t i = 0; i < row->executions.count; i++) {
		const record_arithmetic *a = row->executions.items[i].arithmetic;

		if (a != NULL && strncmp(a->how, want, strlen(want)) != 0)
			return false;
		told = told || a != NULL;
	}
	return told;
}

/* Where a vendor's library does not tell, it may use matrix units, for which fma is no ceiling. */
static bool vector_units(const record_case *row)
{
	return row->tier != RECORD_TIER_VENDOR || told_fma(row);
}

/* What the cases of a result are judged by. */
typedef struct measured {
	const record_result *of;
	const ceiling_list *all;
	ceiling_list sets;
} measured;

static void find_ceilings(diagnosis_case *c, const measured *m)
{
	ceiling bandwidth;

	if (c->row->work.flops > 0 && vector_units(c->row))
		c->compute = ceilings_copy(ceilings_of(m->all, CEILING_COMPUTE, c->row->precision));
	layout_init(ceiling_layout(), &bandwidth);
	if (c->row->work.bytes > 0 &&
	    ceilings_bandwidth(m->all, &m->sets, m->of, c->row, &bandwidth))
		c->bandwidth = ceilings_copy(&bandwidth);
	layout_clear(ceiling_layout(), &bandwidth);
}

static bool gives_ceiling(const diagnosis_case *c, const ceiling_list *all)
{
	for (size_t i = 0; i < all->count; i++)
		if (is_by(&all->items[i], c->id))
			return true;
	return is_by(c->bandwidth, c->id);
}

static enum diagnosis_limit bandwidth_limit(const diagnosis_case *c)
{
	return c->bandwidth != NULL && c->bandwidth->kind == CEILING_MEMORY ? DIAGNOSIS_BY_MEMORY
	                                                                    : DIAGNOSIS_BY_CACHE;
}

/* Which ceilings the run lacks, and which cases would give them. */
static void note_missing(diagnosis_case *c, bool compute, bool bandwidth)
{
	uint64_t set = c->row->work.working_set_bytes;
	char size[32];

	/* fma has no mixed precisions. */
	if (compute && strchr(c->row->precision, '/') != NULL)
		NOTE(c, "There is no ceiling of %s arithmetic.", c->row->precision);
	else if (compute && vector_units(c->row))
		NOTE(c, "This run has no ceiling of %s arithmetic; add to its protocol: [case fma] "
		     "workload = fma, precision = %s", c->row->precision, c->row->precision);
	if (bandwidth) {
		text_format_bytes(set / 4 / 1024 * 1024, size);
		NOTE(c, "This run has no bandwidth; add to its protocol: [case triad] workload = stream, "
		     "operation = triad, bytes = %s and far more than the caches hold",
		     set >= 4096 ? size : "1MiB");
	}
	if (compute && !vector_units(c->row))
		NOTE(c, "A vendor's library may use matrix units, whose ceiling no case of this program "
		     "measures.");
	conclude(c, DIAGNOSIS_UNKNOWN, 0);
}

static void note_defect(diagnosis_case *c, bool compute)
{
	if (compute)
		NOTE(c, "It is above the ceiling of the arithmetic: its work is counted wrong, another unit of "
		     "the device did it, or the ceiling was measured badly.");
	else if (c->bandwidth->loose)
		NOTE(c, "It is above the bandwidth of %s, whose data is further away: its data was in a cache; "
		     "add a case of stream of its size (%llu bytes).", c->bandwidth->by,
		     (unsigned long long)c->row->work.working_set_bytes);
	else
		NOTE(c, "It is above the bandwidth of this run: its work is counted wrong, or its data was in "
		     "a cache.");
}

static void judge_share(diagnosis_case *c, bool compute)
{
	conclude_share(c, compute ? c->compute : c->bandwidth,
	               compute ? DIAGNOSIS_BY_COMPUTE : bandwidth_limit(c), DIAGNOSIS_BY_KERNEL);
	if (c->answer == DIAGNOSIS_DEFECT)
		note_defect(c, compute);
	else if (c->bandwidth != NULL && c->bandwidth->loose)
		NOTE(c, "The nearest bandwidth is that of %s, whose data is further away: a ceiling of its own "
		     "size could only be higher.", c->bandwidth->by);
	if ((c->compute != NULL && c->compute->evidence > EVIDENCE_GOOD) ||
	    (c->bandwidth != NULL && c->bandwidth->evidence > EVIDENCE_GOOD))
		NOTE(c, "The evidence of a ceiling has caveats; it may be too low.");
}

static void judge_kernel(diagnosis_case *c, const measured *m)
{
	const record_work *work = &c->row->work;
	double compute_ns, memory_ns;
	bool no_compute, no_memory;

	if (work->bytes > 0)
		c->flops_per_byte = work->flops / work->bytes;
	find_ceilings(c, m);
	if (gives_ceiling(c, m->all)) {
		NOTE(c, "It gives a ceiling: the run has nothing higher to judge it by.");
		conclude(c, DIAGNOSIS_CEILING, strcmp(c->row->workload, "fma") == 0 ? DIAGNOSIS_BY_COMPUTE
		                                                                    : bandwidth_limit(c));
		return;
	}
	compute_ns = c->compute != NULL ? work->flops / c->compute->rate * 1e9 : 0;
	memory_ns = c->bandwidth != NULL ? work->bytes / c->bandwidth->rate * 1e9 : 0;
	no_compute = work->flops > 0 && c->compute == NULL;
	no_memory = work->bytes > 0 && c->bandwidth == NULL;
	if (compute_ns > 0 || memory_ns > 0)
		c->share = fmax(compute_ns, memory_ns) / c->median_ns;
	/* One ceiling alone can say that the hardware limits, and never that it does not. */
	if ((no_compute || no_memory) && !(c->share >= DIAGNOSE_NEAR)) {
		note_missing(c, no_compute, no_memory);
		/* The missing one may be what limits it, so the share says nothing until it is large. */
		if (!(c->share >= DIAGNOSE_FAR))
			c->share = NAN;
	} else if (isnan(c->share)) {
		NOTE(c, "Its work counts neither operations nor bytes.");
		conclude(c, DIAGNOSIS_UNKNOWN, 0);
	} else {
		judge_share(c, compute_ns >= memory_ns);
	}
}

/* ---- one case -------------------------------------------------------------------------------- */

static bool is_workload(const diagnosis_case *c, const char *workload)
{
	return strcmp(c->row->workload, workload) == 0;
}

static void note_evidence(diagnosis_case *c, const evidence *e)
{
	for (size_t i = 0; i < e->reasons.count; i++) {
		const contract_reason *reason = &e->reasons.items[i];

		if (reason->level > CONTRACT_COMPARABLE)
			NOTE(c, "%s%s%s: %s", reason->rule, reason->detail[0] != '\0' ? ", " : "",
			     reason->detail, reason->sentence);
	}
}

/* Whether there is a time to diagnose; else concludes. */
static bool has_time(diagnosis_case *c)
{
	if (c->row->status == RECORD_UNSUPPORTED || c->row->status == RECORD_OUT_OF_TIME) {
		conclude(c, DIAGNOSIS_ABSENT, 0);
	} else if (c->evidence.level == EVIDENCE_BAD || ceilings_time(c->row) <= 0) {
		conclude(c, DIAGNOSIS_INVALID, 0);
	} else if (record_is_load(&c->row->measure)) {
		NOTE(c, "Its times are latencies of requests that wait for each other, not of one "
		     "operation; diagnose the case without a scenario.");
		conclude(c, DIAGNOSIS_UNKNOWN, 0);
	} else {
		return true;
	}
	return false;
}

static void judge_time(diagnosis_case *c, const measured *m)
{
	diagnose_power(c);
	if (is_workload(c, "launch") || is_workload(c, "graph")) {
		NOTE(c, "It measures what launching costs: the driver and the runtime, not the device.");
		conclude(c, DIAGNOSIS_SOFTWARE, DIAGNOSIS_BY_LAUNCH);
	} else if (is_workload(c, "xfer")) {
		judge_transfer(c, m->all);
	} else {
		diagnose_idle(c, m->all);
		if (!launch_bound(c, m->all) && !host_bound(c, m->all))
			judge_kernel(c, m);
	}
}

static void judge(diagnosis *d, const evidence_table *t, const measured *m, size_t i)
{
	diagnosis_case *c = layout_append(diagnosis_case_layout(), &d->cases);

	c->row = t->of->rows[i].record;
	c->id = memory_text(c->row->id);
	layout_copy(evidence_layout(), &t->rows[i], &c->evidence);
	if (t->whole.level == EVIDENCE_BAD)
		note_evidence(c, &t->whole);
	note_evidence(c, &c->evidence);
	if (ceilings_time(c->row) > 0)
		c->median_ns = ceilings_time(c->row);
	if (has_time(c))
		judge_time(c, m);
}

/* ---- all ------------------------------------------------------------------------------------- */

static bool wanted(const char *id, const char *const *patterns, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (fnmatch(patterns[i], id, 0) == 0)
			return true;
	return count == 0;
}

size_t diagnose_count(const diagnosis *d, enum diagnosis_answer answer)
{
	size_t count = 0;

	for (size_t i = 0; i < d->cases.count; i++)
		count += d->cases.items[i].answer == answer;
	return count;
}

static void take_counts(diagnosis *d)
{
	const layout_words *answers = diagnosis_answer_words();

	for (size_t i = 0; i < answers->count; i++)
		number_map_add(&d->counts, answers->items[i].word,
		               (double)diagnose_count(d, (enum diagnosis_answer)answers->items[i].value));
}

diagnosis *diagnose_result(const result *r, const result *const *others, size_t other_count,
                           const char *const *patterns, size_t pattern_count)
{
	diagnosis *d = layout_new(diagnosis_layout());
	const record_result *record = r->record;
	evidence_table t = evidence_judge_all(r, contract_declares_certified(r));
	measured m = { .of = record, .all = &d->ceilings };

	d->executor = memory_text(record->executor.name);
	d->result = memory_text(r->path);
	d->protocol = memory_format("%s@%llu", record->protocol.name,
	                            (unsigned long long)record->protocol.version);
	d->last_level_cache_bytes = record->executor.device.last_level_cache_bytes;
	layout_copy(evidence_layout(), &t.whole, &d->evidence);
	ceilings_find(&t, &d->ceilings);
	ceilings_of_sets(&t, &m.sets);
	for (size_t i = 0; i < r->row_count; i++)
		if (wanted(r->rows[i].id, patterns, pattern_count))
			judge(d, &t, &m, i);
	diagnose_counterfactuals(d, r, others, other_count);
	take_counts(d);
	layout_list_clear(ceiling_layout(), &m.sets);
	evidence_table_free(&t);
	return d;
}

void diagnosis_free(diagnosis *d)
{
	layout_free(diagnosis_layout(), d);
}
