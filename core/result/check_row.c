/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/text.h"
#include "result/check.h"
#include "result/record.h"
#include "result/result.h"

#define ALTERED ": the file was altered"

typedef struct row_check {
	size_t index;
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

static void check_order(const row_check *c, const cJSON *row)
{
	const cJSON *e;
	uint64_t before = 0;
	size_t index = 0;

	cJSON_ArrayForEach(e, json_path(row, "executions")) {
		uint64_t number = 0;

		check_execution(c, e, index);
		(void)json_uint(e, "execution", &number);
		if (number <= before && !findings_enough(c->f)) {
			char *above = memory_format("executions[%zu]", index);
			char *place = place_of(c, above, "execution");

			(void)findings_add(c->f, EH_E_ALTERED, CHECK_ROWS, place, NULL, NULL,
			                   "%s is not above the one before it" ALTERED, place);
			free(place);
			free(above);
		}
		before = number;
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

void check_row(const cJSON *row, const record_pool *pool, const cJSON *plan, const cJSON *seal,
               size_t index, json_arena *arena, findings *f)
{
	row_check c = { index, f };

	check_members(&c, CHECK_ROWS, row, plan, "", "protocol.canonical says");
	if (!findings_enough(f))
		check_order(&c, row);
	if (!findings_enough(f))
		check_derived(&c, row, pool, arena);
	if (!findings_enough(f))
		check_seal(&c, row, seal);
}
