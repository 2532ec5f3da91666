/* SPDX-License-Identifier: Apache-2.0 */
/* One result for people: who measured what on which stack, then its cases. */
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/text.h"
#include "report/figure.h"
#include "report/flag_words.h"
#include "report/report.h"
#include "report/sampling.h"

#define LABEL_WIDTH 12

/* The bytes of s up to where a line of `width` columns may end; all of it when it fits, or when
 * its first word does not. */
static size_t fitting(const char *s, size_t width)
{
	size_t last = 0;
	size_t at = 0;

	while (s[at] != '\0') {
		size_t end = at + strspn(s + at, " ");
		char *head;
		bool fits;

		end += strcspn(s + end, " ");
		head = memory_format("%.*s", (int)end, s);
		fits = table_width(head) <= width;
		free(head);
		if (!fits && last > 0)
			return last;
		last = at = end;
	}
	return at;
}

/* A label and its text, which goes on below itself; through a table, which cleans it. */
static bool line(FILE *out, const char *label, const char *body)
{
	table *t = table_new("ll");
	char head[LABEL_WIDTH + 4];
	bool ok;

	do {
		size_t size = fitting(body, TABLE_WIDTH - LABEL_WIDTH - 2);
		char *part = memory_format("%.*s", (int)size, body);

		snprintf(head, sizeof(head), "%-*s", LABEL_WIDTH, label);
		table_row(t, (const char *[]){ head, part });
		free(part);
		body += size;
		body += strspn(body, " ");
		label = "";
	} while (*body != '\0');
	ok = table_print(t, out);
	table_free(t);
	return ok;
}

static bool show_head(FILE *out, const result *r)
{
	const cJSON *harness = json_path(r->root, "harness");
	const cJSON *who = json_path(r->root, "who");
	const cJSON *run = json_path(r->root, "run");
	const cJSON *executions = json_path(run, "executions");
	uint64_t declared = 0;
	uint64_t done = 0;
	uint64_t pilot = 0;
	char *sampling = sampling_sentence(r);
	text t = { 0 };
	bool ok;

	(void)json_uint(executions, "declared", &declared);
	(void)json_uint(executions, "done", &done);
	(void)json_uint(executions, "planned", &declared);
	(void)json_uint(json_path(executions, "pilot"), "executions", &pilot);
	text_add(&t, "%s%s, %s", r->record->executor.name, r->record->executor.simulated ? " (simulated)" : "",
	         json_string(json_path(r->root, "executor.device"), "name", "device unknown"));
	ok = line(out, "executor", t.data);
	text_free(&t);

	text_add(&t, "%s@%llu  %.12s", r->record->protocol.name, (unsigned long long)r->record->protocol.version,
	         r->record->protocol.digest);
	ok = ok && line(out, "protocol", t.data);
	text_free(&t);

	text_add(&t, "%s, %s to %s, %llu of %llu executions", json_string(run, "id", ""),
	         json_string(run, "started", ""),
	         json_string(run, "ended", "")[0] != '\0' ? json_string(run, "ended", "") : "?",
	         (unsigned long long)done, (unsigned long long)declared);
	if (pilot > 0)
		text_add(&t, " (a pilot of %llu planned them%s)", (unsigned long long)pilot,
		         json_bool(json_path(executions, "pilot"), "reached", true) ? "" :
		         "; for its half-width they are too few");
	text_add(&t, ", %s", r->record->status == RECORD_COMPLETE ? "complete" : "INCOMPLETE");
	ok = ok && line(out, "run", t.data);
	text_free(&t);
	if (sampling != NULL)
		ok = ok && line(out, "sampling", sampling);
	free(sampling);

	text_add(&t, "evenhand %s, commit %.12s%s, ABI %s", json_string(harness, "version", ""),
	         json_string(harness, "commit", ""),
	         json_bool(harness, "dirty", true) ? " (dirty)" : "",
	         json_string(harness, "abi", ""));
	ok = ok && line(out, "harness", t.data);
	text_free(&t);

	text_add(&t, "%s", json_string(who, "tester", "")[0] != '\0' ?
	         json_string(who, "tester", "") : "tester not named");
	if (json_string(who, "party", "")[0] != '\0')
		text_add(&t, ", %s", json_string(who, "party", ""));
	if (json_string(who, "sponsor", "")[0] != '\0')
		text_add(&t, ", sponsored by %s", json_string(who, "sponsor", ""));
	text_add(&t, ", %s", json_bool(who, "verified", false) ? "verified" : "not verified");
	ok = ok && line(out, "who", t.data);
	text_free(&t);
	return ok;
}

