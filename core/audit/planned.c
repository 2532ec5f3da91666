/* SPDX-License-Identifier: Apache-2.0 */
#include "audit/planned.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

/* ---- the plan -------------------------------------------------------------------------------- */

/* Takes the place. */
static void member_differs(char *place, const layout_field *field, const void *stated,
                           const void *planned, findings *f)
{
	findings_differ(f, CHECK_TEXT, place, layout_member_text(field, stated),
	                layout_member_text(field, planned), "protocol.text declares");
	free(place);
}

/* The members of a case that differ, each once. */
static void compare_case(const record_planned_case *stated, const record_planned_case *planned,
                         size_t index, findings *f)
{
	const layout *l = record_planned_case_layout();

	for (size_t i = 0; i < l->count; i++)
		if (!layout_member_same(&l->fields[i], stated, planned))
			member_differs(memory_format("protocol.canonical.cases[%zu].%s", index,
			                             l->fields[i].key), &l->fields[i], stated, planned, f);
}

static void compare_cases(const record_plan *stated, const record_plan *planned, findings *f)
{
	if (stated->cases.count != planned->cases.count) {
		findings_differ(f, CHECK_TEXT, "protocol.canonical.cases",
		                memory_format("%zu cases", stated->cases.count),
		                memory_format("%zu", planned->cases.count), "protocol.text declares");
		return;
	}
	for (size_t i = 0; i < stated->cases.count; i++)
		compare_case(&stated->cases.items[i], &planned->cases.items[i], i, f);
}

static void compare_plans(const record_plan *stated, const record_plan *planned, findings *f)
{
	const layout *l = record_plan_layout();

	for (size_t i = 0; i < l->count; i++)
		if (strcmp(l->fields[i].key, "cases") != 0 &&
		    !layout_member_same(&l->fields[i], stated, planned))
			member_differs(memory_format("protocol.canonical.%s", l->fields[i].key),
			               &l->fields[i], stated, planned, f);
	compare_cases(stated, planned, f);
}

/* ---- the programs ---------------------------------------------------------------------------- */

static bool same_program(const record_program *ran, const record_program *planned)
{
	if (ran->kernel == NULL || planned->kernel == NULL)
		return true;
	if (strcmp(ran->kernel, planned->kernel) != 0 || ran->defines.count != planned->defines.count)
		return false;
	for (size_t i = 0; i < ran->defines.count; i++)
		if (strcmp(ran->defines.items[i], planned->defines.items[i]) != 0)
			return false;
	return true;
}

/* The tuned tier has defines of its own. */
static void compare_programs(const record_case *row, size_t index, const record_program *planned,
                             findings *f)
{
	for (size_t i = 0; i < row->executions.count && row->tier == RECORD_TIER_PORTABLE; i++) {
		const record_execution *e = &row->executions.items[i];
		char *place;

		if (!record_counts(e->status) || e->program == NULL || same_program(e->program, planned))
			continue;
		place = memory_format("cases[%zu].executions[%zu].program", index, i);
		(void)findings_add(f, EH_E_ALTERED, CHECK_TEXT, place, NULL, NULL,
		                   "%s is not the kernel of %s: its samples are of another case"
		                   FINDING_ALTERED, place, row->id);
		free(place);
	}
}

/* ---- the record ------------------------------------------------------------------------------ */

static void plan_head(result_watch *w, const record_result *head)
{
	audit_plan_check *c = w->context;
	audit_planned *planned = &c->planned;

	if (c->planner == NULL)
		return;
	layout_init(record_plan_layout(), &planned->plan);
	c->planner(head, planned);
	c->why = planned->why;
	planned->why = NULL;
	if (planned->made) {
		compare_plans(&head->protocol.canonical, &planned->plan, &c->found);
		c->programs = c->found.count == 0;
	} else if (planned->at_fault) {
		(void)findings_add(&c->found, EH_E_ALTERED, CHECK_TEXT, "protocol.text", NULL, NULL,
		                   "%s, so protocol.canonical cannot come from it" FINDING_ALTERED, c->why);
	}
	/* The programs are all that the rows need. */
	layout_clear(record_plan_layout(), &planned->plan);
}

static void plan_row(const result_watch *w, const record_result *head, const record_case *row,
                     size_t index, findings *f)
{
	const audit_plan_check *c = w->context;

	(void)head;
	if (c->programs && index < c->planned.programs.count)
		compare_programs(row, index, &c->planned.programs.items[index], f);
}

void audit_plan_check_begin(audit_plan_check *c, audit_planner *planner)
{
	*c = (audit_plan_check){ .watch = { .head = plan_head, .row = plan_row, .context = c },
		                 .planner = planner };
	if (planner == NULL)
		c->why = memory_text("workloads are needed for it");
}

char *audit_plan_check_end(audit_plan_check *c, findings *f)
{
	char *why = c->why;

	if (c->planned.made || c->planned.at_fault) {
		free(why);
		why = NULL;
	}
	findings_move(f, &c->found);
	findings_move(f, &c->watch.found);
	layout_list_clear(record_program_layout(), &c->planned.programs);
	return why;
}
