/* SPDX-License-Identifier: Apache-2.0 */
/* eh.gemm.1 of the CUDA backend: the test library of products on the test driver. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <dlfcn.h>
#include <sys/stat.h>

#include <cmocka.h>

#define BACKEND "cuda"
#include "cuda/cublaslt_abi.h"
#include "gemm_library.h"
#include "skipping.h"

static char *library;

/* Along k, with rows of whole vectors, as the narrow types need them. */
static const trial_shape along_k[] = {
	{ 16, 32, 48, EH_GEMM_TRANSPOSE_B, 0, 1, 0, 0, 1, 0 },
	{ 5, 32, 16, EH_GEMM_TRANSPOSE_B, 16, 3, 16, 16, 2, 1 },
};

static void use_test_driver(void)
{
	const char *build = getenv("BUILD");
	char *driver = memory_format("%s/tests/drivers/cuda/libcuda.so.1", build != NULL ? build : ".");

	set("library", driver);
	free(driver);
}

static int begin(void **state)
{
	const char *build = getenv("BUILD");

	(void)state;
	(void)unsetenv("NVIDIA_TF32_OVERRIDE");
	(void)unsetenv("CUBLAS_EMULATION_STRATEGY");
	(void)unsetenv("CUBLAS_EMULATE_SINGLE_PRECISION");
	(void)unsetenv("CUBLAS_EMULATE_DOUBLE_PRECISION");
	library = memory_format("%s/tests/drivers/cuda/libcublasLt.so.12", build != NULL ? build : ".");
	if (access(library, R_OK) != 0) {
		free(library);
		library = NULL;
		return 0;
	}
	use_test_driver();
	set("cublaslt", library);
	open_session();
	return 0;
}

static int end(void **state)
{
	(void)state;
	if (library != NULL)
		session_close(&s);
	free(library);
	return 0;
}

#define NEEDS_LIBRARY \
	do { \
		(void)state; \
		if (library == NULL) \
			skip_because(NO_CUDA_DRIVER); \
	} while (0)

static void test_not_before_the_first_product(void **state)
{
	eh_layer layer;
	void *object;

	NEEDS_LIBRARY;
	assert_false(device_has_it(&layer));
	object = dlopen(library, RTLD_NOW | RTLD_NOLOAD);
	assert_null(object);
}

static void test_right_numbers(void **state)
{
	static const char *const types[][3] = {
		{ "f32", "f32", "f32" },   { "f64", "f64", "f64" },   { "tf32", "f32", "f32" },
		{ "f16", "f16", "f32" },   { "f16", "f32", "f32" },   { "bf16", "bf16", "f32" },
		{ "bf16", "f32", "f32" },
	};
	/* Sums of the large product and of halves are beyond what a half holds exactly. */
	const size_t few = TRIAL_LARGE;
	eh_layer layer;

	NEEDS_LIBRARY;
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		right(trial_shapes, i == 0 ? TRIAL_SHAPES : strcmp(types[i][1], "bf16") == 0 ? 3 : few,
		      types[i][0], types[i][1], types[i][2], &layer);
}

static void test_narrow_types(void **state)
{
	static const char *const outs[] = { "bf16", "f16", "f32" };
	eh_layer layer;

	NEEDS_LIBRARY;
	right(along_k, 2, "i8", "i32", "i32", &layer);
	assert_non_null(strstr(layer.detail, "numerics=IMMA, ACCUMULATOR_32I, INPUT_8I"));
	for (size_t i = 0; i < 3; i++)
		right(along_k, 2, "e4m3", outs[i], "f32", &layer);
}

static void test_mixed_formats(void **state)
{
	NEEDS_LIBRARY;
	right_mixed(&along_k[0], "e4m3", "e5m2");
	right_mixed(&along_k[0], "e5m2", "e4m3");
}

#define SPLIT "algorithm 21, tile 20, stages 14, split-k 2, reduction 2, swizzling 1, option 3, inner 4, cluster 5"

