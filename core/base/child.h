/* SPDX-License-Identifier: Apache-2.0 */
/* A child process that is given one text on stdin and answers in lines on its stdout.  Its
 * stderr is read too and the end of it kept, to quote when it dies.  The child dies with us
 * (PR_SET_PDEATHSIG), and leads a session of its own, so that a terminal's SIGINT reaches the
 * parent only and whatever the child starts can be found and ended with it. */
#ifndef BASE_CHILD_H
#define BASE_CHILD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

typedef struct child child;

typedef struct child_end {
	bool signalled;
	int code;             /* exit status, or the signal's number                            */
	bool stuck;           /* SIGKILL did not end it: it still exists, and code means nothing   */
	char last_words[512]; /* the last lines of its stderr, newlines made spaces; may be empty */
} child_end;

/* argv[0] is the path of the program, the array ends with NULL; input may be NULL.  Ends this
 * process's ignoring of SIGCHLD. */
eh_status child_start(const char *const argv[], const char *input, child **out, eh_error *error);

/* The next line of stdout without its newline, valid until the next call.
 * deadline_ns is on clock_now_ns.  EH_OK; EH_E_TIMEOUT at the deadline; EH_E_NOT_FOUND at end of
 * file, or when the child has ended although another process still holds its stdout (text
 * after the last newline is not a line: it was torn); EH_E_INTERRUPTED once, when
 * interrupt_pending() is first seen true, after which lines are given as before; EH_E_FORMAT
 * for a line above 16 MiB. */
eh_status child_line(child *c, uint64_t deadline_ns, const char **line, eh_error *error);

long child_pid(const child *c);
/* Signal to the whole process group. */
void child_signal(child *c, int signal);
/* Waits up to grace_ns for it to end by itself, then SIGKILL; ends every other process of its
 * session too.  Fills *end (may be NULL), frees c.  A child that a driver holds in the kernel is
 * given up after about 10 s, unreaped: see `stuck`. */
void child_finish(child *c, uint64_t grace_ns, child_end *end);

#endif
