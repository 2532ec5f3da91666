/* SPDX-License-Identifier: Apache-2.0 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files.h"
#include "base/paths.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/comparing.h"
#include "page/page.h"
#include "report/grid.h"

typedef struct report_options {
	const char *out, *baseline, *agreed; /* NULL: not given                                */
	option_list cases;
	bool force;
} report_options;

/* ---- where it goes --------------------------------------------------------------------------- */

/* malloc'd: of one folder in it, else in the current one. */
static char *default_path(const cli_input *groups, size_t count)
{
	struct stat info;

	if (count == 1 && stat(groups[0].word, &info) == 0 && S_ISDIR(info.st_mode))
		return path_join(groups[0].word, "report.html");
	return memory_text("report.html");
}

/* A file that is there is replaced when it is a report. */
static eh_status refuse_other(const char *path, eh_error *error)
{
	char start[sizeof(PAGE_BEGINS)] = "";
	int fd = file_open_at(AT_FDCWD, path, O_RDONLY);
	ssize_t got;

	if (fd < 0)
		return EH_OK;
	got = read(fd, start, sizeof(start) - 1);
	close(fd);
	if (got == (ssize_t)sizeof(start) - 1 && memcmp(start, PAGE_BEGINS, (size_t)got) == 0)
		return EH_OK;
	return error_set(error, EH_E_USAGE, "%s is there and is no report of evenhand; name another file with -o, "
	                 "or replace it with --force", path);
}

static eh_status write_page(const grid *g, const char *path, eh_error *error)
{
	char *body = NULL;
	size_t size;
	FILE *memory = memory_insist(open_memstream(&body, &size));
	char *folder = paths_data("page");
	eh_status status = page_report(memory, g, folder, error);

	free(folder);
	(void)fclose(memory);
	if (status == EH_OK)
		status = file_write(path, body, size, error);
	free(body);
	return status;
}

/* ---- the command ----------------------------------------------------------------------------- */

static eh_status write_report(const report_options *o, const comparing *c, eh_error *error)
{
	char *path = o->out != NULL ? memory_text(o->out) : default_path(c->groups, c->count);
	eh_status status = o->force ? EH_OK : refuse_other(path, error);
	grid g;

	if (status == EH_OK) {
		grid_make(&g, c->report->comparisons.items, c->report->comparisons.count, c->mode);
		status = write_page(&g, path, error);
		grid_clear(&g);
	}
	if (status == EH_OK)
		command_put(stdout, "report: %s\n", path);
	free(path);
	return status;
}

static eh_status report(cli_call *call, eh_error *error)
{
	const report_options *o = call->options;
	const comparing_options asked = { .baseline = o->baseline, .cases = o->cases, .agreed = o->agreed,
		                          .alone = true };
	comparing c;
	eh_status status = comparing_make(call, &asked, &c, error);

	if (status != EH_OK)
		return status;
	status = write_report(o, &c, error);
	call->code = comparing_refused(&c);
	comparing_free(&c);
	return status;
}

const cli_command cmd_report = {
	.name = "report",
	.group = CLI_EVERYDAY,
	.summary = "write results as one HTML page that anybody can open",
	.about = "The page has the grid of `evenhand compare` with an answer in a sentence, all values with "
	         "their intervals, charts of the samples and sensors, what limits the cases, which layers "
	         "differ and who owns them, the rules that fired, what was not measured and why, the "
	         "protocol, and how to measure the same again. It is one file that loads nothing: send it, "
	         "print it, put it on a web server. Of one result it shows that one. docs/report.md explains "
	         "the page.\n\n"
	         "Who is compared with whom is as in `evenhand compare`. Without -o the page is report.html "
	         "in the folder that is named, or here.",
	.forms = (const cli_form[]){
		{ NULL, { { "RESULT", .kind = OPTION_PATH, .many = true } }, NULL, report }, { 0 } },
	.options = (const cli_option[]){
		{ "output", OPTION_PATH, offsetof(report_options, out), .about = "the file to write",
		  .value = "FILE", .letter = 'o' },
		CLI_BASELINE(report_options),
		CLI_AGREED(report_options),
		CLI_CASES(report_options),
		{ "force", OPTION_FLAG, offsetof(report_options, force),
		  .about = "replace a file that is no report" }, { 0 } },
	.size = sizeof(report_options),
	.exits = (const cli_item[]){
		{ "3", "a result was altered or, with --agreed, is not as agreed; the page says so then" },
		{ NULL, NULL } },
	.examples = (const char *const[]){
		"evenhand report results/quick-1",
		"evenhand report before.json after.json -o update.html",
		"evenhand report results/monday results/tuesday -o week.html", NULL },
	.altered = EXIT_CODE_NOT_COMPARABLE,
};
