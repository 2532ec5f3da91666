/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/digest.h"
#include "base/text.h"
#include "executor/executor.h"

typedef struct entry {
	char *path;
	off_t size;
	struct timespec changed;
	dev_t device;
	ino_t inode;
	char hex[65];
} entry;

struct executor_files {
	entry **entries; /* each its own block: the digests handed out stay where they are */
	size_t count;
};

executor_files *executor_files_new(void)
{
	return memory_get(sizeof(executor_files));
}

void executor_files_free(executor_files *files)
{
	if (files == NULL)
		return;
	for (size_t i = 0; i < files->count; i++) {
		free(files->entries[i]->path);
		free(files->entries[i]);
	}
	free(files->entries);
	free(files);
}

static const entry *known(const executor_files *files, const char *path, const struct stat *st)
{
	for (size_t i = 0; i < files->count; i++) {
		const entry *e = files->entries[i];

		if (e->size == st->st_size && e->inode == st->st_ino && e->device == st->st_dev &&
		    e->changed.tv_sec == st->st_mtim.tv_sec &&
		    e->changed.tv_nsec == st->st_mtim.tv_nsec && strcmp(e->path, path) == 0)
			return e;
	}
	return NULL;
}

const char *executor_files_digest(executor_files *files, const char *path)
{
	struct stat st;
	const entry *old;
	entry *e;

	if (stat(path, &st) != 0 || !S_ISREG(st.st_mode))
		return NULL;
	old = known(files, path, &st);
	if (old != NULL)
		return old->hex;
	e = memory_get(sizeof(*e));
	if (digest_file(path, e->hex, NULL) != EH_OK) {
		free(e);
		return NULL;
	}
	e->path = memory_text(path);
	e->size = st.st_size;
	e->inode = st.st_ino;
	e->device = st.st_dev;
	e->changed = st.st_mtim;
	files->entries = memory_grow(files->entries, (files->count + 1) * sizeof(*files->entries));
	files->entries[files->count++] = e;
	return e->hex;
}
