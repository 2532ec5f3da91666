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
#include "record/identity.h"
#include "record/implied.h"
#include "record/proven.h"
#include "record/result.h"
#include "record/seal.h"
#include "record/surroundings.h"

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

/* ---- evidence that settings ask for --------------------------------------------------------- */

/* Requests of which the samples are the latencies, one after the other. */
static inline void golden_add_requests(cJSON *execution)
{
	cJSON *requests = json_add_object(execution, "requests");
	cJSON *due = json_add_array(requests, "due_ns"), *issued = json_add_array(requests, "issued_ns");
	cJSON *done = json_add_array(requests, "done_ns"), *sample;
	double at = 0;

	cJSON_ArrayForEach(sample, golden_at(execution, "samples_ns")) {
		cJSON_AddItemToArray(due, cJSON_CreateNumber(at));
		cJSON_AddItemToArray(issued, cJSON_CreateNumber(at));
		at += sample->valuedouble;
		cJSON_AddItemToArray(done, cJSON_CreateNumber(at));
	}
}

/* The host's times beside those of the device. */
static inline void golden_add_host(cJSON *execution)
{
	cJSON *host = json_add_array(execution, "host_ns"), *sample;

	cJSON_ArrayForEach(sample, golden_at(execution, "samples_ns"))
		cJSON_AddItemToArray(host, cJSON_CreateNumber(sample->valuedouble + 4000));
}

/* The windows of a sustained series without gaps. */
static inline void golden_add_windows(cJSON *execution)
{
	cJSON *starts = json_add_array(execution, "starts_ns"), *sample;
	double at = 0;

	cJSON_ArrayForEach(sample, golden_at(execution, "samples_ns")) {
		cJSON_AddItemToArray(starts, cJSON_CreateNumber(at));
		at += sample->valuedouble;
	}
	if (golden_at(execution, "sustained") == NULL)
		cJSON_AddItemToObject(execution, "sustained", cJSON_Parse(
			"{\"entry\":{\"by\":\"not asked\",\"still\":false,\"waited_ns\":0},\"window_ns\":1000000000000,"
			"\"time_ns\":1,\"operations\":1,\"merged\":1,\"drains\":0,\"canary\":\"\"}"));
}

static inline bool golden_lacks(const cJSON *execution, const char *member)
{
	return json_path(execution, "samples_ns") != NULL && json_path(execution, member) == NULL;
}

/* Five parts of the same length, without reading back. */
static inline void golden_add_parts(cJSON *proof)
{
	enum { PARTS = 5 };
	double host = golden_at(proof, "host_ns") != NULL ? golden_at(proof, "host_ns")->valuedouble : 0;
	double part = (double)(uint64_t)(host / PARTS);

	for (int list = 0; host > 0 && list < 3; list++) {
		static const char *const names[] = { "claimed_ns", "waited_ns", "drained_ns" };
		cJSON *times = cJSON_CreateArray();

		for (int i = 0; i < PARTS; i++)
			cJSON_AddItemToArray(times, cJSON_CreateNumber(
				list == 2 ? 0 : i > 0 ? part : host - (PARTS - 1) * part));
		json_set(proof, names[list], times);
	}
	if (host > 0)
		json_set(proof, "idle_ns", cJSON_CreateNumber(0));
}

/* Adds what clock and settings ask for and an edit left out. */
static inline void golden_complete(cJSON *row)
{
	const cJSON *measure = json_path(row, "measure");
	const char *scenario = json_string(measure, "scenario", "none");
	bool load = strcmp(scenario, "closed") == 0 || strcmp(scenario, "server") == 0 ||
	            strcmp(scenario, "knee") == 0;
	bool sustained = strcmp(json_string(measure, "regime", ""), "sustained") == 0;
	cJSON *e;

	cJSON_ArrayForEach(e, json_path(row, "executions")) {
		if (json_path(e, "proof") != NULL && json_path(json_path(e, "proof"), "waited_ns") == NULL)
			golden_add_parts(golden_at(e, "proof"));
		if (strcmp(json_string(e, "clock", ""), "device") == 0 && golden_lacks(e, "host_ns"))
			golden_add_host(e);
		if (load && golden_lacks(e, "requests"))
			golden_add_requests(e);
		if (sustained && golden_lacks(e, "starts_ns"))
			golden_add_windows(e);
		if (strcmp(json_string(measure, "cache", ""), "cold") == 0 && golden_lacks(e, "cache"))
			cJSON_AddItemToObject(e, "cache", cJSON_Parse(
				"{\"state\":\"cold\",\"method\":\"rotation\",\"sets\":2,\"set_bytes\":1,"
				"\"evicted_bytes\":0,\"cache_bytes\":1,\"cache_known\":true}"));
	}
}

