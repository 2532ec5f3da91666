/* SPDX-License-Identifier: Apache-2.0 */
/* What the executions of a case measured: samples, clocks, proof, canary, checks, sensors. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "report/explain.h"
#include "report/report.h"
#include "stat/statistics.h"

enum { SENSORS_MOST = 12 };

/* ---- executions ------------------------------------------------------------------------------ */

static double median_of(const record_execution *e)
{
	bool batched = e->batch != LAYOUT_NO_UINT && e->batch > 0;
	double *values, median;

	if (e->samples_ns.count == 0)
		return NAN;
	values = memory_get(e->samples_ns.count * sizeof(*values));
	for (size_t i = 0; i < e->samples_ns.count; i++)
		values[i] = (double)e->samples_ns.items[i] / (batched ? (double)e->batch : 1);
	median = statistics_median(values, e->samples_ns.count);
	free(values);
	return median;
}

static double change(double now, double reference)
{
	return now > 0 && reference > 0 ? now / reference - 1 : 0;
}

/* The largest change of the canary, with its sign; NAN without one. */
static double canary_of(const record_execution *e)
{
	const record_canary *c = e->canary;
	double most = 0, changes[4];

	if (c == NULL)
		return NAN;
	changes[0] = change(c->compute_before_ns, c->reference_compute_ns);
	changes[1] = change(c->compute_after_ns, c->reference_compute_ns);
	changes[2] = change(c->memory_before_ns, c->reference_memory_ns);
	changes[3] = change(c->memory_after_ns, c->reference_memory_ns);
	for (size_t i = 0; i < 4; i++)
		most = fabs(changes[i]) > fabs(most) ? changes[i] : most;
	return most;
}

/* "passed", "before failed", "-". */
static const char *checks_of(const record_execution *e)
{
	const record_verification *v = e->verification;

	if (v == NULL)
		return "-";
	if (v->selftest != NULL && !v->selftest->passed)
		return "self-test failed";
	if (v->before != NULL && !v->before->passed)
		return "before failed";
	if (v->after != NULL && !v->after->passed)
		return "after failed";
	if (v->during_failed != LAYOUT_NO_UINT && v->during_failed > 0)
		return "during failed";
	return v->before != NULL && v->after != NULL ? "passed" : "incomplete";
}

/* With the number of rounds, or without that column. */
static void add_execution(table *t, const record_execution *e, bool turns)
{
	char number[24], time[32] = "-", count[24], width[24] = "-", rounds[24] = "", proof[24] = "-",
	     canary[24] = "-";
	double median = median_of(e), moved = canary_of(e);

	snprintf(number, sizeof(number), "%llu", (unsigned long long)e->execution);
	snprintf(count, sizeof(count), "%zu", e->samples_ns.count);
	if (!isnan(median))
		text_format_ns(median, time);
	if (!isnan(e->half_width))
		snprintf(width, sizeof(width), "%.2g %%", e->half_width * 100);
	if (e->turns != NULL && e->turns->rounds.count > 0)
		snprintf(rounds, sizeof(rounds), "%llu",
		         (unsigned long long)e->turns->rounds.items[e->turns->rounds.count - 1]);
	if (e->proof != NULL && e->proof->ns_per_operation > 0 && !isnan(median))
		snprintf(proof, sizeof(proof), "%.2f", median / e->proof->ns_per_operation);
	if (!isnan(moved))
		snprintf(canary, sizeof(canary), "%+.0f %%", moved * 100);
	table_row(t, turns ?
	          (const char *[]){ number, time, count, width, proof, canary, checks_of(e),
		                    record_status_word(e->status), rounds } :
	          (const char *[]){ number, time, count, width, proof, canary, checks_of(e),
		                    record_status_word(e->status) });
}

/* Whether any execution was measured in turns. */
static bool has_turns(const record_case *c)
{
	for (size_t i = 0; i < c->executions.count; i++)
		if (c->executions.items[i].turns != NULL)
			return true;
	return false;
}

static bool show_executions(FILE *out, const record_case *c)
{
	bool turns = has_turns(c), ok;
	table *t;

	if (c->executions.count == 0)
		return true;
	t = table_new(turns ? "rrrrrrllr" : "rrrrrrll");
	table_head(t, (const char *[]){ "execution", "median", "samples", "\xc2\xb1", "/proof", "canary",
		                       "checks", "status", "rounds" });
	for (size_t i = 0; i < c->executions.count; i++)
		add_execution(t, &c->executions.items[i], turns);
	ok = table_print(t, out);
	table_free(t);
	return ok;
}

