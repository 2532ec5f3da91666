/* SPDX-License-Identifier: Apache-2.0 */
/* A signed result, edited byte by byte and member by member: nothing verifies, and what changes the
 * meaning is named without the signature too. */
#include "audit_place.h"

static uint64_t random_state = 20;

static size_t random_below(size_t n)
{
	random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (size_t)(random_state >> 33) % n;
}

/* A small result: the tuned case alone, two executions of six samples. */
static void make_small(void)
{
	eh_error error = ERROR_INIT;
	cJSON *root = NULL, *cases, *plans, *executions, *e;

	put_back();
	assert_int_equal(json_read(path, &root, &error), EH_OK);
	cases = golden_at(root, "cases");
	plans = golden_at(root, "protocol/canonical/cases");
	for (int i = 7; i >= 0; i--) {
		if (i == 5)
			continue;
		cJSON_DeleteItemFromArray(cases, i);
		cJSON_DeleteItemFromArray(plans, i);
	}
	executions = golden_at(root, "cases/0/executions");
	while (cJSON_GetArraySize(executions) > 2)
		cJSON_DeleteItemFromArray(executions, 2);
	cJSON_ArrayForEach(e, executions) {
		cJSON *samples = cJSON_GetObjectItemCaseSensitive(e, "samples_ns");

		while (cJSON_GetArraySize(samples) > 6)
			cJSON_DeleteItemFromArray(samples, 6);
		cJSON_DeleteItemFromObjectCaseSensitive(e, "host_ns");
	}
	golden_set(root, "run/executions/done", "2");
	golden_set(root, "cases/0/measure/samples_min", "6");
	golden_set(root, "protocol/canonical/cases/0/measure/samples_min", "6");
	golden_reseal(root, true);
	assert_int_equal(golden_write(root, path), EH_OK);
	cJSON_Delete(root);
}

/* Whether the edited text verifies with the signatures; *named when the record itself shows it. */
static bool verifies(const char *edited, size_t size, const char *signatures,
                     const audit_keyring *ring, bool *named)
{
	findings f = { .only_first = true };
	audit_evidence *e;
	bool holds = false;
	result *r;

	r = golden_examine("edited.json", edited, size, &f);
	*named = f.count > 0 && f.items[0].sentence[0] != '\0';
	if (r != NULL && f.count == 0) {
		audit_subject subject = audit_subject_of(r);

		e = audit_evidence_of(signatures, NULL, &subject, ring);
		holds = e->level != AUDIT_BROKEN;
		audit_evidence_free(e);
	}
	result_free(r);
	findings_free(&f);
	return holds;
}

static void ten_thousand_edits_do_not_verify(void **state)
{
	enum { EDITS = 10000 };
	eh_error error = ERROR_INIT;
	char *beside = memory_format("%s.sig", path);
	char *signatures, *body;
	audit_keyring ring;
	size_t size, silent = 0;
	cJSON *whole = NULL;
	bool named;

	(void)state;
	make_small();
	assert_int_equal(sign_as("alice", AUDIT_TESTER), EH_OK);
	signatures = golden_file(beside);
	body = golden_file(path);
	size = strlen(body);
	assert_int_equal(audit_keyring_read(&ring, &error), EH_OK);
	assert_int_equal(json_parse(body, size, "whole", &whole, &error), EH_OK);
	assert_true(verifies(body, size, signatures, &ring, &named));
	for (size_t i = 0; i < EDITS; i++) {
		size_t at = random_below(size);
		char before = body[at];
		cJSON *meaning = NULL;
		bool same;

		do
			body[at] = i % 2 == 0 ? (char)random_below(256) : "0123456789truefals\"{}[],: "[
				random_below(25)];
		while (body[at] == before);
		if (verifies(body, size, signatures, &ring, &named))
			fail_msg("byte %zu: %d instead of %d verifies", at, body[at], before);
		/* Unsigned, what changes the meaning is named. */
		same = json_parse(body, size, "edited", &meaning, &error) == EH_OK &&
		       json_same(meaning, whole);
		if (!named && !same)
			fail_msg("byte %zu: %d instead of %d is not named", at, body[at], before);
		silent += !named;
		cJSON_Delete(meaning);
		body[at] = before;
	}
	/* Only edits of white space, of which there is little. */
	assert_true(silent < EDITS / 100);
	cJSON_Delete(whole);
	layout_clear(audit_keyring_layout(), &ring);
	free(body);
	free(signatures);
	free(beside);
	put_back();
}

static void list_leaves(cJSON *item, cJSON **leaves, size_t *count, size_t room)
{
	cJSON *child;

	if (!cJSON_IsObject(item) && !cJSON_IsArray(item)) {
		if (*count < room)
			leaves[(*count)++] = item;
		return;
	}
	cJSON_ArrayForEach(child, item)
		list_leaves(child, leaves, count, room);
}

/* Another value of the same type. */
static void change_leaf(cJSON *leaf)
{
	if (cJSON_IsBool(leaf))
		leaf->type ^= cJSON_True ^ cJSON_False;
	else if (cJSON_IsNumber(leaf))
		(void)cJSON_SetNumberHelper(leaf, leaf->valuedouble + 1 + (double)random_below(9));
	else if (leaf->valuestring[0] != '\0')
		leaf->valuestring[0] = leaf->valuestring[0] == 'a' ? 'b' : 'a';
	else
		(void)cJSON_SetValuestring(leaf, "a");
}

/* Each member of the file in turn, well-formed JSON in the written layout. */
static void field_edits_are_named(void **state)
{
	enum { LEAVES = 4000 };
	cJSON **leaves = memory_get(LEAVES * sizeof(*leaves));
	audit_keyring ring = { .keys = { NULL, 0 } };
	cJSON *root = NULL, *copy;
	size_t count = 0, room;
	bool named;

	(void)state;
	make_small();
	assert_int_equal(json_read(path, &root, NULL), EH_OK);
	list_leaves(root, leaves, &count, LEAVES);
	assert_true(count > 200 && count < LEAVES);
	for (size_t i = 0; i < count; i++) {
		char *body;

		copy = cJSON_Duplicate(root, true);
		room = 0;
		list_leaves(copy, leaves, &room, LEAVES);
		change_leaf(leaves[i]);
		body = json_text(copy, false);
		if (verifies(body, strlen(body), NULL, &ring, &named) || !named)
			fail_msg("leaf %zu (%s) may be edited", i,
			         leaves[i]->string != NULL ? leaves[i]->string : "an element");
		free(body);
		cJSON_Delete(copy);
	}
	cJSON_Delete(root);
	free(leaves);
	put_back();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ten_thousand_edits_do_not_verify),
		cmocka_unit_test(field_edits_are_named),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, audit_place_begin, audit_place_finish);
}
