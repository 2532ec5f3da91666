/* SPDX-License-Identifier: Apache-2.0 */
/* The OpenCL backend on the stacks of this machine: devices, memory, programs, kernels. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/text.h"
#include "opencl_stack.h"

/* ---- devices ---------------------------------------------------------------------------- */

static void test_device_says_what_it_is(void **state)
{
	char want[32];
	(void)state;
	snprintf(want, sizeof(want), "%s-0", slug);
	assert_string_equal(s.info.id, want);
	assert_int_equal(s.info.type, EH_DEVICE_CPU);
	assert_true(s.info.name[0] != '\0');
	assert_non_null(strstr(s.info.platform, "OpenCL"));
	assert_true(s.info.compute_units > 0 && s.info.max_group_items >= 256);
	assert_true(s.info.max_group_size[0] >= 256 && s.info.local_memory_bytes >= 16384);
	assert_true(s.info.max_alloc_bytes >= 128u << 20);
	assert_true((s.info.caps & EH_CAP_PINNED) != 0 && (s.info.caps & EH_CAP_FP16_STORE) != 0);
	assert_true((s.info.caps & EH_CAP_DEVICE_TIME) != 0);
	assert_true((s.info.caps & EH_CAP_SIMULATED) == 0);
	assert_int_equal((s.info.caps & EH_CAP_FP64) != 0, strcmp(slug, "pocl") == 0);
}

static void test_no_such_device(void **state)
{
	eh_device_info info = { .struct_size = sizeof(info) };
	eh_device *device = NULL;
	(void)state;
	assert_int_equal(s.ops->device_info(s.self, 77, &info, &error), EH_E_INVALID_ARGUMENT);
	assert_int_equal(s.ops->device_open(s.self, 77, &device, &error), EH_E_INVALID_ARGUMENT);
	assert_null(device);
}

static void test_info_stays_within_the_caller_s_struct(void **state)
{
	struct { eh_device_info info; char after[8]; } small;
	(void)state;
	memset(&small, 'x', sizeof(small));
	small.info.struct_size = offsetof(eh_device_info, uuid);
	ok(s.ops->device_info(s.self, 0, &small.info, &error));
	assert_int_equal(small.info.struct_size, offsetof(eh_device_info, uuid));
	assert_int_equal(small.info.uuid[0], 'x');
	assert_int_equal(small.after[0], 'x');
}

static void test_layers(void **state)
{
	unsigned seen = 0, files = 0;
	eh_layer layer = { .struct_size = sizeof(layer) };
	uint32_t i;
	(void)state;
	for (i = 0; s.ops->device_layer(s.device, i, &layer, &error) == EH_OK; i++) {
		assert_true(i < 20);
		seen |= 1u << layer.kind;
		assert_true(layer.name[0] != '\0');
		assert_null(strchr(layer.detail, '\n'));
		if (layer.path[0] != '\0') {
			assert_true(file_exists(layer.path));
			files++;
		}
		if (layer.kind == EH_LAYER_DRIVER) {
			assert_true(layer.version[0] != '\0');
			assert_non_null(strstr(layer.path, strcmp(slug, "pocl") == 0 ? "libpocl" : "Rusticl"));
		}
		if (layer.kind == EH_LAYER_COMPILER) {
			assert_non_null(strstr(layer.detail, "flags=-cl-std=CL1.2"));
			assert_non_null(strstr(layer.detail, "kernel-cache=evenhand's"));
		}
	}
	assert_int_equal(s.ops->device_layer(s.device, i, &layer, &error), EH_E_INVALID_ARGUMENT);
	assert_int_equal(seen, 1u << EH_LAYER_HARDWARE | 1u << EH_LAYER_DRIVER |
	    1u << EH_LAYER_RUNTIME | 1u << EH_LAYER_COMPILER);
	assert_true(files >= 3);
}

static void test_notes_name_what_was_enabled(void **state)
{
	char said[2000] = "?";
	(void)state;
	s.ops->notes(s.self, said, sizeof(said));
	if (strcmp(slug, "rusticl") == 0)
		assert_non_null(strstr(said, "RUSTICL_ENABLE=llvmpipe was set"));
	else
		assert_string_equal(said, "");
	s.ops->notes(s.self, said, 1);
	assert_string_equal(said, "");
}

/* ---- memory ----------------------------------------------------------------------------- */

