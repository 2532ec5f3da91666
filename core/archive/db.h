/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A database that the archive lies in: SQLite, one file, or PostgreSQL.  One text of SQL for both:
 * parameters are $1, $2, ... in this order, and these words stand for types that differ:
 * {key} an integer that numbers the rows itself, {word} a text that is ordered by its bytes, {bytes},
 * {real}, {clustered} a table that is kept in the order of its key.  One thread for each db.
 */
#ifndef ARCHIVE_DB_H
#define ARCHIVE_DB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

typedef struct db db;
typedef struct db_rows db_rows;

enum db_kind { DB_NULL, DB_INTEGER, DB_REAL, DB_TEXT, DB_BYTES };

/* A parameter; texts and bytes are borrowed. */
typedef struct db_value {
	enum db_kind kind;
	int64_t integer;
	double real;
	const void *data;
	size_t size;
} db_value;

db_value db_of_integer(int64_t value);
db_value db_of_real(double value);      /* NaN is null                                        */
db_value db_of_text(const char *value); /* NULL is null                                       */
db_value db_of_bytes(const void *data, size_t size);

/* "postgresql://..." or "postgres://...", else the path of a file, which is made where there is none.
 * EH_E_UNAVAILABLE with what to install or to start. */
eh_status db_open(const char *where, db **out, eh_error *error);
void db_close(db *d); /* NULL is fine; what was not committed is undone */
bool db_is_shared(const char *where);   /* whether that names a server                        */
char *db_shown(const char *where);      /* malloc'd: the same without user and password       */

/* A statement that gives no rows; *changed, if not NULL, is how many rows it changed. */
eh_status db_run(db *d, const char *sql, const db_value *values, size_t count, uint64_t *changed,
                 eh_error *error);
/* Waits for other writers; one of db_commit and db_undo ends it. */
eh_status db_begin(db *d, eh_error *error);
eh_status db_commit(db *d, eh_error *error);
void db_undo(db *d);

/* A statement with rows, one after the other: only one at a time.  *out needs db_end. */
eh_status db_query(db *d, const char *sql, const db_value *values, size_t count, db_rows **out,
                   eh_error *error);
/* Whether there is another row; false at the end and after an error, which db_end returns. */
bool db_next(db_rows *r);
int64_t db_integer(const db_rows *r, size_t column);
double db_real(const db_rows *r, size_t column); /* NaN for null                              */
/* Both until the next db_next; "" for null. */
const char *db_text(db_rows *r, size_t column);
const void *db_bytes(db_rows *r, size_t column, size_t *size);
eh_status db_end(db_rows *r, eh_error *error);

/* ---- drivers --------------------------------------------------------------------------------- */

/* What each kind of database does; d and r are its own. */
typedef struct db_driver {
	char sign;                       /* of a parameter: $1 or ?1                           */
	const char *key, *word, *bytes, *real, *clustered; /* what {key} and the others are     */
	eh_status (*open)(const char *where, void **out, eh_error *error);
	void (*close)(void *d);
	/* The text is one that the process keeps, with types in place. */
	eh_status (*start)(void *d, const char *sql, const db_value *values, size_t count, void **rows,
	                   eh_error *error);
	bool (*next)(void *rows);
	int64_t (*integer)(const void *rows, size_t column);
	double (*real_of)(const void *rows, size_t column);
	const char *(*text)(void *rows, size_t column);
	const void *(*blob)(void *rows, size_t column, size_t *size);
	eh_status (*end)(void *rows, uint64_t *changed, eh_error *error);
	const char *begin, *alone;       /* statements that begin and wait for other writers; the latter may
	                                  * be NULL                                            */
} db_driver;

extern const db_driver db_sqlite, db_postgres;

#endif
