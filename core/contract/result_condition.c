/* SPDX-License-Identifier: Apache-2.0 */
/* Conditions of rules about results as a whole.  The rows are NULL. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "audit/audit.h"
#include "base/text.h"
#include "contract/condition.h"

/* Fires when the two texts differ, and says both. */
static bool differ(const char *what, const char *a, const char *b, char *detail, size_t size)
{
	if (strcmp(a, b) == 0)
		return false;
	snprintf(detail, size, "%s%s%s | %s", what, what[0] != '\0' ? ": " : "",
	         a[0] != '\0' ? a : "unknown", b[0] != '\0' ? b : "unknown");
	return true;
}

CONDITION(condition_same_result)
{
	if (strcmp(a->record->digest, b->record->digest) != 0)
		return false;
	snprintf(detail, size, "digest %.12s", a->record->digest);
	return true;
}

CONDITION(condition_protocol_same)
{
	snprintf(detail, size, "%s@%llu, %.12s", a->record->protocol.name,
	         (unsigned long long)a->record->protocol.version, a->record->protocol.digest);
	return strcmp(a->record->protocol.digest, b->record->protocol.digest) == 0;
}

static bool lists(const result *r, const result *other)
{
	char *name = memory_format("%s@%llu", other->record->protocol.name,
	                           (unsigned long long)other->record->protocol.version);
	bool found = text_list_has(&r->record->protocol.canonical.compatible, name);

	free(name);
	return found;
}

static bool same_protocol(const result *a, const result *b)
{
	return strcmp(a->record->protocol.digest, b->record->protocol.digest) == 0;
}

bool condition_protocols_fit(const result *a, const result *b)
{
	return same_protocol(a, b) || lists(a, b) || lists(b, a);
}

static void protocols(const result *a, const result *b, char *detail, size_t size)
{
	const record_protocol *pa = &a->record->protocol;
	const record_protocol *pb = &b->record->protocol;

	snprintf(detail, size, "%s@%llu %.12s | %s@%llu %.12s", pa->name,
	         (unsigned long long)pa->version, pa->digest, pb->name,
	         (unsigned long long)pb->version, pb->digest);
}

CONDITION(condition_protocol_compatible)
{
	protocols(a, b, detail, size);
	return !same_protocol(a, b) && condition_protocols_fit(a, b);
}

CONDITION(condition_protocol_differs)
{
	protocols(a, b, detail, size);
	return !condition_protocols_fit(a, b);
}

CONDITION(condition_data_seed)
{
	uint64_t seed_a = a->record->protocol.canonical.seed;
	uint64_t seed_b = b->record->protocol.canonical.seed;

	snprintf(detail, size, "%llu | %llu", (unsigned long long)seed_a,
	         (unsigned long long)seed_b);
	return seed_a != seed_b;
}

SIDE(side_simulated)
{
	return a->record->executor.simulated;
}

CONDITION(condition_harness_major)
{
	const char *va = a->record->harness.version;
	const char *vb = b->record->harness.version;
	size_t la = strcspn(va, ".");
	size_t lb = strcspn(vb, ".");

	if (la > 0 && la == lb && memcmp(va, vb, la) == 0)
		return false;
	snprintf(detail, size, "version %s | %s", va, vb);
	return true;
}

CONDITION(condition_abi)
{
	return differ("ABI", a->record->harness.abi, b->record->harness.abi, detail, size);
}

SIDE(side_dirty)
{
	return a->record->harness.dirty;
}

/* Also with fewer executions than declared and no deviation that says why. */
SIDE(side_incomplete)
{
	const record_executions *executions = &a->record->run.executions;

	return a->record->status != RECORD_COMPLETE ||
	       (executions->done < executions->declared && a->record->protocol.deviations.count == 0);
}

SIDE(side_deviations)
{
	const text_list *all = &a->record->protocol.deviations;
	text t = { 0 };

	for (size_t i = 0; i < all->count; i++)
		text_add(&t, "%s%s", i > 0 ? "; " : "", all->items[i]);
	if (t.size == 0)
		return false;
	snprintf(detail, size, "%s", t.data);
	text_free(&t);
	return true;
}

/* who.verified in a record proves nothing.  A signature that cannot be read counts as broken. */
static enum audit_level trust_of(const result *r)
{
	const audit_evidence *trust;

	return audit_trust(r, &trust, NULL) == EH_OK ? trust->level : AUDIT_BROKEN;
}

SIDE(side_signature)
{
	return trust_of(a) == AUDIT_BROKEN;
}

/* By a key that is trusted for anything.  What others say is shown and changes nothing. */
SIDE(side_disputed)
{
	const audit_evidence *trust;
	bool found = false;

	if (audit_trust(a, &trust, NULL) == EH_OK)
		for (size_t i = 0; i < trust->amendments.count; i++)
			found = found || (trust->amendments.items[i].kind == AUDIT_DISPUTE &&
			                  trust->amendments.items[i].trusted);
	return found;
}

CONDITION(condition_verified)
{
	bool va = trust_of(a) == AUDIT_VERIFIED;
	bool vb = trust_of(b) == AUDIT_VERIFIED;

	snprintf(detail, size, "%s is verified", va ? "only the baseline" : "only the other side");
	return va != vb;
}
