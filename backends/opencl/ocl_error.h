/* SPDX-License-Identifier: Apache-2.0 */
/* Errors: OpenCL's codes by name, and their meaning in evenhand's terms. */
#ifndef OCL_ERROR_H
#define OCL_ERROR_H

#include "ocl_loader.h"
#include "shared/failure.h"
#include "shared/wording.h"

/* Fills *error for a failed OpenCL call, and returns its code: the status follows from native,
 * whose name ends the message. */
__attribute__((format(printf, 4, 5)))
eh_status ocl_error_call(eh_error *error, cl_int native, const char *where,
                         const char *format, ...);

/* The same with the status given, for calls after which native has a special meaning. */
__attribute__((format(printf, 5, 6)))
eh_status ocl_error_call_as(eh_error *error, eh_status code, cl_int native, const char *where,
                            const char *format, ...);

/* "CL_OUT_OF_RESOURCES"; "unknown OpenCL error" for a code that is in no header. */
const char *ocl_error_name(cl_int native);
eh_status ocl_error_status(cl_int native);

/* Notes a fact that the platform did not report. */
void ocl_error_gap(wording_gaps *gaps, const char *fact, cl_int native, const char *where);

#endif
