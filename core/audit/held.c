/* SPDX-License-Identifier: Apache-2.0 */
#include "audit/held.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "audit/beside.h"
#include "audit/interrupted.h"
#include "base/digest.h"
#include "base/file_lock.h"
#include "base/fresh.h"
#include "base/text.h"
#include "record/redact.h"

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
	eh_status status = audit_read(h->lock, h->path, &h->r, &h->bytes, &h->size, error);

	if (status == EH_OK)
		status = audit_trust(h->r, &h->evidence, error);
	if (status == EH_OK && h->evidence->level == AUDIT_BROKEN)
		status = error_set(error, EH_E_ALTERED, "%s: %s; `evenhand verify` prints all", h->path,
		                   h->evidence->problems.items[0]);
	return status;
}

static void unload(held *h)
{
	result_free(h->r);
	free(h->bytes);
	h->evidence = NULL;
	h->r = NULL;
	h->bytes = NULL;
}

/* ---- finishing ------------------------------------------------------------------------------- */

eh_status held_refuse_link(const char *path, eh_error *error)
{
	struct stat info;

	if (lstat(path, &info) == 0 && S_ISLNK(info.st_mode))
		return error_set(error, EH_E_USAGE, "'%s' is a link, and what it leads to would keep the "
		                 "text: redact the file itself", path);
	return EH_OK;
}

/* Anybody who can write to the folder can announce a redaction, which destroys a text for good. */
static eh_status may_finish(const held *h, const interrupted *i, bool asked, eh_error *error)
{
	struct stat info;

	if (i->trusted)
		return EH_OK;
	if (!asked)
		return error_set(error, EH_E_USAGE, "%s", h->evidence->interrupted);
	if (fstat(h->lock, &info) != 0)
		return error_system(error, errno, "cannot examine '%s'", h->path);
	if (info.st_uid != geteuid())
		return error_set(error, EH_E_USAGE, "%s: %s announced the redaction: only the result's owner "
		                 "finishes it, or who trusts the key (`evenhand key trust`)", h->path,
		                 i->announcer);
	return EH_OK;
}

/* The text is what the amendments announced. */
static eh_status make(const held *h, const interrupted *i, eh_error *error)
{
	file_writer *out = NULL;
	text after = { 0 };
	char hex[65];
	eh_status status = redact_text(h->bytes, h->size, h->path, &i->members, &after, error);

	if (status == EH_OK) {
		digest_bytes(after.data, after.size, hex);
		if (strcmp(hex, i->file_sha256) != 0)
			status = error_set(error, EH_E_UNAVAILABLE, "%s was changed meanwhile: repeat the "
			                   "command", h->path);
	}
	if (status == EH_OK)
		status = held_writer(h, &out, error);
	if (status == EH_OK)
		status = file_writer_add(out, after.data, after.size, error);
	if (status == EH_OK)
		status = file_writer_commit(out, error);
	else
		file_writer_abandon(out);
	text_free(&after);
	return status;
}

/* Replaces the result by what the amendments announce. */
static eh_status finish(held *h, bool asked, eh_error *error)
{
	interrupted i = { .made = false };
	eh_status status = held_refuse_link(h->path, error);

	if (status == EH_OK && !interrupted_find(h->r, &h->evidence->amendments, &i))
		status = error_set(error, EH_E_UNAVAILABLE, "%s was changed meanwhile: repeat the command",
		                   h->path);
	if (status == EH_OK)
		status = may_finish(h, &i, asked, error);
	if (status == EH_OK && !i.made)
		status = make(h, &i, error);
	if (status == EH_OK) {
		h->finished = (audit_finished){ i.members, i.announcer };
		i.members = (text_list){ NULL, 0 };
		i.announcer = NULL;
	}
	interrupted_clear(&i);
	return status;
}

static eh_status lock_and_load(held *h, eh_error *error)
{
	eh_status status = file_lock_take(h->path, FILE_LOCK_WAIT_NS, &h->lock, error);

	if (status == EH_OK)
		status = check_folder(h->path, error);
	return status == EH_OK ? load(h, error) : status;
}

static void unlock(held *h)
{
	unload(h);
	file_lock_release(h->lock);
	h->lock = -1;
}

eh_status held_open(const char *path, bool asked, held *out, eh_error *error)
{
	eh_status status;

	*out = (held){ .path = path, .lock = -1, .unbound = memory_bind("") };
	status = lock_and_load(out, error);
	if (status != EH_OK || out->evidence->interrupted == NULL)
		return status;
	status = finish(out, asked, error);
	if (status != EH_OK)
		return status;
	/* The lock is that of the file that was replaced. */
	unlock(out);
	status = lock_and_load(out, error);
	if (status == EH_OK && out->evidence->interrupted != NULL)
		status = error_set(error, EH_E_UNAVAILABLE, "%s: another redaction was announced meanwhile: "
		                   "repeat the command", path);
	return status;
}

void held_close(held *h)
{
	unlock(h);
	audit_finished_clear(&h->finished);
	memory_unbind(&h->unbound);
}

/* ---- writing --------------------------------------------------------------------------------- */

eh_status held_writer(const held *h, file_writer **out, eh_error *error)
{
	struct stat own;
	eh_status status = file_writer_open(h->path, out, error);

	if (status == EH_OK && fstat(h->lock, &own) != 0)
		status = error_system(error, errno, "cannot examine '%s'", h->path);
	return status == EH_OK ? file_writer_keep(*out, h->lock, &own, error) : status;
}

/* What is there may be anybody's, so it closes the new file at most; nothing beside a result is more open
 * than the result. */
static eh_status keep_beside(const held *h, const char *path, file_writer *out, eh_error *error)
{
	struct stat own, there;
	const bool is_new = lstat(path, &there) != 0 || !S_ISREG(there.st_mode);

	if (is_new)
		there.st_mode = fresh_mode(0666);
	if (fstat(h->lock, &own) != 0)
		return error_system(error, errno, "cannot examine '%s'", h->path);
	own.st_mode &= there.st_mode;
	return is_new ? file_writer_like(out, h->lock, &own, error) : file_writer_keep(out, h->lock, &own, error);
}

static eh_status write_whole(const held *h, const char *path, const char *body, size_t size, eh_error *error)
{
	file_writer *out = NULL;
	eh_status status = file_writer_open(path, &out, error);

	if (status == EH_OK)
		status = keep_beside(h, path, out, error);
	if (status == EH_OK)
		status = file_writer_add(out, body, size, error);
	if (status == EH_OK)
		return file_writer_commit(out, error);
	file_writer_abandon(out);
	return status;
}

eh_status held_write_beside(const held *h, const char *suffix, const char *body, size_t size,
                            eh_error *error)
{
	char *path = memory_format("%s%s", h->path, suffix);
	eh_status status = beside_check(path, body, size, error);

	if (status == EH_OK)
		status = write_whole(h, path, body, size, error);
	free(path);
	return status;
}

size_t held_other_names(const held *h)
{
	struct stat locked, named;

	if (fstat(h->lock, &locked) != 0)
		return 0;
	return (size_t)locked.st_nlink - (lstat(h->path, &named) == 0 && named.st_ino == locked.st_ino &&
	                                  named.st_dev == locked.st_dev);
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
