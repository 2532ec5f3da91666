/* SPDX-License-Identifier: Apache-2.0 */
/* PostgreSQL, by libpq: parameters as texts, rows in binary form.  The library is opened when it is needed: it
 * brings thirty others, which no worker should have mapped. */
#include <assert.h>
#include <dlfcn.h>
#ifdef EVENHAND_POSTGRES
#include <libpq-fe.h>
#endif
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "archive/db.h"
#include "base/text.h"

#ifndef EVENHAND_POSTGRES

static eh_status post_open(const char *where, void **out, eh_error *error)
{
	(void)where;
	(void)out;
	return error_set(error, EH_E_UNSUPPORTED, "this evenhand was built without libpq, which archives on PostgreSQL "
	                 "need: install libpq-dev and build it again");
}

const db_driver db_postgres = { .open = post_open };

#else

/* ---- the library ----------------------------------------------------------------------------- */

#define PQ_CALLS(X) X(PQclear) X(PQcmdTuples) X(PQconnectdb) X(PQerrorMessage) X(PQexec) X(PQexecPrepared) \
	X(PQfinish) X(PQgetisnull) X(PQgetlength) X(PQgetvalue) X(PQntuples) X(PQprepare) X(PQresultStatus) \
	X(PQsetClientEncoding) X(PQsetNoticeProcessor) X(PQstatus)

#define PQ_POINTER(name) __typeof__(name) *name;
static struct { PQ_CALLS(PQ_POINTER) } pq;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static char why_not[256]; /* "" once it is there */

static void load(void)
{
	void *library = dlopen("libpq.so.5", RTLD_NOW | RTLD_LOCAL);
	bool whole = library != NULL;

#define PQ_LOAD(name) whole = whole && (*(void **)&pq.name = dlsym(library, #name)) != NULL;
	PQ_CALLS(PQ_LOAD)
	if (!whole)
		snprintf(why_not, sizeof(why_not), "%s", dlerror());
}

/* Statements that were prepared on the server: "s0", "s1", ... */
typedef struct post {
	PGconn *handle;
	char *where;          /* without a password                                         */
	const char **prepared;
	size_t count;
} post;

typedef struct post_rows {
	PGresult *all;
	int row;
} post_rows;

enum { MOST_VALUES = 200, NUMBER_ROOM = 40, BINARY = 1 };

/* One line of the server's message. */
static eh_status fail(const post *d, const char *message, eh_error *error)
{
	return error_set(error, EH_E_IO, "archive %s: %.*s", d->where, (int)strcspn(message, "\n"), message);
}

static void post_close(void *own)
{
	post *d = own;

	pq.PQfinish(d->handle);
	free(d->prepared);
	free(d->where);
	free(d);
}

static void ignore(void *context, const char *message)
{
	(void)context;
	(void)message;
}

static eh_status post_open(const char *where, void **out, eh_error *error)
{
	post *d;
	eh_status status;

	(void)pthread_once(&once, load);
	if (why_not[0] != '\0')
		return error_set(error, EH_E_UNAVAILABLE, "archives on PostgreSQL need libpq (Debian's libpq5): %s", why_not);
	d = memory_get(sizeof(*d));
	*d = (post){ .handle = pq.PQconnectdb(where), .where = db_shown(where) };
	if (pq.PQstatus(d->handle) == CONNECTION_OK) {
		(void)pq.PQsetNoticeProcessor(d->handle, ignore, NULL);
		(void)pq.PQsetClientEncoding(d->handle, "UTF8");
		/* The pages of an archive that is asked often are in memory.  At the default cost of a page the server
		 * sorts a line's rows instead of following their index, which takes twice as long. */
		pq.PQclear(pq.PQexec(d->handle, "SELECT set_config(name, '1.1', false) FROM pg_settings "
		                     "WHERE name = 'random_page_cost' AND source = 'default'"));
		*out = d;
		return EH_OK;
	}
	status = fail(d, pq.PQerrorMessage(d->handle), error);
	post_close(d);
	return status;
}

/* ---- parameters ------------------------------------------------------------------------------ */

typedef struct parameters {
	const char *values[MOST_VALUES];
	int sizes[MOST_VALUES], formats[MOST_VALUES];
	char numbers[MOST_VALUES][NUMBER_ROOM];
} parameters;

