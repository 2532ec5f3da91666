/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What backends use of the ABI of oneDNN 2 and 3 alike, declared here, so that they are built without
 * it; onednn2_abi.h and onednn3_abi.h have what differs.  Names and values are those of
 * oneapi/dnnl/dnnl.h; tests/abi/vendor.sh compares each with it, and reads these files in the forms that
 * tests/abi/vendor/facts.awk lists.
 */
#ifndef ONEDNN_ABI_H
#define ONEDNN_ABI_H

#include <stddef.h>
#include <stdint.h>

#ifndef ABI_OF_VENDOR /* the test takes these from the vendor's headers instead */

typedef enum dnnl_status_t {
	dnnl_success = 0,
	dnnl_out_of_memory = 1,
	dnnl_invalid_arguments = 2,
	dnnl_unimplemented = 3,
} dnnl_status_t;

typedef enum dnnl_data_type_t {
	dnnl_data_type_undef = 0,
	dnnl_f16 = 1,
	dnnl_bf16 = 2,
	dnnl_f32 = 3,
	dnnl_s32 = 4,
	dnnl_s8 = 5,
	dnnl_f64 = 7,
	dnnl_f8_e5m2 = 9,
	dnnl_f8_e4m3 = 10,
} dnnl_data_type_t;

typedef enum dnnl_engine_kind_t {
	dnnl_cpu = 1,
	dnnl_gpu = 2,
} dnnl_engine_kind_t;

typedef enum dnnl_query_t {
	dnnl_query_impl_info_str = 8,
} dnnl_query_t;

typedef enum dnnl_fpmath_mode_t {
	dnnl_fpmath_mode_strict = 0,
} dnnl_fpmath_mode_t;

#define DNNL_ARG_SRC 1
#define DNNL_ARG_DST 17
#define DNNL_ARG_WEIGHTS 33
#define DNNL_MAX_NDIMS 12
#define DNNL_RUNTIME_SEQ 1
#define DNNL_RUNTIME_OMP 2
#define DNNL_RUNTIME_OCL 256

typedef int64_t dnnl_dim_t;

typedef struct dnnl_engine *dnnl_engine_t;
typedef struct dnnl_stream *dnnl_stream_t;
typedef struct dnnl_memory *dnnl_memory_t;
typedef struct dnnl_primitive *dnnl_primitive_t;
typedef struct dnnl_primitive_desc *dnnl_primitive_desc_t;
typedef struct dnnl_primitive_attr *dnnl_primitive_attr_t;
typedef struct dnnl_post_ops *dnnl_post_ops_t;

typedef struct dnnl_exec_arg_t {
	int arg;
	dnnl_memory_t memory;
} dnnl_exec_arg_t;

typedef struct dnnl_version_t {
	int major;
	int minor;
	int patch;
	const char *hash;
	unsigned cpu_runtime;
	unsigned gpu_runtime;
} dnnl_version_t;

#endif

/* The functions: X(field, "name", (arguments)). */
#define ONEDNN_FUNCTIONS(X) \
	X(engine_create, "dnnl_engine_create", \
	  (dnnl_engine_t *engine, dnnl_engine_kind_t kind, size_t index)) \
	X(engine_destroy, "dnnl_engine_destroy", (dnnl_engine_t engine)) \
	X(stream_create, "dnnl_stream_create", \
	  (dnnl_stream_t *stream, dnnl_engine_t engine, unsigned flags)) \
	X(stream_wait, "dnnl_stream_wait", (dnnl_stream_t stream)) \
	X(stream_destroy, "dnnl_stream_destroy", (dnnl_stream_t stream)) \
	X(attr_create, "dnnl_primitive_attr_create", (dnnl_primitive_attr_t *attr)) \
	X(attr_destroy, "dnnl_primitive_attr_destroy", (dnnl_primitive_attr_t attr)) \
	X(attr_set_post_ops, "dnnl_primitive_attr_set_post_ops", \
	  (dnnl_primitive_attr_t attr, const struct dnnl_post_ops *ops)) \
	X(attr_set_fpmath, "dnnl_primitive_attr_set_fpmath_mode", \
	  (dnnl_primitive_attr_t attr, dnnl_fpmath_mode_t mode)) \
	X(post_ops_create, "dnnl_post_ops_create", (dnnl_post_ops_t *ops)) \
	X(post_ops_destroy, "dnnl_post_ops_destroy", (dnnl_post_ops_t ops)) \
	X(primitive_desc_query, "dnnl_primitive_desc_query", \
	  (const struct dnnl_primitive_desc *desc, dnnl_query_t what, int index, void *result)) \
	X(primitive_desc_destroy, "dnnl_primitive_desc_destroy", (dnnl_primitive_desc_t desc)) \
	X(primitive_create, "dnnl_primitive_create", \
	  (dnnl_primitive_t *primitive, const struct dnnl_primitive_desc *desc)) \
	X(primitive_execute, "dnnl_primitive_execute", \
	  (const struct dnnl_primitive *primitive, dnnl_stream_t stream, int count, \
	   const dnnl_exec_arg_t *arguments)) \
	X(primitive_destroy, "dnnl_primitive_destroy", (dnnl_primitive_t primitive)) \
	X(memory_set, "dnnl_memory_set_data_handle", (dnnl_memory_t memory, void *data)) \
	X(memory_destroy, "dnnl_memory_destroy", (dnnl_memory_t memory))

#define ONEDNN_VERSION(X) \
	X(version, "dnnl_version", (void))

#endif
