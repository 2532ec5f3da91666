/* SPDX-License-Identifier: Apache-2.0 */
/* A small file that two processes share: the child of `plugin check` writes which slot of the plugin
 * it is in, and the parent reads it when the child is dead or hangs. */
#ifndef CLI_SLOTFILE_H
#define CLI_SLOTFILE_H

#include "base/error.h"
#include "base/fresh.h"

/* Makes the file, at f->path; fresh_drop removes it.  The last SLOTFILE_TOKEN letters of the path are
 * random. */
eh_status slotfile_make(fresh *f, eh_error *error);
#define SLOTFILE_TOKEN 16
const char *slotfile_token(const char *path);
/* malloc'd: the slot that the child was in, or NULL when it was in none. */
char *slotfile_read(const fresh *f);

/* For the child: the place to write to, valid until the process ends.  NULL when it cannot be had. */
char *slotfile_open(const char *path);
/* slot NULL: none. */
void slotfile_write(char *place, const char *slot);

#endif
