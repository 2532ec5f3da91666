/* SPDX-License-Identifier: Apache-2.0 */
/* JSON as trees by cJSON, for tests that edit records: a text is checked and read, edited, and
 * written, also in its canonical form, which is made from the tree here and from structs in
 * core/base/layout_encode.c. */
#ifndef TEST_JSON_TREE_H
#define TEST_JSON_TREE_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/digest.h"
#include "base/files.h"
#include "base/json.h"
#include "base/json_scan.h"
#include "base/layout.h"

/* ---- reading --------------------------------------------------------------------------------- */

static inline eh_status json_parse(const char *body, size_t size, const char *name, cJSON **out,
                                   eh_error *error)
{
	json_scan s = json_scan_of(body, (json_span){ 0, size }, 0, name, error);
	eh_status status = json_scan_skip(&s);

	if (status == EH_OK)
		status = json_scan_end(&s);
	if (status == EH_OK)
		*out = memory_insist(cJSON_ParseWithLength(body, size));
	return status;
}

static inline eh_status json_read(const char *path, cJSON **out, eh_error *error)
{
	char *data;
	size_t size;
	eh_status status = file_read(path, &data, &size, error);

	if (status != EH_OK)
		return status;
	status = json_parse(data, size, path, out, error);
	free(data);
	return status;
}

/* Walks "a.b.c"; NULL when any step is missing. */
static inline const cJSON *json_path(const cJSON *root, const char *path)
{
	while (root != NULL && *path != '\0') {
		size_t size = strcspn(path, ".");
		const cJSON *child = cJSON_IsObject(root) ? root->child : NULL;

		while (child != NULL && (strncmp(child->string, path, size) != 0 ||
		                         child->string[size] != '\0'))
			child = child->next;
		root = child;
		path += size + (path[size] == '.');
	}
	return root;
}

/* A member's value; the fallback or false when it is missing or of another type. */
static inline const char *json_string(const cJSON *object, const char *key, const char *fallback)
{
	const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);

	return cJSON_IsString(item) ? item->valuestring : fallback;
}

static inline bool json_double(const cJSON *object, const char *key, double *out)
{
	const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);

	if (cJSON_IsNumber(item))
		*out = item->valuedouble;
	return cJSON_IsNumber(item);
}

static inline bool json_uint(const cJSON *object, const char *key, uint64_t *out)
{
	double value = -1;

	if (!json_double(object, key, &value) || value < 0 || value > 0x1p53)
		return false;
	*out = (uint64_t)value;
	return true;
}

/* ---- editing --------------------------------------------------------------------------------- */

/* Sets a member, replacing one of that name; takes ownership of item. */
static inline cJSON *json_set(cJSON *object, const char *key, cJSON *item)
{
	/* The key may point to the name of the replaced member, which is freed. */
	char *name = memory_text(key);

	memory_insist(item);
	if (cJSON_GetObjectItemCaseSensitive(object, key) == NULL)
		(void)cJSON_AddItemToObject(object, key, item);
	else
		(void)cJSON_ReplaceItemInObjectCaseSensitive(object, name, item);
	free(name);
	return item;
}

/* Add a member, or an element, and return it. */
static inline cJSON *json_add_string(cJSON *object, const char *key, const char *value)
{
	return cJSON_AddStringToObject(object, key, value);
}

static inline cJSON *json_add_uint(cJSON *object, const char *key, uint64_t value)
{
	return cJSON_AddNumberToObject(object, key, (double)value);
}

static inline cJSON *json_add_object(cJSON *object, const char *key)
{
	return cJSON_AddObjectToObject(object, key);
}

static inline cJSON *json_add_array(cJSON *object, const char *key)
{
	return cJSON_AddArrayToObject(object, key);
}

static inline cJSON *json_add_uints(cJSON *object, const char *key, const uint64_t *values,
                                    size_t count)
{
	cJSON *array = json_add_array(object, key);

	for (size_t i = 0; i < count; i++)
		cJSON_AddItemToArray(array, cJSON_CreateNumber((double)values[i]));
	return array;
}

static inline cJSON *json_append_string(cJSON *array, const char *value)
{
	cJSON *item = cJSON_CreateString(value);

	cJSON_AddItemToArray(array, item);
	return item;
}

static inline cJSON *json_copy(const cJSON *item)
{
	return memory_insist(cJSON_Duplicate(item, true));
}

/* ---- writing --------------------------------------------------------------------------------- */

static inline int json_by_name(const void *a, const void *b)
{
	return json_name_order((*(const cJSON *const *)a)->string, (*(const cJSON *const *)b)->string);
}

/* Appends the tree; canonical: with its members in order. */
static inline void json_put(text *t, const cJSON *item, bool canonical)
{
	bool object = cJSON_IsObject(item), array = cJSON_IsArray(item);
	size_t count = object || array ? (size_t)cJSON_GetArraySize(item) : 0, n = 0;
	const cJSON **children = memory_get((count + 1) * sizeof(*children));
	const cJSON *child;

	cJSON_ArrayForEach(child, item)
		children[n++] = child;
	if (object && canonical && n > 1)
		qsort(children, n, sizeof(*children), json_by_name);
	if (object || array)
		text_add(t, object ? "{" : "[");
	for (size_t i = 0; i < n; i++) {
		text_add(t, i > 0 ? "," : "");
		if (object) {
			json_put_string(t, children[i]->string);
			text_add(t, ":");
		}
		json_put(t, children[i], canonical);
	}
	if (object || array)
		text_add(t, object ? "}" : "]");
	else if (cJSON_IsNumber(item))
		json_put_number(t, item->valuedouble);
	else if (cJSON_IsString(item))
		json_put_string(t, item->valuestring);
	else
		text_add(t, cJSON_IsNull(item) ? "null" : cJSON_IsTrue(item) ? "true" : "false");
	free(children);
}

/* malloc'd: one line, or indented with tabs. */
static inline char *json_text(const cJSON *item, bool pretty)
{
	text t = { 0 };
	char *body;

	json_put(&t, item, false);
	if (!pretty)
		return t.data;
	body = json_indent(t.data);
	text_free(&t);
	return body;
}

/* malloc'd: canonical, RFC 8785. */
static inline char *json_canonical(const cJSON *item)
{
	text t = { 0 };

	json_put(&t, item, true);
	return t.data;
}

/* Whether both have the same. */
static inline bool json_same(const cJSON *a, const cJSON *b)
{
	char *x = json_canonical(a), *y = json_canonical(b);
	bool same = strcmp(x, y) == 0;

	free(x);
	free(y);
	return same;
}

static inline void json_digest(const cJSON *item, char hex[65])
{
	char *body = json_canonical(item);

	digest_bytes(body, strlen(body), hex);
	free(body);
}

/* ---- structs --------------------------------------------------------------------------------- */

/* Fills an initialised struct from a tree. */
static inline eh_status tree_decode(const layout *l, const cJSON *tree, void *out, eh_error *error)
{
	char *body = json_text(tree, false);
	eh_status status = layout_read(l, body, strlen(body), "tree", out, error);

	free(body);
	return status;
}

static inline cJSON *tree_encode(const layout *l, const void *object)
{
	char *body = layout_text(l, object, false);
	cJSON *tree = memory_insist(cJSON_Parse(body));

	free(body);
	return tree;
}

/* NULL when the member is absent. */
static inline cJSON *tree_encode_member(const layout_field *field, const void *object)
{
	char *body = layout_member_json(field, object);
	cJSON *tree = body != NULL ? memory_insist(cJSON_Parse(body)) : NULL;

	free(body);
	return tree;
}

#endif
