/* SPDX-License-Identifier: Apache-2.0 */
/* Of the ABI of oneDNN 3, the graphs; see shared/onednn_abi.h.  Names and values are those of
 * oneapi/dnnl/dnnl_graph.h. */
#ifndef ONEDNN_GRAPH_ABI_H
#define ONEDNN_GRAPH_ABI_H

#include "shared/onednn_abi.h"

#ifndef ABI_OF_VENDOR

enum {
	dnnl_invalid_graph_op = 8,
};

typedef enum dnnl_graph_op_kind_t {
	dnnl_graph_op_add = 2,
	dnnl_graph_op_matmul = 39,
	dnnl_graph_op_multiply = 46,
	dnnl_graph_op_softmax = 64,
} dnnl_graph_op_kind_t;

typedef enum dnnl_graph_op_attr_t {
	dnnl_graph_op_attr_axis = 0x30,
	dnnl_graph_op_attr_transpose_b = 0x66,
} dnnl_graph_op_attr_t;

typedef enum dnnl_graph_tensor_property_t {
	dnnl_graph_tensor_property_undef = 0,
} dnnl_graph_tensor_property_t;

typedef enum dnnl_graph_layout_type_t {
	dnnl_graph_layout_type_strided = 2,
} dnnl_graph_layout_type_t;

typedef enum dnnl_graph_partition_policy_t {
	dnnl_graph_partition_policy_fusion = 1,
} dnnl_graph_partition_policy_t;

typedef struct dnnl_graph_logical_tensor_t {
	size_t id;
	int ndims;
	dnnl_dim_t dims[DNNL_MAX_NDIMS];
	dnnl_data_type_t data_type;
	dnnl_graph_tensor_property_t property;
	dnnl_graph_layout_type_t layout_type;
	union {
		dnnl_dim_t strides[DNNL_MAX_NDIMS];
		size_t layout_id;
	} layout;
} dnnl_graph_logical_tensor_t;

typedef struct dnnl_graph_graph *dnnl_graph_graph_t;
typedef struct dnnl_graph_op *dnnl_graph_op_t;
typedef struct dnnl_graph_partition *dnnl_graph_partition_t;
typedef struct dnnl_graph_compiled_partition *dnnl_graph_compiled_partition_t;
typedef struct dnnl_graph_tensor *dnnl_graph_tensor_t;

#endif

#define ONEDNN_GRAPH_FUNCTIONS(X) \
	X(tensor_describe, "dnnl_graph_logical_tensor_init_with_strides", \
	  (dnnl_graph_logical_tensor_t *tensor, size_t id, dnnl_data_type_t type, int32_t dimensions, \
	   const dnnl_dim_t *sizes, const dnnl_dim_t *strides, dnnl_graph_tensor_property_t property)) \
	X(graph_create, "dnnl_graph_graph_create_with_fpmath_mode", \
	  (dnnl_graph_graph_t *graph, dnnl_engine_kind_t kind, dnnl_fpmath_mode_t mode)) \
	X(graph_destroy, "dnnl_graph_graph_destroy", (dnnl_graph_graph_t graph)) \
	X(graph_add, "dnnl_graph_add_op", (dnnl_graph_graph_t graph, dnnl_graph_op_t op)) \
	X(graph_finalize, "dnnl_graph_graph_finalize", (dnnl_graph_graph_t graph)) \
	X(graph_filter, "dnnl_graph_graph_filter", \
	  (dnnl_graph_graph_t graph, dnnl_graph_partition_policy_t policy)) \
	X(graph_partition_count, "dnnl_graph_graph_get_partition_num", \
	  (const struct dnnl_graph_graph *graph, size_t *count)) \
	X(graph_partitions, "dnnl_graph_graph_get_partitions", \
	  (dnnl_graph_graph_t graph, size_t count, dnnl_graph_partition_t *partitions)) \
	X(op_create, "dnnl_graph_op_create", \
	  (dnnl_graph_op_t *op, size_t id, dnnl_graph_op_kind_t kind, const char *name)) \
	X(op_destroy, "dnnl_graph_op_destroy", (dnnl_graph_op_t op)) \
	X(op_input, "dnnl_graph_op_add_input", \
	  (dnnl_graph_op_t op, const dnnl_graph_logical_tensor_t *input)) \
	X(op_output, "dnnl_graph_op_add_output", \
	  (dnnl_graph_op_t op, const dnnl_graph_logical_tensor_t *output)) \
	X(op_whole, "dnnl_graph_op_set_attr_s64", \
	  (dnnl_graph_op_t op, dnnl_graph_op_attr_t name, const int64_t *values, size_t count)) \
	X(op_truth, "dnnl_graph_op_set_attr_bool", \
	  (dnnl_graph_op_t op, dnnl_graph_op_attr_t name, const uint8_t *values, size_t count)) \
	X(partition_supported, "dnnl_graph_partition_is_supported", \
	  (const struct dnnl_graph_partition *partition, uint8_t *is_supported)) \
	X(partition_input_count, "dnnl_graph_partition_get_input_ports_num", \
	  (const struct dnnl_graph_partition *partition, size_t *count)) \
	X(partition_inputs, "dnnl_graph_partition_get_input_ports", \
	  (const struct dnnl_graph_partition *partition, size_t count, dnnl_graph_logical_tensor_t *inputs)) \
	X(partition_compile, "dnnl_graph_partition_compile", \
	  (dnnl_graph_partition_t partition, dnnl_graph_compiled_partition_t compiled, size_t in_count, \
	   const dnnl_graph_logical_tensor_t **inputs, size_t out_count, \
	   const dnnl_graph_logical_tensor_t **outputs, dnnl_engine_t engine)) \
	X(partition_destroy, "dnnl_graph_partition_destroy", (dnnl_graph_partition_t partition)) \
	X(compiled_create, "dnnl_graph_compiled_partition_create", \
	  (dnnl_graph_compiled_partition_t *compiled, dnnl_graph_partition_t partition)) \
	X(compiled_execute, "dnnl_graph_compiled_partition_execute", \
	  (const struct dnnl_graph_compiled_partition *compiled, dnnl_stream_t stream, size_t in_count, \
	   const struct dnnl_graph_tensor **inputs, size_t out_count, \
	   const struct dnnl_graph_tensor **outputs)) \
	X(compiled_destroy, "dnnl_graph_compiled_partition_destroy", \
	  (dnnl_graph_compiled_partition_t compiled)) \
	X(tensor_create, "dnnl_graph_tensor_create", \
	  (dnnl_graph_tensor_t *tensor, const dnnl_graph_logical_tensor_t *described, dnnl_engine_t engine, \
	   void *data)) \
	X(tensor_set, "dnnl_graph_tensor_set_data_handle", (dnnl_graph_tensor_t tensor, void *data)) \
	X(tensor_destroy, "dnnl_graph_tensor_destroy", (dnnl_graph_tensor_t tensor))

#endif
