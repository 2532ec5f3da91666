/* SPDX-License-Identifier: Apache-2.0 */
#include "audit/nearby.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "audit/beside.h"
#include "audit/filesearch.h"
#include "base/files.h"
#include "base/limits.h"
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
	char *file = memory_format("%s.sig", path), *body;
	size_t size, first = places->count;
	eh_status status = beside_read(path, ".sig", &body, &size, error);

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

static enum filesearch search(int folder, const char *name, const reach *r, size_t *left)
{
	int fd = file_open_at(folder, name, O_RDONLY | O_NOFOLLOW);
	enum filesearch answer = fd < 0 ? FILESEARCH_UNREADABLE : filesearch_of(r, fd, left);

	if (fd >= 0)
		close(fd);
	return answer;
}

/* *left: how many bytes may be searched. */
static void look_at(int folder, const char *name, const reach *r, size_t *left, text_list *sentences)
{
	struct stat info;
	enum filesearch answer;

	if (fstatat(folder, name, &info, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(info.st_mode))
		return;
	answer = search(folder, name, r, left);
	if (answer == FILESEARCH_FOUND && ends_in(name, ".journal"))
		text_list_format(sentences, "%s, the run's journal: remove it, or keep it where only you can "
		                 "read it; `run --resume` would write the text into a result again", name);
	else if (answer == FILESEARCH_FOUND)
		text_list_add(sentences, name);
	else if (answer == FILESEARCH_UNREADABLE)
		text_list_format(sentences, "%s cannot be read, so perhaps there", name);
	else if (answer == FILESEARCH_TOO_LARGE)
		text_list_format(sentences, "perhaps in %s: it is too large to be searched (the files of a "
		                 "folder are, up to %zu GiB together)", name, LIMIT_SEARCHED / LIMIT_GIB);
	else if (ends_in(name, ".evenhand"))
		text_list_format(sentences, "perhaps in %s: bundles are not searched; pack it anew", name);
}

void nearby_files(const reach *r, const char *path, text_list *sentences)
{
	const char *slash = strrchr(path, '/'), *base = slash != NULL ? slash + 1 : path;
	char *folder = slash != NULL ? memory_format("%.*s/", (int)(slash - path), path) : memory_text(".");
	eh_error error = ERROR_INIT;
	size_t left = LIMIT_SEARCHED;
	char **names = r->forms.count > 0 ? dir_list(folder, "", &error) : NULL;
	int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	for (size_t i = 0; names != NULL && names[i] != NULL && fd >= 0; i++)
		if (!is_own(names[i], base))
			look_at(fd, names[i], r, &left, sentences);
	if (r->forms.count > 0 && (names == NULL || fd < 0))
		text_list_format(sentences, "perhaps other files of the folder: it cannot be listed, so search it "
		                 "yourself (%s)", names == NULL ? error.message : strerror(errno));
	if (fd >= 0)
		close(fd);
	dir_list_free(names);
	free(folder);
}
