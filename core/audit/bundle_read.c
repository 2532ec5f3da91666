/* SPDX-License-Identifier: Apache-2.0 */
#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "audit/bundle.h"
#include "audit/bundle_unpack.h"
#include "base/files.h"
#include "base/limits.h"
#include "base/text.h"

enum { BLOCK = 1 << 16 };
/* A header, one more for a long name with its own bytes, and zeros to fill the last block. */
#define HEADERS_MAX ((size_t)BUNDLE_MEMBERS_MOST * 4 * 512)

source_bytes bundle_bytes(const bundle *b, const bundle_member *m)
{
	return m->data != NULL ? source_of_bytes(m->name, m->data, m->size) :
	                         spill_part(&b->large, m->name, m->at, m->size);
}

bool bundle_is(const char *path)
{
	unsigned char magic[2] = { 0, 0 };
	int fd = file_open_at(AT_FDCWD, path, O_RDONLY);
	bool is;

	if (fd < 0)
		return false;
	is = read(fd, magic, sizeof(magic)) == (ssize_t)sizeof(magic) && magic[0] == 0x1f &&
	     magic[1] == 0x8b;
	close(fd);
	return is;
}

/* What is neither a name nor bytes would be lost, or be more than the manifest says. */
static bool is_plain(struct archive_entry *entry)
{
	return archive_entry_filetype(entry) == AE_IFREG && archive_entry_hardlink(entry) == NULL &&
	       archive_entry_symlink(entry) == NULL && archive_entry_sparse_count(entry) == 0 &&
	       archive_entry_xattr_count(entry) == 0 && archive_entry_acl_types(entry) == 0;
}

static eh_status add_entry(const char *path, struct archive_entry *entry, bundle *b, bundle_member **out,
                           eh_error *error)
{
	const char *name = archive_entry_pathname(entry);
	bool sized = archive_entry_size_is_set(entry) && archive_entry_size(entry) >= 0;
	eh_status status = bundle_add(b, path, name != NULL ? name : "",
	                              sized ? (uint64_t)archive_entry_size(entry) : UINT64_MAX, out, error);

	if (status == EH_OK && !is_plain(entry))
		status = error_set(error, EH_E_FORMAT, "%s: %s is not a plain file", path, name);
	return status;
}

/* An archive that is read. */
typedef struct reading {
	const char *path;
	struct archive *a;
	bundle_unpacker *unpacker;
	bundle *out;
	const char *piece;     /* the last unpacked bytes                                       */
	size_t piece_size, given; /* of it; of all                                             */
	size_t kept;           /* bytes in memory of results and the journal                    */
	eh_status status;      /* of the unpacker                                               */
	eh_error *error;
} reading;

static eh_status add_data(reading *r, bundle_member *m, const char *piece, size_t size,
                          size_t *room)
{
	if (m->data == NULL)
		return spill_add(&r->out->large, piece, size, r->error);
	if (*room - m->size <= size) {
		*room = 2 * (m->size + size + 1);
		m->data = memory_grow(m->data, *room);
	}
	memcpy(m->data + m->size, piece, size);
	return EH_OK;
}

/* Whether the member is for the temporary file. */
static bool spills(reading *r, const bundle_member *m, size_t size)
{
	if (bundle_is_text(m->name))
		return false;
	if (size > LIMIT_MEMBER_MEMORY - r->kept)
		return true;
	r->kept += size;
	return false;
}

/* The stated size may be false, so memory grows with the bytes that are really there. */
static eh_status read_data(reading *r, bundle_member *m, size_t size)
{
	bool spilled = spills(r, m, size);
	size_t room = size < BLOCK ? size + 1 : BLOCK;
	char piece[BLOCK];
	la_ssize_t got;
	eh_status status = EH_OK;

	m->at = r->out->large.size;
	m->data = spilled ? NULL : memory_get(room);
	while (status == EH_OK && (got = archive_read_data(r->a, piece, sizeof(piece))) != 0) {
		if (got < 0)
			return r->status != EH_OK ? r->status :
			       error_set(r->error, EH_E_FORMAT, "%s: %s cannot be unpacked: %.120s", r->path,
			                 m->name, archive_error_string(r->a));
		if ((size_t)got > size - m->size)
			return error_set(r->error, EH_E_FORMAT, "%s: %s is longer than stated", r->path,
			                 m->name);
		status = add_data(r, m, piece, (size_t)got, &room);
		m->size += (size_t)got;
	}
	if (m->data != NULL)
		m->data[m->size] = '\0';
	if (status == EH_OK && m->size != size)
		return error_set(r->error, EH_E_FORMAT, "%s: %s is shorter than stated", r->path, m->name);
	return status;
}

static eh_status read_member(reading *r, struct archive_entry *entry)
{
	bundle_member *m;
	eh_status status = add_entry(r->path, entry, r->out, &m, r->error);

	return status == EH_OK ? read_data(r, m, (size_t)archive_entry_size(entry)) : status;
}

