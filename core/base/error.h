/* SPDX-License-Identifier: Apache-2.0 */
/* Errors and exit codes.  The core uses eh_status and eh_error of the public ABI throughout;
 * codes below -99 are the core's own and never cross to a plugin. */
#ifndef BASE_ERROR_H
#define BASE_ERROR_H

#include "evenhand/backend.h"

enum {
	EH_E_USAGE = -100,       /* a flag, a protocol or a selector that the user must fix    */
	EH_E_IO = -101,          /* file system: unreadable, unwritable, full                  */
	EH_E_FORMAT = -102,      /* a file that is malformed or not in our format              */
	EH_E_NOT_FOUND = -103,
	EH_E_INTERRUPTED = -104, /* base/interrupt.h                                            */
	EH_E_CHILD = -105,       /* a child process crashed or was killed                      */
	EH_E_ALTERED = -106      /* a file in our format that contradicts itself               */
};

/* The exit codes of every subcommand; documented in docs/cli.md. */
enum {
	EXIT_CODE_OK = 0,
	EXIT_CODE_NEGATIVE = 1,       /* the answer is no: regression, failed conformance      */
	EXIT_CODE_INCONCLUSIVE = 2,
	EXIT_CODE_NOT_COMPARABLE = 3,
	EXIT_CODE_USAGE = 4,
	EXIT_CODE_ENVIRONMENT = 5,    /* disk, rights, missing library or plugin               */
	EXIT_CODE_INCOMPLETE = 6,     /* interrupted; `run --resume` completes it              */
	EXIT_CODE_ROWS_FAILED = 7,    /* the run ended, but some rows are failed or invalid    */
	EXIT_CODE_INTERNAL = 70
};

#define ERROR_INIT { .struct_size = sizeof(eh_error) }

/* Fills *error (if not NULL) and returns code. */
__attribute__((format(printf, 3, 4)))
eh_status error_set(eh_error *error, eh_status code, const char *format, ...);

#ifdef __clang_analyzer__
/* The analyser sees one file at a time: this tells it that `code` is returned. */
#define error_set(error, code, ...) ((void)error_set((error), (code), __VA_ARGS__), (code))
#endif

/* The same for a failed system call: appends ": " and strerror(errno_value); native_code is
 * errno_value; code is EH_E_IO, or EH_E_NO_MEMORY for ENOMEM. */
__attribute__((format(printf, 3, 4)))
eh_status error_system(eh_error *error, int errno_value, const char *format, ...);

/* Appends what helps (error may be NULL).  A message that is too long for both is cut, and the remedy is not. */
void error_remedy(eh_error *error, const char *remedy);

/* "unsupported", "device-lost", ...; "unknown" for any other code. */
const char *error_status_name(eh_status status);
/* The sentence of an error that a plugin may have filled, or the name of its status; cleans its texts.
 * error may be NULL. */
const char *error_sentence(eh_error *error, eh_status status);

#ifdef __clang_analyzer__
#define error_system(error, errno_value, ...) \
	((void)error_system((error), (errno_value), __VA_ARGS__), EH_E_IO)
#endif

int error_exit_code(eh_status status);

#endif
