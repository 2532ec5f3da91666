/* SPDX-License-Identifier: Apache-2.0 */
/* eh.gemm.1 of this backend: two libraries of products, each behind one table. */
#ifndef HIP_GEMM_H
#define HIP_GEMM_H

#include <pthread.h>

#include "hip_api.h"
#include "hipblaslt_abi.h"
#include "rocblas_abi.h"
#include "shared/products.h"

typedef struct hipblaslt_api {
#define HIPBLASLT_FIELD(field, names, arguments) hipblasStatus_t(*field) arguments;
	HIPBLASLT_FUNCTIONS(HIPBLASLT_FIELD)
#undef HIPBLASLT_FIELD
} hipblaslt_api;

typedef struct rocblas_api {
#define ROCBLAS_FIELD(field, names, arguments) rocblas_status(*field) arguments;
	ROCBLAS_FUNCTIONS(ROCBLAS_FIELD)
#undef ROCBLAS_FIELD
} rocblas_api;

/* The words of shared/lt_products.h. */
typedef hipblaslt_api lt_api;
typedef hipblasStatus_t lt_rc;
typedef hipDataType lt_type;
typedef hipblasComputeType_t lt_compute;
typedef hipblasLtMatmulDesc_t lt_desc;
typedef hipblasLtMatrixLayout_t lt_layout;
typedef hipblasLtMatmulAlgo_t lt_algorithm;
typedef hipblasLtHandle_t lt_handle;
typedef hipStream_t lt_stream;
#define LT_OK HIPBLAS_STATUS_SUCCESS
#define LT_NAME(name) "hipblasLt" name
#define LT_TURN(turn) HIPBLAS_OP_##turn
#define LT_DESC(name) HIPBLASLT_MATMUL_DESC_##name
#define LT_LAYOUT(name) HIPBLASLT_MATRIX_LAYOUT_##name
#include "shared/lt_products.h"

/* In the order in which they are asked. */
enum { HIP_HIPBLASLT, HIP_ROCBLAS, HIP_MAKERS };

/* A library of a started backend, from its first product on. */
typedef struct hip_library {
	bool tried;
	eh_status status;          /* of opening it                                         */
	eh_error problem;          /* then                                                  */
	vendorlib file;
	char version[128];         /* "1.1.0 (3f2a91c)"; hipBLASLt's is read with a handle  */
	wording_gaps gaps;         /* facts that it did not tell                            */
	char beside[PATH_MAX];     /* of rocBLAS: the hipBLASLt that it is linked with, "" = none */
	union {
		hipblaslt_api lt;
		rocblas_api roc;
	} api;
} hip_library;

/* Of a backend; devices have threads of their own, so all of it is filled under the lock, and a library that
 * has a device's handle no longer changes. */
typedef struct hip_libraries {
	pthread_mutex_t lock;
	hip_library all[HIP_MAKERS];
} hip_libraries;

/* A handle of hipBLASLt.  Kernels of one handle share flags in the device's memory, so each queue has its own. */
typedef struct hip_lt_handle {
	hipblasLtHandle_t handle;
	hipStream_t stream;        /* NULL = no product was enqueued with it                */
	bool gone;                 /* its queue was destroyed; a graph may still use it     */
	struct hip_lt_handle *next;
} hip_lt_handle;

/*
 * What the libraries have of a device.  Handles live as long as the device: a graph may still hold what a
 * handle has.  One of rocBLAS serves all queues.  A device is used from one thread at a time.
 */
typedef struct hip_gemm_state {
	hip_lt_handle *lt;         /* NULL = none yet                                       */
	rocblas_handle roc;
	hipStream_t stream;        /* that roc has now, NULL = none                         */
	void *workspace;           /* that roc has now                                      */
	size_t workspace_bytes;
	void *nothing;             /* the workspace of products that need none              */
	bool used[HIP_MAKERS];     /* a product was prepared                                */
	products_kernels kernels[HIP_MAKERS];
} hip_gemm_state;

/* What a product is for both libraries. */
typedef struct hip_gemm_types {
	lt_types lt;
	const char *lt_compute, *roc_compute; /* the names                                  */
	struct {
		rocblas_datatype a, b, c, compute; /* a, b: its own first and second factor  */
	} roc;
} hip_gemm_types;

/* One product of one library. */
typedef struct hip_product {
	hip_gemm_types types;
	eh_gemm gemm;
	uint64_t workspace;        /* bytes                                                 */
	char kernel[PRODUCTS_KERNEL];
	lt_product lt;             /* hipBLASLt's                                           */
	int rank, count;           /* of its algorithm among those that it offered          */
	products_factor alpha, beta; /* rocBLAS's                                           */
} hip_product;

/* A library: slots are called in the device's place.  A status of EH_E_UNSUPPORTED or EH_E_UNAVAILABLE of the
 * first two lets the next library be asked. */
typedef struct hip_maker {
	const char *name;          /* of hip.gemm, and the setting that names its file      */
	const char *title;
	const char *const *variables; /* that can decide, for products_picked_detail         */
	/* Reads no library: types that it has not on this device. */
	eh_status (*check)(const eh_device *device, const eh_gemm *gemm, hip_gemm_types *types,
	                   eh_error *error);
	/* Fills a *p with gemm and types; the library is open.  *p is freed after a failure too. */
	eh_status (*prepare)(eh_device *device, hip_product *p, eh_error *error);
	eh_status (*enqueue)(eh_queue *queue, hip_product *p, const eh_gemm_operands *o, eh_error *error);
	/* What is picked, and the facts behind it. */
	const char *picked;
	void (*facts)(const hip_library *library, const hip_product *p, eh_layer *layer);
	void (*free)(const hip_library *library, hip_product *p);
	void (*release)(eh_device *device);
} hip_maker;

extern const hip_maker hip_hipblaslt, hip_rocblas;

/* hip_gemm.c */
extern const eh_gemm_ops hip_gemm_table;
/* The layer of the library that comes at this place among those that made products of the device; false
 * when there are not so many. */
bool hip_gemm_layer(const eh_device *device, uint32_t index, eh_layer *layer);
/* Before a queue is destroyed, and before a device is closed. */
void hip_gemm_forget(const eh_queue *queue);
/* Of it: nothing is enqueued with the queue's handle any more. */
void hip_hipblaslt_forget(const eh_queue *queue);
void hip_gemm_release(eh_device *device);

/* hip_gemm_types.c: EH_E_UNSUPPORTED with the reason where a library has no such product on the device,
 * whatever its size. */
eh_status hip_gemm_types_lt(const eh_device *device, const eh_gemm *gemm, hip_gemm_types *types,
                            eh_error *error);
eh_status hip_gemm_types_roc(const eh_device *device, const eh_gemm *gemm, hip_gemm_types *types,
                             eh_error *error);

/* hip_rocblas.c: fills *error for a failed call, as stream_error_call does for the runtime's. */
__attribute__((format(printf, 4, 5)))
eh_status hip_rocblas_failed(eh_error *error, rocblas_status rc, const char *where, const char *format, ...);

/* hip_libraries.c: opens a library once, the answer is kept.  It is looked for as hiprtc is, under the names
 * of the runtime's own ROCm, for one of another ROCm brings another runtime. */
eh_status hip_libraries_open(const eh_device *device, int maker, eh_error *error);

#endif