static void check_kind(uint32_t kind)
{
	enum { WORDS = 256 };
	eh_buffer *b = buffer(kind, WORDS * 4), *device = buffer(EH_MEMORY_DEVICE, WORDS * 4);
	uint32_t in[WORDS], out[WORDS];
	uint32_t *host = s.ops->buffer_host_pointer(b);
	eh_arg args[] = { { .buffer = b }, { .buffer = device } };
	assert_int_equal(host != NULL, kind != EH_MEMORY_DEVICE);
	assert_true((uintptr_t)host % 64 == 0);
	for (uint32_t i = 0; i < WORDS; i++)
		in[i] = i * 2654435761u;
	ok(s.ops->fill(s.queue, b, 0, sizeof(in), 0x01020304, &error));
	ok(s.ops->upload(s.queue, b, 40, in, 80, &error));
	ok(s.ops->download(s.queue, out, b, 0, sizeof(out), &error));
	wait_all();
	for (uint32_t i = 0; i < WORDS; i++)
		assert_int_equal(out[i], i >= 10 && i < 30 ? in[i - 10] : 0x01020304);
	if (host != NULL) {
		assert_int_equal(host[9], 0x01020304);
		assert_int_equal(host[10], in[0]);
		memcpy(host, in, sizeof(in));
	} else {
		ok(s.ops->upload(s.queue, b, 0, in, sizeof(in), &error));
	}
	ok(s.ops->fill(s.queue, device, 0, sizeof(in), 7, &error));
	ok(s.ops->copy(s.queue, device, 4, b, 8, 400, &error));
	ok(s.ops->copy(s.queue, b, 800, device, 4, 40, &error));
	ok(s.ops->copy(s.queue, b, 900, b, 100, 40, &error));
	/* By kernel: b += device; and b += b, one buffer for two arguments. */
	ok(launch(kernel("t_add"), 4, args, 2));
	args[1].buffer = b;
	ok(launch(kernel("t_add"), 4, args, 2));
	ok(s.ops->download(s.queue, out, b, 0, sizeof(out), &error));
	wait_all();
	for (uint32_t i = 0; i < WORDS; i++) {
		const uint32_t d = i >= 1 && i < 101 ? in[i + 1] : 7;
		const uint32_t v = i >= 200 && i < 210 ? in[i - 198] :
		    i >= 225 && i < 235 ? in[i - 200] : in[i];
		assert_int_equal(out[i], 2 * (v + d));
	}
	if (host != NULL) {
		assert_ptr_equal(host, s.ops->buffer_host_pointer(b));
		assert_memory_equal(host, out, sizeof(out));
	}
	s.ops->buffer_free(device);
	s.ops->buffer_free(b);
}

static void test_device_memory(void **state)
{
	(void)state;
	check_kind(EH_MEMORY_DEVICE);
}

static void test_pinned_memory(void **state)
{
	(void)state;
	check_kind(EH_MEMORY_PINNED);
}

static void test_shared_memory(void **state)
{
	eh_buffer *b = NULL;
	(void)state;
	if ((s.info.caps & EH_CAP_SHARED) != 0) {
		check_kind(EH_MEMORY_SHARED);
		return;
	}
	assert_int_equal(s.ops->buffer_alloc(s.device, EH_MEMORY_SHARED, 64, &b, &error),
	    EH_E_UNSUPPORTED);
	assert_null(b);
}

static void test_memory_refuses_what_is_wrong(void **state)
{
	eh_buffer *b = buffer(EH_MEMORY_DEVICE, 64), *none = NULL;
	char bytes[128] = { 0 };
	(void)state;
	assert_int_equal(s.ops->upload(s.queue, b, 1, bytes, 64, &error), EH_E_INVALID_ARGUMENT);
	assert_int_equal(s.ops->download(s.queue, bytes, b, 65, 0, &error), EH_E_INVALID_ARGUMENT);
	assert_int_equal(s.ops->fill(s.queue, b, 8, UINT64_MAX - 3, 0, &error), EH_E_INVALID_ARGUMENT);
	assert_int_equal(s.ops->fill(s.queue, b, 0, 6, 0, &error), EH_E_INVALID_ARGUMENT);
	assert_int_equal(s.ops->copy(s.queue, b, 0, b, 8, 16, &error), EH_E_INVALID_ARGUMENT);
	assert_int_equal(s.ops->buffer_alloc(s.device, EH_MEMORY_DEVICE, 0, &none, &error),
	    EH_E_INVALID_ARGUMENT);
	assert_int_equal(s.ops->buffer_alloc(s.device, EH_MEMORY_DEVICE, UINT64_C(1) << 46, &none,
	    &error), EH_E_NO_MEMORY);
	assert_non_null(strstr(error.message, "at most"));
	assert_int_equal(s.ops->buffer_alloc(s.device, 9, 64, &none, &error), EH_E_INVALID_ARGUMENT);
	assert_null(none);
	ok(s.ops->upload(s.queue, b, 64, bytes, 0, &error));
	ok(s.ops->copy(s.queue, b, 0, b, 8, 0, &error));
	wait_all();
	s.ops->buffer_free(b);
	s.ops->buffer_free(NULL);
}

