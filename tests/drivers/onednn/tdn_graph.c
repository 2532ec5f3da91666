/* SPDX-License-Identifier: Apache-2.0 */
/* Graphs: operations on tensors, each made in double and rounded to the type of what it writes.  A graph whose
 * last operation is a product is one partition, as attention is in oneDNN 3.7. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "host/onednn_graph_abi.h"
#include "tdn_state.h"

#define X(field, names, arguments) typedef dnnl_status_t tdn_##field arguments;
ONEDNN_GRAPH_FUNCTIONS(X)
#undef X
TDN_VISIBLE tdn_tensor_describe dnnl_graph_logical_tensor_init_with_strides;
TDN_VISIBLE tdn_graph_create dnnl_graph_graph_create_with_fpmath_mode;
TDN_VISIBLE tdn_graph_destroy dnnl_graph_graph_destroy;
TDN_VISIBLE tdn_graph_add dnnl_graph_add_op;
TDN_VISIBLE tdn_graph_finalize dnnl_graph_graph_finalize;
TDN_VISIBLE tdn_graph_filter dnnl_graph_graph_filter;
TDN_VISIBLE tdn_graph_partition_count dnnl_graph_graph_get_partition_num;
TDN_VISIBLE tdn_graph_partitions dnnl_graph_graph_get_partitions;
TDN_VISIBLE tdn_op_create dnnl_graph_op_create;
TDN_VISIBLE tdn_op_destroy dnnl_graph_op_destroy;
TDN_VISIBLE tdn_op_input dnnl_graph_op_add_input;
TDN_VISIBLE tdn_op_output dnnl_graph_op_add_output;
TDN_VISIBLE tdn_op_whole dnnl_graph_op_set_attr_s64;
TDN_VISIBLE tdn_op_truth dnnl_graph_op_set_attr_bool;
TDN_VISIBLE tdn_partition_supported dnnl_graph_partition_is_supported;
TDN_VISIBLE tdn_partition_input_count dnnl_graph_partition_get_input_ports_num;
TDN_VISIBLE tdn_partition_inputs dnnl_graph_partition_get_input_ports;
TDN_VISIBLE tdn_partition_compile dnnl_graph_partition_compile;
TDN_VISIBLE tdn_partition_destroy dnnl_graph_partition_destroy;
TDN_VISIBLE tdn_compiled_create dnnl_graph_compiled_partition_create;
TDN_VISIBLE tdn_compiled_execute dnnl_graph_compiled_partition_execute;
TDN_VISIBLE tdn_compiled_destroy dnnl_graph_compiled_partition_destroy;
TDN_VISIBLE tdn_tensor_create dnnl_graph_tensor_create;
TDN_VISIBLE tdn_tensor_set dnnl_graph_tensor_set_data_handle;
TDN_VISIBLE tdn_tensor_destroy dnnl_graph_tensor_destroy;

typedef dnnl_graph_logical_tensor_t tensor;

enum { OPS = 8, PORTS = 8, TENSORS = 16, RANK = 5 };

struct dnnl_graph_op {
	tdn_kind kind;
	dnnl_graph_op_kind_t what;
	tensor in[2], out;
	size_t inputs, outputs;
	bool turned, last_axis;
};

struct dnnl_graph_graph {
	tdn_kind kind;
	struct dnnl_graph_op ops[OPS];
	size_t count;
	bool final, filtered;
};

struct dnnl_graph_partition {
	tdn_kind kind;
	struct dnnl_graph_graph graph;
	tensor ports[PORTS];    /* what no operation of it writes                             */
	size_t port_count;
};

struct dnnl_graph_compiled_partition {
	tdn_kind kind;
	struct dnnl_graph_partition of;
	bool compiled;
};

struct dnnl_graph_tensor {
	tdn_kind kind;
	tensor described;
	void *place;
};

/* ---- tensors and operations -------------------------------------------------------------------- */

TDN_API dnnl_graph_logical_tensor_init_with_strides(tensor *out, size_t id, dnnl_data_type_t type, int32_t dimensions,
                                                    const dnnl_dim_t *sizes, const dnnl_dim_t *strides,
                                                    dnnl_graph_tensor_property_t property)
{
	TDN_ENTER("dnnl_graph_logical_tensor_init_with_strides");

	if (dimensions < 1 || dimensions > RANK || id >= TENSORS)
		return dnnl_invalid_arguments;
	memset(out, 0, sizeof(*out));
	out->id = id;
	out->ndims = dimensions;
	out->data_type = type;
	out->property = property;
	out->layout_type = dnnl_graph_layout_type_strided;
	memcpy(out->dims, sizes, (size_t)dimensions * sizeof(*sizes));
	memcpy(out->layout.strides, strides, (size_t)dimensions * sizeof(*strides));
	return dnnl_success;
}