static eh_status read_members(reading *r)
{
	eh_status status = EH_OK;

	while (status == EH_OK) {
		struct archive_entry *entry;
		int rc = archive_read_next_header(r->a, &entry);

		if (rc == ARCHIVE_EOF)
			return EH_OK;
		if (rc != ARCHIVE_OK)
			return r->status != EH_OK ? r->status :
			       error_set(r->error, EH_E_FORMAT, "%s: this is not a bundle: %.120s", r->path,
			                 archive_error_string(r->a) != NULL ? archive_error_string(r->a) :
			                 "it is cut");
		status = read_member(r, entry);
	}
	return status;
}

/* Only zeros may follow the end of an archive: they fill its last record. */
static eh_status check_end(reading *r)
{
	size_t at = (size_t)archive_filter_bytes(r->a, -1);
	size_t from = r->given - r->piece_size, behind = 0;

	for (;;) {
		for (size_t i = at > from ? at - from : 0; i < r->piece_size; i++)
			behind += behind > 0 || r->piece[i] != '\0';
		from += r->piece_size;
		r->status = bundle_unpacker_next(r->unpacker, &r->piece, &r->piece_size, r->error);
		if (r->status != EH_OK)
			return r->status;
		if (r->piece_size == 0)
			break;
	}
	return behind == 0 ? EH_OK :
	       error_set(r->error, EH_E_FORMAT, "%s: this is not a bundle: %zu bytes follow the end of the "
	                 "archive", r->path, behind);
}

/* libarchive's reader. */
static la_ssize_t give(struct archive *a, void *context, const void **bytes)
{
	reading *r = context;

	r->status = bundle_unpacker_next(r->unpacker, &r->piece, &r->piece_size, r->error);
	*bytes = r->piece;
	if (r->status == EH_OK) {
		r->given += r->piece_size;
		return (la_ssize_t)r->piece_size;
	}
	archive_set_error(a, EINVAL, "it cannot be unpacked");
	return -1;
}

static eh_status read_archive(reading *r)
{
	r->a = archive_read_new();
	if (r->a == NULL || archive_read_support_format_tar(r->a) != ARCHIVE_OK)
		return error_set(r->error, EH_E_UNSUPPORTED, "libarchive cannot read tar");
	if (archive_read_open(r->a, r, NULL, give, NULL) != ARCHIVE_OK)
		return r->status != EH_OK ? r->status :
		       error_set(r->error, EH_E_FORMAT, "%s: this is not a bundle: %.120s", r->path,
		                 archive_error_string(r->a));
	return read_members(r);
}

static eh_status read_packed(const source_bytes *packed, bundle *out, eh_error *error)
{
	reading r = { .path = packed->name, .out = out, .error = error };
	eh_status status = bundle_unpacker_new(packed, LIMIT_FILE + HEADERS_MAX, &r.unpacker, error);

	if (status == EH_OK)
		status = read_archive(&r);
	if (status == EH_OK)
		status = check_end(&r);
	if (r.a != NULL)
		(void)archive_read_free(r.a);
	bundle_unpacker_free(r.unpacker);
	return status;
}

eh_status bundle_read_source(const source_bytes *packed, bundle *out, eh_error *error)
{
	eh_status status;

	memset(out, 0, sizeof(*out));
	status = read_packed(packed, out, error);
	if (status == EH_OK && bundle_find(out, BUNDLE_MANIFEST) == NULL)
		status = error_set(error, EH_E_FORMAT, "%s: this is not a bundle: it has no "
		                   BUNDLE_MANIFEST, packed->name);
	if (status == EH_OK)
		status = bundle_check_beside(out, packed->name, error);
	if (status != EH_OK)
		bundle_free(out);
	return status;
}

eh_status bundle_read(const char *path, bundle *out, eh_error *error)
{
	source_bytes packed;
	eh_status status = source_open(path, &packed, error);

	if (status != EH_OK)
		return status;
	status = bundle_read_source(&packed, out, error);
	source_close(&packed);
	return status;
}

static eh_status member_of(const char *file, const char *name, char **data, size_t *size,
                           eh_error *error)
{
	const bundle_member *m;
	bundle b;
	eh_status status = bundle_read(file, &b, error);

	if (status != EH_OK)
		return status;
	m = bundle_find(&b, name);
	if (m != NULL) {
		source_bytes bytes = bundle_bytes(&b, m);

		char *out = memory_get(m->size + 1);

		status = source_read(&bytes, 0, m->size, out, error);
		if (status == EH_OK) {
			*data = out;
			*size = m->size;
		} else {
			free(out);
		}
	} else {
		status = error_set(error, EH_E_NOT_FOUND, "%s has no member %s", file, name);
	}
	bundle_free(&b);
	return status;
}

eh_status bundle_member_read(const char *path, char **data, size_t *size, eh_error *error)
{
	char *file = memory_text(path);
	eh_status status = EH_E_NOT_FOUND;
	bool found = false;

	for (char *slash = strchr(file + 1, '/'); slash != NULL && !found;
	     slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		found = bundle_is(file);
		if (found)
			status = member_of(file, slash + 1, data, size, error);
		*slash = '/';
	}
	if (!found)
		(void)error_set(error, status, "%s: there is no such file", path);
	free(file);
	return status;
}