static void test_layers(void **state)
{
	eh_layer layer, of_device;

	NEEDS_LIBRARY;
	right(&trial_shapes[TRIAL_PLAIN], 1, "f32", "f32", "f32", &layer);
	assert_string_equal(layer.name, "cuBLASLt");
	assert_string_equal(layer.version, "12.9.1");
	assert_string_equal(layer.path, library);
	/* The first is not supported, the second multiplies tf32, and none may need a workspace. */
	assert_non_null(strstr(layer.detail, "kernel=algorithm 24, tile 15, stages 8, split-k 1; "
	                       "picked=cublasLtMatmulAlgoGetHeuristic, rank 3 of 3; waves=0.25; "));
	assert_non_null(strstr(layer.detail, "numerics=FMA, ACCUMULATOR_32F, INPUT_32F"));
	/* They differ in the shape of clusters alone. */
	right(&trial_shapes[TRIAL_LARGE], 1, "f32", "f32", "f32", &layer);
	assert_non_null(strstr(layer.detail, "kernel=algorithm 24, tile 15, stages 8, split-k 1, cluster 3; "));
	trial_workspace = 1 << 20;
	right(&trial_shapes[TRIAL_PLAIN], 1, "f16", "f32", "f32", &layer);
	assert_non_null(strstr(layer.detail, "kernel=" SPLIT "; "));
	assert_non_null(strstr(layer.detail, "workspace=8192"));
	trial_workspace = 0;
	assert_true(device_has_it(&of_device));
	assert_string_equal(of_device.path, library);
	assert_string_equal(of_device.detail, "picked=cublasLtMatmulAlgoGetHeuristic; kernel=" SPLIT
	                    " | algorithm 24, tile 15, stages 8, split-k 1 | algorithm 24, tile 15, stages 8, "
	                    "split-k 1, cluster 3");
}

/* One that rounds each part along k is passed over. */
static void test_parts_are_added_in_the_type_of_sums(void **state)
{
	static const char *const types[] = { "bf16", "f16" };
	eh_layer layer;

	NEEDS_LIBRARY;
	trial_workspace = 1 << 20;
	for (size_t i = 0; i < 2; i++) {
		right(&trial_shapes[TRIAL_PLAIN], 1, types[i], types[i], "f32", &layer);
		assert_non_null(strstr(layer.detail, "kernel=" SPLIT "; "));
	}
	trial_workspace = 0;
}

static void test_refusals(void **state)
{
	static const trial_shape half = { 16, 16, 16, EH_GEMM_TRANSPOSE_B, 0, 1, 0, 0, 0.5, 0 };
	static const trial_shape odd = { 16, 16, 17, EH_GEMM_TRANSPOSE_B, 0, 1, 0, 0, 1, 0 };
	const trial_shape *plain = &trial_shapes[TRIAL_PLAIN];

	NEEDS_LIBRARY;
	refused(plain, "e4m3", "e4m3", "bf16", "f32", EH_E_UNSUPPORTED, "only with transpose=b");
	refused(&along_k[0], "e5m2", "e5m2", "bf16", "f32", EH_E_UNSUPPORTED, "must be e4m3");
	refused(&along_k[0], "e4m3z", "e4m3z", "f32", "f32", EH_E_UNSUPPORTED, "of other vendors");
	refused(&odd, "e4m3", "e4m3", "bf16", "f32", EH_E_UNSUPPORTED, "multiples of 16");
	refused(plain, "i8", "i8", "i32", "i32", EH_E_UNSUPPORTED, "multiples of 4");
	refused(&half, "i8", "i8", "i32", "i32", EH_E_UNSUPPORTED, "by whole numbers");
	refused(plain, "f16", "f16", "f16", "f16", EH_E_UNSUPPORTED, "has no product of f16.");
	refused(plain, "f32", "f32", "f16", "f32", EH_E_UNSUPPORTED, "f32 into f16");
	refused(plain, "f16", "bf16", "f32", "f32", EH_E_UNSUPPORTED, "f16 x bf16");
	set("gemm", "cublas");
	refused(plain, "f32", "f32", "f32", "f32", EH_E_INVALID_ARGUMENT, "cuda.gemm=cublas is not");
	set("gemm", "cublaslt");
}

