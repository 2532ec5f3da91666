/* SPDX-License-Identifier: Apache-2.0 */
/* Errors of this backend. */
#ifndef HOST_FAULTS_H
#define HOST_FAULTS_H

#include "evenhand/backend_helper.h"

/* Fills *error (may be NULL) and returns code. */
__attribute__((format(printf, 3, 4)))
eh_status faults_set(eh_error *error, eh_status code, const char *format, ...);

/* The same for a failed system call: names it, appends strerror(number). */
__attribute__((format(printf, 5, 6)))
eh_status faults_system(eh_error *error, eh_status code, const char *call, int number,
                        const char *format, ...);

/* snprintf that always terminates and may cut. */
__attribute__((format(printf, 3, 4)))
void faults_text(char *to, size_t size, const char *format, ...);

#endif
