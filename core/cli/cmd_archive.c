/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/files.h"
#include "base/paths.h"
#include "base/text.h"
#include "cli/archiving.h"
#include "cli/case_pattern.h"
#include "cli/command.h"
#include "page/publish.h"
#include "report/kept.h"

typedef struct archive_options {
	const char *db, *mark, *out, *at, *author; /* NULL: not given                          */
	archive_filter filter;
	double margin;
	bool json, faster;
} archive_options;

/* What a form does with an open archive. */
typedef eh_status act(cli_call *call, archive *a, eh_error *error);

/* NULL, "2026-11", "2026-11-29T12": the beginning of a time, with a year at least. */
static eh_status check_time(const char *option, const char *words, eh_error *error)
{
	static const char form[] = "0000-00-00T00:00:00Z";
	size_t i = 0;

	while (words != NULL && words[i] != '\0' && form[i] != '\0' &&
	       (form[i] == '0' ? words[i] >= '0' && words[i] <= '9' : words[i] == form[i]))
		i++;
	if (words == NULL || (words[i] == '\0' && i >= 4))
		return EH_OK;
	return error_set(error, EH_E_USAGE, "--%s takes a time or its beginning, such as 2026-11, 2026-11-29 or "
	                 "2026-11-29T12:30, and not '%.40s'", option, words);
}

static eh_status check_times(const archive_options *o, eh_error *error)
{
	eh_status status = check_time("since", o->filter.since, error);

	if (status == EH_OK)
		status = check_time("until", o->filter.until, error);
	return status == EH_OK ? check_time("at", o->at, error) : status;
}

static eh_status with_archive(cli_call *call, bool make, act *does, eh_error *error)
{
	const archive_options *o = call->options;
	archive a;
	eh_status status = check_times(o, error);

	if (status == EH_OK)
		status = archiving_open(o->db, make, &a, error);
	if (status != EH_OK)
		return status;
	status = does(call, &a, error);
	archive_close(&a);
	return status;
}

/* ---- adding and naming ----------------------------------------------------------------------- */

static eh_status do_add(cli_call *call, archive *a, eh_error *error)
{
	const archive_options *o = call->options;
	archiving_counts counts = { 0 };
	text_list digests = { 0 };
	eh_status status = archiving_add(a, call->words, call->count, &counts, o->mark != NULL ? &digests : NULL, error);

	if (status == EH_OK && o->mark != NULL)
		status = archive_mark(a, o->mark, &digests, error);
	if (status == EH_OK || counts.added + counts.redacted > 0) {
		command_put(stdout, "%zu added, %zu were there", counts.added, counts.known);
		if (counts.redacted > 0)
			command_put(stdout, ", %zu took the place of a copy with fewer redactions", counts.redacted);
		command_put(stdout, ": %s\n", a->where);
	}
	text_list_clear(&digests);
	return status;
}

/* A file is added if need be; else the word names results of the archive. */
static eh_status digests_of(archive *a, const char *word, text_list *digests, eh_error *error)
{
	archiving_counts counts = { 0 };

	if (file_exists(word))
		return archiving_add(a, &word, 1, &counts, digests, error);
	return archive_find(a, word, digests, error);
}

static eh_status do_mark(cli_call *call, archive *a, eh_error *error)
{
	text_list digests = { 0 };
	eh_status status = EH_OK;

	for (size_t i = 1; i < call->count && status == EH_OK; i++)
		status = digests_of(a, call->words[i], &digests, error);
	if (status == EH_OK)
		status = archive_mark(a, call->words[0], &digests, error);
	if (status == EH_OK)
		command_put(stdout, "%s names %zu result%s: archive:%s stands for them where a command reads results\n",
		            call->words[0], digests.count, digests.count == 1 ? "" : "s", call->words[0]);
	text_list_clear(&digests);
	return status;
}

static eh_status do_annotate(cli_call *call, archive *a, eh_error *error)
{
	const archive_options *o = call->options;
	const archive_note note = { .at = (char *)text_or_empty((char *)o->at), .words = (char *)call->words[0],
		                    .author = (char *)text_or_empty((char *)o->author),
		                    .executor = (char *)text_or_empty((char *)o->filter.executor) };

	return archive_annotate(a, &note, error);
}

/* ---- asking ---------------------------------------------------------------------------------- */

/* The words of the call are patterns of cases. */
static eh_status cases_of(const cli_call *call, archive *a, text_list *out, eh_error *error)
{
	text_list all = { 0 };
	eh_status status = archive_cases(a, &all, error);
	char *source = memory_format("archive %s", a->where);

	for (size_t i = 0; i < call->count && status == EH_OK; i++)
		status = case_pattern_match(call->words[i], (const char *const *)all.items, all.count, source, out, error);
	free(source);
	text_list_clear(&all);
	return status;
}

