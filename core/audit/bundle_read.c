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
#include "base/files.h"
#include "base/text.h"

enum { BLOCK = 1 << 16, HEADERS_MAX = 1 << 24 };
static const size_t total_max = (size_t)1 << 30;

bool bundle_is(const char *path)
{
	unsigned char magic[2] = { 0, 0 };
	/* O_NONBLOCK: a FIFO without a writer must not block. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
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

/* The stated size may be false, so memory grows with the bytes that are really there. */
static eh_status read_data(const char *path, struct archive *a, bundle_member *m, size_t size,
                           eh_error *error)
{
	size_t room = BLOCK;

	m->data = memory_get(room);
	for (;;) {
		la_ssize_t got;

		if (room - m->size < BLOCK / 2) {
			room *= 2;
			m->data = memory_grow(m->data, room);
		}
		got = archive_read_data(a, m->data + m->size, room - m->size - 1);
		if (got < 0)
			return error_set(error, EH_E_FORMAT, "%s: %s cannot be unpacked: %.120s", path,
			                 m->name, archive_error_string(a));
		if (got == 0)
			break;
		m->size += (size_t)got;
		if (m->size > size)
			return error_set(error, EH_E_FORMAT, "%s: %s is longer than stated", path, m->name);
	}
	m->data[m->size] = '\0';
	if (m->size != size)
		return error_set(error, EH_E_FORMAT, "%s: %s is shorter than stated", path, m->name);
	return EH_OK;
}

static eh_status read_members(const char *path, struct archive *a, bundle *out, eh_error *error)
{
	for (;;) {
		struct archive_entry *entry;
		bundle_member *m;
		int rc = archive_read_next_header(a, &entry);
		eh_status status;

		if (rc == ARCHIVE_EOF)
			return EH_OK;
		if (rc != ARCHIVE_OK)
			return error_set(error, EH_E_FORMAT, "%s: this is not a bundle: %.120s", path,
			                 archive_error_string(a) != NULL ? archive_error_string(a) :
			                 "it is cut");
		status = add_entry(path, entry, out, &m, error);
		if (status != EH_OK)
			return status;
		status = read_data(path, a, m, (size_t)archive_entry_size(entry), error);
		if (status != EH_OK)
			return status;
	}
}

/* Only zeros may follow the end of an archive: they fill its last record. */
static eh_status check_end(const char *path, struct archive *a, const char *bytes, size_t size,
                           eh_error *error)
{
	size_t at = (size_t)archive_filter_bytes(a, -1);

	while (at < size && bytes[at] == '\0')
		at++;
	if (at >= size)
		return EH_OK;
	return error_set(error, EH_E_FORMAT, "%s: this is not a bundle: %zu bytes follow the end of the "
	                 "archive", path, size - at);
}

static eh_status read_archive(const char *path, const char *bytes, size_t size, bundle *out,
                              eh_error *error)
{
	struct archive *a = archive_read_new();
	eh_status status = EH_OK;

	if (a == NULL || archive_read_support_format_tar(a) != ARCHIVE_OK)
		status = error_set(error, EH_E_UNSUPPORTED, "libarchive cannot read tar");
	if (status == EH_OK && archive_read_open_memory(a, bytes, size) != ARCHIVE_OK)
		status = error_set(error, EH_E_FORMAT, "%s: this is not a bundle: %.120s", path,
		                   archive_error_string(a));
	if (status == EH_OK)
		status = read_members(path, a, out, error);
	if (status == EH_OK)
		status = check_end(path, a, bytes, size, error);
	if (a != NULL)
		(void)archive_read_free(a);
	return status;
}

eh_status bundle_read(const char *path, bundle *out, eh_error *error)
{
	char *packed = NULL;
	char *bytes = NULL;
	size_t packed_size = 0;
	size_t size = 0;
	eh_status status = file_read(path, &packed, &packed_size, error);

	memset(out, 0, sizeof(*out));
	if (status == EH_OK)
		status = bundle_unpack(path, packed, packed_size, total_max + HEADERS_MAX, &bytes, &size,
		                       error);
	free(packed);
	if (status == EH_OK)
		status = read_archive(path, bytes, size, out, error);
	free(bytes);
	if (status == EH_OK && bundle_find(out, BUNDLE_MANIFEST) == NULL)
		status = error_set(error, EH_E_FORMAT, "%s: this is not a bundle: it has no "
		                   BUNDLE_MANIFEST, path);
	if (status == EH_OK)
		status = bundle_check_beside(out, path, error);
	if (status != EH_OK)
		bundle_free(out);
	return status;
}

eh_status bundle_extract(const bundle *b, const char *folder, eh_error *error)
{
	eh_status status = EH_OK;

	for (size_t i = 0; i < b->count && status == EH_OK; i++) {
		char *path = path_join(folder, b->members[i].name);
		char *slash = strrchr(path, '/');

		*slash = '\0';
		status = dir_make(path, error);
		*slash = '/';
		if (status == EH_OK)
			status = file_write(path, b->members[i].data, b->members[i].size, error);
		free(path);
	}
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
		*size = m->size;
		*data = memory_get(m->size + 1);
		memcpy(*data, m->data, m->size);
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
