/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "audit/audit.h"
#include "audit/envelope.h"
#include "base/digest.h"
#include "base/files.h"
#include "base/text.h"
#include "record/redact.h"

eh_status audit_read(const char *path, result **out, char **bytes, size_t *size, eh_error *error)
{
	char *copy;
	eh_status status = file_read(path, bytes, size, error);

	if (status != EH_OK)
		return status;
	copy = memory_get(*size + 1);
	memcpy(copy, *bytes, *size);
	status = result_read_bytes(path, copy, *size, out, error);
	if (status != EH_OK) {
		free(*bytes);
		*bytes = NULL;
	}
	return status;
}

/* ---- signatures ------------------------------------------------------------------------------ */

static eh_status refuse_second(const audit_signature_file *file, const char *name,
                               const audit_subject *subject, const audit_key *key, eh_error *error)
{
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

eh_status audit_sign(const char *signed_path, const audit_subject *subject, const audit_key *key,
                     enum audit_role role, eh_error *error)
{
	char *path = memory_format("%s.sig", signed_path);
	char *before = NULL, *after = NULL;
	size_t size;
	eh_status status = EH_OK;

	if (file_exists(path))
		status = file_read(path, &before, &size, error);
	if (status == EH_OK)
		status = audit_signatures_add(before, path, subject, key, role, &after, error);
	if (status == EH_OK)
		status = file_write(path, after, strlen(after), error);
	free(after);
	free(before);
	free(path);
	return status;
}

/* ---- amendments ------------------------------------------------------------------------------ */

/* Sets sequence and previous to those behind the last amendment. */
static eh_status follow(const char *before, const char *path, audit_amendment *entry,
                        eh_error *error)
{
	char previous[65];
	eh_status status = EH_OK;

	entry->sequence = 1;
	text_set(&entry->previous, entry->result);
	while (before != NULL && *before != '\0' && status == EH_OK) {
		audit_amendment last;

		layout_init(audit_amendment_layout(), &last);
		status = envelope_amendment_next(&before, path, &last, error);
		if (status == EH_OK) {
			layout_digest(audit_amendment_layout(), &last, previous);
			text_set(&entry->previous, previous);
			entry->sequence++;
		}
		layout_clear(audit_amendment_layout(), &last);
	}
	return status;
}

static eh_status append(const char *result_path, audit_amendment *entry, const audit_key *key,
                        eh_error *error)
{
	char *path = memory_format("%s.amendments", result_path);
	char *before = NULL, *line, *whole;
	size_t size;
	eh_status status = file_exists(path) ? file_read(path, &before, &size, error) : EH_OK;

	if (status == EH_OK)
		status = follow(before, path, entry, error);
	if (status == EH_OK)
		status = envelope_seal(&envelope_amendment, entry, key, error);
	if (status == EH_OK) {
		line = layout_text(audit_amendment_layout(), entry, false);
		whole = memory_format("%s%s\n", before != NULL ? before : "", line);
		status = file_write(path, whole, strlen(whole), error);
		free(whole);
		free(line);
	}
	free(before);
	free(path);
	return status;
}

/* Writes the redacted result first, so that a full disk fails before there is an amendment. */
static eh_status append_redaction(const char *path, const char *body, size_t size,
                                  audit_amendment *entry, const audit_key *key, eh_error *error)
{
	file_writer *out = NULL;
	char hex[65];
	eh_status status = file_writer_open(path, &out, error);

	digest_bytes(body, size, hex);
	text_set(&entry->file_sha256, hex);
	if (status == EH_OK)
		status = file_writer_add(out, body, size, error);
	if (status == EH_OK)
		status = append(path, entry, key, error);
	if (status == EH_OK)
		return file_writer_commit(out, error);
	file_writer_abandon(out);
	return status;
}

static eh_status redact(const char *path, const char *bytes, size_t size, audit_amendment *entry,
                        const audit_key *key, eh_error *error)
{
	text after = { 0 };
	eh_status status = redact_text(bytes, size, path, entry->member, &after, error);

	if (status == EH_OK)
		status = append_redaction(path, after.data, after.size, entry, key, error);
	text_free(&after);
	return status;
}

eh_status audit_amend(const char *result_path, enum audit_amendment_kind kind, const char *words,
                      const char *member, const audit_key *key, eh_error *error)
{
	audit_amendment entry;
	result *r = NULL;
	char *bytes = NULL;
	size_t size;
	eh_status status = audit_read(result_path, &r, &bytes, &size, error);

	layout_init(audit_amendment_layout(), &entry);
	entry.format = AUDIT_AMENDMENT;
	entry.format_version = 1;
	entry.kind = kind;
	text_set(&entry.text, words);
	text_set(&entry.member, member);
	if (status == EH_OK)
		status = audit_refuse_broken(r, error);
	if (status == EH_OK) {
		text_set(&entry.result, r->record->digest);
		status = kind == AUDIT_REDACT ? redact(result_path, bytes, size, &entry, key, error) :
		                                append(result_path, &entry, key, error);
	}
	layout_clear(audit_amendment_layout(), &entry);
	result_free(r);
	free(bytes);
	return status;
}
