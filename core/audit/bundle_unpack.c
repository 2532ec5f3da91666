/* SPDX-License-Identifier: Apache-2.0 */
/* Other readers of gzip skip the bytes behind the first member, or unpack them as a second one.  In
 * a bundle nobody would check those bytes, so they are refused here. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#define ZLIB_CONST /* next_in is const */
#include <zlib.h>

#include "audit/bundle.h"
#include "base/text.h"

enum { FIRST_ROOM = 1 << 20, GZIP_ONLY = 16 };

/* zlib counts in unsigned int. */
static unsigned piece_of(size_t size)
{
	return size < UINT_MAX ? (unsigned)size : UINT_MAX;
}

static eh_status refuse(const char *path, int code, const z_stream *z, eh_error *error)
{
	return error_set(error, EH_E_FORMAT, "%s: this is not a bundle: %s", path,
	                 code == Z_BUF_ERROR ? "its compressed bytes are cut" :
	                 z->msg != NULL ? z->msg : "its compressed bytes are damaged");
}

static eh_status inflate_all(z_stream *z, const char *path, const char *packed, size_t size,
                             size_t most, char **out, size_t *out_size, eh_error *error)
{
	size_t room = 0;
	size_t taken = 0;
	int code = Z_OK;

	while (code == Z_OK) {
		unsigned given = piece_of(size - taken);
		unsigned free_room;

		if (*out_size == room) {
			room = room == 0 ? FIRST_ROOM : room * 2;
			*out = memory_grow(*out, room);
		}
		free_room = piece_of(room - *out_size);
		z->next_in = (const unsigned char *)packed + taken;
		z->avail_in = given;
		z->next_out = (unsigned char *)*out + *out_size;
		z->avail_out = free_room;
		code = inflate(z, Z_NO_FLUSH);
		taken += given - z->avail_in;
		*out_size += free_room - z->avail_out;
		if (*out_size > most)
			return error_set(error, EH_E_FORMAT, "%s: more than 1 GiB unpacked", path);
	}
	if (code != Z_STREAM_END)
		return refuse(path, code, z, error);
	if (taken < size)
		return error_set(error, EH_E_FORMAT, "%s: this is not a bundle: %zu bytes follow the "
		                 "compressed archive", path, size - taken);
	return EH_OK;
}

eh_status bundle_unpack(const char *path, const char *packed, size_t size, size_t most, char **out,
                        size_t *out_size, eh_error *error)
{
	z_stream z = { .zalloc = Z_NULL };
	eh_status status;

	*out = NULL;
	*out_size = 0;
	if (inflateInit2(&z, MAX_WBITS + GZIP_ONLY) != Z_OK)
		return error_set(error, EH_E_UNSUPPORTED, "zlib cannot unpack gzip");
	status = inflate_all(&z, path, packed, size, most, out, out_size, error);
	(void)inflateEnd(&z);
	if (status != EH_OK) {
		free(*out);
		*out = NULL;
	}
	return status;
}
