/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/text.h"
#include "record/check.h"
#include "record/rowpool.h"
#include "record/redact.h"
#include "record/result.h"
#include "record/shape.h"

/* ---- structure ------------------------------------------------------------------------------- */

static bool check_format(const cJSON *head, findings *f)
{
	const char *format = json_string(head, "format", NULL);
	uint64_t version = 0;

	if (format == NULL || strcmp(format, RESULT_FORMAT) != 0) {
		(void)findings_add(f, EH_E_FORMAT, CHECK_STRUCTURE, "format",
		                   json_path(head, "format"), NULL,
		                   "is not a result: it has no member \"format\": \"%s\"",
		                   RESULT_FORMAT);
		return false;
	}
	if (!json_uint(head, "format_version", &version) || version != RESULT_FORMAT_VERSION) {
		(void)findings_add(f, EH_E_FORMAT, CHECK_STRUCTURE, "format_version",
		                   json_path(head, "format_version"), NULL,
		                   "format_version is not %d, the one this evenhand reads; use the "
		                   "evenhand that wrote it, or a newer one", RESULT_FORMAT_VERSION);
		return false;
	}
	return true;
}

/* The rows are read one by one; a head without them has all else. */
static void head_shape(shape table[SHAPE_MEMBERS_MAX])
{
	size_t i = 0;

	for (; shape_result[i].key != NULL && i + 1 < SHAPE_MEMBERS_MAX; i++) {
		table[i] = shape_result[i];
		if (strcmp(table[i].key, "cases") == 0)
			table[i].optional = true;
	}
	table[i] = (shape){ NULL, SHAPE_TEXT, false, NULL, NULL };
}

bool check_structure(const cJSON *head, bool rows_apart, const char *name, findings *f)
{
	shape table[SHAPE_MEMBERS_MAX];
	eh_error error = ERROR_INIT;

	if (!check_format(head, f))
		return false;
	head_shape(table);
	if (shape_check(head, rows_apart ? table : shape_result, name, "", &error) == EH_OK)
		return true;
	(void)findings_add_error(f, CHECK_STRUCTURE, "", name, &error);
	return false;
}

/* ---- what follows from something else -------------------------------------------------------- */

void check_expect(findings *f, enum finding_check check, const char *place, const cJSON *is,
                  const cJSON *want, const char *what)
{
	finding *last;

	if (findings_enough(f) || (is != NULL && want != NULL && json_same(is, want)))
		return;
	(void)findings_add(f, EH_E_ALTERED, check, place, is, want, "%s", "");
	last = &f->items[f->count - 1];
	free(last->sentence);
	last->sentence = memory_format("%s is %s but %s %s" ALTERED, place,
	                               is != NULL ? last->stated : "absent", what,
	                               want != NULL ? last->recomputed : "absent");
}

static void expect_digest(findings *f, enum finding_check check, const char *place, const cJSON *is,
                          const char *hex, const char *what)
{
	cJSON *want = cJSON_CreateString(hex);

	check_expect(f, check, place, is, want, what);
	cJSON_Delete(want);
}

void check_protocol(const cJSON *head, findings *f)
{
	const cJSON *protocol = json_path(head, "protocol");
	const cJSON *canonical = json_path(protocol, "canonical");
	char hex[65];

	json_digest(canonical, hex);
	expect_digest(f, CHECK_PROTOCOL, "protocol.digest", json_path(protocol, "digest"), hex,
	              "protocol.canonical gives");
	check_expect(f, CHECK_PROTOCOL, "protocol.name", json_path(protocol, "name"),
	             json_path(canonical, "name"), "protocol.canonical says");
	check_expect(f, CHECK_PROTOCOL, "protocol.version", json_path(protocol, "version"),
	             json_path(canonical, "version"), "protocol.canonical says");
}

void check_sections(const cJSON *head, findings *f)
{
	const cJSON *digests = json_path(head, "digests");
	char hex[65];
	size_t i;

	for (i = 0; record_sections[i] != NULL && !findings_enough(f); i++) {
		const char *key = record_sections[i];
		cJSON *is;

		record_section_digest(head, key, hex);
		if (strcmp(hex, json_string(digests, key, "")) == 0)
			continue;
		is = cJSON_CreateString(hex);
		(void)findings_add(f, EH_E_ALTERED, CHECK_DIGESTS, key, json_path(digests, key), is,
		                   "%s does not have the digest it was written with%s" ALTERED, key,
		                   strcmp(key, "protocol") == 0 ?
		                   " (protocol.canonical does: it is protocol.text, "
		                   "protocol.deviations or digests.protocol)" : "");
		cJSON_Delete(is);
	}
}

/* A salt of nothing would be a place to hide something in. */
void check_salts(const cJSON *head, findings *f)
{
	const char *bad = redact_bad_salt(head);

	if (bad != NULL)
		(void)findings_add(f, EH_E_FORMAT, CHECK_STRUCTURE, "salts", NULL, NULL,
		                   "salts has a salt for %.60s that is not 32 hex digits, or there is "
		                   "no text that may be redacted there", bad);
}

void check_digest(const cJSON *head, findings *f)
{
	char hex[65];

	record_digest(json_string(head, "status", ""), json_path(head, "digests"), hex);
	expect_digest(f, CHECK_DIGESTS, "digest", json_path(head, "digest"), hex,
	              "status and digests give");
}

/* What the protocol's text states of itself is what its canonical form says. */
void check_text(const cJSON *head, findings *f)
{
	static const char *const keys[] = { "name", "version", "seed", "executions" };
	const cJSON *canonical = json_path(head, "protocol.canonical");
	const char *body = json_string(json_path(head, "protocol"), "text", "");
	size_t i;

	for (i = 0; i < sizeof(keys) / sizeof(keys[0]) && !findings_enough(f); i++) {
		char *says = record_text_value(body, keys[i]);
		uint64_t number = 0;
		uint64_t want = 0;
		char *shown;
		bool same;

		/* The others have defaults. */
		if (says == NULL && i >= 2)
			continue;
		same = says != NULL &&
		       (i == 0 ? strcmp(says, json_string(canonical, "name", "")) == 0 :
		        text_parse_uint(says, &number) &&
		        json_uint(canonical, keys[i], &want) && number == want);
		shown = json_text(json_path(canonical, keys[i]), false);
		if (!same)
			(void)findings_add(f, EH_E_ALTERED, CHECK_PROTOCOL, "protocol.text", NULL,
			                   json_path(canonical, keys[i]),
			                   "protocol.text says %s = %.40s but protocol.canonical says "
			                   "%.60s" ALTERED, keys[i], says != NULL ? says : "nothing",
			                   shown);
		free(shown);
		free(says);
	}
	check_expect(f, CHECK_PROTOCOL, "run.seed", json_path(head, "run.seed"),
	             json_path(canonical, "seed"), "protocol.canonical says");
}
