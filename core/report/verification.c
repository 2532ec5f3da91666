/* SPDX-License-Identifier: Apache-2.0 */
#include "report/verification.h"

#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/text.h"
#include "report/figure.h"
#include "report/report.h"

enum { FOUND_SHOWN = 100 };

static const char *answer_word(enum audit_answer answer)
{
	static const char *const words[] = { "holds", "DOES NOT HOLD", "NOT SIGNED AS REQUIRED", "NO RESULT",
		                             "holds, SIGNATURES UNREADABLE" };

	return words[answer];
}

static size_t count_of(const audit_report *r, enum finding_check check)
{
	size_t count = 0;

	for (size_t i = 0; i < r->found.count; i++)
		count += r->found.items[i].check == check;
	return count;
}

/* ---- for people ------------------------------------------------------------------------------ */

static void add_check(table *t, const char *name, size_t count, const char *well)
{
	char *words = count == 0 ? memory_text(well) :
	              memory_format("%zu finding%s", count, count > 1 ? "s" : "");

	table_row(t, (const char *[]){ name, count == 0 ? "ok" : "NO", words });
	if (figure_colours(stdout))
		table_paint(t, 1, count == 0 ? COLOUR_GREEN : COLOUR_RED);
	free(words);
}

static void add_record_checks(table *t, const audit_report *r)
{
	static const char *const well[] = {
		"the members of the format, and no other",
		"the plan has its digest; the text says the same",
		"times, executions and layers fit together",
		"each case is that of the plan",
		"recomputed from the samples, bit for bit",
		"every section, every case and the whole"
	};
	bool whole = r->evidence != NULL;

	for (int c = 0; c < CHECK_COUNT; c++) {
		size_t count = count_of(r, (enum finding_check)c);

		if (whole || count > 0)
			add_check(t, finding_check_name((enum finding_check)c), count, well[c]);
		else
			table_row(t, (const char *[]){ finding_check_name((enum finding_check)c), "-",
				                       "not reached" });
	}
}

static void add_findings(table *t, const audit_report *r)
{
	size_t i;

	for (i = 0; i < r->found.count && i < FOUND_SHOWN; i++)
		table_note(t, r->found.items[i].sentence);
	if (r->found.count > i) {
		char *more = memory_format("... and %zu more; --json has all of them", r->found.count - i);

		table_note(t, more);
		free(more);
	}
	for (i = 0; r->problems != NULL && r->problems[i] != NULL; i++)
		table_note(t, r->problems[i]);
	for (i = 0; r->evidence != NULL && i < r->evidence->problem_count; i++)
		table_note(t, r->evidence->problems[i]);
}

static void add_amendments(table *t, const audit_evidence *e)
{
	static const char *const kinds[] = { "note", "dispute", "redaction" };

	for (size_t i = 0; i < e->amendment_count; i++) {
		const audit_amendment *a = &e->amendments[i];
		char *words = memory_format("%s%s%s: %s", a->member, a->member[0] != '\0' ? " by " : "by ",
		                            a->trusted_name != NULL ? a->trusted_name :
		                            "a key you do not trust", a->text);

		table_row(t, (const char *[]){ kinds[a->kind], "-", words });
		free(words);
	}
}

bool report_verification(FILE *out, const audit_report *r, enum audit_answer answer)
{
	char *path = table_clean(r->path);
	table *t = table_new("lll");
	bool good;

	fprintf(out, "%s: %s\n", path, answer_word(answer));
	free(path);
	if (!r->bundle) {
		char *words = memory_format("%s under %s, %zu cases", r->executor, r->protocol, r->cases);

		if (r->evidence != NULL)
			table_row(t, (const char *[]){ "of", "", words });
		free(words);
		add_record_checks(t, r);
	} else {
		size_t count = 0;

		while (r->problems[count] != NULL)
			count++;
		add_check(t, "manifest", count, "every member has its digest; kernel texts are those measured");
	}
	if (r->evidence != NULL) {
		bool well = r->evidence->level > AUDIT_BROKEN && answer != AUDIT_NOT_SIGNED;

		table_row(t, (const char *[]){ "signatures", r->evidence->level == AUDIT_UNSIGNED && well ?
			                       "-" : well ? "ok" : "NO", r->evidence->sentence });
		if (!well && figure_colours(stdout))
			table_paint(t, 1, COLOUR_RED);
		add_amendments(t, r->evidence);
	}
	add_findings(t, r);
	good = table_print(t, out);
	table_free(t);
	return good;
}

