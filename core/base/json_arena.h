/* SPDX-License-Identifier: Apache-2.0 */
/* Trees in memory that is freed together. */
#ifndef BASE_JSON_ARENA_H
#define BASE_JSON_ARENA_H

#include "base/json.h"

/* Trees that are only read.  Not for cJSON_Delete, nor for
 * adding to.  One thread at a time. */
typedef struct json_arena json_arena;
json_arena *json_arena_new(void);
void *json_arena_get(json_arena *a, size_t size); /* zeroed, aligned for a cJSON             */
void *json_arena_raw(json_arena *a, size_t size); /* the same, not zeroed                     */
void json_arena_reset(json_arena *a);             /* everything got is gone; memory is kept  */
void json_arena_free(json_arena *a);              /* NULL is fine                            */

/* As json_parse_at, with the tree in the arena. */
eh_status json_parse_part(json_arena *arena, const char *text, json_span part, int level,
                          const char *name, cJSON **out, eh_error *error);

/* Builders in an arena; adders return the new item.  Keys and texts are borrowed: they outlive the
 * arena's content.  Numbers as of json_add_double and json_add_uint. */
cJSON *json_arena_object(json_arena *a);
/* key NULL: to an array */
cJSON *json_arena_add(json_arena *a, cJSON *parent, const char *key, int type);
cJSON *json_arena_add_string(json_arena *a, cJSON *parent, const char *key, const char *value);
cJSON *json_arena_add_double(json_arena *a, cJSON *parent, const char *key, double value);
cJSON *json_arena_add_uint(json_arena *a, cJSON *parent, const char *key, uint64_t value);
/* Adds copies of the members of an object. */
void json_arena_add_members(json_arena *a, cJSON *parent, const cJSON *object);

#endif
