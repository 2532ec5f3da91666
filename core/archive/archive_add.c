/* SPDX-License-Identifier: Apache-2.0 */
#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "archive/archive_inside.h"
#include "base/clock.h"
#include "base/text.h"
#include "contract/evidence.h"

struct archive_item {
	result *of;
	evidence whole;
	comparison_side **sides; /* of its rows                                                  */
	unsigned char *packed;   /* its bytes, by zlib                                           */
	size_t size, packed_size;
	char *signatures, *amendments;
};

/* ---- making ready ---------------------------------------------------------------------------- */

static void pack(archive_item *i, const void *bytes, size_t size)
{
	uLongf room = compressBound(size);

	i->size = size;
	i->packed = memory_get(room);
	(void)compress2(i->packed, &room, bytes, size, 3);
	i->packed_size = room;
	i->packed = memory_grow(i->packed, room > 0 ? room : 1);
}

archive_item *archive_item_make(result *of, const void *bytes, size_t size, const char *signatures,
                                const char *amendments)
{
	archive_item *i = memory_get(sizeof(*i));

	i->of = of;
	i->signatures = signatures != NULL ? memory_text(signatures) : NULL;
	i->amendments = amendments != NULL ? memory_text(amendments) : NULL;
	pack(i, bytes, size);
	layout_init(evidence_layout(), &i->whole);
	evidence_judge(of, NULL, contract_declares_certified(of), &i->whole);
	i->sides = memory_get((of->row_count + 1) * sizeof(*i->sides));
	for (size_t k = 0; k < of->row_count; k++) {
		i->sides[k] = contract_row_side(of, &of->rows[k], &i->whole);
		result_row_rest(of, &of->rows[k]);
	}
	return i;
}

void archive_item_free(archive_item *i)
{
	if (i == NULL)
		return;
	for (size_t k = 0; k < i->of->row_count; k++)
		layout_free(comparison_side_layout(), i->sides[k]);
	free(i->sides);
	layout_clear(evidence_layout(), &i->whole);
	result_free(i->of);
	free(i->packed);
	free(i->signatures);
	free(i->amendments);
	free(i);
}

const result *archive_item_result(const archive_item *i)
{
	return i->of;
}

/* ---- ids that are known ---------------------------------------------------------------------- */

/* What this program asked before: most results of an archive have the same cases. */
typedef struct known { char *key; int64_t id; } known;

static int known_order(const void *a, const void *b)
{
	return strcmp(((const known *)a)->key, ((const known *)b)->key);
}

static void known_free(void *k)
{
	free(((known *)k)->key);
	free(k);
}

static bool known_find(const archive *a, const char *key, int64_t *id)
{
	const known wanted = { (char *)key, 0 };
	known *const *found = tfind(&wanted, &a->ids, known_order);

	if (found != NULL)
		*id = (*found)->id;
	return found != NULL;
}

static void known_add(archive *a, const char *key, int64_t id)
{
	known *k = memory_get(sizeof(*k));

	*k = (known){ memory_text(key), id };
	(void)memory_insist(tsearch(k, &a->ids, known_order));
}

void archive_forget(archive *a)
{
	tdestroy(a->ids, known_free);
	a->ids = NULL;
}

/* ---- texts that many results have ------------------------------------------------------------ */

/* A text of `insert` that has RETURNING id, and gives nothing where the row is there; then `find`, with
 * the first `keys` values. */
static eh_status id_of(archive *a, const char *insert, const char *find, const db_value *values, size_t count,
                       size_t keys, int64_t *id, eh_error *error)
{
	db_rows *rows;
	bool found = false;
	eh_status status = EH_OK;

	for (int look = 0; look < 3 && status == EH_OK && !found; look++) {
		bool looking = look != 1;

		status = db_query(a->db, looking ? find : insert, values, looking ? keys : count, &rows, error);
		if (status != EH_OK)
			return status;
		found = db_next(rows);
		if (found)
			*id = db_integer(rows, 0);
		status = db_end(rows, error);
	}
	return status == EH_OK && !found ? error_set(error, EH_E_IO, "archive %s does not keep what is written to it",
	                                             a->where) : status;
}

static eh_status stack_id(archive *a, const record_result *r, int64_t *id, eh_error *error)
{
	char *record = layout_text(record_executor_layout(), &r->executor, false);
	const db_value values[] = { db_of_text(text_or_empty(r->executor.digest)), db_of_text(record) };
	eh_status status = id_of(a, "INSERT INTO stack (digest, record) VALUES ($1, $2) ON CONFLICT DO NOTHING RETURNING id",
	                         "SELECT id FROM stack WHERE digest = $1", values, 2, 1, id, error);

	free(record);
	return status;
}