/* ---- programs and kernels --------------------------------------------------------------- */

static void test_build_error_has_a_log(void **state)
{
	eh_program *p = NULL;
	char log[4000] = "?", tiny[8];
	(void)state;
	assert_int_equal(build("__kernel void t_bad(__global int *a) { a[0] = no_such_name; }", &p, log,
	    sizeof(log)), EH_E_BUILD);
	assert_null(p);
	assert_non_null(strstr(log, "no_such_name"));
	assert_string_equal(error.native_name, "CL_BUILD_PROGRAM_FAILURE");
	assert_int_equal(build("#error stop", &p, tiny, sizeof(tiny)), EH_E_BUILD);
	assert_true(memchr(tiny, '\0', sizeof(tiny)) != NULL);
	assert_int_equal(build("#error stop", &p, NULL, 0), EH_E_BUILD);
}

static void test_macros_reach_the_text(void **state)
{
	eh_buffer *b = buffer(EH_MEMORY_DEVICE, 256);
	const eh_arg arg = { .buffer = b };
	(void)state;
	ok(launch(kernel("t_macro"), 1, &arg, 1));
	assert_int_equal(word(b, 5), 3 + 4 + sizeof("a b)"));
	s.ops->buffer_free(b);
}

static void test_program_info(void **state)
{
	eh_program_info info = { .struct_size = sizeof(info) }, again = info;
	(void)state;
	ok(s.ops->program_info(program(), &info, &error));
	assert_string_equal(info.compiler, slug);
	assert_string_equal(info.flags, "-cl-std=CL1.2");
	assert_true(info.compiler_version[0] != '\0' && info.target[0] != '\0');
	assert_int_equal(info.from_cache, 0);
	if (strcmp(slug, "pocl") == 0) {
		assert_string_equal(info.binary_kind, "pocl");
		assert_true(info.binary_size > 100);
		assert_memory_equal(info.binary, "poclbin", 7);
	}
	ok(s.ops->program_info(program(), &again, &error));
	assert_ptr_equal(info.binary, again.binary);
}

static void test_kernel_lookup_and_info(void **state)
{
	eh_kernel *k = NULL, *again = NULL;
	eh_kernel_info info = { .struct_size = sizeof(info) };
	(void)state;
	assert_int_equal(s.ops->kernel_get(program(), "t_none", &k, &error), EH_E_INVALID_ARGUMENT);
	assert_null(k);
	k = kernel("t_set");
	again = kernel("t_set");
	assert_ptr_equal(k, again);
	ok(s.ops->kernel_info(k, &info, &error));
	/* 0 = unknown: rusticl says less than it takes. */
	assert_true(info.max_group_items == 0 || info.max_group_items >= 64);
}

static void test_launch_refuses_what_is_wrong(void **state)
{
	eh_buffer *b = buffer(EH_MEMORY_DEVICE, 256);
	uint32_t two = 2;
	eh_arg args[] = { { .buffer = b }, { .data = &two, .size = 4 }, { .data = &two, .size = 4 } };
	eh_launch l = { .struct_size = sizeof(l), .arg_count = 3, .groups = { 1, 1, 1 },
		.group_size = { 64, 1, 1 }, .args = args };
	(void)state;
	assert_int_equal(launch(kernel("t_set"), 1, args, 2), EH_E_INVALID_ARGUMENT);
	assert_int_equal(launch(kernel("t_set"), 0, args, 3), EH_E_INVALID_ARGUMENT);
	args[1].data = NULL;
	assert_int_equal(launch(kernel("t_set"), 1, args, 3), EH_E_INVALID_ARGUMENT);
	args[1].data = &two;
	args[1].size = 2;
	assert_int_equal(launch(kernel("t_set"), 1, args, 3), EH_E_INVALID_ARGUMENT);
	args[1].size = 4;
	l.group_size[0] = 32; /* the text says 64 */
	assert_int_equal(s.ops->launch(s.queue, kernel("t_set"), &l, &error), EH_E_INVALID_ARGUMENT);
	ok(launch(kernel("t_set"), 1, args, 3));
	assert_int_equal(word(b, 3), 2 + 3 * 2);
	s.ops->buffer_free(b);
}

