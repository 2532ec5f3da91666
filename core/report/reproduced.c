/* SPDX-License-Identifier: Apache-2.0 */
#include "report/reproduced.h"

#include <stdlib.h>

#include "base/json.h"
#include "base/text.h"
#include "report/attribution.h"
#include "report/comparison_parts.h"
#include "report/report.h"

static const char *word_of(const reproduction_case *c)
{
	return c->counts ? reproduction_answer_name(c->answer) : "-";
}

static bool show_cases(FILE *out, const reproduction *r, bool verbose)
{
	table *t = table_new("lllll");
	bool ok;

	table_row(t, (const char *const[]){ "case", "then", "here", "here / then [95 %]", "answer" });
	table_rule(t);
	for (size_t i = 0; i < r->numbers->cases.count; i++) {
		const reproduction_case *c = &r->cases[i];
		char then[FIGURE_SIZE], here[FIGURE_SIZE], ratio[FIGURE_SIZE];

		comparison_cells(c->row, then, here, ratio);
		table_row(t, (const char *const[]){ c->row->id, then, here, ratio, word_of(c) });
		if (c->why[0] != '\0')
			table_note(t, c->why);
		comparison_notes(t, c->row, verbose);
	}
	ok = table_print(t, out);
	table_free(t);
	return ok;
}

bool report_reproduction(FILE *out, const reproduction *r, bool verbose)
{
	char *line = memory_format("%s: of %zu cases %zu reproduced, %zu not reproduced, %zu "
	                           "inconclusive; %zu thing%s differ%s in the stack",
	                           reproduction_answer_name(r->answer),
	                           r->counts[REPRODUCTION_YES] + r->counts[REPRODUCTION_NO] +
	                                   r->counts[REPRODUCTION_INCONCLUSIVE],
	                           r->counts[REPRODUCTION_YES], r->counts[REPRODUCTION_NO],
	                           r->counts[REPRODUCTION_INCONCLUSIVE], r->stacks->group_count,
	                           r->stacks->group_count == 1 ? "" : "s",
	                           r->stacks->group_count == 1 ? "s" : "");
	bool ok = comparison_head(out, r->numbers, 1, verbose) &&
	          show_cases(out, r, verbose) && report_stack_difference(out, r->stacks) &&
	          fputc('\n', out) != EOF && table_wrap(out, line, 0);

	free(line);
	return ok;
}

cJSON *report_reproduction_json(const reproduction *r)
{
	cJSON *root = cJSON_CreateObject(), *list;

	json_add_string(root, "answer", reproduction_answer_name(r->answer));
	json_add_string(root, "then", r->before->path);
	json_add_string(root, "here", r->now->path);
	list = json_add_array(root, "cases");
	for (size_t i = 0; i < r->numbers->cases.count; i++) {
		cJSON *item = cJSON_CreateObject();

		json_add_string(item, "id", r->cases[i].row->id);
		json_add_string(item, "answer", word_of(&r->cases[i]));
		json_add_string(item, "why", r->cases[i].why);
		if (r->cases[i].row->speedup > 0)
			json_add_double(item, "margin", r->cases[i].row->margin);
		cJSON_AddItemToArray(list, item);
	}
	json_set(root, "groups", report_stack_groups_json(r->stacks));
	json_set(root, "comparison", layout_encode(comparison_layout(), r->numbers));
	return root;
}
