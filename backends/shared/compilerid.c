/* SPDX-License-Identifier: Apache-2.0 */
#include "compilerid.h"

#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_FILES = 16 };

typedef struct search {
	const char *const *helpers;
	char *paths[MOST_FILES];  /* malloc'd, links followed, each once                        */
	size_t count;
	bool whole;               /* false: one is missing here                                 */
} search;

static void add(search *s, const char *path)
{
	char *real = realpath(path, NULL);

	for (size_t i = 0; real != NULL && i < s->count; i++)
		if (strcmp(s->paths[i], real) == 0) {
			free(real);
			return;
		}
	if (real == NULL || s->count == MOST_FILES) {
		free(real);
		s->whole = false;
		return;
	}
	s->paths[s->count++] = real;
}

static int add_loaded(struct dl_phdr_info *object, size_t size, void *context)
{
	search *s = context;
	const char *slash = strrchr(object->dlpi_name, '/');

	(void)size;
	for (size_t i = 0; slash != NULL && s->helpers[i] != NULL; i++)
		if (strncmp(slash + 1, s->helpers[i], strlen(s->helpers[i])) == 0)
			add(s, object->dlpi_name);
	return 0;
}

/* A library looks for its parts beside itself: beside the name that it was loaded by, or beside the
 * file that a link leads to. */
static void add_beside(search *s, const char *library)
{
	const char *slash = strrchr(library, '/');
	char path[PATH_MAX];

	for (size_t i = 0; slash != NULL && s->helpers[i] != NULL; i++)
		if (snprintf(path, sizeof(path), "%.*s/%s", (int)(slash - library), library,
		             s->helpers[i]) < (int)sizeof(path) && access(path, F_OK) == 0)
			add(s, path);
}

static bool digest_of(const char *path, const eh_host *host, char hex[65])
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat about;
	void *data;

	if (fd < 0)
		return false;
	if (fstat(fd, &about) != 0 || about.st_size <= 0) {
		(void)close(fd);
		return false;
	}
	data = mmap(NULL, (size_t)about.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	(void)close(fd);
	if (data == MAP_FAILED)
		return false;
	host->sha256(host->ctx, data, (size_t)about.st_size, hex);
	(void)munmap(data, (size_t)about.st_size);
	return true;
}

static int by_text(const void *a, const void *b)
{
	return strcmp(a, b);
}

void compilerid_of(const vendorlib *library, const eh_host *host, const char *const helpers[],
                   char hex[65])
{
	search s = { .helpers = helpers, .whole = true };
	char digests[MOST_FILES][65];
	size_t done = 0;

	memset(digests, 0, sizeof(digests));
	add(&s, library->path);
	if (s.count > 0)
		add_beside(&s, s.paths[0]);
	add_beside(&s, library->path);
	(void)dl_iterate_phdr(add_loaded, &s);
	while (s.whole && done < s.count && digest_of(s.paths[done], host, digests[done]))
		done++;
	hex[0] = '\0';
	/* The order in which objects were loaded does not count. */
	qsort(digests, done, sizeof(digests[0]), by_text);
	if (s.whole && done == s.count)
		host->sha256(host->ctx, digests, done * sizeof(digests[0]), hex);
	for (size_t i = 0; i < s.count; i++)
		free(s.paths[i]);
}