static void fill(parameters *p, const db_value *values, size_t count)
{
	assert(count <= MOST_VALUES);
	for (size_t i = 0; i < count; i++) {
		const db_value *v = &values[i];

		p->values[i] = p->numbers[i];
		p->sizes[i] = (int)v->size;
		p->formats[i] = v->kind == DB_BYTES;
		switch (v->kind) {
		case DB_INTEGER: snprintf(p->numbers[i], NUMBER_ROOM, "%lld", (long long)v->integer); break;
		case DB_REAL: snprintf(p->numbers[i], NUMBER_ROOM, "%.17g", v->real); break;
		case DB_TEXT:
		case DB_BYTES: p->values[i] = v->data; break;
		default: p->values[i] = NULL;
		}
	}
}

/* ---- statements ------------------------------------------------------------------------------ */

static eh_status prepare(post *d, const char *sql, char name[24], eh_error *error)
{
	PGresult *got;
	bool good;

	for (size_t i = 0; i < d->count; i++)
		if (d->prepared[i] == sql) {
			snprintf(name, 24, "s%zu", i);
			return EH_OK;
		}
	snprintf(name, 24, "s%zu", d->count);
	got = pq.PQprepare(d->handle, name, sql, 0, NULL);
	good = pq.PQresultStatus(got) == PGRES_COMMAND_OK;
	pq.PQclear(got);
	if (!good)
		return fail(d, pq.PQerrorMessage(d->handle), error);
	d->prepared = memory_grow(d->prepared, (d->count + 1) * sizeof(*d->prepared));
	d->prepared[d->count++] = sql;
	return EH_OK;
}

static eh_status post_start(void *own, const char *sql, const db_value *values, size_t count, void **rows,
                            eh_error *error)
{
	post *d = own;
	parameters *p = memory_get(sizeof(*p));
	char name[24];
	eh_status status = prepare(d, sql, name, error);
	PGresult *got = NULL;
	post_rows *r;

	fill(p, values, count);
	if (status == EH_OK) {
		got = pq.PQexecPrepared(d->handle, name, (int)count, p->values, p->sizes, p->formats, BINARY);
		if (pq.PQresultStatus(got) != PGRES_COMMAND_OK && pq.PQresultStatus(got) != PGRES_TUPLES_OK)
			status = fail(d, pq.PQerrorMessage(d->handle), error);
	}
	free(p);
	if (status != EH_OK) {
		pq.PQclear(got);
		return status;
	}
	r = memory_get(sizeof(*r));
	*r = (post_rows){ .all = got, .row = -1 };
	*rows = r;
	return EH_OK;
}

static bool post_next(void *rows)
{
	post_rows *r = rows;

	return ++r->row < pq.PQntuples(r->all);
}

static const void *post_blob(void *rows, size_t column, size_t *size)
{
	const post_rows *r = rows;

	*size = (size_t)pq.PQgetlength(r->all, r->row, (int)column);
	return pq.PQgetvalue(r->all, r->row, (int)column);
}

/* Eight bytes, the highest first; none of a NULL. */
static int64_t post_integer(const void *rows, size_t column)
{
	const post_rows *r = rows;
	const unsigned char *bytes = (const unsigned char *)pq.PQgetvalue(r->all, r->row, (int)column);
	int size = pq.PQgetlength(r->all, r->row, (int)column);
	uint64_t bits = 0;

	assert(size == 0 || size == sizeof(bits));
	while (size-- > 0)
		bits = bits << 8 | *bytes++;
	return (int64_t)bits;
}

static double post_real(const void *rows, size_t column)
{
	const post_rows *r = rows;
	int64_t bits = post_integer(rows, column);
	double value;

	if (pq.PQgetisnull(r->all, r->row, (int)column))
		return NAN;
	memcpy(&value, &bits, sizeof(value));
	return value;
}

static const char *post_text(void *rows, size_t column)
{
	const post_rows *r = rows;

	return pq.PQgetvalue(r->all, r->row, (int)column);
}

static eh_status post_end(void *rows, uint64_t *changed, eh_error *error)
{
	post_rows *r = rows;

	(void)error;
	if (changed != NULL)
		*changed = strtoull(pq.PQcmdTuples(r->all), NULL, 10);
	pq.PQclear(r->all);
	free(r);
	return EH_OK;
}

const db_driver db_postgres = {
	.sign = '$', .key = "BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY", .word = "TEXT COLLATE \"C\"", .bytes = "BYTEA",
	.real = "DOUBLE PRECISION", .clustered = "",
	.open = post_open, .close = post_close, .start = post_start, .next = post_next, .integer = post_integer,
	.real_of = post_real, .text = post_text, .blob = post_blob, .end = post_end, .begin = "BEGIN",
	/* Two that add one text at once would each wait for the other.  The number is "evenhand" in bytes. */
	.alone = "SELECT pg_advisory_xact_lock(7311142569954602596)",
};

#endif
