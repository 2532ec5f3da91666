/* SPDX-License-Identifier: Apache-2.0 */
/* A small file that two processes share: the child of `plugin check` writes which slot of the plugin
 * it is in, and the parent reads it when the child is dead or hangs. */
#ifndef CLI_SLOTFILE_H
#define CLI_SLOTFILE_H

#include "base/error.h"

/* Makes the file; *path is malloc'd.  Its last six letters are random: SLOTFILE_TOKEN. */
eh_status slotfile_make(char **path, eh_error *error);
#define SLOTFILE_TOKEN 6
const char *slotfile_token(const char *path);
/* Removes it and frees path. */
void slotfile_remove(char *path);
/* malloc'd: the slot that the child was in, or NULL when it was in none. */
char *slotfile_read(const char *path);

/* For the child: the place to write to, valid until the process ends.  NULL when it cannot be had. */
char *slotfile_open(const char *path);
/* slot NULL: none. */
void slotfile_write(char *place, const char *slot);

#endif
