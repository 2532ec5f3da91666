/* SPDX-License-Identifier: Apache-2.0 */
/* Errors: the driver's and NVRTC's codes by name, what each means in evenhand's terms, and what to
 * do about it. */
#ifndef CUDA_ERROR_H
#define CUDA_ERROR_H

#include "cuda_api.h"
#include "shared/failure.h"
#include "shared/wording.h"

/* Fills *error for a failed call of the driver and returns its status, which follows from rc.  The
 * message ends with the call, the code's name and, where one is known, the remedy. */
__attribute__((format(printf, 5, 6)))
eh_status cuda_error_call(const cuda_api *api, eh_error *error, CUresult rc, const char *where,
                          const char *format, ...);

/* The same with the status given, for calls after which rc means something special. */
__attribute__((format(printf, 6, 7)))
eh_status cuda_error_as(const cuda_api *api, eh_error *error, eh_status code, CUresult rc,
                        const char *where, const char *format, ...);

/* Notes a fact that the driver did not tell. */
void cuda_error_gap(const cuda_api *api, wording_gaps *gaps, const char *fact, CUresult rc,
                    const char *where);

eh_status cuda_error_status(CUresult rc);
/* The driver's own name of it, or "unknown CUDA error". */
const char *cuda_error_name(const cuda_api *api, CUresult rc);

/* After which every call in the context fails: nothing but a new process helps. */
bool cuda_error_is_sticky(CUresult rc);

#endif
