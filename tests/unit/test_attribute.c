/* SPDX-License-Identifier: Apache-2.0 */
/* The answers of an attribution, on variants of a golden result. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/attribute.h"
#include "golden.h"

enum { COMPILER = 1, KERNEL = 2, SLOWER = 4, PROTOCOL = 8 };

static cJSON *layer_of(cJSON *root, const char *kind)
{
	cJSON *layer;

	cJSON_ArrayForEach(layer, golden_at(root, "executor/layers"))
		if (strcmp(json_string(layer, "layer", ""), kind) == 0)
			return layer;
	fail_msg("no layer %s", kind);
	return NULL;
}

static void slow_down(cJSON *root)
{
	cJSON *row, *execution, *sample;

	cJSON_ArrayForEach(row, golden_at(root, "cases"))
		cJSON_ArrayForEach(execution, golden_at(row, "executions"))
			cJSON_ArrayForEach(sample, golden_at(execution, "samples_ns"))
				cJSON_SetNumberValue(sample, sample->valuedouble * 3);
}

/* The golden result with some things changed, in a file of its own. */
static result *variant(const char *name, unsigned int what)
{
	char *path = golden_path("host-gcc-12.json"), *copy = golden_scratch(name);
	eh_error error = ERROR_INIT;
	cJSON *root = NULL;
	result *r = NULL;

	assert_int_equal(json_read(path, &root, NULL), EH_OK);
	golden_set(root, "run/id", "\"another\"");
	if (what & COMPILER) {
		golden_set_compiler(root, "99.1");
		json_set(layer_of(root, "compiler"), "owner", cJSON_CreateString("compiler team"));
	}
	if (what & KERNEL)
		json_set(layer_of(root, "host"), "version", cJSON_CreateString("98.1"));
	if (what & SLOWER)
		slow_down(root);
	if (what & PROTOCOL)
		golden_set(root, "protocol/canonical/intent", "\"another\"");
	golden_reseal(root, true);
	assert_int_equal(golden_write(root, copy), EH_OK);
	cJSON_Delete(root);
	if (result_read(copy, &r, &error) != EH_OK)
		fail_msg("%s", error.message);
	free(copy);
	free(path);
	return r;
}

static enum attribution_answer answer(unsigned int a, unsigned int b, size_t groups)
{
	result *x = variant("a.json", a), *y = variant("b.json", b);
	attribution *found = attribute_results((const result *const[]){ x, y }, 2, NULL, 0, 0);
	enum attribution_answer is = found->answer;

	assert_int_equal(found->groups.count, groups);
	if (is == ATTRIBUTION_CONFOUNDED)
		assert_int_equal(found->missing, groups - 1);
	attribution_free(found);
	result_free(y);
	result_free(x);
	return is;
}

static void answers(void **state)
{
	enum attribution_answer same = answer(0, 0, 0);

	(void)state;
	assert_true(same == ATTRIBUTION_NO_CHANGE || same == ATTRIBUTION_UNDECIDED);
	assert_int_equal(answer(0, SLOWER, 0), ATTRIBUTION_UNEXPLAINED);
	assert_int_equal(answer(0, COMPILER, 1), ATTRIBUTION_ATTRIBUTABLE);
	assert_int_equal(answer(0, COMPILER | SLOWER, 1), ATTRIBUTION_ATTRIBUTABLE);
	assert_int_equal(answer(0, COMPILER | KERNEL, 2), ATTRIBUTION_CONFOUNDED);
	assert_int_equal(answer(COMPILER, KERNEL, 2), ATTRIBUTION_CONFOUNDED);
	assert_int_equal(answer(0, PROTOCOL | COMPILER, 1), ATTRIBUTION_NOT_COMPARABLE);
}

static void between(void **state)
{
	result *a = variant("a.json", 0), *b = variant("b.json", COMPILER | KERNEL | SLOWER);
	result *c = variant("c.json", COMPILER), *useless = variant("d.json", 0);
	result *other = variant("e.json", COMPILER | PROTOCOL);
	attribution *found = attribute_results((const result *const[]){ a, b, useless, c }, 4, NULL, 0, 0);

	(void)state;
	assert_int_equal(found->answer, ATTRIBUTION_ATTRIBUTABLE);
	assert_int_equal(found->steps.count, 2);
	assert_ptr_equal(found->steps.items[0].comparison->b, c);
	assert_int_equal(found->steps.items[0].groups.count, 1);
	assert_int_equal(found->steps.items[1].groups.count, 1);
	assert_string_equal(found->steps.items[0].groups.items[0].owner, "compiler team");
	assert_int_equal(found->missing, 0);
	attribution_free(found);

	found = attribute_results((const result *const[]){ a, b, useless, other }, 4, NULL, 0, 0);
	assert_int_equal(found->answer, ATTRIBUTION_CONFOUNDED);
	assert_int_equal(found->missing, 1);
	attribution_free(found);
	result_free(other);
	result_free(useless);
	result_free(c);
	result_free(b);
	result_free(a);
}

/* A stack that is here and could be measured is proposed, one that does not help is not. */
static void proposed(void **state)
{
	result *a = variant("a.json", 0), *b = variant("b.json", COMPILER | KERNEL);
	result *c = variant("c.json", COMPILER), *d = variant("d.json", 0);
	attribution_candidate all[] = { { "host:same", &d->record->executor },
		                        { "host:useful", &c->record->executor } };
	attribution *found = attribute_results((const result *const[]){ a, b }, 2, all, 2, 0);

	(void)state;
	assert_int_equal(found->answer, ATTRIBUTION_CONFOUNDED);
	assert_int_equal(found->proposed.count, 1);
	assert_string_equal(found->proposed.items[0], "host:useful");
	assert_int_equal(found->missing, 1);
	assert_string_equal(found->steps.items[0].to, "host:useful");
	assert_false(found->steps.items[0].measured);
	attribution_free(found);
	found = attribute_results((const result *const[]){ a, b }, 2, all, 1, 0);
	assert_int_equal(found->proposed.count, 0);
	assert_int_equal(found->missing, 1);
	attribution_free(found);
	result_free(d);
	result_free(c);
	result_free(b);
	result_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(answers), cmocka_unit_test(between), cmocka_unit_test(proposed),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
