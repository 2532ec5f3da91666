/* SPDX-License-Identifier: Apache-2.0 */
/* The pages of an archive: index, what changed, an executor or a protocol, a case. */
#include <stdlib.h>
#include <string.h>

#include "base/markup.h"
#include "base/text.h"
#include "page/page_parts.h"
#include "page/publish_parts.h"

/* Rows of results on the page of a case, shared among its lines; of each at least so many. */
enum { ROWS = 4000, ROWS_LEAST = 20, INDEX_CHANGES = 10 };

/* ---- sentences ------------------------------------------------------------------------------- */

/* What the options left out. */
static void put_filter(FILE *out, const publishing *p)
{
	const publish_pick all = { 0 };
	char *selecting = publish_selecting(p, &all);

	if (selecting[0] != '\0')
		markup_put(out, "<li>A part of the archive, selected by <code>%s</code>.</li>\n", selecting + 1);
	free(selecting);
}

/* Of the lines that are picked: how many there are, and how many of their levels changed. */
static void put_answer(FILE *out, const publishing *p, const publish_pick *pick)
{
	size_t lines = 0, slower = 0, faster = 0;
	bool cut = false;

	for (size_t i = 0; i < p->line_count; i++) {
		const publish_line *l = &p->lines[i];

		if (!publish_picks(pick, l))
			continue;
		lines++;
		cut = cut || (p->o->filter.last > 0 && l->all > p->o->filter.last);
		for (size_t k = 0; k < l->changes; k++) {
			slower += p->changes[l->first_change + k].of.speedup < 1;
			faster += p->changes[l->first_change + k].of.speedup > 1;
		}
	}
	markup_put(out, "<ul class=\"answer\">\n<li><strong>%zu</strong> line%s, each a case on an executor and device "
	           "under a protocol: <strong>%zu</strong> lasting change%s for the worse, %zu for the better, of more "
	           "than %g %%.",
	           lines, lines == 1 ? "" : "s", slower, slower == 1 ? "" : "s", faster, p->o->margin * 100);
	if (cut)
		markup_put(out, " Of each line the newest %llu results count; <code>evenhand archive regressions</code> looks "
		           "at all.", (unsigned long long)p->o->filter.last);
	markup_put(out, "</li>\n");
	put_filter(out, p);
	markup_put(out, "</ul>\n");
}

/* ---- pages ----------------------------------------------------------------------------------- */

static eh_status put_notes(FILE *out, publishing *p, eh_error *error)
{
	archive_note_list notes = { 0 };
	eh_status status = archive_notes(p->a, &notes, error);

	if (notes.count > 0) {
		page_section(out, "notes", "Notes");
		publish_put_notes(out, &notes);
		markup_put(out, "</section>\n");
	}
	layout_list_clear(archive_note_layout(), &notes);
	return status;
}

eh_status publish_index(FILE *out, publishing *p, const publish_pick *pick, eh_error *error)
{
	eh_status status;

	markup_put(out, "<h1>Results over time</h1>\n");
	put_answer(out, p, pick);
	page_section(out, "changes", "What changed");
	publish_put_changes(out, p, pick, INDEX_CHANGES);
	markup_put(out, "</section>\n");
	page_section(out, "executors", "Executors");
	publish_put_groups(out, p, false);
	markup_put(out, "</section>\n");
	page_section(out, "protocols", "Protocols");
	publish_put_groups(out, p, true);
	markup_put(out, "</section>\n");
	page_section(out, "cases", "Cases");
	publish_put_lines(out, p, pick);
	markup_put(out, "</section>\n");
	page_section(out, "results", "Newest results");
	status = publish_put_results(out, p, error);
	markup_put(out, "</section>\n");
	return status == EH_OK ? put_notes(out, p, error) : status;
}

eh_status publish_changes(FILE *out, publishing *p, const publish_pick *pick, eh_error *error)
{
	(void)error;
	markup_put(out, "<h1>What changed</h1>\n");
	put_answer(out, p, pick);
	publish_put_changes(out, p, pick, PUBLISH_CHANGES);
	if (p->looked.few > 0)
		markup_put(out, "<p class=\"legend\">%llu of %llu lines have fewer than 10 values, too few for a lasting change; "
		           "<code>evenhand compare</code> tells two results apart.</p>\n", (unsigned long long)p->looked.few,
		           (unsigned long long)p->looked.lines);
	return EH_OK;
}

eh_status publish_group(FILE *out, publishing *p, const publish_pick *pick, eh_error *error)
{
	(void)error;
	markup_put(out, "<h1>%s %s</h1>\n", pick->executor != NULL ? "Executor" : "Protocol",
	           pick->executor != NULL ? pick->executor : pick->protocol);
	put_answer(out, p, pick);
	if (pick->protocol_digest != NULL)
		markup_put(out, "<p>Digest: <code class=\"digest\">%s</code></p>\n", pick->protocol_digest);
	page_section(out, "changes", "What changed");
	publish_put_changes(out, p, pick, PUBLISH_CHANGES);
	markup_put(out, "</section>\n");
	page_section(out, "cases", "Cases");
	publish_put_lines(out, p, pick);
	markup_put(out, "</section>\n");
	return EH_OK;
}

eh_status publish_case(FILE *out, publishing *p, const publish_pick *pick, eh_error *error)
{
	const archive_history_list *now = &p->now;
	size_t rows = ROWS / now->count > ROWS_LEAST ? ROWS / now->count : ROWS_LEAST;

	(void)error;
	markup_put(out, "<h1>Case %s</h1>\n", pick->id);
	if (pick->number > 1 || now->count == PUBLISH_CASE_LINES)
		markup_put(out, "<p>Page %zu of this case, with at most %d lines; <a href=\"index.html#cases\">the overview</a> and the "
		           "pages of executors lead to the others.</p>\n", pick->number, PUBLISH_CASE_LINES);
	put_answer(out, p, pick);
	if (now->count > 1)
		publish_put_lines(out, p, pick);
	for (size_t i = 0; i < now->count; i++)
		publish_history(out, p, &now->items[i], &p->lines[p->line_count - now->count + i], rows);
	return EH_OK;
}
