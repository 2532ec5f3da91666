/* SPDX-License-Identifier: Apache-2.0 */
/* eh.gemm.1 of the HIP backend: the test libraries of products on the test runtime. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <dlfcn.h>
#include <sys/stat.h>

#include <cmocka.h>

extern char **environ;

#define BACKEND "hip"
#include "gemm_library.h"
#include "skipping.h"

#define LT "hipBLASLt 1.1.2 (7e57ab1e)"
#define ROC "rocBLAS 5.1.2.7e57ab1e"
#define ALGORITHM_42 "algorithm 2a000000"
#define ALGORITHM_4711 "algorithm 671200000020"
#define ALGORITHM_70000 "algorithm 70110100"

static char *folder, *lt, *roc;

static void use_test_runtime(const char *rocm)
{
	const char *build = getenv("BUILD");
	char *runtime;

	folder = memory_format("%s/tests/drivers/hip%s", build != NULL ? build : ".", rocm);
	runtime = memory_format("%s/libamdhip64.so.%s", folder, rocm);
	set("library", runtime);
	free(runtime);
}

static void forget_variables(void)
{
	static const char *const beginnings[] = { "HIPBLASLT_", "ROCBLAS_", "TENSILE_", "GRIDBASED_" };

	for (size_t b = 0; b < sizeof(beginnings) / sizeof(beginnings[0]); b++)
		for (char **entry = environ; *entry != NULL;)
			if (strncmp(*entry, beginnings[b], strlen(beginnings[b])) == 0) {
				char *name = memory_format("%.*s", (int)strcspn(*entry, "="), *entry);

				(void)unsetenv(name);
				free(name);
				entry = environ;
			} else {
				entry++;
			}
}

static int begin(void **state)
{
	(void)state;
	forget_variables();
	(void)unsetenv("ROCM_PATH");
	(void)unsetenv("EVENHAND_TEST_FAULT");
	(void)setenv("EVENHAND_TEST_HIP_ARCH", "gfx942:sramecc+:xnack-", 1);
	use_test_runtime("7");
	lt = memory_format("%s/libhipblaslt.so.1", folder);
	roc = memory_format("%s/librocblas.so.5", folder);
	if (access(lt, R_OK) != 0) {
		free(lt);
		lt = NULL;
		return 0;
	}
	open_session();
	return 0;
}

static int end(void **state)
{
	size_t (*live)(char *text, size_t size) = NULL;
	char *path = memory_format("%s/libamdhip64.so.7", folder), left[256] = "";
	void *object;

	(void)state;
	if (lt != NULL) {
		session_close(&s);
		object = dlopen(path, RTLD_NOW | RTLD_NOLOAD);
		assert_non_null(object);
		*(void **)&live = dlsym(object, "evenhand_test_live");
		assert_non_null(*(void **)&live);
		/* With every handle, description and buffer. */
		if (live(left, sizeof(left)) != 0)
			fail_msg("left: %s", left);
		(void)dlclose(object);
	}
	free(path);
	free(folder);
	free(lt);
	free(roc);
	return 0;
}

#define NEEDS_LIBRARIES \
	do { \
		(void)state; \
		if (lt == NULL) \
			skip_because(NO_HIP_DRIVER); \
	} while (0)

static void test_not_before_the_first_product(void **state)
{
	eh_layer layer;
	void *object;

	NEEDS_LIBRARIES;
	assert_false(device_has_it(&layer));
	object = dlopen(lt, RTLD_NOW | RTLD_NOLOAD);
	assert_null(object);
	object = dlopen(roc, RTLD_NOW | RTLD_NOLOAD);
	assert_null(object);
}

