/* SPDX-License-Identifier: Apache-2.0 */
#include "base/base64.h"

#include <openssl/evp.h>

#include "base/text.h"

/* EVP_EncodeBlock takes an int: so many bytes at once, a multiple of 3. */
enum { PIECE = 3 << 20 };

char *base64_text(const void *bytes, size_t size)
{
	const unsigned char *from = bytes;
	char *out = memory_get(size / 3 * 4 + 5);
	size_t at = 0;

	for (size_t done = 0; done < size; done += PIECE) {
		size_t piece = size - done < PIECE ? size - done : PIECE;

		at += (size_t)EVP_EncodeBlock((unsigned char *)out + at, from + done, (int)piece);
	}
	return out;
}
