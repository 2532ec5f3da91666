/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "audit/inspect.h"
#include "base/json.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/input_results.h"
#include "report/figure.h"
#include "report/report.h"

enum { FOUND_SHOWN = 100 };

typedef struct verify_options {
	bool json, require;
	const char *key;      /* a fingerprint, a name or a file; NULL: any                    */
	char fingerprint[65]; /* of that key; set by find_key()                                */
} verify_options;

/* ---- one report ------------------------------------------------------------------------------ */

static bool signed_as_wanted(const verify_options *o, const audit_report *r)
{
	size_t i;

	if (r->evidence == NULL)
		return false;
	if (o->key != NULL) {
		for (i = 0; i < r->evidence->signature_count; i++)
			if (r->evidence->signatures[i].holds &&
			    strcmp(r->evidence->signatures[i].key.fingerprint, o->fingerprint) == 0)
				return true;
		return false;
	}
	return !o->require || r->evidence->level >= AUDIT_SIGNED;
}

static int code_of(const verify_options *o, const audit_report *r)
{
	if (audit_report_malformed(r))
		return EXIT_CODE_USAGE;
	if (r->found.count == 0 && r->evidence != NULL && r->evidence->level == AUDIT_UNREADABLE)
		return EXIT_CODE_ENVIRONMENT;
	if (!audit_report_holds(r))
		return EXIT_CODE_NEGATIVE;
	/* A bundle without a signature of its own may hold signed results. */
	if ((o->require || o->key != NULL) && !r->bundle && !signed_as_wanted(o, r))
		return EXIT_CODE_INCONCLUSIVE;
	return EXIT_CODE_OK;
}

