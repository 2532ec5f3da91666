/* SPDX-License-Identifier: Apache-2.0 */
/* Errors of backends: codes of a vendor's API, and sentences about its calls. */
#ifndef SHARED_FAILURE_H
#define SHARED_FAILURE_H

#include <stdarg.h>

#include "evenhand/backend_helper.h"

/* One code of a vendor's API: its name, and its meaning in evenhand's terms. */
typedef struct failure_code {
	int64_t native;
	eh_status status;
	const char *name;
} failure_code;
#define FAILURE_CODE(name, status) { name, status, #name }

/* The code of a library that has texts for none of its own; the remedy is a sentence, NULL = none. */
typedef struct failure_remedy {
	failure_code code;
	const char *remedy;
} failure_remedy;

/* The entry of that code, or NULL. */
const failure_code *failure_find(const failure_code *codes, size_t count, int64_t native);

/* Fills *error as far as its struct_size reaches (NULL: not at all); returns code. */
__attribute__((format(printf, 4, 5)))
eh_status failure_set(eh_error *error, eh_status code, const char *where, const char *format, ...);

/* The same for a failed call of the vendor's API: the message ends with ": WHERE returned NAME
 * (NATIVE)." and then the remedy, a sentence of its own (NULL or "" = none). */
__attribute__((format(printf, 7, 8)))
eh_status failure_native(eh_error *error, eh_status code, const char *where, int64_t native,
                         const char *name, const char *remedy, const char *format, ...);

/* failure_native with the arguments of another variadic function. */
__attribute__((format(printf, 7, 0)))
eh_status failure_native_list(eh_error *error, eh_status code, const char *where, int64_t native,
                              const char *name, const char *remedy, const char *format,
                              va_list arguments);

/* The name of that code, or `unknown`, a phrase. */
const char *failure_remedy_name(const failure_remedy *codes, size_t count, int64_t native,
                                const char *unknown);

/* failure_native_list with status, name and remedy of the list; EH_E_DEVICE for a code that it lacks. */
__attribute__((format(printf, 7, 0)))
eh_status failure_remedy_set(eh_error *error, const failure_remedy *codes, size_t count, int64_t native,
                             const char *unknown, const char *where, const char *format,
                             va_list arguments);

#endif
