/* SPDX-License-Identifier: Apache-2.0 */
/* cuBLASLt: opening it, its handle of a device, and its errors. */
#ifndef CUDA_CUBLASLT_H
#define CUDA_CUBLASLT_H

#include "cuda_state.h"
#include "cublaslt_abi.h"

typedef struct cublaslt_api {
#define CUBLASLT_FIELD(field, names, arguments) cublasStatus_t(*field) arguments;
	CUBLASLT_FUNCTIONS(CUBLASLT_FIELD)
#undef CUBLASLT_FIELD
} cublaslt_api;

/* Of a started backend, from the first product on. */
struct cuda_cublaslt {
	cublaslt_api api;
	vendorlib file;
	int major, minor;
	char version[32];   /* "13.1.0"                                                        */
	eh_status status;   /* of opening it                                                   */
	eh_error problem;   /* then                                                            */
	char why[VENDORLIB_REASON]; /* why the last file that is there is not used, "" = none  */
};

/* Opens it once, for the device of the first product; the answer is kept.  It is looked for as NVRTC is:
 * in $CUDA_HOME, where the loader looks, and in /usr/local/cuda, the newest of each folder first, and
 * last those that are newer than the driver or too new for the device. */
eh_status cuda_cublaslt_open(const eh_device *device, eh_error *error);

/* The handle of the device, made by the first product; the calling thread is in its context. */
eh_status cuda_cublaslt_handle(eh_device *device, eh_error *error);

/* Before the device's context is given back. */
void cuda_cublaslt_release(eh_device *device);

const char *cuda_cublaslt_name(cublasStatus_t rc);

/* Fills *error for a failed call, as stream_error_call does for the driver's. */
__attribute__((format(printf, 4, 5)))
eh_status cuda_cublaslt_failed(eh_error *error, cublasStatus_t rc, const char *where,
                               const char *format, ...);

#endif
