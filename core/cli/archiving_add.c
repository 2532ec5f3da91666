/* SPDX-License-Identifier: Apache-2.0 */
/* Results on their way into the archive: some files are read while those before them are written. */
#include "cli/archiving.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "audit/beside.h"
#include "base/files.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/memory_bound.h"
#include "base/parallel.h"
#include "base/text.h"
#include "cli/input_results.h"

/* Files that are read side by side and added in one transaction, and about how large they are together. */
enum { TOGETHER = 64 };
#define TOGETHER_SIZE (16 * LIMIT_MIB)

typedef struct batch {
	char *const *paths;
	size_t count;
	archive_item *items[TOGETHER]; /* NULL: the file is unsound                                  */
	eh_error errors[TOGETHER];
} batch;

typedef struct adding {
	archive *a;
	batch *read, *write;
	archiving_counts *counts;
	text_list *digests; /* NULL: nobody asks                                          */
	eh_status status;
	eh_error error;
} adding;

/* ---- reading --------------------------------------------------------------------------------- */

static eh_status make_item(const char *path, archive_item **out, eh_error *error)
{
	char *bytes, *copy = NULL, *signatures = NULL, *amendments = NULL;
	size_t size, beside_size;
	result *of;
	eh_status status = file_read(path, &bytes, &size, error);

	if (status != EH_OK)
		return status;
	copy = memory_get(size + 1);
	memcpy(copy, bytes, size);
	status = beside_read(path, ".sig", &signatures, &beside_size, error);
	if (status == EH_OK)
		status = beside_read(path, ".amendments", &amendments, &beside_size, error);
	if (status == EH_OK)
		status = result_read_bytes(path, copy, size, &of, error);
	else
		free(copy);
	if (status == EH_OK)
		*out = archive_item_make(of, bytes, size, signatures, amendments);
	free(signatures);
	free(amendments);
	free(bytes);
	return status;
}

/* ---- writing --------------------------------------------------------------------------------- */

static void count(adding *all, const archive_item *i, enum archive_outcome outcome)
{
	all->counts->added += outcome == ARCHIVE_ADDED;
	all->counts->known += outcome == ARCHIVE_WAS_THERE;
	all->counts->redacted += outcome == ARCHIVE_REDACTED;
	if (all->digests != NULL)
		text_list_add(all->digests, archive_item_result(i)->record->digest);
}

static void free_items(batch *b)
{
	for (size_t i = 0; i < b->count; i++)
		archive_item_free(b->items[i]);
	*b = (batch){ 0 };
}

/* Up to the first file that is unsound. */
static void write_batch(adding *all)
{
	batch *b = all->write;
	enum archive_outcome outcomes[TOGETHER];
	size_t good = 0;

	while (good < b->count && b->items[good] != NULL)
		good++;
	all->status = archive_add(all->a, b->items, good, outcomes, &all->error);
	for (size_t i = 0; i < good && all->status == EH_OK; i++)
		count(all, b->items[i], outcomes[i]);
	if (all->status == EH_OK && good < b->count) {
		all->error = b->errors[good];
		all->status = all->error.code;
	}
	free_items(b);
}

/* ---- both ------------------------------------------------------------------------------------ */

/* The first piece is what is written; one thread does all of it. */
static void do_piece(void *context, size_t i)
{
	adding *all = context;
	batch *r = all->read;

	if (i == 0)
		write_batch(all);
	else
		(void)make_item(r->paths[i - 1], &r->items[i - 1], &r->errors[i - 1]);
}

/* How many of the paths are added together, one at least. */
static size_t some_of(char *const *paths, size_t count)
{
	size_t n = 0, size = 0;
	struct stat info;

	while (n < count && n < TOGETHER && (n == 0 || size < TOGETHER_SIZE)) {
		size += stat(paths[n], &info) == 0 ? (size_t)info.st_size : 0;
		n++;
	}
	return n;
}

static eh_status add_all(adding *all, char *const *paths, size_t count)
{
	while (all->status == EH_OK && (count > 0 || all->read->count > 0)) {
		batch *written = all->write;

		all->write = all->read;
		all->read = written;
		*all->read = (batch){ .paths = paths, .count = some_of(paths, count) };
		for (size_t i = 0; i < TOGETHER; i++)
			all->read->errors[i] = (eh_error)ERROR_INIT;
		paths += all->read->count;
		count -= all->read->count;
		parallel_each(1 + all->read->count, do_piece, all);
	}
	free_items(all->read);
	return all->status;
}

eh_status archiving_add(archive *a, const char *const *words, size_t count, archiving_counts *counts,
                        text_list *digests, eh_error *error)
{
	batch *two = memory_get(2 * sizeof(*two));
	adding all = { a, &two[0], &two[1], counts, digests, EH_OK, ERROR_INIT };
	char **paths = NULL;
	size_t path_count = 0;
	struct rlimit before = memory_bind("");
	eh_status status = cli_inputs_paths(words, count, false, &paths, &path_count, error);

	if (status == EH_OK) {
		status = add_all(&all, paths, path_count);
		if (status != EH_OK && error != NULL)
			*error = all.error;
	}
	memory_unbind(&before);
	cli_inputs_paths_free(paths, path_count);
	free(two);
	return status;
}

bool archiving_keep(const char *asked, const char *folder)
{
	archiving_counts counts = { 0 };
	eh_error error = ERROR_INIT;
	char *place = text_shell_word(folder);
	archive a;
	eh_status status = archiving_open(asked, true, &a, &error);

	if (status == EH_OK) {
		status = archiving_add(&a, &folder, 1, &counts, NULL, &error);
		archive_close(&a);
	}
	if (status != EH_OK)
		log_write(EH_LOG_ERROR, "the results in %s are not in the archive: %s; evenhand archive add %s adds them",
		          folder, error.message, place);
	free(place);
	return status == EH_OK;
}
