/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The OpenCL backend on the stacks of this machine, each in a process of its own and pinned with
 * OCL_ICD_VENDORS: PoCL, which measures time well, and Mesa's rusticl, which lies about it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/files.h"
#include "plugin/session.h"

#define VENDORS "/etc/OpenCL/vendors/"

static session s;
static eh_error error = ERROR_INIT;
static const char *slug;

static const char kernels[] =
	"__kernel __attribute__((reqd_work_group_size(64, 1, 1)))\n"
	"void t_set(__global uint *a, uint value, uint step)\n"
	"{ size_t i = get_global_id(0); a[i] = value + (uint)i * step; }\n"
	"__kernel __attribute__((reqd_work_group_size(64, 1, 1)))\n"
	"void t_add(__global uint *to, __global const uint *from)\n"
	"{ size_t i = get_global_id(0); to[i] += from[i]; }\n"
	"__kernel __attribute__((reqd_work_group_size(64, 1, 1)))\n"
	"void t_slow(__global float *a, uint n)\n"
	"{ size_t i = get_global_id(0); float x = a[i];\n"
	"  for (uint k = 0; k < n; k++) x = x * 0.999f + 0.5f;\n"
	"  a[i] = x; }\n"
	"__kernel __attribute__((reqd_work_group_size(4, 2, 2)))\n"
	"void t_where(__global uint *a)\n"
	"{ size_t x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);\n"
	"  a[(z * get_global_size(1) + y) * get_global_size(0) + x] =\n"
	"      (uint)(x + 100 * y + 10000 * z); }\n"
	"__kernel __attribute__((reqd_work_group_size(64, 1, 1)))\n"
	"void t_half(__global half *h, __global ushort *u)\n"
	"{ size_t i = get_global_id(0); float x = vload_half(i, h); vstore_half(x * 2.0f, i, h);\n"
	"  u[i] = (ushort)(u[i] + 1); }\n"
	"typedef struct { uint v[20]; } t_big_value;\n"
	"__kernel __attribute__((reqd_work_group_size(64, 1, 1)))\n"
	"void t_macro(__global uint *a) { a[get_global_id(0)] = T_SUM + sizeof(T_TEXT); }\n"
	"__kernel __attribute__((reqd_work_group_size(64, 1, 1)))\n"
	"void t_big(__global uint *a, t_big_value b) { a[get_global_id(0)] = b.v[0] + b.v[19]; }\n";

static eh_status build(const char *text, eh_program **program, char *log, size_t log_size)
{
	const eh_macro macros[] = { { "T_SUM", "(3 + 4)" }, { "T_TEXT", "\"a b)\"" } };
	const eh_source source = {
		.struct_size = sizeof(source), .macro_count = 2, .name = "test", .prelude = "/* none */",
		.body = text, .macros = macros,
		.digest = "0000000000000000000000000000000000000000000000000000000000000000"
	};
	return s.ops->program_build(s.device, &source, program, log, log_size, &error);
}

static void ok(eh_status status)
{
	if (status != EH_OK)
		fail_msg("%s: %s", error_status_name(status), error.message);
}

static eh_buffer *buffer(uint32_t kind, uint64_t bytes)
{
	eh_buffer *b = NULL;
	ok(s.ops->buffer_alloc(s.device, kind, bytes, &b, &error));
	assert_non_null(b);
	return b;
}

static eh_program *program(void)
{
	static eh_program *built; /* for the process */
	char log[2000];
	if (built == NULL)
		ok(build(kernels, &built, log, sizeof(log)));
	return built;
}

static eh_kernel *kernel(const char *name)
{
	eh_kernel *k = NULL;
	ok(s.ops->kernel_get(program(), name, &k, &error));
	return k;
}

static eh_status launch(eh_kernel *k, uint32_t groups, const eh_arg *args, uint32_t count)
{
	const eh_launch l = {
		.struct_size = sizeof(l), .arg_count = count, .groups = { groups, 1, 1 },
		.group_size = { 64, 1, 1 }, .args = args
	};
	return s.ops->launch(s.queue, k, &l, &error);
}

static void set(eh_buffer *to, uint32_t value, uint32_t step)
{
	const eh_arg args[] = { { .buffer = to }, { .data = &value, .size = 4 },
		{ .data = &step, .size = 4 } };
	ok(launch(kernel("t_set"), 1, args, 3));
}

static void wait_all(void)
{
	ok(s.ops->queue_wait(s.queue, &error));
}

static uint32_t word(eh_buffer *b, uint64_t index)
{
	uint32_t value = 0xdeadbeef;
	ok(s.ops->download(s.queue, &value, b, index * 4, 4, &error));
	wait_all();
	return value;
}

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
	char text[2000] = "?";
	(void)state;
	s.ops->notes(s.self, text, sizeof(text));
	if (strcmp(slug, "rusticl") == 0)
		assert_non_null(strstr(text, "RUSTICL_ENABLE=llvmpipe was set"));
	else
		assert_string_equal(text, "");
	s.ops->notes(s.self, text, 1);
	assert_string_equal(text, "");
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

