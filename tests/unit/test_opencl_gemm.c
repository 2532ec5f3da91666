/* SPDX-License-Identifier: Apache-2.0 */
/* eh.gemm.1 of the OpenCL backend, CLBlast, on the stacks of this machine. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "gemm_trial.h"
#include "opencl_stack.h"
#include "skipping.h"

static const eh_gemm_ops *table(void)
{
	const eh_gemm_ops *ops = s.ops->extension(s.self, EH_GEMM_NAME);

	assert_true(EH_HAS(ops, eh_gemm_ops, destroy));
	return ops;
}

static bool has_layer(const char *name, eh_layer *found)
{
	for (uint32_t i = 0;; i++) {
		eh_layer layer = { .struct_size = sizeof(layer) };

		if (s.ops->device_layer(s.device, i, &layer, NULL) != EH_OK)
			return false;
		if (strcmp(layer.name, name) == 0) {
			*found = layer;
			return true;
		}
	}
}

/* PoCL takes 5 to 10 s to compile CLBlast's program, for each type, and for each of its kernels. */
static void right_numbers(const char *type, const trial_shape *shapes, size_t count)
{
	eh_layer layer = { .struct_size = sizeof(layer) }, of_device;

	for (size_t i = 0; i < count; i++) {
		const eh_status status = trial_run(&s, table(), &shapes[i], type, type, type, &layer,
		                                   &error);

		if (status == EH_E_UNAVAILABLE)
			skip_because("CLBlast is not here (package libclblast1)");
		if (status == EH_E_UNSUPPORTED) {
			assert_non_null(strstr(error.message, "CLBlast"));
			printf("# SKIP %s has no product: %s\n", slug, error.message);
			fflush(stdout);
			skip();
		}
		ok(status);
	}
	print_message("%s %s: %s\n", layer.name, layer.version, layer.detail);
	assert_string_equal(layer.name, "CLBlast");
	assert_int_equal(layer.path[0], '/');
	assert_true(has_layer("CLBlast", &of_device));
	assert_string_equal(of_device.path, layer.path);
}

static void test_not_before_the_first_product(void **state)
{
	eh_layer layer;

	(void)state;
	assert_false(has_layer("CLBlast", &layer));
}

static void test_f32(void **state)
{
	const trial_shape shapes[] = { trial_shapes[TRIAL_TURNED], trial_shapes[TRIAL_BATCH] };

	(void)state;
	right_numbers("f32", shapes, 2);
}

/* From some size on CLBlast has another kernel. */
static void test_a_large_product(void **state)
{
	static const trial_shape large = { 4096, 4096, 4096, 0, 0, 1, 0, 0, 1, 0 };
	const eh_gemm g = trial_gemm(&large, "f32", "f32", "f32");
	eh_layer layer = { .struct_size = sizeof(layer) };
	eh_gemm_plan *plan = NULL;
	uint64_t workspace = 0;
	const eh_status status = table()->prepare(s.device, &g, &plan, &workspace, &error);

	(void)state;
	if (status == EH_E_UNAVAILABLE)
		skip_because("CLBlast is not here (package libclblast1)");
	ok(status);
	ok(table()->layer(plan, &layer, &error));
	assert_non_null(strstr(layer.detail, "kernel=Xgemm;"));
	table()->destroy(plan);
}

static void test_f64(void **state) { (void)state; right_numbers("f64", &trial_shapes[TRIAL_PLAIN], 1); }
static void test_f16(void **state) { (void)state; right_numbers("f16", &trial_shapes[TRIAL_PLAIN], 1); }

static void test_no_types_are_replaced(void **state)
{
	const eh_gemm g = trial_gemm(&trial_shapes[1], "bf16", "f32", "f32");
	eh_gemm_plan *plan = NULL;
	uint64_t workspace = 0;

	(void)state;
	assert_int_equal(table()->prepare(s.device, &g, &plan, &workspace, &error), EH_E_UNSUPPORTED);
	assert_non_null(strstr(error.message, "bf16 into f32"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_not_before_the_first_product),
		cmocka_unit_test(test_f32),
		cmocka_unit_test(test_a_large_product),
		cmocka_unit_test(test_f64),
		cmocka_unit_test(test_f16),
		cmocka_unit_test(test_no_types_are_replaced),
	};

	return stacks_run(tests, sizeof(tests) / sizeof(tests[0]), NULL);
}
