/* SPDX-License-Identifier: Apache-2.0 */
/*
 * evenhand/extensions.h - optional functions of a backend, by name.
 *
 * eh_backend_ops.extension(self, NAME) gives one of the tables below, or NULL.  A table begins with
 * its struct_size; functions are appended, never moved: test them with EH_HAS.  The rules of
 * backend.h on threads, units, errors and outputs apply.  On a device that does not offer an
 * extension its functions return EH_E_UNSUPPORTED with the reason.  A workload finds the tables by
 * eh_bench.extension.  A name that ends in 0 is a draft, which may change in any release: a table
 * gets its number when a workload and two backends use it.
 */
#ifndef EVENHAND_EXTENSIONS_H
#define EVENHAND_EXTENSIONS_H

#include "evenhand/backend.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- eh.graph.1: commands recorded once and launched as a whole ---------------------------- */

#define EH_GRAPH_NAME "eh.graph.1"

typedef struct eh_graph eh_graph;

/*
 * Between begin and end the queue records: launch, fill and copy on device memory have no effect
 * until the graph is launched, and then take effect in the order in which they were recorded.
 * Scalar arguments keep the values they had; buffers, programs and the queue outlive the graph.
 * Nothing else is called for the queue while it records: no upload, download, mark, flush or wait.
 */
typedef struct eh_graph_ops {
	uint32_t struct_size;
	uint32_t reserved;
	/* EH_OK when the device has graphs; else EH_E_UNSUPPORTED. */
	eh_status (*available)(eh_device *device, eh_error *error);
	eh_status (*begin)(eh_queue *queue, eh_error *error);
	/* Always ends the recording; graph NULL discards it.  The error of a recorded command may
	 * be returned here; then there is no graph.  EH_E_INVALID_ARGUMENT when nothing was
	 * recorded. */
	eh_status (*end)(eh_queue *queue, eh_graph **graph, eh_error *error);
	/* Enqueues the graph as one command in the queue that recorded it; any number of times,
	 * also while an earlier launch is running. */
	eh_status (*launch)(eh_queue *queue, eh_graph *graph, eh_error *error);
	/* No launch of it may be pending. */
	void (*destroy)(eh_graph *graph);
} eh_graph_ops;

/* ---- eh.peer.1: copies from device to device ------------------------------------------------ */

#define EH_PEER_NAME "eh.peer.1"

enum {
	EH_PEER_STAGED = 0, /* copies pass through the host's memory                       */
	EH_PEER_DIRECT = 1  /* one device reaches the other's memory over their link       */
};

/* Two devices between which copies go one way, EH_PEER_*. */
typedef struct eh_peer_link eh_peer_link;

/* Both devices are of one backend and open in one process; they are called from one thread at a
 * time. */
typedef struct eh_peer_ops {
	uint32_t struct_size;
	uint32_t reserved;
	/* Makes copies between the two go as `how` says: never another way.  EH_E_UNSUPPORTED with
	 * the reason where the driver does not offer it.  Links of the same two devices that are there
	 * at once have the same `how`. */
	eh_status (*connect)(eh_device *device, eh_device *other, uint32_t how, eh_peer_link **link,
	                     eh_error *error);
	/* What the driver tells of the way between the two, and what it does not tell: one phrase,
	 * valid until disconnect. */
	const char *(*describe)(const eh_peer_link *link);
	/* Enqueues a copy between device memory of the two in a queue of either one.  It is ordered
	 * with that queue only, and may return when it is done. */
	eh_status (*copy)(eh_queue *queue, eh_peer_link *link, eh_buffer *to, uint64_t to_offset,
	                  eh_buffer *from, uint64_t from_offset, uint64_t bytes, eh_error *error);
	/* As the slot of eh_backend_ops, with a mark of a queue of either device.  Where the API orders
	 * no queues of the two, the host waits here. */
	eh_status (*queue_wait_mark)(eh_queue *queue, eh_mark *mark, eh_error *error);
	/* No copy of it may be pending; before one of its devices is closed. */
	void (*disconnect)(eh_peer_link *link);
} eh_peer_ops;

/* ---- eh.gemm.1: the matrix product of a library --------------------------------------------- */

#define EH_GEMM_NAME "eh.gemm.1"

typedef struct eh_gemm_plan eh_gemm_plan;

enum { EH_GEMM_TRANSPOSE_A = 1, EH_GEMM_TRANSPOSE_B = 2 };

/*
 * C = alpha * op(A) * op(B) + beta * C, row-major; op(A) is m x k, op(B) k x n, C m x n.  Leading
 * dimensions (elements from row to row as stored) and strides (elements from matrix to matrix of a
 * batch) are in elements.  Types: "f64", "f32", "tf32" (stored as f32, multiplied in 19 bits), "f16",
 * "bf16", "e4m3", "e5m2", "e4m3z", "e5m2z", "i8", "i32".
 */
