/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes as base64 (RFC 4648, by OpenSSL), for what only text can carry. */
#ifndef BASE_BASE64_H
#define BASE_BASE64_H

#include <stddef.h>

/* malloc'd. */
char *base64_text(const void *bytes, size_t size);

#endif
