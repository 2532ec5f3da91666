/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/text.h"
#include "record/check.h"
#include "record/rowpool.h"
#include "record/result.h"

typedef struct row_check {
	size_t index;
	const run_order *order;
	findings *f;
} row_check;

/* malloc'd "cases[3]" or "cases[3].derived.rate". */
static char *place_of(const row_check *c, const char *above, const char *name)
{
	return memory_format("cases[%zu]%s%s%s%s", c->index, above[0] != '\0' ? "." : "", above,
	                     name[0] != '\0' ? "." : "", name);
}

/* `what` says why `want` is right: "the samples give". */
static void differs(const row_check *c, enum finding_check check, const char *above,
                    const char *name, const cJSON *is, const cJSON *want, const char *what)
{
	char *place = place_of(c, above, name);

	(void)findings_add(c->f, EH_E_ALTERED, check, place, is, want, "%s", "");
	{
		finding *last = &c->f->items[c->f->count - 1];

		free(last->sentence);
		last->sentence = memory_format("%s is %s but %s %s" ALTERED, place,
		                               is != NULL ? last->stated : "absent", what,
		                               want != NULL ? last->recomputed : "absent");
	}
	free(place);
}

/* ---- structure that tables cannot say -------------------------------------------------------- */

static void malformed(const row_check *c, size_t execution, const char *name, const char *words)
{
	char *above = memory_format("executions[%zu]", execution);
	char *place = place_of(c, above, name);

	(void)findings_add(c->f, EH_E_FORMAT, CHECK_STRUCTURE, place, NULL, NULL, "%s%s", place, words);
	free(place);
	free(above);
}

static void check_execution(const row_check *c, const cJSON *e, size_t index)
{
	const cJSON *samples = json_path(e, "samples_ns");
	const cJSON *host = json_path(e, "host_ns");
	uint64_t batch = 0;

	if (samples != NULL && (!json_uint(e, "batch", &batch) || batch == 0))
		malformed(c, index, "", " has samples_ns but no batch of 1 or more");
	else if (samples != NULL && json_string(e, "clock", NULL) == NULL)
		malformed(c, index, "", " has samples_ns but no clock");
	else if (host != NULL && cJSON_GetArraySize(host) != cJSON_GetArraySize(samples)) {
		char *words = memory_format(" has %d values and samples_ns %d", cJSON_GetArraySize(host),
		                            cJSON_GetArraySize(samples));

		malformed(c, index, "host_ns", words);
		free(words);
	}
}

static void check_number(const row_check *c, const cJSON *e, size_t index, uint64_t *before)
{
	uint64_t number = 0;
	uint64_t last = *before;
	char *above;
	char *place;

	(void)json_uint(e, "execution", &number);
	*before = number;
	if ((number > last && run_order_lists(c->order, number)) || findings_enough(c->f))
		return;
	above = memory_format("executions[%zu]", index);
	place = place_of(c, above, "execution");
	if (number <= last)
		(void)findings_add(c->f, EH_E_ALTERED, CHECK_ROWS, place, NULL, NULL,
		                   "%s is not above the one before it" ALTERED, place);
	else
		(void)findings_add(c->f, EH_E_ALTERED, CHECK_ROWS, place, NULL, NULL,
		                   "%s is %llu, which run.order does not list" ALTERED, place,
		                   (unsigned long long)number);
	free(place);
	free(above);
}

/* The fewest samples with which the engine finds an execution valid: those that are asked for, and
 * that the percentile needs.  How many requests a load has is declared, and a sustained series is as
 * long as its time. */
static uint64_t least_samples(const cJSON *row)
{
	const cJSON *measure = json_path(row, "measure");
	const percentile *p = percentile_find(json_string(measure, "statistic", ""));
	uint64_t stated = p != NULL ? percentile_least(p->quantile, PERCENTILE_CONFIDENCE) : 1;
	uint64_t asked = 1;

	if (!pool_is_load(row) && strcmp(json_string(measure, "regime", ""), "sustained") != 0)
		(void)json_uint(measure, "samples_min", &asked);
	return asked > stated ? asked : stated;
}

