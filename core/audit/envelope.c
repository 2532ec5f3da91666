/* SPDX-License-Identifier: Apache-2.0 */
#include "audit/envelope.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/text.h"
#include "record/record.h"

const envelope envelope_signature = { audit_signature_layout, audit_signatures_format_words };
const envelope envelope_agreement = { record_agreement_layout, record_agreement_format_words };
const envelope envelope_amendment = { audit_amendment_layout, audit_amendment_format_words };

/* ---- sealing --------------------------------------------------------------------------------- */

/* A text member of the struct. */
static char **member(const envelope *kind, const void *object, const char *key)
{
	return (char **)(void *)((char *)object + layout_find(kind->layout(), key)->offset);
}

/* malloc'd bytes that are signed. */
static char *signed_bytes(const envelope *kind, const void *object)
{
	char *canonical = layout_canonical(kind->layout(), object, "signature");
	char *bytes = memory_format("%s\n%s", kind->format()->items[0].word, canonical);

	free(canonical);
	return bytes;
}

/* "2026-11-21T00:02:22Z", now. */
static void format_now(char out[32])
{
	time_t now = time(NULL);
	struct tm parts;

	if (gmtime_r(&now, &parts) == NULL || strftime(out, 32, "%Y-%m-%dT%H:%M:%SZ", &parts) == 0)
		out[0] = '\0';
}

eh_status envelope_seal(const envelope *kind, void *object, const audit_key *key, eh_error *error)
{
	const audit_public *public_key = audit_key_public(key);
	char hex[AUDIT_SIGNATURE_HEX + 1];
	char now[32];
	char *bytes;
	eh_status status;

	format_now(now);
	text_set(member(kind, object, "signer"), audit_key_name(key));
	text_set(member(kind, object, "public_key"), public_key->key);
	text_set(member(kind, object, "fingerprint"), public_key->fingerprint);
	text_set(member(kind, object, "time"), now);
	bytes = signed_bytes(kind, object);
	status = audit_sign_bytes(key, bytes, strlen(bytes), hex, error);
	free(bytes);
	if (status == EH_OK)
		text_set(member(kind, object, "signature"), hex);
	return status;
}

bool envelope_holds(const envelope *kind, const void *object)
{
	audit_public key;
	char *bytes;
	bool holds;

	if (!audit_public_of(*member(kind, object, "public_key"), &key) ||
	    strcmp(key.fingerprint, *member(kind, object, "fingerprint")) != 0)
		return false;
	bytes = signed_bytes(kind, object);
	holds = audit_verify_bytes(&key, bytes, strlen(bytes), *member(kind, object, "signature"));
	free(bytes);
	return holds;
}

/* ---- reading --------------------------------------------------------------------------------- */

eh_status envelope_version(uint64_t version, const char *name, eh_error *error)
{
	if (version == 1)
		return EH_OK;
	return error_set(error, EH_E_FORMAT, "%s: format_version is not 1, the one this evenhand reads; "
	                 "use the evenhand that wrote it, or a newer one", name);
}

eh_status envelope_signatures_read(const char *body, const char *name, audit_signature_file *out,
                                   eh_error *error)
{
	eh_status status = layout_read(audit_signature_file_layout(), body, strlen(body), name, out,
	                               error);

	return status == EH_OK ? envelope_version(out->format_version, name, error) : status;
}

eh_status envelope_amendment_next(const char **at, const char *name, audit_amendment *out,
                                  eh_error *error)
{
	size_t size = strcspn(*at, "\n");
	eh_status status = layout_read(audit_amendment_layout(), *at, size, name, out, error);

	if (status == EH_OK)
		status = envelope_version(out->format_version, name, error);
	if (status == EH_OK && (*at)[size] == '\0')
		status = error_set(error, EH_E_FORMAT, "%s: the line is cut: it has no line feed", name);
	*at += size + ((*at)[size] == '\n');
	return status;
}