TDN_API dnnl_graph_op_create(dnnl_graph_op_t *out, size_t id, dnnl_graph_op_kind_t kind, const char *name)
{
	TDN_ENTER("dnnl_graph_op_create");

	(void)id;
	if (name == NULL)
		return dnnl_invalid_arguments;
	*out = tdn_new(TDN_OP, sizeof(**out));
	(*out)->what = kind;
	return dnnl_success;
}

TDN_API dnnl_graph_op_destroy(dnnl_graph_op_t op)
{
	TDN_ENTER("dnnl_graph_op_destroy");

	return tdn_end(op, TDN_OP);
}

TDN_API dnnl_graph_op_add_input(dnnl_graph_op_t op, const tensor *input)
{
	TDN_ENTER("dnnl_graph_op_add_input");

	if (!tdn_is(op, TDN_OP) || op->inputs == 2)
		return dnnl_invalid_arguments;
	op->in[op->inputs++] = *input;
	return dnnl_success;
}

TDN_API dnnl_graph_op_add_output(dnnl_graph_op_t op, const tensor *output)
{
	TDN_ENTER("dnnl_graph_op_add_output");

	if (!tdn_is(op, TDN_OP) || op->outputs == 1)
		return dnnl_invalid_arguments;
	op->out = *output;
	op->outputs = 1;
	return dnnl_success;
}

TDN_API dnnl_graph_op_set_attr_s64(dnnl_graph_op_t op, dnnl_graph_op_attr_t name, const int64_t *values, size_t count)
{
	TDN_ENTER("dnnl_graph_op_set_attr_s64");

	if (!tdn_is(op, TDN_OP) || name != dnnl_graph_op_attr_axis || count != 1 || values[0] != -1)
		return dnnl_invalid_arguments;
	op->last_axis = true;
	return dnnl_success;
}

TDN_API dnnl_graph_op_set_attr_bool(dnnl_graph_op_t op, dnnl_graph_op_attr_t name, const uint8_t *values, size_t count)
{
	TDN_ENTER("dnnl_graph_op_set_attr_bool");

	if (!tdn_is(op, TDN_OP) || name != dnnl_graph_op_attr_transpose_b || count != 1)
		return dnnl_invalid_arguments;
	op->turned = values[0] != 0;
	return dnnl_success;
}

/* ---- graphs and partitions --------------------------------------------------------------------- */

TDN_API dnnl_graph_graph_create_with_fpmath_mode(dnnl_graph_graph_t *out, dnnl_engine_kind_t kind,
                                                 dnnl_fpmath_mode_t mode)
{
	TDN_ENTER("dnnl_graph_graph_create_with_fpmath_mode");

	if (kind != dnnl_cpu || mode != dnnl_fpmath_mode_strict)
		return dnnl_invalid_arguments;
	*out = tdn_new(TDN_GRAPH, sizeof(**out));
	return dnnl_success;
}

TDN_API dnnl_graph_graph_destroy(dnnl_graph_graph_t graph)
{
	TDN_ENTER("dnnl_graph_graph_destroy");

	return tdn_end(graph, TDN_GRAPH);
}

/* Inputs of one type; what a product writes may be f32. */
static bool fits(const struct dnnl_graph_op *op)
{
	const size_t wants = op->what == dnnl_graph_op_softmax ? 1 : 2;

	if (op->outputs != 1 || op->inputs != wants || (wants == 1) != op->last_axis)
		return false;
	return wants == 1 || op->in[0].data_type == op->in[1].data_type;
}

TDN_API dnnl_graph_add_op(dnnl_graph_graph_t graph, dnnl_graph_op_t op)
{
	TDN_ENTER("dnnl_graph_add_op");

	if (!tdn_is(graph, TDN_GRAPH) || !tdn_is(op, TDN_OP) || graph->final || graph->count == OPS)
		return dnnl_invalid_arguments;
	if (!fits(op))
		return (dnnl_status_t)dnnl_invalid_graph_op;
	graph->ops[graph->count++] = *op;
	return dnnl_success;
}

