/* SPDX-License-Identifier: Apache-2.0 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "audit/audit.h"
#include "audit/beside.h"
#include "audit/envelope.h"
#include "audit/interrupted.h"
#include "base/limits.h"
#include "base/text.h"

typedef struct gathering {
	audit_evidence *e;
	const audit_subject *subject;
	const audit_keyring *ring;
	bool written_form;       /* a signature is over these bytes                            */
	size_t redactions;       /* announced by amendments                                    */
	bool redaction_form;     /* the last redaction announced these bytes                   */
} gathering;

static void add_problem(gathering *g, const eh_error *error)
{
	text_list_add(&g->e->problems, error->message);
}

/* ---- signatures ------------------------------------------------------------------------------ */

static bool is_over(const audit_signature *s, const audit_subject *subject)
{
	return s->subject == subject->kind && strcmp(s->digest, subject->digest) == 0;
}

/* Whether the user trusts the key in the role, absent: in any; and the user's name for it. */
static bool is_trusted(const gathering *g, const char *fingerprint, enum audit_role role,
                       char **name)
{
	audit_known_key known;
	bool trusted;

	layout_init(audit_known_key_layout(), &known);
	audit_keyring_find(g->ring, fingerprint, &known);
	text_set(name, known.name);
	trusted = role == audit_role_absent ? known.trusted_as.count > 0 :
	          word_list_has(&known.trusted_as, role);
	layout_clear(audit_known_key_layout(), &known);
	return trusted;
}

static void take_signature(gathering *g, const audit_signature *from, size_t index)
{
	audit_checked_signature *s = layout_append(audit_checked_signature_layout(),
	                                           &g->e->signatures);

	s->role = from->role;
	text_set(&s->fingerprint, from->fingerprint);
	text_set(&s->signer, from->signer);
	text_set(&s->time, from->time);
	if (!envelope_holds(&envelope_signature, from)) {
		text_list_format(&g->e->problems, "signatures[%zu]: the signature does not hold: it, or "
		                 "what was signed, was altered", index);
	} else if (!is_over(from, g->subject)) {
		text_list_format(&g->e->problems, "signatures[%zu]: it signs another %s, with the digest "
		                 "%.12s...", index, audit_subject_kind_word(from->subject), from->digest);
	} else {
		s->holds = true;
		g->written_form = g->written_form ||
		                  strcmp(from->file_sha256, g->subject->file_sha256) == 0;
		s->trusted = is_trusted(g, s->fingerprint, s->role, &s->trusted_name);
	}
}

static void take_signatures(gathering *g, const char *body)
{
	eh_error error = ERROR_INIT;
	audit_signature_file file;

	layout_init(audit_signature_file_layout(), &file);
	if (envelope_signatures_read(body, "signatures", &file, &error) != EH_OK) {
		add_problem(g, &error);
	} else {
		if (file.signatures.count == 0)
			text_list_add(&g->e->problems, "signatures: the file has none");
		if (file.signatures.count > LIMIT_SIGNATURES)
			text_list_format(&g->e->problems, "signatures: the file has %zu, and no more than %zu "
			                 "are checked", file.signatures.count, LIMIT_SIGNATURES);
		for (size_t i = 0; i < file.signatures.count && i < LIMIT_SIGNATURES; i++)
			take_signature(g, &file.signatures.items[i], i);
	}
	layout_clear(audit_signature_file_layout(), &file);
}

/* ---- amendments ------------------------------------------------------------------------------ */

static void add_amendment(gathering *g, const audit_amendment *from)
{
	audit_checked_amendment *a = layout_append(audit_checked_amendment_layout(),
	                                           &g->e->amendments);

	a->kind = from->kind;
	a->trusted = is_trusted(g, from->fingerprint, audit_role_absent, &a->trusted_name);
	text_set(&a->fingerprint, from->fingerprint);
	text_set(&a->text, from->text);
	text_set(&a->member, from->member);
	text_set(&a->file_sha256, from->file_sha256);
	text_set(&a->time, from->time);
	text_set(&a->signer, from->signer);
	if (a->kind != AUDIT_REDACT)
		return;
	g->redactions++;
	g->redaction_form = from->file_sha256 != NULL &&
	                    strcmp(from->file_sha256, g->subject->file_sha256) == 0;
}

/* `previous` is the digest of the amendment before. */
static eh_status check_amendment(const gathering *g, const audit_amendment *a, const char *name,
                                 const char *previous, eh_error *error)
{
	if (!envelope_holds(&envelope_amendment, a))
		return error_set(error, EH_E_ALTERED, "%s: the signature does not hold: the amendment was "
		                 "altered", name);
	if (strcmp(a->result, g->subject->digest) != 0)
		return error_set(error, EH_E_ALTERED, "%s: it is about another result, %.12s...", name,
		                 a->result);
	if (a->sequence != g->e->amendments.count + 1 || strcmp(a->previous, previous) != 0)
		return error_set(error, EH_E_ALTERED, "%s: it does not follow the one before it: an "
		                 "amendment was removed, added or moved", name);
	return EH_OK;
}

