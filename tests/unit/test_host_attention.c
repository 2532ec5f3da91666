/* SPDX-License-Identifier: Apache-2.0 */
/* eh.attention.0 of the host backend by the test library of oneDNN, and each call of it that fails. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/files.h"
#include "gemm_trial.h"
#include "plugin/host.h"

typedef struct opened {
	session s;
	const eh_attention_ops *ops;
	char *library;
} opened;

static void open_host(opened *o)
{
	const char *build = getenv("BUILD");
	char *path, *setting;
	eh_error error = ERROR_INIT;

	build = build != NULL ? build : ".";
	o->library = memory_format("%s/tests/drivers/onednn/cpu/libdnnl.so.3", build);
	setting = memory_format("host.onednn=%s", o->library);
	path = memory_format("%s/lib/evenhand/backends/host.so", build);
	if (host_option_set(setting, &error) != EH_OK || session_start(&o->s, path, &error) != EH_OK ||
	    session_open(&o->s, 0, &error) != EH_OK)
		fail_msg("%s", error.message);
	free(path);
	free(setting);
	o->ops = o->s.ops->extension(o->s.self, EH_ATTENTION_NAME);
	assert_true(EH_HAS(o->ops, eh_attention_ops, destroy));
}

/* The objects of the library that were not given back. */
static int left(const opened *o)
{
	void *object = dlopen(o->library, RTLD_NOW | RTLD_NOLOAD);
	int (*live)(void) = NULL;
	int count;

	assert_non_null(object);
	*(void **)&live = dlsym(object, "evenhand_test_dnnl_live");
	assert_non_null(*(void **)&live);
	count = live();
	(void)dlclose(object);
	return count;
}

static void close_host(opened *o)
{
	session_close(&o->s);
	free(o->library);
}

static eh_attention shape(const char *type, uint64_t heads, uint64_t query, bool causal)
{
	eh_attention a = { .struct_size = sizeof(a), .flags = causal ? EH_ATTENTION_CAUSAL : 0, .batch = 2,
		           .heads = heads, .kv_heads = 2, .query = query, .keys = 7, .head = 4, .scale = 0.5,
		           .accumulate = "f32", .workspace_limit = 1 << 20 };

	strcpy(a.type, type);
	return a;
}

static eh_attention_operands operands(const session *s, const eh_attention *a, uint64_t offset)
{
	const uint64_t q = a->batch * a->heads * a->query * a->head, k = a->batch * a->kv_heads * a->keys * a->head;

	return (eh_attention_operands){ .struct_size = sizeof(eh_attention_operands),
		.q = trial_buffer(s, offset, q, a->type, 5), .k = trial_buffer(s, offset, k, a->type, 3),
		.v = trial_buffer(s, offset, k, a->type, 7), .o = trial_buffer(s, offset, q, a->type, 2),
		.offset_q = offset, .offset_k = offset, .offset_v = offset, .offset_o = offset };
}

static void free_operands(const session *s, const eh_attention_operands *x)
{
	s->ops->buffer_free(x->q);
	s->ops->buffer_free(x->k);
	s->ops->buffer_free(x->v);
	s->ops->buffer_free(x->o);
}

/* Every element of O in double, from the values that trial_buffer wrote. */
static void compare(const session *s, const eh_attention *a, const eh_attention_operands *x)
{
	const uint64_t count = a->batch * a->heads * a->query * a->head;
	float *got = memory_get(count * sizeof(*got));
	eh_error error = ERROR_INIT;

	assert_int_equal(s->ops->download(s->plain, got, x->o, x->offset_o, count * sizeof(*got), &error), EH_OK);
	assert_int_equal(s->ops->queue_wait(s->plain, &error), EH_OK);
	for (uint64_t i = 0; i < count; i++) {
		const uint64_t d = i % a->head, row = i / a->head, query = row % a->query;
		const uint64_t kv = row / a->query / (a->heads / a->kv_heads) * a->keys;
		const uint64_t sees = (a->flags & EH_ATTENTION_CAUSAL) != 0 ? query + a->keys - a->query + 1 : a->keys;
		double sum = 0, total = 0;

		for (uint64_t j = 0; j < sees; j++) {
			double score = 0;

			for (uint64_t e = 0; e < a->head; e++)
				score += trial_value(row * a->head + e, 5) * trial_value((kv + j) * a->head + e, 3);
			total += exp(score * a->scale);
			sum += exp(score * a->scale) * trial_value((kv + j) * a->head + d, 7);
		}
		if (!(fabs((double)got[i] - sum / total) <= 1e-5 * (1 + fabs(sum / total))))
			fail_msg("element %llu is %g, want %g", (unsigned long long)i, (double)got[i], sum / total);
	}
	free(got);
}

