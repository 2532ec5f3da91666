/* SPDX-License-Identifier: Apache-2.0 */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_arena.h"
#include "base/text.h"

enum { FIRST_CHUNK = 1 << 16, ALIGNMENT = 8 };

typedef struct chunk {
	struct chunk *before;
	size_t room;
	char *data;
} chunk;

struct json_arena {
	char *at;    /* what is free of the last chunk */
	size_t left;
	chunk *last; /* the largest */
};

json_arena *json_arena_new(void)
{
	return memory_get(sizeof(json_arena));
}

static void drop_chunks(chunk *c)
{
	while (c != NULL) {
		chunk *before = c->before;

		free(c->data);
		free(c);
		c = before;
	}
}

static void add_chunk(json_arena *a, size_t size)
{
	chunk *c = memory_get(sizeof(*c));

	c->room = a->last != NULL ? a->last->room * 2 : FIRST_CHUNK;
	if (c->room < size)
		c->room = size;
	c->data = memory_grow(NULL, c->room);
	c->before = a->last;
	a->last = c;
	a->at = c->data;
	a->left = c->room;
}

void *json_arena_raw(json_arena *a, size_t size)
{
	char *p;

	size = (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
	if (a->left < size)
		add_chunk(a, size);
	p = a->at;
	a->at += size;
	a->left -= size;
	return p;
}

void *json_arena_get(json_arena *a, size_t size)
{
	return memset(json_arena_raw(a, size), 0, size);
}

void json_arena_reset(json_arena *a)
{
	if (a->last == NULL)
		return;
	drop_chunks(a->last->before);
	a->last->before = NULL;
	a->at = a->last->data;
	a->left = a->last->room;
}

void json_arena_free(json_arena *a)
{
	if (a == NULL)
		return;
	drop_chunks(a->last);
	free(a);
}

/* ---- building -------------------------------------------------------------------------------- */

static cJSON *new_item(json_arena *a, int type)
{
	cJSON *item = json_arena_raw(a, sizeof(*item));

	*item = (cJSON){ .type = type };
	return item;
}

/* cJSON keeps the last child in the first one's prev. */
static cJSON *link_item(cJSON *parent, const char *key, cJSON *item)
{
	/* A const key is never written to nor freed, which cJSON's type cannot say. */
	item->string = (char *)key;
	if (parent->child == NULL) {
		parent->child = item->prev = item;
		return item;
	}
	item->prev = parent->child->prev;
	item->prev->next = item;
	parent->child->prev = item;
	return item;
}

cJSON *json_arena_object(json_arena *a)
{
	return new_item(a, cJSON_Object);
}

cJSON *json_arena_add(json_arena *a, cJSON *parent, const char *key, int type)
{
	return link_item(parent, key, new_item(a, type));
}

cJSON *json_arena_add_string(json_arena *a, cJSON *parent, const char *key, const char *value)
{
	cJSON *item = json_arena_add(a, parent, key, cJSON_String);

	item->valuestring = (char *)value;
	return item;
}

cJSON *json_arena_add_double(json_arena *a, cJSON *parent, const char *key, double value)
{
	cJSON *item = json_arena_add(a, parent, key, cJSON_Number);

	if (!isfinite(value)) {
		fprintf(stderr, "evenhand: error: the number '%s' is not finite; this is a bug\n",
		        key != NULL ? key : "");
		abort();
	}
	item->valuedouble = value;
	item->valueint = value >= INT_MAX ? INT_MAX : value <= INT_MIN ? INT_MIN : (int)value;
	return item;
}

cJSON *json_arena_add_uint(json_arena *a, cJSON *parent, const char *key, uint64_t value)
{
	enum { DIGITS = 24 };
	char *digits;

	if (value <= UINT64_C(1) << 53)
		return json_arena_add_double(a, parent, key, (double)value);
	digits = json_arena_raw(a, DIGITS);
	snprintf(digits, DIGITS, "%llu", (unsigned long long)value);
	return json_arena_add_string(a, parent, key, digits);
}

static char *copy_text(json_arena *a, const char *s)
{
	size_t size = strlen(s) + 1;

	return memcpy(json_arena_raw(a, size), s, size);
}

static void add_copy(json_arena *a, cJSON *parent, const cJSON *item)
{
	cJSON *copy = new_item(a, item->type & 0xff);
	const cJSON *child;

	copy->valuedouble = item->valuedouble;
	copy->valueint = item->valueint;
	if (item->valuestring != NULL)
		copy->valuestring = copy_text(a, item->valuestring);
	cJSON_ArrayForEach(child, item)
		add_copy(a, copy, child);
	link_item(parent, item->string != NULL ? copy_text(a, item->string) : NULL, copy);
}

void json_arena_add_members(json_arena *a, cJSON *parent, const cJSON *object)
{
	const cJSON *item;

	cJSON_ArrayForEach(item, object)
		add_copy(a, parent, item);
}

eh_status json_parse_part(json_arena *arena, const char *given, json_span part, int level,
                          const char *name, cJSON **out, eh_error *error)
{
	cJSON *item = NULL;
	cJSON *holder = json_arena_object(arena);
	eh_status status = json_parse_at(given, part, level, name, &item, error);

	if (status != EH_OK)
		return status;
	add_copy(arena, holder, item);
	cJSON_Delete(item);
	*out = holder->child;
	return EH_OK;
}
