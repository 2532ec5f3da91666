/* SPDX-License-Identifier: Apache-2.0 */
#include "record/seal.h"

#include <string.h>

#include "base/json.h"
#include "record/redact.h"
#include "record/result.h"

const char *const record_sections[] = { "harness", "who", "protocol", "run", "executor",
	                                "instruments", NULL };

void record_section_digest(const record_result *r, const char *section, char hex[65])
{
	const layout_field *field = layout_find(record_result_layout(), section);
	bool salted = strcmp(section, "who") == 0 || strcmp(section, "executor") == 0;
	record_result copy;

	if (!salted || r->salts.items == NULL) {
		layout_member_digest(field, r, hex);
		return;
	}
	layout_init(record_result_layout(), &copy);
	layout_copy(field->inner(), (const char *)r + field->offset, (char *)&copy + field->offset);
	redact_commit(&copy, &r->salts);
	layout_member_digest(field, &copy, hex);
	layout_clear(record_result_layout(), &copy);
}

void record_digest(enum record_completeness status, const record_digests *digests, char hex[65])
{
	cJSON *sealed = cJSON_CreateObject();

	json_add_string(sealed, "format", record_format_word(RECORD_FORMAT_RESULT));
	json_add_uint(sealed, "format_version", RESULT_FORMAT_VERSION);
	json_add_string(sealed, "status", record_completeness_word(status));
	json_set(sealed, "digests", layout_encode(record_digests_layout(), digests));
	json_digest(sealed, hex);
	cJSON_Delete(sealed);
}

char **record_digest_of(record_digests *digests, const char *section)
{
	return (char **)(void *)((char *)digests +
	                         layout_find(record_digests_layout(), section)->offset);
}