static const char *answer_word(int code)
{
	return code == EXIT_CODE_OK ? "holds" : code == EXIT_CODE_NEGATIVE ? "DOES NOT HOLD" :
	       code == EXIT_CODE_USAGE ? "NO RESULT" :
	       code == EXIT_CODE_ENVIRONMENT ? "holds, SIGNATURES UNREADABLE" :
	       "NOT SIGNED AS REQUIRED";
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

static void print_report(const verify_options *o, const audit_report *r)
{
	int code = code_of(o, r);
	char *path = table_clean(r->path);
	table *t = table_new("lll");

	printf("%s: %s\n", path, answer_word(code));
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
		bool well = r->evidence->level > AUDIT_BROKEN && signed_as_wanted(o, r);

		table_row(t, (const char *[]){ "signatures", r->evidence->level == AUDIT_UNSIGNED && well ?
			                       "-" : well ? "ok" : "NO", r->evidence->sentence });
		if (!well && figure_colours(stdout))
			table_paint(t, 1, COLOUR_RED);
		add_amendments(t, r->evidence);
	}
	add_findings(t, r);
	(void)table_print(t, stdout);
	table_free(t);
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

static cJSON *report_json(const verify_options *o, const audit_report *r)
{
	cJSON *out = cJSON_CreateObject();
	cJSON *list;
	size_t count = 0;

	json_add_string(out, "file", r->path);
	json_add_string(out, "kind", r->bundle ? "bundle" : "result");
	json_add_bool(out, "holds", code_of(o, r) == EXIT_CODE_OK);
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

static void print_json(const verify_options *o, const audit_reports *reports)
{
	cJSON *root = cJSON_CreateObject();
	cJSON *list = json_add_array(root, "reports");

	for (size_t i = 0; i < reports->count; i++)
		cJSON_AddItemToArray(list, report_json(o, &reports->items[i]));
	command_json(root);
}

/* ---- the command ----------------------------------------------------------------------------- */

static eh_status find_key(verify_options *o, eh_error *error)
{
	audit_keyring ring;
	audit_public key;
	eh_status status;

	if (o->key == NULL)
		return EH_OK;
	if (strlen(o->key) == 64 && strspn(o->key, "0123456789abcdef") == 64) {
		snprintf(o->fingerprint, sizeof(o->fingerprint), "%s", o->key);
		return EH_OK;
	}
	status = audit_keyring_read(&ring, error);
	if (status != EH_OK)
		return status;
	for (size_t i = 0; i < ring.count; i++)
		if (strcmp(ring.items[i].name, o->key) == 0)
			memcpy(o->fingerprint, ring.items[i].key.fingerprint, sizeof(o->fingerprint));
	audit_keyring_free(&ring);
	if (o->fingerprint[0] != '\0')
		return EH_OK;
	status = audit_public_read(o->key, &key, error);
	if (status == EH_OK)
		memcpy(o->fingerprint, key.fingerprint, sizeof(o->fingerprint));
	return status;
}

/* From the mildest to the most severe. */
static int worse(int a, int b)
{
	static const int order[] = { EXIT_CODE_OK, EXIT_CODE_INCONCLUSIVE, EXIT_CODE_NEGATIVE,
		                     EXIT_CODE_USAGE, EXIT_CODE_ENVIRONMENT };
	size_t x = 0, y = 0, i;

	for (i = 0; i < sizeof(order) / sizeof(order[0]); i++) {
		x = order[i] == a ? i : x;
		y = order[i] == b ? i : y;
	}
	return order[x > y ? x : y];
}

static void print_all(const verify_options *o, const audit_reports *reports)
{
	if (o->json)
		print_json(o, reports);
	for (size_t i = 0; i < reports->count && !o->json; i++)
		print_report(o, &reports->items[i]);
}

/* Looks at everything that can be read; the errors of the rest are printed. */
static eh_status inspect(cli_call *call, const verify_options *o, eh_error *error)
{
	audit_reports reports = { NULL, 0 };
	char **paths;
	size_t count;
	eh_status status = cli_inputs_paths(call->words, call->count, true, &paths, &count, error);

	for (size_t i = 0; i < count && status == EH_OK; i++) {
		eh_error unread = ERROR_INIT;

		if (audit_inspect(paths[i], &reports, &unread) != EH_OK)
			call->code = worse(call->code, command_fail(call->command, &unread));
	}
	for (size_t i = 0; i < reports.count; i++)
		call->code = worse(call->code, code_of(o, &reports.items[i]));
	if (status == EH_OK)
		print_all(o, &reports);
	audit_reports_free(&reports);
	cli_inputs_paths_free(paths, count);
	return status;
}

static eh_status verify(cli_call *call, eh_error *error)
{
	verify_options o = *(const verify_options *)call->options;
	eh_status status = find_key(&o, error);

	return status == EH_OK ? inspect(call, &o, error) : status;
}

const cli_command cmd_verify = {
	.name = "verify",
	.group = CLI_EVIDENCE,
	.summary = "check results and bundles: structure, digests, every derived number, signatures",
	.about = "Checks without measuring anything: no accelerator, backend or workload is needed. Of each result "
	         "it checks the structure, the protocol, that every case is that of the plan, every derived number "
	         "recomputed from the samples bit for bit, all digests, and the signatures (RESULT.sig) and "
	         "amendments (RESULT.amendments) beside it. Everything that does not hold is printed with its "
	         "place, the stated and the recomputed value. docs/audit.md says what this proves.",
	.forms = (const cli_form[]){ { NULL, { { "RESULT", .kind = OPTION_PATH, .many = true } }, NULL, verify }, { 0 } },
	.options = (const cli_option[]){
		{ "require-signature", OPTION_FLAG, offsetof(verify_options, require), .about = "fail unless a key that you "
		  "trust as tester signed each result" },
		{ "key", OPTION_KEY, offsetof(verify_options, key), .about = "fail unless this key signed: a name, a file or a "
		  "fingerprint", .value = "KEY" },
		CLI_JSON(verify_options),
		{ 0 } },
	.size = sizeof(verify_options),
	.exits = (const cli_item[]){
		{ "0", "everything holds; an unsigned result does" },
		{ "1", "something was altered, or a signature does not hold" },
		{ "2", "it holds, but is not signed as required" },
		{ "4", "a file is no result, or wrong usage" },
		{ "5", "a file cannot be read, or what is beside a result that holds" }, { NULL, NULL } },
	.examples = (const char *const[]){
		"evenhand verify results/quick-1",
		"evenhand verify --require-signature --json X.evenhand | jq '.reports[].trust'", NULL },
};