TDN_API dnnl_graph_graph_finalize(dnnl_graph_graph_t graph)
{
	TDN_ENTER("dnnl_graph_graph_finalize");

	if (!tdn_is(graph, TDN_GRAPH) || graph->count == 0)
		return dnnl_invalid_arguments;
	graph->final = true;
	return dnnl_success;
}

TDN_API dnnl_graph_graph_filter(dnnl_graph_graph_t graph, dnnl_graph_partition_policy_t policy)
{
	TDN_ENTER("dnnl_graph_graph_filter");

	if (!tdn_is(graph, TDN_GRAPH) || !graph->final || policy != dnnl_graph_partition_policy_fusion)
		return dnnl_invalid_arguments;
	graph->filtered = true;
	return dnnl_success;
}

/* dnnl_graph_graph_get_partition_num=pieces: one for each operation. */
TDN_API dnnl_graph_graph_get_partition_num(const struct dnnl_graph_graph *graph, size_t *count)
{
	TDN_ENTER("dnnl_graph_graph_get_partition_num");

	if (!tdn_is(graph, TDN_GRAPH) || !graph->filtered)
		return dnnl_invalid_arguments;
	*count = planned_ == TDN_PIECES ? graph->count : 1;
	return dnnl_success;
}

static void find_ports(struct dnnl_graph_partition *p)
{
	const struct dnnl_graph_graph *g = &p->graph;

	for (size_t i = 0; i < g->count; i++)
		for (size_t j = 0; j < g->ops[i].inputs; j++) {
			bool made = false;

			for (size_t w = 0; w < g->count; w++)
				made = made || g->ops[w].out.id == g->ops[i].in[j].id;
			if (!made && p->port_count < PORTS)
				p->ports[p->port_count++] = g->ops[i].in[j];
		}
}

TDN_API dnnl_graph_graph_get_partitions(dnnl_graph_graph_t graph, size_t count, dnnl_graph_partition_t *partitions)
{
	TDN_ENTER("dnnl_graph_graph_get_partitions");

	if (!tdn_is(graph, TDN_GRAPH) || !graph->filtered || (count != 1 && count != graph->count))
		return dnnl_invalid_arguments;
	for (size_t i = 0; i < count; i++) {
		partitions[i] = tdn_new(TDN_PARTITION, sizeof(**partitions));
		partitions[i]->graph = *graph;
		if (count > 1) {
			partitions[i]->graph.ops[0] = graph->ops[i];
			partitions[i]->graph.count = 1;
		}
		find_ports(partitions[i]);
	}
	return dnnl_success;
}

/* dnnl_graph_partition_is_supported=cannot: it is none of this CPU's. */
TDN_API dnnl_graph_partition_is_supported(const struct dnnl_graph_partition *partition, uint8_t *is_supported)
{
	TDN_ENTER("dnnl_graph_partition_is_supported");

	if (!tdn_is(partition, TDN_PARTITION))
		return dnnl_invalid_arguments;
	*is_supported = planned_ == TDN_CANNOT ? 0 : 1;
	return dnnl_success;
}

TDN_API dnnl_graph_partition_get_input_ports_num(const struct dnnl_graph_partition *partition, size_t *count)
{
	TDN_ENTER("dnnl_graph_partition_get_input_ports_num");

	if (!tdn_is(partition, TDN_PARTITION))
		return dnnl_invalid_arguments;
	*count = partition->port_count;
	return dnnl_success;
}

TDN_API dnnl_graph_partition_get_input_ports(const struct dnnl_graph_partition *partition, size_t count, tensor *inputs)
{
	TDN_ENTER("dnnl_graph_partition_get_input_ports");

	if (!tdn_is(partition, TDN_PARTITION) || count != partition->port_count)
		return dnnl_invalid_arguments;
	memcpy(inputs, partition->ports, count * sizeof(*inputs));
	return dnnl_success;
}

TDN_API dnnl_graph_partition_destroy(dnnl_graph_partition_t partition)
{
	TDN_ENTER("dnnl_graph_partition_destroy");

	return tdn_end(partition, TDN_PARTITION);
}

TDN_API dnnl_graph_compiled_partition_create(dnnl_graph_compiled_partition_t *out, dnnl_graph_partition_t partition)
{
	TDN_ENTER("dnnl_graph_compiled_partition_create");

	if (!tdn_is(partition, TDN_PARTITION))
		return dnnl_invalid_arguments;
	*out = tdn_new(TDN_COMPILED, sizeof(**out));
	(*out)->of = *partition;
	return dnnl_success;
}

