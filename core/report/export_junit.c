/* SPDX-License-Identifier: Apache-2.0 */
/* JUnit's XML, in the form that Jenkins, GitLab and GitHub's actions read: a suite for each result. */
#include <math.h>
#include <stdlib.h>

#include "base/markup.h"
#include "report/export.h"
#include "report/figure.h"

/* What becomes of a case in the suite. */
enum outcome { PASSED, FAILED, SKIPPED };

static enum outcome outcome_of(const grid *g, size_t row, size_t i)
{
	const result_row *of = grid_result_row(g, row, i);
	const comparison_row *compared = grid_compared(g, row, i);

	if (!result_row_counts(of))
		return of->record->status == RECORD_INVALID ||
		       (of->record->status == RECORD_FAILED && of->record->executions.count > 0) ? FAILED : SKIPPED;
	return g->mode != GRID_ALONE && !grid_is_reference(g, i) && compared != NULL &&
	       compared->verdict == VERDICT_SLOWER ? FAILED : PASSED;
}

/* Seconds that the samples of a case took. */
static double seconds_of(const record_case *c)
{
	double sum = 0;

	for (size_t i = 0; i < c->executions.count; i++)
		for (size_t k = 0; k < c->executions.items[i].samples_ns.count; k++)
			sum += (double)c->executions.items[i].samples_ns.items[k] * 1e-9;
	return sum;
}

/* "0.76x of host:gcc-12 [.75-.77]: SLOWER" */
static void put_message(FILE *out, const export_case *c)
{
	char ratio[FIGURE_SIZE];

	if (c->verdict[0] != '\0' && c->speedup > 0) {
		figure_ratio(c->speedup, (interval){ c->speedup_low, c->speedup_high }, ratio);
		markup_put(out, "%s: %s times as fast as %s", c->verdict, ratio, c->baseline);
	} else {
		markup_put(out, "%s%s%s", c->status, c->reasons[0] != '\0' ? ": " : "", c->reasons);
	}
}

static void put_value(FILE *out, const export_case *c)
{
	char value[FIGURE_SIZE];

	if (isnan(c->value))
		return;
	figure_interval(c->value, (interval){ c->low, c->high }, c->unit, value);
	markup_put(out, "<system-out>%s, %s", value, c->evidence);
	if (c->verdict[0] != '\0') {
		markup_put(out, "; ");
		put_message(out, c);
	}
	markup_put(out, "</system-out>");
}

static void put_case(FILE *out, const grid *g, size_t row, size_t i)
{
	static const char *const elements[] = { [FAILED] = "failure", [SKIPPED] = "skipped" };
	enum outcome outcome = outcome_of(g, row, i);
	export_case c;

	layout_init(export_case_layout(), &c);
	(void)export_fill(g, row, i, &c);
	markup_put(out, "<testcase classname=\"%s\" name=\"%s\" time=\"%.6f\">", c.executor, c.id,
	           seconds_of(grid_result_row(g, row, i)->record));
	if (outcome != PASSED) {
		markup_put(out, "<%s message=\"", elements[outcome]);
		put_message(out, &c);
		markup_put(out, "\"/>");
	}
	put_value(out, &c);
	markup_put(out, "</testcase>\n");
	layout_clear(export_case_layout(), &c);
}

/* Its numbers of cases, failures and skipped ones, and its seconds. */
typedef struct suite { size_t tests, failures, skipped; double seconds; } suite;

static suite count_suite(const grid *g, size_t i)
{
	suite s = { 0 };

	for (size_t row = 0; row < g->row_count; row++) {
		const result_row *of = grid_result_row(g, row, i);
		enum outcome outcome;

		if (of == NULL)
			continue;
		outcome = outcome_of(g, row, i);
		s.tests++;
		s.failures += outcome == FAILED;
		s.skipped += outcome == SKIPPED;
		s.seconds += seconds_of(of->record);
	}
	return s;
}

static void put_suite(FILE *out, const grid *g, size_t i, const char *name)
{
	const record_result *r = grid_result(g, i)->record;
	suite s = count_suite(g, i);

	markup_put(out, "<testsuite name=\"%s\" tests=\"%zu\" failures=\"%zu\" errors=\"0\" skipped=\"%zu\" "
	           "time=\"%.6f\" timestamp=\"%s\">\n", name, s.tests, s.failures, s.skipped, s.seconds,
	           r->run.started);
	markup_put(out, "<properties><property name=\"protocol\" value=\"%s@%llu\"/><property name=\"run\" value=\"%s\"/>"
	           "<property name=\"stack\" value=\"%s\"/><property name=\"result\" value=\"%s\"/></properties>\n",
	           r->protocol.name, (unsigned long long)r->protocol.version, r->run.id, r->executor.digest,
	           r->digest);
	for (size_t row = 0; row < g->row_count; row++)
		if (grid_result_row(g, row, i) != NULL)
			put_case(out, g, row, i);
	markup_put(out, "</testsuite>\n");
}

void export_junit(FILE *out, const grid *g)
{
	suite all = { 0 };

	for (size_t i = 0; i < grid_results(g); i++) {
		suite s = count_suite(g, i);

		all.tests += s.tests;
		all.failures += s.failures;
		all.skipped += s.skipped;
		all.seconds += s.seconds;
	}
	markup_put(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"evenhand\" tests=\"%zu\" "
	           "failures=\"%zu\" errors=\"0\" skipped=\"%zu\" time=\"%.6f\">\n", all.tests, all.failures,
	           all.skipped, all.seconds);
	for (size_t i = 0; i < grid_results(g); i++) {
		char *name = grid_full_name(g, i);

		put_suite(out, g, i, name);
		free(name);
	}
	markup_put(out, "</testsuites>\n");
}
