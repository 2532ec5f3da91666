/* SPDX-License-Identifier: Apache-2.0 */
#include "audit/envelope.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/json.h"
#include "base/text.h"

#define END { NULL, SHAPE_TEXT, false, NULL, NULL }
#define MUST(key, kind) { key, SHAPE_##kind, false, NULL, NULL }
#define MAY(key, kind) { key, SHAPE_##kind, true, NULL, NULL }
#define MUST_BE(key, words) { key, SHAPE_WORD, false, NULL, words }

static const shape signature[] = {
	MUST_BE("subject", "result|manifest"), MUST("digest", SHA256), MUST("file_sha256", SHA256),
	MUST_BE("role", "tester|verifier"), MUST("signer", TEXT), MUST("public_key", SHA256),
	MUST("fingerprint", SHA256), MUST("time", TEXT), MUST("signature", TEXT), END
};

const shape envelope_signatures[] = {
	MUST_BE("format", ENVELOPE_SIGNATURES), MUST("format_version", UINT),
	{ "signatures", SHAPE_OBJECTS, false, signature, NULL }, END
};

const shape envelope_amendment[] = {
	MUST_BE("format", ENVELOPE_AMENDMENT), MUST("format_version", UINT), MUST("sequence", UINT),
	MUST("result", SHA256), MUST("previous", SHA256), MUST_BE("kind", "note|dispute|redact"),
	MUST("text", TEXT), MAY("member", TEXT), MAY("file_sha256", SHA256), MUST("signer", TEXT),
	MUST("public_key", SHA256), MUST("fingerprint", SHA256), MUST("time", TEXT),
	MUST("signature", TEXT), END
};

/* malloc'd bytes that are signed. */
static char *signed_bytes(const cJSON *object, const char *context)
{
	cJSON *copy = cJSON_Duplicate(object, true);
	char *canonical;
	char *bytes;

	cJSON_DeleteItemFromObjectCaseSensitive(copy, "signature");
	canonical = json_canonical(copy);
	bytes = memory_format("%s\n%s", context, canonical);
	free(canonical);
	cJSON_Delete(copy);
	return bytes;
}

void envelope_time(char out[32])
{
	time_t now = time(NULL);
	struct tm parts;

	if (gmtime_r(&now, &parts) == NULL || strftime(out, 32, "%Y-%m-%dT%H:%M:%SZ", &parts) == 0)
		out[0] = '\0';
}

eh_status envelope_seal(cJSON *object, const char *context, const audit_key *key, eh_error *error)
{
	const audit_public *public_key = audit_key_public(key);
	char hex[AUDIT_SIGNATURE_HEX + 1];
	char now[32];
	char *bytes;
	eh_status status;

	envelope_time(now);
	json_add_string(object, "signer", audit_key_name(key));
	json_add_string(object, "public_key", public_key->key);
	json_add_string(object, "fingerprint", public_key->fingerprint);
	json_add_string(object, "time", now);
	bytes = signed_bytes(object, context);
	status = audit_sign_bytes(key, bytes, strlen(bytes), hex, error);
	free(bytes);
	if (status == EH_OK)
		json_add_string(object, "signature", hex);
	return status;
}

bool envelope_holds(const cJSON *object, const char *context, audit_public *key)
{
	char *bytes;
	bool holds;

	if (!audit_public_of(json_string(object, "public_key", ""), key) ||
	    strcmp(key->fingerprint, json_string(object, "fingerprint", "")) != 0)
		return false;
	bytes = signed_bytes(object, context);
	holds = audit_verify_bytes(key, bytes, strlen(bytes), json_string(object, "signature", ""));
	free(bytes);
	return holds;
}