/* ---- for scripts ----------------------------------------------------------------------------- */

static void add_texts(cJSON *object, const char *key, char *const *texts, size_t count)
{
	cJSON *list = json_add_array(object, key);

	for (size_t i = 0; i < count; i++)
		json_append_string(list, texts[i]);
}

static void put_signatures(cJSON *out, const audit_evidence *e)
{
	cJSON *list = json_add_array(out, "signatures");

	for (size_t i = 0; i < e->signature_count; i++) {
		const audit_signature *s = &e->signatures[i];
		cJSON *item = cJSON_CreateObject();

		json_add_string(item, "role", s->role == AUDIT_VERIFIER ? "verifier" : "tester");
		json_add_string(item, "fingerprint", s->key.fingerprint);
		json_add_string(item, "signer", s->signer);
		json_add_string(item, "time", s->time);
		json_add_bool(item, "holds", s->holds);
		json_add_bool(item, "trusted", s->trusted);
		json_add_string(item, "trusted_name", s->trusted_name);
		cJSON_AddItemToArray(list, item);
	}
}

static void put_amendments(cJSON *out, const audit_evidence *e)
{
	static const char *const kinds[] = { "note", "dispute", "redact" };
	cJSON *list = json_add_array(out, "amendments");

	for (size_t i = 0; i < e->amendment_count; i++) {
		const audit_amendment *a = &e->amendments[i];
		cJSON *item = cJSON_CreateObject();

		json_add_string(item, "kind", kinds[a->kind]);
		json_add_string(item, "text", a->text);
		json_add_string(item, "member", a->member);
		json_add_string(item, "time", a->time);
		json_add_string(item, "fingerprint", a->key.fingerprint);
		json_add_bool(item, "trusted", a->trusted);
		cJSON_AddItemToArray(list, item);
	}
}

static void put_finding(cJSON *list, const finding *f)
{
	cJSON *item = cJSON_CreateObject();

	json_add_string(item, "check", finding_check_name(f->check));
	json_add_string(item, "kind", f->code == EH_E_ALTERED ? "altered" : "malformed");
	json_add_string(item, "place", f->place);
	if (f->stated != NULL)
		json_add_string(item, "stated", f->stated);
	if (f->recomputed != NULL)
		json_add_string(item, "recomputed", f->recomputed);
	json_add_string(item, "sentence", f->sentence);
	cJSON_AddItemToArray(list, item);
}

cJSON *report_verification_json(const audit_report *r, enum audit_answer answer)
{
	cJSON *out = cJSON_CreateObject();
	cJSON *list;
	size_t count = 0;

	json_add_string(out, "file", r->path);
	json_add_string(out, "kind", r->bundle ? "bundle" : "result");
	json_add_bool(out, "holds", answer == AUDIT_HOLDS);
	json_add_string(out, "executor", r->executor);
	json_add_string(out, "protocol", r->protocol);
	json_add_string(out, "digest", r->digest);
	json_add_uint(out, "cases", r->cases);
	list = json_add_array(out, "findings");
	for (size_t i = 0; i < r->found.count; i++)
		put_finding(list, &r->found.items[i]);
	while (r->problems != NULL && r->problems[count] != NULL)
		count++;
	add_texts(out, "bundle_problems", r->problems, count);
	if (r->evidence != NULL) {
		json_add_string(out, "trust", audit_level_name(r->evidence->level));
		put_signatures(out, r->evidence);
		put_amendments(out, r->evidence);
		add_texts(out, "signature_problems", r->evidence->problems,
		          r->evidence->problem_count);
	}
	return out;
}
