/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "audit/audit.h"
#include "audit/envelope.h"
#include "base/digest.h"
#include "base/files.h"
#include "base/json.h"
#include "base/text.h"
#include "record/parts.h"
#include "record/redact.h"

/* ---- signatures ------------------------------------------------------------------------------ */

static eh_status begin(const char *before, const char *name, cJSON **out, eh_error *error)
{
	eh_status status;

	if (before == NULL) {
		*out = cJSON_CreateObject();
		json_add_string(*out, "format", ENVELOPE_SIGNATURES);
		json_add_uint(*out, "format_version", 1);
		json_add_array(*out, "signatures");
		return EH_OK;
	}
	status = json_parse(before, strlen(before), name, out, error);
	if (status == EH_OK) {
		status = shape_check(*out, envelope_signatures, name, "", error);
		if (status != EH_OK)
			cJSON_Delete(*out);
	}
	return status;
}

eh_status audit_signatures_add(const char *before, const char *name, const audit_subject *subject,
                               const audit_key *key, unsigned role, char **out, eh_error *error)
{
	const char *word = role == AUDIT_VERIFIER ? "verifier" : "tester";
	cJSON *root = NULL;
	cJSON *entry;
	const cJSON *item;
	eh_status status = begin(before, name, &root, error);

	if (status != EH_OK)
		return status;
	cJSON_ArrayForEach(item, json_path(root, "signatures")) {
		bool mine = strcmp(json_string(item, "public_key", ""), audit_key_public(key)->key) == 0;

		if (mine && strcmp(json_string(item, "digest", ""), subject->digest) == 0) {
			status = error_set(error, EH_E_USAGE, "%s: this key has signed it already, as %s; "
			                   "a second party is another key", name,
			                   json_string(item, "role", ""));
			cJSON_Delete(root);
			return status;
		}
	}
	entry = cJSON_CreateObject();
	json_add_string(entry, "subject", subject->kind);
	json_add_string(entry, "digest", subject->digest);
	json_add_string(entry, "file_sha256", subject->file_sha256);
	json_add_string(entry, "role", word);
	status = envelope_seal(entry, ENVELOPE_SIGNATURES, key, error);
	cJSON_AddItemToArray(cJSON_GetObjectItemCaseSensitive(root, "signatures"), entry);
	if (status == EH_OK) {
		char *body = json_text(root, true);

		*out = memory_format("%s\n", body);
		free(body);
	}
	cJSON_Delete(root);
	return status;
}

eh_status audit_sign(const char *signed_path, const audit_subject *subject, const audit_key *key,
                     unsigned role, eh_error *error)
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

/* The result's text with another value for one of its members. */
static eh_status replace_member(text *out, const char *body, size_t size, const char *name,
                                const cJSON *value, eh_error *error)
{
	result_parts parts;
	eh_status status = EH_E_FORMAT;
	size_t i;

	if (parts_find(body, size, &parts))
		for (i = 0; i < parts.member_count && status != EH_OK; i++) {
			json_span span = parts.members[i].value;
			char *replacement;

			if (strcmp(parts.members[i].name, name) != 0)
				continue;
			replacement = json_text(value, false);
			/* The span reaches to the comma; what is white before it is kept. */
			while (span.end > span.start && strchr(" \t\r\n", body[span.end - 1]) != NULL)
				span.end--;
			text_add_bytes(out, body, span.start);
			text_add_bytes(out, replacement, strlen(replacement));
			text_add_bytes(out, body + span.end, size - span.end);
			free(replacement);
			status = EH_OK;
		}
	parts_free(&parts);
	return status == EH_OK ? EH_OK : error_set(error, status, "the result has no member %s", name);
}

/* The bytes of the redacted result in *out. */
static eh_status redacted(const result *r, const char *member, text *out, eh_error *error)
{
	const char *section = strncmp(member, "who.", 4) == 0 ? "who" : "executor";
	cJSON *copy = cJSON_Duplicate(r->root, true);
	text half = { 0 };
	eh_status status = redact_member(copy, member, error);

	if (status == EH_OK)
		status = replace_member(&half, r->bytes, r->size, section, json_path(copy, section),
		                        error);
	if (status == EH_OK)
		status = replace_member(out, half.data, half.size, "salts", json_path(copy, "salts"),
		                        error);
	text_free(&half);
	cJSON_Delete(copy);
	return status;
}