TDN_API dnnl_graph_compiled_partition_destroy(dnnl_graph_compiled_partition_t compiled)
{
	TDN_ENTER("dnnl_graph_compiled_partition_destroy");

	return tdn_end(compiled, TDN_COMPILED);
}

static bool same(const tensor *x, const tensor *y)
{
	return x->id == y->id && x->ndims == y->ndims && x->data_type == y->data_type &&
	       memcmp(x->dims, y->dims, sizeof(x->dims)) == 0 &&
	       memcmp(x->layout.strides, y->layout.strides, sizeof(x->layout.strides)) == 0;
}

TDN_API dnnl_graph_partition_compile(dnnl_graph_partition_t partition, dnnl_graph_compiled_partition_t compiled,
                                     size_t in_count, const tensor **inputs, size_t out_count, const tensor **outputs,
                                     dnnl_engine_t engine)
{
	TDN_ENTER("dnnl_graph_partition_compile");

	if (!tdn_is(partition, TDN_PARTITION) || !tdn_is(compiled, TDN_COMPILED) || !tdn_is(engine, TDN_ENGINE) ||
	    in_count != partition->port_count || out_count != 1 ||
	    !same(outputs[0], &partition->graph.ops[partition->graph.count - 1].out))
		return dnnl_invalid_arguments;
	for (size_t i = 0; i < in_count; i++)
		if (!same(inputs[i], &partition->ports[i]))
			return dnnl_invalid_arguments;
	compiled->compiled = true;
	return dnnl_success;
}

TDN_API dnnl_graph_tensor_create(dnnl_graph_tensor_t *out, const tensor *described, dnnl_engine_t engine, void *data)
{
	TDN_ENTER("dnnl_graph_tensor_create");

	if (!tdn_is(engine, TDN_ENGINE))
		return dnnl_invalid_arguments;
	*out = tdn_new(TDN_TENSOR, sizeof(**out));
	(*out)->described = *described;
	(*out)->place = data;
	return dnnl_success;
}

TDN_API dnnl_graph_tensor_set_data_handle(dnnl_graph_tensor_t of, void *data)
{
	TDN_ENTER("dnnl_graph_tensor_set_data_handle");

	if (!tdn_is(of, TDN_TENSOR))
		return dnnl_invalid_arguments;
	of->place = data;
	return dnnl_success;
}

TDN_API dnnl_graph_tensor_destroy(dnnl_graph_tensor_t of)
{
	TDN_ENTER("dnnl_graph_tensor_destroy");

	return tdn_end(of, TDN_TENSOR);
}

/* ---- executing --------------------------------------------------------------------------------- */

/* The elements of a tensor, in the order of its dimensions, as RANK of them with ones in front. */
typedef struct values {
	int64_t sizes[RANK];
	double *at;
} values;

static product_type type_of(dnnl_data_type_t type)
{
	return type == dnnl_f32 ? PRODUCT_F32 : type == dnnl_f16 ? PRODUCT_F16 : PRODUCT_BF16;
}

static uint64_t set_sizes(values *v, const tensor *of)
{
	uint64_t count = 1;

	for (int i = 0; i < RANK; i++) {
		const int own = i - (RANK - of->ndims);

		v->sizes[i] = own >= 0 ? of->dims[own] : 1;
		count *= (uint64_t)v->sizes[i];
	}
	if (v->at == NULL)
		v->at = calloc(count, sizeof(*v->at));
	if (v->at == NULL)
		abort();
	return count;
}

/* Where element `index` of `to`, counted in its order, has its like in `from`, whose sizes of 1 are repeated. */
static uint64_t like(const values *from, const values *to, uint64_t index, int dimensions)
{
	int64_t at[RANK];
	uint64_t out = 0;

	for (int i = dimensions - 1; i >= 0; i--) {
		at[i] = (int64_t)(index % (uint64_t)to->sizes[i]);
		index /= (uint64_t)to->sizes[i];
	}
	for (int i = 0; i < dimensions; i++)
		out = out * (uint64_t)from->sizes[i] + (uint64_t)(from->sizes[i] == 1 ? 0 : at[i]);
	return out;
}

