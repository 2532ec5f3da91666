/* SPDX-License-Identifier: Apache-2.0 */
/* Errors: Level Zero's codes by name, their meaning in evenhand's terms, and the remedy. */
#ifndef LZ_ERROR_H
#define LZ_ERROR_H

#include "lz_api.h"
#include "shared/failure.h"

/* Fills *error for a failed call and returns its status, which follows from rc.  The message ends
 * with the call, the code's name and, where one is known, the remedy. */
__attribute__((format(printf, 4, 5)))
eh_status lz_error_call(eh_error *error, ze_result_t rc, const char *where, const char *format,
                        ...);

/* The same with the status given, for calls after which rc means something special. */
__attribute__((format(printf, 5, 6)))
eh_status lz_error_as(eh_error *error, eh_status code, ze_result_t rc, const char *where,
                      const char *format, ...);

const char *lz_error_name(ze_result_t rc);

/* True for codes after which every call fails, so that only a new process helps. */
bool lz_error_is_loss(ze_result_t rc);

#endif
