/* SPDX-License-Identifier: Apache-2.0 */
/* Internal to audit/: the bytes of a bundle's archive, unpacked piece by piece. */
#ifndef AUDIT_BUNDLE_UNPACK_H
#define AUDIT_BUNDLE_UNPACK_H

#include "base/error.h"
#include "base/source.h"

/* Unpacks gzip of exactly one member. */
typedef struct bundle_unpacker bundle_unpacker;
/* `most`: unpacked bytes.  The source, which is a file, and the error are borrowed. */
eh_status bundle_unpacker_new(const source_bytes *packed, size_t most, bundle_unpacker **out,
                              eh_error *error);
/* The next unpacked bytes, valid until the next call; none at the end.  EH_E_FORMAT for what is no gzip of
 * one member and nothing else; EH_E_NO_MEMORY beyond `most` or LIMIT_RATIO. */
eh_status bundle_unpacker_next(bundle_unpacker *u, const char **bytes, size_t *size, eh_error *error);
void bundle_unpacker_free(bundle_unpacker *u); /* NULL is fine */

#endif
