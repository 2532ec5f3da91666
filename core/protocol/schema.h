/* SPDX-License-Identifier: Apache-2.0 */
/* The keys of a protocol: name, type, range and default of each.  The reader, `protocol show` and
 * the test of the documentation use these tables. */
#ifndef PROTOCOL_SCHEMA_H
#define PROTOCOL_SCHEMA_H

#include "protocol/protocol.h"

/* Between the values of a parameter for the size classes: small | medium | large. */
#define SCHEMA_SIZES '|'

/* How values are given in what a device has; by enum protocol_scale. */
typedef struct schema_scale {
	const char *behind;       /* the number: 4 x llc                                       */
	uint32_t type;            /* EH_PARAM_* of the parameters that may be given so         */
	uint64_t standard;        /* of a plan that is made for no device                      */
	const char *name;         /* of what a device has, for messages                        */
	const char *option, *key; /* of the run and of the protocol: what to assume            */
} schema_scale;

extern const schema_scale schema_scales[PROTOCOL_SCALES];

/* The most executions that a protocol, or an option of `run`, may ask for. */
enum { SCHEMA_EXECUTIONS_MOST = 100 };
/* The most compute units that it may assume. */
enum { SCHEMA_UNITS_MOST = 65536 };

enum schema_type {
	SCHEMA_WORD,      /* [a-z][a-z0-9-]*                                                   */
	SCHEMA_TEXT,      /* one line of UTF-8                                                 */
	SCHEMA_NAMES,     /* comma list of name@version                                        */
	SCHEMA_UINT,
	SCHEMA_BYTES,     /* "64MiB"                                                           */
	SCHEMA_TIME,      /* "20ms", kept in ns                                                */
	SCHEMA_RATIO,     /* "1%" or "0.01"                                                    */
	SCHEMA_YES_NO,
	SCHEMA_CHOICE     /* one of `words`: an enum                                           */
};

typedef struct schema_key {
	const char *key;
	enum schema_type type;
	size_t offset;            /* into protocol or record_settings                          */
	const char *standard;     /* default as it would be written; NULL = required           */
	double low, high;         /* UINT, TIME in ns, RATIO: allowed range                    */
	const layout_words *(*words)(void); /* CHOICE                                          */
	bool appended;            /* of schema_measure: came after protocols were released, so
	                             it is absent from the canonical form at its default       */
} schema_key;

extern const schema_key schema_protocol[];  /* both end with key NULL */
extern const schema_key schema_measure[];

const schema_key *schema_find(const schema_key *keys, const char *key);

/* Sets the member of *object.  Errors: "SOURCE:LINE: KEY ...". */
eh_status schema_set(const schema_key *key, const char *value, void *object, const char *source,
                     int line, eh_error *error);
/* Sets every key that has a default. */
void schema_set_standards(const schema_key *keys, void *object);
/* Makes members absent that are `appended` and have their default: digests of released protocols
 * stay. */
void schema_omit_standards(record_settings *m);
/* The field as it would be written in a protocol; malloc'd. */
char *schema_text(const schema_key *key, const void *object);

/* Splits "a, b" into malloc'd trimmed words, NULL-terminated; NULL when one is empty.  Free
 * with schema_words_free. */
char **schema_words(const char *list, char separator);
void schema_words_free(char **words);

#endif
