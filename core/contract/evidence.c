/* SPDX-License-Identifier: Apache-2.0 */
#include "contract/evidence.h"

#include <stdlib.h>
#include <string.h>

#include "base/parallel.h"
#include "contract/condition.h"

static enum evidence_level level_of(enum contract_level level)
{
	switch (level) {
	case CONTRACT_CAVEAT: return EVIDENCE_CAVEATED;
	case CONTRACT_DESCRIPTION: return EVIDENCE_UNPROVEN;
	case CONTRACT_REFUSED: return EVIDENCE_BAD;
	default: return EVIDENCE_GOOD;
	}
}

static void add(evidence *e, const contract_rule *rule, bool certified, const char *detail)
{
	enum evidence_level level = level_of(reason_add(&e->reasons, rule, certified, detail));

	/* What is suspected and not settled is compared, but it is more than a caveat. */
	if (level < EVIDENCE_UNPROVEN && rule->alone == side_unproven)
		level = EVIDENCE_UNPROVEN;
	e->level = level > e->level ? level : e->level;
}

static void ask(const result *r, const result_row *row, bool certified, evidence *out)
{
	const contract_rule_list *rules = &contract_rules()->rules;
	enum contract_scope scope = row != NULL ? CONTRACT_CASE : CONTRACT_RESULT;

	for (size_t i = 0; i < rules->count; i++) {
		const contract_rule *rule = &rules->items[i];
		char detail[256] = "";

		if (rule->scope != scope || rule->alone == NULL || !reason_asked(rule, certified) ||
		    !rule->alone(r, row, detail, sizeof(detail)))
			continue;
		add(out, rule, certified, detail);
		/* Of a case that did not run there is no more to say. */
		if (rule->alone == side_absent)
			break;
	}
}

void evidence_judge_row(const result *r, const result_row *row, const evidence *whole,
                        bool certified, evidence *out)
{
	out->level = whole->level;
	ask(r, row, certified, out);
	result_row_rest(r, row);
}

void evidence_judge(const result *r, const result_row *row, bool certified, evidence *out)
{
	evidence whole;

	layout_init(evidence_layout(), &whole);
	whole.level = EVIDENCE_GOOD;
	ask(r, NULL, certified, &whole);
	if (row != NULL) {
		evidence_judge_row(r, row, &whole, certified, out);
		layout_clear(evidence_layout(), &whole);
	} else {
		*out = whole;
	}
}

/* ---- all rows -------------------------------------------------------------------------------- */

typedef struct judging { evidence_table *table; bool certified; } judging;

static void judge_one(void *context, size_t i)
{
	const judging *j = context;

	layout_init(evidence_layout(), &j->table->rows[i]);
	evidence_judge_row(j->table->of, &j->table->of->rows[i], &j->table->whole, j->certified,
	                   &j->table->rows[i]);
}

evidence_table evidence_judge_all(const result *r, bool certified)
{
	evidence_table t = { .of = r, .rows = memory_get((r->row_count + 1) * sizeof(*t.rows)) };
	judging j = { &t, certified };

	layout_init(evidence_layout(), &t.whole);
	evidence_judge(r, NULL, certified, &t.whole);
	parallel_each(r->row_count, judge_one, &j);
	return t;
}

void evidence_table_free(evidence_table *t)
{
	for (size_t i = 0; i < t->of->row_count; i++)
		layout_clear(evidence_layout(), &t->rows[i]);
	layout_clear(evidence_layout(), &t->whole);
	free(t->rows);
}

/* ---- reasons --------------------------------------------------------------------------------- */

const contract_reason *evidence_reason(const evidence *e, const char *id)
{
	for (size_t i = 0; e != NULL && i < e->reasons.count; i++)
		if (strcmp(e->reasons.items[i].rule, id) == 0)
			return &e->reasons.items[i];
	return NULL;
}

const contract_reason *evidence_worst(const evidence *e)
{
	const contract_reason *worst = NULL;

	for (size_t i = 0; i < e->reasons.count; i++)
		if (worst == NULL || e->reasons.items[i].level > worst->level)
			worst = &e->reasons.items[i];
	return worst;
}