/* ---- what follows ---------------------------------------------------------------------------- */

/* The sentences of canary and guards, where the execution has fewer. */
static inline void golden_disturb(record_execution *e)
{
	text_list words = { 0 };

	implied_disturbed(e, &words);
	for (size_t i = e->disturbed.count; i < words.count; i++)
		text_list_add(&e->disturbed, words.items[i]);
	text_list_clear(&words);
}

/* An execution is no better than its proof, doubts and pairs allow. */
static inline void golden_prove(const record_case *row, record_execution *e)
{
	const record_instrument any = { .launch_ns = 0 };
	const char *why;

	if (proven_varied(e, &any))
		word_list_add(&e->flags, RECORD_FLAG_VARIED_DIFFERS);
	if (e->status < RECORD_UNPROVEN && proven_least(row, e, &any, &why) == RECORD_UNPROVEN)
		e->status = RECORD_UNPROVEN;
}

/* What the samples and instruments of the executions imply about the rest of them. */
static inline void golden_imply(record_case *row)
{
	record_pool pool;
	size_t at = 0;

	record_pool_fill(&pool, row);
	for (size_t i = 0; i < row->executions.count && at < pool.executions; i++) {
		record_execution *e = &row->executions.items[i];
		double width;

		if (!record_execution_counts(e))
			continue;
		golden_disturb(e);
		golden_prove(row, e);
		implied_flags(row, e, &pool.series[at], &e->flags);
		if (!implied_half_width(&row->measure, e, &pool.series[at++], NULL, &width))
			continue;
		e->half_width = width;
		if (e->status == RECORD_VALID && isnan(width) &&
		    (e->turns != NULL || !series_has_interval(&pool.series[at - 1])))
			e->status = RECORD_NOT_CONVERGED;
	}
	record_pool_free(&pool);
}

/* Status, reasons, flags and derived follow from the executions, and with `imply` these from their
 * samples; a row that is malformed elsewhere stays as it is. */
static inline void golden_derive(cJSON *row, bool imply)
{
	static const char *const keys[] = { "executions", "status", "reasons", "flags", "derived" };
	cJSON *bare = cJSON_Duplicate(row, true);
	record_case typed;

	(void)json_set(bare, "status", cJSON_CreateString(record_status_word(RECORD_VALID)));
	(void)json_set(bare, "reasons", cJSON_CreateArray());
	(void)json_set(bare, "flags", cJSON_CreateArray());
	cJSON_DeleteItemFromObjectCaseSensitive(bare, "derived");
	layout_init(record_case_layout(), &typed);
	if (tree_decode(record_case_layout(), bare, &typed, NULL) == EH_OK) {
		if (imply)
			golden_imply(&typed);
		record_derive_row(&typed);
		for (size_t i = imply ? 0 : 1; i < sizeof(keys) / sizeof(keys[0]); i++)
			golden_take(row, &typed, keys[i]);
	}
	layout_clear(record_case_layout(), &typed);
	cJSON_Delete(bare);
}

