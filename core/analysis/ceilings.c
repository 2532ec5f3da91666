/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/ceilings.h"

#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/text.h"

/* Data lie beyond the caches from four times the last level on; that unknown, from here. */
#define BEYOND_FACTOR 4
#define BEYOND_UNKNOWN (UINT64_C(256) << 20)

/* ---- facts of a row -------------------------------------------------------------------------- */

double ceilings_time(const result_row *row)
{
	double ns = 0;

	(void)json_double(json_path(row->json, "derived"), "median_ns", &ns);
	return ns > 0 ? ns : 0;
}

bool ceilings_shaken(const result_row *row)
{
	static const char *const words[] = { "disturbed", "steal", "canary-moved", "shared-device",
		                             "other-users" };
	const cJSON *flag;

	cJSON_ArrayForEach(flag, json_path(row->json, "flags"))
		for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
			if (cJSON_IsString(flag) && strcmp(flag->valuestring, words[i]) == 0)
				return true;
	return false;
}

static bool verified(const result_row *row)
{
	const cJSON *e;
	size_t with = 0;

	cJSON_ArrayForEach(e, json_path(row->json, "executions")) {
		const cJSON *v = json_path(e, "verification");
		uint64_t failed = 0;

		if (!json_bool(json_path(v, "before"), "passed", false) ||
		    !json_bool(json_path(v, "after"), "passed", false) ||
		    (json_uint(v, "during_failed", &failed) && failed > 0))
			return false;
		with++;
	}
	return with > 0;
}

bool ceilings_sound(const result_row *row)
{
	return (strcmp(row->status, "valid") == 0 || strcmp(row->status, "not-converged") == 0) &&
	       ceilings_time(row) > 0 && verified(row);
}

/* Latencies of a load are no times of operations. */
static bool gives_ceilings(const result_row *row)
{
	return ceilings_sound(row) && !result_row_is_load(row);
}

bool ceilings_cold(const result_row *row)
{
	return strcmp(json_string(json_path(row->json, "measure"), "cache", "warm"), "cold") == 0;
}

uint64_t ceilings_working_set(const result_row *row)
{
	uint64_t bytes = 0;

	(void)json_uint(json_path(row->json, "work"), "working_set_bytes", &bytes);
	return bytes;
}

const char *ceilings_parameter(const result_row *row, const char *key)
{
	return json_string(json_path(row->json, "parameters"), key, "");
}

/* Per second, of the member "flops" or "bytes" of the work. */
static double rate_of(const result_row *row, const char *what)
{
	double amount = 0, ns = ceilings_time(row);

	(void)json_double(json_path(row->json, "work"), what, &amount);
	return ns > 0 ? amount / ns * 1e9 : 0;
}

/* ---- collecting ------------------------------------------------------------------------------ */

static ceiling *find(const ceilings *c, enum ceiling_kind kind, const char *of)
{
	for (size_t i = 0; i < c->count; i++)
		if (c->items[i].kind == kind && (of == NULL || strcmp(c->items[i].of, of) == 0))
			return &c->items[i];
	return NULL;
}

/* Rates: the highest; costs: the least.  What was not disturbed goes before what was. */
static bool better(const ceiling *is, const ceiling *old)
{
	if (is->shaken != old->shaken)
		return old->shaken;
	return is->kind >= CEILING_LAUNCH ? is->value < old->value : is->value > old->value;
}

static void offer(ceilings *c, enum ceiling_kind kind, const char *of, double value,
                  const result_row *row)
{
	ceiling is = { .kind = kind, .of = of, .value = value, .row = row,
		       .working_set = ceilings_working_set(row), .shaken = ceilings_shaken(row) };
	ceiling *old = find(c, kind, of);

	if (!(value > 0))
		return;
	if (old != NULL) {
		if (better(&is, old))
			*old = is;
		return;
	}
	c->items = memory_grow(c->items, (c->count + 1) * sizeof(*c->items));
	c->items[c->count++] = is;
}

static bool beyond(const ceilings *c, const result_row *row)
{
	return ceilings_cold(row) || ceilings_working_set(row) >= c->memory_from;
}

/* Writes alone may be compressed on their way, so they are no ceiling. */
static bool gives_bandwidth(const result_row *row)
{
	return strcmp(row->workload, "stream") == 0 && gives_ceilings(row) &&
	       strcmp(ceilings_parameter(row, "operation"), "fill") != 0;
}

/* One of them, in ns. */
static double each(const result_row *row)
{
	return row->amount > 0 ? ceilings_time(row) / row->amount : ceilings_time(row);
}