static void right(const opened *o, const eh_attention *a, uint64_t offset)
{
	eh_attention_operands x = operands(&o->s, a, offset);
	eh_layer layer = { .struct_size = sizeof(layer) };
	eh_error error = ERROR_INIT;
	eh_attention_plan *plan;
	uint64_t workspace = 77;

	if (o->ops->prepare(o->s.device, a, &plan, &workspace, &error) != EH_OK)
		fail_msg("%s", error.message);
	assert_int_equal(workspace, 0);
	for (int again = 0; again < 2; again++) {
		assert_int_equal(o->ops->enqueue(o->s.plain, plan, &x, &error), EH_OK);
		compare(&o->s, a, &x);
	}
	assert_int_equal(o->ops->layer(plan, &layer, &error), EH_OK);
	assert_int_equal(layer.kind, EH_LAYER_LIBRARY);
	assert_string_equal(layer.name, "oneDNN");
	assert_non_null(strstr(layer.detail, a->flags != 0 ? "kernel=one partition of 5 operations; "
	                                                  : "kernel=one partition of 4 operations; "));
	assert_non_null(strstr(layer.detail, "interface=graph"));
	o->ops->destroy(plan);
	free_operands(&o->s, &x);
}

/* Heads of their own and shared ones, with and without a mask; what is released is released. */
static void right_numbers(void **state)
{
	opened o;

	(void)state;
	open_host(&o);
	for (uint64_t heads = 2; heads <= 6; heads += 4)
		for (int causal = 0; causal <= 1; causal++) {
			const eh_attention many = shape("f32", heads, 5, causal), one = shape("f32", heads, 1, causal);

			right(&o, &many, 0);
			right(&o, &one, 32);
		}
	assert_int_equal(left(&o), 0);
	close_host(&o);
}

static void recorded(void **state)
{
	const eh_attention a = shape("f32", 4, 5, true);
	const eh_graph_ops *graphs;
	eh_attention_operands x;
	eh_error error = ERROR_INIT;
	eh_attention_plan *plan;
	uint64_t workspace;
	eh_graph *graph;
	opened o;

	(void)state;
	open_host(&o);
	graphs = o.s.ops->extension(o.s.self, EH_GRAPH_NAME);
	x = operands(&o.s, &a, 0);
	assert_int_equal(o.ops->prepare(o.s.device, &a, &plan, &workspace, &error), EH_OK);
	assert_int_equal(graphs->begin(o.s.plain, &error), EH_OK);
	assert_int_equal(o.ops->enqueue(o.s.plain, plan, &x, &error), EH_OK);
	assert_int_equal(graphs->end(o.s.plain, &graph, &error), EH_OK);
	assert_int_equal(graphs->launch(o.s.plain, graph, &error), EH_OK);
	compare(&o.s, &a, &x);
	graphs->destroy(graph);
	o.ops->destroy(plan);
	free_operands(&o.s, &x);
	close_host(&o);
}

static void refused(const opened *o, eh_attention a, eh_status status, const char *words)
{
	eh_error error = ERROR_INIT;
	eh_attention_plan *plan = NULL;
	uint64_t workspace = 77;

	assert_int_equal(o->ops->prepare(o->s.device, &a, &plan, &workspace, &error), status);
	if (strstr(error.message, words) == NULL)
		fail_msg("\"%s\" is not in: %s", words, error.message);
	assert_null(plan);
	assert_int_equal(workspace, 77);
}

