/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading JSON (RFC 8259) value by value, straight from a text.  This is the one place that says
 * what is accepted; layout_read (base/layout.h) fills structs with it.
 *
 * It is own code because cJSON's trees are too slow for results.  `make bench BENCH="verify"`, two
 * results of 10,000 cases of 100 samples (92 MB each) on 2 processors, took 3.25 s and 422 MB with a
 * tree of each row, and takes 1.6 s and 270 MB without trees.  The bound is 2 s.
 *
 * Refused: bytes that are not UTF-8, U+0000, more than 64 levels, numbers beyond a double or of more
 * than 60 characters.  Functions return EH_E_FORMAT with "NAME:LINE:COLUMN: SENTENCE"; the scan is
 * then of no more use.
 */
#ifndef BASE_JSON_SCAN_H
#define BASE_JSON_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "base/error.h"

/* The bytes [start, end) of a text. */
typedef struct json_span { size_t start, end; } json_span;

/* A byte of a text, with its line and column for messages. */
typedef struct json_place { const char *at; size_t line, column; } json_place;

typedef struct json_scan {
	json_place from;       /* lines are counted from here, for messages: the text's start    */
	const char *at, *end;  /* the part not read yet                                          */
	json_place behind;     /* where something was cut out: behind it lines are counted from here;
	                        * at NULL = nothing was                                          */
	size_t memory;         /* the most that the values may take; 0 = any                     */
	const char *name;      /* of the file or source                                          */
	int level;             /* the number of open brackets                                    */
	eh_error *error;
} json_scan;

/* A string as it is written.  The bytes belong to the text, with a quote before and after them. */
typedef struct json_quoted { const char *bytes; size_t size; bool escaped; } json_quoted;

/* Starts with a part of a text, which stands at nesting depth `level`.  The text needs no NUL at
 * its end.  Text, name and error are borrowed; with error NULL no message is made. */
json_scan json_scan_of(const char *text, json_span part, int level, const char *name,
                       eh_error *error);
/* Moves the place forward.  Each message counts the lines from `from` on: a caller that expects many
 * messages about one text moves `from` near them. */
void json_place_move(json_place *place, const char *to);
/* The first byte of the next value, which tells its type; '\0' at the end. */
char json_scan_peek(json_scan *s);
/* Whether a value with that first byte is a number. */
static inline bool json_starts_number(char c) { return c == '-' || (c >= '0' && c <= '9'); }

/* Arrays and objects: enter at the opening bracket, then read elements while *more is true, with
 * json_scan_more after each; `closing` is the bracket that ends them. */
eh_status json_scan_enter(json_scan *s, bool *more);
eh_status json_scan_more(json_scan *s, char closing, bool *more);
/* A member's name and its colon. */
eh_status json_scan_name(json_scan *s, json_quoted *out);

/* The next value must be of that type. */
eh_status json_scan_string(json_scan *s, json_quoted *out);
eh_status json_scan_number(json_scan *s, double *out);
eh_status json_scan_bool(json_scan *s, bool *out);
/* Passes over one value of any type and checks it.  Does not check for doubled names. */
eh_status json_scan_skip(json_scan *s);
/* Moves to the value of the first member of that name, if the next value is an object that has one;
 * else passes over the value.  A name with escapes is not found.  What follows is not checked. */
eh_status json_scan_find(json_scan *s, const char *key, bool *found);
/* Only white space may follow. */
eh_status json_scan_end(json_scan *s);

/* Whether it is written as that text, which needs no escapes. */
bool json_quoted_is(json_quoted string, const char *plain);
/* malloc'd: the string's meaning. */
char *json_quoted_text(json_quoted string);

/* Takes a member's name, without its colon, if it is written as that key. */
static inline bool json_scan_takes_key(json_scan *s, const char *key, size_t size)
{
	if ((size_t)(s->end - s->at) < size + 2 || s->at[0] != '"' || s->at[size + 1] != '"' ||
	    memcmp(s->at + 1, key, size) != 0)
		return false;
	s->at += size + 2;
	return true;
}
/* The colon after such a name. */
eh_status json_scan_colon(json_scan *s);

#endif
