/* SPDX-License-Identifier: Apache-2.0 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "audit/audit.h"
#include "audit/bundle.h"
#include "audit/envelope.h"
#include "base/digest.h"
#include "base/files.h"
#include "base/json.h"
#include "base/text.h"
#include "record/redact.h"

typedef struct gathering {
	audit_evidence *e;
	const audit_subject *subject;
	const audit_keyring *ring;
	bool written_form;       /* a signature or a redaction is over these bytes             */
	size_t redactions;       /* announced                                                  */
	bool redaction_form;     /* the last redaction announced these bytes                   */
} gathering;

__attribute__((format(printf, 2, 3)))
static void problem(audit_evidence *e, const char *format, ...)
{
	va_list args;
	char *sentence = NULL;

	va_start(args, format);
	if (vasprintf(&sentence, format, args) < 0)
		sentence = memory_text("a signature does not hold");
	va_end(args);
	e->problems = memory_grow(e->problems, (e->problem_count + 1) * sizeof(*e->problems));
	e->problems[e->problem_count++] = sentence;
}

static char *name_or_null(const char *name)
{
	return name != NULL ? memory_text(name) : NULL;
}

/* ---- signatures ------------------------------------------------------------------------------ */

static void take_signature(gathering *g, const cJSON *item, size_t index)
{
	audit_evidence *e = g->e;
	const char *over = json_string(item, "digest", "");
	const char *name = NULL;
	audit_signature *s;

	e->signatures = memory_grow(e->signatures, (e->signature_count + 1) * sizeof(*e->signatures));
	s = &e->signatures[e->signature_count++];
	memset(s, 0, sizeof(*s));
	s->role = strcmp(json_string(item, "role", ""), "verifier") == 0 ? AUDIT_VERIFIER : AUDIT_TESTER;
	s->signer = memory_text(json_string(item, "signer", ""));
	s->time = memory_text(json_string(item, "time", ""));
	if (!envelope_holds(item, ENVELOPE_SIGNATURES, &s->key)) {
		problem(e, "signatures[%zu]: the signature does not hold: it, or what it is over, was "
		        "altered", index);
		return;
	}
	if (strcmp(json_string(item, "subject", ""), g->subject->kind) != 0 ||
	    strcmp(over, g->subject->digest) != 0) {
		problem(e, "signatures[%zu]: it is over another %s, with the digest %.12s...", index,
		        json_string(item, "subject", ""), over);
		return;
	}
	s->holds = true;
	g->written_form = g->written_form ||
	                  strcmp(json_string(item, "file_sha256", ""), g->subject->file_sha256) == 0;
	s->trusted = (audit_keyring_roles(g->ring, &s->key, &name) & s->role) != 0;
	s->trusted_name = name_or_null(name);
}

static void take_signatures(gathering *g, const char *body)
{
	eh_error error = ERROR_INIT;
	cJSON *root = NULL;
	const cJSON *item;
	uint64_t version = 0;
	size_t index = 0;

	if (json_parse(body, strlen(body), "signatures", &root, &error) != EH_OK ||
	    shape_check(root, envelope_signatures, "signatures", "", &error) != EH_OK) {
		problem(g->e, "%s", error.message);
	} else if (!json_uint(root, "format_version", &version) || version != 1) {
		problem(g->e, "signatures: format_version is not 1, the one this evenhand reads");
	} else {
		if (cJSON_GetArraySize(json_path(root, "signatures")) == 0)
			problem(g->e, "signatures: there is none in the file");
		cJSON_ArrayForEach(item, json_path(root, "signatures"))
			take_signature(g, item, index++);
	}
	cJSON_Delete(root);
}

/* ---- amendments ------------------------------------------------------------------------------ */

static void add_amendment(gathering *g, const cJSON *item, const audit_public *key)
{
	audit_evidence *e = g->e;
	const char *kind = json_string(item, "kind", "");
	const char *name = NULL;
	audit_amendment *a;

	e->amendments = memory_grow(e->amendments, (e->amendment_count + 1) * sizeof(*e->amendments));
	a = &e->amendments[e->amendment_count++];
	memset(a, 0, sizeof(*a));
	a->kind = strcmp(kind, "note") == 0 ? AUDIT_NOTE : strcmp(kind, "dispute") == 0 ?
	          AUDIT_DISPUTE : AUDIT_REDACT;
	a->key = *key;
	a->trusted = audit_keyring_roles(g->ring, key, &name) != 0;
	a->trusted_name = name_or_null(name);
	a->text = memory_text(json_string(item, "text", ""));
	a->member = memory_text(json_string(item, "member", ""));
	a->time = memory_text(json_string(item, "time", ""));
	a->signer = memory_text(json_string(item, "signer", ""));
	if (a->kind != AUDIT_REDACT)
		return;
	g->redactions++;
	g->redaction_form = strcmp(json_string(item, "file_sha256", ""), g->subject->file_sha256) == 0;
}

