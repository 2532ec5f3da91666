/* SPDX-License-Identifier: Apache-2.0 */
/* A temporary file without a name, for bytes that are too many for memory.  It is in TMPDIR, or in
 * /var/tmp, which is for large ones where /tmp may be memory, or in /tmp.  It is gone when it is closed, or
 * the process ends. */
#ifndef BASE_SPILL_H
#define BASE_SPILL_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/source.h"

/* All zeros is an empty one, which has no file yet. */
typedef struct spill { int fd; size_t size; bool opened; } spill;

/* Makes its file now: s->fd, which others may write to as well, without s->size. */
eh_status spill_open(spill *s, eh_error *error);
/* Appends.  EH_E_IO; EH_E_UNAVAILABLE where somebody else's link leads to the folder. */
eh_status spill_add(spill *s, const void *data, size_t size, eh_error *error);
/* Some of its bytes, once all are added; `name` is for messages, and borrowed. */
source_bytes spill_part(const spill *s, const char *name, size_t from, size_t size);
void spill_close(spill *s);

#endif
