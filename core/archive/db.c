/* SPDX-License-Identifier: Apache-2.0 */
#include "archive/db.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

/* A text of SQL as one kind of database takes it, made once. */
typedef struct spelling { const char *from; char *sql; } spelling;

struct db {
	const db_driver *driver;
	void *own;
	spelling *spellings;
	size_t count;
};

struct db_rows {
	const db_driver *driver;
	void *own;
};

db_value db_of_integer(int64_t value)
{
	return (db_value){ .kind = DB_INTEGER, .integer = value };
}

db_value db_of_real(double value)
{
	return (db_value){ .kind = isnan(value) ? DB_NULL : DB_REAL, .real = value };
}

db_value db_of_text(const char *value)
{
	return (db_value){ .kind = value != NULL ? DB_TEXT : DB_NULL, .data = value,
		           .size = value != NULL ? strlen(value) : 0 };
}

db_value db_of_bytes(const void *data, size_t size)
{
	return (db_value){ .kind = DB_BYTES, .data = data, .size = size };
}

bool db_is_shared(const char *where)
{
	return strncmp(where, "postgresql://", 13) == 0 || strncmp(where, "postgres://", 11) == 0;
}

/* Appends the parameters behind the ? that are no password. */
static void add_parameters(text *t, const char *parameters)
{
	char sign = '?';

	while (*parameters != '\0') {
		size_t size = strcspn(parameters, "&"), name = strcspn(parameters, "=&");

		if (name < 8 || strncmp(parameters + name - 8, "password", 8) != 0) {
			text_add(t, "%c%.*s", sign, (int)size, parameters);
			sign = '&';
		}
		parameters += size + (parameters[size] == '&');
	}
}

char *db_shown(const char *where)
{
	const char *host, *path, *end;
	text t = { 0 };

	if (!db_is_shared(where))
		return memory_text(where);
	host = strstr(where, "://") + 3;
	end = host + strcspn(host, "?");
	path = host + strcspn(host, "/?");
	/* A password may have an @, and a path may have one. */
	for (const char *at = path; at > host; at--)
		if (at[-1] == '@') {
			host = at;
			break;
		}
	text_add(&t, "postgresql://%.*s", (int)(end - host), host);
	if (*end != '\0')
		add_parameters(&t, end + 1);
	return t.data;
}

eh_status db_open(const char *where, db **out, eh_error *error)
{
	const db_driver *driver = db_is_shared(where) ? &db_postgres : &db_sqlite;
	void *own;
	eh_status status = driver->open(where, &own, error);

	if (status != EH_OK)
		return status;
	*out = memory_get(sizeof(**out));
	**out = (db){ .driver = driver, .own = own };
	return EH_OK;
}

void db_close(db *d)
{
	if (d == NULL)
		return;
	d->driver->close(d->own);
	for (size_t i = 0; i < d->count; i++)
		free(d->spellings[i].sql);
	free(d->spellings);
	free(d);
}

/* ---- SQL ------------------------------------------------------------------------------------- */

static char *spelled(const db_driver *driver, const char *sql)
{
	const struct { const char *word, *is; } words[] = {
		{ "{key}", driver->key }, { "{word}", driver->word }, { "{bytes}", driver->bytes },
		{ "{real}", driver->real }, { "{clustered}", driver->clustered } };
	const size_t count = sizeof(words) / sizeof(*words);
	text t = { 0 };

	text_add(&t, "%s", "");
	while (*sql != '\0') {
		size_t plain = strcspn(sql, "{$"), i = 0;

		text_add_bytes(&t, sql, plain);
		sql += plain;
		while (i < count && strncmp(sql, words[i].word, strlen(words[i].word)) != 0)
			i++;
		if (i < count) {
			text_add(&t, "%s", words[i].is);
			sql += strlen(words[i].word);
		} else if (*sql != '\0') {
			text_add_bytes(&t, *sql == '$' ? &driver->sign : sql, 1);
			sql++;
		}
	}
	return t.data;
}

/* Texts of SQL are constants: each is known by its address. */
static const char *spelling_of(db *d, const char *sql)
{
	for (size_t i = 0; i < d->count; i++)
		if (d->spellings[i].from == sql)
			return d->spellings[i].sql;
	d->spellings = memory_grow(d->spellings, (d->count + 1) * sizeof(*d->spellings));
	d->spellings[d->count] = (spelling){ sql, spelled(d->driver, sql) };
	return d->spellings[d->count++].sql;
}

/* ---- statements ------------------------------------------------------------------------------ */

eh_status db_query(db *d, const char *sql, const db_value *values, size_t count, db_rows **out,
                   eh_error *error)
{
	void *rows;
	eh_status status = d->driver->start(d->own, spelling_of(d, sql), values, count, &rows, error);

	if (status != EH_OK)
		return status;
	*out = memory_get(sizeof(**out));
	**out = (db_rows){ d->driver, rows };
	return EH_OK;
}

bool db_next(db_rows *r) { return r->driver->next(r->own); }
int64_t db_integer(const db_rows *r, size_t column) { return r->driver->integer(r->own, column); }
double db_real(const db_rows *r, size_t column) { return r->driver->real_of(r->own, column); }
const char *db_text(db_rows *r, size_t column) { return r->driver->text(r->own, column); }

const void *db_bytes(db_rows *r, size_t column, size_t *size)
{
	return r->driver->blob(r->own, column, size);
}

eh_status db_end(db_rows *r, eh_error *error)
{
	eh_status status = r->driver->end(r->own, NULL, error);

	free(r);
	return status;
}

eh_status db_run(db *d, const char *sql, const db_value *values, size_t count, uint64_t *changed,
                 eh_error *error)
{
	void *rows;
	eh_status status = d->driver->start(d->own, spelling_of(d, sql), values, count, &rows, error);

	if (status != EH_OK)
		return status;
	while (d->driver->next(rows))
		;
	return d->driver->end(rows, changed, error);
}

eh_status db_begin(db *d, eh_error *error)
{
	eh_status status = db_run(d, d->driver->begin, NULL, 0, NULL, error);

	if (status == EH_OK && d->driver->alone != NULL) {
		status = db_run(d, d->driver->alone, NULL, 0, NULL, error);
		if (status != EH_OK)
			db_undo(d);
	}
	return status;
}

eh_status db_commit(db *d, eh_error *error)
{
	return db_run(d, "COMMIT", NULL, 0, NULL, error);
}

void db_undo(db *d)
{
	(void)db_run(d, "ROLLBACK", NULL, 0, NULL, NULL);
}