/* false when nothing behind it can be trusted to be in its place. */
static bool take_amendment(gathering *g, const char *line, size_t size, size_t index,
                           char previous[65])
{
	eh_error error = ERROR_INIT;
	cJSON *item = NULL;
	audit_public key;
	uint64_t number = 0;
	char *name = memory_format("amendments[%zu]", index);
	size_t before = g->e->problem_count;

	if (json_parse(line, size, name, &item, &error) != EH_OK ||
	    shape_check(item, envelope_amendment, name, "", &error) != EH_OK)
		problem(g->e, "%s", error.message);
	else if (!envelope_holds(item, ENVELOPE_AMENDMENT, &key))
		problem(g->e, "%s: the signature does not hold: the amendment was altered", name);
	else if (strcmp(json_string(item, "result", ""), g->subject->digest) != 0)
		problem(g->e, "%s: it is about another result, %.12s...", name,
		        json_string(item, "result", ""));
	else if (!json_uint(item, "sequence", &number) || number != index + 1 ||
	         strcmp(json_string(item, "previous", ""), previous) != 0)
		problem(g->e, "%s: it does not follow the one before it: an amendment was taken out, "
		        "put in or moved", name);
	if (g->e->problem_count == before) {
		add_amendment(g, item, &key);
		json_digest(item, previous);
	}
	cJSON_Delete(item);
	free(name);
	return g->e->problem_count == before;
}

static void take_amendments(gathering *g, const char *body)
{
	char previous[65];
	size_t index = 0;

	memcpy(previous, g->subject->digest, sizeof(previous));
	while (*body != '\0') {
		size_t size = strcspn(body, "\n");

		if (!take_amendment(g, body, size, index++, previous))
			return;
		if (body[size] == '\0') {
			problem(g->e, "amendments[%zu]: the line is cut: it has no line feed", index - 1);
			return;
		}
		body += size + 1;
	}
}

/* Every redacted member was announced, and the other way round. */
static void check_redactions(gathering *g)
{
	const audit_evidence *e = g->e;
	char **members = g->subject->record != NULL ? redact_list(g->subject->record) : NULL;
	size_t done = 0;

	for (; members != NULL && members[done] != NULL; done++) {
		bool known = false;

		for (size_t i = 0; i < e->amendment_count; i++)
			known = known || (e->amendments[i].kind == AUDIT_REDACT &&
			                  strcmp(e->amendments[i].member, members[done]) == 0);
		if (!known)
			problem(g->e, "%s is redacted, but no amendment says who did it and why",
			        members[done]);
		free(members[done]);
	}
	free(members);
	if (done < g->redactions)
		problem(g->e, "%zu redactions are announced, and %zu members are redacted", g->redactions,
		        done);
}

/* ---- the whole ------------------------------------------------------------------------------- */

static const audit_signature *find_signature(const audit_evidence *e, unsigned role, bool trusted)
{
	for (size_t i = 0; i < e->signature_count; i++)
		if (e->signatures[i].holds && e->signatures[i].role == role &&
		    (e->signatures[i].trusted || !trusted))
			return &e->signatures[i];
	return NULL;
}

/* The trusted verifier whose key did not sign as tester. */
static const audit_signature *second_party(const audit_evidence *e)
{
	for (size_t i = 0; i < e->signature_count; i++) {
		const audit_signature *v = &e->signatures[i];
		bool same = false;

		if (!v->holds || v->role != AUDIT_VERIFIER || !v->trusted)
			continue;
		for (size_t j = 0; j < e->signature_count; j++)
			same = same || (e->signatures[j].role == AUDIT_TESTER &&
			                strcmp(e->signatures[j].key.key, v->key.key) == 0);
		if (!same)
			return v;
	}
	return NULL;
}

static const char *called(const audit_signature *s)
{
	return s->trusted_name != NULL ? s->trusted_name : s->key.fingerprint;
}