static archive_filter filter_of(const cli_call *call, const text_list *cases, uint64_t last)
{
	const archive_options *o = call->options;
	archive_filter f = o->filter;

	f.cases = cases;
	f.last = command_given(call, "last") ? o->filter.last : last;
	return f;
}

/* Below a table that may have been cut. */
static void put_rest(const archive *a, const archive_filter *f, size_t count)
{
	if (f->last > 0 && count == f->last)
		command_put(stdout, "The newest %zu in %s; --last 0 lists all.\n", count, a->where);
}

static eh_status do_list(cli_call *call, archive *a, eh_error *error)
{
	const archive_options *o = call->options;
	const archive_filter f = filter_of(call, NULL, 20);
	archive_entry_list entries = { 0 };
	eh_status status = archive_list(a, &f, &entries, error);

	if (status == EH_OK && o->json)
		command_layout_list(archive_entry_layout(), &entries);
	else if (status == EH_OK && entries.count == 0)
		command_put(stdout, "no such result in %s\n", a->where);
	else if (status == EH_OK)
		kept_list(stdout, &entries);
	if (status == EH_OK && !o->json)
		put_rest(a, &f, entries.count);
	layout_list_clear(archive_entry_layout(), &entries);
	return status;
}

static eh_status do_query(cli_call *call, archive *a, eh_error *error)
{
	const archive_options *o = call->options;
	text_list cases = { 0 };
	archive_row_list rows = { 0 };
	eh_status status = cases_of(call, a, &cases, error);
	const archive_filter f = filter_of(call, &cases, 50);

	if (status == EH_OK)
		status = archive_query(a, &f, &rows, error);
	if (status == EH_OK && o->json)
		command_layout_list(archive_row_layout(), &rows);
	else if (status == EH_OK)
		kept_rows(stdout, &rows);
	if (status == EH_OK && !o->json)
		put_rest(a, &f, rows.count);
	layout_list_clear(archive_row_layout(), &rows);
	text_list_clear(&cases);
	return status;
}

static eh_status do_history(cli_call *call, archive *a, eh_error *error)
{
	const archive_options *o = call->options;
	text_list cases = { 0 };
	archive_history_list histories = { 0 };
	eh_status status = cases_of(call, a, &cases, error);
	const archive_filter f = filter_of(call, &cases, 500);

	if (status == EH_OK)
		status = archive_histories(a, &f, o->margin, &histories, error);
	if (status == EH_OK && o->json)
		command_layout_list(archive_history_layout(), &histories);
	else if (status == EH_OK && histories.count == 0)
		command_put(stdout, "no such result in %s\n", a->where);
	else if (status == EH_OK)
		kept_histories(stdout, &histories);
	layout_list_clear(archive_history_layout(), &histories);
	text_list_clear(&cases);
	return status;
}

static eh_status do_regressions(cli_call *call, archive *a, eh_error *error)
{
	const archive_options *o = call->options;
	text_list cases = { 0 };
	archive_change_list changes = { 0 };
	archive_looked looked;
	eh_status status = cases_of(call, a, &cases, error);
	const archive_filter f = filter_of(call, &cases, 0);

	if (status == EH_OK)
		status = archive_changes(a, &f, o->margin, o->faster, &changes, &looked, error);
	if (status == EH_OK && o->json)
		command_layout_list(archive_change_layout(), &changes);
	else if (status == EH_OK)
		kept_changes(stdout, &changes, &looked, o->margin);
	for (size_t i = 0; i < changes.count && status == EH_OK; i++)
		call->code = changes.items[i].speedup < 1 ? EXIT_CODE_NEGATIVE : call->code;
	layout_list_clear(archive_change_layout(), &changes);
	text_list_clear(&cases);
	return status;
}

/* ---- out of it ------------------------------------------------------------------------------- */

static eh_status add_entries(archive *a, const archive_filter *f, text_list *digests, eh_error *error)
{
	archive_entry_list entries = { 0 };
	eh_status status = archive_list(a, f, &entries, error);

	for (size_t i = 0; i < entries.count; i++)
		text_list_add(digests, entries.items[i].digest);
	layout_list_clear(archive_entry_layout(), &entries);
	return status;
}

