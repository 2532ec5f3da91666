/* SPDX-License-Identifier: Apache-2.0 */
/* The host backend through its ABI: memory, order, kernels, threads, time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/error.h"
#include "base/text.h"
#include "plugin/host.h"
#include "plugin/session.h"

static const char kernels[] =
	"#define _GNU_SOURCE\n"
	"#include <stdint.h>\n"
	"#include <sched.h>\n"
	"#define ENTRY(n) void n##_entry(void **a, const int32_t *g, int64_t first, int64_t end);\\\n"
	"	void n##_entry(void **a, const int32_t *g, int64_t first, int64_t end)\n"
	"#define BUFFER(T, i) (*(T **)a[i])\n"
	"#define VALUE(T, i) (*(T *)a[i])\n"
	"ENTRY(count) { for (int64_t i = first; i < end; i++)\n"
	"	__atomic_fetch_add(&BUFFER(uint32_t, 0)[i], 1u, __ATOMIC_RELAXED); }\n"
	"ENTRY(where) { for (int64_t i = first; i < end; i++)\n"
	"	BUFFER(int32_t, 0)[i] = g[0] * 10000 + g[1] * 100 + g[2]; }\n"
	"ENTRY(cpus) { for (int64_t i = first; i < end; i++)\n"
	"	BUFFER(int32_t, 0)[i] = sched_getcpu(); }\n"
	"ENTRY(scale) { for (int64_t i = first; i < end; i++)\n"
	"	BUFFER(double, 0)[i] = VALUE(double, 1) * BUFFER(double, 2)[i] + VALUE(uint8_t, 3); }\n"
	"ENTRY(deep) { volatile char big[DEEP]; for (int64_t i = first; i < end; i++) {\n"
	"	for (int k = 0; k < DEEP; k += 4096) big[k] = 1;\n"
	"	BUFFER(int32_t, 0)[i] = big[DEEP - 4096]; } }\n";

typedef struct bench {
	session s;
	eh_program *program;
	eh_error error;
} bench;

static char *plugin_path(void)
{
	const char *build = getenv("BUILD");

	return memory_format("%s/lib/evenhand/backends/host.so", build != NULL ? build : ".");
}

static eh_status build(bench *b, const char *deep, const char *body, char *log, size_t size,
                       eh_program **program)
{
	const eh_macro macros[] = { { "DEEP", deep } };
	const eh_source source = {
		.struct_size = sizeof(source), .macro_count = 1, .name = "trial", .prelude = "",
		.body = body, .macros = macros, .digest = NULL,
	};

	return b->s.ops->program_build(b->s.device, &source, program, log, size, &b->error);
}

static int open_bench(void **state)
{
	bench *b = memory_get(sizeof(*b));
	char *path = plugin_path();

	b->error = (eh_error)ERROR_INIT;
	if (session_start(&b->s, path, &b->error) != EH_OK || session_open(&b->s, 0, &b->error) != EH_OK ||
	    build(b, "65536", kernels, NULL, 0, &b->program) != EH_OK) {
		print_error("%s\n", b->error.message);
		return -1;
	}
	free(path);
	*state = b;
	return 0;
}

static int close_bench(void **state)
{
	bench *b = *state;

	b->s.ops->program_destroy(b->program);
	session_close(&b->s);
	free(b);
	return 0;
}

static eh_buffer *buffer(bench *b, uint64_t bytes)
{
	eh_buffer *out = NULL;

	if (b->s.ops->buffer_alloc(b->s.device, EH_MEMORY_SHARED, bytes, &out, &b->error) != EH_OK)
		fail_msg("%s", b->error.message);
	return out;
}

static eh_status launch(bench *b, const char *name, uint32_t x, uint32_t y, uint32_t z,
                        const eh_arg *args, uint32_t count)
{
	const eh_launch l = {
		.struct_size = sizeof(l), .arg_count = count, .groups = { x, y, z },
		.group_size = { 1, 1, 1 }, .args = args,
	};
	eh_kernel *k;

	if (b->s.ops->kernel_get(b->program, name, &k, &b->error) != EH_OK)
		fail_msg("%s", b->error.message);
	return b->s.ops->launch(b->s.queue, k, &l, &b->error);
}

static void every_group_runs_once(void **state)
{
	static const uint32_t shapes[][3] = { { 1, 1, 1 }, { 2, 1, 1 }, { 3, 1, 1 }, { 7, 1, 1 },
	                                      { 1000, 1, 1 }, { 13, 7, 5 }, { 1, 1, 4097 } };
	bench *b = *state;
	eh_buffer *visits = buffer(b, 5000 * 4);
	const uint32_t *at = b->s.ops->buffer_host_pointer(visits);
	const eh_arg args[] = { { .buffer = visits } };

	for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
		const uint32_t *n = shapes[i];
		const uint32_t total = n[0] * n[1] * n[2];

		assert_int_equal(b->s.ops->fill(b->s.queue, visits, 0, 5000 * 4, 0, NULL), EH_OK);
		assert_int_equal(launch(b, "count", n[0], n[1], n[2], args, 1), EH_OK);
		for (uint32_t k = 0; k < 5000; k++)
			if (at[k] != (k < total ? 1 : 0))
				fail_msg("group %u of %u ran %u times", k, total, at[k]);
	}
	assert_int_equal(launch(b, "where", 3, 4, 5, args, 1), EH_OK);
	for (uint32_t k = 0; k < 60; k++)
		assert_int_equal(at[k], 30405);
	b->s.ops->buffer_free(visits);
}

static void many_launches_lose_nothing(void **state)
{
	bench *b = *state;
	eh_buffer *visits = buffer(b, 64 * 4);
	const uint32_t *at = b->s.ops->buffer_host_pointer(visits);
	const eh_arg args[] = { { .buffer = visits } };
	uint32_t want[64] = { 0 };

	assert_int_equal(b->s.ops->fill(b->s.queue, visits, 0, 64 * 4, 0, NULL), EH_OK);
	for (uint32_t i = 0; i < 20000; i++) {
		const uint32_t n = 1 + i % 64;

		assert_int_equal(launch(b, "count", n, 1, 1, args, 1), EH_OK);
		for (uint32_t k = 0; k < n; k++)
			want[k]++;
		/* Long enough for the threads to fall asleep. */
		if (i % 4000 == 0)
			assert_int_equal(usleep(2000), 0);
	}
	assert_memory_equal(at, want, sizeof(want));
	b->s.ops->buffer_free(visits);
}