static void conclude(audit_evidence *e)
{
	const audit_signature *tester = find_signature(e, AUDIT_TESTER, true);
	const audit_signature *any = find_signature(e, AUDIT_TESTER, false);
	const audit_signature *verifier = second_party(e);
	size_t room = sizeof(e->sentence);

	if (any == NULL)
		any = find_signature(e, AUDIT_VERIFIER, false);
	if (e->problem_count > 0) {
		e->level = AUDIT_BROKEN;
		snprintf(e->sentence, room, "does not hold: %.200s", e->problems[0]);
	} else if (any == NULL) {
		e->level = AUDIT_UNSIGNED;
		snprintf(e->sentence, room, "unsigned: nobody vouches for it");
	} else if (tester != NULL && verifier != NULL) {
		e->level = AUDIT_VERIFIED;
		snprintf(e->sentence, room, "signed by %.64s, verified by %.64s", called(tester),
		         called(verifier));
	} else if (tester != NULL) {
		e->level = AUDIT_SIGNED;
		snprintf(e->sentence, room, "signed by %.64s", called(tester));
	} else {
		e->level = AUDIT_UNKNOWN;
		snprintf(e->sentence, room, "signed, but not by a key you trust as tester (%.64s)",
		         any->key.fingerprint);
	}
}

audit_evidence *audit_evidence_of(const char *signatures, const char *amendments,
                                  const audit_subject *subject, const audit_keyring *ring)
{
	audit_evidence *e = memory_get(sizeof(*e));
	gathering g = { .e = e, .subject = subject, .ring = ring };

	if (signatures != NULL)
		take_signatures(&g, signatures);
	if (amendments != NULL)
		take_amendments(&g, amendments);
	check_redactions(&g);
	if (find_signature(e, AUDIT_TESTER, false) != NULL ||
	    find_signature(e, AUDIT_VERIFIER, false) != NULL) {
		if (!g.written_form && !g.redaction_form)
			problem(e, "the file is not in the form that was signed: its bytes were changed, "
			        "though perhaps not what they mean");
	}
	conclude(e);
	return e;
}

audit_evidence *audit_evidence_unreadable(const eh_error *error)
{
	audit_evidence *e = memory_get(sizeof(*e));

	problem(e, "%s", error->message);
	e->level = AUDIT_UNREADABLE;
	snprintf(e->sentence, sizeof(e->sentence),
	         "unreadable, so nothing is known of who vouches for it");
	return e;
}

/* NULL in *out when there is no such file, nor such a member of a bundle. */
static eh_status read_beside(const char *path, const char *suffix, char **out, eh_error *error)
{
	char *beside = memory_format("%s%s", path, suffix);
	size_t size = 0;
	eh_status status = EH_OK;

	*out = NULL;
	if (file_exists(beside))
		status = file_read(beside, out, &size, error);
	else if (bundle_member_read(beside, out, &size, NULL) != EH_OK)
		*out = NULL;
	/* A NUL would hide what stands behind it. */
	if (status == EH_OK && *out != NULL && strlen(*out) != size) {
		free(*out);
		*out = NULL;
		status = error_set(error, EH_E_FORMAT, "%s: there is a NUL byte in it", beside);
	}
	free(beside);
	return status;
}

eh_status audit_evidence_read(const char *result_path, const audit_subject *subject,
                              audit_evidence **out, eh_error *error)
{
	audit_keyring ring;
	char *signatures = NULL, *amendments = NULL;
	eh_status status = audit_keyring_read(&ring, error);

	if (status != EH_OK)
		return status;
	status = read_beside(result_path, ".sig", &signatures, error);
	if (status == EH_OK)
		status = read_beside(result_path, ".amendments", &amendments, error);
	if (status == EH_OK)
		*out = audit_evidence_of(signatures, amendments, subject, &ring);
	free(signatures);
	free(amendments);
	audit_keyring_free(&ring);
	return status;
}

eh_status audit_trust(const result *r, audit_evidence **out, eh_error *error)
{
	audit_subject subject = { "result", json_string(r->root, "digest", ""), r->file_sha256, r->root };

	return audit_evidence_read(r->path, &subject, out, error);
}

void audit_evidence_free(audit_evidence *e)
{
	size_t i;

	if (e == NULL)
		return;
	for (i = 0; i < e->signature_count; i++) {
		free(e->signatures[i].signer);
		free(e->signatures[i].time);
		free(e->signatures[i].trusted_name);
	}
	for (i = 0; i < e->amendment_count; i++) {
		free(e->amendments[i].text);
		free(e->amendments[i].member);
		free(e->amendments[i].time);
		free(e->amendments[i].signer);
		free(e->amendments[i].trusted_name);
	}
	for (i = 0; i < e->problem_count; i++)
		free(e->problems[i]);
	free(e->signatures);
	free(e->amendments);
	free(e->problems);
	free(e);
}

const char *audit_level_name(enum audit_level level)
{
	static const char *const names[] = { "unreadable", "broken", "unsigned", "unknown-key",
		                             "signed", "verified" };

	return names[level];
}
