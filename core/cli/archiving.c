/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/archiving.h"

#include <stdlib.h>
#include <string.h>

#include "base/files.h"
#include "base/text.h"

eh_status archiving_open(const char *asked, bool make, archive *out, eh_error *error)
{
	char *place = archive_place(asked, error);
	eh_status status = place != NULL ? archive_open(place, make, out, error) : EH_E_IO;

	free(place);
	return status;
}

/* ---- files out of it ------------------------------------------------------------------------- */

static eh_status write_one(const char *path, const char *suffix, const char *bytes, size_t size, bool *done,
                           eh_error *error)
{
	char *name = memory_format("%s%s", path, suffix);
	eh_status status = EH_OK;

	if (bytes == NULL || file_has(name, bytes, size)) {
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

/* ---- results of it --------------------------------------------------------------------------- */

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
	eh_status status = archiving_open(NULL, false, &a, error);

	*out = NULL;
	*count = 0;
	if (status != EH_OK)
		return status;
	status = read_all(&a, word, out, count, error);
	archive_close(&a);
	return status;
}