static eh_status do_export(cli_call *call, archive *a, eh_error *error)
{
	const archive_options *o = call->options;
	const archive_filter f = filter_of(call, NULL, 0);
	text_list digests = { 0 };
	size_t written = 0;
	eh_status status = call->count == 0 ? add_entries(a, &f, &digests, error) : EH_OK;

	for (size_t i = 0; i < call->count && status == EH_OK; i++)
		status = archive_find(a, call->words[i], &digests, error);
	if (status == EH_OK)
		status = dir_make(o->out, error);
	for (size_t i = 0; i < digests.count && status == EH_OK; i++) {
		bool done = false;

		status = archiving_write(a, digests.items[i], o->out, &done, error);
		written += done;
	}
	if (status == EH_OK)
		command_put(stdout, "%zu result%s written, %zu were there: %s\n", written, written == 1 ? "" : "s",
		            digests.count - written, o->out);
	text_list_clear(&digests);
	return status;
}

static eh_status do_publish(cli_call *call, archive *a, eh_error *error)
{
	const archive_options *o = call->options;
	char *assets = paths_data("page"), *index = path_join(call->words[0], "index.html");
	const publish_options how = { .filter = filter_of(call, NULL, 200), .margin = o->margin, .assets = assets };
	publish_counts counts = { 0 };
	eh_status status = publish_archive(a, &how, call->words[0], &counts, error);

	if (status == EH_OK)
		command_put(stdout, "%s: %zu file%s written, %zu as they were, %zu removed\n", index, counts.written,
		            counts.written == 1 ? "" : "s", counts.same, counts.removed);
	free(index);
	free(assets);
	return status;
}

/* ---- the command ----------------------------------------------------------------------------- */

static eh_status run_add(cli_call *call, eh_error *error) { return with_archive(call, true, do_add, error); }
static eh_status run_list(cli_call *call, eh_error *error) { return with_archive(call, false, do_list, error); }
static eh_status run_query(cli_call *call, eh_error *error) { return with_archive(call, false, do_query, error); }
static eh_status run_history(cli_call *call, eh_error *error) { return with_archive(call, false, do_history, error); }
static eh_status run_regressions(cli_call *call, eh_error *error)
{
	return with_archive(call, false, do_regressions, error);
}
static eh_status run_export(cli_call *call, eh_error *error) { return with_archive(call, false, do_export, error); }
static eh_status run_publish(cli_call *call, eh_error *error) { return with_archive(call, false, do_publish, error); }
static eh_status run_mark(cli_call *call, eh_error *error) { return with_archive(call, false, do_mark, error); }
static eh_status run_annotate(cli_call *call, eh_error *error) { return with_archive(call, false, do_annotate, error); }

enum { ADD, LIST, QUERY, HISTORY, REGRESSIONS, PUBLISH, EXPORT, MARK, ANNOTATE };

#define ASKING                                                                                \
	(CLI_FORM(LIST) | CLI_FORM(QUERY) | CLI_FORM(HISTORY) | CLI_FORM(REGRESSIONS) | CLI_FORM(PUBLISH) | CLI_FORM(EXPORT))