/* hipBLASLt has what it has, and rocBLAS the rest: the row says why. */
static void test_which_library(void **state)
{
	eh_layer layer, of_device;

	NEEDS_LIBRARIES;
	right(&trial_shapes[TRIAL_PLAIN], 1, "f32", "f32", "f32", &layer);
	assert_string_equal(layer.name, "hipBLASLt");
	assert_string_equal(layer.version, "1.1.2 (7e57ab1e)");
	assert_string_equal(layer.path, lt);
	assert_string_equal(layer.detail, "kernel=" ALGORITHM_42 "; picked=hipblasLtMatmulAlgoGetHeuristic, rank 2 "
	                    "of 2; workspace=0; compute=HIPBLAS_COMPUTE_32F; numerics=not told; "
	                    "interface=hipblasLtMatmul");
	right(&trial_shapes[TRIAL_LARGE], 1, "f32", "f32", "f32", &layer);
	assert_non_null(strstr(layer.detail, "kernel=" ALGORITHM_70000 "; "));
	assert_true(device_has_it(&of_device));
	assert_string_equal(of_device.detail, "picked=hipblasLtMatmulAlgoGetHeuristic; kernel=" ALGORITHM_42
	                    " | " ALGORITHM_70000);
	right(&trial_shapes[TRIAL_PLAIN], 1, "f64", "f64", "f64", &layer);
	assert_string_equal(layer.name, "rocBLAS");
	assert_string_equal(layer.version, "5.1.2.7e57ab1e");
	assert_string_equal(layer.path, roc);
	assert_non_null(strstr(layer.detail, "kernel=not told; picked=rocblas_gemm_algo_standard; workspace=0; "
	                       "passed-over=hipBLASLt has no product of f64; compute=rocblas_datatype_f64_r; "
	                       "numerics=not told; interface=rocblas_gemm_strided_batched_ex; hipblaslt="));
	/* It is linked with it. */
	assert_non_null(strstr(layer.detail, "/libhipblaslt.so.1"));
}

static void all_types(const char *const types[][3], size_t count)
{
	/* Sums of the large product and of halves are beyond what a half holds exactly. */
	const size_t few = TRIAL_LARGE;
	eh_layer layer;

	for (size_t i = 0; i < count; i++)
		right(trial_shapes, i == 0 ? TRIAL_SHAPES : strcmp(types[i][1], "bf16") == 0 ? 3 : few,
		      types[i][0], types[i][1], types[i][2], &layer);
}

static void test_right_numbers(void **state)
{
	static const char *const types[][3] = {
		{ "f32", "f32", "f32" },   { "tf32", "f32", "f32" },  { "f16", "f16", "f32" },
		{ "f16", "f32", "f32" },   { "bf16", "bf16", "f32" }, { "bf16", "f32", "f32" },
		{ "i8", "i32", "i32" },
	};
	static const char *const others[][3] = {
		{ "f64", "f64", "f64" },   { "f32", "f32", "f32" },   { "f16", "f16", "f32" },
		{ "f16", "f32", "f32" },   { "bf16", "bf16", "f32" }, { "bf16", "f32", "f32" },
		{ "i8", "i32", "i32" },
	};
	eh_layer layer;

	NEEDS_LIBRARIES;
	set("gemm", "hipblaslt");
	all_types(types, sizeof(types) / sizeof(types[0]));
	right(&trial_shapes[TRIAL_PLAIN], 1, "e4m3z", "bf16", "f32", &layer);
	right(&trial_shapes[TRIAL_BATCH], 1, "e5m2z", "f32", "f32", &layer);
	assert_non_null(strstr(layer.detail, "rank 2 of 2 (hip.gemm); "));
	set("gemm", "rocblas");
	all_types(others, sizeof(others) / sizeof(others[0]));
	trial_workspace = 1 << 20;
	right(&trial_shapes[TRIAL_BATCH], 1, "f16", "f32", "f32", &layer);
	assert_non_null(strstr(layer.detail, "picked=rocblas_gemm_algo_standard (hip.gemm); workspace=8192; "));
	/* Less than the library would like. */
	trial_workspace = 1000;
	right(&trial_shapes[TRIAL_BATCH], 1, "f16", "f32", "f32", &layer);
	assert_non_null(strstr(layer.detail, "workspace=768; "));
	set("gemm", "hipblaslt");
	trial_workspace = 1 << 20;
	right(&trial_shapes[TRIAL_BATCH], 1, "f16", "f32", "f32", &layer);
	assert_non_null(strstr(layer.detail, "kernel=" ALGORITHM_4711 "; "));
	assert_non_null(strstr(layer.detail, "rank 2 of 3 (hip.gemm); workspace=8192; "));
	trial_workspace = 0;
}

