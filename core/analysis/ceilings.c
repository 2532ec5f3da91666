/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/ceilings.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

/* Data is beyond the caches from four times the last level on; that unknown, from 256 MiB on. */
#define BEYOND_FACTOR 4
#define BEYOND_UNKNOWN (UINT64_C(256) << 20)

/* ---- facts of a case ------------------------------------------------------------------------- */

double ceilings_time(const record_case *row)
{
	return row->derived != NULL && row->derived->median_ns > 0 ? row->derived->median_ns : 0;
}

bool ceilings_disturbed(const record_case *row)
{
	static const enum record_flag flags[] = { RECORD_FLAG_DISTURBED, RECORD_FLAG_STEAL,
		                                  RECORD_FLAG_CANARY_MOVED,
		                                  RECORD_FLAG_SHARED_DEVICE };

	for (size_t i = 0; i < sizeof(flags) / sizeof(*flags); i++)
		if (word_list_has(&row->flags, (int)flags[i]))
			return true;
	return false;
}

static bool passed(const record_check *c)
{
	return c != NULL && c->passed;
}

static bool verified(const record_case *row)
{
	for (size_t i = 0; i < row->executions.count; i++) {
		const record_verification *v = row->executions.items[i].verification;

		if (v == NULL || !passed(v->before) || !passed(v->after) ||
		    (v->during_failed != LAYOUT_NO_UINT && v->during_failed > 0))
			return false;
	}
	return row->executions.count > 0;
}