/* A recorded product runs when the graph does, each time. */
static void test_in_a_graph(void **state)
{
	const eh_gemm g = trial_gemm(&trial_shapes[TRIAL_TURNED], "f32", "f32", "f32");
	eh_gemm_operands o = { .struct_size = sizeof(o) };
	eh_error error = ERROR_INIT;
	const eh_graph_ops *graphs;
	eh_graph *graph = NULL;
	eh_gemm_plan *plan;
	uint64_t workspace;

	NEEDS_LIBRARY;
	graphs = s.ops->extension(s.self, EH_GRAPH_NAME);
	assert_non_null(graphs);
	assert_int_equal(ops->prepare(s.device, &g, &plan, &workspace, &error), EH_OK);
	o.a = trial_buffer(&s, 0, g.stride_a, "f32", 5);
	o.b = trial_buffer(&s, 0, g.stride_b, "f32", 3);
	o.c = trial_buffer(&s, 0, g.stride_c, "f32", 2);
	assert_int_equal(graphs->begin(s.plain, &error), EH_OK);
	assert_int_equal(ops->enqueue(s.plain, plan, &o, &error), EH_OK);
	assert_int_equal(graphs->end(s.plain, &graph, &error), EH_OK);
	assert_int_equal(graphs->launch(s.plain, graph, &error), EH_OK);
	trial_compare(&s, &g, o.c, 0);
	graphs->destroy(graph);
	ops->destroy(plan);
	s.ops->buffer_free(o.a);
	s.ops->buffer_free(o.b);
	s.ops->buffer_free(o.c);
}

static void test_operands_are_checked(void **state)
{
	static const trial_shape square = { 16, 16, 16, 0, 0, 1, 0, 0, 1, 0 };
	eh_gemm g = trial_gemm(&square, "f32", "f32", "f32");
	eh_gemm_operands o = { .struct_size = sizeof(o) };
	eh_error error = ERROR_INIT;
	eh_buffer *all = NULL, *small = NULL, *host = NULL;
	eh_gemm_plan *plan;
	uint64_t workspace = 0;

	NEEDS_LIBRARY;
	g.workspace_limit = 1 << 20;
	assert_int_equal(ops->prepare(s.device, &g, &plan, &workspace, &error), EH_OK);
	assert_int_equal(workspace, 8192);
	assert_int_equal(s.ops->buffer_alloc(s.device, EH_MEMORY_DEVICE, 8192, &all, &error), EH_OK);
	assert_int_equal(s.ops->buffer_alloc(s.device, EH_MEMORY_DEVICE, 1024, &small, &error), EH_OK);
	assert_int_equal(s.ops->buffer_alloc(s.device, EH_MEMORY_PINNED, 8192, &host, &error), EH_OK);
	o.a = o.b = o.c = small;
	assert_int_equal(ops->enqueue(s.plain, plan, &o, &error), EH_E_INVALID_ARGUMENT);
	assert_non_null(strstr(error.message, "workspace of 8192 bytes"));
	o.workspace = host;
	assert_int_equal(ops->enqueue(s.plain, plan, &o, &error), EH_E_INVALID_ARGUMENT);
	assert_non_null(strstr(error.message, "The workspace of a product lies in device memory."));
	o.workspace = small;
	assert_int_equal(ops->enqueue(s.plain, plan, &o, &error), EH_E_INVALID_ARGUMENT);
	o.workspace = all;
	o.offset_a = 8;
	assert_int_equal(ops->enqueue(s.plain, plan, &o, &error), EH_E_INVALID_ARGUMENT);
	assert_non_null(strstr(error.message, "multiples of 16"));
	o.offset_a = 16;
	assert_int_equal(ops->enqueue(s.plain, plan, &o, &error), EH_E_INVALID_ARGUMENT);
	o.offset_a = 0;
	o.b = host;
	assert_int_equal(ops->enqueue(s.plain, plan, &o, &error), EH_E_INVALID_ARGUMENT);
	assert_non_null(strstr(error.message, "A matrix of a product lies in device memory."));
	o.b = NULL;
	assert_int_equal(ops->enqueue(s.plain, plan, &o, &error), EH_E_INVALID_ARGUMENT);
	ops->destroy(plan);
	s.ops->buffer_free(all);
	s.ops->buffer_free(small);
	s.ops->buffer_free(host);
}

/* ---- libraries that fail ---- */

/* What a process of this program says of a product with a library ("" = the one that is found) and a
 * fault; factors of e4m3 do not lie along k. */
