/* SPDX-License-Identifier: Apache-2.0 */
/* JSON by cJSON, with strict reading, exact doubles, integers above 2^53 and a canonical form
 * added.  All functions abort when memory is exhausted. */
#ifndef BASE_JSON_H
#define BASE_JSON_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/json_scan.h"
#include "base/text.h"

/* Parses one JSON value.  EH_E_FORMAT for what base/json_scan.h refuses, doubled names, and text
 * after the value.  Messages begin with "NAME:LINE:COLUMN: "; `name` is the file or source.  The
 * caller deletes *out. */
eh_status json_parse(const char *text, size_t size, const char *name, cJSON **out, eh_error *error);
/* The same for the bytes [start, end) of a text, at nesting depth `level`.  Does not check for
 * doubled names.  Messages count lines and columns from the beginning of the
 * text. */
eh_status json_parse_at(const char *text, json_span part, int level, const char *name, cJSON **out,
                        eh_error *error);
eh_status json_read(const char *path, cJSON **out, eh_error *error);

/* Adders return the new item.  Bytes that are not UTF-8 become U+FFFD; a NULL text becomes "". */
cJSON *json_add_string(cJSON *object, const char *key, const char *value);
cJSON *json_add_bool(cJSON *object, const char *key, bool value);
/* `value` must be finite; it is written so that the same double is read back. */
cJSON *json_add_double(cJSON *object, const char *key, double value);
/* Writes a number up to 2^53, a string of digits above. */
cJSON *json_add_uint(cJSON *object, const char *key, uint64_t value);
cJSON *json_add_object(cJSON *object, const char *key);
cJSON *json_add_array(cJSON *object, const char *key);
cJSON *json_add_uints(cJSON *object, const char *key, const uint64_t *values, size_t count);
/* Sets a member, replacing one of that name; takes ownership of item. */
cJSON *json_set(cJSON *object, const char *key, cJSON *item);
cJSON *json_append_string(cJSON *array, const char *value);
cJSON *json_copy(const cJSON *item);

/* Readers; false or the fallback when the member is missing or of another type. */
const char *json_string(const cJSON *object, const char *key, const char *fallback);
bool json_uint(const cJSON *object, const char *key, uint64_t *out);
bool json_as_uint(const cJSON *item, uint64_t *out); /* the item's own value */
bool json_double(const cJSON *object, const char *key, double *out);
bool json_bool(const cJSON *object, const char *key, bool fallback);
/* malloc'd array of an array of integers; *count is 0 and the result NULL if missing. */
uint64_t *json_uints(const cJSON *object, const char *key, size_t *count);
/* Walks "a.b.c"; NULL when any step is missing. */
const cJSON *json_path(const cJSON *root, const char *path);

/* Whether the canonical texts are equal; NULL equals only NULL. */
bool json_same(const cJSON *a, const cJSON *b);

/* malloc'd text: one line, or indented with tabs. */
char *json_text(const cJSON *item, bool pretty);
/* malloc'd canonical text of RFC 8785: sorted members, no white space, shortest numbers. */
char *json_canonical(const cJSON *item);
/* SHA-256 of the canonical text. */
void json_digest(const cJSON *item, char hex[65]);
/* Append one value as it is in the canonical form.  A number has the fewest digits that read back
 * as the same double, and must be finite; a uint above 2^53 is a string of digits; bytes of a string
 * that are not UTF-8 become U+FFFD. */
void json_put_number(text *t, double value);
void json_put_uint(text *t, uint64_t value);
void json_put_string(text *t, const char *s);
/* malloc'd: with bytes that are not UTF-8 replaced so. */
char *json_clean(const char *s);
/* The order of two members' names in the canonical form: negative, 0 or positive. */
int json_name_order(const char *a, const char *b);
/* malloc'd: the children in the order of the canonical form, members by name. */
const cJSON **json_sorted(const cJSON *item, size_t *count);

#endif
