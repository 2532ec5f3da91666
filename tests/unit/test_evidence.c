/* SPDX-License-Identifier: Apache-2.0 */
/* The evidence of a row, on variants of a golden result: its level, standard and certified, and
 * the reason. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "contract/evidence.h"
#include "golden.h"

/* Takes the tree, seals it and reads it. */
static result *read_as(cJSON *root)
{
	char *path = golden_scratch("judged.json");
	eh_error error = ERROR_INIT;
	result *r = NULL;

	golden_reseal(root, true);
	assert_int_equal(golden_write(root, path), EH_OK);
	cJSON_Delete(root);
	if (result_read(path, &r, &error) != EH_OK)
		fail_msg("%s", error.message);
	free(path);
	return r;
}

static cJSON *fresh(const char *name)
{
	char *path = golden_path(name);
	cJSON *root = NULL;

	assert_int_equal(json_read(path, &root, NULL), EH_OK);
	free(path);
	return root;
}

static void expect(const result *r, const result_row *row, bool certified,
                   enum evidence_level level, const char *rule)
{
	const contract_reason *worst;
	evidence e;

	layout_init(evidence_layout(), &e);
	evidence_judge(r, row, certified, &e);
	worst = evidence_worst(&e);
	if (e.level != level || strcmp(worst != NULL ? worst->rule : "", rule) != 0)
		fail_msg("%s: %s, not %s (%s)", rule, evidence_level_word(e.level),
		         evidence_level_word(level), worst != NULL ? worst->rule : "no reason");
	layout_clear(evidence_layout(), &e);
}

/* An edit of the golden result, and the evidence of its first row with the worst reason. */
typedef struct edited {
	const char *path, *json;
	enum evidence_level standard, certified;
	const char *rule, *certified_rule;
} edited;

#define FEW "few-executions-certified"
static const edited rows[] = {
	{ "cases/0/executions/1/status", "\"valid\"", EVIDENCE_GOOD, EVIDENCE_UNPROVEN, "", FEW },
	{ "cases/0/executions/1/status", "\"not-converged\"", EVIDENCE_CAVEATED, EVIDENCE_UNPROVEN,
	  "not-converged", "not-converged" },
	{ "cases/0/executions/1/flags", "[\"disturbed\"]", EVIDENCE_CAVEATED, EVIDENCE_UNPROVEN,
	  "disturbed", "disturbed" },
	{ "cases/0/executions/1/flags", "[\"shared-device\"]", EVIDENCE_CAVEATED, EVIDENCE_BAD,
	  "shared-device", "shared-device" },
	{ "cases/0/executions/1/flags", "[\"throttled\"]", EVIDENCE_CAVEATED, EVIDENCE_UNPROVEN,
	  "throttled", FEW },
	{ "cases/0/executions/1/flags", "[\"steal\"]", EVIDENCE_CAVEATED, EVIDENCE_UNPROVEN, "flags",
	  FEW },
	{ "cases/0/executions/1/flags", "[\"inputs-not-varied\"]", EVIDENCE_CAVEATED, EVIDENCE_BAD,
	  "inputs-not-varied", "inputs-not-varied" },
	{ "cases/0/executions/1/verification", "{}", EVIDENCE_BAD, EVIDENCE_BAD, "verification",
	  "verification" },
	{ "cases/0/executions/1/status", "\"invalid\"", EVIDENCE_BAD, EVIDENCE_BAD, "status-invalid",
	  "status-invalid" },
	{ "cases/0/executions/1/clock", "\"device\"", EVIDENCE_CAVEATED, EVIDENCE_UNPROVEN,
	  "clock-mixed", FEW },
};

static void of_rows(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		cJSON *root = fresh("host-gcc-12.json");
		result *r;

		golden_set(root, rows[i].path, rows[i].json);
		r = read_as(root);
		expect(r, &r->rows[0], false, rows[i].standard, rows[i].rule);
		expect(r, &r->rows[0], true, rows[i].certified, rows[i].certified_rule);
		expect(r, &r->rows[2], false, EVIDENCE_GOOD, "");
		result_free(r);
	}
}

/* An execution that crashed leaves a row without evidence, whatever the others measured. */
static void of_crashes(void **state)
{
	cJSON *root = fresh("host-gcc-12.json");
	result *r;

	(void)state;
	golden_set(root, "cases/0/executions/4/status", "\"failed\"");
	golden_set(root, "cases/0/executions/4/reasons", "[\"it crashed\"]");
	r = read_as(root);
	expect(r, &r->rows[0], false, EVIDENCE_BAD, "status-failed");
	result_free(r);
}

/* A row is never better than its result. */
static void of_results(void **state)
{
	static const struct { const char *path, *json; enum evidence_level standard, certified;
	                      const char *rule; } edits[] = {
		{ "harness/dirty", "true", EVIDENCE_CAVEATED, EVIDENCE_BAD, "dirty-build" },
		{ "executor/simulated", "true", EVIDENCE_BAD, EVIDENCE_BAD, "simulated" },
		{ "status", "\"incomplete\"", EVIDENCE_CAVEATED, EVIDENCE_BAD, "incomplete" },
		{ "executor/device", "{}", EVIDENCE_CAVEATED, EVIDENCE_BAD, "executor-undisclosed" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(edits) / sizeof(*edits); i++) {
		cJSON *root = fresh("host-gcc-12.json");
		result *r;

		golden_set(root, edits[i].path, edits[i].json);
		r = read_as(root);
		expect(r, NULL, false, edits[i].standard, edits[i].rule);
		expect(r, NULL, true, edits[i].certified, edits[i].rule);
		expect(r, &r->rows[0], false, edits[i].standard, "");
		expect(r, &r->rows[0], true, edits[i].certified, FEW);
		result_free(r);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(of_rows), cmocka_unit_test(of_crashes), cmocka_unit_test(of_results),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
