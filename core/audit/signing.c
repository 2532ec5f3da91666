/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "audit/audit.h"
#include "audit/beside.h"
#include "audit/envelope.h"
#include "audit/held.h"
#include "base/files.h"
#include "base/limits.h"
#include "base/text.h"

eh_status audit_read(int fd, const char *path, result **out, char **bytes, size_t *size, eh_error *error)
{
	eh_status status = file_read_open(fd, path, bytes, size, error);

	if (status == EH_OK) {
		const source_bytes from = source_of_bytes(path, *bytes, *size);

		status = result_read_source(&from, out, error);
		if (status != EH_OK) {
			free(*bytes);
			*bytes = NULL;
		}
	}
	return status;
}

/* ---- signatures ------------------------------------------------------------------------------ */

static eh_status refuse_second(const audit_signature_file *file, const char *name,
                               const audit_subject *subject, const audit_key *key, eh_error *error)
{
	if (file->signatures.count >= LIMIT_SIGNATURES)
		return error_set(error, EH_E_USAGE, "%s: the file has %zu signatures, the most that are "
		                 "checked", name, file->signatures.count);
	for (size_t i = 0; i < file->signatures.count; i++) {
		const audit_signature *s = &file->signatures.items[i];

		if (strcmp(s->public_key, audit_key_public(key)->key) == 0 &&
		    strcmp(s->digest, subject->digest) == 0)
			return error_set(error, EH_E_USAGE, "%s: this key has already signed it, as %s; a "
			                 "second party needs another key", name, audit_role_word(s->role));
	}
	return EH_OK;
}

static eh_status add_signature(audit_signature_file *file, const audit_subject *subject,
                               const audit_key *key, enum audit_role role, eh_error *error)
{
	audit_signature *s = layout_append(audit_signature_layout(), &file->signatures);

	s->subject = subject->kind;
	s->role = role;
	text_set(&s->digest, subject->digest);
	text_set(&s->file_sha256, subject->file_sha256);
	return envelope_seal(&envelope_signature, s, key, error);
}

eh_status audit_signatures_add(const char *before, const char *name, const audit_subject *subject,
                               const audit_key *key, enum audit_role role, char **out,
                               eh_error *error)
{
	audit_signature_file file;
	eh_status status = EH_OK;

	layout_init(audit_signature_file_layout(), &file);
	file.format = AUDIT_SIGNATURES;
	file.format_version = 1;
	if (before != NULL)
		status = envelope_signatures_read(before, name, &file, error);
	if (status == EH_OK)
		status = refuse_second(&file, name, subject, key, error);
	if (status == EH_OK)
		status = add_signature(&file, subject, key, role, error);
	if (status == EH_OK) {
		char *body = layout_text(audit_signature_file_layout(), &file, true);

		*out = memory_format("%s\n", body);
		free(body);
	}
	layout_clear(audit_signature_file_layout(), &file);
	return status;
}

/* Adds a signature to RESULT.sig, or begins the file. */
static eh_status sign_held(const held *h, const audit_key *key, enum audit_role role, eh_error *error)
{
	const audit_subject subject = audit_subject_of(h->r);
	char *path = memory_format("%s.sig", h->path);
	char *before = NULL, *after = NULL;
	size_t size;
	eh_status status = beside_read(h->path, ".sig", &before, &size, error);

	if (status == EH_OK)
		status = audit_signatures_add(before, path, &subject, key, role, &after, error);
	if (status == EH_OK)
		status = held_write_beside(h, ".sig", after, strlen(after), error);
	free(after);
	free(before);
	free(path);
	return status;
}

/* Whether a signature of the key in the role holds. */
static bool has_signed(const audit_evidence *e, const audit_key *key, enum audit_role role)
{
	for (size_t i = 0; i < e->signatures.count; i++) {
		const audit_checked_signature *s = &e->signatures.items[i];

		if (s->holds && s->role == role &&
		    strcmp(s->fingerprint, audit_key_public(key)->fingerprint) == 0)
			return true;
	}
	return false;
}

/* What reading a result does not ask for. */
static eh_status check_evidence(const result *r, eh_error *error)
{
	findings f = { .only_first = true };
	eh_status status = EH_OK;

	result_check_evidence(r, &f);
	if (f.count > 0)
		status = error_set(error, EH_E_ALTERED, "%s: %s; `evenhand verify` prints all", r->path,
		                   f.items[0].sentence);
	findings_free(&f);
	return status;
}

eh_status audit_sign_result(const char *path, const audit_key *key, enum audit_role role,
                            bool *before, audit_finished *finished, eh_error *error)
{
	held h;
	eh_status status = held_open(path, false, &h, error);

	*before = status == EH_OK && has_signed(h.evidence, key, role);
	if (status == EH_OK && !*before)
		status = check_evidence(h.r, error);
	if (status == EH_OK && !*before)
		status = sign_held(&h, key, role, error);
	*finished = h.finished;
	h.finished = (audit_finished){ .announcer = NULL };
	held_close(&h);
	return status;
}

void audit_finished_clear(audit_finished *f)
{
	text_list_clear(&f->members);
	free(f->announcer);
	f->announcer = NULL;
}
