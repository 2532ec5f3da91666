/* SPDX-License-Identifier: Apache-2.0 */
#include "base/json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

#define EXACT_MAX 9007199254740992.0 /* 2^53 */

/* ---- building -------------------------------------------------------------------------------- */

static cJSON *put(cJSON *object, const char *key, cJSON *item)
{
	memory_insist(item);
	if (!cJSON_AddItemToObject(object, key, item))
		memory_insist(NULL);
	return item;
}

static cJSON *new_string(const char *value)
{
	char *clean = json_clean(value != NULL ? value : "");
	cJSON *item = memory_insist(cJSON_CreateString(clean));

	free(clean);
	return item;
}

cJSON *json_add_string(cJSON *object, const char *key, const char *value)
{
	return put(object, key, new_string(value));
}

cJSON *json_add_bool(cJSON *object, const char *key, bool value)
{
	return put(object, key, cJSON_CreateBool(value));
}

cJSON *json_add_double(cJSON *object, const char *key, double value)
{
	if (!isfinite(value)) {
		fprintf(stderr, "evenhand: error: the number '%s' is not finite; this is a bug\n", key);
		abort();
	}
	return put(object, key, cJSON_CreateNumber(value));
}

static cJSON *new_uint(uint64_t value)
{
	char digits[24];

	if (value <= (uint64_t)EXACT_MAX)
		return memory_insist(cJSON_CreateNumber((double)value));
	snprintf(digits, sizeof(digits), "%llu", (unsigned long long)value);
	return memory_insist(cJSON_CreateString(digits));
}

cJSON *json_add_uint(cJSON *object, const char *key, uint64_t value)
{
	return put(object, key, new_uint(value));
}

cJSON *json_add_object(cJSON *object, const char *key)
{
	return put(object, key, cJSON_CreateObject());
}

cJSON *json_add_array(cJSON *object, const char *key)
{
	return put(object, key, cJSON_CreateArray());
}

cJSON *json_add_uints(cJSON *object, const char *key, const uint64_t *values, size_t count)
{
	cJSON *array = json_add_array(object, key);

	for (size_t i = 0; i < count; i++)
		cJSON_AddItemToArray(array, new_uint(values[i]));
	return array;
}

cJSON *json_set(cJSON *object, const char *key, cJSON *item)
{
	char *name;

	memory_insist(item);
	if (cJSON_GetObjectItemCaseSensitive(object, key) == NULL)
		return put(object, key, item);
	/* The key may point to the name of the replaced member, which is freed. */
	name = memory_text(key);
	if (!cJSON_ReplaceItemInObjectCaseSensitive(object, name, item))
		memory_insist(NULL);
	free(name);
	return item;
}

cJSON *json_append_string(cJSON *array, const char *value)
{
	cJSON *item = new_string(value);

	cJSON_AddItemToArray(array, item);
	return item;
}

cJSON *json_copy(const cJSON *item)
{
	return memory_insist(cJSON_Duplicate(item, true));
}

/* ---- reading --------------------------------------------------------------------------------- */

/* The member whose name is the first `size` bytes of key. */
static const cJSON *member_named(const cJSON *object, const char *key, size_t size)
{
	const cJSON *item;

	if (object == NULL || (object->type & 0xff) != cJSON_Object)
		return NULL;
	/* The first byte is compared first: most names differ in it. */
	for (item = object->child; item != NULL; item = item->next)
		if (item->string[0] == key[0] && strncmp(item->string, key, size) == 0 &&
		    item->string[size] == '\0')
			return item;
	return NULL;
}

static const cJSON *member_of(const cJSON *object, const char *key)
{
	return member_named(object, key, strlen(key));
}

const char *json_string(const cJSON *object, const char *key, const char *fallback)
{
	const cJSON *item = member_of(object, key);

	return cJSON_IsString(item) ? item->valuestring : fallback;
}

bool json_as_uint(const cJSON *item, uint64_t *out)
{
	if (cJSON_IsString(item))
		return text_parse_uint(item->valuestring, out);
	if (!cJSON_IsNumber(item) || !(item->valuedouble >= 0) || item->valuedouble > EXACT_MAX)
		return false;
	*out = (uint64_t)item->valuedouble;
	return (double)*out >= item->valuedouble;
}

bool json_uint(const cJSON *object, const char *key, uint64_t *out)
{
	return json_as_uint(member_of(object, key), out);
}

bool json_double(const cJSON *object, const char *key, double *out)
{
	const cJSON *item = member_of(object, key);

	if (!cJSON_IsNumber(item) || !isfinite(item->valuedouble))
		return false;
	*out = item->valuedouble;
	return true;
}

bool json_bool(const cJSON *object, const char *key, bool fallback)
{
	const cJSON *item = member_of(object, key);

	return cJSON_IsBool(item) ? cJSON_IsTrue(item) : fallback;
}

uint64_t *json_uints(const cJSON *object, const char *key, size_t *count)
{
	const cJSON *array = member_of(object, key);
	const cJSON *item;
	uint64_t *values;
	size_t n = 0;

	*count = 0;
	if (!cJSON_IsArray(array))
		return NULL;
	values = memory_get((size_t)cJSON_GetArraySize(array) * sizeof(*values));
	cJSON_ArrayForEach(item, array) {
		if (!json_as_uint(item, &values[n++])) {
			free(values);
			return NULL;
		}
	}
	*count = n;
	return values;
}

const cJSON *json_path(const cJSON *root, const char *path)
{
	while (root != NULL && *path != '\0') {
		size_t size = strcspn(path, ".");

		root = member_named(root, path, size);
		path += size + (path[size] == '.');
	}
	return root;
}

/* Of two values of the same type. */
static bool same_children(const cJSON *a, const cJSON *b)
{
	size_t left, right, i;
	const cJSON **x = json_sorted(a, &left), **y = json_sorted(b, &right);
	bool same = left == right;

	for (i = 0; same && i < left; i++)
		same = (!cJSON_IsObject(a) || strcmp(x[i]->string, y[i]->string) == 0) &&
		       json_same(x[i], y[i]);
	free(x);
	free(y);
	return same;
}

bool json_same(const cJSON *a, const cJSON *b)
{
	if (a == NULL || b == NULL)
		return a == b;
	if ((a->type & 0xff) != (b->type & 0xff))
		return false;
	if (cJSON_IsString(a))
		return strcmp(a->valuestring, b->valuestring) == 0;
	/* Not ==, for which compilers warn. */
	if (cJSON_IsNumber(a))
		return !(a->valuedouble < b->valuedouble) && !(a->valuedouble > b->valuedouble);
	return same_children(a, b);
}
