/* SPDX-License-Identifier: Apache-2.0 */
/* The tables, as steps from an empty database to this version: a step that was released never changes. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "archive/archive_inside.h"
#include "base/files.h"
#include "base/paths.h"
#include "base/text.h"

/*
 * stack: record is the JSON of the executor, of the first result that had it.  series: an executor on a device under a protocol.  kind: a case with all that shapes its number.
 * result: `redacted` has a line for each member that is.  history: a kind of a series, over time; `measurement` has its points, in the order in which they are
 * read.
 */
static const char *const steps[] = {
	"CREATE TABLE stack (id {key}, digest {word} NOT NULL UNIQUE, record {word} NOT NULL)",
	"CREATE TABLE series (id {key}, executor {word} NOT NULL, device {word} NOT NULL, uuid {word} NOT NULL, "
	"protocol {word} NOT NULL, protocol_digest {word} NOT NULL, "
	"UNIQUE (executor, device, uuid, protocol_digest))",
	"CREATE TABLE kind (id {key}, name {word} NOT NULL, workload {word} NOT NULL, precision {word} NOT NULL, "
	"tier {word} NOT NULL, parameters {word} NOT NULL, metric {word} NOT NULL, "
	"UNIQUE (name, workload, precision, tier, parameters, metric))",
	"CREATE TABLE history (id {key}, kind_id BIGINT NOT NULL REFERENCES kind (id), "
	"series_id BIGINT NOT NULL REFERENCES series (id), UNIQUE (kind_id, series_id))",
	"CREATE TABLE result (id {key}, digest {word} NOT NULL UNIQUE, file_sha256 {word} NOT NULL, "
	"name {word} NOT NULL, size BIGINT NOT NULL, packed {bytes} NOT NULL, signatures {bytes}, "
	"amendments {bytes}, run {word} NOT NULL, started {word} NOT NULL, "
	"series_id BIGINT NOT NULL REFERENCES series (id), stack_id BIGINT NOT NULL REFERENCES stack (id), "
	"tester {word} NOT NULL, status {word} NOT NULL, evidence {word} NOT NULL, cases BIGINT NOT NULL, "
	"added {word} NOT NULL)",
	"CREATE INDEX result_started ON result (series_id, started)",
	"CREATE TABLE measurement (history_id BIGINT NOT NULL REFERENCES history (id), started {word} NOT NULL, "
	"result_id BIGINT NOT NULL REFERENCES result (id), stack_id BIGINT NOT NULL REFERENCES stack (id), "
	"status {word} NOT NULL, evidence {word} NOT NULL, value {real}, low {real}, high {real}, time_ns {real}, "
	"executions BIGINT NOT NULL, samples BIGINT NOT NULL, "
	"PRIMARY KEY (history_id, started, result_id)) {clustered}",
	"CREATE TABLE mark (name {word} NOT NULL, result_id BIGINT NOT NULL REFERENCES result (id), "
	"PRIMARY KEY (name, result_id))",
	"CREATE TABLE annotation (id {key}, at {word} NOT NULL, words {word} NOT NULL, author {word} NOT NULL, "
	"executor {word} NOT NULL, added {word} NOT NULL)",
	"ALTER TABLE result ADD COLUMN redacted {word} NOT NULL DEFAULT ''",
};
enum { STEPS = sizeof(steps) / sizeof(*steps) };

uint64_t archive_steps(void)
{
	return STEPS;
}

/* ---- where ----------------------------------------------------------------------------------- */

char *archive_place(const char *asked, eh_error *error)
{
	const char *told = asked != NULL ? asked : getenv("EVENHAND_ARCHIVE");
	char *place;

	if (told != NULL && told[0] != '\0')
		return memory_text(told);
	place = paths_user_data("archive.db");
	if (place == NULL)
		(void)error_set(error, EH_E_IO, "there is no place for an archive: name one with --db or "
		                "EVENHAND_ARCHIVE, or set HOME");
	return place;
}

/* ---- version --------------------------------------------------------------------------------- */

/* How many steps were made; 0 for a database without tables. */
static eh_status version_of(db *d, uint64_t *version, eh_error *error)
{
	db_rows *rows;
	eh_status status = db_query(d, "SELECT value FROM meta WHERE name = 'steps'", NULL, 0, &rows, error);

	*version = 0;
	if (status != EH_OK)
		return status;
	if (db_next(rows))
		*version = (uint64_t)db_integer(rows, 0);
	return db_end(rows, error);
}

static eh_status migrate(db *d, eh_error *error)
{
	const db_value now = db_of_integer(STEPS);
	uint64_t from = 0;
	eh_status status = db_run(d, "CREATE TABLE IF NOT EXISTS meta (name {word} PRIMARY KEY, value BIGINT NOT NULL)",
	                          NULL, 0, NULL, error);

	if (status == EH_OK)
		status = version_of(d, &from, error);
	for (uint64_t i = from; i < STEPS && status == EH_OK; i++)
		status = db_run(d, steps[i], NULL, 0, NULL, error);
	if (status == EH_OK && from < STEPS)
		status = db_run(d, "INSERT INTO meta (name, value) VALUES ('steps', $1) "
		                "ON CONFLICT (name) DO UPDATE SET value = excluded.value", &now, 1, NULL, error);
	return status;
}

/* Of several programs that open a new one at once, each does what the others left.  One that is up to
 * date is only read. */
static eh_status bring_up(archive *a, eh_error *error)
{
	uint64_t version;
	eh_status status = version_of(a->db, &version, NULL);

	if (status == EH_OK && version > STEPS)
		return error_set(error, EH_E_FORMAT, "archive %s was made by a newer evenhand (step %llu, this one "
		                 "knows %d): use that one", a->where, (unsigned long long)version, STEPS);
	if (status == EH_OK && version == STEPS)
		return EH_OK;
	status = db_begin(a->db, error);
	if (status == EH_OK) {
		status = migrate(a->db, error);
		if (status == EH_OK)
			return db_commit(a->db, error);
		db_undo(a->db);
	}
	return status;
}

/* The folder of a file that is made. */
static eh_status make_folder(const char *path, eh_error *error)
{
	const char *slash = strrchr(path, '/');
	char *folder = slash != NULL && slash > path ? memory_format("%.*s", (int)(slash - path), path) : NULL;
	eh_status status = folder != NULL ? dir_make(folder, error) : EH_OK;

	free(folder);
	return status;
}

eh_status archive_open(const char *where, bool make, archive *out, eh_error *error)
{
	archive a = { .where = db_shown(where) };
	eh_status status = EH_OK;

	if (!db_is_shared(where) && !file_exists(where) && !make)
		status = error_set(error, EH_E_NOT_FOUND, "there is no archive %s yet: evenhand archive add makes one",
		                   where);
	else if (!db_is_shared(where) && make)
		status = make_folder(where, error);
	if (status == EH_OK)
		status = db_open(where, &a.db, error);
	if (status == EH_OK)
		status = bring_up(&a, error);
	if (status == EH_OK)
		*out = a;
	else
		archive_close(&a);
	return status;
}

void archive_close(archive *a)
{
	db_close(a->db);
	for (size_t i = 0; i <= ARCHIVE_ROWS; i++)
		free(a->inserts[i]);
	free(a->where);
	*a = (archive){ 0 };
}
