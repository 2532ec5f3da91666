/* SPDX-License-Identifier: Apache-2.0 */
/* For tests that compare with tests/golden, and that make variants of a result which carry
 * correct digests. */
#ifndef TEST_GOLDEN_H
#define TEST_GOLDEN_H

#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/files.h"
#include "json_tree.h"
#include "base/text.h"
#include "record/derive.h"
#include "record/result.h"
#include "record/seal.h"

/* malloc'd path of a file of tests/golden; run.sh sets SRC. */
static inline char *golden_path(const char *name)
{
	const char *src = getenv("SRC");

	return memory_format("%s/tests/golden/%s", src != NULL ? src : ".", name);
}

/* malloc'd path of a file in the test's own folder; run.sh sets T. */
static inline char *golden_scratch(const char *name)
{
	const char *folder = getenv("T");

	return memory_format("%s/%s", folder != NULL ? folder : "/tmp", name);
}

static inline char *golden_file(const char *path)
{
	char *data = NULL;
	size_t size;

	return file_read(path, &data, &size, NULL) == EH_OK ? data : NULL;
}

/* The member at "cases/3/derived/median_ns": digits index arrays. */
static inline cJSON *golden_at(cJSON *root, const char *path)
{
	char *copy = memory_text(path);
	char *rest = copy;
	char *step;
	cJSON *item = root;

	while (item != NULL && (step = strsep(&rest, "/")) != NULL)
		item = cJSON_IsArray(item) ? cJSON_GetArrayItem(item, atoi(step)) :
		       cJSON_GetObjectItemCaseSensitive(item, step);
	free(copy);
	return item;
}

/* Replaces the value at path by the JSON text. */
static inline void golden_set(cJSON *root, const char *path, const char *json)
{
	const char *slash = strrchr(path, '/');
	char *parent_path = slash != NULL ? memory_format("%.*s", (int)(slash - path), path) : NULL;
	cJSON *parent = slash != NULL ? golden_at(root, parent_path) : root;
	const char *key = slash != NULL ? slash + 1 : path;

	if (cJSON_IsArray(parent))
		cJSON_ReplaceItemInArray(parent, atoi(key), cJSON_Parse(json));
	else
		(void)json_set(parent, key, cJSON_Parse(json));
	free(parent_path);
}

static inline bool golden_ran(const cJSON *root, uint64_t number)
{
	const cJSON *row, *e;
	uint64_t is;

	cJSON_ArrayForEach(row, json_path(root, "cases"))
		cJSON_ArrayForEach(e, json_path(row, "executions"))
			if (json_uint(e, "execution", &is) && is == number)
				return true;
	return false;
}

/* Takes out of run.order what no case has any more, and adds what is new. */
static inline void golden_reorder(cJSON *root)
{
	enum { MOST = 100 };
	cJSON *order = golden_at(root, "run/order");
	uint64_t last = 0;
	uint64_t position = 0;

	for (int i = cJSON_GetArraySize(order) - 1; i >= 0; i--) {
		uint64_t number = 0;

		(void)json_uint(cJSON_GetArrayItem(order, i), "execution", &number);
		if (!golden_ran(root, number))
			cJSON_DeleteItemFromArray(order, i);
		else if (last == 0) {
			last = number;
			(void)json_uint(cJSON_GetArrayItem(order, i), "position", &position);
		}
	}
	for (uint64_t n = last + 1; cJSON_IsArray(order) && n <= MOST; n++) {
		cJSON *entry;

		if (!golden_ran(root, n))
			continue;
		entry = cJSON_CreateObject();
		json_add_uint(entry, "execution", n);
		json_add_uint(entry, "position", ++position);
		cJSON_AddItemToArray(order, entry);
	}
}

/* Replaces the member of the row by that of the struct, which may be absent. */
static inline void golden_take(cJSON *row, const record_case *from, const char *key)
{
	cJSON *value = tree_encode_member(layout_find(record_case_layout(), key), from);

	if (value != NULL)
		(void)json_set(row, key, value);
	else
		cJSON_DeleteItemFromObjectCaseSensitive(row, key);
}

/* Status, reasons, flags and derived follow from the executions; a row that is malformed elsewhere
 * stays as it is. */
