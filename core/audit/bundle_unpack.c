/* SPDX-License-Identifier: Apache-2.0 */
/* Other readers of gzip skip the bytes behind the first member, or unpack them as a second one, and take
 * any time, name and system in its header.  In a bundle nobody would check those bytes, so all but those
 * that every bundle has are refused here. */
#include "audit/bundle_unpack.h"

#include <stdlib.h>
#include <string.h>
#define ZLIB_CONST /* next_in is const */
#include <zlib.h>

#include "base/limits.h"
#include "base/text.h"

enum { PIECE = 1 << 16, GZIP_ONLY = 16 };

struct bundle_unpacker {
	source_window packed;
	const char *path;
	z_stream z;
	size_t most, made;     /* unpacked bytes                                               */
	bool ended;
	char piece[PIECE];
};

eh_status bundle_unpacker_new(const source_bytes *packed, size_t most, bundle_unpacker **out,
                              eh_error *error)
{
	bundle_unpacker *u = memory_get(sizeof(*u));

	u->packed = source_window_of(packed, error);
	u->path = packed->name;
	u->most = most;
	if (inflateInit2(&u->z, MAX_WBITS + GZIP_ONLY) != Z_OK) {
		free(u);
		return error_set(error, EH_E_UNSUPPORTED, "zlib cannot unpack gzip");
	}
	*out = u;
	return EH_OK;
}

void bundle_unpacker_free(bundle_unpacker *u)
{
	if (u == NULL)
		return;
	(void)inflateEnd(&u->z);
	source_window_free(&u->packed);
	free(u);
}

static eh_status refuse(const bundle_unpacker *u, int code, eh_error *error)
{
	return error_set(error, EH_E_FORMAT, "%s: this is not a bundle: %s", u->path,
	                 code == Z_BUF_ERROR ? "its compressed bytes are cut" :
	                 u->z.msg != NULL ? u->z.msg : "its compressed bytes are damaged");
}

/* How much came of how little. */
static eh_status check_sizes(const bundle_unpacker *u, eh_error *error)
{
	size_t taken = u->packed.from + u->packed.size - u->z.avail_in;

	if (u->made > u->most)
		return error_set(error, EH_E_NO_MEMORY, "%s: more than %zu GiB unpacked", u->path,
		                 LIMIT_FILE / LIMIT_GIB);
	if (u->made > LIMIT_BLOWN_UP && u->made / LIMIT_RATIO > taken)
		return error_set(error, EH_E_NO_MEMORY, "%s: unpacks to more than %d times its size, as no "
		                 "bundle of results does: pack fewer results in a bundle", u->path, LIMIT_RATIO);
	return EH_OK;
}

static eh_status check_end(const bundle_unpacker *u, eh_error *error)
{
	const source_window *w = &u->packed;
	size_t left = w->of->size - (w->from + w->size - u->z.avail_in);

	return left == 0 ? EH_OK : error_set(error, EH_E_FORMAT, "%s: this is not a bundle: %zu bytes "
	                                     "follow the compressed archive", u->path, left);
}

/* The header as libarchive writes it on every system: deflate, no flags, no time, no hint of the level,
 * Unix.  What is no gzip at all, or is cut, zlib refuses. */
static eh_status check_header(const bundle_unpacker *u, eh_error *error)
{
	static const unsigned char header[] = { 0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3 };
	const source_window *w = &u->packed;

	if (w->from > 0 || w->size < sizeof(header) || memcmp(w->bytes, header, 2) != 0 ||
	    memcmp(w->bytes, header, sizeof(header)) == 0)
		return EH_OK;
	return error_set(error, EH_E_FORMAT, "%s: this is not a bundle: its first %zu bytes are not those of "
	                 "every bundle", u->path, sizeof(header));
}

/* Unpacks some bytes, maybe none, into the piece. */
static eh_status inflate_some(bundle_unpacker *u, eh_error *error)
{
	int code;

	if (u->z.avail_in == 0 && source_window_next(&u->packed)) {
		u->z.next_in = (const unsigned char *)u->packed.bytes;
		u->z.avail_in = (unsigned)u->packed.size;
	}
	if (u->packed.status != EH_OK)
		return u->packed.status;
	if (check_header(u, error) != EH_OK)
		return EH_E_FORMAT;
	u->z.next_out = (unsigned char *)u->piece;
	u->z.avail_out = PIECE;
	code = inflate(&u->z, Z_NO_FLUSH);
	u->made += PIECE - u->z.avail_out;
	if (code != Z_OK && code != Z_STREAM_END)
		return refuse(u, code, error);
	u->ended = code == Z_STREAM_END;
	return check_sizes(u, error);
}

eh_status bundle_unpacker_next(bundle_unpacker *u, const char **bytes, size_t *size, eh_error *error)
{
	eh_status status = EH_OK;

	*bytes = u->piece;
	*size = 0;
	while (status == EH_OK && *size == 0 && !u->ended) {
		status = inflate_some(u, error);
		*size = PIECE - u->z.avail_out;
		if (status == EH_OK && u->ended)
			status = check_end(u, error);
	}
	return status;
}
