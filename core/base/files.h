/* SPDX-License-Identifier: Apache-2.0 */
/* Files: reading whole files, replacing files atomically, folders, paths. */
#ifndef BASE_FILES_H
#define BASE_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

#include "base/error.h"

/* Opens a regular file, with close-on-exec and without waiting; -1 with errno, ELOOP for a link with
 * O_NOFOLLOW.  Opening something else could have effects, as with a device, or wait, as with a FIFO: that
 * is opened with O_PATH, so that it can be examined and not used.  What is opened is what was examined. */
int file_open_at(int folder, const char *name, int flags);
/* EH_E_IO for what is not a regular file or larger than `most`; fd may be of O_PATH. */
eh_status file_check(int fd, const char *path, size_t most, eh_error *error);
/* Both, for reading. */
eh_status file_open(const char *path, size_t most, int *fd, eh_error *error);

/* *data is malloc'd, with a NUL after the last byte.  EH_E_IO for a file that is not regular or
 * larger than LIMIT_FILE (base/limits.h). */
eh_status file_read(const char *path, char **data, size_t *size, eh_error *error);
/* Whether the file can be read and has these bytes. */
bool file_has(const char *path, const void *bytes, size_t size);
/* The same with a limit in bytes, whole MiB. */
eh_status file_read_most(const char *path, size_t most, char **data, size_t *size, eh_error *error);
/* file_read from a descriptor, which stays open; path is for the message. */
eh_status file_read_open(int fd, const char *path, char **data, size_t *size, eh_error *error);

/* All of the bytes; 0, or -1 with errno, when a part of them may be written. */
int file_write_at(int fd, const void *data, size_t size, off_t at);

/* Writes a new file in the same folder (base/fresh.h), syncs it, renames it to path, syncs the folder.
 * On failure an existing file stays as it is and no temporary file is left. */
eh_status file_write(const char *path, const void *data, size_t size, eh_error *error);

/* The same, streamed: open, add any number of times, then commit or abandon (both free). */
typedef struct file_writer file_writer;
eh_status file_writer_open(const char *path, file_writer **out, eh_error *error);
/* The file takes over mode, ACL, group and owner of one that the caller has read (fresh_keep). */
eh_status file_writer_keep(file_writer *w, int from, const struct stat *replaced, eh_error *error);
/* The same for a file that replaces none (fresh_like). */
eh_status file_writer_like(file_writer *w, int from, const struct stat *other, eh_error *error);
eh_status file_writer_add(file_writer *w, const void *data, size_t size, eh_error *error);
/* The bytes so far (base/source.h); *out needs source_close before the writer ends. */
struct source_bytes;
eh_status file_writer_source(const file_writer *w, struct source_bytes *out, eh_error *error);
eh_status file_writer_commit(file_writer *w, eh_error *error);
void file_writer_abandon(file_writer *w); /* NULL is fine */

bool file_exists(const char *path); /* of any kind */
/* Makes the folder and its parents.  A link of somebody else's on the way is not followed. */
eh_status dir_make(const char *path, eh_error *error);
/* malloc'd "a/b". */
char *path_join(const char *a, const char *b);
/* The names (without the folder) in the folder that end with suffix, sorted; NULL-terminated; free
 * with dir_list_free.  A missing folder gives an empty list.  NULL with *error filled (EH_E_IO)
 * when the folder cannot be read. */
char **dir_list(const char *path, const char *suffix, eh_error *error);
void dir_list_free(char **names);

#endif
