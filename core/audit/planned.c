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

static void compare(const record_result *r, const audit_planned *planned, findings *f)
{
	size_t before = f->count;

	compare_plans(&r->protocol.canonical, &planned->plan, f);
	if (f->count > before)
		return;
	for (size_t i = 0; i < r->cases.count && i < planned->programs.count; i++)
		compare_programs(&r->cases.items[i], i, &planned->programs.items[i], f);
}

char *audit_check_plan(const record_result *r, audit_planner *plan, findings *f)
{
	audit_planned planned = { .made = false };
	char *why = NULL;

	if (plan == NULL)
		return memory_text("workloads are needed for it");
	layout_init(record_plan_layout(), &planned.plan);
	plan(r, &planned);
	if (planned.made) {
		compare(r, &planned, f);
	} else if (planned.at_fault) {
		(void)findings_add(f, EH_E_ALTERED, CHECK_TEXT, "protocol.text", NULL, NULL,
		                   "%s, so protocol.canonical cannot come from it" FINDING_ALTERED,
		                   planned.why);
	} else {
		why = planned.why;
		planned.why = NULL;
	}
	free(planned.why);
	layout_clear(record_plan_layout(), &planned.plan);
	layout_list_clear(record_program_layout(), &planned.programs);
	return why;
}
