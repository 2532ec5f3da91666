/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a row's arithmetic is native or emulated, by the kernel's types, the device and the library. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "measure/arithmetic.h"

static void says(const char *precision, uint64_t caps, const char *detail, enum record_calculation kind,
                 const char *how)
{
	eh_work work = { .struct_size = sizeof(work), .flops = 1 };
	record_library library = { .detail = (char *)(uintptr_t)detail };
	record_arithmetic *a;

	snprintf(work.precision, sizeof(work.precision), "%s", precision);
	a = arithmetic_record(&work, caps, detail != NULL ? &library : NULL);
	if (how == NULL) {
		assert_null(a);
		return;
	}
	assert_non_null(a);
	assert_int_equal(a->kind, kind);
	assert_string_equal(a->how, how);
	layout_free(record_arithmetic_layout(), a);
}

static void test_kernels(void **state)
{
	const enum record_calculation native = RECORD_CALCULATION_NATIVE, emulated = RECORD_CALCULATION_EMULATED;

	(void)state;
	says("f32", 0, NULL, native, "f32");
	says("f64", EH_CAP_FP64, NULL, native, "f64");
	says("f64", EH_CAP_FP64 | EH_CAP_FP64_SOFT, NULL, emulated, "f64: the device does it in software");
	says("f64", EH_CAP_FP64 | EH_CAP_FP16_SOFT, NULL, native, "f64");
	says("f16", EH_CAP_FP16 | EH_CAP_FP16_SOFT, NULL, emulated, "f16: the device does it in software");
	says("bf16/f32/f32", 0, NULL, emulated, "bf16: stored, calculated in f32");
	says("f16/f32/f16", EH_CAP_FP16_SOFT, NULL, emulated, "f16: stored, calculated in f32");
	says("i8/i32/i32", 0, NULL, emulated, "i8: stored, calculated in i32");
	says("f32/f32/bf16", 0, NULL, native, "f32");
}

static void test_libraries(void **state)
{
	(void)state;
	says("bf16/f32/f32", 0, "kernel=a; numerics=HMMA, INPUT_16BF; compute=32F", RECORD_CALCULATION_NATIVE,
	     "HMMA, INPUT_16BF (from the library)");
	says("f32", 0, "kernel=a; picked=b", 0, NULL);
	says("f32", 0, "kernel=a; numerics=not told; compute=32F", 0, NULL);
	says("f32", 0, "numerics=accumulator not told, inputs not told", 0, NULL);
	says("f32", 0, "unknown=numerics", 0, NULL);
}

static void test_nothing_is_calculated(void **state)
{
	const eh_work work = { .struct_size = sizeof(work), .precision = "f32" };

	(void)state;
	assert_null(arithmetic_record(&work, EH_CAP_FP64, NULL));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kernels),
		cmocka_unit_test(test_libraries),
		cmocka_unit_test(test_nothing_is_calculated),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