static inline void golden_derive(cJSON *row)
{
	static const char *const keys[] = { "status", "reasons", "flags", "derived" };
	cJSON *bare = cJSON_Duplicate(row, true);
	record_case typed;

	(void)json_set(bare, "status", cJSON_CreateString(record_status_word(RECORD_VALID)));
	(void)json_set(bare, "reasons", cJSON_CreateArray());
	(void)json_set(bare, "flags", cJSON_CreateArray());
	cJSON_DeleteItemFromObjectCaseSensitive(bare, "derived");
	layout_init(record_case_layout(), &typed);
	if (tree_decode(record_case_layout(), bare, &typed, NULL) == EH_OK) {
		record_derive_row(&typed);
		for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
			golden_take(row, &typed, keys[i]);
	}
	layout_clear(record_case_layout(), &typed);
	cJSON_Delete(bare);
}

/* A record without rows, and without digests but those of its rows; NULL where it is malformed. */
static inline record_result *golden_head(const cJSON *root)
{
	static const char none[] = "0000000000000000000000000000000000000000000000000000000000000000";
	cJSON *head = cJSON_CreateObject(), *digests = json_add_object(head, "digests");
	record_result *r = layout_new(record_result_layout());
	const cJSON *member;

	for (size_t i = 0; record_sections[i] != NULL; i++)
		json_add_string(digests, record_sections[i], none);
	json_set(digests, "cases", json_copy(json_path(root, "digests.cases")));
	json_add_string(head, "digest", none);
	json_add_array(head, "cases");
	cJSON_ArrayForEach(member, root)
		if (!cJSON_HasObjectItem(head, member->string))
			cJSON_AddItemToObject(head, member->string, json_copy(member));
	if (tree_decode(record_result_layout(), head, r, NULL) != EH_OK) {
		layout_free(record_result_layout(), r);
		r = NULL;
	}
	cJSON_Delete(head);
	return r;
}

/* The digests of the sections and of the whole, where the record is well-formed without them. */
static inline void golden_seal_head(cJSON *root)
{
	cJSON *digests = cJSON_GetObjectItemCaseSensitive(root, "digests");
	record_result *r = golden_head(root);
	char hex[65];

	for (size_t i = 0; r != NULL && record_sections[i] != NULL; i++) {
		record_section_digest(r, record_sections[i], hex);
		json_set(digests, record_sections[i], cJSON_CreateString(hex));
		text_set(record_digest_of(&r->digests, record_sections[i]), hex);
	}
	if (r != NULL) {
		record_digest(r->status, &r->digests, hex);
		json_set(root, "digest", cJSON_CreateString(hex));
	}
	layout_free(record_result_layout(), r);
}

/* Makes digests and, with derive, the derived numbers and the order of the executions follow from
 * the rest, as a forger would. */
static inline void golden_reseal(cJSON *root, bool derive)
{
	cJSON *digests = cJSON_GetObjectItemCaseSensitive(root, "digests");
	cJSON *declared = cJSON_GetObjectItemCaseSensitive(root, "protocol");
	cJSON *seals = cJSON_CreateArray();
	cJSON *row;
	char hex[65];

	if (derive)
		golden_reorder(root);
	json_digest(json_path(declared, "canonical"), hex);
	json_set(declared, "digest", cJSON_CreateString(hex));
	cJSON_ArrayForEach(row, json_path(root, "cases")) {
		if (derive)
			golden_derive(row);
		json_digest(row, hex);
		json_append_string(seals, hex);
	}
	json_set(digests, "cases", seals);
	golden_seal_head(root);
}

/* Without the syncing of file_write: there are thousands. */
static inline eh_status golden_put(const char *body, size_t size, const char *path)
{
	FILE *f = fopen(path, "w");
	bool ok = f != NULL && fwrite(body, 1, size, f) == size;

	return f != NULL && fclose(f) == 0 && ok ? EH_OK : EH_E_IO;
}

static inline eh_status golden_write(const cJSON *root, const char *path)
{
	char *body = json_text(root, false);
	eh_status status = golden_put(body, strlen(body), path);

	free(body);
	return status;
}

/* Same as the golden file; with UPDATE=1 in the environment the golden file becomes it. */
static inline bool golden_same(const char *name, const char *path)
{
	char *want_path = golden_path(name);
	char *is = golden_file(path);
	char *want;
	bool same;

	if (is != NULL && getenv("UPDATE") != NULL)
		(void)file_write(want_path, is, strlen(is), NULL);
	want = golden_file(want_path);
	same = is != NULL && want != NULL && strcmp(is, want) == 0;
	if (!same)
		fprintf(stderr, "%s and %s differ\n", path, want_path);
	free(want);
	free(is);
	free(want_path);
	return same;
}

#endif
