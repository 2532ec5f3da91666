/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/diagnose.h"

#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/text.h"

#define NOTE(c, ...) diagnose_note(&(c)->notes, &(c)->note_count, __VA_ARGS__)

static void conclude(diagnosis_case *c, enum diagnosis_answer answer, const char *limit)
{
	c->answer = answer;
	c->limit = limit;
}

/* By the share of the ceiling that binds. */
static void conclude_share(diagnosis_case *c, const char *limit, const char *otherwise)
{
	if (c->share > DIAGNOSE_ABOVE)
		conclude(c, DIAGNOSIS_DEFECT, limit);
	else if (c->share >= DIAGNOSE_NEAR)
		conclude(c, DIAGNOSIS_HARDWARE, limit);
	else if (c->share >= DIAGNOSE_FAR)
		conclude(c, DIAGNOSIS_MIXED, limit);
	else
		conclude(c, DIAGNOSIS_SOFTWARE, otherwise);
}

/* ---- launch and host ------------------------------------------------------------------------- */

static double kernel_ns(const diagnosis_case *c)
{
	const cJSON *e = cJSON_GetArrayItem(json_path(c->row->json, "executions"), 0);
	bool device = strcmp(json_string(e, "clock", ""), "device") == 0;

	return device ? c->time_ns : c->time_ns * (1 - c->idle);
}

/* Per operation on the host's clock. */
static double wall_ns(const diagnosis_case *c)
{
	const cJSON *e = cJSON_GetArrayItem(json_path(c->row->json, "executions"), 0);
	bool device = strcmp(json_string(e, "clock", ""), "device") == 0;

	return device && c->idle < 1 ? c->time_ns / (1 - c->idle) : c->time_ns;
}

static bool launch_bound(diagnosis_case *c, const ceilings *all)
{
	ceiling launch = ceilings_of(all, CEILING_LAUNCH, NULL);

	if (c->idle < DIAGNOSE_IDLE || !(launch.value > 0))
		return false;
	if (kernel_ns(c) >= DIAGNOSE_LAUNCHES * launch.value)
		return false;
	NOTE(c, "Its kernel is shorter than %.0f launches (%.2f of one, %s).", DIAGNOSE_LAUNCHES,
	     kernel_ns(c) / launch.value, launch.row != NULL ? launch.row->id : "the instrument's record");
	conclude(c, DIAGNOSIS_SOFTWARE, "launch");
	return true;
}

static bool host_bound(diagnosis_case *c, const ceilings *all)
{
	ceiling enqueue = ceilings_of(all, CEILING_ENQUEUE, NULL);
	double share;

	if (c->idle < DIAGNOSE_IDLE)
		return false;
	if (!(enqueue.value > 0)) {
		NOTE(c, "Whether the host limits cannot be told: no case of launch (mode = enqueue) says what "
		     "the calls take.");
		return false;
	}
	share = enqueue.value / wall_ns(c);
	NOTE(c, "The call that launches takes %.1f %% of the wall time (%s).", share * 100,
	     enqueue.row->id);
	if (share < DIAGNOSE_ENQUEUE)
		return false;
	conclude(c, DIAGNOSIS_SOFTWARE, "host");
	return true;
}

/* ---- transfers ------------------------------------------------------------------------------- */

static void judge_transfer(diagnosis_case *c, const ceilings *all)
{
	double bytes = 0;

	c->link = ceilings_of(all, CEILING_LINK, ceilings_parameter(c->row, "direction"));
	(void)json_double(json_path(c->row->json, "work"), "bytes", &bytes);
	if (c->link.row == c->row) {
		NOTE(c, "It is the fastest transfer in its direction, and so the ceiling of the others.");
		conclude(c, DIAGNOSIS_CEILING, "link");
		return;
	}
	c->share = c->link.value > 0 ? bytes / c->time_ns * 1e9 / c->link.value : -1;
	if (c->share < 0) {
		NOTE(c, "No sound transfer in its direction is there to hold it against.");
		conclude(c, DIAGNOSIS_UNKNOWN, "");
		return;
	}
	conclude_share(c, "link", "latency");
}