static void offer_launch(ceilings *c, const result_row *row)
{
	const char *mode = ceilings_parameter(row, "mode");
	bool graph = strcmp(row->workload, "graph") == 0;

	if (strcmp(mode, "round-trip") == 0 && !graph)
		offer(c, CEILING_LAUNCH, "", each(row), row);
	else if (strcmp(mode, "enqueue") == 0 && !graph)
		offer(c, CEILING_ENQUEUE, "", each(row), row);
	else if (strcmp(mode, "back-to-back") == 0)
		offer(c, graph ? CEILING_GRAPH : CEILING_EMPTY, "", each(row), row);
}

static void offer_row(ceilings *c, const result_row *row)
{
	if (!gives_ceilings(row))
		return;
	if (strcmp(row->workload, "fma") == 0)
		offer(c, CEILING_COMPUTE, row->precision, rate_of(row, "flops"), row);
	else if (gives_bandwidth(row) && beyond(c, row))
		offer(c, CEILING_MEMORY, "", rate_of(row, "bytes"), row);
	else if (strcmp(row->workload, "xfer") == 0)
		offer(c, CEILING_LINK, ceilings_parameter(row, "direction"), rate_of(row, "bytes"), row);
	else if (strcmp(row->workload, "launch") == 0 || strcmp(row->workload, "graph") == 0)
		offer_launch(c, row);
}

/* Every execution recorded what null work takes; the least of them. */
static void offer_instrument(ceilings *c, const result *r)
{
	const cJSON *item;
	uint64_t least = 0;

	cJSON_ArrayForEach(item, json_path(r->root, "instruments")) {
		uint64_t ns = 0;

		if (json_uint(item, "launch_ns", &ns) && ns > 0 && (least == 0 || ns < least))
			least = ns;
	}
	if (least == 0)
		return;
	c->items = memory_grow(c->items, (c->count + 1) * sizeof(*c->items));
	c->items[c->count++] = (ceiling){ .kind = CEILING_LAUNCH, .of = "",
		                          .value = (double)least };
}

void ceilings_find(const result *r, ceilings *out)
{
	*out = (ceilings){ 0 };
	(void)json_uint(json_path(r->root, "executor.device"), "last_level_cache_bytes",
	                &out->cache_bytes);
	out->memory_from = out->cache_bytes > 0 ? BEYOND_FACTOR * out->cache_bytes : BEYOND_UNKNOWN;
	for (size_t i = 0; i < r->row_count; i++)
		offer_row(out, &r->rows[i]);
	if (find(out, CEILING_LAUNCH, NULL) == NULL)
		offer_instrument(out, r);
}

void ceilings_free(ceilings *c)
{
	free(c->items);
	*c = (ceilings){ 0 };
}

ceiling ceilings_of(const ceilings *c, enum ceiling_kind kind, const char *of)
{
	const ceiling *found = find(c, kind, of);

	return found != NULL ? *found : (ceiling){ .kind = kind, .of = of != NULL ? of : "" };
}

/*
 * Data of a working set lie as near as those of any smaller one or further, so a stream over a
 * smaller set bounds it: the best of those that are not much smaller, else the largest of the
 * smaller ones.
 */
ceiling ceilings_bandwidth(const ceilings *c, const result *r, uint64_t working_set, bool cold)
{
	ceiling best = { .kind = CEILING_CACHE, .of = "" }, memory, larger = best;
	bool near = false;

	memory = ceilings_of(c, CEILING_MEMORY, NULL);
	if ((cold || working_set >= c->memory_from) && memory.value > 0)
		return memory;
	for (size_t i = 0; i < r->row_count; i++) {
		const result_row *row = &r->rows[i];
		ceiling is = { .kind = CEILING_CACHE, .of = "", .row = row };
		bool is_near;

		if (!gives_bandwidth(row) || ceilings_cold(row))
			continue;
		is.value = rate_of(row, "bytes");
		is.working_set = ceilings_working_set(row);
		is.shaken = ceilings_shaken(row);
		if (is.working_set > working_set) {
			if (larger.value <= 0 || is.working_set < larger.working_set ||
			    (is.working_set == larger.working_set && better(&is, &larger)))
				larger = is;
			continue;
		}
		is_near = is.working_set >= working_set / 4;
		if (best.value <= 0 || (is_near && !near) ||
		    (is_near == near && (near ? better(&is, &best)
		                              : is.working_set > best.working_set))) {
			best = is;
			near = is_near;
		}
	}
	if (best.value > 0)
		return best;
	if (larger.value <= 0)
		larger = memory;
	larger.loose = true;
	return larger;
}

const char *ceiling_name(enum ceiling_kind kind)
{
	static const char *const names[] = { "compute", "memory", "cache", "link", "launch",
	                                     "empty-kernel", "enqueue", "graph" };

	return names[kind];
}