/* How far the processes are apart. */
static bool show_spread(FILE *out, const record_case *c)
{
	double least = INFINITY, most = 0;
	size_t count = 0;

	for (size_t i = 0; i < c->executions.count; i++) {
		double median = median_of(&c->executions.items[i]);

		if (!record_counts(c->executions.items[i].status) || !(median > 0))
			continue;
		least = fmin(least, median);
		most = fmax(most, median);
		count++;
	}
	return count < 2 || explain_item(out, "processes", "%zu fresh ones, their medians %.2g %% apart",
	                                 count, (most / least - 1) * 100);
}

/* Of all samples that count. */
static bool show_quartiles(FILE *out, const record_derived *d)
{
	char least[32], lower[32], upper[32], most[32];

	if (d == NULL)
		return true;
	text_format_ns(d->min_ns, least);
	text_format_ns(d->q1_ns, lower);
	text_format_ns(d->q3_ns, upper);
	text_format_ns(d->max_ns, most);
	return explain_item(out, "spread", "minimum %s, quartiles %s and %s, maximum %s", least, lower, upper,
	                    most);
}

/* How much of its best a sustained execution held. */
static bool show_sustained(FILE *out, const record_derived *d)
{
	bool ok = true;

	for (size_t i = 0; d != NULL && i < d->sustained.count && ok; i++) {
		const record_derived_sustained *s = &d->sustained.items[i];

		ok = explain_item(out, "sustained", "execution %llu: %.4g operations/s at the end, %.1f %% of the "
		                  "best window", (unsigned long long)s->execution, s->steady, s->ratio * 100);
	}
	return ok;
}

static bool show_requests(FILE *out, const record_derived *d)
{
	bool ok = true;

	for (size_t i = 0; d != NULL && i < d->load.count && ok; i++) {
		const record_derived_load *l = &d->load.items[i];
		char lag[32];

		text_format_ns((double)l->lag_p99_ns, lag);
		ok = explain_item(out, "requests", "execution %llu: %.4g/s arrived, %.4g/s were completed; the "
		                  "client's lag was %s (p99)", (unsigned long long)l->execution, l->offered,
		                  l->completed, lag);
	}
	return ok;
}

static bool show_knee(FILE *out, const record_execution_list *executions)
{
	bool ok = true;

	for (size_t i = 0; i < executions->count && ok; i++) {
		const record_execution *e = &executions->items[i];

		if (e->scenario != NULL && !isnan(e->scenario->capacity))
			ok = explain_item(out, "knee", "execution %llu: the limit holds up to %.4g requests/s; "
			                  "saturated from %.4g/s", (unsigned long long)e->execution,
			                  e->scenario->capacity, e->scenario->saturation);
	}
	return ok;
}

/* ---- how it was measured --------------------------------------------------------------------- */

static const record_execution *first_of(const record_case *c)
{
	for (size_t i = 0; i < c->executions.count; i++)
		if (c->executions.items[i].samples_ns.count > 0)
			return &c->executions.items[i];
	return c->executions.count > 0 ? &c->executions.items[0] : NULL;
}

static const record_instrument *instrument_of(const result *r, const record_execution *e)
{
	const record_instrument_list *all = &r->record->instruments;

	for (size_t i = 0; i < all->count; i++)
		if (all->items[i].execution == e->execution)
			return &all->items[i];
	return NULL;
}

static bool show_clock(FILE *out, const result *r, const record_execution *e)
{
	const record_instrument *i = instrument_of(r, e);
	char launch[32], shortest[32];
	bool ok;

	if (e->clock == record_clock_absent || i == NULL)
		return true;
	text_format_ns((double)i->launch_ns, launch);
	text_format_ns((double)i->device_shortest_ns, shortest);
	ok = explain_item(out, "clock", "%s, resolution %llu ns; batches of %llu; an empty launch takes "
	                    "%s%s%s", record_clock_word(e->clock),
	                    (unsigned long long)(e->clock == RECORD_CLOCK_DEVICE ? i->device_resolution_ns :
	                    i->host_resolution_ns), e->batch != LAYOUT_NO_UINT ?
	                    (unsigned long long)e->batch : 1ULL, launch, i->device_time ? "" :
	                    "; device clock not used: ", i->device_time ? "" : i->device_time_reason);
	if (i->device_time && i->device_shortest_ns != LAYOUT_NO_UINT)
		ok = ok && explain_item(out, "marks", "have the times of the commands beside them, so the device's "
		                        "clock is used for samples of %s and longer", shortest);
	return ok;
}

