/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What every test driver of a stream API keeps: the one lock, its live handles, numbers from the
 * environment, and the thread that begins work although nobody waits.
 */
#ifndef DRIVERS_DRIVER_H
#define DRIVERS_DRIVER_H

#include <stdbool.h>
#include <stddef.h>

/* Taken by every function of the vendor's API; 0 = held.  unlock suits __attribute__((cleanup)). */
int driver_lock(void);
void driver_unlock(const int *held);

typedef enum driver_kind {
	DRIVER_STREAM,
	DRIVER_EVENT,
	DRIVER_MODULE,
	DRIVER_GRAPH,
	DRIVER_GRAPH_EXEC,
	DRIVER_KINDS
} driver_kind;

/* Live handles.  Under the lock. */
void driver_note(driver_kind kind, const void *handle);
bool driver_known(driver_kind kind, const void *handle);
void driver_forget(driver_kind kind, const void *handle);
/* Forgets those of a kind that belong to `owner`, as `belongs` says. */
void driver_forget_all(driver_kind kind, bool (*belongs)(const void *handle, const void *owner),
                       const void *owner);

/* What a program left: "streams 1, events 0, ... memory 0"; how many things in all. */
size_t driver_live(char *text, size_t size);

/* The number in the environment, `otherwise` when it is not set; a text that is none of least to
 * most ends the process with status 70. */
int driver_setting(const char *name, int otherwise, int least, int most);

/* With EVENHAND_TEST_PROGRESS set: calls work, under the lock, every so many milliseconds. */
void driver_progress(void (*work)(void));

#endif
