/* SPDX-License-Identifier: Apache-2.0 */
/* Errors: the runtime's codes by name, what each means in evenhand's terms, and what to do about
 * it. */
#ifndef HIP_ERROR_H
#define HIP_ERROR_H

#include "hip_api.h"
#include "shared/failure.h"
#include "shared/wording.h"

/* Fills *error for a failed call of the runtime and returns its status, which follows from rc.  The
 * message ends with the call, the code's name and, where one is known, the remedy. */
__attribute__((format(printf, 5, 6)))
eh_status hip_error_call(const hip_api *api, eh_error *error, hipError_t rc, const char *where,
                         const char *format, ...);

/* The same with the status given, for calls after which rc means something special. */
__attribute__((format(printf, 6, 7)))
eh_status hip_error_as(const hip_api *api, eh_error *error, eh_status code, hipError_t rc,
                       const char *where, const char *format, ...);

/* Notes a fact that the runtime did not tell. */
void hip_error_gap(const hip_api *api, wording_gaps *gaps, const char *fact, hipError_t rc,
                   const char *where);

eh_status hip_error_status(hipError_t rc);
/* The name in HIP's header or as the runtime says it, or "unknown HIP error". */
const char *hip_error_name(const hip_api *api, hipError_t rc);

/* After which nothing on the device can be believed: only a new process helps. */
bool hip_error_is_sticky(hipError_t rc);

#endif
