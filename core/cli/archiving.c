/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/archiving.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "audit/beside.h"
#include "base/files.h"
#include "base/limits.h"
#include "base/memory_bound.h"
#include "base/parallel.h"
#include "base/text.h"
#include "cli/input_results.h"

/* Files that are made ready side by side and added in one transaction, and about how large they are
 * together. */
enum { TOGETHER = 64 };
#define TOGETHER_SIZE (32 * LIMIT_MIB)

/* ---- adding ---------------------------------------------------------------------------------- */

typedef struct reading {
	char *const *paths;
	archive_item **items;
	eh_error *errors;
} reading;

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

static void make_one(void *context, size_t i)
{
	reading *r = context;

	r->errors[i] = (eh_error)ERROR_INIT;
	(void)make_item(r->paths[i], &r->items[i], &r->errors[i]);
}

static eh_status add_some(archive *a, char *const *paths, size_t count, archiving_counts *counts,
                          text_list *digests, eh_error *error)
{
	archive_item *items[TOGETHER] = { NULL };
	eh_error errors[TOGETHER];
	bool added[TOGETHER] = { false };
	reading r = { paths, items, errors };
	size_t good = 0;
	eh_status status;

	parallel_each(count, make_one, &r);
	while (good < count && items[good] != NULL)
		good++;
	status = archive_add(a, items, good, added, error);
	for (size_t i = 0; i < good && status == EH_OK; i++) {
		counts->added += added[i];
		counts->known += !added[i];
		if (digests != NULL)
			text_list_add(digests, archive_item_result(items[i])->record->digest);
	}
	if (status == EH_OK && good < count) {
		status = errors[good].code;
		if (error != NULL)
			*error = errors[good];
	}
	for (size_t i = 0; i < count; i++)
		archive_item_free(items[i]);
	return status;
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

eh_status archiving_add(archive *a, const char *const *words, size_t count, archiving_counts *counts,
                        text_list *digests, eh_error *error)
{
	char **paths = NULL;
	size_t all = 0, n;
	struct rlimit before = memory_bind("");
	eh_status status = cli_inputs_paths(words, count, false, &paths, &all, error);

	for (size_t i = 0; i < all && status == EH_OK; i += n) {
		n = some_of(paths + i, all - i);
		status = add_some(a, paths + i, n, counts, digests, error);
	}
	memory_unbind(&before);
	cli_inputs_paths_free(paths, all);
	return status;
}

/* ---- out of it ------------------------------------------------------------------------------- */

static bool same_bytes(const char *path, const char *bytes, size_t size)
{
	char *there;
	size_t there_size;
	bool same;

	if (file_read(path, &there, &there_size, NULL) != EH_OK)
		return false;
	same = there_size == size && memcmp(there, bytes, size) == 0;
	free(there);
	return same;
}

static eh_status write_one(const char *path, const char *suffix, const char *bytes, size_t size, bool *done,
                           eh_error *error)
{
	char *name = memory_format("%s%s", path, suffix);
	eh_status status = EH_OK;

	if (bytes == NULL || same_bytes(name, bytes, size)) {
		free(name);
		return EH_OK;
	}
	if (file_exists(name))
		status = error_set(error, EH_E_USAGE, "%s is there with other bytes; write into another folder", name);
	else
		status = file_write(name, bytes, size, error);
	*done = *done || status == EH_OK;
	free(name);
	return status;
}

eh_status archiving_write(archive *a, const char *sha256, const char *folder, bool *done, eh_error *error)
{
	archive_file f;
	char *path;
	eh_status status = archive_get(a, sha256, &f, error);

	if (status != EH_OK)
		return status;
	/* Names come from others, and many results have one: the digest makes them different. */
	path = memory_format("%s/%.12s.json", folder, sha256);
	status = write_one(path, "", f.bytes, f.size, done, error);
	if (status == EH_OK && f.signatures != NULL)
		status = write_one(path, ".sig", f.signatures, strlen(f.signatures), done, error);
	if (status == EH_OK && f.amendments != NULL)
		status = write_one(path, ".amendments", f.amendments, strlen(f.amendments), done, error);
	free(path);
	archive_file_clear(&f);
	return status;
}

bool archiving_is(const char *word)
{
	return strncmp(word, ARCHIVING_WORD, strlen(ARCHIVING_WORD)) == 0;
}

static eh_status read_all(archive *a, const char *word, result ***out, size_t *count, eh_error *error)
{
	text_list digests = { 0 };
	eh_status status = archive_find(a, word + strlen(ARCHIVING_WORD), &digests, error);

	*out = memory_get((digests.count + 1) * sizeof(**out));
	for (size_t i = 0; i < digests.count && status == EH_OK; i++) {
		status = archive_read(a, digests.items[i], word, &(*out)[i], error);
		*count += status == EH_OK;
	}
	text_list_clear(&digests);
	return status;
}

eh_status archiving_read(const char *word, result ***out, size_t *count, eh_error *error)
{
	archive a;
	char *place = archive_place(NULL, error);
	eh_status status = place != NULL ? archive_open(place, false, &a, error) : EH_E_IO;

	*out = NULL;
	*count = 0;
	free(place);
	if (status != EH_OK)
		return status;
	status = read_all(&a, word, out, count, error);
	archive_close(&a);
	return status;
}
