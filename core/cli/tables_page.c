/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/tables_page.h"

#include <stdio.h>

#include "archive/archive.h"
#include "base/json.h"
#include "base/layout_describe.h"
#include "base/limits.h"
#include "cli/command.h"
#include "record/result.h"
#include "report/export.h"
#include "report/figure.h"
#include "version.h"

static const char python_head[] =
	"# SPDX-License-Identifier: Apache-2.0\n"
	"\"\"\"What results, exports and archives hold.  Written by make manual from core/record/record.def,\n"
	"core/report/export.def and core/archive/archive.def.\"\"\"\n\n"
	"VERSION = \"" EVENHAND_VERSION "\"\n\n"
	"TABLES = ";

/* The statuses whose samples count. */
static void add_counting(text *t)
{
	const layout_words *words = record_status_words();
	const char *between = "";

	text_add(t, ",\n\"counts\": [");
	for (size_t i = 0; i < words->count; i++) {
		if (!record_counts((enum record_status)words->items[i].value))
			continue;
		text_add(t, "%s\"%s\"", between, words->items[i].word);
		between = ", ";
	}
	text_add(t, "]");
}

/* The units that exports have for metrics. */
static void add_units(text *t)
{
	const layout_words *words = record_metric_words();

	text_add(t, ",\n\"units\": {");
	for (size_t i = 0; i < words->count; i++)
		text_add(t, "%s\"%s\": \"%s\"", i > 0 ? ", " : "", words->items[i].word,
		         figure_unit((enum record_metric)words->items[i].value));
	text_add(t, "}");
}

void tables_page_print(bool json)
{
	const layout *const roots[] = { record_result_layout(), export_case_layout(), export_sample_layout(),
		                        archive_entry_layout(), archive_row_layout(), archive_note_layout(), NULL };
	text t = { 0 };

	if (!json)
		text_add(&t, "%s", python_head);
	text_add(&t, "{\"format_version\": %d,\n\"archive_step\": %llu,\n\"file_most\": %zu,\n", RESULT_FORMAT_VERSION,
	         (unsigned long long)archive_steps(), LIMIT_FILE);
	layout_tables(roots, &t);
	add_counting(&t);
	add_units(&t);
	text_add(&t, "}");
	command_json(t.data);
}