/* Takes the line at *at; false when it does not hold, and with it the chain behind it. */
static bool take_amendment(gathering *g, const char **at, char previous[65])
{
	eh_error error = ERROR_INIT;
	char *name = memory_format("amendments[%zu]", g->e->amendments.count);
	audit_amendment a;
	eh_status status;

	layout_init(audit_amendment_layout(), &a);
	status = envelope_amendment_next(at, name, &a, &error);
	if (status == EH_OK)
		status = check_amendment(g, &a, name, previous, &error);
	if (status == EH_OK) {
		add_amendment(g, &a);
		layout_digest(audit_amendment_layout(), &a, previous);
	} else {
		add_problem(g, &error);
	}
	layout_clear(audit_amendment_layout(), &a);
	free(name);
	return status == EH_OK;
}

static void take_amendments(gathering *g, const char *body)
{
	char previous[65];

	memcpy(previous, g->subject->digest, sizeof(previous));
	while (*body != '\0' && take_amendment(g, &body, previous))
		;
}

static bool is_announced(const audit_evidence *e, const char *member)
{
	for (size_t i = 0; i < e->amendments.count; i++) {
		const audit_checked_amendment *a = &e->amendments.items[i];

		if (a->kind == AUDIT_REDACT && a->member != NULL && strcmp(a->member, member) == 0)
			return true;
	}
	return false;
}

/* Every redacted member was announced, and every announced one is redacted. */
static void check_redactions(gathering *g)
{
	const text_list *redacted = g->subject->redacted;
	size_t done = redacted != NULL ? redacted->count : 0;

	for (size_t i = 0; i < done; i++)
		if (!is_announced(g->e, redacted->items[i]))
			text_list_format(&g->e->problems, "%s is redacted, but no amendment says who did it "
			                 "and why", redacted->items[i]);
	if (done < g->redactions)
		text_list_format(&g->e->problems, "amendments announce %zu redactions, but %zu members are "
		                 "redacted", g->redactions, done);
}

/* ---- the whole ------------------------------------------------------------------------------- */

static const audit_checked_signature *find_signature(const audit_evidence *e, enum audit_role role,
                                                     bool trusted)
{
	for (size_t i = 0; i < e->signatures.count; i++) {
		const audit_checked_signature *s = &e->signatures.items[i];

		if (s->holds && s->role == role && (s->trusted || !trusted))
			return s;
	}
	return NULL;
}

static bool signed_as_tester(const audit_evidence *e, const char *fingerprint)
{
	for (size_t i = 0; i < e->signatures.count; i++)
		if (e->signatures.items[i].role == AUDIT_TESTER &&
		    strcmp(e->signatures.items[i].fingerprint, fingerprint) == 0)
			return true;
	return false;
}

/* A trusted verifier whose key did not sign as tester. */
static const audit_checked_signature *second_party(const audit_evidence *e)
{
	for (size_t i = 0; i < e->signatures.count; i++) {
		const audit_checked_signature *v = &e->signatures.items[i];

		if (v->holds && v->role == AUDIT_VERIFIER && v->trusted &&
		    !signed_as_tester(e, v->fingerprint))
			return v;
	}
	return NULL;
}

/* A signature that holds, of a tester if there is one. */
static const audit_checked_signature *any_signature(const audit_evidence *e)
{
	const audit_checked_signature *tester = find_signature(e, AUDIT_TESTER, false);

	return tester != NULL ? tester : find_signature(e, AUDIT_VERIFIER, false);
}

static const char *called(const audit_checked_signature *s)
{
	return s->trusted_name != NULL ? s->trusted_name : s->fingerprint;
}

static void conclude(audit_evidence *e)
{
	const audit_checked_signature *tester = find_signature(e, AUDIT_TESTER, true);
	const audit_checked_signature *verifier = second_party(e);

	if (e->problems.count > 0) {
		e->level = AUDIT_BROKEN;
		e->sentence = memory_format("does not hold: %.200s", e->problems.items[0]);
	} else if (any_signature(e) == NULL) {
		e->level = AUDIT_UNSIGNED;
		e->sentence = memory_text("unsigned: nobody vouches for it");
	} else if (tester != NULL && verifier != NULL) {
		e->level = AUDIT_VERIFIED;
		e->sentence = memory_format("signed by %s, verified by %s", called(tester),
		                            called(verifier));
	} else if (tester != NULL) {
		e->level = AUDIT_SIGNED;
		e->sentence = memory_format("signed by %s", called(tester));
	} else {
		e->level = AUDIT_UNKNOWN;
		e->sentence = memory_format("signed, but not by a key you trust as tester (%s)",
		                            any_signature(e)->fingerprint);
	}
}