static void test_three_dimensions(void **state)
{
	eh_buffer *b = buffer(EH_MEMORY_DEVICE, 8 * 6 * 4 * 4);
	const eh_arg arg = { .buffer = b };
	const eh_launch l = { .struct_size = sizeof(l), .arg_count = 1, .groups = { 2, 3, 2 },
		.group_size = { 4, 2, 2 }, .args = &arg };
	(void)state;
	ok(s.ops->launch(s.queue, kernel("t_where"), &l, &error));
	for (uint32_t z = 0; z < 4; z++)
		for (uint32_t y = 0; y < 6; y++)
			assert_int_equal(word(b, (z * 6 + y) * 8 + 5), 5 + 100 * y + 10000 * z);
	s.ops->buffer_free(b);
}

static void test_only_changed_arguments_are_set(void **state)
{
	eh_buffer *a = buffer(EH_MEMORY_DEVICE, 256), *b = buffer(EH_MEMORY_DEVICE, 256);
	(void)state;
	set(a, 10, 1);
	set(b, 20, 1); /* buffer and one value */
	set(b, 20, 3); /* one value */
	assert_int_equal(word(a, 4), 14);
	assert_int_equal(word(b, 4), 32);
	set(a, 20, 3); /* the buffer only, of one size */
	assert_int_equal(word(a, 4), 32);
	/* A new buffer may come at the address of a freed one. */
	for (uint32_t i = 0; i < 20; i++) {
		s.ops->buffer_free(a);
		a = buffer(EH_MEMORY_DEVICE, 256);
		ok(s.ops->fill(s.queue, a, 0, 256, 0, &error));
		set(a, 20, 3);
		assert_int_equal(word(a, 4), 32);
	}
	s.ops->buffer_free(b);
	s.ops->buffer_free(a);
}

static void test_arguments_larger_than_what_is_kept(void **state)
{
	eh_buffer *b = buffer(EH_MEMORY_DEVICE, 256);
	uint32_t value[20] = { 1, [19] = 2 };
	const eh_arg args[] = { { .buffer = b }, { .data = value, .size = sizeof(value) } };
	(void)state;
	ok(launch(kernel("t_big"), 1, args, 2));
	assert_int_equal(word(b, 0), 3);
	value[19] = 40;
	ok(launch(kernel("t_big"), 1, args, 2));
	assert_int_equal(word(b, 0), 41);
	s.ops->buffer_free(b);
}

static void test_small_types_are_stored(void **state)
{
	eh_buffer *h = buffer(EH_MEMORY_DEVICE, 128), *u = buffer(EH_MEMORY_DEVICE, 128);
	const eh_arg args[] = { { .buffer = h }, { .buffer = u } };
	(void)state;
	ok(s.ops->fill(s.queue, h, 0, 128, 0x3c003800, &error)); /* 0.5, 1 */
	ok(s.ops->fill(s.queue, u, 0, 128, 0x0001ffff, &error));
	ok(launch(kernel("t_half"), 1, args, 2));
	assert_int_equal(word(h, 31), 0x40003c00);               /* 1, 2 */
	assert_int_equal(word(u, 31), 0x00020000);
	s.ops->buffer_free(h);
	s.ops->buffer_free(u);
}

/* ---- the dialect's vectors -------------------------------------------------------------- */

/* Of each 8 powers the first 4 come from a span of f32, the others from one of bf16, which needs less. */
static const char span_kernel[] =
	"EH_KERNEL(64, 1, 1) t_spans(EH_GLOBAL eh_bf16 *b, EH_GLOBAL float *back, EH_GLOBAL float *power,\n"
	"                            EH_GLOBAL const float *x)\n"
	"{ EH_ITEMS(64, 1, 1) const int i = EH_GROUP(0) * 64 + EH_LID(0);\n"
	"  EH_STORE_SPAN_BF16(b, i, vload8(i, x));\n"
	"  vstore8(EH_LOAD_SPAN_BF16((EH_GLOBAL const eh_bf16 *)b, i), i, back);\n"
	"  vstore8(EH_EXP_SPAN_BF16(vload8(i, x)), i, power);\n"
	"  vstore4(EH_EXP_SPAN_F32(vload4(2 * i, x)), 2 * i, power);\n"
	"  EH_END }\n";

