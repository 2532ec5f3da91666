/* SPDX-License-Identifier: Apache-2.0 */
/* What the workloads share in support.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "../../workloads/library.h"
#include "measure/inputs.h"

/* A define too many is counted, so that the core refuses the case, and writes nothing. */
static void defines_end_with_their_array(void **state)
{
	eh_work work = { .struct_size = sizeof work, .local_bytes = 42 };
	const uint32_t room = sizeof work.defines / sizeof work.defines[0];
	uint32_t i;

	(void)state;
	for (i = 0; i < room + 2; i++)
		support_define(&work, "NAME", "%" PRIu32, i);
	assert_int_equal(work.define_count, room + 2);
	assert_string_equal(work.defines[room - 1].value, "15");
	assert_int_equal(work.local_bytes, 42);
}

static void paddings_are_whole_words(void **state)
{
	(void)state;
	assert_int_equal(support_padded(1), 16);
	assert_int_equal(support_padded(16), 16);
	assert_int_equal(support_padded(17), 32);
}

/* A plan is the text of its layer's kernel; the library of "far" is another one. */
static eh_status plan_layer(eh_gemm_plan *plan, eh_layer *layer, eh_error *error)
{
	const char *kernel = (const char *)plan;

	(void)error;
	snprintf(layer->name, sizeof layer->name, "%s", strcmp(kernel, "far") == 0 ? "other" : "ours");
	snprintf(layer->detail, sizeof layer->detail, "kernel=%s; picked=so", kernel);
	return EH_OK;
}

/* The kernels of several products: the first one's, and each other's once it differs; none is lost unsaid. */
static void kernels_of_several_products_are_named(void **state)
{
	static const eh_gemm_ops ops = { .struct_size = sizeof ops, .layer = plan_layer };
	static const char *const names[] = { "a", "b", "c", "d", "e" };
	char one[] = "one", same[] = "one", two[] = "two", far[] = "far", lengthy[420];
	library_product l[5] = { { .ops = &ops, .plan = (eh_gemm_plan *)one },
		                 { .ops = &ops, .plan = (eh_gemm_plan *)same },
		                 { .ops = &ops },
		                 { .ops = &ops, .plan = (eh_gemm_plan *)two },
		                 { .ops = &ops, .plan = (eh_gemm_plan *)far } };
	eh_layer layer = { .struct_size = sizeof layer };

	(void)state;
	assert_int_equal(library_layers(l, names, 5, &layer, NULL), EH_OK);
	assert_string_equal(layer.name, "ours");
	assert_string_equal(layer.detail, "kernel=one; picked=so; kernel of d=two; kernel of e=other: far");

	memset(lengthy, 'x', sizeof lengthy - 1);
	lengthy[sizeof lengthy - 1] = '\0';
	l[0].plan = (eh_gemm_plan *)lengthy;
	l[3].plan = (eh_gemm_plan *)lengthy;
	assert_int_equal(library_layers(l, names, 5, &layer, NULL), EH_OK);
	assert_non_null(strstr(layer.detail, "; kernel of b=one"));
	assert_null(strstr(layer.detail, "kernel of d"));
	memset(one, 'y', sizeof one - 1);
	l[0].plan = (eh_gemm_plan *)one;
	l[4].plan = (eh_gemm_plan *)lengthy;
	assert_int_equal(library_layers(l, names, 5, &layer, NULL), EH_OK);
	assert_non_null(strstr(layer.detail, "; kernel of d=xxx"));
	assert_non_null(strstr(layer.detail, "; further kernels=1"));
}

/* Every code of the formats that are decoded here is what the core makes of it. */
static void halves_are_exact(void **state)
{
	static const char *const precisions[] = { "f16", "bf16" };
	const eh_bench bench = { .to_double = inputs_to_double };

	(void)state;
	for (int p = 0; p < 2; p++)
		for (uint32_t code = 0; code < 65536; code++) {
			const union { uint16_t code; double room; } element = { .code = (uint16_t)code };
			const double wanted = inputs_to_double(&element, precisions[p]);
			const double got = support_value_of(&bench, &element, precisions[p]);

			if (wanted == wanted)
				assert_memory_equal(&got, &wanted, sizeof got);
			else
				assert_true(got != got);
		}
}

static double no_call(const void *element, const char *precision)
{
	(void)element;
	fail_msg("an element of %s was decoded by a call", precision);
	return 0;
}

/* A call for each of millions of elements would make a check longer than what it checks. */
static void integers_need_no_call(void **state)
{
	static const int32_t wide[] = { INT32_MIN, -16777217, -1, 0, 1, 16777217, INT32_MAX };
	const eh_bench bench = { .to_double = no_call };

	(void)state;
	for (int i = INT8_MIN; i <= INT8_MAX; i++) {
		const int8_t element = (int8_t)i;

		assert_true(support_value_of(&bench, &element, "i8") == i);
		assert_true(inputs_to_double(&element, "i8") == i);
	}
	for (size_t i = 0; i < sizeof wide / sizeof wide[0]; i++) {
		assert_true(support_value_of(&bench, &wide[i], "i32") == wide[i]);
		assert_true(inputs_to_double(&wide[i], "i32") == wide[i]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(defines_end_with_their_array),
		cmocka_unit_test(paddings_are_whole_words),
		cmocka_unit_test(kernels_of_several_products_are_named),
		cmocka_unit_test(halves_are_exact),
		cmocka_unit_test(integers_need_no_call),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
