/* SPDX-License-Identifier: Apache-2.0 */
/* The digests of a record. */
#ifndef RECORD_SEAL_H
#define RECORD_SEAL_H

#include "record/record.h"

/* The sections that have their own digests, in the order of the file; NULL-terminated. */
extern const char *const record_sections[];
/* The digest of a section: that of its canonical form, with each text that has a salt replaced by its
 * commitment (record/redact.h). */
void record_section_digest(const record_result *r, const char *section, char hex[65]);
/* The file's digest: that of {digests, format, format_version, status}. */
void record_digest(enum record_completeness status, const record_digests *digests, char hex[65]);
/* The member of `digests` for a section, to be read or set. */
char **record_digest_of(record_digests *digests, const char *section);

/* malloc'd value of the key in the [protocol] section of a protocol's text, NULL without one. */
char *protocol_text_value(const char *body, const char *key);

#endif
