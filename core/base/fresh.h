/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A file that comes under its name only when it is whole.  The folder may be one in which somebody
 * hostile makes names: it is opened once (trust_place), and everything is done by its descriptor.
 * Until then the file has a random name, .evenhand-*, and a lock.  What a killed process left there is
 * removed by the next one of the same user that writes into the folder: regular files with such a
 * name, of this user, that nobody holds the lock of.
 *
 * A link under the final name is replaced itself, never followed.
 */
#ifndef BASE_FRESH_H
#define BASE_FRESH_H

#include <stdbool.h>

#include "base/error.h"

typedef struct fresh {
	int fd;           /* for reading and writing, locked; the caller's after fresh_place     */
	int folder;
	char *path;       /* as it was given                                                     */
	const char *name; /* the last part of it                                                 */
	char temporary[32];
} fresh;

/* Makes the file with the mode that the umask gives; one that replaces a file of this user gets the
 * mode of that.  On failure there is nothing to drop. */
eh_status fresh_open(fresh *f, const char *path, eh_error *error);
/* Gives it its name and syncs the folder.  On success f->fd alone is left, and is the caller's; after a
 * failure f must be dropped.  Without `replaces` a name that exists is EH_E_USAGE. */
eh_status fresh_place(fresh *f, bool replaces, eh_error *error);
/* Removes the file and closes it. */
void fresh_drop(fresh *f);

#endif