static void parts_are_contiguous_and_pinned(void **state)
{
	enum { GROUPS = 1024 };
	bench *b = *state;
	const uint32_t threads = b->s.info.compute_units;
	eh_buffer *cpus = buffer(b, GROUPS * 4);
	const int32_t *at = b->s.ops->buffer_host_pointer(cpus);
	const eh_arg args[] = { { .buffer = cpus } };
	uint32_t changes = 0;

	assert_int_equal(launch(b, "cpus", GROUPS, 1, 1, args, 1), EH_OK);
	for (int i = 1; i < GROUPS; i++)
		changes += at[i] != at[i - 1];
	assert_int_equal(changes, (threads < GROUPS ? threads : GROUPS) - 1);
	/* One group alone stays with the caller. */
	assert_int_equal(launch(b, "cpus", 1, 1, 1, args, 1), EH_OK);
	assert_int_equal(at[0], sched_getcpu());
	b->s.ops->buffer_free(cpus);
}

static void arguments_arrive(void **state)
{
	bench *b = *state;
	eh_buffer *out = buffer(b, 1000 * 8), *in = buffer(b, 1000 * 8);
	double *from = b->s.ops->buffer_host_pointer(in);
	const double *to = b->s.ops->buffer_host_pointer(out);
	const uint8_t addend = 200;
	/* Not aligned for a double: the backend may not count on it. */
	_Alignas(8) char factor[16];
	const double three = 3.0;
	const eh_arg args[] = { { .buffer = out }, { .data = factor + 1, .size = 8 },
	                        { .buffer = in }, { .data = &addend, .size = 1 } };

	memcpy(factor + 1, &three, 8);
	for (int i = 0; i < 1000; i++)
		from[i] = i;
	assert_int_equal(launch(b, "scale", 1000, 1, 1, args, 4), EH_OK);
	for (int i = 0; i < 1000; i++)
		assert_true(to[i] == 3.0 * i + 200);
	b->s.ops->buffer_free(in);
	b->s.ops->buffer_free(out);
}

