/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/ceilings.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/nameplates.h"
#include "base/text.h"

/* Data is beyond the caches from four times the last level on; that unknown, from 256 MiB on. */
#define BEYOND_FACTOR 4
#define BEYOND_UNKNOWN (UINT64_C(256) << 20)

/* ---- facts of a case ------------------------------------------------------------------------- */

/* The lower quartile of the rounds, where it is the statistic; else NULL: the median. */
static const record_derived_number *quartile_of(const record_case *row)
{
	return row->derived != NULL && row->measure.statistic == RECORD_STATISTIC_QUARTILE ?
	       row->derived->statistic : NULL;
}

double ceilings_time(const record_case *row)
{
	double ns = quartile_of(row) != NULL ? quartile_of(row)->ns :
	            row->derived != NULL ? row->derived->median_ns : 0;

	return ns > 0 ? ns : 0;
}

interval ceilings_interval(const record_case *row)
{
	const number_list *ends = quartile_of(row) != NULL ? &quartile_of(row)->interval_ns :
	                          row->derived != NULL ? &row->derived->interval_ns : NULL;

	return ends != NULL && ends->count == 2 ? (interval){ ends->items[0], ends->items[1] } :
	                                          (interval){ 0, 0 };
}

const char *ceilings_parameter(const record_case *row, const char *key)
{
	return text_or_empty(text_map_get(&row->parameters, key));
}

static bool is_cold(const record_case *row)
{
	return row->measure.cache == RECORD_CACHE_COLD;
}

/* ---- ceilings -------------------------------------------------------------------------------- */

ceiling *ceilings_copy(const ceiling *c)
{
	ceiling *copy = NULL;

	if (c != NULL) {
		copy = layout_new(ceiling_layout());
		layout_copy(ceiling_layout(), c, copy);
	}
	return copy;
}

const ceiling *ceilings_of(const ceiling_list *all, enum ceiling_kind kind, const char *of)
{
	for (size_t i = 0; i < all->count; i++)
		if (all->items[i].kind == kind && (of == NULL || strcmp(all->items[i].of, of) == 0))
			return &all->items[i];
	return NULL;
}

/* Of rates the highest, of costs the least. */
static bool better(const ceiling *is, const ceiling *old)
{
	return isnan(is->rate) ? is->ns < old->ns : is->rate > old->rate;
}

/* A row with its evidence. */
typedef struct judged { const record_case *row; const evidence *evidence; } judged;

static judged judged_at(const evidence_table *t, size_t i)
{
	return (judged){ t->of->rows[i].record, &t->rows[i] };
}

/* What a case gives, in an initialised struct; a value of 0 is none. */
static bool make(ceiling *out, enum ceiling_kind kind, const char *of, double value, judged by)
{
	interval around = ceilings_interval(by.row);

	if (!(value > 0))
		return false;
	out->kind = kind;
	out->of = memory_text(of);
	*(kind < CEILING_LAUNCH ? &out->rate : &out->ns) = value;
	out->by = memory_text(by.row->id);
	out->evidence = by.evidence->level;
	out->slack = around.low > 0 ? ceilings_time(by.row) / around.low : 1;
	out->working_set_bytes = by.row->work.working_set_bytes;
	return true;
}

/* Moves what is better, and frees the other. */
static void keep_better(ceiling *old, ceiling *is)
{
	ceiling worse = better(is, old) ? *old : *is;

	if (better(is, old))
		*old = *is;
	layout_clear(ceiling_layout(), &worse);
}

static void offer(ceiling_list *all, enum ceiling_kind kind, const char *of, double value,
                  judged by)
{
	const ceiling *old = ceilings_of(all, kind, of);
	ceiling is;

	layout_init(ceiling_layout(), &is);
	if (!make(&is, kind, of, value, by))
		return;
	if (old != NULL)
		keep_better(&all->items[old - all->items], &is);
	else
		*(ceiling *)layout_append(ceiling_layout(), all) = is;
}

/* ---- which case gives which ------------------------------------------------------------------ */

/* Working sets from here on are beyond the caches. */
static uint64_t beyond_from(const record_result *r)
{
	uint64_t cache = r->executor.device.last_level_cache_bytes;

	return cache != LAYOUT_NO_UINT && cache > 0 ? BEYOND_FACTOR * cache : BEYOND_UNKNOWN;
}

bool ceilings_beyond(const record_result *r, const record_case *row)
{
	return is_cold(row) || row->work.working_set_bytes >= beyond_from(r);
}

/* Latencies of a load are no times of operations. */
static bool gives(judged by, const char *workload)
{
	return strcmp(by.row->workload, workload) == 0 && by.evidence->level < EVIDENCE_BAD &&
	       ceilings_time(by.row) > 0 && !record_is_load(&by.row->measure);
}

/* Writes alone may be compressed on their way, so they are no ceiling. */
static bool gives_bandwidth(judged by)
{
	return gives(by, "stream") && strcmp(ceilings_parameter(by.row, "operation"), "fill") != 0;
}

static double per_second(const record_case *row, double amount)
{
	return amount / ceilings_time(row) * 1e9;
}

