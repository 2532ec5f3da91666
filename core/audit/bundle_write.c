/* SPDX-License-Identifier: Apache-2.0 */
#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "audit/bundle.h"
#include "audit/bundle_collect.h"
#include "audit/inspect.h"
#include "base/files.h"
#include "base/limits.h"
#include "base/memory_bound.h"

/* ---- the archive ----------------------------------------------------------------------------- */

typedef struct sink { file_writer *out; eh_error *error; eh_status status; } sink;

static la_ssize_t sink_write(struct archive *a, void *context, const void *data, size_t size)
{
	sink *s = context;

	s->status = file_writer_add(s->out, data, size, s->error);
	if (s->status == EH_OK)
		return (la_ssize_t)size;
	archive_set_error(a, EIO, "cannot write");
	return ARCHIVE_FATAL;
}

static bool put_member(struct archive *a, const bundle_member *m)
{
	struct archive_entry *entry = archive_entry_new();
	bool ok;

	if (entry == NULL)
		return false;
	archive_entry_set_pathname(entry, m->name);
	archive_entry_set_size(entry, (la_int64_t)m->size);
	archive_entry_set_filetype(entry, AE_IFREG);
	archive_entry_set_perm(entry, 0644);
	archive_entry_set_mtime(entry, 0, 0);
	archive_entry_set_uid(entry, 0);
	archive_entry_set_gid(entry, 0);
	ok = archive_write_header(a, entry) == ARCHIVE_OK &&
	     archive_write_data(a, m->data, m->size) == (la_ssize_t)m->size;
	archive_entry_free(entry);
	return ok;
}

static eh_status put_archive(const bundle *b, sink *s, eh_error *error)
{
	struct archive *a = archive_write_new();
	bool ok = a != NULL && archive_write_set_format_pax_restricted(a) == ARCHIVE_OK &&
	          archive_write_add_filter_gzip(a) == ARCHIVE_OK &&
	          archive_write_set_filter_option(a, "gzip", "timestamp", NULL) == ARCHIVE_OK &&
	          archive_write_set_bytes_in_last_block(a, 1) == ARCHIVE_OK &&
	          archive_write_open(a, s, NULL, sink_write, NULL) == ARCHIVE_OK;
	size_t i;

	/* The manifest is last in the list and first in the archive. */
	for (i = b->count; i-- > 0 && ok && strncmp(b->members[i].name, BUNDLE_MANIFEST, 13) == 0;)
		ok = put_member(a, &b->members[i]);
	for (i = 0; i < b->count && ok; i++)
		if (strncmp(b->members[i].name, BUNDLE_MANIFEST, 13) != 0)
			ok = put_member(a, &b->members[i]);
	ok = ok && archive_write_close(a) == ARCHIVE_OK;
	if (!ok && s->status == EH_OK)
		s->status = error_set(error, EH_E_IO, "the bundle cannot be written: %.120s",
		                      a != NULL && archive_error_string(a) != NULL ?
		                      archive_error_string(a) : "libarchive refuses");
	if (a != NULL)
		(void)archive_write_free(a);
	return s->status;
}

/* ---- the whole bundle ------------------------------------------------------------------------ */

static size_t size_of_file(const char *path)
{
	struct stat info;

	return path != NULL && stat(path, &info) == 0 && info.st_size > 0 ? (size_t)info.st_size : 0;
}

/* Before any of them is in memory.  One that is too large alone is refused when it is read. */
static eh_status check_sizes(const bundle_settings *s, eh_error *error)
{
	size_t total = size_of_file(s->journal);

	for (size_t i = 0; i < s->result_count; i++) {
		const size_t size = size_of_file(s->results[i]);

		if (size <= LIMIT_FILE && size > LIMIT_FILE - (total < LIMIT_FILE ? total : LIMIT_FILE))
			return error_set(error, EH_E_NO_MEMORY, "'%s' does not fit into the bundle with what is before "
			                 "it: a bundle has at most %zu GiB unpacked; pack fewer results in a bundle",
			                 s->results[i], LIMIT_FILE / LIMIT_GIB);
		total += size;
	}
	return EH_OK;
}

/* *out is NULL or needs file_writer_abandon also after a failure. */
static eh_status put_into(const bundle_settings *settings, const char *path, file_writer **out, eh_error *error)
{
	sink s = { NULL, error, EH_OK };
	bundle b = { .members = NULL };
	eh_status status = bundle_collect(&b, settings, path, error);

	if (status == EH_OK)
		status = file_writer_open(path, &s.out, error);
	if (status == EH_OK)
		status = put_archive(&b, &s, error);
	bundle_free(&b);
	*out = s.out;
	return status;
}

static eh_status check_reports(const bundle *b, audit_planner *plan, const char *path, eh_error *error)
{
	audit_verification all;
	eh_status status;

	layout_init(audit_verification_layout(), &all);
	status = audit_inspect_bundle(path, b, plan, &all, error);
	for (size_t i = 0; i < all.reports.count && status == EH_OK; i++) {
		const char *problem = audit_problem(&all.reports.items[i]);

		if (problem != NULL)
			status = error_set(error, EH_E_ALTERED, "%s would not hold and is not written: %.250s; `evenhand "
			                   "verify` of the result prints all", all.reports.items[i].file, problem);
	}
	layout_clear(audit_verification_layout(), &all);
	return status;
}

/* By everything that readers ask for. */
static eh_status check_back(const file_writer *out, audit_planner *plan, const char *path, eh_error *error)
{
	source_bytes packed;
	bundle b;
	eh_status status = file_writer_source(out, &packed, error);

	if (status != EH_OK)
		return status;
	status = bundle_read_source(&packed, &b, error);
	source_close(&packed);
	if (status == EH_OK) {
		status = check_reports(&b, plan, path, error);
		bundle_free(&b);
	}
	return status;
}

static eh_status write_archive(const bundle_settings *settings, const char *path, eh_error *error)
{
	file_writer *out;
	eh_status status = put_into(settings, path, &out, error);

	if (status == EH_OK)
		status = check_back(out, settings->plan, path, error);
	if (status == EH_OK)
		return file_writer_commit(out, error);
	file_writer_abandon(out);
	return status;
}

eh_status bundle_write(const bundle_settings *settings, const char *path, eh_error *error)
{
	struct rlimit before = memory_bind("");
	eh_status status = check_sizes(settings, error);

	if (status == EH_OK)
		status = write_archive(settings, path, error);
	memory_unbind(&before);
	return status;
}
