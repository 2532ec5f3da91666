/* SPDX-License-Identifier: Apache-2.0 */
/* The keys of a protocol: name, type, range, default and meaning of each, in tables that the
 * reader, the canonical form, `protocol show` and the documentation's test share. */
#ifndef PROTOCOL_SCHEMA_H
#define PROTOCOL_SCHEMA_H

#include "protocol/protocol.h"

/* The most executions that a protocol, or an option of `run`, may ask for. */
enum { SCHEMA_EXECUTIONS_MOST = 100 };

enum schema_type {
	SCHEMA_WORD,      /* [a-z][a-z0-9-]*                                                   */
	SCHEMA_TEXT,      /* one line of UTF-8                                                 */
	SCHEMA_NAMES,     /* comma list of name@version                                        */
	SCHEMA_UINT,
	SCHEMA_TIME,      /* "20ms", kept in ns                                                */
	SCHEMA_RATIO,     /* "1%" or "0.01"                                                    */
	SCHEMA_YES_NO,
	SCHEMA_CHOICE     /* one of `words`; kept as its position                              */
};

typedef struct schema_key {
	const char *key;
	const char *member;       /* of the canonical form                                     */
	enum schema_type type;
	size_t offset;            /* into protocol or protocol_measure                         */
	const char *standard;     /* default as it would be written; NULL = required           */
	double low, high;         /* UINT, TIME in ns, RATIO: allowed range                    */
	const char *words;        /* CHOICE: "a|b"                                             */
	bool appended;            /* came after protocols were released: left out of the
	                             canonical form at its default, so that their digests stay */
} schema_key;

extern const schema_key schema_protocol[];  /* both end with key NULL */
extern const schema_key schema_measure[];

const schema_key *schema_find(const schema_key *keys, const char *key);

/* Sets the field of *object that the key describes.  Errors: "SOURCE:LINE: KEY ...". */
eh_status schema_set(const schema_key *key, const char *value, void *object, const char *source,
                     int line, eh_error *error);
/* Every default that there is. */
void schema_set_standards(const schema_key *keys, void *object);
/* True when the field has the key's default. */
bool schema_is_standard(const schema_key *key, const void *object);
/* The field as it would be written in a protocol; malloc'd. */
char *schema_text(const schema_key *key, const void *object);
/* Adds the field to a JSON object under the key's member name. */
void schema_json(const schema_key *key, const void *object, cJSON *json);

/* Splits "a, b" into malloc'd trimmed words, NULL-terminated; NULL when one is empty.  Free
 * with schema_words_free. */
char **schema_words(const char *list, char separator);
void schema_words_free(char **words);

#endif
