/* SPDX-License-Identifier: Apache-2.0 */
#include "archive/archive_ids.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "record/redact.h"

/* ---- what is known --------------------------------------------------------------------------- */

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

void archive_ids_clear(archive_ids *ids)
{
	tdestroy(ids->known, known_free);
	ids->known = NULL;
}

/* ---- ids ------------------------------------------------------------------------------------- */

static eh_status ask(archive *a, const char *sql, const db_value *values, size_t count, bool *found, int64_t *id,
                     eh_error *error)
{
	db_rows *rows;
	eh_status status = db_query(a->db, sql, values, count, &rows, error);

	if (status != EH_OK)
		return status;
	*found = db_next(rows);
	if (*found)
		*id = db_integer(rows, 0);
	return db_end(rows, error);
}

/* malloc'd: the question, with the values that it asks for. */
static char *key_of(const char *find, const db_value *values, size_t count)
{
	text t = { 0 };

	text_add(&t, "%s", find);
	for (size_t i = 0; i < count; i++) {
		if (values[i].kind == DB_INTEGER)
			text_add(&t, "\n%lld", (long long)values[i].integer);
		else
			text_add(&t, "\n%s", (const char *)values[i].data);
	}
	return t.data;
}

/* The id of the row that `find` finds by the first `keys` values, integers and texts; `insert`, with all of
 * them and RETURNING id, makes it where it is not there. */
static eh_status id_of(archive_ids *ids, const char *find, size_t keys, const char *insert, const db_value *values,
                       size_t count, int64_t *id, eh_error *error)
{
	known *k = memory_get(sizeof(*k)), **place;
	bool found = false;
	eh_status status;

	k->key = key_of(find, values, keys);
	place = memory_insist(tsearch(k, &ids->known, known_order));
	if (*place != k) {
		known_free(k);
		*id = (*place)->id;
		return EH_OK;
	}
	status = ask(ids->a, find, values, keys, &found, &k->id, error);
	if (status == EH_OK && !found)
		status = ask(ids->a, insert, values, count, &found, &k->id, error);
	if (status == EH_OK && !found)
		status = error_set(error, EH_E_IO, "archive %s does not keep what is written to it", ids->a->where);
	*id = k->id;
	if (status != EH_OK) {
		(void)tdelete(k, &ids->known, known_order);
		known_free(k);
	}
	return status;
}

eh_status archive_ids_stack(archive_ids *ids, const record_result *r, int64_t *id, eh_error *error)
{
	char *record = layout_text(record_executor_layout(), &r->executor, false);
	const db_value values[] = { db_of_text(text_or_empty(r->executor.digest)), db_of_text(record) };
	eh_status status = id_of(ids, "SELECT id FROM stack WHERE digest = $1", 1,
	                         "INSERT INTO stack (digest, record) VALUES ($1, $2) RETURNING id", values, 2, id, error);

	free(record);
	return status;
}

/* What stands for a redacted id is another one in each run: it tells no devices apart. */
static const char *uuid_of(const record_result *r)
{
	const char *uuid = text_or_empty(r->executor.device.uuid);

	return redact_is_mark(uuid) ? "" : uuid;
}

eh_status archive_ids_series(archive_ids *ids, const record_result *r, int64_t *id, eh_error *error)
{
	char *protocol = memory_format("%s@%llu", r->protocol.name, (unsigned long long)r->protocol.version);
	const db_value values[] = { db_of_text(r->executor.name), db_of_text(text_or_empty(r->executor.device.name)),
		                    db_of_text(uuid_of(r)), db_of_text(r->protocol.digest), db_of_text(protocol) };
	eh_status status = id_of(ids, "SELECT id FROM series WHERE executor = $1 AND device = $2 AND uuid = $3 AND "
	                         "protocol_digest = $4", 4,
	                         "INSERT INTO series (executor, device, uuid, protocol_digest, protocol) "
	                         "VALUES ($1, $2, $3, $4, $5) RETURNING id", values, 5, id, error);

	free(protocol);
	return status;
}

static eh_status kind_id(archive_ids *ids, const result_row *row, int64_t *id, eh_error *error)
{
	const record_case *c = row->record;
	char *parameters = text_map_words(&c->parameters);
	const db_value values[] = { db_of_text(c->id), db_of_text(c->workload), db_of_text(text_or_empty(c->precision)),
		                    db_of_text(record_tier_word(c->tier)), db_of_text(parameters),
		                    db_of_text(record_metric_word(row->metric)) };
	eh_status status = id_of(ids, "SELECT id FROM kind WHERE name = $1 AND workload = $2 AND precision = $3 AND "
	                         "tier = $4 AND parameters = $5 AND metric = $6", 6,
	                         "INSERT INTO kind (name, workload, precision, tier, parameters, metric) "
	                         "VALUES ($1, $2, $3, $4, $5, $6) RETURNING id", values, 6, id, error);

	free(parameters);
	return status;
}

eh_status archive_ids_history(archive_ids *ids, const result_row *row, int64_t series, int64_t *id, eh_error *error)
{
	int64_t kind;
	eh_status status = kind_id(ids, row, &kind, error);
	const db_value values[] = { db_of_integer(kind), db_of_integer(series) };

	if (status != EH_OK)
		return status;
	return id_of(ids, "SELECT id FROM history WHERE kind_id = $1 AND series_id = $2", 2,
	             "INSERT INTO history (kind_id, series_id) VALUES ($1, $2) RETURNING id", values, 2, id, error);
}