/* ---- time ------------------------------------------------------------------------------- */

enum { SLOW_MAX_GROUPS = 16384 };
static eh_buffer *slow_buffer;
static uint32_t slow_groups;

/* Longer by more work-items: llvmpipe ends one after 65,535 turns of its loops, silently. */
static void slow(void)
{
	const uint32_t steps = 20000;
	const eh_arg args[] = { { .buffer = slow_buffer }, { .data = &steps, .size = 4 } };
	ok(launch(kernel("t_slow"), slow_groups, args, 2));
}

/* Milliseconds until the next word can be read, which nothing can fake. */
static double drain(void)
{
	const uint64_t before = clock_now_ns();
	(void)word(slow_buffer, 0);
	return (double)(clock_now_ns() - before) / 1e6;
}

static double since(uint64_t before)
{
	return (double)(clock_now_ns() - before) / 1e6;
}

/* Chooses the kernel's length so that it takes about 200 ms on this machine, now. */
static void make_slow(void)
{
	double took;
	if (slow_buffer != NULL)
		return;
	slow_buffer = buffer(EH_MEMORY_DEVICE, SLOW_MAX_GROUPS * 64 * 4);
	ok(s.ops->fill(s.queue, slow_buffer, 0, SLOW_MAX_GROUPS * 64 * 4, 0, &error));
	slow_groups = 4;
	slow();
	(void)drain();
	do {
		slow_groups *= 2;
		slow();
		took = drain();
	} while (took < 20 && slow_groups < SLOW_MAX_GROUPS);
	took = slow_groups * (200 / took);
	slow_groups = took < SLOW_MAX_GROUPS ? (uint32_t)took : SLOW_MAX_GROUPS;
}

static void test_queue_wait_waits(void **state)
{
	double waited;
	uint64_t before;
	(void)state;
	make_slow();
	before = clock_now_ns();
	slow();
	wait_all();
	waited = since(before);
	assert_true(drain() < waited / 3);
	/* The trap: after a flush rusticl's clFinish returns at once. */
	before = clock_now_ns();
	slow();
	ok(s.ops->queue_flush(s.queue, &error));
	wait_all();
	waited = since(before);
	assert_true(drain() < waited / 3);
}

static void test_mark_waits_for_the_kernel(void **state)
{
	eh_mark *mark = NULL;
	double waited;
	(void)state;
	make_slow();
	ok(s.ops->mark_create(s.device, &mark, &error));
	for (int flush = 0; flush < 2; flush++) {
		const uint64_t before = clock_now_ns();
		slow();
		if (flush)
			ok(s.ops->queue_flush(s.queue, &error));
		ok(s.ops->mark_record(s.queue, mark, &error));
		if (flush)
			ok(s.ops->queue_flush(s.queue, &error));
		ok(s.ops->mark_wait(mark, &error));
		waited = since(before);
		assert_true(drain() < waited / 3);
	}
	s.ops->mark_destroy(mark);
}

static void test_copies_wait_for_the_kernel(void **state)
{
	eh_buffer *b = buffer(EH_MEMORY_DEVICE, 64);
	float value = 1;
	(void)state;
	make_slow();
	ok(s.ops->upload(s.queue, slow_buffer, 0, &value, 4, &error));
	slow();
	ok(s.ops->copy(s.queue, b, 0, slow_buffer, 0, 4, &error));
	ok(s.ops->queue_flush(s.queue, &error));
	ok(s.ops->download(s.queue, &value, b, 0, 4, &error));
	wait_all();
	/* x = 0.999 x + 0.5 settles at 500. */
	assert_true(value > 499 && value < 501);
	s.ops->buffer_free(b);
}

