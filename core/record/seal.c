/* SPDX-License-Identifier: Apache-2.0 */
#include "base/json.h"
#include "record/rowpool.h"
#include "record/redact.h"
#include "record/result.h"

const char *const record_sections[] = { "harness", "who", "protocol", "run", "executor",
	                                "instruments", NULL };

void record_section_digest(const cJSON *record, const char *section, char hex[65])
{
	const cJSON *item = json_path(record, section);
	cJSON *committed = redact_committed(record, section);

	json_digest(committed != NULL ? committed : item, hex);
	cJSON_Delete(committed);
}

void record_digest(const char *status, const cJSON *digests, char hex[65])
{
	cJSON *sealed = cJSON_CreateObject();

	json_add_string(sealed, "format", RESULT_FORMAT);
	json_add_uint(sealed, "format_version", RESULT_FORMAT_VERSION);
	json_add_string(sealed, "status", status);
	cJSON_AddItemReferenceToObject(sealed, "digests", (cJSON *)digests);
	json_digest(sealed, hex);
	cJSON_Delete(sealed);
}