/* To nearest even, by what is cut off. */
static uint32_t bf16_bits(uint32_t u)
{
	const uint32_t kept = u >> 16, rest = u & 0xffff;

	if ((u & 0x7fffffff) > 0x7f800000)
		return kept | 0x40;
	return kept + (rest > 0x8000 || (rest == 0x8000 && (kept & 1) != 0));
}

static void check_spans(const uint32_t *x, const uint16_t *b, const uint32_t *back, const float *power, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		const double most = i % 8 < 4 ? 2.5e-7 : 6e-6;
		float value;

		memcpy(&value, &x[i], sizeof(value));
		if (b[i] != bf16_bits(x[i]) || back[i] != (uint32_t)b[i] << 16)
			fail_msg("0x%08x is stored as 0x%04x and loaded as 0x%08x", x[i], b[i], back[i]);
		if (isnan(value) ? !isnan(power[i]) : value > -87 && value < 88 &&
		    fabs(power[i] / exp((double)value) - 1) > most)
			fail_msg("e^%g is %g", (double)value, (double)power[i]);
	}
}

/* Every bf16, with what rounding has to tell apart behind it. */
static void test_spans_of_bf16_and_powers(void **state)
{
	enum { N = 4 << 16 };
	static const uint32_t rest[] = { 0, 0x7fff, 0x8000, 0x8001 };
	const char *folder = getenv("SRC");
	char *path = path_join(folder != NULL ? folder : ".", "workloads/dialect.h"), *dialect = NULL, *body;
	uint32_t *x = memory_get(N * 4), *back = memory_get(N * 4);
	uint16_t *b = memory_get(N * 2);
	float *power = memory_get(N * 4);
	eh_buffer *to[] = { buffer(EH_MEMORY_DEVICE, N * 2), buffer(EH_MEMORY_DEVICE, N * 4),
		            buffer(EH_MEMORY_DEVICE, N * 4), buffer(EH_MEMORY_DEVICE, N * 4) };
	const eh_arg args[] = { { .buffer = to[0] }, { .buffer = to[1] }, { .buffer = to[2] }, { .buffer = to[3] } };
	eh_program *built = NULL;
	eh_kernel *spans = NULL;
	char log[2000] = "";
	size_t size;

	(void)state;
	ok(file_read(path, &dialect, &size, &error));
	body = memory_format("%s\n%s", dialect, span_kernel);
	if (build(body, &built, log, sizeof(log)) != EH_OK)
		fail_msg("%s", log);
	ok(s.ops->kernel_get(built, "t_spans", &spans, &error));
	for (uint32_t i = 0; i < N; i++)
		x[i] = (i >> 2) << 16 | rest[i & 3];
	ok(s.ops->upload(s.queue, to[3], 0, x, N * 4, &error));
	ok(launch(spans, N / 8 / 64, args, 4));
	ok(s.ops->download(s.queue, b, to[0], 0, N * 2, &error));
	ok(s.ops->download(s.queue, back, to[1], 0, N * 4, &error));
	ok(s.ops->download(s.queue, power, to[2], 0, N * 4, &error));
	wait_all();
	check_spans(x, b, back, power, N);
	s.ops->program_destroy(built);
	for (int i = 0; i < 4; i++)
		s.ops->buffer_free(to[i]);
	free(power);
	free(b);
	free(back);
	free(x);
	free(body);
	free(dialect);
	free(path);
}

/* ---- running ---------------------------------------------------------------------------- */

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_device_says_what_it_is),
		cmocka_unit_test(test_no_such_device),
		cmocka_unit_test(test_info_stays_within_the_caller_s_struct),
		cmocka_unit_test(test_layers),
		cmocka_unit_test(test_notes_name_what_was_enabled),
		cmocka_unit_test(test_device_memory),
		cmocka_unit_test(test_pinned_memory),
		cmocka_unit_test(test_shared_memory),
		cmocka_unit_test(test_memory_refuses_what_is_wrong),
		cmocka_unit_test(test_build_error_has_a_log),
		cmocka_unit_test(test_macros_reach_the_text),
		cmocka_unit_test(test_program_info),
		cmocka_unit_test(test_kernel_lookup_and_info),
		cmocka_unit_test(test_launch_refuses_what_is_wrong),
		cmocka_unit_test(test_three_dimensions),
		cmocka_unit_test(test_only_changed_arguments_are_set),
		cmocka_unit_test(test_arguments_larger_than_what_is_kept),
		cmocka_unit_test(test_small_types_are_stored),
		cmocka_unit_test(test_spans_of_bf16_and_powers),
	};

	return stacks_run(tests, sizeof(tests) / sizeof(tests[0]), NULL);
}