static void test_elapsed_is_true_or_refused(void **state)
{
	eh_mark *from = NULL, *to = NULL, *other = NULL;
	uint64_t ns = 12345, first = 0, second = 0, before;
	double host;
	eh_status status;
	(void)state;
	make_slow();
	ok(s.ops->mark_create(s.device, &from, &error));
	ok(s.ops->mark_create(s.device, &to, &error));
	ok(s.ops->mark_create(s.device, &other, &error));
	ok(s.ops->mark_record(s.queue, from, &error));
	assert_int_equal(s.ops->mark_elapsed(from, other, &ns, &error), EH_E_INVALID_ARGUMENT);
	assert_int_equal(s.ops->mark_wait(other, &error), EH_E_INVALID_ARGUMENT);
	before = clock_now_ns();
	slow();
	ok(s.ops->mark_record(s.queue, other, &error));
	slow();
	ok(s.ops->mark_record(s.queue, to, &error));
	ok(s.ops->mark_wait(to, &error));
	host = since(before);
	status = s.ops->mark_elapsed(from, to, &ns, &error);
	if (status == EH_OK) {
		assert_true((double)ns / 1e6 > host * 0.7 && (double)ns / 1e6 < host * 1.05 + 1);
		ok(s.ops->mark_elapsed(from, other, &first, &error));
		ok(s.ops->mark_elapsed(other, to, &second, &error));
		assert_int_equal(first + second, ns);
		/* Again with the same marks, after idling: the idle time is not counted. */
		usleep(150000);
		ok(s.ops->mark_record(s.queue, from, &error));
		set(slow_buffer, 0, 0);
		ok(s.ops->mark_record(s.queue, to, &error));
		ok(s.ops->mark_wait(to, &error));
		ok(s.ops->mark_elapsed(from, to, &ns, &error));
		assert_true(ns > 0 && ns < 100000000);
		/* Nothing between: the time of the marks alone. */
		ok(s.ops->mark_record(s.queue, from, &error));
		ok(s.ops->mark_record(s.queue, to, &error));
		ok(s.ops->mark_wait(to, &error));
		ok(s.ops->mark_elapsed(from, to, &ns, &error));
		assert_true(ns < 50000000);
		assert_int_equal(s.ops->mark_elapsed(to, from, &ns, &error), EH_E_DEVICE);
	} else {
		assert_string_equal(slug, "rusticl");
		assert_int_equal(status, EH_E_UNSUPPORTED);
		assert_int_equal(ns, 12345);
		assert_non_null(strstr(error.message, "no clock"));
	}
	s.ops->mark_destroy(from);
	s.ops->mark_destroy(to);
	s.ops->mark_destroy(other);
	s.ops->mark_destroy(NULL);
}

static void test_queue_destroy_waits(void **state)
{
	eh_queue *kept = s.queue, *q = NULL;
	uint64_t last;
	uint32_t bits;
	float value;
	(void)state;
	make_slow();
	last = (uint64_t)slow_groups * 64 - 1;
	ok(s.ops->fill(s.queue, slow_buffer, 0, (last + 1) * 4, 0, &error));
	wait_all();
	ok(s.ops->queue_create(s.device, &q, &error));
	s.queue = q;
	slow();
	s.ops->queue_destroy(q);
	s.queue = kept;
	/* Another queue sees the kernel's work, for it was waited for. */
	bits = word(slow_buffer, last);
	memcpy(&value, &bits, sizeof(value));
	assert_true(value > 499 && value < 501);
	s.ops->queue_destroy(NULL);
}

/* ---- running ---------------------------------------------------------------------------- */

static int run_stack(const char *path, const char *stack, const char *icd)
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
		cmocka_unit_test(test_queue_wait_waits),
		cmocka_unit_test(test_mark_waits_for_the_kernel),
		cmocka_unit_test(test_copies_wait_for_the_kernel),
		cmocka_unit_test(test_elapsed_is_true_or_refused),
		cmocka_unit_test(test_queue_destroy_waits),
	};
	int failed;
	eh_status status;
	slug = stack;
	unsetenv("RUSTICL_ENABLE");
	if (setenv("OCL_ICD_VENDORS", icd, 1) != 0)
		return 1;
	status = session_start(&s, path, &error);
	if (status == EH_OK)
		status = session_open(&s, 0, &error);
	if (status != EH_OK) {
		printf("not ok 1 - %s: %s\n1..1\n", stack, error.message);
		return 1;
	}
	cmocka_set_message_output(CM_OUTPUT_TAP);
	failed = cmocka_run_group_tests_name(stack, tests, NULL, NULL);
	if (slow_buffer != NULL)
		s.ops->buffer_free(slow_buffer);
	s.ops->program_destroy(program());
	session_close(&s);
	return failed;
}

int main(void)
{
	static const char *const stacks[][2] = {
		{ "pocl", VENDORS "pocl.icd" }, { "rusticl", VENDORS "rusticl.icd" }
	};
	int bad = 0;
	const char *folder = getenv("BUILD");
	char *path = path_join(folder != NULL ? folder : ".", "lib/evenhand/backends/opencl.so");
	if (!file_exists(path)) {
		printf("ok 1 - OpenCL stacks # SKIP the OpenCL backend is not built\n1..1\n");
		free(path);
		return 0;
	}
	for (size_t i = 0; i < sizeof(stacks) / sizeof(stacks[0]); i++) {
		int status = 0;
		pid_t child;
		if (!file_exists(stacks[i][1])) {
			printf("ok 1 - %s # SKIP there is no %s\n1..1\n", stacks[i][0], stacks[i][1]);
			continue;
		}
		fflush(stdout);
		child = fork();
		if (child == 0)
			exit(run_stack(path, stacks[i][0], stacks[i][1]) != 0);
		if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status) ||
		    WEXITSTATUS(status) != 0) {
			printf("not ok 1 - %s failed or crashed\n1..1\n", stacks[i][0]);
			bad = 1;
		}
	}
	free(path);
	return bad;
}
