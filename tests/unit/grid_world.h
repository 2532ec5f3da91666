/* SPDX-License-Identifier: Apache-2.0 */
/* Results and comparisons made by hand, for tests of what is printed of them: nothing is measured,
 * read or judged. */
#ifndef TEST_GRID_WORLD_H
#define TEST_GRID_WORLD_H

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "contract/contract.h"

/* One machine's results, the first of which is the reference. */
typedef struct world {
	result **results;
	size_t count;
	comparison_list comparisons;
	const char *const *ids;
	size_t id_count;
} world;

static inline result *world_result(const char *name, const char *const *ids, size_t id_count)
{
	result *r = memory_get(sizeof(*r));

	r->record = layout_new(record_result_layout());
	r->trust = memory_get(sizeof(*r->trust));
	r->path = memory_format("results/%s.json", name);
	text_set(&r->record->executor.name, name);
	text_set(&r->record->run.id, "run");
	text_set(&r->record->run.started, "2026-11-22T10:00:00Z");
	text_set(&r->record->run.ended, "2026-11-22T10:00:58Z");
	text_set(&r->record->protocol.name, "quick");
	text_list_add(&r->record->executor.device.caps, "fp64");
	r->record->protocol.version = 1;
	r->record->run.executions.done = 10;
	r->rows = memory_get(id_count * sizeof(*r->rows));
	r->row_count = id_count;
	for (size_t i = 0; i < id_count; i++) {
		record_case *c = layout_append(record_case_layout(), &r->record->cases);

		text_set(&c->id, ids[i]);
		text_set(&c->precision, strstr(ids[i], "f64") != NULL ? "f64" : "f32");
		c->status = RECORD_VALID;
	}
	for (size_t i = 0; i < id_count; i++)
		r->rows[i] = (result_row){ .id = r->record->cases.items[i].id,
			                   .record = &r->record->cases.items[i], .amount = 1,
			                   .metric = RECORD_METRIC_BYTES };
	return r;
}

static inline world *world_new(const char *const *names, size_t count, const char *const *ids,
                               size_t id_count)
{
	world *w = memory_get(sizeof(*w));

	*w = (world){ memory_get(count * sizeof(result *)), count, { 0 }, ids, id_count };
	for (size_t i = 0; i < count; i++)
		w->results[i] = world_result(names[i], ids, id_count);
	return w;
}

static inline void world_free(world *w)
{
	layout_list_clear(comparison_layout(), &w->comparisons);
	for (size_t i = 0; i < w->count; i++) {
		layout_free(record_result_layout(), w->results[i]->record);
		if (w->results[i]->trust->found != NULL)
			w->results[i]->trust->free_found(w->results[i]->trust->found);
		free(w->results[i]->trust);
		free(w->results[i]->path);
		free(w->results[i]->rows);
		free(w->results[i]);
	}
	free(w->results);
	free(w);
}

static inline interval *world_interval(double low, double high)
{
	interval *i = memory_get(sizeof(*i));

	*i = (interval){ low, high };
	return i;
}

static inline comparison_side *world_side(const result_row *row, double value)
{
	comparison_side *s = layout_new(comparison_side_layout());

	s->status = row->record->status;
	s->metric = row->metric;
	s->executions = 10;
	s->evidence.level = EVIDENCE_GOOD;
	s->value = value;
	s->value_interval = world_interval(value * 0.998, value * 1.002);
	s->median_ns = 1e9 / value;
	s->interval_ns = world_interval(0.998e9 / value, 1.002e9 / value);
	return s;
}

/* Compares all results with the first; every case is equal within 2 %. */
static inline void world_compare(world *w)
{
	for (size_t k = 1; k < w->count; k++) {
		comparison *c = layout_append(comparison_layout(), &w->comparisons);

		c->a = w->results[0];
		c->b = w->results[k];
		c->baseline.evidence.level = c->other.evidence.level = EVIDENCE_GOOD;
		for (size_t i = 0; i < w->id_count; i++) {
			comparison_row *row = layout_append(comparison_row_layout(), &c->cases);

			text_set(&row->id, w->ids[i]);
			row->a = &c->a->rows[i];
			row->b = &c->b->rows[i];
			row->baseline = world_side(row->a, 40e9 + 3.1e9 * (double)i);
			row->other = world_side(row->b, 40e9 + 3.1e9 * (double)i);
			row->verdict = VERDICT_EQUIVALENT;
			row->level = CONTRACT_COMPARABLE;
			row->speedup = 1;
			row->speedup_interval = world_interval(0.99, 1.01);
			row->equal_interval = world_interval(0.99, 1.01);
			row->margin = 0.02;
		}
	}
}

static inline comparison_row *world_row(world *w, size_t column, size_t row)
{
	return &w->comparisons.items[column].cases.items[row];
}

static inline void world_set(world *w, size_t column, size_t row, enum comparison_verdict verdict,
                             double ratio, double low, double high)
{
	comparison_row *r = world_row(w, column, row);

	r->verdict = verdict;
	r->speedup = ratio;
	*r->speedup_interval = (interval){ low, high };
	*r->equal_interval = *r->speedup_interval;
}

static inline void world_reason(contract_reason_list *reasons, const char *rule,
                                enum contract_level level, const char *sentence, const char *detail)
{
	contract_reason *r = layout_append(contract_reason_layout(), reasons);

	text_set(&r->rule, rule);
	text_set(&r->sentence, sentence);
	text_set(&r->detail, detail);
	r->level = level;
}

/* The other side failed, is invalid, or does not support the case. */
static inline void world_break(world *w, size_t column, size_t row, enum record_status status,
                               const char *why)
{
	comparison_row *r = world_row(w, column, row);
	bool absent = status == RECORD_UNSUPPORTED;

	r->verdict = absent ? VERDICT_ABSENT : VERDICT_NOT_COMPARABLE;
	r->level = CONTRACT_REFUSED;
	r->speedup = NAN;
	free(r->speedup_interval);
	r->speedup_interval = NULL;
	free(r->equal_interval);
	r->equal_interval = NULL;
	r->margin = NAN;
	w->results[column + 1]->record->cases.items[row].status = status;
	(void)layout_append(record_execution_layout(), &w->results[column + 1]->record->cases.items[row].executions);
	r->other->status = status;
	r->other->evidence.level = EVIDENCE_BAD;
	world_reason(&r->other->evidence.reasons, absent ? "not-run" : "status-invalid", CONTRACT_REFUSED,
	             "The case is invalid.", why);
}

/* A caveat for the evidence of the other side. */
static inline void world_caveat(world *w, size_t column, size_t row, const char *rule)
{
	comparison_row *r = world_row(w, column, row);

	world_reason(&r->reasons, rule, CONTRACT_CAVEAT, "There is a caveat.", "other");
	world_reason(&r->other->evidence.reasons, rule, CONTRACT_CAVEAT, "There is a caveat.", "");
	r->other->evidence.level = EVIDENCE_CAVEATED;
}

#endif