static void test_mixed_formats(void **state)
{
	NEEDS_LIBRARIES;
	right_mixed(&trial_shapes[TRIAL_PLAIN], "e4m3z", "e5m2z");
	right_mixed(&trial_shapes[TRIAL_PLAIN], "e5m2z", "e4m3z");
}

/* ---- queues, graphs, devices ---- */

typedef struct trial {
	const session *of;
	eh_gemm gemm;
	eh_gemm_plan *plan;
	eh_gemm_operands o;
} trial;

static trial trial_begin(const session *of, const char *type, uint64_t limit)
{
	trial t = { .of = of, .gemm = trial_gemm(&trial_shapes[TRIAL_PLAIN], type, "f32", "f32"),
		    .o = { .struct_size = sizeof(t.o) } };
	eh_error error = ERROR_INIT;
	uint64_t workspace = 0;

	t.gemm.workspace_limit = limit;
	if (ops->prepare(of->device, &t.gemm, &t.plan, &workspace, &error) != EH_OK)
		fail_msg("%s", error.message);
	if (workspace > 0)
		assert_int_equal(of->ops->buffer_alloc(of->device, EH_MEMORY_DEVICE, workspace, &t.o.workspace,
		                                       &error), EH_OK);
	t.o.a = trial_buffer(of, 0, t.gemm.stride_a, type, 5);
	t.o.b = trial_buffer(of, 0, t.gemm.stride_b, type, 3);
	t.o.c = trial_buffer(of, 0, t.gemm.stride_c, "f32", 2);
	return t;
}

static void trial_enqueue(const trial *t, eh_queue *queue)
{
	eh_error error = ERROR_INIT;

	if (ops->enqueue(queue, t->plan, &t->o, &error) != EH_OK)
		fail_msg("%s", error.message);
}

static void trial_end(trial *t)
{
	ops->destroy(t->plan);
	t->of->ops->buffer_free(t->o.a);
	t->of->ops->buffer_free(t->o.b);
	t->of->ops->buffer_free(t->o.c);
	t->of->ops->buffer_free(t->o.workspace);
}

static eh_queue *new_queue(const session *of)
{
	eh_error error = ERROR_INIT;
	eh_queue *queue;

	assert_int_equal(of->ops->queue_create(of->device, 0, &queue, &error), EH_OK);
	return queue;
}

/* The libraries overwrite a workspace that they use. */
static bool workspace_used(const trial *t)
{
	unsigned char first[8] = { 0 };
	eh_error error = ERROR_INIT;

	assert_int_equal(s.ops->download(s.plain, first, t->o.workspace, 0, sizeof(first), &error), EH_OK);
	assert_int_equal(s.ops->queue_wait(s.plain, &error), EH_OK);
	return first[0] == 0xff && first[7] == 0xff;
}

/* The library's handle is used by several queues, also after one of them is gone, and while one records. */
static void test_queues(void **state)
{
	static const char *const makers[] = { "hipblaslt", "rocblas" };
	const eh_graph_ops *graphs;
	eh_error error = ERROR_INIT;

	NEEDS_LIBRARIES;
	graphs = s.ops->extension(s.self, EH_GRAPH_NAME);
	assert_non_null(graphs);
	for (size_t i = 0; i < 2; i++) {
		eh_queue *first = new_queue(&s), *second;
		eh_graph *graph = NULL;
		trial a, b, c;

		set("gemm", makers[i]);
		a = trial_begin(&s, "f16", 1 << 20);
		b = trial_begin(&s, "f32", 0);
		trial_enqueue(&b, s.plain);
		assert_false(workspace_used(&a));
		trial_enqueue(&a, first);
		assert_int_equal(s.ops->queue_wait(first, &error), EH_OK);
		assert_true(workspace_used(&a));
		trial_compare(&s, &a.gemm, a.o.c, 0);
		trial_compare(&s, &b.gemm, b.o.c, 0);
		trial_enqueue(&a, first);
		s.ops->queue_destroy(first);
		second = new_queue(&s);
		trial_enqueue(&b, second);
		/* While one records, the other goes on, and plans come and go. */
		assert_int_equal(graphs->begin(second, &error), EH_OK);
		trial_enqueue(&a, second);
		c = trial_begin(&s, "bf16", 0);
		trial_enqueue(&c, s.plain);
		trial_compare(&s, &c.gemm, c.o.c, 0);
		trial_end(&c);
		trial_enqueue(&b, second);
		assert_int_equal(graphs->end(second, &graph, &error), EH_OK);
		assert_int_equal(graphs->launch(second, graph, &error), EH_OK);
		assert_int_equal(s.ops->queue_wait(second, &error), EH_OK);
		graphs->destroy(graph);
		trial_compare(&s, &a.gemm, a.o.c, 0);
		trial_compare(&s, &b.gemm, b.o.c, 0);
		trial_end(&a);
		trial_end(&b);
		s.ops->queue_destroy(second);
	}
}

