/* SPDX-License-Identifier: Apache-2.0 */
/* Runs other programs without a shell, several side by side, each for a limited time; and runs a
 * function in a process of its own, where a library may abort or hang. */
#ifndef SHARED_SUBPROCESS_H
#define SHARED_SUBPROCESS_H

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

typedef struct subprocess {
	pid_t pid;        /* 0 = not running                                                  */
	int out;          /* its stdout and stderr                                            */
	char *text;       /* its output, terminated, at most 1 MiB of it; NULL = nothing       */
	size_t size;
	int start_errno;  /* not 0: it could not be started                                    */
	bool timed_out;   /* it was killed because time was up                                 */
	int status;       /* of waitpid                                                        */
} subprocess;

/* The variables that programs do not get, as they would change a compiler's flags, or make it call other
 * programs and link other libraries, and would not show in the record.  The core lists the same in
 * core/executor/unrecorded.def, which a test compares.  NULL-terminated. */
extern const char *const subprocess_withheld[];

/*
 * Starts argv[0] (a path) in the folder of that descriptor (-1 = here), on the CPUs of `mask`, in a
 * process group of its own.  What it starts in turn is killed with it, also when this process is
 * killed.  Its environment has LC_ALL=C, TMPDIR=. where a folder is given, and nothing of
 * subprocess_withheld.  Its PATH is the folder of its file, links followed, then the folder of argv[0]
 * (where they are absolute), then the system's /usr/local/bin:/usr/bin:/bin: what a compiler calls is
 * its own or the system's, and never hangs on the user's PATH, which no record shows.  Variables of the system's loader
 * (LD_LIBRARY_PATH, LD_PRELOAD) stay: compilers need them, and they are recorded.  A failure is kept
 * in start_errno.
 */
void subprocess_start(subprocess *p, const char *const argv[], int folder, const cpu_set_t *mask,
                      size_t mask_size);

/* Waits until all have ended; kills the others after `milliseconds`. */
void subprocess_wait(subprocess *const *list, size_t count, uint64_t milliseconds);

/*
 * Runs work(context, answer) in a forked child for at most `milliseconds`, in a process group of
 * its own that is killed with the parent, and waits for it.  The child has a copy of the parent's
 * memory, and only the calling thread: work must not rely on another one.  The bytes that it writes
 * to the file descriptor `answer` come back in *data (malloc'd, terminated behind its end, NULL =
 * nothing) and *size, its printed output in p->text, and the value of work as its exit status.
 */
void subprocess_call(subprocess *p, int (*work)(void *context, int answer), void *context,
                     uint64_t milliseconds, void **data, size_t *size);

/* Writes all bytes; false when that fails. */
bool subprocess_write(int fd, const void *data, size_t size);

bool subprocess_succeeded(const subprocess *p);
/* "ended with status 1", "was killed by signal 9 (Killed)", "did not finish in time". */
void subprocess_describe(const subprocess *p, char *out, size_t size);
void subprocess_free(subprocess *p);

#endif