static bool show_deviations(FILE *out, const result *r)
{
	const cJSON *item;
	bool ok = true;

	cJSON_ArrayForEach(item, json_path(r->root, "protocol.deviations"))
		ok = ok && line(out, "deviation", item->valuestring);
	return ok;
}

/* ---- layers ---------------------------------------------------------------------------------- */

static void add_layer(text *t, const cJSON *layer)
{
	const char *version = json_string(layer, "version", "");

	text_add(t, "%s%s%s", json_string(layer, "name", ""), version[0] != '\0' ? " " : "",
	         version);
	if (strcmp(json_string(layer, "source", ""), "unavailable") == 0)
		text_add(t, " (unavailable)");
}

static bool show_fields(FILE *out, const cJSON *layer)
{
	const cJSON *field;
	bool ok = true;

	cJSON_ArrayForEach(field, json_path(layer, "fields")) {
		char *value = cJSON_IsString(json_path(field, "value")) ?
			memory_text(json_string(field, "value", "")) :
			json_text(json_path(field, "value"), false);
		const char *source = json_string(field, "source", "");
		char *body = memory_format("  %s: %s (%s)", field->string, value, source);

		ok = ok && line(out, "", body);
		free(body);
		free(value);
	}
	return ok;
}

/* Layers of one kind share a line; with verbose each has its own, with path, digest, fields. */
static bool show_layers(FILE *out, const result *r, bool verbose)
{
	/* As the record calls them, and as this column does. */
	static const char *const kinds[][2] = {
		{ "hardware", "hardware" }, { "interconnect", "interconnect" },
		{ "firmware", "firmware" }, { "driver", "driver" }, { "runtime", "runtime" },
		{ "compiler", "compiler" }, { "library", "library" }, { "harness", "harness" },
		{ "operating-system", "system" }, { "host", "host" }, { "site", "site" },
		{ "mapped-object", "mapped" },
	};
	const cJSON *layers = json_path(r->root, "executor.layers");
	bool ok = true;
	size_t i;

	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		const cJSON *layer;
		text t = { 0 };
		size_t count = 0;

		cJSON_ArrayForEach(layer, layers) {
			const char *path = json_string(layer, "path", "");

			if (strcmp(json_string(layer, "layer", ""), kinds[i][0]) != 0)
				continue;
			text_add(&t, "%s", count++ > 0 && !verbose ? ", " : "");
			add_layer(&t, layer);
			if (!verbose)
				continue;
			if (json_string(layer, "owner", "")[0] != '\0')
				text_add(&t, "  [%s]", json_string(layer, "owner", ""));
			if (path[0] != '\0')
				text_add(&t, "  %s  %.12s", path, json_string(layer, "sha256", ""));
			ok = ok && line(out, kinds[i][1], t.data) && show_fields(out, layer);
			text_free(&t);
		}
		if (!verbose && strcmp(kinds[i][1], "mapped") == 0) {
			text_free(&t);
			if (count > 0)
				text_add(&t, "%zu shared object%s (-v lists them)", count,
				         count == 1 ? "" : "s");
		}
		/* The harness has a line of its own above; the host's facts are fields. */
		if (!verbose && t.size > 0 && strcmp(kinds[i][1], "harness") != 0 &&
		    strcmp(kinds[i][1], "host") != 0 && strcmp(kinds[i][1], "site") != 0)
			ok = ok && line(out, kinds[i][1], t.data);
		text_free(&t);
	}
	return ok;
}

/* ---- cases ----------------------------------------------------------------------------------- */

static enum table_colour status_colour(const char *status)
{
	return strcmp(status, "valid") == 0 ? COLOUR_GREEN :
	       strcmp(status, "failed") == 0 || strcmp(status, "invalid") == 0 ? COLOUR_RED :
	       COLOUR_YELLOW;
}

static interval derived_interval(const result_row *row)
{
	const cJSON *both = json_path(row->json, json_path(row->json, "derived.statistic") != NULL ?
	                              "derived.statistic.interval_ns" : "derived.interval_ns");
	const cJSON *low = cJSON_GetArrayItem(both, 0);
	const cJSON *high = cJSON_GetArrayItem(both, 1);

	return (interval){ cJSON_IsNumber(low) ? low->valuedouble : 0,
		           cJSON_IsNumber(high) ? high->valuedouble : 0 };
}