static void refusals(void **state)
{
	const eh_attention good = shape("f32", 4, 5, true);
	eh_attention a;
	opened o;

	(void)state;
	open_host(&o);
	a = good, a.struct_size = 8;
	refused(&o, a, EH_E_INVALID_ARGUMENT, "has 8 bytes");
	a = good, a.flags = 6;
	refused(&o, a, EH_E_INVALID_ARGUMENT, "flags 0x6");
	a = good, strcpy(a.type, "i8");
	refused(&o, a, EH_E_INVALID_ARGUMENT, "i8 is no type of eh.attention.0");
	a = good, strcpy(a.accumulate, "f64");
	refused(&o, a, EH_E_UNSUPPORTED, "not in f64");
	a = good, a.kv_heads = 3;
	refused(&o, a, EH_E_INVALID_ARGUMENT, "3 heads of K and V do not divide 4");
	a = good, a.kv_heads = 0;
	refused(&o, a, EH_E_INVALID_ARGUMENT, "0 heads of K and V");
	a = good, a.query = 8;
	refused(&o, a, EH_E_INVALID_ARGUMENT, "The first of 8 queries sees none of 7 keys");
	a = good, a.batch = 0;
	refused(&o, a, EH_E_INVALID_ARGUMENT, "empty");
	a = good, a.batch = UINT64_MAX / 2;
	refused(&o, a, EH_E_INVALID_ARGUMENT, "larger than 2^63 bytes");
	a = good, a.workspace_limit = 5 * 7 * 4 - 1;
	refused(&o, a, EH_E_UNSUPPORTED, "a mask of 5 x 7 elements of f32, which is more than the 139 bytes");
	assert_int_equal(left(&o), 0);
	close_host(&o);
}

static void operands_are_checked(void **state)
{
	const eh_attention a = shape("f32", 4, 5, false);
	eh_attention_operands x, wrong;
	eh_error error = ERROR_INIT;
	eh_attention_plan *plan;
	uint64_t workspace;
	opened o;

	(void)state;
	open_host(&o);
	x = operands(&o.s, &a, 0);
	assert_int_equal(o.ops->prepare(o.s.device, &a, &plan, &workspace, &error), EH_OK);
	wrong = x, wrong.v = NULL;
	assert_int_equal(o.ops->enqueue(o.s.plain, plan, &wrong, &error), EH_E_INVALID_ARGUMENT);
	wrong = x, wrong.offset_k = 8;
	assert_int_equal(o.ops->enqueue(o.s.plain, plan, &wrong, &error), EH_E_INVALID_ARGUMENT);
	assert_non_null(strstr(error.message, "multiples of 16 bytes"));
	wrong = x, wrong.offset_o = 16;
	assert_int_equal(o.ops->enqueue(o.s.plain, plan, &wrong, &error), EH_E_INVALID_ARGUMENT);
	o.ops->destroy(plan);
	free_operands(&o.s, &x);
	close_host(&o);
}

/* In a process of its own, as the library reads its faults once: 0 when attention ends with `status` and
 * `words`, and leaves nothing. */
static int with_fault(const char *fault, eh_status status, const char *words)
{
	const eh_attention a = shape("f32", 4, 5, true);
	eh_attention_plan *plan = NULL;
	eh_error error = ERROR_INIT;
	uint64_t workspace;
	eh_status is;
	opened o;

	(void)setenv("EVENHAND_TEST_FAULT", fault, 1);
	open_host(&o);
	is = o.ops->prepare(o.s.device, &a, &plan, &workspace, &error);
	if (is == EH_OK) {
		const eh_attention_operands x = operands(&o.s, &a, 0);

		is = o.ops->enqueue(o.s.plain, plan, &x, &error);
		o.ops->destroy(plan);
		free_operands(&o.s, &x);
	}
	if (is == status && strstr(error.message, words) != NULL && left(&o) == 0)
		return 0;
	fprintf(stderr, "%s: %d \"%s\", %d left\n", fault, (int)is, error.message, left(&o));
	return 1;
}