static void clear(const session *of, const trial *t)
{
	eh_error error = ERROR_INIT;

	assert_int_equal(of->ops->fill(of->plain, t->o.c, 0, t->gemm.stride_c * 4, 0, &error), EH_OK);
	assert_int_equal(of->ops->queue_wait(of->plain, &error), EH_OK);
}

/* What was recorded runs when the graph does, each time, and not before. */
static void launch_twice(const session *of, const trial *t, bool prepare_inside)
{
	const eh_graph_ops *graphs = of->ops->extension(of->self, EH_GRAPH_NAME);
	eh_error error = ERROR_INIT;
	eh_graph *graph = NULL;
	trial inside;

	assert_int_equal(graphs->begin(of->queue, &error), EH_OK);
	if (prepare_inside) {
		inside = trial_begin(of, "f32", 0);
		t = &inside;
	}
	trial_enqueue(t, of->queue);
	assert_int_equal(graphs->end(of->queue, &graph, &error), EH_OK);
	for (int i = 0; i < 2; i++) {
		clear(of, t);
		assert_int_equal(graphs->launch(of->queue, graph, &error), EH_OK);
		assert_int_equal(of->ops->queue_wait(of->queue, &error), EH_OK);
		trial_compare(of, &t->gemm, t->o.c, 0);
	}
	graphs->destroy(graph);
	if (prepare_inside)
		trial_end(&inside);
}

/* Two devices of one backend, each with a handle of its own. */
static void test_two_devices(void **state)
{
	session other = s;
	eh_error error = ERROR_INIT;
	trial a, b;

	NEEDS_LIBRARIES;
	other.device = NULL;
	assert_int_equal(session_open(&other, 1, &error), EH_OK);
	set("gemm", "rocblas");
	a = trial_begin(&s, "f32", 0);
	b = trial_begin(&other, "f16", 1 << 20);
	trial_enqueue(&a, s.plain);
	trial_enqueue(&b, other.plain);
	trial_compare(&s, &a.gemm, a.o.c, 0);
	trial_compare(&other, &b.gemm, b.o.c, 0);
	assert_int_equal(ops->enqueue(other.plain, a.plan, &a.o, &error), EH_E_INVALID_ARGUMENT);
	assert_non_null(strstr(error.message, "the queue of the device that it was prepared for"));
	launch_twice(&other, &b, false);
	set("gemm", "hipblaslt");
	launch_twice(&other, NULL, true);
	trial_end(&b);
	other.ops->queue_destroy(other.queue);
	other.ops->queue_destroy(other.plain);
	other.ops->device_close(other.device);
	launch_twice(&s, &a, false);
	trial_end(&a);
}