static void check_samples(const row_check *c, const cJSON *e, size_t index, uint64_t least)
{
	int count = cJSON_GetArraySize(json_path(e, "samples_ns"));
	char *above;
	char *place;

	if (strcmp(json_string(e, "status", ""), "valid") != 0 || (uint64_t)count >= least ||
	    findings_enough(c->f))
		return;
	above = memory_format("executions[%zu]", index);
	place = place_of(c, above, "");
	(void)findings_add(c->f, EH_E_ALTERED, CHECK_ROWS, place, NULL, NULL,
	                   "%s is valid with %d sample%s, but its measurement asks for %llu" ALTERED,
	                   place, count, count == 1 ? "" : "s", (unsigned long long)least);
	free(place);
	free(above);
}

static void check_executions_of(const row_check *c, const cJSON *row)
{
	uint64_t least = least_samples(row);
	uint64_t before = 0;
	size_t index = 0;
	const cJSON *e;

	cJSON_ArrayForEach(e, json_path(row, "executions")) {
		check_execution(c, e, index);
		check_number(c, e, index, &before);
		check_samples(c, e, index, least);
		index++;
	}
}

/* ---- what follows from something else -------------------------------------------------------- */

/* Everything in `want` has its equal in `has`. */
static void check_members(const row_check *c, enum finding_check check, const cJSON *has,
                          const cJSON *want, const char *above, const char *what)
{
	const cJSON *item;

	cJSON_ArrayForEach(item, want) {
		const cJSON *is = cJSON_GetObjectItemCaseSensitive(has, item->string);

		if (findings_enough(c->f))
			return;
		if (above[0] == '\0' && strcmp(item->string, "derived") == 0 && is != NULL)
			check_members(c, check, is, item, "derived", what);
		else if (is == NULL || !json_same(is, item))
			differs(c, check, above, item->string, is, item, what);
	}
}

static void check_derived(const row_check *c, const cJSON *row, const record_pool *pool,
                          json_arena *arena)
{
	const cJSON *has = json_path(row, "derived");
	cJSON *want = record_derive(row, pool, arena);
	const cJSON *should = json_path(want, "derived");
	const cJSON *item;

	check_members(c, CHECK_DERIVED, row, want, "", "the samples give");
	if (has != NULL && should == NULL && !findings_enough(c->f)) {
		char *place = place_of(c, "derived", "");

		(void)findings_add(c->f, EH_E_ALTERED, CHECK_DERIVED, place, NULL, NULL,
		                   "%s is there but there are no valid samples" ALTERED, place);
		free(place);
	} else {
		cJSON_ArrayForEach(item, has) {
			char *place;

			if (cJSON_GetObjectItemCaseSensitive(should, item->string) != NULL ||
			    findings_enough(c->f))
				continue;
			place = place_of(c, "derived", item->string);
			(void)findings_add(c->f, EH_E_ALTERED, CHECK_DERIVED, place, item, NULL,
			                   "%s is there but does not follow from the samples" ALTERED,
			                   place);
			free(place);
		}
	}
}

static void check_seal(const row_check *c, const cJSON *row, const cJSON *seal)
{
	cJSON *is;
	char hex[65];
	char *place;

	json_digest(row, hex);
	if (cJSON_IsString(seal) && strcmp(hex, seal->valuestring) == 0)
		return;
	place = place_of(c, "", "");
	is = cJSON_CreateString(hex);
	(void)findings_add(c->f, EH_E_ALTERED, CHECK_DIGESTS, place, seal, is,
	                   "%s (%s) does not have the digest it was written with" ALTERED, place,
	                   json_string(row, "id", ""));
	cJSON_Delete(is);
	free(place);
}

void check_row(const cJSON *row, const row_given *given, findings *f)
{
	row_check c = { given->index, given->order, f };

	check_members(&c, CHECK_ROWS, row, given->plan, "", "protocol.canonical says");
	if (!findings_enough(f))
		check_executions_of(&c, row);
	if (!findings_enough(f))
		check_derived(&c, row, given->pool, given->arena);
	if (!findings_enough(f))
		check_seal(&c, row, given->seal);
}
