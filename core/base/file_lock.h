/* SPDX-License-Identifier: Apache-2.0 */
/* A lock on a file that several processes read, change and replace.  It belongs to the open file
 * (flock), so a process that ends, in whatever way, gives it back, and nothing is left in the folder.
 * Whoever can read the file can lock it, so users of one group can work in one folder; and anybody who
 * can read it can make the others wait. */
#ifndef BASE_FILE_LOCK_H
#define BASE_FILE_LOCK_H

#include <stdint.h>

#include "base/error.h"

/* How long commands wait for each other. */
#define FILE_LOCK_WAIT_NS UINT64_C(30000000000)

/* Locks the file that is at `path` at that time, also when it is replaced by rename while waiting.
 * Waits for wait_ns at most: then EH_E_UNAVAILABLE, and the message says who has it.  *lock is closed
 * by file_lock_release. */
eh_status file_lock_take(const char *path, uint64_t wait_ns, int *lock, eh_error *error);
/* The lock of one writer, of a name in an open folder, without waiting; path is for the message.  Only who may
 * write the file can take it, and a lock of readers, of whoever may read it, keeps it away.  The file is open for reading and writing; EH_E_IO for a link. */
eh_status file_lock_to_write(int folder, const char *name, const char *path, int *lock, eh_error *error);
/* The same of an open file that has no name yet. */
eh_status file_lock_new(int fd, const char *path, eh_error *error);
void file_lock_release(int lock); /* -1 is fine */

#endif
