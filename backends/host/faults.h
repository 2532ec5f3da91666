/* SPDX-License-Identifier: Apache-2.0 */
/* Filling the caller's structs without writing beyond the size it gave. */
#ifndef HOST_FAULTS_H
#define HOST_FAULTS_H

#include "evenhand/backend.h"

/* Fills *error (may be NULL) and returns code. */
__attribute__((format(printf, 3, 4)))
eh_status faults_set(eh_error *error, eh_status code, const char *format, ...);

/* The same for a failed system call: names it, appends strerror(number). */
__attribute__((format(printf, 5, 6)))
eh_status faults_system(eh_error *error, eh_status code, const char *call, int number,
                        const char *format, ...);

/* Copies `from` (a struct that begins with struct_size and has `size` bytes) over *to as far as
 * to->struct_size reaches; to->struct_size stays. */
void faults_copy_out(void *to, const void *from, size_t size);

/* snprintf that always terminates and may cut. */
__attribute__((format(printf, 3, 4)))
void faults_text(char *to, size_t size, const char *format, ...);

#endif