static void impossible_launches_are_refused(void **state)
{
	bench *b = *state;
	const eh_arg nothing[] = { { .size = 4 } };
	eh_launch l = { .struct_size = sizeof(l), .groups = { 1, 1, 1 }, .group_size = { 1, 1, 1 } };
	eh_kernel *k;

	assert_int_equal(launch(b, "count", 0, 1, 1, NULL, 0), EH_E_INVALID_ARGUMENT);
	assert_int_equal(launch(b, "count", UINT32_MAX, 1, 1, NULL, 0), EH_E_INVALID_ARGUMENT);
	assert_int_equal(launch(b, "count", INT32_MAX, INT32_MAX, INT32_MAX, NULL, 0),
	                 EH_E_INVALID_ARGUMENT);
	assert_int_equal(launch(b, "count", 1, 1, 1, nothing, 1), EH_E_INVALID_ARGUMENT);
	assert_int_equal(launch(b, "count", 1, 1, 1, nothing, 1000), EH_E_INVALID_ARGUMENT);
	assert_int_equal(b->s.ops->kernel_get(b->program, "absent", &k, &b->error),
	                 EH_E_INVALID_ARGUMENT);
	assert_non_null(strstr(b->error.message, "absent"));
	assert_int_equal(b->s.ops->kernel_get(b->program, "count", &k, NULL), EH_OK);
	l.group_size[0] = l.group_size[1] = UINT32_MAX;
	assert_int_equal(b->s.ops->launch(b->s.queue, k, &l, NULL), EH_E_INVALID_ARGUMENT);
}

static void memory_moves_exactly(void **state)
{
	/* Below and above the size from which threads share the work. */
	static const uint64_t sizes[] = { 1, 4099, 300001, 5000011 };
	bench *b = *state;

	for (size_t n = 0; n < sizeof(sizes) / sizeof(sizes[0]); n++) {
		const uint64_t size = sizes[n];
		unsigned char *from = memory_get(size), *back = memory_get(size + 2);
		eh_buffer *one = buffer(b, size + 16), *two = buffer(b, size + 16);

		for (uint64_t i = 0; i < size; i++)
			from[i] = (unsigned char)(i * 2654435761u >> 13);
		back[0] = back[size + 1] = 0x5a;
		assert_int_equal(b->s.ops->fill(b->s.queue, two, 0, (size + 16) & ~UINT64_C(3),
		                                0xa1b2c3d4, NULL), EH_OK);
		assert_int_equal(b->s.ops->upload(b->s.queue, one, 3, from, size, NULL), EH_OK);
		assert_int_equal(b->s.ops->copy(b->s.queue, two, 7, one, 3, size, NULL), EH_OK);
		assert_int_equal(b->s.ops->download(b->s.queue, back + 1, two, 7, size, NULL), EH_OK);
		assert_memory_equal(back + 1, from, size);
		assert_int_equal(back[0], 0x5a);
		assert_int_equal(back[size + 1], 0x5a);
		assert_int_equal(b->s.ops->download(b->s.queue, back, two, 0, 1, NULL), EH_OK);
		assert_int_equal(back[0], 0xd4);
		b->s.ops->buffer_free(one);
		b->s.ops->buffer_free(two);
		free(from);
		free(back);
	}
}

static void memory_keeps_its_bounds(void **state)
{
	bench *b = *state;
	const eh_backend_ops *ops = b->s.ops;
	eh_buffer *one = buffer(b, 4096), *none = NULL;
	char byte = 0;

	assert_int_equal((uintptr_t)ops->buffer_host_pointer(one) % 64, 0);
	assert_int_equal(ops->fill(b->s.queue, one, 0, 4100, 0, NULL), EH_E_INVALID_ARGUMENT);
	assert_int_equal(ops->fill(b->s.queue, one, 0, 6, 0, NULL), EH_E_INVALID_ARGUMENT);
	assert_int_equal(ops->upload(b->s.queue, one, 4096, &byte, 1, NULL), EH_E_INVALID_ARGUMENT);
	assert_int_equal(ops->upload(b->s.queue, one, UINT64_MAX, &byte, 2, NULL),
	                 EH_E_INVALID_ARGUMENT);
	assert_int_equal(ops->download(b->s.queue, &byte, one, 5000, 0, NULL),
	                 EH_E_INVALID_ARGUMENT);
	assert_int_equal(ops->copy(b->s.queue, one, 0, one, 10, 20, NULL), EH_E_INVALID_ARGUMENT);
	assert_int_equal(ops->copy(b->s.queue, one, 0, one, 20, 20, NULL), EH_OK);
	assert_int_equal(ops->buffer_alloc(b->s.device, EH_MEMORY_DEVICE, UINT64_C(1) << 60, &none,
	                                   &b->error), EH_E_NO_MEMORY);
	assert_int_equal(ops->buffer_alloc(b->s.device, EH_MEMORY_DEVICE, UINT64_MAX, &none,
	                                   &b->error), EH_E_NO_MEMORY);
	assert_int_equal(ops->buffer_alloc(b->s.device, EH_MEMORY_DEVICE, 0, &none, &b->error),
	                 EH_E_INVALID_ARGUMENT);
	assert_int_equal(ops->buffer_alloc(b->s.device, 77, 16, &none, &b->error),
	                 EH_E_UNSUPPORTED);
	assert_null(none);
	ops->buffer_free(one);
	assert_int_equal(ops->buffer_alloc(b->s.device, EH_MEMORY_DEVICE, 16, &one, NULL), EH_OK);
	assert_null(ops->buffer_host_pointer(one));
	ops->buffer_free(one);
	ops->buffer_free(NULL);
}

