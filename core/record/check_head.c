/* SPDX-License-Identifier: Apache-2.0 */
/* The protocol of a record, and the digest of the whole. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "record/check.h"
#include "record/redact.h"
#include "record/seal.h"

static char *number_text(uint64_t value)
{
	return memory_format("%llu", (unsigned long long)value);
}

static char *quoted(const char *value)
{
	return memory_format("\"%.60s\"", value);
}

void check_protocol(const record_result *r, findings *f)
{
	const record_protocol *p = &r->protocol;
	char hex[65];

	layout_digest(record_plan_layout(), &p->canonical, hex);
	if (strcmp(hex, p->digest) != 0)
		findings_differ(f, CHECK_PROTOCOL, "protocol.digest", quoted(p->digest), quoted(hex),
		                "protocol.canonical gives");
	if (strcmp(p->name, p->canonical.name) != 0 && !findings_enough(f))
		findings_differ(f, CHECK_PROTOCOL, "protocol.name", quoted(p->name),
		                quoted(p->canonical.name), "protocol.canonical says");
	if (p->version != p->canonical.version && !findings_enough(f))
		findings_differ(f, CHECK_PROTOCOL, "protocol.version", number_text(p->version),
		                number_text(p->canonical.version), "protocol.canonical says");
}

void check_salts(record_result *r, findings *f)
{
	const char *bad = redact_bad_salt(r);

	/* A salt that belongs to no text could hide data. */
	if (bad != NULL)
		(void)findings_add(f, EH_E_FORMAT, CHECK_STRUCTURE, "salts", NULL, NULL,
		                   "salts has a salt for %.60s that is not 32 hex digits, or there is "
		                   "no text that may be redacted there", bad);
}

void check_sections(record_result *r, findings *f)
{
	for (size_t i = 0; record_sections[i] != NULL && !findings_enough(f); i++) {
		const char *key = record_sections[i];
		const char *stated = *record_digest_of(&r->digests, key);
		char hex[65];

		record_section_digest(r, key, hex);
		if (strcmp(hex, stated) == 0)
			continue;
		(void)findings_add(f, EH_E_ALTERED, CHECK_DIGESTS, key, quoted(stated), quoted(hex),
		                   "%s does not have the digest it was written with%s" FINDING_ALTERED,
		                   key, strcmp(key, "protocol") == 0 ?
		                   " (protocol.canonical does: it is protocol.text, "
		                   "protocol.deviations or digests.protocol)" : "");
	}
}

static void text_differs(findings *f, const char *key, const char *says, char *wanted)
{
	(void)findings_add(f, EH_E_ALTERED, CHECK_PROTOCOL, "protocol.text", NULL, wanted,
	                   "protocol.text says %s = %.40s but protocol.canonical says %.60s"
	                   FINDING_ALTERED, key, says != NULL ? says : "nothing", wanted);
}

void check_text(const record_result *r, findings *f)
{
	const record_plan *plan = &r->protocol.canonical;
	const struct { const char *key; uint64_t value; bool required; } numbers[] = {
		{ "version", plan->version, true },
		{ "seed", plan->seed, false },
		{ "executions", plan->executions, false },
	};
	char *says = protocol_text_value(r->protocol.text, "name");

	if (says == NULL || strcmp(says, plan->name) != 0)
		text_differs(f, "name", says, quoted(plan->name));
	free(says);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]) && !findings_enough(f); i++) {
		uint64_t number = 0;

		says = protocol_text_value(r->protocol.text, numbers[i].key);
		if (says == NULL ? numbers[i].required :
		    !text_parse_uint(says, &number) || number != numbers[i].value)
			text_differs(f, numbers[i].key, says, number_text(numbers[i].value));
		free(says);
	}
	if (r->run.seed != plan->seed && !findings_enough(f))
		findings_differ(f, CHECK_PROTOCOL, "run.seed", number_text(r->run.seed),
		                number_text(plan->seed), "protocol.canonical says");
}

void check_digest(const record_result *r, findings *f)
{
	char hex[65];

	record_digest(r->status, &r->digests, hex);
	if (strcmp(hex, r->digest) != 0 && !findings_enough(f))
		findings_differ(f, CHECK_DIGESTS, "digest", quoted(r->digest), quoted(hex),
		                "status and digests give");
}
