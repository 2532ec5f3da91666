/* SPDX-License-Identifier: Apache-2.0 */
/* One result in all detail: who measured what on which stack, then its cases. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "record/setting.h"
#include "report/figure.h"
#include "report/report.h"

/* ---- the run --------------------------------------------------------------------------------- */

static char *pilot_words(const record_pilot *pilot)
{
	if (pilot == NULL || pilot->executions == 0)
		return memory_text("");
	return memory_format(" (a pilot of %llu planned them%s)",
	                     (unsigned long long)pilot->executions,
	                     pilot->reached ? "" : "; too few for its half-width");
}

static bool show_run(FILE *out, const record_run *run, enum record_completeness status)
{
	const record_executions *e = &run->executions;
	uint64_t planned = e->planned != LAYOUT_NO_UINT ? e->planned : e->declared;
	char *pilot = pilot_words(e->pilot);
	bool ok = table_item(out, 0, "run", "%s, %s to %s, %llu of %llu executions%s, %s", run->id,
	                     run->started, run->ended[0] != '\0' ? run->ended : "?",
	                     (unsigned long long)e->done, (unsigned long long)planned, pilot,
	                     status == RECORD_COMPLETE ? "complete" : "INCOMPLETE");

	free(pilot);
	return ok;
}

static bool show_who(FILE *out, const record_who *who)
{
	return table_item(out, 0, "who", "%s%s%s%s%s, %s",
	                  who->tester[0] != '\0' ? who->tester : "tester not named",
	                  who->party[0] != '\0' ? ", " : "", who->party,
	                  who->sponsor[0] != '\0' ? ", sponsored by " : "", who->sponsor,
	                  who->verified ? "verified" : "not verified");
}

static bool show_head(FILE *out, const result *r)
{
	const record_result *record = r->record;
	const record_harness *harness = &record->harness;
	const char *device = record->executor.device.name;

	return table_item(out, 0, "executor", "%s%s, %s", record->executor.name,
	                  record->executor.simulated ? " (simulated)" : "",
	                  device != NULL ? device : "device unknown") &&
	       table_item(out, 0, "protocol", "%s@%llu, digest %.12s", record->protocol.name,
	                  (unsigned long long)record->protocol.version, record->protocol.digest) &&
	       show_run(out, &record->run, record->status) &&
	       table_item(out, 0, "harness", "evenhand %s, commit %.12s%s, ABI %s",
	                  harness->version, harness->commit, harness->dirty ? " (dirty)" : "",
	                  harness->abi) &&
	       show_who(out, &record->who);
}

static bool show_deviations(FILE *out, const text_list *deviations)
{
	bool ok = true;

	for (size_t i = 0; i < deviations->count && ok; i++)
		ok = table_item(out, 0, "deviation", "%s", deviations->items[i]);
	return ok;
}

/* ---- the stack ------------------------------------------------------------------------------- */

static const char *layer_label(enum record_layer_kind kind)
{
	return kind == RECORD_LAYER_OPERATING_SYSTEM ? "system" :
	       kind == RECORD_LAYER_MAPPED_OBJECT ? "mapped" :
	       kind == RECORD_LAYER_CONFIGURATION ? "settings" : record_layer_kind_word(kind);
}

static void add_layer(text *t, const record_layer *layer)
{
	const char *version = text_or_empty(layer->version);
	bool variable = setting_is(layer) && !setting_is_file(layer);
	char *value = variable ? setting_words(layer, NULL, NULL) : memory_text(version);

	text_add(t, "%s%s%s%s%s", t->size > 0 ? ", " : "", layer->name,
	         variable ? "=" : value[0] != '\0' ? " " : "", value,
	         layer->source == RECORD_SOURCE_UNAVAILABLE ? " (unavailable)" : "");
	free(value);
}

static bool show_fact(FILE *out, const record_field *fact)
{
	char *value = scalar_text(&fact->value);
	const char *source = record_source_word(fact->source);
	bool ok = value[0] == '\0' ? table_item(out, 2, "", "%s: %s", fact->name, source) :
	          table_item(out, 2, "", "%s: %s (%s)", fact->name, value, source);

	free(value);
	return ok;
}

static bool show_layer(FILE *out, const record_layer *layer)
{
	const char *owner = text_or_empty(layer->owner), *path = text_or_empty(layer->path);
	text t = { 0 };
	bool ok;

	add_layer(&t, layer);
	if (owner[0] != '\0')
		text_add(&t, " [%s]", owner);
	if (path[0] != '\0')
		text_add(&t, " %s %.12s", path, text_or_empty(layer->sha256));
	ok = table_item(out, 0, layer_label(layer->layer), "%s", t.data);
	for (size_t i = 0; i < layer->fields.count && ok; i++)
		ok = show_fact(out, &layer->fields.items[i]);
	text_free(&t);
	return ok;
}

