/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The OpenCL backend on the stacks of this machine, each in a process of its own and pinned with
 * OCL_ICD_VENDORS: PoCL, which measures time well, and Mesa's rusticl, which lies about it.  A test
 * program defines its tests and ends with stacks_run.
 */
#ifndef TESTS_OPENCL_STACK_H
#define TESTS_OPENCL_STACK_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

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

static inline eh_status build(const char *body, eh_program **program, char *log, size_t log_size)
{
	const eh_macro macros[] = { { "T_SUM", "(3 + 4)" }, { "T_TEXT", "\"a b)\"" } };
	const eh_source source = {
		.struct_size = sizeof(source), .macro_count = 2, .name = "test", .prelude = "/* none */",
		.body = body, .macros = macros,
		.digest = "0000000000000000000000000000000000000000000000000000000000000000"
	};
	return s.ops->program_build(s.device, &source, program, log, log_size, &error);
}

static inline void ok(eh_status status)
{
	if (status != EH_OK)
		fail_msg("%s: %s", error_status_name(status), error.message);
}

static inline eh_buffer *buffer(uint32_t kind, uint64_t bytes)
{
	eh_buffer *b = NULL;
	ok(s.ops->buffer_alloc(s.device, kind, bytes, &b, &error));
	assert_non_null(b);
	return b;
}

static inline eh_program *program(void)
{
	static eh_program *built; /* for the process */
	char log[2000];
	if (built == NULL)
		ok(build(kernels, &built, log, sizeof(log)));
	return built;
}

static inline eh_kernel *kernel(const char *name)
{
	eh_kernel *k = NULL;
	ok(s.ops->kernel_get(program(), name, &k, &error));
	return k;
}

static inline eh_status launch(eh_kernel *k, uint32_t groups, const eh_arg *args, uint32_t count)
{
	const eh_launch l = {
		.struct_size = sizeof(l), .arg_count = count, .groups = { groups, 1, 1 },
		.group_size = { 64, 1, 1 }, .args = args
	};
	return s.ops->launch(s.queue, k, &l, &error);
}

static inline void set(eh_buffer *to, uint32_t value, uint32_t step)
{
	const eh_arg args[] = { { .buffer = to }, { .data = &value, .size = 4 },
		{ .data = &step, .size = 4 } };
	ok(launch(kernel("t_set"), 1, args, 3));
}

static inline void wait_all(void)
{
	ok(s.ops->queue_wait(s.queue, &error));
}

static inline uint32_t word(eh_buffer *b, uint64_t index)
{
	uint32_t value = 0xdeadbeef;
	ok(s.ops->download(s.queue, &value, b, index * 4, 4, &error));
	wait_all();
	return value;
}

/* One stack, in a process of its own; `done` frees what the tests keep, NULL = nothing. */
static inline int stacks_one(const char *path, const char *const stack[2],
                             const struct CMUnitTest *tests, size_t count, void (*done)(void))
{
	int failed;
	eh_status status;
	slug = stack[0];
	unsetenv("RUSTICL_ENABLE");
	if (setenv("OCL_ICD_VENDORS", stack[1], 1) != 0)
		return 1;
	status = session_start(&s, path, &error);
	if (status == EH_OK)
		status = session_open(&s, 0, &error);
	if (status != EH_OK) {
		printf("not ok 1 - %s: %s\n1..1\n", slug, error.message);
		return 1;
	}
	cmocka_set_message_output(CM_OUTPUT_TAP);
	failed = _cmocka_run_group_tests(slug, tests, count, NULL, NULL);
	if (done != NULL)
		done();
	s.ops->program_destroy(program());
	session_close(&s);
	return failed;
}

/* What main returns. */
static inline int stacks_run(const struct CMUnitTest *tests, size_t count, void (*done)(void))
{
	static const char *const stacks[][3] = {
		{ "pocl", VENDORS "pocl.icd", "pocl-opencl-icd" },
		{ "rusticl", VENDORS "rusticl.icd", "mesa-opencl-icd" }
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
			printf("ok 1 - %s # SKIP there is no %s (package %s)\n1..1\n", stacks[i][0],
			       stacks[i][1], stacks[i][2]);
			continue;
		}
		fflush(stdout);
		child = fork();
		if (child == 0)
			exit(stacks_one(path, stacks[i], tests, count, done) != 0);
		if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status) ||
		    WEXITSTATUS(status) != 0) {
			printf("not ok 1 - %s failed or crashed\n1..1\n", stacks[i][0]);
			bad = 1;
		}
	}
	free(path);
	return bad;
}

#endif
