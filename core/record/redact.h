/* SPDX-License-Identifier: Apache-2.0 */
/* Texts that may be removed from a record without breaking its digests: who measured, and facts
 * that identify a machine.  A section's digest contains a commitment instead of such a text: the
 * SHA-256 of the text's own salt and the text.  A redacted record has the commitment in place of
 * the text. */
#ifndef RECORD_REDACT_H
#define RECORD_REDACT_H

#include <stdbool.h>

#include "base/error.h"
#include "base/text.h"
#include "record/record.h"

#define REDACT_MARK "redacted:sha256:"
/* Whether the text is the mark of a redacted one. */
bool redact_is_mark(const char *value);

/* Makes record->salts, for the texts of who and executor that may be redacted, from the run's
 * secret, so that building the record again gives the same.  They are present even when there are
 * none. */
void redact_salt(record_result *r, const char *secret);

/* Replaces every text of who and executor that has a salt by its commitment. */
void redact_commit(record_result *r, const text_map *salts);

/* Appends to `out` the result's text (`body`) with the member's text ("executor.device.uuid")
 * replaced by its commitment, and without its salt; other sections keep their bytes.  EH_E_USAGE
 * when it may not be redacted, is absent, or has no salt.  The rows are not read: they must have been
 * before.  `name` stands for the text in messages. */
eh_status redact_text(const char *body, size_t size, const char *name, const char *member,
                      text *out, eh_error *error);
/* Appends the paths of the members that are redacted in this record. */
void redact_list(record_result *r, text_list *out);
/* The first salt that is malformed or belongs to no text of the record; NULL when there is none. */
const char *redact_bad_salt(record_result *r);

#endif