static void test_refusals(void **state)
{
	static const trial_shape half = { 16, 16, 16, 0, 0, 1, 0, 0, 0.5, 0 };
	const trial_shape *plain = &trial_shapes[TRIAL_PLAIN];
	trial_shape many = *plain;

	NEEDS_LIBRARIES;
	set("gemm", "hipblaslt");
	refused(plain, "f64", "f64", "f64", "f64", EH_E_UNSUPPORTED, "hipBLASLt has no product of f64.");
	refused(plain, "e4m3", "e4m3", "bf16", "f32", EH_E_UNSUPPORTED,
	        "hipBLASLt has no product of e4m3 into bf16 added up in f32 on gfx942, whose 8-bit floats are e4m3z "
	        "and e5m2z.");
	refused(plain, "f16", "f16", "f16", "f16", EH_E_UNSUPPORTED, "has no product of f16.");
	refused(&half, "i8", "i8", "i32", "i32", EH_E_UNSUPPORTED, "hipBLASLt scales a product of i8 into i32 by "
	        "whole numbers");
	set("gemm", "rocblas");
	refused(plain, "tf32", "tf32", "f32", "f32", EH_E_UNSUPPORTED, "rocBLAS has no product of tf32");
	refused(plain, "e4m3z", "e4m3z", "f32", "f32", EH_E_UNSUPPORTED, "rocBLAS has no product of e4m3z");
	many.pad = UINT64_C(1) << 31;
	refused(&many, "f32", "f32", "f32", "f32", EH_E_UNSUPPORTED, "rocBLAS counts in 32 bits");
	set("gemm", "hipblas");
	refused(plain, "f32", "f32", "f32", "f32", EH_E_INVALID_ARGUMENT,
	        "hip.gemm is hipblas, and it can be hipblaslt or rocblas.");
	set("gemm", "hipblaslt");
}

static void test_operands_are_checked(void **state)
{
	static const char *const makers[] = { "hipblaslt", "rocblas" };

	NEEDS_LIBRARIES;
	for (size_t i = 0; i < 2; i++) {
		eh_error error = ERROR_INIT;
		eh_buffer *host = NULL, *workspace;
		trial t;

		set("gemm", makers[i]);
		t = trial_begin(&s, "f16", 1 << 20);
		workspace = t.o.workspace;
		assert_non_null(workspace);
		t.o.workspace = NULL;
		assert_int_equal(ops->enqueue(s.plain, t.plan, &t.o, &error), EH_E_INVALID_ARGUMENT);
		assert_non_null(strstr(error.message, "workspace of 8192 bytes"));
		t.o.workspace = workspace;
		t.o.offset_c = 16;
		assert_int_equal(ops->enqueue(s.plain, t.plan, &t.o, &error), EH_E_INVALID_ARGUMENT);
		t.o.offset_c = 0;
		assert_int_equal(s.ops->buffer_alloc(s.device, EH_MEMORY_PINNED, 8192, &host, &error), EH_OK);
		t.o.workspace = host;
		assert_int_equal(ops->enqueue(s.plain, t.plan, &t.o, &error), EH_E_INVALID_ARGUMENT);
		assert_non_null(strstr(error.message, "The workspace of a product lies in device memory."));
		t.o.workspace = workspace;
		s.ops->buffer_free(host);
		trial_end(&t);
	}
}

/* ---- libraries that fail ---- */

/* A product on a device that is lost by it, or not. */
static void lose(void)
{
	trial t = trial_begin(&s, "f32", 0);
	eh_error error = ERROR_INIT;

	trial_enqueue(&t, s.plain);
	printf("%s\n", s.ops->queue_wait(s.plain, &error) == EH_OK ? "kept" : error.message);
	trial_end(&t);
}

/* What a process of this program says of a product: NAME=VALUE are settings, the rest is its type, and
 * "first" has it made in a recording. */
static void child(int count, char **words)
{
	const char *type = "f32", *rocm = "7", *out = "f32";
	bool first = false, lost = false;
	eh_error error = ERROR_INIT;
	eh_layer layer;
	eh_status status;

	for (int i = 0; i < count; i++) {
		char *equals = strchr(words[i], '=');

		if (equals == NULL && strcmp(words[i], "first") == 0)
			first = true;
		else if (equals == NULL && strcmp(words[i], "lose") == 0)
			lost = true;
		else if (equals == NULL)
			type = words[i];
		else if (strncmp(words[i], "rocm=", 5) == 0)
			rocm = equals + 1;
		else {
			*equals = '\0';
			set(words[i], equals + 1);
		}
	}
	use_test_runtime(rocm);
	open_session();
	if (strcmp(type, "f64") == 0)
		out = type;
	if (lost) {
		lose();
	} else if (first) {
		launch_twice(&s, NULL, true);
		printf("ok: recorded\n");
	} else {
		status = trial_run(&s, ops, &trial_shapes[TRIAL_PLAIN], type, out, out, &layer, &error);
		if (status == EH_OK)
			printf("ok: %s %s of %s\n", layer.name, layer.detail, layer.path);
		else
			printf("%s: %s\n", error_status_name(status), error.message);
	}
	fflush(stdout);
	session_close(&s);
}

