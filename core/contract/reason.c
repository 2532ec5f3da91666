/* SPDX-License-Identifier: Apache-2.0 */
/* Which rules fire for two sides.  What fires for one side is its evidence, which is not judged
 * again here. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "contract/condition.h"
#include "contract/evidence.h"

/* ---- one reason ------------------------------------------------------------------------------ */

enum contract_level reason_add(contract_reason_list *reasons, const contract_rule *rule,
                               bool certified, const char *detail)
{
	contract_reason *reason = layout_append(contract_reason_layout(), reasons);

	text_set(&reason->rule, rule->id);
	text_set(&reason->sentence, rule->condition);
	text_set(&reason->detail, detail);
	reason->level = certified ? rule->certified : rule->level;
	return reason->level;
}

bool reason_asked(const contract_rule *rule, bool certified)
{
	return certified || rule->level > CONTRACT_COMPARABLE || rule->certified == CONTRACT_COMPARABLE;
}

static enum contract_level more_severe(enum contract_level a, enum contract_level b)
{
	return a > b ? a : b;
}

bool contract_cites(const contract_reason_list *reasons, const char *id)
{
	for (size_t i = 0; i < reasons->count; i++)
		if (strcmp(reasons->items[i].rule, id) == 0)
			return true;
	return false;
}

/* ---- two sides ------------------------------------------------------------------------------- */

/* malloc'd "SIDE: DETAIL", or the side alone. */
static char *told_of(const char *side, const contract_reason *reason)
{
	return reason->detail[0] != '\0' ? memory_format("%s: %s", side, reason->detail)
	                                 : memory_text(side);
}

/* malloc'd: which sides, and what there is to each; at least one fires. */
static char *told(const contract_reason *a, const contract_reason *b)
{
	char *first, *second, *both;

	if (a == NULL || b == NULL)
		return told_of(a != NULL ? "baseline" : "other", a != NULL ? a : b);
	if (strcmp(a->detail, b->detail) == 0)
		return told_of("both", a);
	first = told_of("baseline", a);
	second = told_of("other", b);
	both = memory_format("%s; %s", first, second);
	free(second);
	free(first);
	return both;
}

/* malloc'd detail of a rule that fires; else NULL. */
static char *fires(const comparison *c, const contract_rule *rule, const comparison_row *row,
                   const evidence *of_a, const evidence *of_b)
{
	const contract_reason *a = evidence_reason(of_a, rule->id);
	const contract_reason *b = evidence_reason(of_b, rule->id);
	const result_row *x = row != NULL ? row->a : NULL;
	const result_row *y = row != NULL ? row->b : NULL;
	char detail[256] = "";

	if (a != NULL || b != NULL)
		return told(a, b);
	return rule->pair != NULL && rule->pair(c->a, c->b, x, y, detail, sizeof(detail)) ?
	       memory_text(detail) : NULL;
}

enum contract_level reasons_fill(const comparison *c, enum contract_scope scope,
                                 const comparison_row *row, const evidence *of_a,
                                 const evidence *of_b, contract_reason_list *reasons)
{
	const contract_rule_list *rules = &contract_rules()->rules;
	enum contract_level level = CONTRACT_COMPARABLE;

	for (size_t i = 0; i < rules->count; i++) {
		const contract_rule *rule = &rules->items[i];
		char *detail = rule->scope == scope && reason_asked(rule, c->certified) ?
		               fires(c, rule, row, of_a, of_b) : NULL;

		if (detail == NULL)
			continue;
		level = more_severe(level, reason_add(reasons, rule, c->certified, detail));
		free(detail);
		/* Without a case on both sides the other rules have nothing to look at. */
		if (rule->pair == condition_absent)
			break;
	}
	return level;
}

/* The id must be in the table. */
static const contract_rule *rule_of(const char *id)
{
	const contract_rule_list *rules = &contract_rules()->rules;

	for (size_t i = 0; i < rules->count; i++)
		if (strcmp(rules->items[i].id, id) == 0)
			return &rules->items[i];
	abort();
}

void reason_judged(const comparison *c, comparison_row *row, const char *id, const char *detail)
{
	row->level = more_severe(row->level, reason_add(&row->reasons, rule_of(id), c->certified, detail));
}

void reason_whole(comparison *c, const char *id, const char *detail)
{
	c->level = more_severe(c->level, reason_add(&c->reasons, rule_of(id), c->certified, detail));
}
