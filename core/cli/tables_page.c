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

/* The step that archives of this program are at: that of a new one, in memory. */
static uint64_t archive_step(void)
{
	archive a;
	db_rows *rows;
	uint64_t step = 0;

	if (archive_open(":memory:", true, &a, NULL) != EH_OK)
		return 0;
	if (db_query(a.db, "SELECT value FROM meta WHERE name = 'steps'", NULL, 0, &rows, NULL) == EH_OK) {
		step = db_next(rows) ? (uint64_t)db_integer(rows, 0) : 0;
		(void)db_end(rows, NULL);
	}
	archive_close(&a);
	return step;
}

void tables_page_print(bool json)
{
	const layout *const roots[] = { record_result_layout(), export_case_layout(), export_sample_layout(),
		                        archive_entry_layout(), archive_row_layout(), archive_note_layout(), NULL };
	text t = { 0 };

	if (!json)
		text_add(&t, "%s", python_head);
	text_add(&t, "{\"format_version\": %d,\n\"archive_step\": %llu,\n\"file_most\": %zu,\n", RESULT_FORMAT_VERSION,
	         (unsigned long long)archive_step(), LIMIT_FILE);
	layout_tables(roots, &t);
	add_counting(&t);
	add_units(&t);
	text_add(&t, "}");
	command_json(t.data);
}