static void fault_says(const char *fault, const char *rest, const char *words)
{
	product_says("EVENHAND_TEST_FAULT", fault, "child", rest, words);
}

static void test_libraries_that_fail(void **state)
{
	static const struct { const char *fault, *rest, *words; } all[] = {
		{ "", "", "ok: hipBLASLt kernel=" ALGORITHM_42 "; " },
		{ "", "f64", "ok: rocBLAS kernel=not told; " },
		/* Without one library the other makes the product. */
		{ "hipblasLtMatmulAlgoGetHeuristic=none", "",
		  "ok: rocBLAS kernel=not told; picked=rocblas_gemm_algo_standard; workspace=0; passed-over=" LT
		  " offers no algorithm for a product of f32 of 17 x 23 x 31 on TEST HIP device 0; " },
		{ "hipblasLtMatmulAlgoGetHeuristic=refused", "gemm=hipblaslt", "unsupported: " LT " offers no algorithm "
		  "for a product of f32 of 17 x 23 x 31 on TEST HIP device 0: hipblasLtMatmulAlgoGetHeuristic returned "
		  "HIPBLAS_STATUS_NOT_SUPPORTED (7).\n" },
		{ "hipblasLtMatmulAlgoGetHeuristic=6", "", "ok: rocBLAS" },
		{ "hipblasLtMatmulAlgoGetHeuristic=invalid", "", "internal: " LT " picks no algorithm on TEST HIP device "
		  "0: hipblasLtMatmulAlgoGetHeuristic returned HIPBLAS_STATUS_INVALID_VALUE (3).\n" },
		{ "hipblasLtMatrixLayoutCreate@2=invalid", "gemm=hipblaslt", "unsupported: " LT " does not take a product "
		  "of f32: hipblasLtMatrixLayoutCreate returned HIPBLAS_STATUS_INVALID_VALUE (3).\n" },
		{ "hipblasLtMatmulDescCreate=oom", "", "no-memory: " LT " does not take a product of f32: "
		  "hipblasLtMatmulDescCreate returned HIPBLAS_STATUS_ALLOC_FAILED (2). Free memory" },
		{ "hipblasLtMatmulPreferenceCreate=oom", "", "hipblasLtMatmulPreferenceCreate returned "
		  "HIPBLAS_STATUS_ALLOC_FAILED (2)." },
		{ "hipblasLtMatmulPreferenceSetAttribute=invalid", "", "internal: " LT " picks no algorithm" },
		{ "hipblasLtCreate=oom", "", "no-memory: hipBLASLt does not start on TEST HIP device 0: hipblasLtCreate "
		  "returned HIPBLAS_STATUS_ALLOC_FAILED (2)." },
		{ "hipblasLtGetVersion=old", "gemm=hipblaslt", "unsupported: hipBLASLt 0.5.0 is older than 0.6, that of "
		  "ROCm 6.0.\n" },
		{ "hipblasLtGetVersion=6", "", "does not tell its version: hipblasLtGetVersion returned "
		  "HIPBLAS_STATUS_INTERNAL_ERROR (6)." },
		{ "hipblasLtGetGitRevision=untold;hipblasLtMatmulAlgoGetHeuristic=invalid", "",
		  "hipBLASLt 1.1.2 picks no" },
		{ "hipblasLtGetGitRevision=6;hipblasLtMatmulAlgoGetHeuristic=invalid", "", "hipBLASLt 1.1.2 picks no" },
		{ "hipblasLtMatmul=5", "", "hipblasLtMatmul returned HIPBLAS_STATUS_EXECUTION_FAILED (5)." },
		{ "hipblasLtMatmul=99", "", "hipblasLtMatmul returned unknown hipBLAS status (99)." },
		{ "rocblas_create_handle=oom", "f64", "no-memory: " ROC " does not start on TEST HIP device 0: "
		  "rocblas_create_handle returned rocblas_status_memory_error (5). Free memory" },
		{ "rocblas_set_workspace=invalid", "f64", "internal: rocBLAS takes no workspace of 128 bytes" },
		{ "rocblas_set_stream=invalid", "f64", "rocblas_set_stream returned rocblas_status_invalid_value (11)." },
		{ "rocblas_start_device_memory_size_query=8", "f64", "internal: " ROC " does not take a product of f64 on "
		  "TEST HIP device 0: rocblas_start_device_memory_size_query returned "
		  "rocblas_status_size_query_mismatch (8).\n" },
		{ "rocblas_stop_device_memory_size_query=8", "f64", "rocblas_stop_device_memory_size_query returned" },
		{ "rocblas_gemm_strided_batched_ex@1=unsupported", "gemm=rocblas", "unsupported: " ROC " does not take a "
		  "product of f32 on TEST HIP device 0: rocblas_gemm_strided_batched_ex returned "
		  "rocblas_status_not_implemented (2).\n" },
		{ "rocblas_gemm_strided_batched_ex@2=6", "f64", ROC " does not make the product on TEST HIP device 0: "
		  "rocblas_gemm_strided_batched_ex returned rocblas_status_internal_error (6)." },
		{ "rocblas_gemm_strided_batched_ex@2=99", "f64", "returned unknown rocBLAS status (99)." },
		{ "rocblas_get_version_string=untold", "gemm=rocblas", "/librocblas.so.5 does not tell its version" },
		/* Both have none: both reasons stand, though they are long. */
		{ "hipblasLtMatmulAlgoGetHeuristic=none;rocblas_gemm_strided_batched_ex@1=unsupported", "",
		  "unsupported: " LT " offers no algorithm for a product of f32 of 17 x 23 x 31 on TEST HIP device 0. " ROC
		  " does not take a product of f32 on TEST HIP device 0: rocblas_gemm_strided_batched_ex returned "
		  "rocblas_status_not_implemented (2).\n" },
		/* A file that the user named. */
		{ "", "hipblaslt=/none/libhipblaslt.so.1", "unavailable: hipBLASLt /none/libhipblaslt.so.1 cannot be opened (no such file); "
		  "install hipblaslt (ROCm) or libhipblaslt1 (Debian)" },
		{ "", "hipblaslt=libm.so.6", "libm.so.6 has no hipblasLtCreate; it is no hipBLASLt of ROCm 6 or 7" },
		{ "", "gemm=rocblas rocblas=libm.so.6", "has no rocblas_create_handle; it is no rocBLAS" },
		/* ROCm 6, whose rocBLAS is linked with nothing else. */
		{ "", "rocm=6", "ok: hipBLASLt kernel=" },
		{ "", "rocm=6 f64", "interface=rocblas_gemm_strided_batched_ex; hipblaslt=not linked of " },
	};

	NEEDS_LIBRARIES;
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		fault_says(all[i].fault, all[i].rest, all[i].words);
}

