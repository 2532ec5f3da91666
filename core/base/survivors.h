/* SPDX-License-Identifier: Apache-2.0 */
/* The processes that a child of this process leaves behind.  When a process ends, the kernel gives its
 * own children to the nearest ancestor that adopts, whatever session or group they moved to. */
#ifndef BASE_SURVIVORS_H
#define BASE_SURVIVORS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Makes this process adopt; exec keeps it.  A child that adopts, too, keeps what it started until it
 * ends: so what two children leave behind is not mixed up.  Async-signal-safe. */
void survivors_adopt(void);
/* From here on the kernel gives what is left behind to whoever would have had it without this process. */
void survivors_release(void);
/* malloc'd: the children that this process has; *count of them. */
pid_t *survivors_children(size_t *count);

typedef struct survivors {
	pid_t parent;              /* whose children: this process, or one that cannot be ended      */
	bool (*known)(pid_t pid);  /* those for which it is true stay                                */
} survivors;

/* Ends all of them and what they leave behind in turn.  What is still there after 100 ms is written to
 * names as "PID NAME (COMMAND LINE)", one after the other: who ends that soon was about to. */
void survivors_end(const survivors *of, char *names, size_t size);

#endif
