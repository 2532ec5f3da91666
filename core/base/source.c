/* SPDX-License-Identifier: Apache-2.0 */
#include "base/source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/digest.h"
#include "base/files.h"
#include "base/json_scan.h"
#include "base/limits.h"
#include "base/text.h"

enum { WINDOW = 1 << 18 };

/* ---- opening --------------------------------------------------------------------------------- */

eh_status source_of_file(int fd, const char *name, source_bytes *out, eh_error *error)
{
	eh_status status = EH_OK;

	*out = (source_bytes){ .name = name, .fd = fd };
	if (fstat(fd, &out->opened) != 0) {
		status = error_system(error, errno, "cannot examine '%s'", name);
		source_close(out);
	}
	out->size = (size_t)out->opened.st_size;
	return status;
}

eh_status source_open(const char *path, source_bytes *out, eh_error *error)
{
	int fd;
	eh_status status = file_open(path, LIMIT_FILE, &fd, error);

	*out = (source_bytes){ .name = path, .fd = -1 };
	return status == EH_OK ? source_of_file(fd, path, out, error) : status;
}

void source_close(source_bytes *s)
{
	if (s->bytes == NULL && s->fd >= 0)
		close(s->fd);
	s->fd = -1;
}

source_bytes source_of_bytes(const char *name, const char *bytes, size_t size)
{
	return (source_bytes){ .name = name, .bytes = bytes, .fd = -1, .size = size };
}

/* ---- reading --------------------------------------------------------------------------------- */

eh_status source_changed(const source_bytes *s, eh_error *error)
{
	return error_set(error, EH_E_IO, "'%s' was changed while it was read; try again", s->name);
}

eh_status source_read(const source_bytes *s, size_t from, size_t size, char *out, eh_error *error)
{
	if (s->bytes != NULL) {
		memcpy(out, s->bytes + from, size);
		return EH_OK;
	}
	while (size > 0) {
		ssize_t got = pread(s->fd, out, size, (off_t)(s->start + from));

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return error_system(error, errno, "cannot read '%s'", s->name);
		if (got == 0)
			return source_changed(s, error);
		out += got;
		from += (size_t)got;
		size -= (size_t)got;
	}
	return EH_OK;
}

static bool same_time(struct timespec a, struct timespec b)
{
	return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

eh_status source_check(const source_bytes *s, eh_error *error)
{
	struct stat now;

	if (s->bytes != NULL)
		return EH_OK;
	if (fstat(s->fd, &now) != 0)
		return error_system(error, errno, "cannot examine '%s'", s->name);
	/* A rename or a link changes st_ctim, but no byte. */
	return now.st_size == s->opened.st_size && same_time(now.st_mtim, s->opened.st_mtim) ?
	       EH_OK : source_changed(s, error);
}

eh_status source_digest(const source_bytes *s, char hex[65], eh_error *error)
{
	source_window w = source_window_of(s, error);
	digest *d = digest_new();

	while (source_window_next(&w))
		digest_add(d, w.bytes, w.size);
	source_window_free(&w);
	digest_end(d, hex);
	return w.status;
}

/* ---- windows --------------------------------------------------------------------------------- */

source_window source_window_of(const source_bytes *s, eh_error *error)
{
	return (source_window){ .of = s, .error = error };
}

bool source_window_next(source_window *w)
{
	const source_bytes *s = w->of;

	w->from += w->size;
	w->size = s->size - w->from;
	if (w->size == 0 || w->status != EH_OK)
		return false;
	if (s->bytes != NULL) {
		w->bytes = s->bytes + w->from;
		return true;
	}
	if (w->size > WINDOW)
		w->size = WINDOW;
	if (w->room == NULL)
		w->room = memory_grow(NULL, WINDOW);
	w->bytes = w->room;
	w->status = source_read(s, w->from, w->size, w->room, w->error);
	return w->status == EH_OK;
}

void source_window_free(source_window *w)
{
	free(w->room);
	w->room = NULL;
}

source_place source_place_of(const source_bytes *s)
{
	return (source_place){ .window = source_window_of(s, NULL), .line = 1, .column = 1 };
}

void source_place_move(source_place *place, size_t to)
{
	source_window *w = &place->window;

	while (place->at < to) {
		json_place seen = { .line = place->line, .column = place->column };
		size_t end = w->from + w->size;

		if (place->at == end) {
			if (!source_window_next(w))
				return;
			continue;
		}
		seen.at = w->bytes + (place->at - w->from);
		end = to < end ? to : end;
		json_place_move(&seen, w->bytes + (end - w->from));
		*place = (source_place){ *w, end, seen.line, seen.column };
	}
}
