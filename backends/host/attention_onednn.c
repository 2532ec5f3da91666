/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Attention as a graph of oneDNN 3: Q K^T, a factor, a mask, softmax, and the product with V, which the library
 * makes in one piece or not at all.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "attentionplans.h"
#include "faults.h"
#include "onednn_graph_abi.h"
#include "shared/onednn.h"

typedef struct graph_api {
#define X(field, names, arguments) dnnl_status_t (*field) arguments;
	ONEDNN_GRAPH_FUNCTIONS(X)
#undef X
} graph_api;

static const vendorlib_symbol symbols[] = {
#define X(field, names, arguments) VENDORLIB_REQUIRED(graph_api, field, names)
	ONEDNN_GRAPH_FUNCTIONS(X)
#undef X
};

/* The tensors of the graph, by their ids: those that the library reads, what lies between, and what it
 * writes. */
enum { Q, K, V, SCALE, MASK, INPUTS, SCORES = INPUTS, SCALED, MASKED, WEIGHTS, O, TENSORS };

enum { DIMENSIONS_MAX = 5, PARTS_MAX = 8 };

/* What a plan consists of; NULL where it was not made. */
typedef struct onednn_attention {
	graph_api api;
	dnnl_engine_t engine;
	dnnl_stream_t stream;
	dnnl_graph_logical_tensor_t tensors[TENSORS];
	dnnl_graph_compiled_partition_t compiled;
	size_t input_count;
	size_t ids[INPUTS];                       /* of the inputs, in the library's order        */
	dnnl_graph_tensor_t inputs[INPUTS], output;
	float scale;
	float *mask;                              /* [query, keys]: 0, or minus infinity          */
	unsigned operations;
} onednn_attention;

/* onednn_api is the first member of the library's functions. */
static const onednn_api *library_api(const eh_attention_plan *plan)
{
	return plan->library->api;
}

static dnnl_data_type_t type_of(const char *type)
{
	return strcmp(type, "f32") == 0 ? dnnl_f32 : strcmp(type, "f16") == 0 ? dnnl_f16 : dnnl_bf16;
}

static bool causal(const eh_attention *a)
{
	return (a->flags & EH_ATTENTION_CAUSAL) != 0;
}

/* ---- the graph --------------------------------------------------------------------------------- */

/* A dense tensor, [batch, kv heads, heads of one of them, rows, columns]; the third is left out where
 * that many dimensions are enough. */
static dnnl_status_t tensor(onednn_attention *m, int id, dnnl_data_type_t type, int dimensions,
                            const dnnl_dim_t sizes[DIMENSIONS_MAX])
{
	dnnl_dim_t own[DIMENSIONS_MAX] = { 0 }, strides[DIMENSIONS_MAX];
	int n = 0;

	for (int i = 0; i < DIMENSIONS_MAX; i++)
		if (dimensions == DIMENSIONS_MAX || i != 2)
			own[n++] = sizes[i];
	strides[n - 1] = 1;
	for (int i = n - 2; i >= 0; i--)
		strides[i] = strides[i + 1] * own[i + 1];
	return m->api.tensor_describe(&m->tensors[id], (size_t)id, type, n, own, strides,
	                              dnnl_graph_tensor_property_undef);
}

/* Heads that read the same K and V are more rows of Q; under a mask each of them is a matrix of its own, which
 * K, V and the mask are repeated for. */