bool ceilings_sound(const record_case *row)
{
	return record_counts(row->status) && ceilings_time(row) > 0 && verified(row);
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

/* Of rates the highest, of costs the least; what was not disturbed before what was. */
static bool better(const ceiling *is, const ceiling *old)
{
	if (is->disturbed != old->disturbed)
		return old->disturbed;
	return isnan(is->rate) ? is->ns < old->ns : is->rate > old->rate;
}

/* What a case gives, in an initialised struct; a value of 0 is none. */
static bool make(ceiling *out, enum ceiling_kind kind, const char *of, double value,
                 const record_case *row)
{
	if (!(value > 0))
		return false;
	out->kind = kind;
	out->of = memory_text(of);
	*(kind < CEILING_LAUNCH ? &out->rate : &out->ns) = value;
	out->by = memory_text(row->id);
	out->disturbed = ceilings_disturbed(row);
	out->working_set_bytes = row->work.working_set_bytes;
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
                  const record_case *row)
{
	const ceiling *old = ceilings_of(all, kind, of);
	ceiling is;

	layout_init(ceiling_layout(), &is);
	if (!make(&is, kind, of, value, row))
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

static bool is_beyond(const record_result *r, const record_case *row)
{
	return is_cold(row) || row->work.working_set_bytes >= beyond_from(r);
}

/* Latencies of a load are no times of operations. */
static bool gives(const record_case *row, const char *workload)
{
	return strcmp(row->workload, workload) == 0 && ceilings_sound(row) &&
	       !record_is_load(&row->measure);
}

/* Writes alone may be compressed on their way, so they are no ceiling. */
static bool gives_bandwidth(const record_case *row)
{
	return gives(row, "stream") && strcmp(ceilings_parameter(row, "operation"), "fill") != 0;
}

static double per_second(const record_case *row, double amount)
{
	return amount / ceilings_time(row) * 1e9;
}

static void offer_launch(ceiling_list *all, const record_case *row, bool graph)
{
	const char *mode = ceilings_parameter(row, "mode");
	double ns = row->work.amount > 0 ? ceilings_time(row) / row->work.amount : ceilings_time(row);

	if (strcmp(mode, "round-trip") == 0 && !graph)
		offer(all, CEILING_LAUNCH, "", ns, row);
	else if (strcmp(mode, "enqueue") == 0 && !graph)
		offer(all, CEILING_ENQUEUE, "", ns, row);
	else if (strcmp(mode, "back-to-back") == 0)
		offer(all, graph ? CEILING_GRAPH : CEILING_EMPTY, "", ns, row);
}

static void offer_case(ceiling_list *all, const record_result *r, const record_case *row)
{
	if (gives(row, "fma"))
		offer(all, CEILING_COMPUTE, row->precision, per_second(row, row->work.flops), row);
	else if (gives_bandwidth(row) && is_beyond(r, row))
		offer(all, CEILING_MEMORY, "", per_second(row, row->work.bytes), row);
	else if (gives(row, "xfer"))
		offer(all, CEILING_LINK, ceilings_parameter(row, "direction"),
		      per_second(row, row->work.bytes), row);
	else if (gives(row, "launch") || gives(row, "graph"))
		offer_launch(all, row, strcmp(row->workload, "graph") == 0);
}

/* Every execution records the time of a launch; the least of them. */
static void offer_instrument(ceiling_list *all, const record_result *r)
{
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
}

void ceilings_find(const record_result *r, ceiling_list *out)
{
	for (size_t i = 0; i < r->cases.count; i++)
		offer_case(out, r, &r->cases.items[i]);
	if (ceilings_of(out, CEILING_LAUNCH, NULL) == NULL)
		offer_instrument(out, r);
}

/* ---- bandwidth ------------------------------------------------------------------------------- */

/* Whether a smaller set is not much smaller. */
static bool is_near(const ceiling *c, uint64_t working_set)
{
	return c->working_set_bytes >= working_set / 4;
}

/* Of sets that are not larger: the best of the near ones, else the largest. */
static bool tighter(const ceiling *is, const ceiling *old, uint64_t working_set)
{
	bool near = is_near(is, working_set);

	if (near != is_near(old, working_set))
		return near;
	return near ? better(is, old) : is->working_set_bytes > old->working_set_bytes;
}

/* Of larger sets: the smallest. */
static bool nearer(const ceiling *is, const ceiling *old, uint64_t working_set)
{
	(void)working_set;
	return is->working_set_bytes < old->working_set_bytes ||
	       (is->working_set_bytes == old->working_set_bytes && better(is, old));
}

/* The best bandwidth of sets that are larger, or not, in an initialised struct. */
static bool find_bandwidth(const record_result *r, uint64_t working_set, bool larger,
                           bool (*wins)(const ceiling *, const ceiling *, uint64_t), ceiling *out)
{
	for (size_t i = 0; i < r->cases.count; i++) {
		const record_case *row = &r->cases.items[i];
		ceiling is;

		if (!gives_bandwidth(row) || is_cold(row) ||
		    (row->work.working_set_bytes > working_set) != larger)
			continue;
		layout_init(ceiling_layout(), &is);
		if (!make(&is, CEILING_CACHE, "", per_second(row, row->work.bytes), row))
			continue;
		if (out->by == NULL || wins(&is, out, working_set)) {
			layout_clear(ceiling_layout(), out);
			*out = is;
		} else {
			layout_clear(ceiling_layout(), &is);
		}
	}
	return out->by != NULL;
}

/* Data of a working set is as near as that of any smaller set or further, so a smaller set's
 * bandwidth bounds it; a larger set's does so loosely. */
bool ceilings_bandwidth(const ceiling_list *all, const record_result *r, const record_case *row,
                        ceiling *out)
{
	const ceiling *memory = ceilings_of(all, CEILING_MEMORY, NULL);
	uint64_t working_set = row->work.working_set_bytes;

	if (memory != NULL && is_beyond(r, row)) {
		layout_copy(ceiling_layout(), memory, out);
		return true;
	}
	if (find_bandwidth(r, working_set, false, tighter, out))
		return true;
	if (!find_bandwidth(r, working_set, true, nearer, out)) {
		if (memory == NULL)
			return false;
		layout_copy(ceiling_layout(), memory, out);
	}
	out->loose = true;
	return true;
}
