/* SPDX-License-Identifier: Apache-2.0 */
#include "page/publish_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/digest.h"
#include "base/file_lock.h"
#include "base/files.h"
#include "base/text.h"

/* The file that says whose folder it is. */
#define MARKER "evenhand-archive.txt"
#define MARKER_BEGINS "evenhand archive publish writes this folder.\n"
static const char marker_words[] = MARKER_BEGINS
	"It replaces its own pages here, and removes those that the archive no longer has.\n"
	"Files with other names stay as they are.\n";

enum { SLUG = 40, DIGITS = 32 };

/* ---- names ----------------------------------------------------------------------------------- */

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

/* Letters and digits of ASCII in lower case, one "-" for whatever is between. */
static void slug_of(const char *name, char out[SLUG + 1])
{
	size_t n = 0;

	for (; *name != '\0' && n < SLUG; name++) {
		char c = *name >= 'A' && *name <= 'Z' ? (char)(*name - 'A' + 'a') : *name;

		if (is_letter(c))
			out[n++] = c;
		else if (n > 0 && out[n - 1] != '-')
			out[n++] = '-';
	}
	n -= n > 0 && out[n - 1] == '-';
	out[n] = '\0';
}

char *publish_name(const char *kind, const char *name)
{
	char hex[65], slug[SLUG + 1];

	digest_bytes(name, strlen(name), hex);
	slug_of(name, slug);
	return memory_format("%s-%s%s%.*s.html", kind, slug, slug[0] != '\0' ? "-" : "", DIGITS, hex);
}

static bool begins(const char *s, const char *with)
{
	return strncmp(s, with, strlen(with)) == 0;
}

/* Whether the name is one that publish_name gives. */
static bool is_page_name(const char *name)
{
	size_t size = strlen(name), tail = strlen(".html");

	if (!begins(name, "case-") && !begins(name, "executor-") && !begins(name, "protocol-"))
		return false;
	return size > DIGITS + tail && strcmp(name + size - tail, ".html") == 0 &&
	       strspn(name + size - tail - DIGITS, "0123456789abcdef") == DIGITS &&
	       strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-") == size - tail;
}

/* ---- whose folder it is ---------------------------------------------------------------------- */

static bool file_begins(const char *path, const char *with)
{
	size_t size = strlen(with);
	char *start = memory_get(size + 1);
	int fd = file_open_at(AT_FDCWD, path, O_RDONLY | O_NOFOLLOW);
	bool same = fd >= 0 && read(fd, start, size) == (ssize_t)size && memcmp(start, with, size) == 0;

	if (fd >= 0)
		close(fd);
	free(start);
	return same;
}

/* The files of a writer that was killed (base/fresh.h) count as none. */
static eh_status check_empty(const char *path, eh_error *error)
{
	char **names = dir_list(path, "", error);
	eh_status status = names != NULL ? EH_OK : EH_E_IO;

	for (char **n = names; status == EH_OK && *n != NULL; n++)
		if (!begins(*n, ".evenhand-"))
			status = error_set(error, EH_E_USAGE, "'%s' has other files in it, such as %.60s; name a folder that is "
			                   "new, empty, or was published into before", path, *n);
	dir_list_free(names);
	return status;
}

eh_status publish_folder_open(const char *path, publish_folder *out, eh_error *error)
{
	publish_folder f = { .path = path, .lock = -1 };
	char *marker = path_join(path, MARKER);
	bool ours = file_begins(marker, MARKER_BEGINS);
	eh_status status = ours ? EH_OK : check_empty(path, error);

	if (status == EH_OK && !ours)
		status = dir_make(path, error);
	if (status == EH_OK && !ours)
		status = file_write(marker, marker_words, strlen(marker_words), error);
	if (status == EH_OK)
		status = file_lock_take(marker, FILE_LOCK_WAIT_NS, &f.lock, error);
	free(marker);
	if (status == EH_OK)
		*out = f;
	return status;
}

void publish_folder_close(publish_folder *f)
{
	file_lock_release(f->lock);
	text_list_clear(&f->files);
}

/* ---- files ----------------------------------------------------------------------------------- */

eh_status publish_folder_write(publish_folder *f, const char *name, const void *bytes, size_t size,
                               eh_error *error)
{
	char *path = path_join(f->path, name);
	bool same = file_has(path, bytes, size);
	eh_status status = same ? EH_OK : file_write(path, bytes, size, error);

	f->counts.same += same;
	f->counts.written += status == EH_OK && !same;
	text_list_add(&f->files, name);
	free(path);
	return status;
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

eh_status publish_folder_sweep(publish_folder *f, eh_error *error)
{
	char **names = dir_list(f->path, ".html", error);
	eh_status status = names != NULL ? EH_OK : EH_E_IO;

	if (f->files.count > 0)
		qsort(f->files.items, f->files.count, sizeof(*f->files.items), by_text);
	for (char **n = names; status == EH_OK && *n != NULL; n++) {
		char *path = path_join(f->path, *n);

		if (is_page_name(*n) && bsearch(n, f->files.items, f->files.count, sizeof(*n), by_text) == NULL &&
		    file_begins(path, PUBLISH_BEGINS)) {
			if (unlink(path) == 0)
				f->counts.removed++;
			else if (errno != ENOENT)
				status = error_system(error, errno, "cannot remove '%s'", path);
		}
		free(path);
	}
	dir_list_free(names);
	return status;
}
