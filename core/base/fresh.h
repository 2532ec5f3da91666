/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A file or a folder that comes under its name only when it is whole.  The folder may be one in which somebody
 * hostile makes names: it is opened once (trust_place), and everything is done by its descriptor.
 * Until then it has a random name, .evenhand-*, and a lock.  What a killed process left there is
 * removed by the next one of the same user that writes into the folder: regular files with such a
 * name, of this user, that nobody holds the lock of.  So are folders with files and folders with
 * files, but only where nobody else could have given them their name: in a folder of this user's or
 * root's that others cannot write to, or that is sticky.
 *
 * A link under the final name is replaced itself, never followed.
 *
 * What is needed only while a process lives is made and removed in the same way, and never gets another name.
 */
#ifndef BASE_FRESH_H
#define BASE_FRESH_H

#include <stdbool.h>
#include <sys/stat.h>

#include "base/error.h"

typedef struct fresh {
	int fd;           /* a file's for reading and writing; locked; the caller's after fresh_place */
	int folder;
	char *path;       /* as it was given; of a temporary one, where it is                    */
	char *made;       /* the folders above it that were made (walk_made)                     */
	const char *name; /* the last part of it; NULL: a temporary one, which never gets one    */
	char temporary[32];
	bool is_folder;
	mode_t mode;      /* which a file gets with its name; the caller may set another         */
	mode_t open_mode; /* not 0: of the folder that was not taken, since others can write into it */
} fresh;

/* What the umask leaves of a mode.  Threads: no other one may make files meanwhile. */
mode_t fresh_mode(mode_t most);
/* Makes the file, which others can open only when it has its name: with the mode that the umask gives, or
 * the default ACL of its folder; one that replaces a file of this user gets the mode and the ACL of that.  On failure there is nothing to drop. */
eh_status fresh_open(fresh *f, const char *path, eh_error *error);
/* The same for an empty folder, which nobody else can enter until it has its name; with that it gets the
 * rights of a new one.  Where the file system gives all folders one mode, that is its mode, and EH_E_IO
 * when others could write into it.  Everything in it is made by f->fd.  Missing folders above it are made,
 * and those that stay empty are removed when it is dropped (behind the last ".." of the path). */
eh_status fresh_open_folder(fresh *f, const char *path, eh_error *error);
/* A file or a folder for as long as this process lives, in a folder that is there, such as paths_temporary.
 * It is at f->path, and fresh_drop removes it.  The message ends with TMPDIR as the remedy. */
eh_status fresh_open_temporary(fresh *f, const char *folder, bool is_folder, eh_error *error);
/* Gives the file the mode, the ACL, the group and, where this user may, the owner of one that the caller has
 * read, has open as `from` and replaces, without bits beyond rwx.  The mode may be a smaller one than that of
 * `from`.  EH_E_IO when this user cannot give it that group, and so somebody would lose it or get it. */
eh_status fresh_keep(fresh *f, int from, const struct stat *replaced, eh_error *error);
/* The same for a file that replaces none, so that nobody loses it: where this user cannot give it that group,
 * it is as open as it is to both, the group and others, and to its owner alone where `from` has an ACL. */
eh_status fresh_like(fresh *f, int from, const struct stat *other, eh_error *error);
/* Gives it its name and syncs the folder above.  On success f->fd alone is left, and is the caller's; after a
 * failure f must be dropped.  `replaces` is for files; without it a name that exists is EH_E_USAGE. */
eh_status fresh_place(fresh *f, bool replaces, eh_error *error);
/* Removes it, with what is in a folder, and closes it. */
void fresh_drop(fresh *f);

#endif