static void child(const char *file, const char *type)
{
	static const trial_shape square = { 16, 16, 16, 0, 0, 1, 0, 0, 1, 0 };
	eh_error error = ERROR_INIT;
	eh_layer layer;
	eh_status status;

	if (file[0] != '\0')
		set("cublaslt", file);
	open_session();
	if (type[0] == 'e')
		status = trial_run(&s, ops, &square, type, "bf16", "f32", &layer, &error);
	else
		status = trial_run(&s, ops, &trial_shapes[TRIAL_PLAIN], type, "f32", "f32", &layer, &error);
	if (status == EH_OK)
		printf("ok: %s\nof %s\n", layer.detail, layer.path);
	else
		printf("%s: %s\n", error_status_name(status), error.message);
	fflush(stdout);
	session_close(&s);
}

static void test_libraries_that_fail(void **state)
{
	static const struct { const char *fault, *words; } all[] = {
		{ "", "ok: kernel=" },
		{ "cublasLtMatmulAlgoGetHeuristic=none",
		  "unsupported: cuBLASLt 12.9.1 offers no algorithm for a product of f32 of 17 x 23 x 31 on TEST "
		  "CUDA device 0.\n" },
		{ "cublasLtMatmulAlgoGetHeuristic=narrow",
		  "unsupported: Each of the 1 algorithms that cuBLASLt 12.9.1 offers for a product of f32 on TEST "
		  "CUDA device 0 is in other types: HMMA, ACCUMULATOR_32F, INPUT_TF32.\n" },
		{ "cublasLtMatmulAlgoGetHeuristic=both",
		  "in other types: FMA, HMMA, ACCUMULATOR_32F, INPUT_TF32, INPUT_32F.\n" },
		{ "cublasLtMatmulAlgoGetHeuristic=invalid", "internal: cuBLASLt 12.9.1 picks no algorithm on TEST "
		  "CUDA device 0: cublasLtMatmulAlgoGetHeuristic returned CUBLAS_STATUS_INVALID_VALUE (7)." },
		{ "cublasLtCreate=8", "unsupported: cuBLASLt 12.9.1 does not start on TEST CUDA device 0: "
		  "cublasLtCreate returned CUBLAS_STATUS_ARCH_MISMATCH (8). The device is too old for this "
		  "cuBLASLt: name that of CUDA 12 in --set cuda.cublaslt=FILE.\n" },
		{ "cublasLtMatmulAlgoGetHeuristic=unsupported",
		  "cublasLtMatmulAlgoGetHeuristic returned CUBLAS_STATUS_NOT_SUPPORTED (15)." },
		{ "cublasLtCreate=notready", "unavailable: cuBLASLt 12.9.1 does not start on TEST CUDA device 0: "
		  "cublasLtCreate returned CUBLAS_STATUS_NOT_INITIALIZED (1). Either the driver is older" },
		{ "cublasLtMatmulPreferenceCreate=oom",
		  "no-memory: cuBLASLt 12.9.1 picks no algorithm on TEST CUDA device 0: "
		  "cublasLtMatmulPreferenceCreate returned CUBLAS_STATUS_ALLOC_FAILED (3). Free memory" },
		{ "cublasLtMatmulAlgoCapGetAttribute=7", "ok: kernel=algorithm 13, tile 11, stages 8, split-k 1;" },
		{ "cublasLtMatmulAlgoCapGetAttribute=7", "unknown=numerics" },
		{ "cublasLtMatmulAlgoCapGetAttribute=untold",
		  "numerics=accumulator not told, inputs not told; " },
		{ "cublasLtMatmulAlgoConfigGetAttribute@9=7", "split-k 1, cluster unknown; picked=" },
		{ "cublasLtMatmulAlgoConfigGetAttribute@9=7", "unknown=cluster" },
		{ "cublasLtMatmulAlgoConfigGetAttribute@2=7", "kernel=algorithm 24, tile unknown, stages 8" },
		{ "cublasLtMatmul=13", "cublasLtMatmul returned CUBLAS_STATUS_EXECUTION_FAILED (13)." },
		{ "cublasLtMatmul=99", "cublasLtMatmul returned unknown cuBLAS status (99)." },
		{ "cublasLtGetProperty=14", "does not tell its version: cublasLtGetProperty returned" },
	};

	NEEDS_LIBRARY;
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		product_says("EVENHAND_TEST_FAULT", all[i].fault, library, "", all[i].words);
	product_says("EVENHAND_TEST_FAULT", "", "/none/libcublasLt.so.12", "",
	             "cannot be opened (no such file); install libcublaslt12 (Debian), or nvidia-cublas-cu12 "
	             "(PyPI) and name its file in --set cuda.cublaslt=FILE.\n");
	product_says("EVENHAND_TEST_FAULT", "", "libm.so.6", "", "has no cublasLtCreate; it is no whole cuBLASLt");
}

