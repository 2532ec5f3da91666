/* SPDX-License-Identifier: Apache-2.0 */
/* The evidence of a row, on variants of a golden result: its level, standard and certified, and
 * the reason. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/attribute.h"
#include "analysis/claim.h"
#include "analysis/diagnose.h"
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
	{ "cases/0/executions/1/status", "\"unproven\"", EVIDENCE_UNPROVEN, EVIDENCE_BAD, "unproven",
	  "unproven" },
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

		golden_set(root, "instruments/1/device_time", "true");
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

/* ---- every command --------------------------------------------------------------------------- */

static result *read_golden(const char *name)
{
	char *path = golden_path(name);
	result *r = NULL;

	assert_int_equal(result_read(path, &r, NULL), EH_OK);
	free(path);
	return r;
}

static void same(const evidence *x, const evidence *y, const char *what, const char *id)
{
	if (!layout_same(evidence_layout(), x, y))
		fail_msg("%s, %s: %s | %s", what, id, evidence_level_word(x->level),
		         evidence_level_word(y->level));
}

/* Both sides of every row against the table of their results. */
static void check_comparison(const comparison *c, const char *what)
{
	evidence_table a = evidence_judge_all(c->a, c->certified);
	evidence_table b = evidence_judge_all(c->b, c->certified);

	same(&c->baseline.evidence, &a.whole, what, "baseline");
	same(&c->other.evidence, &b.whole, what, "other");
	for (size_t i = 0; i < c->cases.count; i++) {
		const comparison_row *row = &c->cases.items[i];

		if (row->a != NULL)
			same(&row->baseline->evidence, &a.rows[row->a - c->a->rows], what, row->id);
		if (row->b != NULL)
			same(&row->other->evidence, &b.rows[row->b - c->b->rows], what, row->id);
	}
	evidence_table_free(&b);
	evidence_table_free(&a);
}

static void check_diagnosis(const result *r)
{
	evidence_table t = evidence_judge_all(r, contract_declares_certified(r));
	diagnosis *d = diagnose_result(r, NULL, 0, NULL, 0);

	same(&d->evidence, &t.whole, "diagnose", "result");
	assert_int_equal(d->cases.count, r->row_count);
	for (size_t i = 0; i < d->cases.count; i++) {
		same(&d->cases.items[i].evidence, &t.rows[i], "diagnose", d->cases.items[i].id);
		/* Bad evidence is no basis for an answer, and nothing else is. */
		assert_int_equal(d->cases.items[i].answer == DIAGNOSIS_INVALID ||
		                 d->cases.items[i].answer == DIAGNOSIS_ABSENT,
		                 t.rows[i].level == EVIDENCE_BAD);
	}
	diagnosis_free(d);
	evidence_table_free(&t);
}

static void check_claim(const result *a, const result *b)
{
	char *body = memory_format("[claim]\nname = n\ntext = t\nclaimant = c\nprotocol = %s@%llu\n"
	                           "cases = *\na = %s\nb = %s\nrelation = faster\n",
	                           b->record->protocol.name,
	                           (unsigned long long)b->record->protocol.version,
	                           b->record->executor.name, a->record->executor.name);
	claim *c = NULL;
	claim_verdict *v;

	assert_int_equal(claim_parse(body, strlen(body), "test", &c, NULL), EH_OK);
	v = claim_decide(c, (const result *const[]){ a, b }, 2, NULL);
	assert_non_null(v->comparison);
	check_comparison(v->comparison, "claim");
	claim_verdict_free(v);
	claim_free(c);
	free(body);
}

static void every_command_agrees(void **state)
{
	static const char *const names[] = { "host-gcc-12.json", "host-clang-14.json",
		                             "opencl-pocl-0.json" };

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		result *a = read_golden(names[i]), *b = read_golden(names[(i + 1) % 3]);
		comparison *c = contract_compare(a, b, 0);
		attribution *found = attribute_results((const result *const[]){ a, b }, 2, NULL, 0, 0, "");

		check_comparison(c, "compare");
		check_comparison(&found->comparison, "attribute");
		check_claim(a, b);
		check_diagnosis(a);
		attribution_free(found);
		comparison_free(c);
		result_free(b);
		result_free(a);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(of_rows), cmocka_unit_test(of_crashes), cmocka_unit_test(of_results),
		cmocka_unit_test(every_command_agrees),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
