/* SPDX-License-Identifier: Apache-2.0 */
/* Checking the structure of JSON that somebody else may have written, against tables of members. */
#ifndef RECORD_SHAPE_H
#define RECORD_SHAPE_H

#include <cjson/cJSON.h>
#include <stdbool.h>

#include "base/error.h"

enum shape_kind {
	SHAPE_TEXT,
	SHAPE_WORD,     /* one of `words`                                                        */
	SHAPE_BOOL,
	SHAPE_NUMBER,   /* finite                                                                */
	SHAPE_UINT,     /* an integer of 64 bits: a number up to 2^53, or digits                 */
	SHAPE_INT,      /* an integer of 32 bits                                                 */
	SHAPE_SHA256,   /* 64 lower-case hex digits                                              */
	SHAPE_SHA256_OR_EMPTY,
	SHAPE_TEXTS,    /* array of texts                                                        */
	SHAPE_UINTS,
	SHAPE_NUMBERS,
	SHAPE_TEXT_MAP, /* object whose members are texts                                        */
	SHAPE_TEXTS_MAP,/* object whose members are arrays of texts                              */
	SHAPE_NUMBER_MAP, /* object whose members are finite numbers                             */
	SHAPE_SCALAR_MAP, /* object whose members are text, number or bool                       */
	SHAPE_OBJECT,   /* `inner`                                                               */
	SHAPE_OBJECTS,  /* array of `inner`                                                      */
	SHAPE_MAP,      /* object whose members are `inner`                                      */
	SHAPE_SCALAR    /* text, number or bool                                                  */
};

/* Members of the largest table. */
enum { SHAPE_MEMBERS_MAX = 48 };

/* A closed object: a member that is not in its table is refused.  The table ends with key NULL. */
typedef struct shape {
	const char *key;
	enum shape_kind kind;
	bool optional;
	const struct shape *inner;
	const char *words; /* "a|b|c" */
} shape;

/* EH_E_FORMAT with "NAME: cases[3].executions[0].batch is missing" and the like.  `place` is put
 * before the member's path, "" for the root. */
eh_status shape_check(const cJSON *item, const shape *members, const char *name, const char *place,
                      eh_error *error);

/* The tables of the result record. */
extern const shape shape_result[];
extern const shape shape_case[];
extern const shape shape_execution[];

#endif
