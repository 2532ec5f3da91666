/* SPDX-License-Identifier: Apache-2.0 */
/* Texts that may be removed from a record without breaking its digests: who measured, and facts
 * that identify a machine: paths, names, identifiers.  A section's digest contains a commitment instead of such a text: the
 * SHA-256 of the text's own salt and the text.  A redacted record has the commitment in place of
 * the text. */
#ifndef RECORD_REDACT_H
#define RECORD_REDACT_H

#include <stdbool.h>

#include "base/error.h"
#include "base/source.h"
#include "base/text.h"
#include "record/reach.h"
#include "record/record.h"

#define REDACT_MARK "redacted:sha256:"
/* Whether the text is the mark of a redacted one. */
bool redact_is_mark(const char *value);

/* The texts that may be redacted, for people; visit_record() in redact.c finds them. */
#define REDACT_MEMBERS \
	"who.tester, who.sponsor, executor.device.uuid, executor.device.pci, harness.build_flags " \
	"that has a path, and of executor.layers[N] path, owner, the name of a file of settings, and " \
	"fields.NAME.value of an identifier (uuid, serial, pci, host name, ...), of a setting (NAME is " \
	"`value` in the kind configuration, `settings` in the kind harness), of tester, sponsor, " \
	"location, price and notes of the site, and of any text with a path from the root"

/* Makes record->salts, for the texts that may be redacted, from the run's secret and the executor's name in the
 * run, so that building the record again gives the same, and the result of another executor has others: its
 * salts would tell what was redacted in this one.  They are present even when there are none. */
void redact_salt(record_result *r, const char *secret, const char *executor);

/* Replaces every text that has a salt by its commitment. */
void redact_commit(record_result *r, const text_map *salts);

/* What one redaction takes out of a result.  All zeros is empty. */
typedef struct redact_choice {
	text_list members; /* the one that was asked for first                                 */
	reach reach;       /* the text that they hold; nothing when it is too short            */
} redact_choice;

/* Chooses the member ("executor.device.uuid") and every other that may be redacted and holds its text;
 * with member NULL those that hold `words`, if any.  EH_E_USAGE when the member may not be redacted, is
 * absent, or has no salt, or the words are too short.  The rows are not read: they must have been before.  `name`
 * stands for the text in messages.  *out needs redact_choice_clear in any case. */
eh_status redact_choose(const char *body, size_t size, const char *name, const char *member,
                        const char *words, redact_choice *out, eh_error *error);
void redact_choice_clear(redact_choice *r);

/* Appends to `out` the result's text (`body`) with the texts of the members replaced by their
 * commitments, and without their salts; other sections keep their bytes.  EH_E_USAGE when one of
 * them is absent or has no salt. */
eh_status redact_text(const char *body, size_t size, const char *name, const text_list *members,
                      text *out, eh_error *error);
/* The SHA-256 of the text that redact_text would give, with little of the result in memory. */
eh_status redact_digest(const source_bytes *from, const text_list *members, char hex[65], eh_error *error);
/* Appends the paths of the members that are redacted in this record. */
void redact_list(record_result *r, text_list *out);
/* The first salt that is malformed or belongs to no text of the record; NULL when there is none. */
const char *redact_bad_salt(record_result *r);

#endif
