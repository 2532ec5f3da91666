/* SPDX-License-Identifier: Apache-2.0 */
/* Texts that may be taken out of a record without breaking its digests: who measured, and what
 * identifies a machine.  Each enters its section's digest as a commitment, the SHA-256 of a salt of
 * its own and the text; a redacted record has the commitment in the text's place. */
#ifndef RECORD_REDACT_H
#define RECORD_REDACT_H

#include <cjson/cJSON.h>
#include <stdbool.h>

#include "base/error.h"
#include "base/layout.h"
#include "base/text.h"

#define REDACT_MARK "redacted:sha256:"

/* Makes the salts of a record's tree, for the texts of who and executor that may be redacted, from
 * the run's secret, so that building the record again gives the same.  Puts them into the tree and
 * into *out, which is present even when it is empty. */
void redact_salt(cJSON *record, const char *secret, text_map *out);

/* A copy of the section with every salted text replaced by its commitment; NULL when the record has
 * no salt for this section.  cJSON_Delete it. */
cJSON *redact_committed(const cJSON *record, const char *section);

/* Appends to `out` the result's text (`body`) with the member's text ("executor.device.uuid")
 * replaced by its commitment, and without its salt; other sections keep their bytes.  EH_E_USAGE
 * when it may not be redacted, is absent, or has no salt.  `name` stands for the text in messages. */
eh_status redact_text(const char *body, size_t size, const char *name, const char *member,
                      text *out, eh_error *error);
/* Appends the paths of the members that are redacted in this record. */
void redact_list(const cJSON *record, text_list *out);
/* The first salt that is malformed or belongs to no text of the record; NULL when there is none. */
const char *redact_bad_salt(const cJSON *record);

#endif
