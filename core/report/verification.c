/* SPDX-License-Identifier: Apache-2.0 */
#include "report/verification.h"

#include <stdlib.h>

#include "base/terminal.h"
#include "base/text.h"
#include "report/figure.h"
#include "report/report.h"

enum { FOUND_SHOWN = 100 };

/* malloc'd: whether it holds, and who says so. */
static char *answer_text(const audit_report *r)
{
	static const char *const texts[] = {
		[AUDIT_CONSISTENT] = "consistent, unsigned", [AUDIT_HOLDS] = "holds",
		[AUDIT_ALTERED] = "DOES NOT HOLD",
		[AUDIT_NOT_SIGNED] = "consistent, NOT SIGNED AS REQUIRED",
		[AUDIT_NO_RESULT] = "NOT A RESULT",
		[AUDIT_EVIDENCE_UNREADABLE] = "consistent, SIGNATURES UNREADABLE"
	};

	if (r->answer == AUDIT_HOLDS)
		return memory_format("holds, %s", r->evidence->sentence);
	return memory_text(r->answer == AUDIT_CONSISTENT && r->evidence->level == AUDIT_UNKNOWN ?
	                   "consistent, signed by a key that you do not trust" : texts[r->answer]);
}

static void add_subject(table *t, const audit_report *r)
{
	char *words;

	if (r->executor == NULL)
		return;
	words = memory_format("%s under %s, %llu cases", r->executor, r->protocol,
	                      (unsigned long long)r->cases);
	table_row(t, (const char *[]){ "of", "", words });
	free(words);
}

static void add_check(table *t, const audit_check *check)
{
	static const char *const marks[] = { [AUDIT_PASSED] = "ok", [AUDIT_FAILED] = "NO",
		                             [AUDIT_NOT_REACHED] = "-", [AUDIT_NOT_CHECKED] = "-" };
	char *words = check->outcome == AUDIT_PASSED ? memory_text(check->condition) :
	              check->outcome == AUDIT_NOT_REACHED ? memory_text("not reached") :
	              check->outcome == AUDIT_NOT_CHECKED ?
	              memory_format("could not be checked: %s", check->condition) :
	              memory_format("%llu finding%s", (unsigned long long)check->findings,
	                            check->findings > 1 ? "s" : "");

	table_row(t, (const char *[]){ check->name, marks[check->outcome], words });
	if (marks[check->outcome][0] != '-')
		table_paint(t, 1, check->outcome == AUDIT_PASSED ? COLOUR_GREEN : COLOUR_RED);
	free(words);
}

static void add_amendment(table *t, const audit_checked_amendment *a)
{
	static const char *const kinds[] = { [AUDIT_NOTE] = "note", [AUDIT_DISPUTE] = "dispute",
		                             [AUDIT_REDACT] = "redaction" };
	char *words = memory_format("%s%sby %s: %s", a->member != NULL ? a->member : "",
	                            a->member != NULL ? " " : "", a->trusted_name != NULL ?
	                            a->trusted_name : "a key you do not trust", a->text);

	table_row(t, (const char *[]){ kinds[a->kind], "-", words });
	free(words);
}

static void add_evidence(table *t, const audit_report *r)
{
	const audit_evidence *e = r->evidence;
	bool well = e->level > AUDIT_BROKEN && r->answer != AUDIT_NOT_SIGNED;

	table_row(t, (const char *[]){ "signatures", e->level == AUDIT_UNSIGNED && well ? "-" :
		                       well ? "ok" : "NO", e->sentence });
	if (!well)
		table_paint(t, 1, COLOUR_RED);
	for (size_t i = 0; i < e->amendments.count; i++)
		add_amendment(t, &e->amendments.items[i]);
}

static void add_notes(table *t, const text_list *notes)
{
	for (size_t i = 0; i < notes->count; i++)
		table_note(t, notes->items[i]);
}

static void add_findings(table *t, const audit_report *r)
{
	size_t i;

	for (i = 0; i < r->findings.count && i < FOUND_SHOWN; i++)
		table_note(t, r->findings.items[i].sentence);
	if (r->findings.count > i) {
		char *more = memory_format("... and %zu more; --json has all of them",
		                           r->findings.count - i);

		table_note(t, more);
		free(more);
	}
	add_notes(t, &r->bundle_problems);
	if (r->evidence != NULL)
		add_notes(t, &r->evidence->problems);
}

bool report_verification(FILE *out, const audit_report *r)
{
	char *file = terminal_words(out, table_clean(r->file)), *answer = answer_text(r);
	char *clean = terminal_words(out, table_clean(answer));
	table *t = table_new("llw");
	bool good;

	fprintf(out, "%s: %s\n", file, clean);
	free(clean);
	free(answer);
	free(file);
	add_subject(t, r);
	for (size_t i = 0; i < r->checks.count; i++)
		add_check(t, &r->checks.items[i]);
	if (r->evidence != NULL)
		add_evidence(t, r);
	add_findings(t, r);
	good = table_print(t, out);
	table_free(t);
	return good;
}
