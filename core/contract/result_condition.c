/* SPDX-License-Identifier: Apache-2.0 */
/* Conditions of rules about results as a whole.  Rows are NULL here. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "audit/audit.h"
#include "base/json.h"
#include "base/text.h"
#include "contract/condition.h"

#define UNUSED_ROWS() ((void)x, (void)y)

static const char *at(const result *r, const char *path, const char *key)
{
	return json_string(json_path(r->root, path), key, "");
}

/* Fires when the two texts differ, and says both. */
static bool differ(const char *what, const char *a, const char *b, char *detail, size_t size)
{
	if (strcmp(a, b) == 0)
		return false;
	snprintf(detail, size, "%s%s%s | %s", what, what[0] != '\0' ? ": " : "",
	         a[0] != '\0' ? a : "unknown", b[0] != '\0' ? b : "unknown");
	return true;
}

/* Fires when a side has the property, and says which. */
static bool either(bool a, bool b, char *detail, size_t size)
{
	if (!a && !b)
		return false;
	snprintf(detail, size, "%s", a && b ? "both sides" : a ? "the baseline" : "the other side");
	return true;
}

CONDITION(condition_same_result)
{
	UNUSED_ROWS();
	if (strcmp(json_string(a->root, "digest", "?"), json_string(b->root, "digest", "")) != 0)
		return false;
	snprintf(detail, size, "digest %.12s", json_string(a->root, "digest", ""));
	return true;
}

CONDITION(condition_protocol_same)
{
	UNUSED_ROWS();
	snprintf(detail, size, "%s@%llu, %.12s", a->protocol_name,
	         (unsigned long long)a->protocol_version, a->protocol_digest);
	return strcmp(a->protocol_digest, b->protocol_digest) == 0;
}

static bool lists(const result *r, const result *other)
{
	char *name = memory_format("%s@%llu", other->protocol_name,
	                           (unsigned long long)other->protocol_version);
	const cJSON *item;
	bool found = false;

	cJSON_ArrayForEach(item, json_path(r->root, "protocol.canonical.compatible"))
		if (cJSON_IsString(item) && strcmp(item->valuestring, name) == 0)
			found = true;
	free(name);
	return found;
}

bool condition_protocols_fit(const result *a, const result *b)
{
	return strcmp(a->protocol_digest, b->protocol_digest) == 0 || lists(a, b) || lists(b, a);
}

static void protocols(const result *a, const result *b, char *detail, size_t size)
{
	snprintf(detail, size, "%s@%llu %.12s | %s@%llu %.12s", a->protocol_name,
	         (unsigned long long)a->protocol_version, a->protocol_digest, b->protocol_name,
	         (unsigned long long)b->protocol_version, b->protocol_digest);
}

CONDITION(condition_protocol_compatible)
{
	UNUSED_ROWS();
	protocols(a, b, detail, size);
	return strcmp(a->protocol_digest, b->protocol_digest) != 0 && condition_protocols_fit(a, b);
}

CONDITION(condition_protocol_differs)
{
	UNUSED_ROWS();
	protocols(a, b, detail, size);
	return !condition_protocols_fit(a, b);
}

CONDITION(condition_data_seed)
{
	uint64_t seed_a = 0;
	uint64_t seed_b = 0;

	UNUSED_ROWS();
	(void)json_uint(json_path(a->root, "protocol.canonical"), "seed", &seed_a);
	(void)json_uint(json_path(b->root, "protocol.canonical"), "seed", &seed_b);
	snprintf(detail, size, "%llu | %llu", (unsigned long long)seed_a,
	         (unsigned long long)seed_b);
	return seed_a != seed_b;
}

CONDITION(condition_simulated)
{
	UNUSED_ROWS();
	return either(a->simulated, b->simulated, detail, size);
}

CONDITION(condition_harness_major)
{
	const char *va = at(a, "harness", "version");
	const char *vb = at(b, "harness", "version");
	size_t la = strcspn(va, ".");
	size_t lb = strcspn(vb, ".");

	UNUSED_ROWS();
	if (la > 0 && la == lb && memcmp(va, vb, la) == 0)
		return false;
	snprintf(detail, size, "version %s | %s", va, vb);
	return true;
}

CONDITION(condition_abi)
{
	UNUSED_ROWS();
	return differ("ABI", at(a, "harness", "abi"), at(b, "harness", "abi"), detail, size);
}

CONDITION(condition_dirty)
{
	UNUSED_ROWS();
	return either(json_bool(json_path(a->root, "harness"), "dirty", true),
	              json_bool(json_path(b->root, "harness"), "dirty", true), detail, size);
}

/* Fewer executions than declared, and no deviation that says why. */
static bool short_of_declared(const result *r)
{
	const cJSON *executions = json_path(r->root, "run.executions");
	uint64_t declared = 0;
	uint64_t done = 0;

	return json_uint(executions, "declared", &declared) && json_uint(executions, "done", &done) &&
	       done < declared &&
	       cJSON_GetArraySize(json_path(r->root, "protocol.deviations")) == 0;
}

CONDITION(condition_incomplete)
{
	UNUSED_ROWS();
	return either(!a->complete || short_of_declared(a), !b->complete || short_of_declared(b),
	              detail, size);
}

static void add_deviations(text *t, const char *side, const result *r)
{
	const cJSON *item;

	cJSON_ArrayForEach(item, json_path(r->root, "protocol.deviations"))
		text_add(t, "%s%s: %s", t->size > 0 ? "; " : "", side, item->valuestring);
}

CONDITION(condition_deviations)
{
	text t = { 0 };

	UNUSED_ROWS();
	add_deviations(&t, "baseline", a);
	add_deviations(&t, "other", b);
	if (t.size == 0)
		return false;
	snprintf(detail, size, "%s", t.data);
	text_free(&t);
	return true;
}

/* What a record says of itself (who.verified) proves nothing.  That a signature which is there but
 * cannot be read would hold is not known: it counts as broken. */
static enum audit_level trust_of(const result *r)
{
	audit_evidence *evidence = NULL;
	enum audit_level level = AUDIT_BROKEN;

	if (audit_trust(r, &evidence, NULL) == EH_OK)
		level = evidence->level;
	audit_evidence_free(evidence);
	return level;
}

CONDITION(condition_signature)
{
	UNUSED_ROWS();
	return either(trust_of(a) == AUDIT_BROKEN, trust_of(b) == AUDIT_BROKEN, detail, size);
}

/* By a key that is trusted for anything; what others say is shown, and changes nothing. */
static bool disputed(const result *r)
{
	audit_evidence *evidence = NULL;
	bool found = false;
	size_t i;

	if (audit_trust(r, &evidence, NULL) == EH_OK)
		for (i = 0; i < evidence->amendments.count; i++)
			found = found || (evidence->amendments.items[i].kind == AUDIT_DISPUTE &&
			                  evidence->amendments.items[i].trusted);
	audit_evidence_free(evidence);
	return found;
}

CONDITION(condition_disputed)
{
	UNUSED_ROWS();
	return either(disputed(a), disputed(b), detail, size);
}

CONDITION(condition_verified)
{
	bool va = trust_of(a) == AUDIT_VERIFIED;
	bool vb = trust_of(b) == AUDIT_VERIFIED;

	UNUSED_ROWS();
	snprintf(detail, size, "%s is verified", va ? "only the baseline" : "only the other side");
	return va != vb;
}