/* Of the number that is shown, where it is no median or was declared to be none. */
static const char *statistic_name(const result_row *row)
{
	const char *declared = json_string(json_path(row->json, "measure"), "statistic", "median");

	return json_string(json_path(row->json, "derived.statistic"), "name",
	                   strcmp(declared, "median") != 0 ? "median" : "");
}

static void case_row(table *t, const result_row *row, bool colours)
{
	const cJSON *derived = json_path(row->json, "derived");
	bool trusted = strcmp(row->status, "valid") == 0 ||
	               strcmp(row->status, "not-converged") == 0;
	const cJSON *statistic = json_path(derived, "statistic");
	char figure[FIGURE_SIZE] = "";
	char median[FIGURE_SIZE + 8] = "";
	char rate[40] = "";
	char count[48] = "";
	double center = 0;
	double value = 0;
	uint64_t n = 0;
	uint64_t executions = 0;

	if (trusted && (json_double(statistic, "ns", &center) ||
	                json_double(derived, "median_ns", &center)) && center > 0) {
		interval around = derived_interval(row);
		double scale = strcmp(row->metric, "s") == 0 && row->amount > 0 ? row->amount : 1;

		around.low *= 1e-9 / scale;
		around.high *= 1e-9 / scale;
		figure_interval(center / scale * 1e-9, around, "s", figure);
		snprintf(median, sizeof(median), "%s%s%s", statistic_name(row),
		         statistic_name(row)[0] != '\0' ? " " : "", figure);
		if (json_double(derived, "rate", &value))
			text_format_si(value, strcmp(row->metric, "flop/s") == 0 ? "FLOP/s" : "B/s",
			               rate);
		(void)json_uint(derived, "n", &n);
		(void)json_uint(derived, "executions", &executions);
		snprintf(count, sizeof(count), "%llu in %llu", (unsigned long long)n,
		         (unsigned long long)executions);
	}
	table_row(t, (const char *[]){ row->id, result_row_word(row), median, rate, count });
	if (colours)
		table_paint(t, 1, status_colour(row->status));
}

static void flag_note(table *t, const result_row *row)
{
	text note = { 0 };
	const cJSON *item;

	cJSON_ArrayForEach(item, json_path(row->json, "flags"))
		text_add(&note, "%s%s", note.size > 0 ? ", " : "flags: ", item->valuestring);
	if (note.size > 0)
		table_note(t, note.data);
	text_free(&note);
}

/* That its executions did not run one program. */
static void binary_note(table *t, const result_row *row)
{
	size_t count = contract_binaries(row);
	char *note;

	if (count < 2)
		return;
	note = memory_format("binary-varies: its executions ran %zu different binaries of the kernel", count);
	table_note(t, note);
	free(note);
}

/* What disturbed the row, in words, and how much of its best a sustained run held. */
static void attempt_notes(table *t, const result_row *row, bool verbose)
{
	const cJSON *e;
	const cJSON *item;

	cJSON_ArrayForEach(e, json_path(row->json, "executions")) {
		const cJSON *list = verbose ? json_path(e, "disturbed") : NULL;

		cJSON_ArrayForEach(item, list) {
			uint64_t number = 0;
			char *note;

			(void)json_uint(e, "execution", &number);
			note = memory_format("disturbed (execution %llu): %s", (unsigned long long)number,
			                     cJSON_IsString(item) ? item->valuestring : "");
			table_note(t, note);
			free(note);
		}
	}
	cJSON_ArrayForEach(e, json_path(row->json, "derived.sustained")) {
		uint64_t number = 0;
		double steady;
		double ratio;
		char *note;

		if (!json_double(e, "steady", &steady) || !json_double(e, "ratio", &ratio))
			continue;
		(void)json_uint(e, "execution", &number);
		note = memory_format("sustained (execution %llu): %.4g operations a second at the end, %.1f %% "
		                     "of the best window", (unsigned long long)number, steady, ratio * 100);
		table_note(t, note);
		free(note);
	}
}

