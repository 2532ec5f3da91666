/* SPDX-License-Identifier: Apache-2.0 */
/* SQLite: one file, and its journal of writes (WAL) beside it, so that readers and one writer at a time
 * do not wait for each other. */
#include <math.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "archive/db.h"
#include "base/text.h"

/* How long a writer waits for another, in milliseconds. */
enum { PATIENCE = 60000 };

/* Statements that were prepared, by the address of their text. */
typedef struct prepared { const char *sql; sqlite3_stmt *statement; } prepared;

typedef struct lite {
	sqlite3 *handle;
	char *path;
	prepared *all;
	size_t count;
} lite;

typedef struct lite_rows {
	lite *of;
	sqlite3_stmt *statement;
	int code;
} lite_rows;

static eh_status fail(const lite *d, int code, eh_error *error)
{
	eh_status status = code == SQLITE_NOTADB || code == SQLITE_CORRUPT ? EH_E_FORMAT : EH_E_IO;

	const char *remedy = code == SQLITE_BUSY ? "; another program has written to it for a minute: try again" :
		code == SQLITE_FULL ? "; free some space, and repeat the command" : "";

	return error_set(error, status, "archive %s: %s%s", d->path, sqlite3_errmsg(d->handle), remedy);
}

static void lite_close(void *own)
{
	lite *d = own;

	for (size_t i = 0; i < d->count; i++)
		(void)sqlite3_finalize(d->all[i].statement);
	(void)sqlite3_close(d->handle);
	free(d->all);
	free(d->path);
	free(d);
}

static eh_status lite_open(const char *where, void **out, eh_error *error)
{
	static const char settings[] = "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; "
		"PRAGMA foreign_keys = ON; PRAGMA trusted_schema = OFF; PRAGMA secure_delete = ON";
	lite *d = memory_get(sizeof(*d));
	int code;
	eh_status status;

	*d = (lite){ .path = memory_text(where) };
	code = sqlite3_open_v2(where, &d->handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, NULL);
	if (code == SQLITE_OK) {
		(void)sqlite3_busy_timeout(d->handle, PATIENCE);
		code = sqlite3_exec(d->handle, settings, NULL, NULL, NULL);
	}
	if (code == SQLITE_OK) {
		*out = d;
		return EH_OK;
	}
	status = fail(d, code, error);
	lite_close(d);
	return status;
}

static int prepare(lite *d, const char *sql, sqlite3_stmt **out)
{
	int code;

	for (size_t i = 0; i < d->count; i++)
		if (d->all[i].sql == sql) {
			*out = d->all[i].statement;
			return SQLITE_OK;
		}
	code = sqlite3_prepare_v3(d->handle, sql, -1, SQLITE_PREPARE_PERSISTENT, out, NULL);
	if (code != SQLITE_OK)
		return code;
	d->all = memory_grow(d->all, (d->count + 1) * sizeof(*d->all));
	d->all[d->count++] = (prepared){ sql, *out };
	return SQLITE_OK;
}

static int bind(sqlite3_stmt *statement, int at, const db_value *v)
{
	switch (v->kind) {
	case DB_INTEGER: return sqlite3_bind_int64(statement, at, v->integer);
	case DB_REAL: return sqlite3_bind_double(statement, at, v->real);
	case DB_TEXT: return sqlite3_bind_text64(statement, at, v->data, v->size, SQLITE_TRANSIENT, SQLITE_UTF8);
	case DB_BYTES: return sqlite3_bind_blob64(statement, at, v->data, v->size, SQLITE_TRANSIENT);
	default: return sqlite3_bind_null(statement, at);
	}
}

static eh_status lite_start(void *own, const char *sql, const db_value *values, size_t count, void **rows,
                            eh_error *error)
{
	lite *d = own;
	sqlite3_stmt *statement;
	lite_rows *r;
	int code = prepare(d, sql, &statement);

	for (size_t i = 0; i < count && code == SQLITE_OK; i++)
		code = bind(statement, (int)i + 1, &values[i]);
	if (code != SQLITE_OK)
		return fail(d, code, error);
	r = memory_get(sizeof(*r));
	*r = (lite_rows){ d, statement, SQLITE_ROW };
	*rows = r;
	return EH_OK;
}

static bool lite_next(void *rows)
{
	lite_rows *r = rows;

	if (r->code == SQLITE_ROW)
		r->code = sqlite3_step(r->statement);
	return r->code == SQLITE_ROW;
}

static int64_t lite_integer(const void *rows, size_t column)
{
	return sqlite3_column_int64(((const lite_rows *)rows)->statement, (int)column);
}

static double lite_real(const void *rows, size_t column)
{
	sqlite3_stmt *s = ((const lite_rows *)rows)->statement;

	return sqlite3_column_type(s, (int)column) == SQLITE_NULL ? NAN : sqlite3_column_double(s, (int)column);
}

static const char *lite_text(void *rows, size_t column)
{
	const unsigned char *words = sqlite3_column_text(((lite_rows *)rows)->statement, (int)column);

	return words != NULL ? (const char *)words : "";
}

static const void *lite_blob(void *rows, size_t column, size_t *size)
{
	sqlite3_stmt *s = ((lite_rows *)rows)->statement;
	const void *data = sqlite3_column_blob(s, (int)column);

	*size = (size_t)sqlite3_column_bytes(s, (int)column);
	return data != NULL ? data : "";
}

static eh_status lite_end(void *rows, uint64_t *changed, eh_error *error)
{
	lite_rows *r = rows;
	bool good = r->code == SQLITE_DONE || r->code == SQLITE_ROW;
	eh_status status = good ? EH_OK : fail(r->of, r->code, error);

	if (changed != NULL)
		*changed = (uint64_t)sqlite3_changes64(r->of->handle);
	(void)sqlite3_reset(r->statement);
	(void)sqlite3_clear_bindings(r->statement);
	free(r);
	return status;
}

const db_driver db_sqlite = {
	.sign = '?', .key = "INTEGER PRIMARY KEY", .word = "TEXT", .bytes = "BLOB", .real = "REAL", .clustered = "WITHOUT ROWID",
	.open = lite_open, .close = lite_close,
	.start = lite_start, .next = lite_next, .integer = lite_integer, .real_of = lite_real, .text = lite_text,
	.blob = lite_blob, .end = lite_end, .begin = "BEGIN IMMEDIATE",
};