/* The hash of the last amendment, and how many there are. */
static eh_status chain_end(const char *path, const char *before, const char *first,
                           char previous[65], uint64_t *count, eh_error *error)
{
	memcpy(previous, first, 65);
	*count = 0;
	while (before != NULL && *before != '\0') {
		size_t size = strcspn(before, "\n");
		cJSON *item = NULL;
		eh_status status = json_parse(before, size, path, &item, error);

		if (status != EH_OK)
			return status;
		if (before[size] == '\0') {
			cJSON_Delete(item);
			return error_set(error, EH_E_FORMAT, "%s: its last line is cut", path);
		}
		json_digest(item, previous);
		cJSON_Delete(item);
		++*count;
		before += size + 1;
	}
	return EH_OK;
}

static eh_status append(const char *path, const result *r, cJSON *entry, const audit_key *key,
                        eh_error *error)
{
	char *before = NULL, *line = NULL, *whole;
	const char *own = json_string(r->root, "digest", "");
	char previous[65];
	uint64_t count = 0;
	size_t size;
	eh_status status = file_exists(path) ? file_read(path, &before, &size, error) : EH_OK;

	if (status == EH_OK)
		status = chain_end(path, before, own, previous, &count, error);
	if (status == EH_OK) {
		json_add_uint(entry, "sequence", count + 1);
		json_add_string(entry, "result", own);
		json_add_string(entry, "previous", previous);
		status = envelope_seal(entry, ENVELOPE_AMENDMENT, key, error);
	}
	if (status == EH_OK) {
		line = json_text(entry, false);
		whole = memory_format("%s%s\n", before != NULL ? before : "", line);
		status = file_write(path, whole, strlen(whole), error);
		free(whole);
	}
	free(line);
	free(before);
	return status;
}

eh_status audit_amend(const char *result_path, enum audit_amendment_kind kind, const char *words,
                      const char *member, const audit_key *key, eh_error *error)
{
	static const char *const kinds[] = { "note", "dispute", "redact" };
	char *path = memory_format("%s.amendments", result_path);
	text body = { 0 };
	file_writer *redaction = NULL;
	result *r = NULL;
	cJSON *entry = cJSON_CreateObject();
	audit_evidence *evidence = NULL;
	eh_status status = result_read_lean(result_path, &r, error);

	if (status == EH_OK)
		status = audit_trust(r, &evidence, error);
	if (status == EH_OK && evidence->level == AUDIT_BROKEN)
		status = error_set(error, EH_E_ALTERED, "%s: %s; nothing is added to what does not hold",
		                   result_path, evidence->problems[0]);
	json_add_string(entry, "format", ENVELOPE_AMENDMENT);
	json_add_uint(entry, "format_version", 1);
	json_add_string(entry, "kind", kinds[kind]);
	json_add_string(entry, "text", words);
	if (status == EH_OK && kind == AUDIT_REDACT) {
		char hex[65];

		status = redacted(r, member, &body, error);
		if (status == EH_OK) {
			digest_bytes(body.data, body.size, hex);
			json_add_string(entry, "member", member);
			json_add_string(entry, "file_sha256", hex);
		}
	}
	/* What has no room fails before the amendment says that it was done. */
	if (status == EH_OK && kind == AUDIT_REDACT)
		status = file_writer_open(result_path, &redaction, error);
	if (status == EH_OK && kind == AUDIT_REDACT)
		status = file_writer_add(redaction, body.data, body.size, error);
	if (status == EH_OK)
		status = append(path, r, entry, key, error);
	if (status == EH_OK && kind == AUDIT_REDACT)
		status = file_writer_commit(redaction, error);
	else
		file_writer_abandon(redaction);
	audit_evidence_free(evidence);
	cJSON_Delete(entry);
	result_free(r);
	text_free(&body);
	free(path);
	return status;
}
