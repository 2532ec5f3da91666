/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/replan.h"

#include <string.h>

#include "base/text.h"
#include "plugin/plugin.h"
#include "protocol/plan.h"
#include "version.h"

/* malloc'd: which workload of the record is missing here, or is another one; NULL: none. */
static char *missing_workload(const record_planned_case_list *cases)
{
	for (size_t i = 0; i < cases->count; i++) {
		const record_planned_case *c = &cases->items[i];
		eh_error error = ERROR_INIT;
		const eh_workload *workload = plugin_find_workload(NULL, c->workload, &error);

		if (workload == NULL)
			return memory_format("the workload %.40s is not installed here", c->workload);
		if (workload->revision != c->revision)
			return memory_format("the workload %.40s has revision %u here, and %llu in the record",
			                     c->workload, (unsigned)workload->revision,
			                     (unsigned long long)c->revision);
	}
	return NULL;
}

static void take_programs(const plan *made, record_program_list *out)
{
	for (size_t i = 0; i < made->case_count; i++) {
		const eh_work *work = &made->cases[i].work;
		record_program *program = layout_append(record_program_layout(), out);

		if (work->kernel[0] == '\0')
			continue;
		text_set(&program->kernel, work->kernel);
		for (uint32_t k = 0; k < work->define_count; k++)
			text_list_format(&program->defines, "%s=%s", work->defines[k].name,
			                 work->defines[k].value);
	}
}

/* Another version may know other keys. */
static void give_up(const record_result *r, const eh_error *error, audit_planned *out)
{
	out->at_fault = strcmp(r->harness.version, EVENHAND_VERSION) == 0;
	out->why = memory_text(error->message);
}

void replan(const record_result *r, audit_planned *out)
{
	const char *words = r->protocol.text;
	protocol *p = NULL;
	plan *made = NULL;
	eh_error error = ERROR_INIT;

	if (protocol_parse(words, strlen(words), "protocol.text", &p, &error) != EH_OK) {
		give_up(r, &error, out);
		return;
	}
	protocol_take_plan(p, &r->protocol.canonical);
	out->why = missing_workload(&r->protocol.canonical.cases);
	if (out->why == NULL && plan_make(p, plugin_find_workload, NULL, &made, &error) != EH_OK)
		give_up(r, &error, out);
	if (made != NULL) {
		layout_copy(record_plan_layout(), made->canonical, &out->plan);
		take_programs(made, &out->programs);
		out->made = true;
	}
	plan_free(made);
	protocol_free(p);
}