static bool show_layers(FILE *out, const record_layer_list *layers)
{
	bool ok = true;

	for (enum record_layer_kind k = RECORD_LAYER_HARDWARE; k <= RECORD_LAYER_SITE; k++)
		for (size_t i = 0; i < layers->count && ok; i++)
			if (layers->items[i].layer == k)
				ok = show_layer(out, &layers->items[i]);
	return ok;
}

/* Why the device's clock was not used. */
static bool show_clock(FILE *out, const record_instrument_list *instruments)
{
	for (size_t i = 0; i < instruments->count; i++)
		if (!instruments->items[i].device_time)
			return table_item(out, 0, "clock", "the host's: %s",
			                  instruments->items[i].device_time_reason);
	return true;
}

/* ---- what cases have in common --------------------------------------------------------------- */

static const record_execution *first_counted(const record_case *row)
{
	for (size_t i = 0; i < row->executions.count; i++)
		if (record_counts(row->executions.items[i].status))
			return &row->executions.items[i];
	return NULL;
}

/* malloc'd: how a case was timed and compiled, "host clock, gcc 12.2.0, -O3"; "" where it did not
 * run. */
static char *setup_words(const record_case *row)
{
	const record_execution *e = first_counted(row);
	const record_program *p = e != NULL ? e->program : NULL;
	text t = { 0 };

	if (e != NULL && e->clock != record_clock_absent)
		text_add(&t, "%s clock", record_clock_word(e->clock));
	if (p != NULL)
		text_add(&t, "%s%s %s, %s", t.size > 0 ? ", " : "",
		         p->compiler != NULL ? p->compiler : "compiler unknown",
		         text_or_empty(p->compiler_version), text_or_empty(p->flags));
	return t.data != NULL ? t.data : memory_text("");
}

/* What all cases that count share; notes of single cases leave it out. */
typedef struct shared {
	size_t cases;  /* that count                                                            */
	record_flag_list flags;
	char *setup;   /* "" where they differ                                                  */
} shared;

static bool all_have(const result *r, int flag)
{
	for (size_t i = 0; i < r->row_count; i++)
		if (result_row_counts(&r->rows[i]) &&
		    !word_list_has(&r->rows[i].record->flags, flag))
			return false;
	return true;
}

static shared shared_of(const result *r)
{
	shared s = { .setup = memory_text("") };

	for (size_t i = 0; i < r->row_count; i++) {
		char *setup = setup_words(r->rows[i].record);

		if (!result_row_counts(&r->rows[i])) {
			free(setup);
			continue;
		}
		if (s.cases++ > 0 && strcmp(setup, s.setup) != 0)
			text_set(&setup, "");
		free(s.setup);
		s.setup = setup;
	}
	for (size_t i = 0; i < record_flag_words()->count && s.cases > 1; i++) {
		int flag = record_flag_words()->items[i].value;

		if (all_have(r, flag))
			word_list_add(&s.flags, flag);
	}
	return s;
}

static void shared_free(shared *s)
{
	free(s->flags.items);
	free(s->setup);
}

/* ---- cases ----------------------------------------------------------------------------------- */

static enum table_colour status_colour(enum record_status status)
{
	return status == RECORD_VALID ? COLOUR_GREEN :
	       status == RECORD_FAILED || status == RECORD_INVALID ? COLOUR_RED : COLOUR_YELLOW;
}

/* The time that the case is judged by, with its interval; absent without samples that count. */
static double center_of(const result_row *row, interval *around)
{
	const record_derived *d = row->record->derived;
	const number_list *both;

	if (!result_row_counts(row) || d == NULL)
		return NAN;
	both = d->statistic != NULL ? &d->statistic->interval_ns : &d->interval_ns;
	*around = both->count == 2 ? (interval){ both->items[0], both->items[1] } :
	          (interval){ 0, 0 };
	return d->statistic != NULL ? d->statistic->ns : d->median_ns;
}

/* Of the number that is shown, where it is not a median or was declared not to be one. */
static const char *statistic_name(const record_case *row)
{
	if (row->derived->statistic != NULL)
		return row->derived->statistic->name;
	return row->measure.statistic > RECORD_STATISTIC_MEDIAN ? "median" : "";
}

static void case_cells(const result_row *row, char *time, char *rate, char *count)
{
	const record_derived *d = row->record->derived;
	double scale = row->metric == RECORD_METRIC_SECONDS && row->amount > 0 ? row->amount : 1;
	interval around = { 0 };
	double center = center_of(row, &around);
	char figure[FIGURE_SIZE];
	const char *name;

	if (!(center > 0))
		return;
	around.low *= 1e-9 / scale;
	around.high *= 1e-9 / scale;
	figure_interval(center / scale * 1e-9, around, "s", figure);
	name = statistic_name(row->record);
	snprintf(time, FIGURE_SIZE + 16, "%s%s%s", name, name[0] != '\0' ? " " : "", figure);
	if (!isnan(d->rate))
		text_format_si(d->rate, figure_unit(row->metric), rate);
	snprintf(count, 48, "%llu in %llu", (unsigned long long)d->n,
	         (unsigned long long)d->executions);
}

