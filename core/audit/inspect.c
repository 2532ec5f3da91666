/* SPDX-License-Identifier: Apache-2.0 */
#include "audit/inspect.h"

#include <stdlib.h>
#include <string.h>

#include "audit/agreement.h"
#include "audit/beside.h"
#include "base/digest.h"
#include "base/files.h"
#include "base/limits.h"
#include "base/text.h"

/* Of a report whose file is one of many. */
enum { FINDINGS_OF_EACH = 10 };

/* ---- findings -------------------------------------------------------------------------------- */

static void add_check(audit_report *report, const char *name, const char *condition, size_t count,
                      bool reached)
{
	audit_check *check = layout_append(audit_check_layout(), &report->checks);

	text_set(&check->name, name);
	text_set(&check->condition, condition);
	check->findings = count;
	check->outcome = count > 0 ? AUDIT_FAILED : reached ? AUDIT_PASSED : AUDIT_NOT_REACHED;
}

/* The last check could not be made. */
static void skip_check(audit_report *report, const char *why)
{
	audit_check *check = &report->checks.items[report->checks.count - 1];

	check->outcome = AUDIT_NOT_CHECKED;
	text_set(&check->condition, why);
}

/* unplanned: why the protocol's text was not planned again; NULL: it was. */
static void add_checks(audit_report *report, const findings *f, bool whole, const char *unplanned)
{
	static const char *const conditions[CHECK_COUNT] = {
		[CHECK_STRUCTURE] = "the members of the format, and no other",
		[CHECK_PROTOCOL] = "the plan has its digest",
		[CHECK_TEXT] = "planned again, it gives the recorded plan",
		[CHECK_RUN] = "times, executions and layers fit together",
		[CHECK_ROWS] = "each case is that of the plan",
		[CHECK_DERIVED] = "recomputed from samples and instruments",
		[CHECK_EVIDENCE] = "proof, verification, canary and clocks agree with the samples",
		[CHECK_DIGESTS] = "every section, every case and the whole"
	};
	size_t counts[CHECK_COUNT] = { 0 };

	for (size_t i = 0; i < f->count; i++)
		counts[f->items[i].check]++;
	for (size_t c = 0; c < CHECK_COUNT; c++) {
		add_check(report, finding_check_name((enum finding_check)c), conditions[c], counts[c],
		          whole);
		if (c == CHECK_TEXT && unplanned != NULL)
			skip_check(report, unplanned);
	}
}

static void add_finding(audit_report *report, const finding *from)
{
	audit_finding *to = layout_append(audit_finding_layout(), &report->findings);

	to->kind = from->code == EH_E_ALTERED ? AUDIT_DEFECT_ALTERED : AUDIT_DEFECT_MALFORMED;
	text_set(&to->check, finding_check_name(from->check));
	text_set(&to->place, from->place);
	text_set(&to->stated, from->stated);
	text_set(&to->recomputed, from->recomputed);
	text_set(&to->sentence, from->sentence);
}

static void set_result(audit_report *report, const result *r)
{
	const record_protocol *protocol = &r->record->protocol;

	text_set(&report->executor, r->record->executor.name);
	report->protocol = memory_format("%s@%llu", protocol->name,
	                                 (unsigned long long)protocol->version);
	text_set(&report->digest, r->record->digest);
	report->cases = r->row_count;
}

/* The teams whose agreements were checked with the run. */
static void name_teams(audit_report *report, const record_agreement_list *agreements)
{
	text t = { 0 };

	text_add(&t, "times, executions, layers and the agreement%s of ", agreements->count == 1 ? "" : "s");
	for (size_t i = 0; i < agreements->count; i++)
		text_add(&t, "%s%s", i > 0 ? ", " : "", agreements->items[i].team);
	text_add(&t, " fit together");
	text_set(&report->checks.items[CHECK_RUN].condition, t.data);
	text_free(&t);
}