static bool show_turns(FILE *out, const record_execution *e)
{
	const record_turns *turns = e->turns;
	char length[32];

	if (turns == NULL)
		return true;
	text_format_ns((double)turns->turn_ns, length);
	return isnan(turns->awake_share) ?
	       explain_item(out, "turns", "of %s, in rounds with the other executors", length) :
	       explain_item(out, "turns", "of %s, in rounds with the other executors; between its turns the "
	                    "worker used %.2g %% of a processor", length, turns->awake_share * 100);
}

static bool show_tuning(FILE *out, const record_execution *e)
{
	const record_tuning *t = e->tuning;
	char budget[32];
	text chosen = { 0 };
	double all = 1;
	bool ok;

	if (t == NULL || t->chosen.count == 0)
		return true;
	for (size_t i = 0; i < t->chosen.count; i++)
		text_add(&chosen, "%s%s=%s", i > 0 ? " " : "", t->chosen.items[i].key, t->chosen.items[i].value);
	for (size_t i = 0; i < t->space.count; i++)
		all *= (double)t->space.items[i].value.count;
	text_format_ns((double)t->budget_ns, budget);
	ok = explain_item(out, "tuned", "%s, the best of %zu tried (%.0f in the space), within %s%s",
	                  chosen.data, t->trials.count, all, budget,
	                  t->earlier == MAYBE_YES ? ", by an earlier search on this executor" : "");
	text_free(&chosen);
	return ok;
}

/* What was asked for, and beside it what a sensor saw in use on the whole device; the host's memory is
 * that of processors alone. */
static bool show_memory(FILE *out, const record_device *device, const record_execution *e)
{
	bool processor = strcmp(text_or_empty(device->type), "cpu") == 0;
	const record_telemetry *t = e->telemetry;
	const record_telemetry_channel *used = NULL;
	char asked[40], seen[40];
	double most = 0;

	if (e->device_memory_bytes == LAYOUT_NO_UINT)
		return true;
	for (size_t i = 0; t != NULL && i < t->channels.count && used == NULL; i++)
		if (strcmp(t->channels.items[i].kind, "memory") == 0 &&
		    (strcmp(t->channels.items[i].place, "host") == 0) == processor)
			used = &t->channels.items[i];
	for (size_t i = 0; used != NULL && i < used->values.count; i++)
		most = fmax(most, used->values.items[i]);
	text_format_si((double)e->device_memory_bytes, "B", asked);
	text_format_si(most, "B", seen);
	return used == NULL || most <= 0 ?
	       explain_item(out, "memory", "%s of the device's, as the case asked for it", asked) :
	       explain_item(out, "memory", "%s of the device's, as the case asked for it; at most %s in use "
	                    "(%s, %s, all programs)", asked, seen, used->probe, used->name);
}

static bool show_program(FILE *out, const result_row *row, const record_execution *e)
{
	const record_program *p = e->program;
	const record_library *l = e->library;
	size_t binaries = contract_binaries(row);

	if (p == NULL && l == NULL)
		return true;
	if (binaries > 1 && !explain_item(out, "binaries", "its executions ran %zu different binaries of the "
	                                  "kernel", binaries))
		return false;
	if (l != NULL)
		return explain_item(out, "library", "%s %s, %s; %s", l->name, text_or_empty(l->version),
		                    text_or_empty(l->detail), text_or_empty(l->path));
	return explain_item(out, "program", "%s%s%s %s, %s; source %.12s, binary %.12s",
	                    text_or_empty(p->kernel), p->kernel != NULL ? ", " : "", p->compiler != NULL ? p->compiler : "compiler unknown",
	                    text_or_empty(p->compiler_version), text_or_empty(p->flags),
	                    text_or_empty(p->source_sha256), text_or_empty(p->binary_sha256));
}

static bool show_arithmetic(FILE *out, const record_execution *e)
{
	if (e->arithmetic == NULL)
		return e->library == NULL ||
		       explain_item(out, "arithmetic", "not told by the library; numerics with through=gemm "
		                    "asks it");
	return explain_item(out, "arithmetic", "%s: %s", record_calculation_word(e->arithmetic->kind),
	                    e->arithmetic->how);
}

static bool show_check(FILE *out, const char *label, const record_check *c)
{
	if (c == NULL || c->checked == LAYOUT_NO_UINT)
		return true;
	return explain_item(out, label, "%s: %llu values compared, %llu wrong; largest error %.2g of the "
	                    "tolerance %s%s%s", c->passed ? "passed" : "failed",
	                    (unsigned long long)c->checked,
	                    c->failed != LAYOUT_NO_UINT ? (unsigned long long)c->failed : 0ULL,
	                    isnan(c->max_error) ? 0 : c->max_error, text_or_empty(c->tolerance),
	                    text_or_empty(c->detail)[0] != '\0' ? "; " : "", text_or_empty(c->detail));
}