const cli_command cmd_archive = {
	.name = "archive",
	.group = CLI_EVERYDAY,
	.summary = "keep results in a database, and find out what changed over time",
	.about = "The archive has the bytes of each result, once, with its signatures and amendments, and a row "
	         "for each of its cases. It is the file that --db or EVENHAND_ARCHIVE names, else "
	         "~/.local/share/evenhand/archive.db (SQLite); postgresql://USER@HOST/NAME is a database that "
	         "many machines share. Any number of programs may add at once.\n\n"
	         "`history` draws a case over time for each executor, device and protocol, and says where the "
	         "stack changed. `regressions` finds where a case became slower for good, and names the layers "
	         "that changed there; it needs five results on each side. `publish` writes all of it as pages "
	         "that need no server. Commands that read results take archive:MARK and archive:DIGEST for those "
	         "of the archive. docs/archive.md has examples and the tables.",
	.forms = (const cli_form[]){
		{ "add", { { "RESULT", .kind = OPTION_PATH, .many = true } },
		  "add results; those that are there stay as they are", run_add },
		{ "list", { { 0 } }, "list results, the newest first", run_list },
		{ "query", { { "CASE", .kind = OPTION_TEXT, .many = true } }, "list what results say of cases, the newest first",
		  run_query },
		{ "history", { { "CASE", .kind = OPTION_TEXT, .many = true } }, "draw cases over time", run_history },
		{ "regressions", { { "CASE", .kind = OPTION_TEXT, .optional = true, .many = true } },
		  "find cases that became slower for good", run_regressions },
		{ "publish", { { "DIR", .kind = OPTION_PATH } },
		  "write HTML pages over the archive, which need no server, into a folder of their own", run_publish },
		{ "export", { { "MARK|DIGEST", .kind = OPTION_TEXT, .optional = true, .many = true } },
		  "write results as they were added, with their signatures and amendments", run_export },
		{ "mark", { { "NAME", .kind = OPTION_TEXT }, { "RESULT|DIGEST", .kind = OPTION_PATH, .many = true } },
		  "give these results a name, and take it from others", run_mark },
		{ "annotate", { { "TEXT", .kind = OPTION_TEXT } }, "note what happened, for histories and regressions",
		  run_annotate }, { 0 } },
	.options = (const cli_option[]){
		{ "db", OPTION_TEXT, offsetof(archive_options, db), .about = "the archive", .value = "FILE|URL" },
		{ "mark", OPTION_TEXT, offsetof(archive_options, mark),
		  .about = "give the results this name, and take it from others", .value = "NAME", .forms = CLI_FORM(ADD) },
		{ "executor", OPTION_TEXT, offsetof(archive_options, filter.executor),
		  .about = "only executors with this part in their name; of annotate: what it is about", .value = "PART",
		  .forms = ASKING | CLI_FORM(ANNOTATE) },
		{ "device", OPTION_TEXT, offsetof(archive_options, filter.device),
		  .about = "only devices with this part in their name", .value = "PART", .forms = ASKING },
		{ "protocol", OPTION_TEXT, offsetof(archive_options, filter.protocol),
		  .about = "only protocols with this part in their name@version", .value = "PART", .forms = ASKING },
		{ "tester", OPTION_TEXT, offsetof(archive_options, filter.tester),
		  .about = "only testers with this part in their name", .value = "PART",
		  .forms = CLI_FORM(LIST) | CLI_FORM(EXPORT) },
		{ "since", OPTION_TEXT, offsetof(archive_options, filter.since),
		  .about = "only runs that began then or later, UTC, such as 2026-11 or 2026-11-29T12", .value = "TIME",
		  .forms = ASKING },
		{ "until", OPTION_TEXT, offsetof(archive_options, filter.until),
		  .about = "only runs that began then or earlier: all of that month, day or hour", .value = "TIME",
		  .forms = ASKING },
		{ "last", OPTION_NUMBER, offsetof(archive_options, filter.last),
		  .about = "at most so many, the newest; of history and publish for each line; 0: all; without it 20 of list, 50 of "
		           "query, 500 of history, 200 of publish, all of export", .value = "N", .low = 0, .high = 1e9,
		  .forms = CLI_FORM(LIST) | CLI_FORM(QUERY) | CLI_FORM(HISTORY) | CLI_FORM(PUBLISH) | CLI_FORM(EXPORT) },
		{ "margin", OPTION_SHARE, offsetof(archive_options, margin),
		  .about = "changes up to X of the time, such as 0.02 or 2%, count as none", .value = "X", .preset = "1%",
		  .low = OPTION_MARGIN_LEAST, .high = OPTION_MARGIN_MOST,
		  .forms = CLI_FORM(HISTORY) | CLI_FORM(REGRESSIONS) | CLI_FORM(PUBLISH) },
		{ "faster", OPTION_FLAG, offsetof(archive_options, faster), .about = "list changes for the better, too",
		  .forms = CLI_FORM(REGRESSIONS) },
		{ "output", OPTION_PATH, offsetof(archive_options, out), .about = "the folder to write into", .value = "DIR",
		  .letter = 'o', .required = true, .forms = CLI_FORM(EXPORT) },
		{ "at", OPTION_TEXT, offsetof(archive_options, at),
		  .about = "when it happened, UTC, such as 2026-11-29; without it now", .value = "TIME",
		  .forms = CLI_FORM(ANNOTATE) },
		{ "author", OPTION_TEXT, offsetof(archive_options, author), .about = "who says so", .value = "NAME",
		  .forms = CLI_FORM(ANNOTATE) },
		{ "json", OPTION_FLAG, offsetof(archive_options, json), .about = "print JSON",
		  .forms = CLI_FORM(LIST) | CLI_FORM(QUERY) | CLI_FORM(HISTORY) | CLI_FORM(REGRESSIONS) },
		{ 0 } },
	.size = sizeof(archive_options),
	.exits = (const cli_item[]){
		{ "1", "`regressions` found a case that became slower" },
		{ "5", "the archive cannot be opened, read or written" }, { NULL, NULL } },
	.examples = (const char *const[]){
		"evenhand archive add results/nightly --mark nightly",
		"evenhand archive history 'gemm f32' --executor cuda",
		"evenhand archive regressions --since 2026-11",
		"evenhand archive publish site",
		"evenhand compare archive:nightly results/today",
		"evenhand archive list --db postgresql://evenhand@db.example/evenhand", NULL },
};