/* What a load was, beside the latency. */
static void load_notes(table *t, const result_row *row)
{
	const cJSON *e;

	cJSON_ArrayForEach(e, json_path(row->json, "derived.load")) {
		double offered = 0;
		double completed = 0;
		uint64_t lag = 0;
		uint64_t number = 0;
		char lag_text[32];
		char *note;

		(void)json_uint(e, "execution", &number);
		(void)json_double(e, "offered", &offered);
		(void)json_double(e, "completed", &completed);
		(void)json_uint(e, "lag_p99_ns", &lag);
		text_format_ns((double)lag, lag_text);
		note = memory_format("requests (execution %llu): %.4g a second arrived, %.4g were completed; "
		                     "the client's lag was %s (p99)", (unsigned long long)number, offered,
		                     completed, lag_text);
		table_note(t, note);
		free(note);
	}
	cJSON_ArrayForEach(e, json_path(row->json, "executions")) {
		double capacity;
		double saturation = 0;
		uint64_t number = 0;
		char *note;

		if (!json_double(json_path(e, "scenario"), "capacity", &capacity))
			continue;
		(void)json_double(json_path(e, "scenario"), "saturation", &saturation);
		(void)json_uint(e, "execution", &number);
		note = memory_format("knee (execution %llu): the limit holds up to %.4g requests a second; "
		                     "it is saturated from %.4g", (unsigned long long)number, capacity,
		                     saturation);
		table_note(t, note);
		free(note);
	}
}

static void verbose_notes(table *t, const result_row *row)
{
	static const char *const numbers[] = { "min_ns", "q1_ns", "q3_ns", "max_ns", "mad_ns" };
	const cJSON *derived = json_path(row->json, "derived");
	const cJSON *program = json_path(cJSON_GetArrayItem(json_path(row->json, "executions"), 0),
	                                 "program");
	text note = { 0 };
	double value;
	size_t i;

	for (i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		char ns[32];

		if (!json_double(derived, numbers[i], &value))
			continue;
		text_format_ns(value, ns);
		text_add(&note, "%s%.*s %s", note.size > 0 ? ", " : "", (int)strlen(numbers[i]) - 3,
		         numbers[i], ns);
	}
	if (json_double(derived, "canary_drift", &value))
		text_add(&note, "; canary drift %.1f %%", value * 100);
	if (row->clock[0] != '\0')
		text_add(&note, "; %s clock", row->clock);
	if (note.size > 0)
		table_note(t, note.data);
	text_free(&note);
	if (program == NULL)
		return;
	text_add(&note, "%s %s, %s, source %.12s",
	         json_string(program, "compiler", "compiler unknown"),
	         json_string(program, "compiler_version", ""), json_string(program, "flags", ""),
	         json_string(program, "source_sha256", ""));
	table_note(t, note.data);
	text_free(&note);
}

static bool show_cases(FILE *out, const result *r, bool verbose)
{
	bool colours = figure_colours(out);
	table *t = table_new("llllr");
	bool ok;
	size_t i;

	table_row(t, (const char *[]){ "case", "status", "median [95 %]", "rate", "samples" });
	table_rule(t);
	for (i = 0; i < r->row_count; i++) {
		case_row(t, &r->rows[i], colours);
		flag_note(t, &r->rows[i]);
		binary_note(t, &r->rows[i]);
		attempt_notes(t, &r->rows[i], verbose);
		load_notes(t, &r->rows[i]);
		if (verbose)
			verbose_notes(t, &r->rows[i]);
	}
	ok = table_print(t, out);
	table_free(t);
	return ok;
}

static bool show_reasons(FILE *out, const result *r)
{
	table *t = NULL;
	bool ok = true;
	size_t i;

	for (i = 0; i < r->row_count; i++) {
		const cJSON *item;

		cJSON_ArrayForEach(item, json_path(r->rows[i].json, "reasons")) {
			bool run = strcmp(result_row_word(&r->rows[i]), r->rows[i].status) == 0;
			char *note = run ? memory_format("%s (%s): %s", r->rows[i].id,
			                                 r->rows[i].status, item->valuestring) :
			             memory_format("%s: %s", r->rows[i].id, item->valuestring);

			if (t == NULL)
				t = table_new("l");
			table_note(t, note);
			free(note);
		}
	}
	if (t != NULL)
		ok = fputc('\n', out) != EOF && table_print(t, out);
	table_free(t);
	return ok;
}

bool report_result(FILE *out, const result *r, bool verbose)
{
	return show_head(out, r) && show_layers(out, r, verbose) && show_deviations(out, r) &&
	       fputc('\n', out) != EOF && show_cases(out, r, verbose) &&
	       flag_words_print(out, r) && show_reasons(out, r);
}