static void case_row(table *t, const result_row *row, bool colours)
{
	char time[FIGURE_SIZE + 16] = "", rate[40] = "", count[48] = "";

	case_cells(row, time, rate, count);
	table_row(t, (const char *[]){ row->id, result_row_word(row), time, rate, count });
	if (colours)
		table_paint(t, 1, status_colour(row->record->status));
}

__attribute__((format(printf, 2, 3)))
static void note(table *t, const char *format, ...)
{
	va_list arguments;
	char *words;

	va_start(arguments, format);
	if (vasprintf(&words, format, arguments) < 0)
		words = NULL;
	va_end(arguments);
	table_note(t, memory_insist(words));
	free(words);
}

static void flag_note(table *t, const result_row *row, const shared *s)
{
	const record_flag_list *flags = &row->record->flags;
	text words = { 0 };

	for (size_t i = 0; i < flags->count; i++)
		if (!result_row_counts(row) || !word_list_has(&s->flags, (int)flags->items[i]))
			text_add(&words, "%s%s", words.size > 0 ? ", " : "flags: ",
			         record_flag_word(flags->items[i]));
	if (words.size > 0)
		table_note(t, words.data);
	text_free(&words);
}

static void binary_note(table *t, const result_row *row)
{
	size_t count = contract_binaries(row);

	if (count > 1)
		note(t, "binary-varies: its executions ran %zu different binaries of the kernel",
		     count);
}

/* How much of its best a sustained execution held. */
static void sustained_notes(table *t, const record_derived *d)
{
	for (size_t i = 0; d != NULL && i < d->sustained.count; i++) {
		const record_derived_sustained *s = &d->sustained.items[i];

		note(t, "sustained (execution %llu): %.4g operations/s at the end, %.1f %% of the "
		     "best window", (unsigned long long)s->execution, s->steady, s->ratio * 100);
	}
}

static void load_notes(table *t, const record_derived *d)
{
	for (size_t i = 0; d != NULL && i < d->load.count; i++) {
		const record_derived_load *l = &d->load.items[i];
		char lag[32];

		text_format_ns((double)l->lag_p99_ns, lag);
		note(t, "requests (execution %llu): %.4g/s arrived, %.4g/s were completed; the "
		     "client's lag was %s (p99)", (unsigned long long)l->execution, l->offered,
		     l->completed, lag);
	}
}

static void knee_notes(table *t, const record_execution_list *executions)
{
	for (size_t i = 0; i < executions->count; i++) {
		const record_execution *e = &executions->items[i];

		if (e->scenario != NULL && !isnan(e->scenario->capacity))
			note(t, "knee (execution %llu): the limit holds up to %.4g requests/s; "
			     "saturated from %.4g/s", (unsigned long long)e->execution,
			     e->scenario->capacity, e->scenario->saturation);
	}
}

/* What disturbed an execution, in sentences, and which sensors told of throttling. */
static void disturbed_notes(table *t, const record_execution *e)
{
	unsigned long long number = e->execution;

	for (size_t i = 0; i < e->disturbed.count; i++)
		note(t, "disturbed (execution %llu): %s", number, e->disturbed.items[i]);
	for (size_t i = 0; e->sustained != NULL && i < e->sustained->throttle.count; i++) {
		const record_throttle_state *s = &e->sustained->throttle.items[i];

		note(t, "throttled (execution %llu): %s, by %s", number, s->meaning, s->channel);
	}
}

static void add_time(text *t, const char *name, double ns)
{
	char time[32];

	text_format_ns(ns, time);
	text_add(t, "%s%s %s", t->size > 0 ? ", " : "", name, time);
}

static void spread_note(table *t, const record_derived *d)
{
	text words = { 0 };

	if (d == NULL)
		return;
	add_time(&words, "min", d->min_ns);
	add_time(&words, "q1", d->q1_ns);
	add_time(&words, "q3", d->q3_ns);
	add_time(&words, "max", d->max_ns);
	add_time(&words, "mad", d->mad_ns);
	if (!isnan(d->canary_drift))
		text_add(&words, "; canary drift %.1f %%", d->canary_drift * 100);
	table_note(t, words.data);
	text_free(&words);
}

