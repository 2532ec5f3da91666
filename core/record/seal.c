/* SPDX-License-Identifier: Apache-2.0 */
#include "record/seal.h"

#include <string.h>

#include "base/digest.h"
#include "base/text.h"
#include "record/redact.h"
#include "record/result.h"

const char *const record_sections[] = { "harness", "who", "protocol", "run", "executor",
	                                "instruments", NULL };

void record_section_digest(const record_result *r, const char *section, char hex[65])
{
	const layout_field *field = layout_find(record_result_layout(), section);
	bool salted = strcmp(section, "who") == 0 || strcmp(section, "executor") == 0 ||
	              strcmp(section, "harness") == 0;
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
	text sealed = { 0 };

	text_add(&sealed, "{\"digests\":");
	layout_put_canonical(record_digests_layout(), digests, NULL, &sealed);
	text_add(&sealed, ",\"format\":\"%s\",\"format_version\":%d,\"status\":\"%s\"}",
	         record_format_word(RECORD_FORMAT_RESULT), RESULT_FORMAT_VERSION,
	         record_completeness_word(status));
	digest_bytes(sealed.data, sealed.size, hex);
	text_free(&sealed);
}

char **record_digest_of(record_digests *digests, const char *section)
{
	return (char **)(void *)((char *)digests +
	                         layout_find(record_digests_layout(), section)->offset);
}