static dnnl_status_t describe(onednn_attention *m, const eh_attention *a)
{
	const dnnl_data_type_t type = type_of(a->type);
	const dnnl_dim_t group = (dnnl_dim_t)(a->heads / a->kv_heads);
	const bool apart = causal(a) && group > 1;
	const int n = apart ? DIMENSIONS_MAX : DIMENSIONS_MAX - 1;
	const dnnl_dim_t b = (dnnl_dim_t)a->batch, h = (dnnl_dim_t)a->kv_heads, d = (dnnl_dim_t)a->head;
	const dnnl_dim_t keys = (dnnl_dim_t)a->keys, many = apart ? group : 1;
	const dnnl_dim_t rows = (dnnl_dim_t)a->query * (apart ? 1 : group);
	const dnnl_dim_t q[] = { b, h, many, rows, d }, k[] = { b, h, 1, keys, d };
	const dnnl_dim_t scores[] = { b, h, many, rows, keys }, mask[] = { 1, 1, 1, rows, keys };
	const dnnl_dim_t one = 1;
	dnnl_status_t rc = tensor(m, Q, type, n, q);

	if (rc == dnnl_success)
		rc = tensor(m, K, type, n, k);
	if (rc == dnnl_success)
		rc = tensor(m, V, type, n, k);
	if (rc == dnnl_success)
		rc = tensor(m, O, type, n, q);
	if (rc == dnnl_success)
		rc = tensor(m, MASK, dnnl_f32, n, mask);
	/* What is added up in f32 stays so up to softmax; its outcome is a factor again. */
	for (int i = SCORES; i <= MASKED && rc == dnnl_success; i++)
		rc = tensor(m, i, dnnl_f32, n, scores);
	if (rc == dnnl_success)
		rc = tensor(m, WEIGHTS, type, n, scores);
	if (rc == dnnl_success)
		rc = m->api.tensor_describe(&m->tensors[SCALE], SCALE, dnnl_f32, 1, &one, &one,
		                            dnnl_graph_tensor_property_undef);
	return rc;
}

/* The operations; an input of TENSORS is none. */
static const struct operation {
	dnnl_graph_op_kind_t kind;
	const char *name;
	unsigned inputs[2];
	unsigned output;
	bool of_mask;      /* left out where all keys are seen                                    */
} operations[] = {
	{ dnnl_graph_op_matmul, "scores", { Q, K }, SCORES, false },
	{ dnnl_graph_op_multiply, "scale", { SCORES, SCALE }, SCALED, false },
	{ dnnl_graph_op_add, "mask", { SCALED, MASK }, MASKED, true },
	{ dnnl_graph_op_softmax, "softmax", { MASKED, TENSORS }, WEIGHTS, false },
	{ dnnl_graph_op_matmul, "values", { WEIGHTS, V }, O, false },
};
enum { OPERATIONS = sizeof(operations) / sizeof(operations[0]) };

static dnnl_status_t add(onednn_attention *m, dnnl_graph_graph_t graph, const struct operation *what, bool masked)
{
	const uint8_t yes = 1;
	const int64_t last = -1;
	dnnl_graph_op_t op = NULL;
	dnnl_status_t rc = m->api.op_create(&op, m->operations, what->kind, what->name);

	for (unsigned i = 0; i < 2 && rc == dnnl_success; i++) {
		const unsigned id = what->inputs[i] == MASKED && !masked ? (unsigned)SCALED : what->inputs[i];

		if (id < TENSORS)
			rc = m->api.op_input(op, &m->tensors[id]);
	}
	if (rc == dnnl_success)
		rc = m->api.op_output(op, &m->tensors[what->output]);
	if (rc == dnnl_success && what->output == SCORES)
		rc = m->api.op_truth(op, dnnl_graph_op_attr_transpose_b, &yes, 1);
	if (rc == dnnl_success && what->kind == dnnl_graph_op_softmax)
		rc = m->api.op_whole(op, dnnl_graph_op_attr_axis, &last, 1);
	if (rc == dnnl_success)
		rc = m->api.graph_add(graph, op);
	if (op != NULL)
		(void)m->api.op_destroy(op);
	m->operations++;
	return rc;
}

/* The whole graph as one part; dnnl_unimplemented, and how many the library makes of it, when there is none. */
static dnnl_status_t whole(onednn_attention *m, dnnl_graph_graph_t graph, dnnl_graph_partition_t *part,
                           size_t *count)
{
	dnnl_graph_partition_t parts[PARTS_MAX] = { NULL };
	uint8_t can = 0;
	dnnl_status_t rc = m->api.graph_finalize(graph);

	if (rc == dnnl_success)
		rc = m->api.graph_filter(graph, dnnl_graph_partition_policy_fusion);
	if (rc == dnnl_success)
		rc = m->api.graph_partition_count(graph, count);
	if (rc == dnnl_success && (*count < 1 || *count > PARTS_MAX))
		rc = dnnl_unimplemented;
	if (rc == dnnl_success)
		rc = m->api.graph_partitions(graph, *count, parts);
	if (rc == dnnl_success && *count == 1)
		rc = m->api.partition_supported(parts[0], &can);
	if (rc == dnnl_success && (*count > 1 || can == 0))
		rc = dnnl_unimplemented;
	for (size_t i = 0; i < PARTS_MAX; i++)
		if (parts[i] != NULL && (i > 0 || rc != dnnl_success))
			(void)m->api.partition_destroy(parts[i]);
	if (rc == dnnl_success)
		*part = parts[0];
	return rc;
}

