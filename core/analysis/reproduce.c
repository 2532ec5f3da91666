/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/reproduce.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/stacks.h"
#include "base/text.h"

/* ---- one case -------------------------------------------------------------------------------- */

static bool unsupported(const result_row *row)
{
	return row != NULL && row->record->status == RECORD_UNSUPPORTED;
}

/* malloc'd; NULL for a case that is reproduced. */
static char *why_not(const comparison_row *row)
{
	char *rules, *why;

	switch (row->verdict) {
	case VERDICT_EQUIVALENT:
		return NULL;
	case VERDICT_FASTER:
	case VERDICT_SLOWER:
		return memory_format("%s here, the speed-up is %.3g",
		                     row->verdict == VERDICT_FASTER ? "faster" : "slower", row->speedup);
	case VERDICT_ABSENT:
		return memory_text("not measured on both sides");
	case VERDICT_INCONCLUSIVE:
		return memory_format("the interval reaches beyond %.2f %%", row->margin * 100);
	default:
		rules = analysis_rules_against(row);
		why = memory_format("no verdict: %s", rules[0] != '\0' ? rules : "the results as a whole do "
		                    "not compare");
		free(rules);
		return why;
	}
}

static enum reproduction_answer answer_of(const comparison_row *row)
{
	if (unsupported(row->a) && unsupported(row->b))
		return REPRODUCTION_NOTHING;
	if (row->verdict == VERDICT_EQUIVALENT)
		return REPRODUCTION_YES;
	return row->verdict == VERDICT_FASTER || row->verdict == VERDICT_SLOWER
	               ? REPRODUCTION_NO : REPRODUCTION_INCONCLUSIVE;
}

static void judge(reproduction_case *c, const comparison_row *row)
{
	c->id = memory_text(row->id);
	c->answer = answer_of(row);
	c->why = c->answer == REPRODUCTION_NOTHING ? memory_text("unsupported both times") : why_not(row);
	c->margin = row->margin;
}

/* ---- all ------------------------------------------------------------------------------------- */

static uint64_t count_of(const reproduction *r, enum reproduction_answer answer)
{
	uint64_t count = 0;

	for (size_t i = 0; i < r->cases.count; i++)
		count += r->cases.items[i].answer == answer;
	return count;
}

void reproduce_judge(const result *before, const result *now, reproduction *out)
{
	contract_options options = { .margin = REPRODUCE_MATERIAL };

	out->then = memory_text(before->path);
	out->here = memory_text(now->path);
	contract_compare_into(&out->comparison, before, now, options);
	out->followers = stacks_compare(&before->record->executor, &now->record->executor, false,
	                                &out->groups);
	for (size_t i = 0; i < out->comparison.cases.count; i++)
		judge(layout_append(reproduction_case_layout(), &out->cases),
		      &out->comparison.cases.items[i]);
	out->reproduced = count_of(out, REPRODUCTION_YES);
	out->not_reproduced = count_of(out, REPRODUCTION_NO);
	out->inconclusive = count_of(out, REPRODUCTION_INCONCLUSIVE);
	if (out->not_reproduced > 0)
		out->answer = REPRODUCTION_NO;
	else
		out->answer = out->inconclusive > 0 || out->reproduced == 0 ? REPRODUCTION_INCONCLUSIVE
		                                                            : REPRODUCTION_YES;
}

/* ---- the plan -------------------------------------------------------------------------------- */

static const record_planned_case *case_of(const record_plan *plan, const char *id)
{
	for (size_t i = 0; i < plan->cases.count; i++)
		if (strcmp(plan->cases.items[i].id, id) == 0)
			return &plan->cases.items[i];
	return NULL;
}

/* malloc'd: what differs in one case; NULL when nothing does. */
static char *case_difference(const record_planned_case *before, const record_planned_case *here)
{
	const layout_field *f;

	if (here == NULL)
		return memory_format("the case %s is not in it", before->id);
	if (before->revision != here->revision)
		return memory_format("the workload %s has revision %llu here and had %llu then: another "
		                     "kernel or another count of its work", before->workload,
		                     (unsigned long long)here->revision,
		                     (unsigned long long)before->revision);
	f = layout_difference(record_planned_case_layout(), before, here);
	return f != NULL ? memory_format("the case %s has another %s", before->id, f->key) : NULL;
}

char *reproduce_plan_difference(const record_plan *before, const record_plan *here)
{
	char then_digest[65], here_digest[65], *what = NULL;
	const layout_field *f;

	layout_digest(record_plan_layout(), before, then_digest);
	layout_digest(record_plan_layout(), here, here_digest);
	if (strcmp(then_digest, here_digest) == 0)
		return NULL;
	for (size_t i = 0; i < before->cases.count && what == NULL; i++)
		what = case_difference(&before->cases.items[i], case_of(here, before->cases.items[i].id));
	f = layout_difference(record_plan_layout(), before, here);
	return what != NULL ? what : memory_format("%s differs", f != NULL ? f->key : "its order");
}
