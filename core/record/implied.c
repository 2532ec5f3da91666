/* SPDX-License-Identifier: Apache-2.0 */
#include "record/implied.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "record/surroundings.h"
#include "stat/lockstep.h"
#include "stat/percentile.h"
#include "stat/precision.h"
#include "stat/sorted.h"
#include "stat/statistics.h"
#include "stat/windows.h"

static const double device_share = 0.8;
static const double highest_ratio = 1.02; /* device time to host time                       */

/* ---- the series ------------------------------------------------------------------------------ */

void implied_series_flags(const series *s, record_flag_list *flags)
{
	const char *words[SERIES_FLAGS_MOST];
	size_t count = series_flags(s, words);

	for (size_t i = 0; i < count; i++)
		word_list_add(flags, layout_word_value(record_flag_words(), words[i], strlen(words[i])));
}

/* ---- clocks ---------------------------------------------------------------------------------- */

double implied_clock_share(const record_execution *e)
{
	size_t n = e->samples_ns.count;
	double *shares;
	double middle;

	if (e->clock != RECORD_CLOCK_DEVICE || n < 2 || e->host_ns.count != n)
		return NAN;
	shares = memory_get(n * sizeof(*shares));
	for (size_t i = 0; i < n; i++)
		shares[i] = (double)e->samples_ns.items[i] / ((double)e->host_ns.items[i] + 1);
	sorted_make(shares, n);
	middle = sorted_median(shares, n);
	free(shares);
	return middle;
}

void implied_clock_flags(double share, record_flag_list *flags)
{
	if (share < device_share)
		word_list_add(flags, RECORD_FLAG_DEVICE_CLOCK_LOW);
}

bool implied_impossible(const record_instrument *i, double parts, double device_ns, double host_ns)
{
	double beside = (double)i->launch_ns + (double)i->device_resolution_ns;

	return device_ns > host_ns * highest_ratio + parts * beside;
}

double implied_host_ns(const record_execution *e)
{
	const uint_list *times = e->clock == RECORD_CLOCK_DEVICE ? &e->host_ns : &e->samples_ns;
	double sum = 0;

	if (times->count != e->samples_ns.count)
		return NAN;
	for (size_t i = 0; i < times->count; i++)
		sum += (double)times->items[i];
	return sum;
}

/* Whether the device's clock was asked for and can time the region. */
static bool device_asked(const record_case *row)
{
	const record_settings *m = &row->measure;

	return m->clock == RECORD_CLOCK_DEVICE && row->work.region == RECORD_REGION_EXECUTION &&
	       (m->scenario == record_scenario_kind_absent || m->scenario == RECORD_SCENARIO_NONE);
}

/* ---- requests -------------------------------------------------------------------------------- */

static void copy_times(uint64_t *to, const uint_list *from)
{
	memcpy(to, from->items, from->count * sizeof(*to));
}

/* NULL when the requests do not agree with the samples. */
static trace *read_trace(const record_execution *e, size_t concurrency)
{
	const record_requests *r = e->requests;
	size_t count = e->samples_ns.count;
	trace *t;

	if (r == NULL || count == 0 || r->due_ns.count != count || r->issued_ns.count != count ||
	    r->done_ns.count != count)
		return NULL;
	t = trace_new(count, concurrency);
	copy_times(t->due_ns, &r->due_ns);
	copy_times(t->issued_ns, &r->issued_ns);
	copy_times(t->done_ns, &r->done_ns);
	t->count = count;
	for (size_t i = 0; i < count; i++)
		if (e->samples_ns.items[i] != trace_latency_ns(t, i)) {
			trace_free(t);
			return NULL;
		}
	return t;
}

bool implied_requests(const record_settings *m, const record_execution *e, trace_summary *out)
{
	const percentile *p = percentile_find(record_statistic_word(m->statistic));
	uint64_t limit = m->load_slo_ns != LAYOUT_NO_UINT ? m->load_slo_ns : 0;
	uint64_t concurrency = m->load_concurrency != LAYOUT_NO_UINT ? m->load_concurrency : 1;
	trace *t;

	if (!record_is_load(m) || isnan(m->confidence) || concurrency == 0)
		return false;
	t = read_trace(e, (size_t)concurrency);
	if (t == NULL)
		return false;
	trace_summarise(t, p != NULL ? p->quantile : 0.5, m->confidence, limit, out);
	trace_free(t);
	return true;
}

/* ---- precision ------------------------------------------------------------------------------- */

/* Of the declared statistic; 0 = the median. */
static double quantile_of(const record_settings *m)
{
	const percentile *p = percentile_find(record_statistic_word(m->statistic));

	return p != NULL ? p->quantile : m->statistic == RECORD_STATISTIC_QUARTILE ? LOCKSTEP_QUARTILE : 0;
}

static double width_of(const record_settings *m, const record_execution *e, const double *sorted)
{
	size_t n = e->samples_ns.count;
	double *values;
	double width;

	if (sorted != NULL)
		return precision_of_sorted(sorted, n, quantile_of(m), m->confidence);
	values = memory_get((n + 1) * sizeof(*values));
	for (size_t i = 0; i < n; i++)
		values[i] = (double)e->samples_ns.items[i];
	sorted_make(values, n);
	width = precision_of_sorted(values, n, quantile_of(m), m->confidence);
	free(values);
	return width;
}