typedef struct eh_gemm {
	uint32_t struct_size;
	uint32_t flags;             /* EH_GEMM_TRANSPOSE_*                                     */
	uint64_t m, n, k;
	uint64_t lda, ldb, ldc;
	uint64_t batch;             /* 1 = a single product                                    */
	uint64_t stride_a, stride_b, stride_c;
	double alpha, beta;
	char type_a[8], type_b[8], type_c[8];
	char accumulate[8];         /* the type in which products are added up                 */
	uint64_t workspace_limit;   /* bytes that the library may ask for                      */
} eh_gemm;

/* The matrices of one product: byte offsets are multiples of 16.  workspace is NULL where none was
 * asked for. */
typedef struct eh_gemm_operands {
	uint32_t struct_size;
	uint32_t reserved;
	eh_buffer *a, *b, *c, *workspace;
	uint64_t offset_a, offset_b, offset_c;
} eh_gemm_operands;

/* Where a device has several libraries, the backend's order decides, or the user: --set
 * BACKEND.gemm=NAME. */
typedef struct eh_gemm_ops {
	uint32_t struct_size;
	uint32_t reserved;
	/* Chooses a library and its algorithm.  EH_E_UNSUPPORTED with the reason when no library that
	 * is here makes this product on this device, EH_E_UNAVAILABLE with advice (a package) when
	 * there is none.  A library that would make it in other types than these is no choice.  The
	 * caller allocates *workspace_bytes of device memory (0 = none). */
	eh_status (*prepare)(eh_device *device, const eh_gemm *gemm, eh_gemm_plan **plan,
	                     uint64_t *workspace_bytes, eh_error *error);
	/* One command in the queue, like a launch.  Buffers are device memory. */
	eh_status (*enqueue)(eh_queue *queue, eh_gemm_plan *plan, const eh_gemm_operands *operands,
	                     eh_error *error);
	/* EH_LAYER_LIBRARY: name, version and file of the library.  In detail at least "kernel=NAME",
	 * what really runs, and "picked=HOW (WHO)", where WHO is the variable or setting that
	 * decided, if one did; after the first enqueue was waited for. */
	eh_status (*layer)(eh_gemm_plan *plan, eh_layer *layer, eh_error *error);
	/* No enqueued command of it may be pending. */
	void (*destroy)(eh_gemm_plan *plan);
} eh_gemm_ops;

/* ---- eh.attention.0: the attention of a library ---------------------------------------------- */

#define EH_ATTENTION_NAME "eh.attention.0"

typedef struct eh_attention_plan eh_attention_plan;

enum { EH_ATTENTION_CAUSAL = 1 }; /* query i sees the keys up to i + keys - query                */

/*
 * O = softmax(scale * Q K^T) V for each sequence and head; heads / kv_heads heads of Q, neighbours of each
 * other, read one head of K and V.  Q and O are [batch, heads, query, head], K and V [batch, kv_heads,
 * keys, head], all of them dense.  Sums and the scores are kept in `accumulate`.
 */
typedef struct eh_attention {
	uint32_t struct_size;
	uint32_t flags;             /* EH_ATTENTION_*                                          */
	uint64_t batch, heads, kv_heads;
	uint64_t query, keys, head;
	double scale;
	char type[8];               /* of Q, K, V and O: "f32", "f16", "bf16"                  */
	char accumulate[8];         /* "f32"                                                   */
	uint64_t workspace_limit;   /* bytes that the library may ask for                      */
} eh_attention;

/* Byte offsets are multiples of 16.  workspace is NULL where none was asked for. */
typedef struct eh_attention_operands {
	uint32_t struct_size;
	uint32_t reserved;
	eh_buffer *q, *k, *v, *o, *workspace;
	uint64_t offset_q, offset_k, offset_v, offset_o;
} eh_attention_operands;

/* As eh_gemm_ops, in every point. */
typedef struct eh_attention_ops {
	uint32_t struct_size;
	uint32_t reserved;
	eh_status (*prepare)(eh_device *device, const eh_attention *attention, eh_attention_plan **plan,
	                     uint64_t *workspace_bytes, eh_error *error);
	eh_status (*enqueue)(eh_queue *queue, eh_attention_plan *plan,
	                     const eh_attention_operands *operands, eh_error *error);
	eh_status (*layer)(eh_attention_plan *plan, eh_layer *layer, eh_error *error);
	void (*destroy)(eh_attention_plan *plan);
} eh_attention_ops;

#ifdef __cplusplus
}
#endif
#endif /* EVENHAND_EXTENSIONS_H */