static void program_note(table *t, const record_case *row, const shared *s)
{
	const record_execution *e = first_counted(row);
	const record_program *p = e != NULL ? e->program : NULL;
	const char *source = p != NULL ? text_or_empty(p->source_sha256) : "";
	char *setup = setup_words(row);
	text words = { 0 };

	if (s->setup[0] == '\0' && setup[0] != '\0')
		text_add(&words, "%s", setup);
	if (source[0] != '\0')
		text_add(&words, "%ssource %.12s", words.size > 0 ? ", " : "", source);
	if (words.size > 0)
		table_note(t, words.data);
	text_free(&words);
	free(setup);
}

static void case_notes(table *t, const result_row *of, const shared *s)
{
	const record_case *row = of->record;

	flag_note(t, of, s);
	binary_note(t, of);
	sustained_notes(t, row->derived);
	load_notes(t, row->derived);
	knee_notes(t, &row->executions);
	for (size_t i = 0; i < row->executions.count; i++)
		disturbed_notes(t, &row->executions.items[i]);
	spread_note(t, row->derived);
	program_note(t, row, s);
}

static bool is_asked(const text_list *ids, const result_row *row)
{
	return ids->count == 0 || text_list_has(ids, row->id);
}

static bool show_cases(FILE *out, const result *r, const text_list *ids, const shared *s)
{
	bool colours = figure_colours(out);
	table *t = table_new("llllr");
	bool ok;

	table_row(t, (const char *[]){ "case", "status", "median [95 %]", "rate", "samples" });
	table_rule(t);
	for (size_t i = 0; i < r->row_count; i++) {
		if (!is_asked(ids, &r->rows[i]))
			continue;
		case_row(t, &r->rows[i], colours);
		case_notes(t, &r->rows[i], s);
	}
	ok = table_print(t, out);
	table_free(t);
	return ok;
}

/* ---- below the cases ------------------------------------------------------------------------- */

/* Below an empty line, each wrapped; clears the list. */
static bool show_notes(FILE *out, text_list *lines)
{
	bool ok = lines->count == 0 || fputc('\n', out) != EOF;

	for (size_t i = 0; i < lines->count && ok; i++)
		ok = table_wrap(out, lines->items[i], 6);
	text_list_clear(lines);
	return ok;
}

static void add_mark(text_list *lines, const record_mark *mark, const char *where)
{
	text_list_format(lines, "%s%s: %s%s%s", mark->word, where, mark->sentence,
	                 mark->remedy[0] != '\0' ? " " : "", mark->remedy);
}

/* What the statuses of the cases mean, each once; valid needs no words. */
static void add_statuses(text_list *lines, const result *r)
{
	for (enum record_status s = RECORD_NOT_CONVERGED; s <= RECORD_FAILED; s++)
		for (size_t i = 0; i < r->row_count; i++)
			if (r->rows[i].record->status == s) {
				add_mark(lines, record_status_mark(s), "");
				break;
			}
}

static bool any_has(const result *r, enum record_flag flag)
{
	for (size_t i = 0; i < r->row_count; i++)
		if (word_list_has(&r->rows[i].record->flags, (int)flag))
			return true;
	return false;
}

static void add_flags(text_list *lines, const result *r, const shared *s)
{
	for (size_t i = 0; i < record_flag_words()->count; i++) {
		int flag = record_flag_words()->items[i].value;

		if (any_has(r, (enum record_flag)flag))
			add_mark(lines, record_flag_mark((enum record_flag)flag),
			         word_list_has(&s->flags, flag) ? " (all cases)" : "");
	}
}

static void add_reasons(text_list *lines, const result_row *row)
{
	const char *word = result_row_word(row);
	bool run = strcmp(word, record_status_word(row->record->status)) == 0;

	for (size_t i = 0; i < row->record->reasons.count; i++)
		text_list_format(lines, "%s%s%s%s: %s", row->id, run ? " (" : "", run ? word : "",
		                 run ? ")" : "", row->record->reasons.items[i]);
}

static bool show_below(FILE *out, const result *r, const text_list *ids, const shared *s)
{
	text_list lines = { 0 };
	bool ok;

	if (s->setup[0] != '\0')
		text_list_format(&lines, "all cases: %s", s->setup);
	add_statuses(&lines, r);
	add_flags(&lines, r, s);
	ok = show_notes(out, &lines);
	for (size_t i = 0; i < r->row_count; i++)
		if (is_asked(ids, &r->rows[i]))
			add_reasons(&lines, &r->rows[i]);
	return show_notes(out, &lines) && ok;
}

bool report_result(FILE *out, const result *r, const text_list *ids)
{
	shared s = shared_of(r);
	bool ok = show_head(out, r) && show_layers(out, &r->record->executor.layers) &&
	          show_clock(out, &r->record->instruments) &&
	          show_deviations(out, &r->record->protocol.deviations) &&
	          fputc('\n', out) != EOF && show_cases(out, r, ids, &s) &&
	          show_below(out, r, ids, &s);

	shared_free(&s);
	return ok;
}