static audit_report *add_report(audit_verification *all, const char *file, findings *f,
                                const result *r, const char *unplanned)
{
	audit_report *report = layout_append(audit_report_layout(), &all->reports);

	text_set(&report->file, file);
	report->kind = AUDIT_FILE_RESULT;
	findings_end(f);
	add_checks(report, f, r != NULL, unplanned);
	for (size_t i = 0; i < f->count; i++)
		add_finding(report, &f->items[i]);
	if (r != NULL)
		set_result(report, r);
	if (r != NULL && r->record->run.agreements.count > 0)
		name_teams(report, &r->record->run.agreements);
	return report;
}

/* An agreement is the run's: to its protocol, and signed before it began. */
static void check_agreement(const record_result *r, size_t i, findings *f)
{
	const record_agreement *a = &r->run.agreements.items[i];
	const char *why = !agreement_holds(a) ? "does not hold: it, or its signature, was altered" :
	                  strcmp(a->digest, r->protocol.digest) != 0 ? "is to another protocol" :
	                  strcmp(a->time, r->run.started) > 0 ? "was signed after the run began" : NULL;
	char *place = memory_format("run.agreements[%zu]", i);

	if (why != NULL)
		(void)findings_add(f, EH_E_ALTERED, CHECK_RUN, place, NULL, NULL, "%s %s" FINDING_ALTERED, place, why);
	free(place);
}

static void check_agreements(const result *r, findings *f)
{
	for (size_t i = 0; r != NULL && i < r->record->run.agreements.count && !findings_enough(f); i++)
		check_agreement(r->record, i, f);
}

/* All reports together list LIMIT_FINDINGS, and each has room for some. */
static size_t findings_left(const audit_verification *all)
{
	size_t listed = 0;

	for (size_t i = 0; i < all->reports.count; i++)
		listed += all->reports.items[i].findings.count;
	return listed + FINDINGS_OF_EACH < LIMIT_FINDINGS ? LIMIT_FINDINGS - listed : FINDINGS_OF_EACH;
}

/* Adds the result's report, without evidence; *out is NULL where the structure does not hold.  kernels
 * may be NULL. */
static eh_status add_result(audit_verification *all, const char *file, const source_bytes *from,
                            audit_planner *planner, result_watch *kernels, audit_report **report,
                            result **out, eh_error *error)
{
	result_watch evidence = result_watch_evidence();
	audit_plan_check plan;
	result_watch *watches[] = { &evidence, &plan.watch, kernels };
	findings f = { .most = findings_left(all) };
	char *unplanned;
	eh_status status;

	audit_plan_check_begin(&plan, planner);
	status = result_examine(from, watches, kernels != NULL ? 3 : 2, &f, out, error);
	findings_move(&f, &evidence.found);
	unplanned = audit_plan_check_end(&plan, &f);
	if (status == EH_OK)
		check_agreements(*out, &f);
	if (status == EH_OK)
		*report = add_report(all, file, &f, *out, *out != NULL ? unplanned : NULL);
	free(unplanned);
	findings_free(&f);
	return status;
}

static void set_answer(audit_report *r)
{
	if (r->evidence == NULL)
		r->answer = AUDIT_NO_RESULT;
	else if (r->findings.count == 0 && r->evidence->level == AUDIT_UNREADABLE)
		r->answer = AUDIT_EVIDENCE_UNREADABLE;
	else if (r->findings.count > 0 || r->bundle_problems.count > 0 ||
	         r->evidence->level <= AUDIT_BROKEN)
		r->answer = AUDIT_ALTERED;
	else
		r->answer = r->evidence->level >= AUDIT_SIGNED ? AUDIT_HOLDS : AUDIT_CONSISTENT;
}

/* ---- files ----------------------------------------------------------------------------------- */

