/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of oneDNN on a GPU have in common: the test library of the backend's API, its types, and
 * processes in which it fails.  BACKEND and API ("ocl", "ze") are defined before. */
#ifndef UNIT_ONEDNN_LIBRARY_H
#define UNIT_ONEDNN_LIBRARY_H

#include <dlfcn.h>

#include "gemm_library.h"
#include "skipping.h"

#define VERSION "oneDNN 3.12.7"

static char *dnnl; /* the test library's file; NULL = the backend cannot be tested here */

static inline char *test_library(void)
{
	const char *build = getenv("BUILD");

	return memory_format("%s/tests/drivers/onednn/" API "/libdnnl.so.3", build != NULL ? build : ".");
}

static inline bool loaded(const char *file)
{
	void *object = dlopen(file, RTLD_NOW | RTLD_NOLOAD);

	if (object != NULL)
		(void)dlclose(object);
	return object != NULL;
}

/* Every engine, stream, memory and primitive was given back. */
static inline void nothing_is_left(void)
{
	void *object = dlopen(dnnl, RTLD_NOW | RTLD_NOLOAD);
	int (*live)(void) = NULL;

	assert_non_null(object);
	*(void **)&live = dlsym(object, "evenhand_test_dnnl_live");
	assert_non_null(*(void **)&live);
	assert_int_equal(live(), 0);
	(void)dlclose(object);
}

/* All that it has, each in all shapes that its type can add up exactly. */
static inline void all_types(const trial_shape *shapes, size_t count)
{
	static const char *const types[][3] = {
		{ "f32", "f32", "f32" },   { "bf16", "bf16", "f32" }, { "bf16", "f32", "f32" },
		{ "f16", "f16", "f32" },   { "f16", "f32", "f32" },   { "e4m3", "bf16", "f32" },
		{ "e4m3", "f32", "f32" },  { "e5m2", "bf16", "f32" }, { "e5m2", "f32", "f32" },
		{ "i8", "i32", "i32" },    { "f64", "f64", "f64" },
	};
	eh_layer layer;

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		right(shapes, strcmp(types[i][1], "bf16") == 0 ? 2 : count, types[i][0], types[i][1], types[i][2],
		      &layer);
}

typedef struct trial {
	eh_gemm gemm;
	eh_gemm_plan *plan;
	eh_gemm_operands o;
} trial;

static inline trial trial_begin(const trial_shape *shape)
{
	trial t = { .gemm = trial_gemm(shape, "f32", "f32", "f32"),
		    .o = { .struct_size = sizeof(t.o), .offset_a = shape->offset, .offset_b = shape->offset,
		           .offset_c = shape->offset } };
	eh_error error = ERROR_INIT;
	uint64_t workspace = 0;

	if (ops->prepare(s.device, &t.gemm, &t.plan, &workspace, &error) != EH_OK)
		fail_msg("%s", error.message);
	t.o.a = trial_buffer(&s, shape->offset, t.gemm.stride_a * t.gemm.batch, "f32", 5);
	t.o.b = trial_buffer(&s, shape->offset, t.gemm.stride_b * t.gemm.batch, "f32", 3);
	t.o.c = trial_buffer(&s, shape->offset, t.gemm.stride_c * t.gemm.batch, "f32", 2);
	return t;
}

static inline void trial_end(trial *t)
{
	ops->destroy(t->plan);
	s.ops->buffer_free(t->o.a);
	s.ops->buffer_free(t->o.b);
	s.ops->buffer_free(t->o.c);
}

/* A product in a queue of its own, behind what the queue had before, and again after that queue is gone. */
static inline void several_queues(void)
{
	eh_error error = ERROR_INIT;
	trial t = trial_begin(&trial_shapes[TRIAL_PLAIN]);

	for (int i = 0; i < 3; i++) {
		eh_queue *queue = NULL;

		assert_int_equal(s.ops->queue_create(s.device, i == 1 ? EH_TIMED : 0, &queue, &error), EH_OK);
		assert_int_equal(s.ops->fill(queue, t.o.c, 0, t.gemm.stride_c * 4, 0x7f7f7f7f, &error), EH_OK);
		if (ops->enqueue(queue, t.plan, &t.o, &error) != EH_OK)
			fail_msg("%s", error.message);
		assert_int_equal(s.ops->queue_wait(queue, &error), EH_OK);
		trial_compare(&s, &t.gemm, t.o.c, 0);
		s.ops->queue_destroy(queue);
	}
	trial_end(&t);
}

static inline void operands_are_checked(void)
{
	const eh_graph_ops *graphs = s.ops->extension(s.self, EH_GRAPH_NAME);
	eh_error error = ERROR_INIT;
	trial t = trial_begin(&trial_shapes[TRIAL_PLAIN]);
	eh_buffer *a = t.o.a;
	eh_graph *graph = NULL;

	t.o.a = NULL;
	assert_int_equal(ops->enqueue(s.plain, t.plan, &t.o, &error), EH_E_INVALID_ARGUMENT);
	t.o.a = a;
	t.o.offset_c = 8;
	assert_int_equal(ops->enqueue(s.plain, t.plan, &t.o, &error), EH_E_INVALID_ARGUMENT);
	assert_non_null(strstr(error.message, "multiples of 16 bytes"));
	t.o.offset_c = 16;
	assert_int_equal(ops->enqueue(s.plain, t.plan, &t.o, &error), EH_E_INVALID_ARGUMENT);
	t.o.offset_c = 0;
	if (graphs != NULL && graphs->begin(s.plain, &error) == EH_OK) {
		assert_int_equal(ops->enqueue(s.plain, t.plan, &t.o, &error), EH_E_UNSUPPORTED);
		assert_non_null(strstr(error.message, "cannot be recorded"));
		(void)graphs->end(s.plain, &graph, &error);
		if (graph != NULL)
			graphs->destroy(graph);
	}
	trial_end(&t);
}

/* What a process of this program says of a product: NAME=VALUE are settings, the rest is its type. */
static inline void child(int count, char **words)
{
	const char *type = "f32", *out;
	eh_error error = ERROR_INIT;
	eh_layer layer;
	eh_status status;

	for (int i = 0; i < count; i++) {
		char *equals = strchr(words[i], '=');

		if (equals == NULL) {
			type = words[i];
		} else {
			*equals = '\0';
			set(words[i], equals + 1);
		}
	}
	out = type[0] == 'e' ? "f32" : type;
	open_session();
	status = trial_run(&s, ops, &trial_shapes[TRIAL_PLAIN], type, out, out, &layer, &error);
	if (status == EH_OK)
		printf("ok: %s %s of %s\n", layer.name, layer.detail, layer.path);
	else
		printf("%s: %s\n", error_status_name(status), error.message);
	fflush(stdout);
	session_close(&s);
}

#endif