/* ---- kernels --------------------------------------------------------------------------------- */

static void missing(diagnosis_case *c, bool flops, bool bytes)
{
	char size[32];

	if (flops)
		NOTE(c, "No ceiling of %s arithmetic is in this run; add to its protocol: [case fma] "
		     "workload = fma, precision = %s", c->row->precision, c->row->precision);
	if (bytes) {
		text_format_bytes(ceilings_working_set(c->row) / 4 / 1024 * 1024, size);
		NOTE(c, "No bandwidth is in this run; add to its protocol: [case triad] workload = stream, "
		     "operation = triad, bytes = %s and far more than the caches hold",
		     ceilings_working_set(c->row) >= 4096 ? size : "1MiB");
	}
}

static bool gives_ceiling(const diagnosis_case *c, const ceilings *all)
{
	for (size_t i = 0; i < all->count; i++)
		if (all->items[i].row == c->row)
			return true;
	return c->bandwidth.row == c->row;
}

static void above(diagnosis_case *c, bool compute)
{
	if (c->answer != DIAGNOSIS_DEFECT)
		return;
	if (compute)
		NOTE(c, "It claims more than the arithmetic was seen to do: the count of its work is wrong, "
		     "another unit of the device did it, or the ceiling was measured badly.");
	else if (c->bandwidth.loose)
		NOTE(c, "It claims more than the bandwidth of %s, whose data are further away: the data sat "
		     "in a cache; add a case of stream of its size (%llu bytes).", c->bandwidth.row->id,
		     (unsigned long long)ceilings_working_set(c->row));
	else
		NOTE(c, "It claims more than the bandwidth that was seen: the count of its work is wrong, or "
		     "the data sat in a cache.");
}

/* A vendor's library may use matrix units, for which fma is no ceiling. */
static bool vector_units(const result_row *row)
{
	return strcmp(row->tier, "vendor") != 0;
}

static void judge_kernel(diagnosis_case *c, const ceilings *all, const result *r)
{
	double flops = 0, bytes = 0, compute_ns, memory_ns;
	bool compute, no_compute, no_memory;

	(void)json_double(json_path(c->row->json, "work"), "flops", &flops);
	(void)json_double(json_path(c->row->json, "work"), "bytes", &bytes);
	c->intensity = bytes > 0 ? flops / bytes : -1;
	if (flops > 0 && vector_units(c->row))
		c->compute = ceilings_of(all, CEILING_COMPUTE, c->row->precision);
	if (bytes > 0)
		c->bandwidth = ceilings_bandwidth(all, r, ceilings_working_set(c->row),
		                                  ceilings_cold(c->row));
	if (gives_ceiling(c, all)) {
		NOTE(c, "It gives a ceiling: the run has nothing that is higher to hold it against.");
		conclude(c, DIAGNOSIS_CEILING, strcmp(c->row->workload, "fma") == 0 ? "compute" :
		         c->bandwidth.kind == CEILING_MEMORY ? "memory" : "cache");
		return;
	}
	compute_ns = c->compute.value > 0 ? flops / c->compute.value * 1e9 : 0;
	memory_ns = c->bandwidth.value > 0 ? bytes / c->bandwidth.value * 1e9 : 0;
	no_compute = flops > 0 && !(c->compute.value > 0);
	no_memory = bytes > 0 && !(c->bandwidth.value > 0);
	compute = compute_ns >= memory_ns;
	c->share = compute_ns > 0 || memory_ns > 0 ? fmax(compute_ns, memory_ns) / c->time_ns : -1;
	/* One ceiling alone can say that the hardware limits, and never that it does not. */
	if ((no_compute || no_memory) && c->share < DIAGNOSE_NEAR) {
		missing(c, no_compute, no_memory);
		if (no_compute && !vector_units(c->row))
			NOTE(c, "A vendor's library may use matrix units, whose ceiling no case of this program "
			     "measures.");
		conclude(c, DIAGNOSIS_UNKNOWN, "");
		return;
	}
	if (c->share < 0) {
		NOTE(c, "Its work counts neither operations nor bytes.");
		conclude(c, DIAGNOSIS_UNKNOWN, "");
		return;
	}
	conclude_share(c, compute ? "compute" : c->bandwidth.kind == CEILING_MEMORY ? "memory" : "cache",
	               "kernel");
	above(c, compute);
	if (c->bandwidth.loose && c->answer != DIAGNOSIS_DEFECT && memory_ns > 0)
		NOTE(c, "The nearest bandwidth is that of %s, whose data are further away: a ceiling of its "
		     "own size could only be higher.", c->bandwidth.row->id);
	if (c->compute.shaken || c->bandwidth.shaken)
		NOTE(c, "A ceiling comes from a disturbed case, and may be too low.");
}