/* Unreadable signatures change nothing about the record itself. */
static audit_evidence *evidence_beside(const result *r)
{
	eh_error error = ERROR_INIT;
	const audit_evidence *found;
	audit_evidence *copy;

	if (audit_trust(r, &found, &error) != EH_OK)
		return audit_evidence_unreadable(&error);
	copy = layout_new(audit_evidence_layout());
	layout_copy(audit_evidence_layout(), found, copy);
	return copy;
}

static eh_status inspect_file(const char *path, audit_planner *plan, audit_verification *out,
                              eh_error *error)
{
	source_bytes from;
	audit_report *report = NULL;
	result *r = NULL;
	eh_status status = source_open(path, &from, error);

	if (status != EH_OK)
		return status;
	status = add_result(out, path, &from, plan, NULL, &report, &r, error);
	source_close(&from);
	if (status != EH_OK)
		return status;
	if (r != NULL)
		report->evidence = evidence_beside(r);
	set_answer(report);
	result_free(r);
	return EH_OK;
}

/* ---- bundles --------------------------------------------------------------------------------- */

/* Borrows the text of the member NAMESUFFIX, NULL when there is none. */
static eh_status beside(const bundle *b, const char *name, const char *suffix, const char **out,
                        eh_error *error)
{
	char *whole = memory_format("%s%s", name, suffix);
	const bundle_member *m = bundle_find(b, whole);
	eh_status status = m != NULL ? beside_check(whole, m->data, m->size, error) : EH_OK;

	*out = m != NULL ? m->data : NULL;
	free(whole);
	return status;
}

static eh_status trust_of(const bundle *b, const char *name, const audit_subject *subject,
                          const audit_keys *keys, audit_evidence **out, eh_error *error)
{
	const char *signatures, *amendments;
	eh_status status = keys->error.code;

	if (status != EH_OK)
		*error = keys->error;
	if (status == EH_OK)
		status = beside(b, name, ".sig", &signatures, error);
	if (status == EH_OK)
		status = beside(b, name, ".amendments", &amendments, error);
	if (status == EH_OK)
		*out = audit_evidence_of(signatures, amendments, subject, &keys->ring);
	return status;
}

eh_status audit_trust_member(const bundle *b, const char *name, const result *r, const audit_keys *keys,
                             audit_evidence **out, eh_error *error)
{
	const audit_subject subject = audit_subject_of(r);

	return trust_of(b, name, &subject, keys, out, error);
}

static audit_evidence *evidence_of_member(const bundle *b, const char *name, const audit_subject *subject,
                                          const audit_keys *keys)
{
	eh_error error = ERROR_INIT;
	audit_evidence *found;

	return trust_of(b, name, subject, keys, &found, &error) == EH_OK ? found :
	       audit_evidence_unreadable(&error);
}

/* How a bundle is inspected. */
typedef struct inspection {
	const char *path;
	const bundle *b;
	const audit_keys *keys;
	audit_planner *plan;
	audit_verification *out;
	bundle_kernels *kernels;
} inspection;

static eh_status inspect_member(const inspection *in, const bundle_member *m, text_list *problems,
                                eh_error *error)
{
	const bundle *b = in->b;
	const source_bytes from = bundle_bytes(b, m);
	char *file = memory_format("%s: %s", in->path, m->name);
	result_watch kernels = bundle_watch_kernels(in->kernels);
	result *r = NULL;
	audit_report *report = NULL;
	eh_status status = add_result(in->out, file, &from, in->plan, &kernels, &report, &r, error);

	if (status == EH_OK && r != NULL) {
		const audit_subject subject = audit_subject_of(r);

		report->evidence = evidence_of_member(b, m->name, &subject, in->keys);
		bundle_check_result(b, m->name, r->record, &kernels, problems);
	}
	if (status == EH_OK) {
		set_answer(report);
		status = bundle_kernels_end(in->kernels, in->path, error);
	}
	findings_free(&kernels.found);
	result_free(r);
	free(file);
	return status;
}

