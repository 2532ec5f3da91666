/* SPDX-License-Identifier: Apache-2.0 */
#include "report/record_page.h"

#include "base/layout_describe.h"
#include "record/record.h"

/* "`flags`, `clock`", or a dash. */
static void add_rules(text *t, const char *follows)
{
	text_add(t, "%s%s%s", follows[0] != '\0' ? "`" : "-", follows, follows[0] != '\0' ? "`" : "");
}

static void add_statuses(text *t)
{
	const layout_words *words = record_status_words();

	text_add(t, "## Statuses\n\nFrom the mildest to the most severe.\n\n"
	         "| status | meaning | samples count | what to do | rules of the contract |\n"
	         "|---|---|---|---|---|\n");
	for (size_t i = 0; i < words->count; i++) {
		const record_mark *m = record_status_mark((enum record_status)words->items[i].value);

		text_add(t, "| `%s` | %s | %s | %s | ", m->word, m->sentence, m->counts ? "yes" : "no",
		         m->remedy);
		add_rules(t, m->follows);
		text_add(t, " |\n");
	}
}

static void add_flags(text *t)
{
	const layout_words *words = record_flag_words();

	text_add(t, "\n## Flags\n\nWhat is unusual about samples that still count.\n\n"
	         "| flag | meaning | what to do | rules of the contract |\n|---|---|---|---|\n");
	for (size_t i = 0; i < words->count; i++) {
		const record_mark *m = record_flag_mark((enum record_flag)words->items[i].value);

		text_add(t, "| `%s` | %s | %s | ", m->word, m->sentence, m->remedy);
		add_rules(t, m->follows);
		text_add(t, " |\n");
	}
}

bool report_record_page(FILE *out)
{
	const layout *const roots[] = {
		record_result_layout(), record_line_run_layout(), record_line_executor_layout(),
		record_line_instrument_layout(), record_line_case_layout(), record_line_pilot_layout(),
		record_line_noise_layout(), record_line_end_layout(), NULL
	};
	text t = { 0 };
	bool ok;

	add_statuses(&t);
	add_flags(&t);
	text_add(&t, "\n## Members\n\n");
	layout_markdown(roots, &t);
	ok = fwrite(t.data, 1, t.size - 1, out) == t.size - 1;
	text_free(&t);
	return ok;
}
