/* SPDX-License-Identifier: Apache-2.0 */
/* A child process that reads lines from stdin and writes lines to stdout.  The end of its stderr
 * is kept, for the message about its death.  The child is killed when this process ends
 * (PR_SET_PDEATHSIG).  It leads its own session: a terminal's SIGINT reaches only the parent.  It
 * inherits no descriptor but these three.
 *
 * What a child leaves behind is ended with it, daemons as well: this process adopts them
 * (base/survivors.h).  A process that uses this starts no other children while one of these runs, and
 * starts and finishes them in one thread. */
#ifndef BASE_CHILD_H
#define BASE_CHILD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

typedef struct child child;

typedef struct child_end {
	bool signalled;
	int code;             /* exit status, or the signal's number                            */
	bool stuck;           /* SIGKILL did not end it: it still exists; code is not valid       */
	char last_words[512]; /* the last lines of its stderr, joined by spaces; may be empty     */
	char survivors[512];  /* "PID NAME (COMMAND), ..." of what it left behind; mostly empty   */
} child_end;

/* Starts a child.  argv[0] is the absolute path of the program; "" as paths_program gives it is
 * EH_E_UNAVAILABLE.  argv ends with NULL.  talks: child_say will be called; else its stdin is empty.
 * Resets SIGCHLD to its default if this process ignores it. */
eh_status child_start(const char *const argv[], bool talks, child **out, eh_error *error);

/* Writes a line to its stdin.  false when it does not read: it is dead, or did not take it within
 * 10 s; then nothing more can be said. */
bool child_say(child *c, const char *line);
/* Ends its stdin. */
void child_hush(child *c);

/* The next line of stdout without its newline, valid until the next call.  deadline_ns is a time of
 * clock_now_ns.  Returns EH_E_TIMEOUT at the deadline; EH_E_NOT_FOUND at end of file, or when the
 * child has ended but another process still holds its stdout; EH_E_INTERRUPTED once, the first time
 * interrupt_pending() is true (later calls return lines again); EH_E_FORMAT for a line above
 * 64 MiB.  Text after the last newline is incomplete and is dropped. */
eh_status child_line(child *c, uint64_t deadline_ns, const char **line, eh_error *error);

long child_pid(const child *c);
/* Sends the signal to the child's process group. */
void child_signal(child *c, int signal);
/* Waits up to grace_ns for the child to end, then sends SIGKILL.  Ends what it left behind.  Fills *end (may be NULL) and frees c.  If a driver holds the child in the kernel,
 * returns after about 10 s without reaping it and sets `stuck`. */
void child_finish(child *c, uint64_t grace_ns, child_end *end);

#endif
