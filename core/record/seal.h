/* SPDX-License-Identifier: Apache-2.0 */
/* The digests of a record. */
#ifndef RECORD_SEAL_H
#define RECORD_SEAL_H

#include <cjson/cJSON.h>

#include "record/record.h"

/* The sections that have a digest of their own, in the order of the file, NULL-terminated. */
extern const char *const record_sections[];
/* The digest of a section of a record's tree: of its canonical form, in which each text that has a
 * salt in the record's `salts` is replaced by its commitment (record/redact.h). */
void record_section_digest(const cJSON *root, const char *section, char hex[65]);
/* The file's digest: over {digests, format, format_version, status}. */
void record_digest(enum record_completeness status, const record_digests *digests, char hex[65]);
/* The digest of a section as `digests` states it; where to set it. */
char **record_digest_of(record_digests *digests, const char *section);

/* malloc'd value of the key in the [protocol] section of a protocol's text, NULL without one. */
char *protocol_text_value(const char *body, const char *key);

#endif