/* All that does not depend on what is redacted in the file. */
static gathering gather(const char *signatures, const char *amendments, const audit_subject *subject,
                        const audit_keyring *ring)
{
	gathering g = { .e = layout_new(audit_evidence_layout()), .subject = subject, .ring = ring };

	if (signatures != NULL)
		take_signatures(&g, signatures);
	if (amendments != NULL)
		take_amendments(&g, amendments);
	return g;
}

static audit_evidence *judge(gathering *g)
{
	check_redactions(g);
	if (any_signature(g->e) != NULL && !g->written_form && !g->redaction_form)
		text_list_add(&g->e->problems, "the file does not have the bytes that were signed, though "
		              "perhaps the same content");
	conclude(g->e);
	return g->e;
}

audit_evidence *audit_evidence_of(const char *signatures, const char *amendments,
                                  const audit_subject *subject, const audit_keyring *ring)
{
	gathering g = gather(signatures, amendments, subject, ring);

	return judge(&g);
}

audit_evidence *audit_evidence_unreadable(const eh_error *error)
{
	audit_evidence *e = layout_new(audit_evidence_layout());

	text_list_add(&e->problems, error->message);
	e->level = AUDIT_UNREADABLE;
	e->sentence = memory_text("unreadable, so nobody is known to vouch for it");
	return e;
}

void audit_evidence_free(audit_evidence *e)
{
	layout_free(audit_evidence_layout(), e);
}

/* ---- of a result ----------------------------------------------------------------------------- */

audit_subject audit_subject_of(const result *r)
{
	return (audit_subject){ AUDIT_RESULT, r->record->digest, r->file_sha256, &r->redacted };
}

/* Says that a redaction is not finished; the rest is as if it were: nothing was altered. */
static void add_interrupted(audit_evidence *e, const interrupted *i, const char *path)
{
	char *before = e->sentence;

	if (i->made || e->level == AUDIT_BROKEN)
		return;
	e->interrupted = interrupted_text(i, path);
	e->sentence = memory_format("%s; %s", before, e->interrupted);
	free(before);
}

static audit_evidence *evidence_of_result(const result *r, const char *signatures,
                                          const char *amendments, const audit_keyring *ring)
{
	audit_subject subject = audit_subject_of(r);
	gathering g = gather(signatures, amendments, &subject, ring);
	interrupted i = { .made = false };
	bool found;

	/* The file is read again for amendments alone that hold. */
	found = g.e->problems.count == 0 && interrupted_find(r, &g.e->amendments, &i);
	if (found) {
		subject.redacted = &i.redacted;
		g.redaction_form = true;
	}
	judge(&g);
	if (found)
		add_interrupted(g.e, &i, r->path);
	interrupted_clear(&i);
	return g.e;
}

static void free_evidence(void *found)
{
	audit_evidence_free(found);
}

static eh_status look_beside(const result *r, audit_evidence **out, eh_error *error)
{
	audit_keyring ring;
	char *signatures = NULL, *amendments = NULL;
	size_t size;
	eh_status status = audit_keyring_read(&ring, error);

	if (status == EH_OK)
		status = beside_read(r->path, ".sig", &signatures, &size, error);
	if (status == EH_OK)
		status = beside_read(r->path, ".amendments", &amendments, &size, error);
	if (status == EH_OK)
		*out = evidence_of_result(r, signatures, amendments, &ring);
	free(signatures);
	free(amendments);
	layout_clear(audit_keyring_layout(), &ring);
	return status;
}

void audit_trust_keep(const result *r, audit_evidence *found, const eh_error *error)
{
	*r->trust = (result_memo){ found, free_evidence, *error };
}

/* Of the memos of all results: it is asked for rarely. */
static pthread_mutex_t looking = PTHREAD_MUTEX_INITIALIZER;

eh_status audit_trust(const result *r, const audit_evidence **out, eh_error *error)
{
	const result_memo *memo = r->trust;
	audit_evidence *found = NULL;
	eh_error why = ERROR_INIT;

	(void)pthread_mutex_lock(&looking);
	if (memo->found == NULL && memo->error.code == EH_OK) {
		(void)look_beside(r, &found, &why);
		audit_trust_keep(r, found, &why);
	}
	(void)pthread_mutex_unlock(&looking);
	if (memo->found != NULL) {
		*out = memo->found;
		return EH_OK;
	}
	return error_set(error, memo->error.code != EH_OK ? memo->error.code : EH_E_IO, "%s", memo->error.message);
}

eh_status audit_refuse_broken(const result *r, eh_error *error)
{
	const audit_evidence *evidence;
	eh_status status = audit_trust(r, &evidence, error);

	if (status == EH_OK && evidence->level == AUDIT_BROKEN)
		status = error_set(error, EH_E_ALTERED, "%s: %s; `evenhand verify` prints all", r->path,
		                   evidence->problems.items[0]);
	if (status == EH_OK && evidence->interrupted != NULL)
		status = error_set(error, EH_E_USAGE, "%s", evidence->interrupted);
	return status;
}
