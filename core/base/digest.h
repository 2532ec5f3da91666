/* SPDX-License-Identifier: Apache-2.0 */
/* SHA-256 (OpenSSL's libcrypto).  Hex is lower case, 64 digits and a NUL. */
#ifndef BASE_DIGEST_H
#define BASE_DIGEST_H

#include <stddef.h>

#include "base/error.h"

typedef struct digest digest; /* an unfinished digest */

digest *digest_new(void);
void digest_add(digest *d, const void *data, size_t size);
void digest_end(digest *d, char hex[65]); /* and frees d */

/* size bytes as 2 * size digits and a NUL. */
void digest_hex(const unsigned char *bytes, size_t size, char *hex);
void digest_bytes(const void *data, size_t size, char hex[65]);
eh_status digest_file(const char *path, char hex[65], eh_error *error);

#endif
