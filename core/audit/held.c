/* SPDX-License-Identifier: Apache-2.0 */
#include "audit/held.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "audit/interrupted.h"
#include "base/file_lock.h"
#include "base/files.h"
#include "base/text.h"

static eh_status check_folder(const char *path, eh_error *error)
{
	const char *slash = strrchr(path, '/');
	char *folder = slash != NULL ? memory_format("%.*s/", (int)(slash - path), path) : memory_text("./");
	eh_status status = EH_OK;

	if (access(folder, W_OK | X_OK) != 0 && errno != ENOENT)
		status = error_system(error, errno, "nothing can be put beside '%s', as its folder cannot be "
		                      "written; copy the result into a folder of yours", path);
	free(folder);
	return status;
}

static eh_status load(held *h, eh_error *error)
{
	eh_status status = audit_read(h->path, &h->r, &h->bytes, &h->size, error);

	if (status == EH_OK)
		status = audit_trust(h->r, &h->evidence, error);
	if (status == EH_OK && h->evidence->level == AUDIT_BROKEN)
		status = error_set(error, EH_E_ALTERED, "%s: %s; `evenhand verify` prints all", h->path,
		                   h->evidence->problems.items[0]);
	return status;
}

static void unload(held *h)
{
	audit_evidence_free(h->evidence);
	result_free(h->r);
	free(h->bytes);
	h->evidence = NULL;
	h->r = NULL;
	h->bytes = NULL;
}

/* Replaces the result by what the amendments announce, and reads it again. */
static eh_status finish(held *h, eh_error *error)
{
	char *path = memory_format("%s.amendments", h->path), *amendments = NULL;
	interrupted i = { .made = false };
	size_t size;
	eh_status status = file_read(path, &amendments, &size, error);

	if (status == EH_OK && interrupted_find(h->r, amendments, &i) && !i.made)
		status = file_write(h->path, i.after.data, i.after.size, error);
	if (status == EH_OK) {
		h->finished = i.members;
		i.members = (text_list){ NULL, 0 };
		unload(h);
		status = load(h, error);
	}
	interrupted_clear(&i);
	free(amendments);
	free(path);
	return status;
}

eh_status held_open(const char *path, held *out, eh_error *error)
{
	eh_status status;

	*out = (held){ .path = path, .lock = -1 };
	status = file_lock_take(path, FILE_LOCK_WAIT_NS, &out->lock, error);
	if (status == EH_OK)
		status = check_folder(path, error);
	if (status == EH_OK)
		status = load(out, error);
	if (status == EH_OK && out->evidence->interrupted != NULL)
		status = finish(out, error);
	return status;
}

void held_close(held *h)
{
	unload(h);
	text_list_clear(&h->finished);
	file_lock_release(h->lock);
	h->lock = -1;
}

/* ---- results that are built anew ------------------------------------------------------------- */

static bool is_beside(const char *path, const char *suffix)
{
	char *file = memory_format("%s%s", path, suffix);
	bool found = file_exists(file);

	free(file);
	return found;
}

eh_status audit_replace(const char *path, int *lock, eh_error *error)
{
	eh_status status = EH_OK;

	*lock = -1;
	if (!file_exists(path))
		return EH_OK;
	status = file_lock_take(path, FILE_LOCK_WAIT_NS, lock, error);
	if (status == EH_OK && (is_beside(path, ".sig") || is_beside(path, ".amendments")))
		status = error_set(error, EH_E_USAGE, "%s is signed or amended, so it is not written anew; "
		                   "what was measured is in the run's journal: move the result and what is "
		                   "beside it away, then run --resume again", path);
	if (status != EH_OK) {
		file_lock_release(*lock);
		*lock = -1;
	}
	return status;
}