static void marks_tell_the_time(void **state)
{
	bench *b = *state;
	const eh_backend_ops *ops = b->s.ops;
	const eh_host *host = host_table("host");
	eh_mark *from, *to;
	uint64_t ns = 0, before, after;

	assert_int_equal(ops->mark_create(b->s.device, EH_TIMED, &from, NULL), EH_OK);
	assert_int_equal(ops->mark_create(b->s.device, EH_TIMED, &to, NULL), EH_OK);
	assert_int_equal(ops->mark_wait(from, NULL), EH_E_INVALID_ARGUMENT);
	assert_int_equal(ops->mark_elapsed(from, to, &ns, NULL), EH_E_INVALID_ARGUMENT);
	before = host->now_ns(host->ctx);
	assert_int_equal(ops->mark_record(b->s.queue, from, NULL), EH_OK);
	assert_int_equal(usleep(3000), 0);
	assert_int_equal(ops->mark_record(b->s.queue, to, NULL), EH_OK);
	after = host->now_ns(host->ctx);
	assert_int_equal(ops->mark_wait(to, NULL), EH_OK);
	assert_int_equal(ops->mark_elapsed(from, to, &ns, NULL), EH_OK);
	assert_in_range(ns, 3000000, after - before);
	assert_int_equal(ops->mark_elapsed(to, from, &ns, NULL), EH_E_INVALID_ARGUMENT);
	ops->mark_destroy(from);
	ops->mark_destroy(to);
	ops->mark_destroy(NULL);
}

static void a_wrong_program_says_where(void **state)
{
	bench *b = *state;
	eh_program *p = NULL;
	char log[4096] = "old";

	assert_int_equal(build(b, "1", "int x = missing_name;\n", log, sizeof(log), &p), EH_E_BUILD);
	assert_null(p);
	assert_non_null(strstr(log, "trial.k:1:"));
	assert_non_null(strstr(log, "missing_name"));
	assert_non_null(strstr(b->error.message, "missing_name"));
	/* What nobody provides is found when it is built, not when it is called. */
	assert_int_equal(build(b, "1", "void absent(void); void f_entry(void) { absent(); }\n", log,
	                       sizeof(log), &p), EH_E_BUILD);
	assert_non_null(strstr(log, "absent"));
	/* A log of no size is no reason to write one. */
	assert_int_equal(build(b, "1", "int x = missing_name;\n", NULL, 0, &p), EH_E_BUILD);
	assert_int_equal(build(b, "1", "int x = missing_name;\n", log, 1, &p), EH_E_BUILD);
	assert_int_equal(log[0], '\0');
}

static void a_group_too_deep_does_not_build(void **state)
{
	bench *b = *state;
	eh_program *p = NULL;

	assert_int_equal(build(b, "5000000", kernels, NULL, 0, &p), EH_E_BUILD);
	assert_non_null(strstr(b->error.message, "frame"));
}

typedef struct errand { bench *b; int32_t got[64]; eh_status status; } errand;

static void *run_deep(void *argument)
{
	errand *e = argument;
	eh_buffer *out = buffer(e->b, sizeof(e->got));
	const eh_arg args[] = { { .buffer = out } };

	e->status = launch(e->b, "deep", 64, 1, 1, args, 1);
	if (e->status == EH_OK)
		e->status = launch(e->b, "deep", 1, 1, 1, args, 1);
	memcpy(e->got, e->b->s.ops->buffer_host_pointer(out), sizeof(e->got));
	e->b->s.ops->buffer_free(out);
	return NULL;
}