static double rounds_width(const record_settings *m, const record_execution *e)
{
	double quantile = quantile_of(m) > 0 ? quantile_of(m) : LOCKSTEP_MEDIAN;

	return precision_of_rounds(e->samples_ns.items, e->turns->rounds.items, e->samples_ns.count, quantile,
	                           m->confidence);
}

static double sustained_width(const record_settings *m, const record_execution *e)
{
	size_t n = e->samples_ns.count;

	if (e->starts_ns.count != n || e->batch == LAYOUT_NO_UINT)
		return NAN;
	return windows_half_width(e->samples_ns.items, e->starts_ns.items, n, e->batch,
	                          e->sustained->window_ns, m->confidence);
}

/* Of a series of samples; one that depends on when it was taken has no interval. */
static double series_width(const record_settings *m, const record_execution *e, const series *s,
                           const double *sorted)
{
	return e->samples_ns.count < 2 || series_has_interval(s) ? width_of(m, e, sorted) : NAN;
}

bool implied_half_width(const record_settings *m, const record_execution *e, const series *s,
                        const double *sorted, double *out)
{
	bool sustained = m->regime == RECORD_REGIME_SUSTAINED;
	trace_summary requests;

	if (isnan(m->confidence) || (sustained && e->sustained == NULL) ||
	    (e->turns != NULL && e->turns->rounds.count != e->samples_ns.count) ||
	    (record_is_load(m) && !implied_requests(m, e, &requests)))
		return false;
	*out = e->turns != NULL ? rounds_width(m, e) : sustained ? sustained_width(m, e) :
	       record_is_load(m) ? trace_half_width(&requests) : series_width(m, e, s, sorted);
	return true;
}

/* ---- flags ----------------------------------------------------------------------------------- */

/* Flags of the machine around the samples; returns how much that disturbed them. */
static double add_surroundings(const record_execution *e, record_flag_list *out)
{
	text_list words = { 0 };
	double score = 0;

	if (e->canary != NULL) {
		surroundings_flag_canary(e->canary, out);
		score += surroundings_canary(e->canary, &words);
	}
	if (e->load != NULL)
		surroundings_flag_load(e->load, out);
	if (e->load != NULL && e->guards != NULL)
		score += surroundings_guards(e->guards, e->load->wall_seconds, out, &words);
	text_list_clear(&words);
	return score;
}

/* Another user of the device is a sign without weight: another attempt would not change it. */
static bool has_weight(const record_execution *e, const record_flag_list *implied)
{
	return e->disturbed.count > (word_list_has(implied, RECORD_FLAG_SHARED_DEVICE) ? 1 : 0);
}

void implied_disturbed(const record_execution *e, text_list *words)
{
	record_flag_list flags = { 0 };

	if (e->turns != NULL)
		return;
	if (e->canary != NULL)
		(void)surroundings_canary(e->canary, words);
	if (e->guards != NULL && e->load != NULL)
		(void)surroundings_guards(e->guards, e->load->wall_seconds, &flags, words);
	free(flags.items);
}

void implied_flags(const record_case *row, const record_execution *e, const series *s,
                   record_flag_list *out)
{
	trace_summary requests;
	double score = add_surroundings(e, out);

	if (e->turns == NULL && (score > 0 || has_weight(e, out)))
		word_list_add(out, RECORD_FLAG_DISTURBED);
	if (device_asked(row) && e->clock == RECORD_CLOCK_HOST)
		word_list_add(out, RECORD_FLAG_HOST_CLOCK);
	implied_clock_flags(implied_clock_share(e), out);
	/* Samples of turns are no series: what others do lies between them. */
	if (!record_is_load(&row->measure) && e->turns == NULL && e->samples_ns.count >= 2)
		implied_series_flags(s, out);
	if (e->turns != NULL && e->turns->awake_share > IMPLIED_AWAKE)
		word_list_add(out, RECORD_FLAG_AWAKE);
	if (e->varied != NULL && e->varied->skipped != NULL)
		word_list_add(out, RECORD_FLAG_INPUTS_NOT_VARIED);
	if (e->status == RECORD_VALID && implied_requests(&row->measure, e, &requests) && !requests.met)
		word_list_add(out, RECORD_FLAG_LIMIT_MISSED);
}

/* ---- searches of the tuned tier --------------------------------------------------------------- */

const record_trial *implied_winner(const record_tuning *search)
{
	const record_trial *best = NULL;

	for (size_t i = 0; i < search->trials.count; i++) {
		const record_trial *t = &search->trials.items[i];

		if (t->status != NULL && strcmp(t->status, record_status_word(RECORD_VALID)) == 0 && t->samples != LAYOUT_NO_UINT &&
		    t->samples > 0 && !isnan(t->median_ns) && (best == NULL || t->median_ns < best->median_ns))
			best = t;
	}
	return best;
}

bool implied_chosen(const record_tuning *search)
{
	const record_trial *best = implied_winner(search);

	if (best == NULL || best->parameters.count != search->chosen.count)
		return best == NULL && search->chosen.count == 0;
	for (size_t i = 0; i < search->chosen.count; i++) {
		const char *word = text_map_get(&best->parameters, search->chosen.items[i].key);

		if (word == NULL || strcmp(word, search->chosen.items[i].value) != 0)
			return false;
	}
	return true;
}
