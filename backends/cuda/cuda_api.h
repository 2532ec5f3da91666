/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of the driver API, found at run time.  Nothing here links to it. */
#ifndef CUDA_API_H
#define CUDA_API_H

#include "cuda_abi.h"
#include "shared/vendorlib.h"

/* Each function's names. */
typedef struct cuda_names {
#define CUDA_NAME(field, names, arguments) const char *field;
	CUDA_REQUIRED(CUDA_NAME)
	CUDA_OPTIONAL(CUDA_NAME)
#undef CUDA_NAME
} cuda_names;
extern const cuda_names cuda_calls;

typedef struct cuda_api {
#define CUDA_FIELD(field, names, arguments) CUresult(CUDAAPI *field) arguments;
	CUDA_REQUIRED(CUDA_FIELD)
	CUDA_OPTIONAL(CUDA_FIELD)
#undef CUDA_FIELD
	vendorlib library;
	int version;          /* 1000 * major + 10 * minor; 0 = unknown */
	CUresult version_rc;  /* then why                                                    */
} cuda_api;

/* Opens the driver's library (`chosen`: another than libcuda.so.1, or NULL) and initialises it.
 * *present is false when this succeeds and there is no device.  EH_E_UNAVAILABLE with advice when
 * the driver is missing or refuses. */
eh_status cuda_api_open(cuda_api *api, const char *chosen, bool *present, eh_error *error);

/* "13.0", or "" when the version is unknown. */
void cuda_api_version(const cuda_api *api, char *text, size_t size);

#endif