static eh_status series_id(archive *a, const record_result *r, int64_t *id, eh_error *error)
{
	char *protocol = memory_format("%s@%llu", r->protocol.name, (unsigned long long)r->protocol.version);
	const db_value values[] = { db_of_text(r->executor.name), db_of_text(text_or_empty(r->executor.device.name)),
		                    db_of_text(text_or_empty(r->executor.device.uuid)),
		                    db_of_text(r->protocol.digest), db_of_text(protocol) };
	eh_status status = id_of(a, "INSERT INTO series (executor, device, uuid, protocol_digest, protocol) "
	                         "VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING RETURNING id",
	                         "SELECT id FROM series WHERE executor = $1 AND device = $2 AND uuid = $3 AND "
	                         "protocol_digest = $4", values, 5, 4, id, error);

	free(protocol);
	return status;
}

/* malloc'd "name=value; name=value". */
static char *parameters_of(const record_case *c)
{
	text t = { 0 };

	for (size_t i = 0; i < c->parameters.count; i++)
		text_add(&t, "%s%s=%s", i > 0 ? "; " : "", c->parameters.items[i].key, c->parameters.items[i].value);
	return t.data != NULL ? t.data : memory_text("");
}

static eh_status kind_id(archive *a, const result_row *row, int64_t *id, eh_error *error)
{
	const record_case *c = row->record;
	char *parameters = parameters_of(c);
	const db_value values[] = { db_of_text(c->id), db_of_text(c->workload), db_of_text(text_or_empty(c->precision)),
		                    db_of_text(record_tier_word(c->tier)), db_of_text(parameters),
		                    db_of_text(record_metric_word(row->metric)) };
	eh_status status = id_of(a, "INSERT INTO kind (name, workload, precision, tier, parameters, metric) "
	                         "VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING RETURNING id",
	                         "SELECT id FROM kind WHERE name = $1 AND workload = $2 AND precision = $3 AND "
	                         "tier = $4 AND parameters = $5 AND metric = $6", values, 6, 6, id, error);

	free(parameters);
	return status;
}

static eh_status history_of(archive *a, const result_row *row, int64_t series, int64_t *id, eh_error *error)
{
	int64_t kind;
	eh_status status = kind_id(a, row, &kind, error);
	const db_value values[] = { db_of_integer(kind), db_of_integer(series) };

	if (status != EH_OK)
		return status;
	return id_of(a, "INSERT INTO history (kind_id, series_id) VALUES ($1, $2) ON CONFLICT DO NOTHING RETURNING id",
	             "SELECT id FROM history WHERE kind_id = $1 AND series_id = $2", values, 2, 2, id, error);
}

/* The history of a row, with one look where it was asked before. */
static eh_status history_id(archive *a, const result_row *row, int64_t series, int64_t *id, eh_error *error)
{
	const record_case *c = row->record;
	char *parameters = parameters_of(c);
	char *key = memory_format("%lld %d %d %s %s %s %s", (long long)series, (int)c->tier, (int)row->metric, c->id,
	                          c->workload, text_or_empty(c->precision), parameters);
	bool is_known = known_find(a, key, id);
	eh_status status = is_known ? EH_OK : history_of(a, row, series, id, error);

	if (status == EH_OK && !is_known)
		known_add(a, key, *id);
	free(key);
	free(parameters);
	return status;
}

/* ---- a result -------------------------------------------------------------------------------- */

typedef struct place { int64_t result, series, stack; } place;

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash != NULL ? slash + 1 : path;
}

static db_value beside(const char *body)
{
	return body != NULL ? db_of_bytes(body, strlen(body)) : (db_value){ .kind = DB_NULL };
}