static void offer_launch(ceiling_list *all, judged by, bool graph)
{
	const char *mode = ceilings_parameter(by.row, "mode");
	double amount = by.row->work.amount > 0 ? by.row->work.amount : 1;
	double ns = ceilings_time(by.row) / amount;

	if (strcmp(mode, "round-trip") == 0 && !graph)
		offer(all, CEILING_LAUNCH, "", ns, by);
	else if (strcmp(mode, "enqueue") == 0 && !graph)
		offer(all, CEILING_ENQUEUE, "", ns, by);
	else if (strcmp(mode, "back-to-back") == 0)
		offer(all, graph ? CEILING_GRAPH : CEILING_EMPTY, "", ns, by);
}

static void offer_case(ceiling_list *all, const record_result *r, judged by)
{
	const record_case *row = by.row;

	if (gives(by, "fma"))
		offer(all, CEILING_COMPUTE, row->precision, per_second(row, row->work.flops), by);
	else if (gives_bandwidth(by) && ceilings_beyond(r, row))
		offer(all, CEILING_MEMORY, "", per_second(row, row->work.bytes), by);
	else if (gives(by, "xfer"))
		offer(all, CEILING_LINK, ceilings_parameter(row, "direction"),
		      per_second(row, row->work.bytes), by);
	else if (gives(by, "launch") || gives(by, "graph"))
		offer_launch(all, by, strcmp(row->workload, "graph") == 0);
}

/* Every execution records the time of a launch; the least of them. */
static void offer_instrument(ceiling_list *all, const evidence_table *t)
{
	const record_result *r = t->of->record;
	uint64_t least = UINT64_MAX;
	ceiling *c;

	for (size_t i = 0; i < r->instruments.count; i++) {
		uint64_t ns = r->instruments.items[i].launch_ns;

		if (ns > 0 && ns < least)
			least = ns;
	}
	if (least == UINT64_MAX)
		return;
	c = layout_append(ceiling_layout(), all);
	c->kind = CEILING_LAUNCH;
	c->of = memory_text("");
	c->ns = (double)least;
	c->evidence = t->whole.level;
	c->slack = 1;
}

void ceilings_find(const evidence_table *t, ceiling_list *out)
{
	for (size_t i = 0; i < t->of->row_count; i++)
		offer_case(out, t->of->record, judged_at(t, i));
	if (ceilings_of(out, CEILING_LAUNCH, NULL) == NULL)
		offer_instrument(out, t);
	nameplates_add(&t->of->record->executor, out);
}

/* ---- bandwidth ------------------------------------------------------------------------------- */

/* The fastest of a set comes first. */
static int by_set(const void *x, const void *y)
{
	const ceiling *a = x, *b = y;

	if (a->working_set_bytes != b->working_set_bytes)
		return a->working_set_bytes < b->working_set_bytes ? -1 : 1;
	return a->rate != b->rate ? (a->rate > b->rate ? -1 : 1) : strcmp(a->by, b->by);
}

static void keep_first_of_sets(ceiling_list *sets)
{
	size_t kept = 0;

	for (size_t i = 0; i < sets->count; i++)
		if (kept > 0 && sets->items[kept - 1].working_set_bytes == sets->items[i].working_set_bytes)
			layout_clear(ceiling_layout(), &sets->items[i]);
		else
			sets->items[kept++] = sets->items[i];
	sets->count = kept;
}

void ceilings_of_sets(const evidence_table *t, ceiling_list *out)
{
	for (size_t i = 0; i < t->of->row_count; i++) {
		judged by = judged_at(t, i);
		ceiling is;

		if (!gives_bandwidth(by) || is_cold(by.row))
			continue;
		layout_init(ceiling_layout(), &is);
		if (make(&is, CEILING_CACHE, "", per_second(by.row, by.row->work.bytes), by))
			*(ceiling *)layout_append(ceiling_layout(), out) = is;
	}
	if (out->count > 0)
		qsort(out->items, out->count, sizeof(*out->items), by_set);
	keep_first_of_sets(out);
}

/* The best of the sets from a quarter of this one to this one; else the largest that is smaller. */
static const ceiling *tightest(const ceiling_list *sets, uint64_t working_set)
{
	const ceiling *found = NULL;

	for (size_t i = 0; i < sets->count && sets->items[i].working_set_bytes <= working_set; i++) {
		const ceiling *is = &sets->items[i];

		if (found == NULL || found->working_set_bytes < working_set / 4 || better(is, found))
			found = is;
	}
	return found;
}

/* The smallest of the larger sets. */
static const ceiling *nearest(const ceiling_list *sets, uint64_t working_set)
{
	for (size_t i = 0; i < sets->count; i++)
		if (sets->items[i].working_set_bytes > working_set)
			return &sets->items[i];
	return NULL;
}

/* Data of a working set is as near as that of any smaller set or further, so a smaller set's
 * bandwidth bounds it; a larger set's does so loosely. */
bool ceilings_bandwidth(const ceiling_list *all, const ceiling_list *sets, const record_result *of,
                        const record_case *row, ceiling *out)
{
	const ceiling *memory = ceilings_of(all, CEILING_MEMORY, NULL), *found;
	uint64_t working_set = row->work.working_set_bytes;
	bool beyond = memory != NULL && ceilings_beyond(of, row);
	const ceiling *tight = beyond ? memory : tightest(sets, working_set);

	found = tight != NULL ? tight : nearest(sets, working_set);
	if (found == NULL)
		found = memory;
	if (found == NULL)
		return false;
	layout_copy(ceiling_layout(), found, out);
	out->loose = tight == NULL;
	return true;
}
