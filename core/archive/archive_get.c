/* SPDX-License-Identifier: Apache-2.0 */
/* Results as they were added. */
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "archive/archive.h"
#include "audit/audit.h"
#include "base/digest.h"
#include "base/limits.h"
#include "base/text.h"

enum { DIGITS_LEAST = 6, MARKS_MOST = 5 };

static eh_status damaged(const archive *a, const char *sha256, eh_error *error)
{
	return error_set(error, EH_E_ALTERED, "archive %s: the bytes of result %.12s are not those that were added",
	                 a->where, sha256);
}

/* malloc'd; NULL where there is none. */
static char *text_of(db_rows *rows, size_t column)
{
	size_t size;
	const char *bytes = db_bytes(rows, column, &size);

	return size > 0 ? memory_format("%.*s", (int)size, bytes) : NULL;
}

static bool unpack(db_rows *rows, archive_file *f)
{
	size_t packed_size;
	const void *packed = db_bytes(rows, 1, &packed_size);
	uLongf size = (uLongf)f->size;
	char found[65];

	if (f->size > LIMIT_FILE)
		return false;
	f->bytes = memory_get(f->size + 1);
	if (uncompress((Bytef *)f->bytes, &size, packed, packed_size) != Z_OK || size != f->size)
		return false;
	digest_bytes(f->bytes, f->size, found);
	return strcmp(found, db_text(rows, 3)) == 0;
}

eh_status archive_get(archive *a, const char *sha256, archive_file *out, eh_error *error)
{
	const db_value value = db_of_text(sha256);
	archive_file f = { 0 };
	bool found, sound = false;
	db_rows *rows;
	eh_status status = db_query(a->db, "SELECT name, packed, size, file_sha256, signatures, amendments FROM result "
	                            "WHERE digest = $1", &value, 1, &rows, error);

	if (status != EH_OK)
		return status;
	found = db_next(rows);
	if (found) {
		f.name = memory_text(db_text(rows, 0));
		f.size = (size_t)db_integer(rows, 2);
		f.signatures = text_of(rows, 4);
		f.amendments = text_of(rows, 5);
		sound = unpack(rows, &f);
	}
	status = db_end(rows, error);
	if (status == EH_OK && !found)
		status = error_set(error, EH_E_NOT_FOUND, "archive %s has no result %.12s", a->where, sha256);
	if (status == EH_OK && !sound)
		status = damaged(a, sha256, error);
	if (status == EH_OK)
		*out = f;
	else
		archive_file_clear(&f);
	return status;
}

void archive_file_clear(archive_file *f)
{
	free(f->name);
	free(f->bytes);
	free(f->signatures);
	free(f->amendments);
	*f = (archive_file){ 0 };
}

/* Who vouches for it stands beside it in the archive. */
static void take_trust(const result *r, const archive_file *f)
{
	audit_keyring ring;
	audit_subject subject = audit_subject_of(r);
	eh_error why = ERROR_INIT;
	audit_evidence *found = NULL;

	if (audit_keyring_read(&ring, &why) == EH_OK)
		found = audit_evidence_of(f->signatures, f->amendments, &subject, &ring);
	audit_trust_keep(r, found, &why);
	layout_clear(audit_keyring_layout(), &ring);
}

eh_status archive_read(archive *a, const char *sha256, const char *word, result **out, eh_error *error)
{
	archive_file f;
	char *name;
	eh_status status = archive_get(a, sha256, &f, error);

	if (status != EH_OK)
		return status;
	name = memory_format("%s/%s", word, f.name);
	status = result_read_bytes(name, f.bytes, f.size, out, error);
	f.bytes = NULL;
	if (status == EH_OK)
		take_trust(*out, &f);
	free(name);
	archive_file_clear(&f);
	return status;
}

/* ---- which one ------------------------------------------------------------------------------- */

static eh_status find_by(archive *a, const char *sql, const db_value *values, size_t count, text_list *digests,
                         eh_error *error)
{
	db_rows *rows;
	eh_status status = db_query(a->db, sql, values, count, &rows, error);

	if (status != EH_OK)
		return status;
	while (db_next(rows))
		text_list_add(digests, db_text(rows, 0));
	return db_end(rows, error);
}

static eh_status find_digest(archive *a, const char *word, text_list *digests, eh_error *error)
{
	char *end = memory_format("%sg", word);
	const db_value values[] = { db_of_text(word), db_of_text(end) };
	eh_status status = find_by(a, "SELECT digest FROM result WHERE digest >= $1 AND digest < $2 ORDER BY digest LIMIT 2",
	                           values, 2, digests, error);

	free(end);
	if (status == EH_OK && digests->count > 1)
		status = error_set(error, EH_E_USAGE, "several results of archive %s begin with %s: name more digits", a->where,
		                   word);
	return status;
}

static eh_status refuse(archive *a, const char *word, eh_error *error)
{
	text_list names = { 0 };
	text t = { 0 };
	eh_status status = find_by(a, "SELECT DISTINCT name FROM mark ORDER BY name LIMIT 6", NULL, 0, &names, error);

	for (size_t i = 0; i < names.count && i < MARKS_MOST; i++)
		text_add(&t, "%s%s", i > 0 ? ", " : "", names.items[i]);
	if (status == EH_OK)
		status = error_set(error, EH_E_USAGE, "archive %s has neither a mark nor a result %.60s; %s%s%s", a->where,
		                   word, names.count > 0 ? "its marks: " : "`evenhand archive mark` gives results a name",
		                   t.size > 0 ? t.data : "", names.count > MARKS_MOST ? ", ..." : "");
	text_free(&t);
	text_list_clear(&names);
	return status;
}

eh_status archive_find(archive *a, const char *word, text_list *digests, eh_error *error)
{
	const db_value name = db_of_text(word);
	size_t digits = strspn(word, "0123456789abcdef");
	eh_status status = find_by(a, "SELECT r.digest FROM mark m JOIN result r ON r.id = m.result_id WHERE m.name = $1 "
	                           "ORDER BY r.started, r.id", &name, 1, digests, error);

	if (status == EH_OK && digests->count == 0 && word[digits] == '\0' && digits >= DIGITS_LEAST)
		status = find_digest(a, word, digests, error);
	return status == EH_OK && digests->count == 0 ? refuse(a, word, error) : status;
}
