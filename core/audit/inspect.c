/* SPDX-License-Identifier: Apache-2.0 */
#include "audit/inspect.h"

#include <stdlib.h>
#include <string.h>

#include "audit/bundle.h"
#include "base/digest.h"
#include "base/files.h"
#include "base/json.h"
#include "base/text.h"

static audit_report *add(audit_reports *out, char *path)
{
	audit_report *r;

	out->items = memory_grow(out->items, (out->count + 1) * sizeof(*out->items));
	r = &out->items[out->count++];
	memset(r, 0, sizeof(*r));
	r->path = path;
	return r;
}

static void describe(audit_report *report, const result *r)
{
	report->executor = memory_text(r != NULL ? r->executor : "");
	report->protocol = r == NULL ? memory_text("") :
	                   memory_format("%s@%llu", r->protocol_name,
	                                 (unsigned long long)r->protocol_version);
	report->digest = memory_text(r != NULL ? json_string(r->root, "digest", "") : "");
	report->cases = r != NULL ? r->row_count : 0;
}

static eh_status inspect_file(const char *path, audit_reports *out, eh_error *error)
{
	char *bytes;
	size_t size;
	audit_report *report;
	result *r;
	eh_status status = file_read(path, &bytes, &size, error);

	if (status != EH_OK)
		return status;
	report = add(out, memory_text(path));
	r = result_examine(path, bytes, size, &report->found);
	describe(report, r);
	/* What is beside the result changes nothing about the result itself. */
	if (r != NULL && audit_trust(r, &report->evidence, error) != EH_OK)
		report->evidence = audit_evidence_unreadable(error);
	result_free(r);
	return EH_OK;
}

/* ---- bundles --------------------------------------------------------------------------------- */

static const char *data_of(const bundle *b, const char *name, const char *suffix)
{
	char *beside = memory_format("%s%s", name, suffix);
	const bundle_member *m = bundle_find(b, beside);

	free(beside);
	return m != NULL ? m->data : NULL;
}

static void inspect_member(const char *path, const bundle *b, const bundle_member *m,
                           const audit_keyring *ring, audit_reports *out)
{
	audit_report *report = add(out, memory_format("%s: %s", path, m->name));
	char *copy = memory_get(m->size + 1);
	result *r;

	memcpy(copy, m->data, m->size);
	r = result_examine(m->name, copy, m->size, &report->found);
	describe(report, r);
	if (r != NULL) {
		audit_subject subject = { "result", report->digest, r->file_sha256, r->root };

		report->evidence = audit_evidence_of(data_of(b, m->name, ".sig"),
		                                     data_of(b, m->name, ".amendments"), &subject,
		                                     ring);
	}
	result_free(r);
}

static void inspect_bundle(const char *path, const bundle *b, const audit_keyring *ring,
                           audit_reports *out)
{
	const bundle_member *manifest = bundle_find(b, BUNDLE_MANIFEST);
	audit_report *report = add(out, memory_text(path));
	char hex[65];
	audit_subject subject = { "manifest", hex, hex, NULL };
	size_t i;

	report->bundle = true;
	describe(report, NULL);
	report->problems = bundle_check(b);
	digest_bytes(manifest->data, manifest->size, hex);
	free(report->digest);
	report->digest = memory_text(hex);
	report->evidence = audit_evidence_of(data_of(b, BUNDLE_MANIFEST, ".sig"), NULL, &subject, ring);
	for (i = 0; i < b->count; i++)
		if (bundle_is_result(&b->members[i]))
			inspect_member(path, b, &b->members[i], ring, out);
}

eh_status audit_inspect(const char *path, audit_reports *out, eh_error *error)
{
	audit_keyring ring;
	bundle b;
	eh_status status;

	if (!bundle_is(path))
		return inspect_file(path, out, error);
	status = audit_keyring_read(&ring, error);
	if (status != EH_OK)
		return status;
	status = bundle_read(path, &b, error);
	if (status == EH_OK) {
		inspect_bundle(path, &b, &ring, out);
		bundle_free(&b);
	}
	audit_keyring_free(&ring);
	return status;
}

/* ---- answers --------------------------------------------------------------------------------- */

bool audit_report_holds(const audit_report *r)
{
	return r->found.count == 0 && (r->problems == NULL || r->problems[0] == NULL) &&
	       r->evidence != NULL && r->evidence->level > AUDIT_BROKEN;
}

bool audit_report_malformed(const audit_report *r)
{
	return !r->bundle && r->evidence == NULL;
}

static bool signed_by(const audit_evidence *e, const char *fingerprint)
{
	for (size_t i = 0; i < e->signature_count; i++)
		if (e->signatures[i].holds && strcmp(e->signatures[i].key.fingerprint, fingerprint) == 0)
			return true;
	return false;
}

enum audit_answer audit_report_answer(const audit_report *r, bool require, const char *fingerprint)
{
	if (audit_report_malformed(r))
		return AUDIT_NO_RESULT;
	if (r->found.count == 0 && r->evidence != NULL && r->evidence->level == AUDIT_UNREADABLE)
		return AUDIT_EVIDENCE_UNREADABLE;
	if (!audit_report_holds(r))
		return AUDIT_ALTERED;
	/* A bundle without a signature of its own may hold signed results. */
	if (r->bundle)
		return AUDIT_HOLDS;
	if (fingerprint != NULL ? !signed_by(r->evidence, fingerprint) : require && r->evidence->level < AUDIT_SIGNED)
		return AUDIT_NOT_SIGNED;
	return AUDIT_HOLDS;
}

void audit_reports_free(audit_reports *reports)
{
	for (size_t i = 0; i < reports->count; i++) {
		audit_report *r = &reports->items[i];

		for (size_t j = 0; r->problems != NULL && r->problems[j] != NULL; j++)
			free(r->problems[j]);
		free(r->problems);
		findings_free(&r->found);
		audit_evidence_free(r->evidence);
		free(r->executor);
		free(r->protocol);
		free(r->digest);
		free(r->path);
	}
	free(reports->items);
	memset(reports, 0, sizeof(*reports));
}