/* After the reports of its results, so that the problems of all are known. */
static void complete_bundle(audit_report *report, const bundle *b, const audit_keys *keys)
{
	const bundle_member *manifest = bundle_find(b, BUNDLE_MANIFEST);
	char hex[65];
	audit_subject subject = { AUDIT_MANIFEST, hex, hex, NULL };

	digest_bytes(manifest->data, manifest->size, hex);
	text_set(&report->digest, hex);
	report->evidence = evidence_of_member(b, BUNDLE_MANIFEST, &subject, keys);
	add_check(report, "manifest", "every member has its digest; kernel texts are those measured",
	          report->bundle_problems.count, true);
	set_answer(report);
}

/* Nothing is said of a bundle that was not looked at as a whole. */
static void drop_reports(audit_report_list *reports, size_t first)
{
	while (reports->count > first)
		layout_clear(audit_report_layout(), &reports->items[--reports->count]);
}

static eh_status inspect_bundle(const inspection *in, eh_error *error)
{
	const bundle *b = in->b;
	audit_verification *out = in->out;
	audit_report *report = layout_append(audit_report_layout(), &out->reports);
	size_t index = out->reports.count - 1;
	text_list problems = { NULL, 0 };
	eh_status status = EH_OK;

	report->file = memory_text(in->path);
	report->kind = AUDIT_FILE_BUNDLE;
	bundle_check(b, &problems);
	for (size_t i = 0; i < b->count && status == EH_OK; i++)
		if (bundle_is_result(&b->members[i]))
			status = inspect_member(in, &b->members[i], &problems, error);
	if (status != EH_OK) {
		drop_reports(&out->reports, index);
		text_list_clear(&problems);
		return status;
	}
	/* The list may have moved. */
	report = &out->reports.items[index];
	report->bundle_problems = problems;
	complete_bundle(report, b, in->keys);
	return EH_OK;
}

eh_status audit_inspect_bundle(const char *path, const bundle *b, audit_planner *plan,
                               audit_verification *out, eh_error *error)
{
	audit_keys keys;
	bundle_kernels kernels = { .b = b };
	eh_status status;

	audit_keys_read(&keys);
	status = inspect_bundle(&(inspection){ path, b, &keys, plan, out, &kernels }, error);
	layout_clear(audit_keyring_layout(), &keys.ring);
	return status;
}

eh_status audit_inspect(const char *path, audit_planner *plan, audit_verification *out,
                        eh_error *error)
{
	bundle b;
	eh_status status;

	if (!bundle_is(path))
		return inspect_file(path, plan, out, error);
	status = bundle_read(path, &b, error);
	if (status != EH_OK)
		return status;
	status = audit_inspect_bundle(path, &b, plan, out, error);
	bundle_free(&b);
	return status;
}

const char *audit_problem(const audit_report *r)
{
	if (r->answer == AUDIT_HOLDS || r->answer == AUDIT_CONSISTENT)
		return NULL;
	if (r->bundle_problems.count > 0)
		return r->bundle_problems.items[0];
	if (r->findings.count > 0)
		return r->findings.items[0].sentence;
	return r->evidence != NULL && r->evidence->problems.count > 0 ? r->evidence->problems.items[0] :
	       "its structure";
}

/* ---- signatures that are required ------------------------------------------------------------ */

static bool signed_by(const audit_evidence *e, const char *fingerprint)
{
	for (size_t i = 0; i < e->signatures.count; i++)
		if (e->signatures.items[i].holds &&
		    strcmp(e->signatures.items[i].fingerprint, fingerprint) == 0)
			return true;
	return false;
}

void audit_require_signature(audit_report *r, const char *fingerprint)
{
	if ((r->answer != AUDIT_HOLDS && r->answer != AUDIT_CONSISTENT) ||
	    r->kind == AUDIT_FILE_BUNDLE)
		return;
	if (fingerprint != NULL ? !signed_by(r->evidence, fingerprint) :
	                          r->evidence->level < AUDIT_SIGNED)
		r->answer = AUDIT_NOT_SIGNED;
}
