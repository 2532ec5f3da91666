/* SPDX-License-Identifier: Apache-2.0 */
/* JSON on top of cJSON, with what cJSON leaves open: exact doubles, integers above 2^53,
 * files replaced in one step, a canonical form.  All functions that build abort on exhausted
 * memory (as the whole core does for small allocations). */
#ifndef BASE_JSON_H
#define BASE_JSON_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* Whether the text is one JSON value by RFC 8259 and within cJSON's reach: valid UTF-8, no U+0000,
 * at most 64 levels, numbers that are finite doubles of at most 60 characters, nothing after it. */
eh_status json_check(const char *text, size_t size, const char *name, eh_error *error);

/* Parses `size` bytes; `name` is the file or source for the message (with line and column).
 * Refuses trailing text, duplicate keys and more than 64 levels.  Caller deletes *out. */
eh_status json_parse(const char *text, size_t size, const char *name, cJSON **out, eh_error *error);
eh_status json_read(const char *path, cJSON **out, eh_error *error);

/* Trees that are only read, in memory that is freed together.  Not for cJSON_Delete, nor for
 * adding to.  One thread at a time. */
typedef struct json_arena json_arena;
json_arena *json_arena_new(void);
void *json_arena_get(json_arena *a, size_t size); /* zeroed, aligned for a cJSON             */
void *json_arena_raw(json_arena *a, size_t size); /* the same, not zeroed                     */
void json_arena_reset(json_arena *a);             /* everything got is gone; memory is kept  */
void json_arena_free(json_arena *a);              /* NULL is fine                            */

/* The bytes [start, end) of a text. */
typedef struct json_span { size_t start, end; } json_span;
/* As json_parse, of one value within `text` that lies `level` levels deep; messages count lines
 * from the beginning of the text.  The tree is in the arena. */
eh_status json_parse_part(json_arena *arena, const char *text, json_span part, int level,
                          const char *name, cJSON **out, eh_error *error);

/* Builders in an arena; adders return the new item.  Keys and texts are borrowed: they outlive the
 * arena's content.  Numbers as of json_add_double and json_add_uint. */
cJSON *json_arena_object(json_arena *a);
cJSON *json_arena_add(json_arena *a, cJSON *parent, const char *key, int type); /* key NULL: to an
                                                                                   array          */
cJSON *json_arena_add_string(json_arena *a, cJSON *parent, const char *key, const char *value);
cJSON *json_arena_add_double(json_arena *a, cJSON *parent, const char *key, double value);
cJSON *json_arena_add_uint(json_arena *a, cJSON *parent, const char *key, uint64_t value);
/* Adds copies of the members of an object. */
void json_arena_add_members(json_arena *a, cJSON *parent, const cJSON *object);

/* Adders return the new item.  Bytes that are not UTF-8 become U+FFFD; a NULL text becomes "". */
cJSON *json_add_string(cJSON *object, const char *key, const char *value);
cJSON *json_add_bool(cJSON *object, const char *key, bool value);
/* 17 significant digits, so that reading gives the same double; `value` must be finite. */
cJSON *json_add_double(cJSON *object, const char *key, double value);
/* A number up to 2^53, a string of digits above. */
cJSON *json_add_uint(cJSON *object, const char *key, uint64_t value);
cJSON *json_add_object(cJSON *object, const char *key);
cJSON *json_add_array(cJSON *object, const char *key);
cJSON *json_add_uints(cJSON *object, const char *key, const uint64_t *values, size_t count);
/* Takes ownership of item; replaces a member of that name. */
cJSON *json_set(cJSON *object, const char *key, cJSON *item);
cJSON *json_append_string(cJSON *array, const char *value);
cJSON *json_copy(const cJSON *item);

/* Readers; false or the fallback when the member is missing or of another type. */
const char *json_string(const cJSON *object, const char *key, const char *fallback);
bool json_uint(const cJSON *object, const char *key, uint64_t *out);
bool json_as_uint(const cJSON *item, uint64_t *out); /* of the item itself */
bool json_double(const cJSON *object, const char *key, double *out);
bool json_bool(const cJSON *object, const char *key, bool fallback);
/* malloc'd array of an array of integers; *count is 0 and the result NULL if missing. */
uint64_t *json_uints(const cJSON *object, const char *key, size_t *count);
/* Walks "a.b.c"; NULL when any step is missing. */
const cJSON *json_path(const cJSON *root, const char *path);

/* Whether the canonical texts are equal; NULL equals nothing but NULL. */
bool json_same(const cJSON *a, const cJSON *b);

/* malloc'd text: one line, or indented with tabs. */
char *json_text(const cJSON *item, bool pretty);
/* malloc'd canonical text as RFC 8785 defines it: sorted keys, no white space, shortest
 * numbers. */
char *json_canonical(const cJSON *item);
/* SHA-256 of the canonical text. */
void json_digest(const cJSON *item, char hex[65]);

#endif