/* Whoever decides otherwise than the library by itself is named. */
static void test_variables_are_named(void **state)
{
	NEEDS_LIBRARY;
	product_says("NVIDIA_TF32_OVERRIDE", "1", library, "", "rank 3 of 3 (NVIDIA_TF32_OVERRIDE); ");
	product_says("CUBLAS_EMULATE_SINGLE_PRECISION=1 CUBLAS_EMULATION_STRATEGY", "eager", library, "",
	             "rank 3 of 3 (CUBLAS_EMULATION_STRATEGY, CUBLAS_EMULATE_SINGLE_PRECISION); ");
	product_says("NVIDIA_TF32_OVERRIDE=0 EVENHAND_TEST_FAULT", "cublasLtMatmulAlgoGetHeuristic=narrow",
	             library, "tf32", "INPUT_16F. NVIDIA_TF32_OVERRIDE is set, and can forbid tf32.\n");
	product_says("NVIDIA_TF32_OVERRIDE=0 EVENHAND_TEST_FAULT", "cublasLtMatmulAlgoGetHeuristic=none",
	             library, "tf32", "device 0. NVIDIA_TF32_OVERRIDE is set, and can forbid tf32.\n");
}

static void test_8_bit_floats_need_11_11(void **state)
{
	NEEDS_LIBRARY;
	product_says("EVENHAND_TEST_CUDA_COMPUTE=100 EVENHAND_TEST_FAULT", "cublasLtGetProperty=old", library,
	             "e4m3", "unsupported: cuBLASLt 11.10.3 has no 8-bit floats, which begin with 11.11, that "
	             "of CUDA 11.8.\n");
	product_says("EVENHAND_TEST_FAULT", "cublasLtGetProperty=old", library, "", "ok: kernel=");
	product_says("EVENHAND_TEST_CUDA_COMPUTE=100 EVENHAND_TEST_FAULT",
	             "cublasLtMatmulAlgoGetHeuristic=both", library, "e4m3",
	             "in other types: HMMA, ACCUMULATOR_16F, ACCUMULATOR_32F, INPUT_8F_E4M3.\n");
}

/* CUDA 13's has nothing for devices below 7.5. */
static void test_an_old_device_takes_cuda_12(void **state)
{
	static const char *const names[] = { "libcublasLt.so.13", "libcublasLt.so.12" };
	char home[] = "/tmp/evenhand-gemm-XXXXXX";
	char *folder, *links[2];

	NEEDS_LIBRARY;
	(void)umask(022);
	assert_non_null(mkdtemp(home));
	folder = memory_format("%s/lib64", home);
	assert_int_equal(mkdir(folder, 0755), 0);
	for (size_t i = 0; i < 2; i++) {
		links[i] = memory_format("%s/%s", folder, names[i]);
		assert_int_equal(symlink(library, links[i]), 0);
	}
	product_says("EVENHAND_TEST_CUDA_COMPUTE=75 CUDA_HOME", home, "", "", "/lib64/libcublasLt.so.13\n");
	product_says("EVENHAND_TEST_CUDA_COMPUTE=70 CUDA_HOME", home, "", "", "/lib64/libcublasLt.so.12\n");
	for (size_t i = 0; i < 2; i++) {
		(void)unlink(links[i]);
		free(links[i]);
	}
	(void)rmdir(folder);
	(void)rmdir(home);
	free(folder);
}

static void test_8_bit_floats_by_device(void **state)
{
	static const struct { const char *compute, *words; } all[] = {
		{ "80", "unsupported: cuBLASLt has no product of e4m3 into bf16 added up in f32 on TEST CUDA "
		  "device 0, whose compute capability is 8.0; 8-bit floats begin with 8.9." },
		{ "89", "only with transpose=b" },
		{ "100", "ok: kernel=" },
		{ "120", "whose compute capability is 12.0, only with transpose=b" },
	};

	NEEDS_LIBRARY;
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		product_says("EVENHAND_TEST_CUDA_COMPUTE", all[i].compute, library, "e4m3", all[i].words);
}

/* ---- the real library, which describes products without a device ---- */

#define REAL "/usr/local/cuda/lib64/libcublasLt.so.13"