static void calls_that_fail(void **state)
{
	static const struct { const char *fault; eh_status status; const char *words; } all[] = {
		{ "dnnl_engine_create=5", EH_E_INTERNAL, "dnnl_engine_create returned 5" },
		{ "dnnl_stream_create=5", EH_E_INTERNAL, "dnnl_stream_create returned 5" },
		{ "dnnl_stream_create=oom", EH_E_NO_MEMORY, "Memory is exhausted" },
		{ "dnnl_graph_logical_tensor_init_with_strides@1=5", EH_E_INTERNAL, "init_with_strides returned 5" },
		{ "dnnl_graph_logical_tensor_init_with_strides@10=5", EH_E_INTERNAL, "init_with_strides returned 5" },
		{ "dnnl_graph_graph_create_with_fpmath_mode=5", EH_E_INTERNAL, "fpmath_mode returned 5" },
		{ "dnnl_graph_op_create@2=5", EH_E_INTERNAL, "dnnl_graph_add_op returned 5" },
		{ "dnnl_graph_op_add_input@3=5", EH_E_INTERNAL, "dnnl_graph_add_op returned 5" },
		{ "dnnl_graph_op_add_output@1=5", EH_E_INTERNAL, "dnnl_graph_add_op returned 5" },
		{ "dnnl_graph_op_set_attr_s64=5", EH_E_INTERNAL, "dnnl_graph_add_op returned 5" },
		{ "dnnl_graph_op_set_attr_bool=5", EH_E_INTERNAL, "dnnl_graph_add_op returned 5" },
		{ "dnnl_graph_add_op@1=8", EH_E_UNSUPPORTED, "has no attention of f32 with scores of f32 on this CPU" },
		{ "dnnl_graph_graph_finalize=5", EH_E_INTERNAL, "get_partitions returned 5" },
		{ "dnnl_graph_graph_filter=5", EH_E_INTERNAL, "get_partitions returned 5" },
		{ "dnnl_graph_graph_get_partition_num=5", EH_E_INTERNAL, "get_partitions returned 5" },
		{ "dnnl_graph_graph_get_partition_num=pieces", EH_E_UNSUPPORTED, "oneDNN 3.12.7 makes attention of f32 in "
		  "5 pieces on this CPU" },
		{ "dnnl_graph_graph_get_partitions=5", EH_E_INTERNAL, "get_partitions returned 5" },
		{ "dnnl_graph_partition_is_supported=cannot", EH_E_UNSUPPORTED, "has no attention of f32" },
		{ "dnnl_graph_partition_is_supported=5", EH_E_INTERNAL, "get_partitions returned 5" },
		{ "dnnl_graph_partition_get_input_ports_num=5", EH_E_INTERNAL, "get_input_ports returned 5" },
		{ "dnnl_graph_partition_get_input_ports=5", EH_E_INTERNAL, "get_input_ports returned 5" },
		{ "dnnl_graph_compiled_partition_create=5", EH_E_INTERNAL, "partition_compile returned 5" },
		{ "dnnl_graph_partition_compile=5", EH_E_INTERNAL, "partition_compile returned 5" },
		{ "dnnl_graph_partition_compile=unsupported", EH_E_UNSUPPORTED, "has no attention of f32" },
		{ "dnnl_graph_tensor_create@1=5", EH_E_INTERNAL, "tensor_create returned 5" },
		{ "dnnl_graph_tensor_create@6=5", EH_E_INTERNAL, "tensor_create returned 5" },
		{ "dnnl_graph_tensor_set_data_handle@2=5", EH_E_DEVICE, "did not make the attention: status 5" },
		{ "dnnl_graph_compiled_partition_execute=5", EH_E_DEVICE, "did not make the attention: status 5" },
		{ "dnnl_stream_wait=5", EH_E_DEVICE, "did not make the attention: status 5" },
		{ "dnnl_version=four", EH_E_INCOMPATIBLE, "is oneDNN 4" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		int status = 0;
		const pid_t child = fork();

		assert_true(child >= 0);
		if (child == 0)
			_exit(with_fault(all[i].fault, all[i].status, all[i].words));
		assert_int_equal(waitpid(child, &status, 0), child);
		if (status != 0)
			fail_msg("%s: see above", all[i].fault);
	}
}

int main(void)
{
	/* What forks comes first: a process with the library's threads, or its faults, is no start for others. */
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(calls_that_fail),      cmocka_unit_test(right_numbers), cmocka_unit_test(recorded),
		cmocka_unit_test(operands_are_checked), cmocka_unit_test(refusals),
	};

	(void)unsetenv("EVENHAND_TEST_FAULT");
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
