/* SPDX-License-Identifier: Apache-2.0 */
/* A backend with a test library of products above its test driver: one session, its products against naive
 * ones, and processes of this program with libraries that fail.  BACKEND is the backend's name. */
#ifndef UNIT_GEMM_LIBRARY_H
#define UNIT_GEMM_LIBRARY_H

#include <stdio.h>
#include <unistd.h>

#include "gemm_trial.h"
#include "plugin/host.h"

static session s;
static const eh_gemm_ops *ops;

static inline void set(const char *key, const char *value)
{
	char *setting = memory_format(BACKEND ".%s=%s", key, value);
	eh_error error = ERROR_INIT;

	if (host_option_set(setting, &error) != EH_OK)
		fail_msg("%s", error.message);
	free(setting);
}

static inline void open_session(void)
{
	const char *build = getenv("BUILD");
	char *path = memory_format("%s/lib/evenhand/backends/" BACKEND ".so", build != NULL ? build : ".");
	eh_error error = ERROR_INIT;

	if (session_start(&s, path, &error) != EH_OK || session_open(&s, 0, &error) != EH_OK)
		fail_msg("%s", error.message);
	free(path);
	ops = s.ops->extension(s.self, EH_GEMM_NAME);
	assert_true(EH_HAS(ops, eh_gemm_ops, destroy));
}

/* The only library that made products of the device. */
static inline bool device_has_it(eh_layer *found)
{
	for (uint32_t i = 0;; i++) {
		eh_layer layer = { .struct_size = sizeof(layer) };
		eh_error error = ERROR_INIT;
		char count[16];

		if (s.ops->device_layer(s.device, i, &layer, &error) != EH_OK) {
			snprintf(count, sizeof(count), "has %u layers", (unsigned)i);
			assert_non_null(strstr(error.message, count));
			return false;
		}
		if (layer.kind == EH_LAYER_LIBRARY) {
			*found = layer;
			assert_int_not_equal(s.ops->device_layer(s.device, i + 1, &layer, &error), EH_OK);
			snprintf(count, sizeof(count), "has %u layers", (unsigned)i + 1);
			assert_non_null(strstr(error.message, count));
			return true;
		}
	}
}

static inline void right(const trial_shape *shapes, size_t count, const char *in, const char *out,
                  const char *accumulate, eh_layer *layer)
{
	eh_error error = ERROR_INIT;

	for (size_t i = 0; i < count; i++)
		if (trial_run(&s, ops, &shapes[i], in, out, accumulate, layer, &error) != EH_OK)
			fail_msg("%s into %s, shape %zu: %s", in, out, i, error.message);
}

static inline void refused(const trial_shape *shape, const char *a, const char *b, const char *out,
                    const char *accumulate, eh_status status, const char *words)
{
	eh_gemm g = trial_gemm(shape, a, out, accumulate);
	eh_error error = ERROR_INIT;
	eh_gemm_plan *plan = NULL;
	uint64_t workspace = 77;

	strcpy(g.type_b, b);
	assert_int_equal(ops->prepare(s.device, &g, &plan, &workspace, &error), status);
	if (strstr(error.message, words) == NULL)
		fail_msg("\"%s\" is not in: %s", words, error.message);
	assert_null(plan);
	assert_int_equal(workspace, 77);
}

/* A x B of two formats: which of them is which survives the change of sides. */
static inline void right_mixed(const trial_shape *shape, const char *type_a, const char *type_b)
{
	eh_gemm g = trial_gemm(shape, type_a, "f32", "f32");
	eh_gemm_operands o = { .struct_size = sizeof(o) };
	eh_error error = ERROR_INIT;
	eh_gemm_plan *plan;
	uint64_t workspace;

	strcpy(g.type_b, type_b);
	assert_int_equal(ops->prepare(s.device, &g, &plan, &workspace, &error), EH_OK);
	o.a = trial_buffer(&s, 0, g.stride_a, g.type_a, 5);
	o.b = trial_buffer(&s, 0, g.stride_b, g.type_b, 3);
	o.c = trial_buffer(&s, 0, g.stride_c, g.type_c, 2);
	assert_int_equal(ops->enqueue(s.plain, plan, &o, &error), EH_OK);
	trial_compare(&s, &g, o.c, 0);
	ops->destroy(plan);
	s.ops->buffer_free(o.a);
	s.ops->buffer_free(o.b);
	s.ops->buffer_free(o.c);
}

/* ---- libraries that fail: each in a process of its own, as a test driver reads its faults once ---- */

static inline void product_says(const char *variable, const char *value, const char *file, const char *rest,
                         const char *words)
{
	char self[4096] = "", said[2048] = "";
	const ssize_t size = readlink("/proc/self/exe", self, sizeof(self) - 1);
	char *command = memory_format("%s='%s' '%s' '%s' %s 2>&1", variable, value, self, file, rest);
	FILE *pipe = popen(command, "r");

	assert_true(size > 0 && pipe != NULL);
	(void)fread(said, 1, sizeof(said) - 1, pipe);
	(void)pclose(pipe);
	if (strstr(said, words) == NULL)
		fail_msg("%s=%s with %s: \"%s\" is not in: %s", variable, value, file, words, said);
	free(command);
}

#endif