/* ---- one case -------------------------------------------------------------------------------- */

static bool is_launching(const result_row *row)
{
	return strcmp(row->workload, "launch") == 0 || strcmp(row->workload, "graph") == 0;
}

static void judge_power(diagnosis_case *c)
{
	const char *channel;

	c->throttled = diagnose_throttled(c->row, &channel);
	c->power_limited = c->throttled >= DIAGNOSE_THROTTLED;
	if (c->power_limited)
		NOTE(c, "Power or heat held the device back for %.0f %% of the time (%s).",
		     c->throttled * 100, channel);
}

static void judge(diagnosis_case *c, const ceilings *all, const result *r)
{
	c->time_ns = ceilings_time(c->row);
	c->intensity = c->share = c->idle = c->throttled = -1;
	c->limit = "";
	if (diagnose_invalid(c)) {
		c->answer = strcmp(c->row->status, "unsupported") == 0 ? DIAGNOSIS_ABSENT
		                                                       : DIAGNOSIS_INVALID;
		return;
	}
	if (strcmp(c->row->status, "not-converged") == 0)
		NOTE(c, "It did not converge: the time is less certain than was asked for.");
	judge_power(c);
	if (is_launching(c->row)) {
		NOTE(c, "It measures what launching costs: the driver and the runtime, not the device.");
		conclude(c, DIAGNOSIS_SOFTWARE, "launch");
		return;
	}
	if (strcmp(c->row->workload, "xfer") == 0) {
		judge_transfer(c, all);
		return;
	}
	c->idle = diagnose_idle(c, all);
	if (launch_bound(c, all) || host_bound(c, all))
		return;
	judge_kernel(c, all, r);
}

/* ---- all ------------------------------------------------------------------------------------- */

static bool wanted(const char *id, const char *const *patterns, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (fnmatch(patterns[i], id, 0) == 0)
			return true;
	return count == 0;
}

diagnosis *diagnose_result(const result *r, const result *const *others, size_t other_count,
                           const char *const *patterns, size_t pattern_count)
{
	diagnosis *d = memory_get(sizeof(*d));

	d->of = r;
	ceilings_find(r, &d->ceilings);
	d->cases = memory_get((r->row_count + 1) * sizeof(*d->cases));
	for (size_t i = 0; i < r->row_count; i++) {
		if (!wanted(r->rows[i].id, patterns, pattern_count))
			continue;
		d->cases[d->count].row = &r->rows[i];
		judge(&d->cases[d->count++], &d->ceilings, r);
	}
	diagnose_counterfactuals(d, others, other_count);
	for (size_t i = 0; i < d->count; i++)
		d->counts[d->cases[i].answer]++;
	return d;
}

static void notes_free(char **notes, size_t count)
{
	for (size_t i = 0; i < count; i++)
		free(notes[i]);
	free(notes);
}

void diagnosis_free(diagnosis *d)
{
	if (d == NULL)
		return;
	for (size_t i = 0; i < d->count; i++)
		notes_free(d->cases[i].notes, d->cases[i].note_count);
	notes_free(d->notes, d->note_count);
	ceilings_free(&d->ceilings);
	free(d->cases);
	free(d);
}

const char *diagnosis_answer_name(enum diagnosis_answer answer)
{
	static const char *const names[] = { "hardware-bound", "mixed", "software-bound", "ceiling",
	                                     "not-measured", "no-ceiling", "invalid-evidence", "defect" };

	return names[answer];
}
