/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/reproduce.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/text.h"
#include "version.h"

/* ---- one case -------------------------------------------------------------------------------- */

/* The rules that stand against a verdict, "a, b". */
static void rules_against(const comparison_row *row, char *out, size_t size)
{
	size_t used = 0;

	out[0] = '\0';
	for (size_t i = 0; i < row->reasons.count; i++)
		if (row->reasons.items[i].level >= CONTRACT_DESCRIPTION && used + 1 < size) {
			int n = snprintf(out + used, size - used, "%s%s", used > 0 ? ", " : "",
			                 row->reasons.items[i].rule);

			used += n > 0 ? (size_t)n : 0;
		}
}

static bool unsupported(const result_row *row)
{
	return row != NULL && strcmp(row->status, "unsupported") == 0;
}

static void judge(reproduction_case *c)
{
	const comparison_row *row = c->row;
	char rules[120];

	rules_against(row, rules, sizeof(rules));
	c->answer = REPRODUCTION_INCONCLUSIVE;
	c->counts = !(unsupported(row->a) && unsupported(row->b));
	if (!c->counts) {
		(void)snprintf(c->why, sizeof(c->why), "unsupported both times");
		return;
	}
	switch (row->verdict) {
	case VERDICT_EQUIVALENT:
		c->answer = REPRODUCTION_YES;
		break;
	case VERDICT_FASTER:
	case VERDICT_SLOWER:
		c->answer = REPRODUCTION_NO;
		(void)snprintf(c->why, sizeof(c->why), "%s here by more than %.2f %%",
		               row->verdict == VERDICT_FASTER ? "faster" : "slower", row->margin * 100);
		break;
	case VERDICT_ABSENT:
		(void)snprintf(c->why, sizeof(c->why), "measured on one side only");
		break;
	case VERDICT_INCONCLUSIVE:
		(void)snprintf(c->why, sizeof(c->why), "the interval reaches beyond %.2f %%",
		               row->margin * 100);
		break;
	default:
		(void)snprintf(c->why, sizeof(c->why), "no verdict: %s",
		               rules[0] != '\0' ? rules : "the results as a whole do not compare");
	}
}

/* ---- all ------------------------------------------------------------------------------------- */

reproduction *reproduce_judge(const result *before, const result *now)
{
	contract_options options = { .margin = REPRODUCE_MATERIAL };
	reproduction *r = memory_get(sizeof(*r));

	r->before = before;
	r->now = now;
	r->numbers = contract_compare_with(before, now, options);
	r->stacks = stacks_compare(json_path(before->root, "executor"), json_path(now->root, "executor"),
	                           false);
	r->cases = memory_get((r->numbers->cases.count + 1) * sizeof(*r->cases));
	for (size_t i = 0; i < r->numbers->cases.count; i++) {
		r->cases[i].row = &r->numbers->cases.items[i];
		judge(&r->cases[i]);
		if (r->cases[i].counts)
			r->counts[r->cases[i].answer]++;
	}
	if (r->counts[REPRODUCTION_NO] > 0)
		r->answer = REPRODUCTION_NO;
	else if (r->counts[REPRODUCTION_INCONCLUSIVE] > 0 || r->counts[REPRODUCTION_YES] == 0)
		r->answer = REPRODUCTION_INCONCLUSIVE;
	return r;
}

void reproduction_free(reproduction *r)
{
	if (r == NULL)
		return;
	comparison_free(r->numbers);
	stacks_free(r->stacks);
	free(r->cases);
	free(r);
}

const char *reproduction_answer_name(enum reproduction_answer answer)
{
	static const char *const names[] = { "reproduced", "not reproduced", "inconclusive" };

	return names[answer];
}

/* ---- the plan -------------------------------------------------------------------------------- */

static const cJSON *case_of(const cJSON *cases, const char *id)
{
	const cJSON *item;

	cJSON_ArrayForEach(item, cases)
		if (strcmp(json_string(item, "id", ""), id) == 0)
			return item;
	return NULL;
}

/* What differs in one case, malloc'd; NULL when nothing does. */
static char *case_difference(const cJSON *before, const cJSON *here)
{
	uint64_t x = 0, y = 0;
	const cJSON *member;

	(void)json_uint(before, "revision", &x);
	(void)json_uint(here, "revision", &y);
	if (x != y)
		return memory_format("the workload %s has revision %llu here and had %llu then: another "
		                     "kernel or another count of its work",
		                     json_string(before, "workload", ""), (unsigned long long)y,
		                     (unsigned long long)x);
	cJSON_ArrayForEach(member, before)
		if (!json_same(member, cJSON_GetObjectItemCaseSensitive(here, member->string)))
			return memory_format("the case %s has another %s", json_string(before, "id", ""),
			                     member->string);
	return json_same(before, here) ? NULL :
	       memory_format("the case %s has something more here", json_string(before, "id", ""));
}

char *reproduce_plan_difference(const result *before, const cJSON *canonical, const char *digest)
{
	const cJSON *then = json_path(before->root, "protocol.canonical"), *item;
	const cJSON *cases = json_path(canonical, "cases");
	const char *version = json_string(json_path(before->root, "harness"), "version", "?");
	char *what = NULL, *all;

	if (strcmp(before->protocol_digest, digest) == 0)
		return NULL;
	cJSON_ArrayForEach(item, json_path(then, "cases")) {
		const cJSON *other = case_of(cases, json_string(item, "id", ""));

		if (what != NULL)
			break;
		what = other != NULL ? case_difference(item, other) :
		       memory_format("the case %s is not made of it here", json_string(item, "id", ""));
	}
	cJSON_ArrayForEach(item, then)
		if (what == NULL && !json_same(item, cJSON_GetObjectItemCaseSensitive(canonical,
		                                                                    item->string)))
			what = memory_format("it has another %s", item->string);
	all = memory_format("this program (%s) makes another plan of the protocol's text than the one "
	                    "that measured (%s): %s", EVENHAND_VERSION, version,
	                    what != NULL ? what : "it has something more here");
	free(what);
	return all;
}
