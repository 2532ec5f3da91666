/* SPDX-License-Identifier: Apache-2.0 */
#include "audit/nearby.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files.h"
#include "base/json.h"
#include "base/text.h"

/* ---- what belongs to the result -------------------------------------------------------------- */

/* Puts "FILE: " before the places from `first` on. */
static void name_file(text_list *places, size_t first, const char *file)
{
	for (size_t i = first; i < places->count; i++) {
		char *whole = memory_format("%s: %s", file, places->items[i]);

		free(places->items[i]);
		places->items[i] = whole;
	}
}

static eh_status in_signatures(const reach *r, const char *path, text_list *places, eh_error *error)
{
	char *file = memory_format("%s.sig", path), *body = NULL;
	size_t size = 0, first = places->count;
	eh_status status = EH_OK;

	if (file_exists(file))
		status = file_read(file, &body, &size, error);
	if (status == EH_OK && body != NULL)
		status = reach_find(r, body, size, file, places, error);
	name_file(places, first, file);
	free(body);
	free(file);
	return status;
}

eh_status nearby_evidence(const reach *r, const char *path, const char *amendments,
                          text_list *places, eh_error *error)
{
	eh_status status = in_signatures(r, path, places, error);

	for (size_t line = 1; *amendments != '\0' && status == EH_OK; line++) {
		size_t size = strcspn(amendments, "\n"), first = places->count;
		char *name = memory_format("%s.amendments: line %zu", path, line);

		status = reach_find(r, amendments, size, name, places, error);
		name_file(places, first, name);
		free(name);
		amendments += size + (amendments[size] != '\0');
	}
	return status;
}

/* ---- other files ----------------------------------------------------------------------------- */

enum { CHUNK = 1 << 20 };

/* malloc'd: the text as it stands between the quotes of JSON. */
static char *escaped(const char *value)
{
	text t = { 0 };
	char *out;

	json_put_string(&t, value);
	out = memory_format("%.*s", (int)t.size - 2, t.data + 1);
	text_free(&t);
	return out;
}

/* Whether the file has the bytes; -1: it cannot be read. */
static int file_has(int fd, const char *wanted)
{
	const size_t size = strlen(wanted);
	char *chunk = memory_get(CHUNK + size);
	size_t kept = 0;
	ssize_t got = 0;
	int found = 0;

	while (found == 0 && (got = read(fd, chunk + kept, CHUNK)) != 0) {
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			break;
		found = memmem(chunk, kept + (size_t)got, wanted, size) != NULL;
		/* The end of the chunk may be the beginning of the text. */
		kept += (size_t)got;
		if (kept >= size) {
			memmove(chunk, chunk + kept - (size - 1), size - 1);
			kept = size - 1;
		}
	}
	free(chunk);
	return got < 0 ? -1 : found;
}

static int folder_file_has(int folder, const char *name, const reach *r)
{
	char *value = escaped(r->forms.items[0]);
	const char *forms[] = { r->forms.items[0], value };
	int found = 0;

	for (size_t i = 0; i < 2 && found == 0; i++) {
		int fd = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);

		found = fd < 0 ? -1 : file_has(fd, forms[i]);
		if (fd >= 0)
			close(fd);
	}
	free(value);
	return found;
}

static bool ends_in(const char *name, const char *suffix)
{
	const size_t size = strlen(name), tail = strlen(suffix);

	return size >= tail && strcmp(name + size - tail, suffix) == 0;
}

/* Whether it is the result, its signatures or its amendments. */
static bool is_own(const char *name, const char *base)
{
	const size_t size = strlen(base);

	return strncmp(name, base, size) == 0 &&
	       (name[size] == '\0' || strcmp(name + size, ".sig") == 0 ||
	        strcmp(name + size, ".amendments") == 0);
}

static void look_at(int folder, const char *name, const reach *r, text_list *sentences)
{
	struct stat info;
	int found;

	if (fstatat(folder, name, &info, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(info.st_mode))
		return;
	found = folder_file_has(folder, name, r);
	if (found > 0 && ends_in(name, ".journal"))
		text_list_format(sentences, "%s, the run's journal: remove it, or keep it where only you can "
		                 "read it; `run --resume` would write the text into a result again", name);
	else if (found > 0)
		text_list_add(sentences, name);
	else if (found < 0)
		text_list_format(sentences, "%s cannot be read, so perhaps there", name);
	else if (ends_in(name, ".evenhand"))
		text_list_format(sentences, "perhaps in %s: bundles are not searched; pack it anew", name);
}

void nearby_files(const reach *r, const char *path, text_list *sentences)
{
	const char *slash = strrchr(path, '/'), *base = slash != NULL ? slash + 1 : path;
	char *folder = slash != NULL ? memory_format("%.*s/", (int)(slash - path), path) : memory_text(".");
	char **names = r->forms.count > 0 ? dir_list(folder, "", NULL) : NULL;
	int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	for (size_t i = 0; names != NULL && names[i] != NULL && fd >= 0; i++)
		if (!is_own(names[i], base))
			look_at(fd, names[i], r, sentences);
	if (fd >= 0)
		close(fd);
	dir_list_free(names);
	free(folder);
}
