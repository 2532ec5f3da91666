/* SPDX-License-Identifier: Apache-2.0 */
/* Signatures and amendments as texts: the files RESULT.sig and RESULT.amendments.  Inside of the audit
 * room. */
#ifndef AUDIT_BESIDE_H
#define AUDIT_BESIDE_H

#include <stddef.h>

#include "base/error.h"

/* Reads PATHSUFFIX, a file or a member of a bundle; *out is malloc'd, and NULL when there is none.  EH_E_IO
 * beyond LIMIT_BESIDE; EH_E_FORMAT for a NUL byte. */
eh_status beside_read(const char *path, const char *suffix, char **out, size_t *size, eh_error *error);
/* The same limits for a text that is there, or is to be written; `name` is for the message. */
eh_status beside_check(const char *name, const char *body, size_t size, eh_error *error);

#endif