static void test_the_real_library_takes_descriptions(void **state)
{
	void *object = access(REAL, R_OK) == 0 ? dlopen(REAL, RTLD_NOW | RTLD_LOCAL) : NULL;
	const int32_t turn = CUBLAS_OP_T, count = 3;
	const int64_t offset = 512;
	const uint64_t bytes = 1 << 20, kinds = CUBLASLT_NUMERICAL_IMPL_FLAGS_OP_TYPE_MASK;
	cublasLtMatmulAlgo_t nothing = { { 0 } };
	const uint32_t alignment = 16, reduction = CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE;
	cublasLtMatmulDesc_t desc;
	cublasLtMatrixLayout_t layout;
	cublasLtMatmulPreference_t preference;
	int major = 0;

	(void)state;
	if (object == NULL)
		skip_because("cuBLASLt of CUDA 13 is not in /usr/local/cuda (package nvidia-cuda-toolkit)");
#define X(field, names, arguments)                                            \
	cublasStatus_t(*field) arguments;                                     \
	*(void **)&field = dlsym(object, names);                              \
	assert_non_null(*(void **)&field);
	CUBLASLT_FUNCTIONS(X)
#undef X
#define TAKES(call) assert_int_equal(call, CUBLAS_STATUS_SUCCESS)
	TAKES(property(MAJOR_VERSION, &major));
	assert_int_equal(major, 13);
	TAKES(desc_create(&desc, CUBLAS_COMPUTE_32F_FAST_TF32, CUDA_R_32F));
	TAKES(desc_set(desc, CUBLASLT_MATMUL_DESC_TRANSA, &turn, sizeof(turn)));
	TAKES(desc_set(desc, CUBLASLT_MATMUL_DESC_TRANSB, &turn, sizeof(turn)));
	TAKES(layout_create(&layout, CUDA_R_8F_E4M3, 16, 32, 16));
	TAKES(layout_set(layout, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &count, sizeof(count)));
	TAKES(layout_set(layout, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, &offset, sizeof(offset)));
	TAKES(preference_create(&preference));
	TAKES(preference_set(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &bytes, sizeof(bytes)));
	for (int i = CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES;
	     i <= CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES; i++)
		TAKES(preference_set(preference, (cublasLtMatmulPreferenceAttributes_t)i, &alignment,
		                     sizeof(alignment)));
	TAKES(preference_set(preference, CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, &reduction,
	                     sizeof(reduction)));
	TAKES(preference_set(preference, CUBLASLT_MATMUL_PREF_IMPL_MASK, &kinds, sizeof(kinds)));
	TAKES(preference_destroy(preference));
	/* The sizes that a kernel's facts are read with. */
	for (int i = CUBLASLT_ALGO_CONFIG_ID; i <= CUBLASLT_ALGO_CONFIG_CLUSTER_SHAPE_ID; i++) {
		uint32_t value;
		size_t written = 0;

		TAKES(configuration(&nothing, (cublasLtMatmulAlgoConfigAttributes_t)i, &value,
		                    i < CUBLASLT_ALGO_CONFIG_INNER_SHAPE_ID ? 4 : 2, &written));
	}
	TAKES(layout_destroy(layout));
	TAKES(desc_destroy(desc));
	(void)create, (void)destroy, (void)heuristic, (void)capability, (void)matmul;
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_not_before_the_first_product),
		cmocka_unit_test(test_right_numbers),
		cmocka_unit_test(test_narrow_types),
		cmocka_unit_test(test_mixed_formats),
		cmocka_unit_test(test_layers),
		cmocka_unit_test(test_parts_are_added_in_the_type_of_sums),
		cmocka_unit_test(test_refusals),
		cmocka_unit_test(test_in_a_graph),
		cmocka_unit_test(test_operands_are_checked),
		cmocka_unit_test(test_libraries_that_fail),
		cmocka_unit_test(test_variables_are_named),
		cmocka_unit_test(test_8_bit_floats_need_11_11),
		cmocka_unit_test(test_an_old_device_takes_cuda_12),
		cmocka_unit_test(test_8_bit_floats_by_device),
		cmocka_unit_test(test_the_real_library_takes_descriptions),
	};

	if (argc > 1) {
		use_test_driver();
		child(argv[1], argc > 2 ? argv[2] : "f32");
		return 0;
	}
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, begin, end);
}