/* The very first product, with its library, handle and version, in the middle of a recording. */
static void test_the_first_product_in_a_recording(void **state)
{
	NEEDS_LIBRARIES;
	fault_says("", "first", "ok: recorded\n");
	fault_says("", "first gemm=rocblas", "ok: recorded\n");
}

static int calls_of(const char *path, const char *function)
{
	FILE *file = fopen(path, "r");
	char line[128];
	int count = 0;

	assert_non_null(file);
	while (fgets(line, sizeof(line), file) != NULL)
		count += strncmp(line, function, strlen(function)) == 0 && line[strlen(function)] == '\n';
	(void)fclose(file);
	return count;
}

/* The real libraries end the process when they cannot give memory back. */
static void test_a_lost_device_keeps_its_handle(void **state)
{
	static const struct { const char *fault, *rest, *words, *made, *ended; int count; } all[] = {
		{ "", "lose gemm=hipblaslt", "kept", "hipblasLtCreate", "hipblasLtDestroy", 1 },
		{ "lost@4", "lose gemm=hipblaslt", "new process", "hipblasLtCreate", "hipblasLtDestroy", 0 },
		{ "", "lose gemm=rocblas", "kept", "rocblas_create_handle", "rocblas_destroy_handle", 1 },
		{ "lost@4", "lose gemm=rocblas", "new process", "rocblas_create_handle", "rocblas_destroy_handle", 0 },
	};
	char path[] = "/tmp/evenhand-calls-XXXXXX";
	int fd;

	NEEDS_LIBRARIES;
	fd = mkstemp(path);
	assert_true(fd >= 0);
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		char *fault = memory_format("%s' EVENHAND_TEST_CALLS='%s", all[i].fault, path);

		assert_int_equal(ftruncate(fd, 0), 0);
		fault_says(fault, all[i].rest, all[i].words);
		assert_int_equal(calls_of(path, all[i].made), 1);
		assert_int_equal(calls_of(path, all[i].ended), all[i].count);
		free(fault);
	}
	(void)close(fd);
	(void)unlink(path);
}