/* Of the execution that failed a check, else of the first. */
static bool show_checks(FILE *out, const record_case *c)
{
	const record_execution *e = first_of(c);

	for (size_t i = 0; i < c->executions.count; i++)
		if (strstr(checks_of(&c->executions.items[i]), "failed") != NULL)
			e = &c->executions.items[i];
	return e->verification == NULL ||
	       (show_check(out, "before", e->verification->before) &&
	        show_check(out, "after", e->verification->after));
}

static bool show_proof(FILE *out, const record_execution *e)
{
	char time[32];

	if (e->proof == NULL)
		return true;
	text_format_ns(e->proof->ns_per_operation, time);
	return explain_item(out, "proof", "%llu operations that end with reading the output back take %s "
	                    "each; /proof above is the median's share of it",
	                    (unsigned long long)e->proof->operations, time);
}

/* ---- the machine ----------------------------------------------------------------------------- */

static bool show_disturbed(FILE *out, const record_case *c)
{
	bool ok = true;

	for (size_t i = 0; i < c->executions.count && ok; i++) {
		const record_execution *e = &c->executions.items[i];

		for (size_t k = 0; k < e->disturbed.count && ok; k++)
			ok = explain_item(out, "disturbed", "execution %llu: %s", (unsigned long long)e->execution,
			                  e->disturbed.items[k]);
		for (size_t k = 0; e->sustained != NULL && k < e->sustained->throttle.count && ok; k++)
			ok = explain_item(out, "throttled", "execution %llu: %s, by %s",
			                  (unsigned long long)e->execution, e->sustained->throttle.items[k].meaning,
			                  e->sustained->throttle.items[k].channel);
		if (ok && e->attempts.count > 0)
			ok = explain_item(out, "attempts", "execution %llu: %zu disturbed before this one",
			                  (unsigned long long)e->execution, e->attempts.count);
	}
	return ok;
}

static bool show_load(FILE *out, const record_execution *e)
{
	const record_load *l = e->load;

	if (l == NULL || isnan(l->cpu_seconds) || isnan(l->wall_seconds))
		return true;
	return explain_item(out, "worker", "%.3g s of processor time in %.3g s; preempted %llu times; the "
	                    "hypervisor took %.3g s", l->cpu_seconds, l->wall_seconds,
	                    l->involuntary_switches != LAYOUT_NO_UINT ?
	                    (unsigned long long)l->involuntary_switches : 0ULL,
	                    isnan(l->steal_seconds) ? 0 : l->steal_seconds);
}

static bool show_channel(FILE *out, const record_telemetry_channel *c)
{
	const double *v = c->values.items;
	size_t n = c->values.count;

	if (n == 0 || c->form == RECORD_FORM_BITS)
		return true;
	if (c->form == RECORD_FORM_COUNTER)
		return v[n - 1] == v[0] ||
		       explain_item(out, "", "%s, %s: %+.4g %s", c->place, c->name, v[n - 1] - v[0], c->unit);
	return explain_item(out, "", "%s, %s: median %.4g %s (%.4g to %.4g)", c->place, c->name,
	                    statistics_median(v, n), c->unit, statistics_quantile(v, n, 0),
	                    statistics_quantile(v, n, 1));
}

static bool show_telemetry(FILE *out, const record_execution *e)
{
	const record_telemetry *t = e->telemetry;
	bool ok;

	if (t == NULL || t->channels.count == 0)
		return true;
	ok = explain_item(out, "telemetry", "execution %llu, %zu channels, %llu readings%s",
	                  (unsigned long long)e->execution, t->channels.count,
	                  (unsigned long long)t->readings, t->channels.count > SENSORS_MOST ?
	                  "; the first of them (show --json has all)" : "");
	for (size_t i = 0; i < t->channels.count && i < SENSORS_MOST && ok; i++)
		ok = show_channel(out, &t->channels.items[i]);
	return ok;
}

bool explain_measured(FILE *out, const explain_subject *s)
{
	const record_case *c = s->row->record;
	const record_execution *e = first_of(c);

	if (e == NULL)
		return true;
	return explain_samples(out, c) && show_executions(out, c) && show_spread(out, c) &&
	       show_quartiles(out, c->derived) && show_sustained(out, c->derived) &&
	       show_requests(out, c->derived) && show_knee(out, &c->executions) && show_clock(out, s->of, e) && show_turns(out, e) && show_memory(out, &s->of->record->executor.device, e) &&
	       show_tuning(out, e) && show_program(out, s->row, e) && show_arithmetic(out, e) &&
	       show_proof(out, e) && show_checks(out, c) && show_disturbed(out, c) && show_load(out, e) &&
	       show_telemetry(out, e);
}
