/* SPDX-License-Identifier: Apache-2.0 */
/* A program that the user names, with the streams, the terminal and the process group of this process.
 * What it leaves running stays.  No child of base/child.h runs meanwhile. */
#ifndef BASE_FOREGROUND_H
#define BASE_FOREGROUND_H

#include <stdbool.h>

#include "base/error.h"

typedef struct foreground_end {
	bool signalled;
	int code; /* exit status, or the signal's number                                        */
} foreground_end;

/* malloc'd: the file that the name starts, along PATH where it has no '/'; NULL with EH_E_USAGE where there
 * is none that this user may start. */
char *foreground_find(const char *name, eh_error *error);
/* Starts the file at `path` and waits for its end, also when a signal comes meanwhile.  argv ends with NULL.
 * to_stderr: its stdout is this process's stderr.  EH_E_IO when it cannot be started. */
eh_status foreground_run(const char *path, const char *const argv[], bool to_stderr, foreground_end *end,
                         eh_error *error);

#endif