static void test_variables_are_named(void **state)
{
	NEEDS_LIBRARIES;
	product_says("TENSILE_SOLUTION_INDEX=3 HIPBLASLT_TENSILE_LIBPATH", "/none", "child", "",
	             "rank 2 of 2 (HIPBLASLT_TENSILE_LIBPATH, TENSILE_SOLUTION_INDEX); ");
	product_says("ROCBLAS_USE_HIPBLASLT=1 ROCBLAS_TENSILE_LIBPATH", "/none", "child", "gemm=rocblas",
	             "picked=rocblas_gemm_algo_standard (hip.gemm, ROCBLAS_");
}

static void test_types_by_device(void **state)
{
	static const struct { const char *device, *rest, *words; } all[] = {
		{ "gfx90a:sramecc+:xnack-", "tf32", "unsupported: hipBLASLt has no product of tf32 into f32 on gfx90a: "
		  "only gfx940 to gfx942 multiply xf32. rocBLAS has no product of tf32 into f32.\n" },
		{ "gfx950:sramecc+:xnack-", "tf32", "unsupported: hipBLASLt has no product of tf32 into f32 on gfx950" },
		{ "gfx950:sramecc+:xnack-", "e4m3", "ok: hipBLASLt" },
		{ "gfx1201", "e5m2", "ok: hipBLASLt" },
		{ "gfx1201", "e4m3z gemm=hipblaslt", "on gfx1201, whose 8-bit floats are e4m3 and e5m2.\n" },
		{ "gfx90a:sramecc+:xnack-", "e4m3 gemm=hipblaslt", "on gfx90a, which multiplies no 8-bit floats.\n" },
		{ "gfx1100", "e4m3z gemm=hipblaslt", "on gfx1100, which multiplies no 8-bit floats.\n" },
		{ "gfx940", "tf32", "compute=HIPBLAS_COMPUTE_32F_FAST_TF32; " },
	};

	NEEDS_LIBRARIES;
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		product_says("EVENHAND_TEST_HIP_ARCH", all[i].device, "child", all[i].rest, all[i].words);
}

/* Another runtime in the process: its streams are nothing to ours. */
static void test_a_library_of_another_runtime(void **state)
{
	const char *build = getenv("BUILD");
	char *rest;

	NEEDS_LIBRARIES;
	rest = memory_format("rocm=6 hipblaslt='%s/tests/drivers/hip7/libhipblaslt.so.1'",
	                     build != NULL ? build : ".");
	fault_says("", rest, "/libhipblaslt.so.1 is linked with another HIP runtime, ");
	free(rest);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_not_before_the_first_product),
		cmocka_unit_test(test_which_library),
		cmocka_unit_test(test_right_numbers),
		cmocka_unit_test(test_mixed_formats),
		cmocka_unit_test(test_queues),
		cmocka_unit_test(test_two_devices),
		cmocka_unit_test(test_refusals),
		cmocka_unit_test(test_operands_are_checked),
		cmocka_unit_test(test_libraries_that_fail),
		cmocka_unit_test(test_the_first_product_in_a_recording),
		cmocka_unit_test(test_a_lost_device_keeps_its_handle),
		cmocka_unit_test(test_variables_are_named),
		cmocka_unit_test(test_types_by_device),
		cmocka_unit_test(test_a_library_of_another_runtime),
	};

	if (argc > 1) {
		child(argc - 2, argv + 2);
		return 0;
	}
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, begin, end);
}
