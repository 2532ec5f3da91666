/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which files may be relied upon: plugins, kernel texts, keys, cache folders.  A plugin is code and a
 * key is a voice, so nobody may be able to change them who could not change the program itself.  The
 * whole way to them is checked, from the root, through links:
 *
 * - owner: root, this user, or who owns the program's file or a folder above it;
 * - a group with write permission: root's, the owner's private group (it has the owner's name, is
 *   the owner's primary group and has no other members), or one that can write to the program's
 *   file or a folder above it;
 * - others may not write, but to a sticky folder such as /tmp, where they cannot replace what they
 *   do not own.
 *
 * Every step is looked at by descriptor (base/walk.h).  So what is checked is what is opened, and the
 * descriptor that comes out, or the content, is that of what was checked.  Nobody else can exchange a
 * step of `real` either, at any later time, as all of them belong to who may.  So a plugin is loaded
 * by that path: the loader finds $ORIGIN by it.
 *
 * EH_E_UNAVAILABLE with one sentence that names the place and the remedy; EH_E_INCOMPATIBLE for what
 * should be a file and is not a regular one; EH_E_IO for what is not there.  Not thread-safe
 * (getpwuid, getgrgid).
 */
#ifndef BASE_TRUST_H
#define BASE_TRUST_H

#include <stddef.h>
#include <sys/types.h>

#include "base/error.h"

enum trust_kind {
	TRUST_FILE,
	TRUST_SECRET,  /* a file that only its owner can read, as a private key */
	TRUST_FOLDER,  /* one that is not sticky and open to others */
};

/* *fd (NULL = not wanted) is open for reading; the caller closes it.  *real (NULL = not wanted) is
 * the path without links, malloc'd.  Both are set on success only. */
eh_status trust_open(const char *path, enum trust_kind kind, int *fd, char **real, eh_error *error);
/* The content of the file, as file_read gives it. */
eh_status trust_read(const char *path, enum trust_kind kind, char **data, size_t *size, char **real,
                     eh_error *error);

/* A folder to write to, which may be anybody's: *fd (NULL = not wanted) is open, and files are made and
 * renamed by it.  Missing folders are made with the mode `makes`, unless that is 0; after a failure none
 * is left (behind the last ".." of the path).  *made (NULL = not wanted) is walk_made of them, for the caller to free.  A link on the way
 * is followed only when root, this user or the program's owner owns it.  The message begins with
 * `doing` and the path. */
eh_status trust_place(const char *path, const char *doing, mode_t makes, int *fd, char **made,
                      eh_error *error);

#endif
