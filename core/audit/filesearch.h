/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a file of any kind holds a text.  Inside of the audit room. */
#ifndef AUDIT_FILESEARCH_H
#define AUDIT_FILESEARCH_H

#include <stddef.h>

#include "record/reach.h"

enum filesearch { FILESEARCH_ABSENT, FILESEARCH_FOUND, FILESEARCH_TOO_LARGE, FILESEARCH_UNREADABLE };

/* Reads the open file from its start to its end, `left` bytes at most, which it takes from *left.  The
 * text is found in every form of the reach, in small and capital letters, also with escapes of JSON or
 * %XX. */
enum filesearch filesearch_of(const reach *r, int fd, size_t *left);

#endif