/* The digest of the stack, where the executor is well-formed. */
static inline void golden_identify(cJSON *root)
{
	cJSON *executor = cJSON_GetObjectItemCaseSensitive(root, "executor");
	record_executor typed;
	char hex[65];

	layout_init(record_executor_layout(), &typed);
	if (tree_decode(record_executor_layout(), executor, &typed, NULL) == EH_OK &&
	    typed.digest[0] != '\0' && identity_digest(&typed, hex))
		json_set(executor, "digest", cJSON_CreateString(hex));
	layout_clear(record_executor_layout(), &typed);
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

static inline void golden_relax_row(cJSON *measure)
{
	(void)json_set(measure, "half_width", cJSON_CreateNumber(1));
	(void)json_set(measure, "time_min_ns", cJSON_CreateNumber(0));
}

/* Settings that samples of any spread and length satisfy. */
static inline void golden_relax(cJSON *root)
{
	cJSON *row;

	cJSON_ArrayForEach(row, golden_at(root, "cases"))
		golden_relax_row(golden_at(row, "measure"));
	cJSON_ArrayForEach(row, golden_at(root, "protocol/canonical/cases"))
		golden_relax_row(golden_at(row, "measure"));
}

/* Another version of the compiler, in the stack and in the programs that it made. */
static inline void golden_set_compiler(cJSON *root, const char *version)
{
	cJSON *layer, *row, *e;

	cJSON_ArrayForEach(layer, golden_at(root, "executor/layers"))
		if (strcmp(json_string(layer, "layer", ""), "compiler") == 0)
			(void)json_set(layer, "version", cJSON_CreateString(version));
	cJSON_ArrayForEach(row, golden_at(root, "cases"))
		cJSON_ArrayForEach(e, golden_at(row, "executions"))
			if (golden_at(e, "program") != NULL)
				(void)json_set(golden_at(e, "program"), "compiler_version",
				               cJSON_CreateString(version));
}

/* The digests of all parts. */
static inline void golden_seal(cJSON *root)
{
	cJSON *digests = cJSON_GetObjectItemCaseSensitive(root, "digests");
	cJSON *declared = cJSON_GetObjectItemCaseSensitive(root, "protocol");
	cJSON *seals = cJSON_CreateArray();
	cJSON *row;
	char hex[65];

	json_digest(json_path(declared, "canonical"), hex);
	json_set(declared, "digest", cJSON_CreateString(hex));
	cJSON_ArrayForEach(row, json_path(root, "cases")) {
		json_digest(row, hex);
		json_append_string(seals, hex);
	}
	json_set(digests, "cases", seals);
	golden_seal_head(root);
}

/* Instruments like the first one for executions that have none, where there is one at all. */
static inline void golden_instruments(cJSON *root)
{
	enum { MOST = 100 };
	cJSON *old = cJSON_GetObjectItemCaseSensitive(root, "instruments"), *all = cJSON_CreateArray();

	for (uint64_t n = 1; n <= MOST && cJSON_IsArray(old) && old->child != NULL; n++) {
		cJSON *copy = NULL, *item;
		uint64_t is;

		cJSON_ArrayForEach(item, old)
			if (json_uint(item, "execution", &is) && is == n)
				copy = json_copy(item);
		if (copy == NULL && golden_ran(root, n)) {
			copy = json_copy(old->child);
			json_set(copy, "execution", cJSON_CreateNumber((double)n));
		}
		if (copy != NULL)
			cJSON_AddItemToArray(all, copy);
	}
	if (all->child != NULL)
		json_set(root, "instruments", all);
	else
		cJSON_Delete(all);
}

/* Makes digests and, with derive, everything else that follows from the rest of the record follow:
 * evidence that settings ask for, what executions imply, derived numbers, the order of the
 * executions, the digest of the stack. */
static inline void golden_reseal(cJSON *root, bool derive)
{
	cJSON *row;

	if (derive) {
		golden_reorder(root);
		golden_instruments(root);
		golden_identify(root);
		cJSON_ArrayForEach(row, json_path(root, "cases")) {
			golden_complete(row);
			golden_derive(row, true);
		}
	}
	golden_seal(root);
}

/* The same by a forger who leaves the executions and the executor as they were edited. */
static inline void golden_forge(cJSON *root)
{
	cJSON *row;

	cJSON_ArrayForEach(row, json_path(root, "cases"))
		golden_derive(row, false);
	golden_seal(root);
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

/* Examines a text as a result; NULL when its structure is invalid. */
static inline result *golden_examine(const char *name, const char *body, size_t size, findings *f)
{
	const source_bytes from = source_of_bytes(name, body, size);
	result *r = NULL;

	return result_examine(&from, NULL, 0, f, &r, NULL) == EH_OK ? r : NULL;
}

#endif
