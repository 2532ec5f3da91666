/* SPDX-License-Identifier: Apache-2.0 */
/* Names of results, and annotations. */
#include <string.h>

#include "archive/archive_inside.h"
#include "base/clock.h"
#include "base/text.h"

static eh_status mark_one(archive *a, const char *name, const char *sha256, eh_error *error)
{
	const db_value values[] = { db_of_text(name), db_of_text(sha256) };

	return db_run(a->db, "INSERT INTO mark (name, result_id) SELECT $1, id FROM result WHERE digest = $2", values, 2,
	              NULL, error);
}

/* A mark that looks like a digest would hide results. */
static eh_status check_name(const char *name, eh_error *error)
{
	size_t size = strlen(name);

	if (!text_is_clean(name) || strpbrk(name, "/: ") != NULL)
		return error_set(error, EH_E_USAGE, "a mark is one word without / and :, such as main or before-update");
	if (size >= 6 && strspn(name, "0123456789abcdef") == size)
		return error_set(error, EH_E_USAGE, "%s could be the beginning of a digest; name another mark", name);
	return EH_OK;
}

eh_status archive_mark(archive *a, const char *name, const text_list *digests, eh_error *error)
{
	const db_value value = db_of_text(name);
	eh_status status = check_name(name, error);

	if (status == EH_OK)
		status = db_begin(a->db, error);
	if (status != EH_OK)
		return status;
	status = db_run(a->db, "DELETE FROM mark WHERE name = $1", &value, 1, NULL, error);
	for (size_t i = 0; i < digests->count && status == EH_OK; i++)
		status = mark_one(a, name, digests->items[i], error);
	if (status == EH_OK)
		return db_commit(a->db, error);
	db_undo(a->db);
	return status;
}

eh_status archive_annotate(archive *a, const archive_note *n, eh_error *error)
{
	char now[24];

	clock_wall_text(now);
	{
		const db_value values[] = { db_of_text(n->at[0] != '\0' ? n->at : now), db_of_text(n->words),
			                    db_of_text(n->author), db_of_text(n->executor), db_of_text(now) };

		return db_run(a->db, "INSERT INTO annotation (at, words, author, executor, added) "
		              "VALUES ($1, $2, $3, $4, $5)", values, 5, NULL, error);
	}
}

eh_status archive_notes(archive *a, archive_note_list *out, eh_error *error)
{
	db_rows *rows;
	eh_status status = db_query(a->db, "SELECT at, words, author, executor FROM annotation ORDER BY at, id", NULL, 0,
	                            &rows, error);

	if (status != EH_OK)
		return status;
	while (db_next(rows)) {
		archive_note *n = layout_append(archive_note_layout(), out);

		text_set(&n->at, db_text(rows, 0));
		text_set(&n->words, db_text(rows, 1));
		text_set(&n->author, db_text(rows, 2));
		text_set(&n->executor, db_text(rows, 3));
	}
	return db_end(rows, error);
}

/* A time may be the beginning of one: "2026-11" is about the whole month. */
void archive_notes_between(const archive_note_list *notes, const archive_line *line, const char *from, const char *to,
                           archive_note_list *out)
{
	for (size_t i = 0; i < notes->count; i++) {
		const archive_note *n = &notes->items[i];
		size_t size = strlen(n->at);

		if ((n->executor[0] == '\0' || strstr(line->executor, n->executor) != NULL) &&
		    strncmp(n->at, from, size) >= 0 && strncmp(n->at, to, size) <= 0)
			layout_copy(archive_note_layout(), n, layout_append(archive_note_layout(), out));
	}
}