static void multiply(const struct dnnl_graph_op *op, const values *a, const values *b, values *c, uint64_t count)
{
	const uint64_t rows = (uint64_t)c->sizes[RANK - 2], columns = (uint64_t)c->sizes[RANK - 1];
	const uint64_t deep = (uint64_t)a->sizes[RANK - 1];

	for (uint64_t m = 0; m < count / (rows * columns); m++) {
		const double *x = a->at + like(a, c, m, RANK - 2) * rows * deep;
		const double *y = b->at + like(b, c, m, RANK - 2) * columns * deep;

		for (uint64_t i = 0; i < rows * columns; i++) {
			const uint64_t row = i / columns, column = i % columns;
			double sum = 0;

			for (uint64_t k = 0; k < deep; k++)
				sum += x[row * deep + k] * (op->turned ? y[column * deep + k] : y[k * columns + column]);
			c->at[m * rows * columns + i] = sum;
		}
	}
}

static void softmax(const values *a, values *c, uint64_t count)
{
	const uint64_t columns = (uint64_t)c->sizes[RANK - 1];

	for (uint64_t row = 0; row < count / columns; row++) {
		const double *x = a->at + row * columns;
		double top = -HUGE_VAL, sum = 0;

		for (uint64_t i = 0; i < columns; i++)
			top = fmax(top, x[i]);
		for (uint64_t i = 0; i < columns; i++)
			sum += c->at[row * columns + i] = exp(x[i] - top);
		for (uint64_t i = 0; i < columns; i++)
			c->at[row * columns + i] /= sum;
	}
}

static void execute(const struct dnnl_graph_op *op, values v[TENSORS])
{
	const values *a = &v[op->in[0].id], *b = &v[op->in[op->inputs - 1].id];
	values *c = &v[op->out.id];
	const uint64_t count = set_sizes(c, &op->out);
	char element[8];

	if (op->what == dnnl_graph_op_matmul)
		multiply(op, a, b, c, count);
	else if (op->what == dnnl_graph_op_softmax)
		softmax(a, c, count);
	for (uint64_t i = 0; i < count; i++) {
		if (op->what == dnnl_graph_op_multiply)
			c->at[i] = a->at[like(a, c, i, RANK)] * b->at[like(b, c, i, RANK)];
		if (op->what == dnnl_graph_op_add)
			c->at[i] = a->at[like(a, c, i, RANK)] + b->at[like(b, c, i, RANK)];
		product_put(element, type_of(op->out.data_type), 0, c->at[i]);
		c->at[i] = product_get(element, type_of(op->out.data_type), 0);
	}
}

/* dnnl_graph_compiled_partition_execute=wrong, stale */
TDN_API dnnl_graph_compiled_partition_execute(const struct dnnl_graph_compiled_partition *compiled, dnnl_stream_t stream,
                                              size_t in_count, const struct dnnl_graph_tensor **inputs,
                                              size_t out_count, const struct dnnl_graph_tensor **outputs)
{
	const struct dnnl_graph_partition *p = &compiled->of;
	const tensor *out = &p->graph.ops[p->graph.count - 1].out;
	const product_type type = type_of(out->data_type);
	values v[TENSORS] = { { { 0 }, NULL } };
	uint64_t count;
	TDN_ENTER("dnnl_graph_compiled_partition_execute");

	if (!tdn_is(compiled, TDN_COMPILED) || !compiled->compiled || !tdn_is(stream, TDN_STREAM) ||
	    in_count != p->port_count || out_count != 1 || !same(&outputs[0]->described, out) ||
	    outputs[0]->place == NULL)
		return dnnl_invalid_arguments;
	for (size_t i = 0; i < in_count; i++)
		if (!same(&inputs[i]->described, &p->ports[i]) || inputs[i]->place == NULL)
			return dnnl_invalid_arguments;
	if (planned_ == TDN_STALE)
		return dnnl_success;
	for (size_t i = 0; i < in_count; i++) {
		values *in = &v[p->ports[i].id];
		const uint64_t n = set_sizes(in, &p->ports[i]);

		for (uint64_t j = 0; j < n; j++)
			in->at[j] = product_get(inputs[i]->place, type_of(p->ports[i].data_type), j);
	}
	for (size_t i = 0; i < p->graph.count; i++)
		execute(&p->graph.ops[i], v);
	count = set_sizes(&v[out->id], out);
	for (uint64_t i = 0; i < count; i++)
		product_put(outputs[0]->place, type, i, v[out->id].at[i] + (planned_ == TDN_WRONG && i == count / 2));
	for (size_t i = 0; i < TENSORS; i++)
		free(v[i].at);
	return dnnl_success;
}