static void *open_and_run_deep(void *argument)
{
	errand *e = argument;
	bench mine = { .error = ERROR_INIT };
	bench *old = e->b;
	char *path = plugin_path();

	e->b = &mine;
	e->status = session_start(&mine.s, path, &mine.error);
	if (e->status == EH_OK)
		e->status = session_open(&mine.s, 0, &mine.error);
	if (e->status == EH_OK)
		e->status = build(&mine, "3997696", kernels, NULL, 0, &mine.program);
	if (e->status == EH_OK) {
		run_deep(e);
		mine.s.ops->program_destroy(mine.program);
	}
	session_close(&mine.s);
	free(path);
	e->b = old;
	return NULL;
}

static void on_small_stack(void *(*function)(void *), errand *e)
{
	pthread_attr_t small;
	pthread_t thread;

	assert_int_equal(pthread_attr_init(&small), 0);
	assert_int_equal(pthread_attr_setstacksize(&small, 512 << 10), 0);
	assert_int_equal(pthread_create(&thread, &small, function, e), 0);
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_int_equal(pthread_attr_destroy(&small), 0);
	assert_int_equal(e->status, EH_OK);
	for (int i = 0; i < 64; i++)
		assert_int_equal(e->got[i], 1);
}

static void a_small_caller_stack_is_spared(void **state)
{
	bench *b = *state;
	errand e = { .b = b };
	eh_program *usual = b->program;

	/* The stack of this thread is not known to the pool that another opened. */
	assert_int_equal(build(b, "3997696", kernels, NULL, 0, &b->program), EH_OK);
	on_small_stack(run_deep, &e);
	b->s.ops->program_destroy(b->program);
	b->program = usual;
	/* And one that opens a device itself. */
	memset(e.got, 0, sizeof(e.got));
	on_small_stack(open_and_run_deep, &e);
}

static void the_stack_is_disclosed(void **state)
{
	bench *b = *state;
	eh_layer layer = { .struct_size = sizeof(layer) };
	unsigned kinds = 0;
	uint32_t n = 0;

	for (; b->s.ops->device_layer(b->s.device, n, &layer, &b->error) == EH_OK; n++) {
		kinds |= 1u << layer.kind;
		assert_true(layer.name[0] != '\0');
		if (layer.kind == EH_LAYER_COMPILER) {
			assert_non_null(strstr(layer.detail, "flags=-std=gnu17 -O3"));
			assert_int_equal(layer.path[0], '/');
			assert_true(layer.version[0] >= '0' && layer.version[0] <= '9');
		}
		if (layer.kind == EH_LAYER_RUNTIME)
			assert_non_null(strstr(layer.detail, "threads="));
	}
	assert_int_equal(b->error.code, EH_E_INVALID_ARGUMENT);
	assert_int_equal(kinds, 1u << EH_LAYER_HARDWARE | 1u << EH_LAYER_RUNTIME |
	                 1u << EH_LAYER_COMPILER | 1u << EH_LAYER_LIBRARY);
}

static void small_structs_are_respected(void **state)
{
	bench *b = *state;
	struct { eh_device_info info; char after[16]; } d;
	eh_error e = { .struct_size = offsetof(eh_error, message), .message = "untouched" };
	eh_mark *m;

	memset(&d, 0x77, sizeof(d));
	d.info.struct_size = offsetof(eh_device_info, id);
	assert_int_equal(b->s.ops->device_info(b->s.self, 0, &d.info, NULL), EH_OK);
	assert_int_equal(d.info.type, EH_DEVICE_CPU);
	assert_int_equal(d.info.id[0], 0x77);
	assert_int_equal(b->s.ops->mark_create(b->s.device, EH_TIMED, &m, NULL), EH_OK);
	assert_int_equal(b->s.ops->mark_wait(m, &e), EH_E_INVALID_ARGUMENT);
	assert_int_equal(e.code, EH_E_INVALID_ARGUMENT);
	assert_string_equal(e.message, "untouched");
	b->s.ops->mark_destroy(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_group_runs_once),
		cmocka_unit_test(many_launches_lose_nothing),
		cmocka_unit_test(parts_are_contiguous_and_pinned),
		cmocka_unit_test(arguments_arrive),
		cmocka_unit_test(impossible_launches_are_refused),
		cmocka_unit_test(memory_moves_exactly),
		cmocka_unit_test(memory_keeps_its_bounds),
		cmocka_unit_test(marks_tell_the_time),
		cmocka_unit_test(a_wrong_program_says_where),
		cmocka_unit_test(a_group_too_deep_does_not_build),
		cmocka_unit_test(a_small_caller_stack_is_spared),
		cmocka_unit_test(the_stack_is_disclosed),
		cmocka_unit_test(small_structs_are_respected),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("host backend", tests, open_bench, close_bench);
}