static eh_status add_result(archive *a, const archive_item *i, place *at, bool *added, eh_error *error)
{
	const record_result *r = i->of->record;
	char now[24];
	db_rows *rows;
	eh_status status;

	clock_wall_text(now);
	{
		const db_value values[] = {
			db_of_text(r->digest), db_of_text(i->of->file_sha256), db_of_text(base_name(i->of->path)),
			db_of_integer((int64_t)i->size), db_of_bytes(i->packed, i->packed_size), beside(i->signatures),
			beside(i->amendments), db_of_text(r->run.id), db_of_text(r->run.started),
			db_of_integer(at->series), db_of_integer(at->stack), db_of_text(text_or_empty(r->who.tester)),
			db_of_text(record_completeness_word(r->status)), db_of_text(evidence_level_word(i->whole.level)),
			db_of_integer((int64_t)i->of->row_count), db_of_text(now) };

		status = db_query(a->db, "INSERT INTO result (digest, file_sha256, name, size, packed, signatures, "
		                  "amendments, run, started, series_id, stack_id, tester, status, evidence, cases, added) "
		                  "VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16) "
		                  "ON CONFLICT (digest) DO NOTHING RETURNING id", values,
		                  sizeof(values) / sizeof(*values), &rows, error);
	}
	if (status != EH_OK)
		return status;
	*added = db_next(rows);
	if (*added)
		at->result = db_integer(rows, 0);
	return db_end(rows, error);
}

static db_value low_of(const interval *i) { return db_of_real(i != NULL ? i->low : NAN); }
static db_value high_of(const interval *i) { return db_of_real(i != NULL ? i->high : NAN); }

static int64_t samples_of(const statistics_side *side)
{
	int64_t sum = 0;

	for (size_t i = 0; i < side->executions; i++)
		sum += (int64_t)side->counts[i];
	return sum;
}

/* Values are left out where the row does not count. */
static eh_status add_row(archive *a, const archive_item *i, size_t k, const place *at, eh_error *error)
{
	const result_row *row = &i->of->rows[k];
	const comparison_side *s = i->sides[k];
	bool counts = record_counts(s->status) && s->evidence.level != EVIDENCE_BAD;
	int64_t history = 0;
	eh_status status = history_id(a, row, at->series, &history, error);

	if (status != EH_OK)
		return status;
	{
		const db_value values[] = {
			db_of_integer(history), db_of_text(i->of->record->run.started), db_of_integer(at->result),
			db_of_integer(at->stack), db_of_text(record_status_word(s->status)),
			db_of_text(evidence_level_word(s->evidence.level)), db_of_real(counts ? s->value : NAN),
			low_of(counts ? s->value_interval : NULL), high_of(counts ? s->value_interval : NULL),
			db_of_real(counts ? s->median_ns : NAN), db_of_integer((int64_t)s->executions),
			db_of_integer(samples_of(&row->medians)) };

		return db_run(a->db, "INSERT INTO measurement (history_id, started, result_id, stack_id, status, evidence, "
		              "value, low, high, time_ns, executions, samples) "
		              "VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) ON CONFLICT DO NOTHING",
		              values, sizeof(values) / sizeof(*values), NULL, error);
	}
}

/* Of a result that is there: who vouched for it meanwhile. */
static eh_status renew_beside(archive *a, const archive_item *i, eh_error *error)
{
	const db_value values[] = { db_of_text(i->of->record->digest), beside(i->signatures), beside(i->amendments) };
	eh_status status = EH_OK;

	if (i->signatures != NULL)
		status = db_run(a->db, "UPDATE result SET signatures = $2 WHERE digest = $1 AND "
		                "coalesce(length(signatures), 0) < length($2)", values, 2, NULL, error);
	if (status == EH_OK && i->amendments != NULL) {
		const db_value amended[] = { values[0], values[2] };

		status = db_run(a->db, "UPDATE result SET amendments = $2 WHERE digest = $1 AND "
		                "coalesce(length(amendments), 0) < length($2)", amended, 2, NULL, error);
	}
	return status;
}

static eh_status add_one(archive *a, const archive_item *i, bool *added, eh_error *error)
{
	place at = { 0 };
	eh_status status = series_id(a, i->of->record, &at.series, error);

	if (status == EH_OK)
		status = stack_id(a, i->of->record, &at.stack, error);
	if (status == EH_OK)
		status = add_result(a, i, &at, added, error);
	if (status == EH_OK && !*added)
		return renew_beside(a, i, error);
	for (size_t k = 0; k < i->of->row_count && status == EH_OK; k++)
		status = add_row(a, i, k, &at, error);
	return status;
}

eh_status archive_add(archive *a, archive_item *const *items, size_t count, bool *added, eh_error *error)
{
	eh_status status = db_begin(a->db, error);

	if (status != EH_OK)
		return status;
	for (size_t i = 0; i < count && status == EH_OK; i++)
		status = add_one(a, items[i], &added[i], error);
	if (status == EH_OK)
		return db_commit(a->db, error);
	db_undo(a->db);
	archive_forget(a);
	return status;
}
