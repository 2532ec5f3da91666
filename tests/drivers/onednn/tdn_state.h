/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A library with the calls of oneDNN 3 that the opencl, levelzero and host backends make, for any OpenCL device, any
 * Level Zero driver and any processor: right products (and attention, on processors), made on the host while they
 * are enqueued, behind what the queue had before.
 * It is strict where the real one is undefined: objects, their kinds, and what a primitive is executed with are
 * checked.  EVENHAND_TEST_FAULT knows its functions, with these words besides statuses:
 *
 *   dnnl_primitive_execute=wrong    one element has a wrong bit
 *   dnnl_primitive_execute=stale    it says that it ran, and does nothing
 *   dnnl_primitive_execute=narrow   factors of f32 are multiplied as tf32
 *   dnnl_graph_compiled_partition_execute=wrong, stale
 *                                   the same of attention
 *   dnnl_graph_graph_get_partition_num=pieces
 *                                   it has no attention in one piece
 *   dnnl_graph_partition_is_supported=cannot
 *                                   it has none of these types on this CPU
 *   dnnl_version=cpu                it was built without a GPU
 *   dnnl_version=four               it is oneDNN 4
 *   dnnl_version=old                it is oneDNN 3.2, which has no formats of 8 bits
 */
#ifndef TDN_STATE_H
#define TDN_STATE_H

#include <stdbool.h>

#include "shared/onednn3_abi.h"
#include "../products/products.h"
#include "../shared/faults.h"

#define TDN_VISIBLE __attribute__((visibility("default")))
#define TDN_API TDN_VISIBLE dnnl_status_t

enum { TDN_WRONG = -1, TDN_STALE = -2, TDN_NARROW = -3, TDN_CPU = -4, TDN_FOUR = -5, TDN_OLD = -6,
       TDN_PIECES = -7, TDN_CANNOT = -8 };

/* The first member of each object. */
typedef enum tdn_kind {
	TDN_NONE,
	TDN_ENGINE = 0x7e57d001,
	TDN_STREAM,
	TDN_MEMORY_DESC,
	TDN_MEMORY,
	TDN_ATTR,
	TDN_OPS,
	TDN_DESC,
	TDN_PRIMITIVE,
	TDN_OP,
	TDN_GRAPH,
	TDN_PARTITION,
	TDN_COMPILED,
	TDN_TENSOR
} tdn_kind;

struct dnnl_engine {
	tdn_kind kind;
	void *device, *context;    /* of the API                                              */
};

struct dnnl_stream {
	tdn_kind kind;
	struct dnnl_engine *engine;
	void *queue, *own;         /* of the API, and what the library has for it             */
};

struct dnnl_memory_desc {
	tdn_kind kind;
	int dimensions;
	dnnl_data_type_t type;
	int64_t sizes[3], strides[3];
};

struct dnnl_memory {
	tdn_kind kind;
	struct dnnl_memory_desc desc;
	void *place;               /* of the API                                              */
};

struct dnnl_post_ops {
	tdn_kind kind;
	double alpha, beta;
};

struct dnnl_primitive_attr {
	tdn_kind kind;
	struct dnnl_post_ops ops;
	bool strict;
};

struct dnnl_primitive_desc {
	tdn_kind kind;
	struct dnnl_memory_desc a, b, c;
	struct dnnl_primitive_attr attr;
};

struct dnnl_primitive {
	tdn_kind kind;
	struct dnnl_primitive_desc desc;
};

/* A new object, counted until tdn_end; ends the process when memory is out. */
void *tdn_new(tdn_kind kind, size_t size);
bool tdn_is(const void *object, tdn_kind kind);
/* dnnl_invalid_arguments for what is no such object. */
dnnl_status_t tdn_end(void *object, tdn_kind kind);

bool tdn_word(const char *word, int64_t *code);

/* Counts the call, and makes a planned one fail. */
#define TDN_ENTER(name)                                          \
	int64_t planned_ = 0;                                    \
	if (faults_call(name, tdn_word, &planned_) && planned_ >= 0) \
		return (dnnl_status_t)planned_

/* ---- tdn_ocl.c, tdn_ze.c or tdn_cpu.c, one in each library ---- */
extern const unsigned tdn_runtime; /* of its GPU engines, 0 = it has none                      */
extern const bool tdn_has_cpu;     /* it has engines of the CPU, which the ABI itself makes    */
/* Waits for what the stream had before, and copies `bytes` of the buffer at place; false when that fails. */
bool tdn_fetch(const struct dnnl_stream *stream, void *place, void *to, size_t bytes);
/* Copies them back, behind what the stream had before. */
bool tdn_store(const struct dnnl_stream *stream, void *place, const void *from, size_t bytes);
void tdn_forget(struct dnnl_stream *stream);

#endif