static dnnl_status_t compile(onednn_attention *m, dnnl_graph_partition_t part, const char **call)
{
	const dnnl_graph_logical_tensor_t *in[INPUTS], *out = &m->tensors[O];
	dnnl_graph_logical_tensor_t ports[INPUTS];
	dnnl_status_t rc;

	*call = "dnnl_graph_partition_get_input_ports";
	rc = m->api.partition_input_count(part, &m->input_count);
	if (rc == dnnl_success && m->input_count > INPUTS)
		rc = dnnl_invalid_arguments;
	if (rc == dnnl_success)
		rc = m->api.partition_inputs(part, m->input_count, ports);
	for (size_t i = 0; i < m->input_count && rc == dnnl_success; i++) {
		m->ids[i] = ports[i].id;
		if (ports[i].id >= INPUTS)
			rc = dnnl_invalid_arguments;
		else
			in[i] = &m->tensors[ports[i].id];
	}
	if (rc == dnnl_success) {
		*call = "dnnl_graph_partition_compile";
		rc = m->api.compiled_create(&m->compiled, part);
	}
	if (rc == dnnl_success)
		rc = m->api.partition_compile(part, m->compiled, m->input_count, in, 1, &out, m->engine);
	for (size_t i = 0; i < m->input_count && rc == dnnl_success; i++) {
		*call = "dnnl_graph_tensor_create";
		rc = m->api.tensor_create(&m->inputs[i], in[i], m->engine, NULL);
	}
	if (rc == dnnl_success)
		rc = m->api.tensor_create(&m->output, out, m->engine, NULL);
	return rc;
}

static dnnl_status_t build(onednn_attention *m, const onednn_api *api, const eh_attention *a, size_t *parts,
                           const char **call)
{
	dnnl_graph_graph_t graph = NULL;
	dnnl_graph_partition_t part = NULL;
	dnnl_status_t rc;

	*call = "dnnl_engine_create";
	rc = api->engine_create(&m->engine, dnnl_cpu, 0);
	if (rc == dnnl_success) {
		*call = "dnnl_stream_create";
		rc = api->stream_create(&m->stream, m->engine, 1);
	}
	if (rc == dnnl_success) {
		*call = "dnnl_graph_logical_tensor_init_with_strides";
		rc = describe(m, a);
	}
	if (rc == dnnl_success) {
		/* ONEDNN_DEFAULT_FPMATH_MODE would have f32 multiplied as bf16. */
		*call = "dnnl_graph_graph_create_with_fpmath_mode";
		rc = m->api.graph_create(&graph, dnnl_cpu, dnnl_fpmath_mode_strict);
	}
	for (unsigned i = 0; i < OPERATIONS && rc == dnnl_success; i++) {
		*call = "dnnl_graph_add_op";
		if (causal(a) || !operations[i].of_mask)
			rc = add(m, graph, &operations[i], causal(a));
	}
	if (rc == dnnl_success) {
		*call = "dnnl_graph_graph_get_partitions";
		rc = whole(m, graph, &part, parts);
	}
	if (rc == dnnl_success)
		rc = compile(m, part, call);
	if (part != NULL)
		(void)m->api.partition_destroy(part);
	if (graph != NULL)
		(void)m->api.graph_destroy(graph);
	return rc;
}

/* ---- a plan ------------------------------------------------------------------------------------ */

static void release(eh_attention_plan *plan)
{
	const onednn_api *api = library_api(plan);
	onednn_attention *m = plan->own;

	for (size_t i = 0; i < INPUTS; i++)
		if (m->inputs[i] != NULL)
			(void)m->api.tensor_destroy(m->inputs[i]);
	if (m->output != NULL)
		(void)m->api.tensor_destroy(m->output);
	if (m->compiled != NULL)
		(void)m->api.compiled_destroy(m->compiled);
	if (m->stream != NULL)
		(void)api->stream_destroy(m->stream);
	if (m->engine != NULL)
		(void)api->engine_destroy(m->engine);
	free(m->mask);
	free(m);
	plan->own = NULL;
}

static eh_status make_mask(onednn_attention *m, const eh_attention *a, eh_error *error)
{
	uint64_t bytes;

	if (__builtin_mul_overflow(a->query, a->keys, &bytes) ||
	    __builtin_mul_overflow(bytes, sizeof(*m->mask), &bytes) || bytes > a->workspace_limit)
		return faults_set(error, EH_E_UNSUPPORTED, "oneDNN takes a mask of %llu x %llu elements of f32, which "
		                  "is more than the %llu bytes that the case allows",
		                  (unsigned long long)a->query, (unsigned long long)a->keys,
		                  (unsigned long long)a->workspace_limit);
	m->mask = malloc(bytes);
	if (m->mask == NULL)
		return faults_set(error, EH_E_NO_MEMORY, "Memory is exhausted");
	for (uint64_t i = 0; i < a->query; i++)
		for (uint64_t j = 0; j < a->keys; j++)
			m->mask[i * a->keys + j] = j <= i + (a->keys - a->query) ? 0 : -INFINITY;
	return EH_OK;
}

static eh_status prepare(eh_attention_plan *plan, eh_error *error)
{
	static const char advice[] = "it is no whole oneDNN 3, so install Debian 13's package (libdnnl3.6)";
	const eh_attention *a = &plan->attention;
	const gemm_library *library = plan->library;
	onednn_attention *m;
	const char *call = "";
	size_t parts = 0;
	dnnl_status_t rc;
	eh_status status;

	if (library_api(plan)->version()->major < 3)
		return faults_set(error, EH_E_UNSUPPORTED, "oneDNN %s has no attention; oneDNN 3.7 has (from Debian "
		                  "13 on the package libdnnl3.6)", library->version);
	m = calloc(1, sizeof(*m));
	if (m == NULL)
		return faults_set(error, EH_E_NO_MEMORY, "Memory is exhausted");
	plan->own = m;
	m->scale = (float)a->scale;
	status = vendorlib_resolve(&library->file, symbols, sizeof(symbols) / sizeof(symbols[0]), &m->api, advice,
	                           error);
	if (status == EH_OK && causal(a))
		status = make_mask(m, a, error);
	if (status != EH_OK)
		return status;
	rc = build(m, library_api(plan), a, &parts, &call);
	if (rc == dnnl_success) {
		faults_text(plan->kernel, sizeof(plan->kernel), "one partition of %u operations", m->operations);
		faults_text(plan->interface, sizeof(plan->interface), "graph");
		return EH_OK;
	}
	if (rc == dnnl_unimplemented && parts > 1)
		return faults_set(error, EH_E_UNSUPPORTED, "oneDNN %s makes attention of %s in %zu pieces on this CPU, "
		                  "with the scores in memory between them, not in one", library->version, a->type,
		                  parts);
	if (rc == dnnl_unimplemented || (unsigned)rc == dnnl_invalid_graph_op)
		return faults_set(error, EH_E_UNSUPPORTED, "oneDNN %s has no attention of %s with scores of f32 on "
		                  "this CPU", library->version, a->type);
	if (rc == dnnl_out_of_memory)
		return faults_set(error, EH_E_NO_MEMORY, "Memory is exhausted");
	return faults_set(error, EH_E_INTERNAL, "oneDNN %s does not take attention of %s: %s returned %d",
	                  library->version, a->type, call, (int)rc);
}

static eh_status run(const eh_attention_plan *plan, const void *q, const void *k, const void *v, void *o,
                     eh_error *error)
{
	const onednn_attention *m = plan->own;
	const void *const data[INPUTS] = { q, k, v, &m->scale, m->mask };
	const struct dnnl_graph_tensor *in[INPUTS], *out = m->output;
	dnnl_status_t rc = m->api.tensor_set(m->output, o);

	for (size_t i = 0; i < m->input_count && rc == dnnl_success; i++) {
		in[i] = m->inputs[i];
		rc = m->api.tensor_set(m->inputs[i], onednn_handle(data[m->ids[i]]));
	}
	if (rc == dnnl_success)
		rc = m->api.compiled_execute(m->compiled, m->stream, m->input_count, in, 1, &out);
	if (rc == dnnl_success)
		rc = library_api(plan)->stream_wait(m->stream);
	if (rc == dnnl_success)
		return EH_OK;
	return faults_set(error, EH_E_DEVICE, "oneDNN %s did not make the attention: status %d",
	                  plan->library->version, (int)rc);
}

const attention_vendor attention_onednn = {
	.prepare = prepare,
	.run = run,
	.release = release,
};
