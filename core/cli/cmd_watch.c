/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "archive/archive.h"
#include "base/paths.h"
#include "base/text.h"
#include "cli/timer.h"
#include "cli/topics.h"
#include "cli/watch_once.h"
#include "plugin/host.h"
#include "protocol/protocol.h"

/* ---- what the timer runs --------------------------------------------------------------------- */

/* malloc'd: the path wherever the timer runs. */
static char *whole(const char *path)
{
	char *here = path[0] != '/' ? getcwd(NULL, 0) : NULL;
	char *out = here != NULL ? memory_format("%s/%s", here, path) : memory_text(path);

	free(here);
	return out;
}

/* Evenhand's own variables but for those with secrets or about a terminal. */
static bool is_carried(const char *name)
{
	return (strncmp(name, "EVENHAND_", 9) == 0 || strncmp(name, "XDG_", 4) == 0 || strcmp(name, "TMPDIR") == 0) &&
	       strcmp(name, "EVENHAND_KEY_PASSPHRASE") != 0 && strcmp(name, "EVENHAND_ARCHIVE") != 0 &&
	       strcmp(name, "EVENHAND_PAGER") != 0;
}

static void add_variable(text_list *command, const char *name)
{
	const char *value = getenv(name);

	if (value != NULL)
		text_list_format(command, "%s=%s", name, value);
}

/* What a stack depends on: programs and libraries are found by the first two. */
static void add_environment(text_list *command)
{
	text_list_add(command, "/usr/bin/env");
	add_variable(command, "PATH");
	add_variable(command, "LD_LIBRARY_PATH");
	for (const cli_item *v = topic_environment; v->term != NULL; v++)
		if (is_carried(v->term))
			add_variable(command, v->term);
}

static void add_program(text_list *command, const char *on, const char *word)
{
	size_t size = strlen(word);
	bool is_path = strchr(word, '/') != NULL || (size > 4 && strcmp(word + size - 4, ".ini") == 0);
	char *program = paths_program(), *protocol_word = is_path ? whole(word) : memory_text(word);

	text_list_add(command, program);
	text_list_add(command, "watch");
	text_list_add(command, "--once");
	for (const char *const *set = host_options(); *set != NULL; set++)
		text_list_format(command, "--set=%s", *set);
	if (on != NULL)
		text_list_format(command, "--on=%s", on);
	text_list_add(command, "--");
	text_list_add(command, protocol_word);
	free(protocol_word);
	free(program);
}

/* "//user:secret@host", "?password=secret" */
static bool has_password(const char *place)
{
	const char *user = strstr(place, "//"), *at = user != NULL ? strchr(user, '@') : NULL;

	return strstr(place, "password=") != NULL ||
	       (at != NULL && memchr(user + 2, ':', (size_t)(at - user - 2)) != NULL);
}

static eh_status add_archive(text_list *command, const char *asked, eh_error *error)
{
	char *place = archive_place(asked, error), *path = NULL;
	eh_status status = EH_OK;

	if (place == NULL)
		return EH_E_IO;
	if (!db_is_shared(place))
		path = whole(place);
	else if (has_password(place))
		status = error_set(error, EH_E_USAGE, "the archive is named with a password, which does not belong into "
		                   "the file of a timer; put it into ~/.pgpass");
	text_list_format(command, "EVENHAND_ARCHIVE=%s", path != NULL ? path : place);
	free(path);
	free(place);
	return status;
}

/* ---- the timers ------------------------------------------------------------------------------ */

static eh_status make(const cli_call *call, timer *t, eh_error *error)
{
	const watch_options *o = call->options;
	protocol *p = NULL;
	eh_status status = protocol_find(call->words[0], &p, error);

	if (status != EH_OK)
		return status;
	t->name = memory_text(o->name != NULL ? o->name : p->name);
	protocol_free(p);
	add_environment(&t->command);
	status = add_archive(&t->command, o->db, error);
	add_program(&t->command, o->on, call->words[0]);
	return status == EH_OK ? timer_check(t, error) : status;
}

static eh_status schedule(cli_call *call, eh_error *error)
{
	const watch_options *o = call->options;
	timer t = { .every = o->every, .sbatch = o->sbatch };
	eh_status status = make(call, &t, error);

	if (status == EH_OK)
		status = (o->slurm ? timer_slurm_install : timer_systemd_install)(&t, error);
	text_list_clear(&t.command);
	free(t.name);
	return status;
}

/* Most machines have one of the two. */
static eh_status list(cli_call *call, eh_error *error)
{
	eh_error other = ERROR_INIT;
	size_t count = 0;
	eh_status status = timer_systemd_list(&count, error), slurm = timer_slurm_list(&count, &other);

	(void)call;
	if (status == EH_OK && count == 0)
		puts("no timer is installed");
	if (slurm != EH_OK)
		command_put(stdout, "of Slurm nothing is known: %s\n", other.message);
	return status;
}

static eh_status take_back(cli_call *call, eh_error *error)
{
	const watch_options *o = call->options;
	eh_error other = ERROR_INIT;
	bool found = false;
	eh_status status = timer_check_name(o->remove, error);

	if (status == EH_OK)
		status = timer_systemd_remove(o->remove, &found, error);
	if (status != EH_OK || found)
		return status;
	status = timer_slurm_remove(o->remove, &found, &other);
	if (found)
		return status == EH_OK ? EH_OK : error_set(error, status, "%s", other.message);
	return error_set(error, EH_E_USAGE, "systemd has no timer %s%s%s; `evenhand watch --list` names those that there "
	                 "are", o->remove, status == EH_OK ? ", nor has Slurm" : ", and ",
	                 status == EH_OK ? "" : other.message);
}

enum { SYSTEMD, SLURM, ONCE, LIST, REMOVE };

#define TIMERS (CLI_FORM(SYSTEMD) | CLI_FORM(SLURM))

const cli_command cmd_watch = {
	.name = "watch",
	.group = CLI_EVERYDAY,
	.summary = "measure again when an executor's stack has changed, on a schedule",
	.about = "`--systemd` and `--slurm` install what runs `evenhand watch --once` again and again: a service and a "
	         "timer of this user's systemd, or lines of Slurm's crontab. They run this program, with this archive "
	         "and with what programs and libraries are found by here: PATH, LD_LIBRARY_PATH and evenhand's own "
	         "variables.\n\n"
	         "`--once` describes the executors without measuring, and compares their stacks with those of their last "
	         "results in the archive under the same protocol. It measures those that changed or have none, adds the "
	         "results to the archive, and says of each what became slower and which layer changed. Where nothing "
	         "changed it takes seconds and says so. docs/watching.md has examples, and what to do on failure.",
	.forms = (const cli_form[]){
		{ "--systemd", { { "PROTOCOL", .kind = OPTION_PROTOCOL } }, NULL, schedule },
		{ "--slurm", { { "PROTOCOL", .kind = OPTION_PROTOCOL } }, NULL, schedule },
		{ "--once", { { "PROTOCOL", .kind = OPTION_PROTOCOL } }, NULL, watch_once },
		{ "--list", { { 0 } }, NULL, list },
		{ "--remove", { { 0 } }, NULL, take_back }, { 0 } },
	.options = (const cli_option[]){
		{ "systemd", OPTION_FLAG, offsetof(watch_options, systemd),
		  .about = "install a timer of this user's systemd", .forms = CLI_FORM(SYSTEMD), .rivals = 1 },
		{ "slurm", OPTION_FLAG, offsetof(watch_options, slurm),
		  .about = "install lines of Slurm's crontab", .forms = CLI_FORM(SLURM), .rivals = 1 },
		{ "once", OPTION_FLAG, offsetof(watch_options, once), .about = "look now, and measure what changed",
		  .forms = CLI_FORM(ONCE), .rivals = 1 },
		{ "list", OPTION_FLAG, offsetof(watch_options, list), .about = "list what is installed",
		  .forms = CLI_FORM(LIST), .rivals = 1 },
		{ "remove", OPTION_TEXT, offsetof(watch_options, remove), .about = "take back what was installed",
		  .value = "NAME", .forms = CLI_FORM(REMOVE), .rivals = 1 },
		{ "every", OPTION_WORD, offsetof(watch_options, every), .about = "how often it looks",
		  .words = (const char *const[]){ "hour", "day", "week", NULL }, .preset = "day", .forms = TIMERS },
		{ "name", OPTION_TEXT, offsetof(watch_options, name),
		  .about = "its name, instead of that of the protocol: for a second one of a protocol", .value = "NAME",
		  .forms = TIMERS },
		{ "sbatch", OPTION_LIST, offsetof(watch_options, sbatch),
		  .about = "an option of sbatch for the job, such as --sbatch='--gres=gpu:1'; may be given again",
		  .value = "OPTION", .forms = CLI_FORM(SLURM) },
		{ "on", OPTION_SELECTORS, offsetof(watch_options, on), .about = "the executors, as for run",
		  .value = "SELECTOR,...", .forms = TIMERS | CLI_FORM(ONCE) },
		{ "db", OPTION_TEXT, offsetof(watch_options, db), .about = "the archive, as for archive",
		  .value = "FILE|URL", .forms = TIMERS | CLI_FORM(ONCE) },
		{ "set", OPTION_SETTING, 0, .about = "a setting of a backend, as for run", .value = "BACKEND.KEY=VALUE",
		  .forms = TIMERS | CLI_FORM(ONCE) },
		{ "json", OPTION_FLAG, offsetof(watch_options, json), .about = "print the answer as JSON",
		  .forms = CLI_FORM(ONCE) },
		{ "verbose", OPTION_VERBOSE, 0, .about = "also print rules that hold without qualifying anything",
		  .letter = 'v', .forms = CLI_FORM(ONCE) }, { 0 } },
	.size = sizeof(watch_options),
	.live = CLI_FORM(ONCE),
	.exits = (const cli_item[]){
		{ "0", "nothing changed; or what changed was measured, and nothing is slower, open or missing" },
		{ "1", "a case is slower than in the last result" },
		{ "2", "none is known to be slower, and one is open" },
		{ "3", "a case is not comparable or was not measured on one side, or none has a number" },
		{ "5", "an executor that --on names cannot be used; disk, rights, drivers, the archive, systemd or Slurm" },
		{ "6", "interrupted; the run that it names is completed with `run --resume`" }, { NULL, NULL } },
	.examples = (const char *const[]){
		"evenhand watch quick --systemd",
		"evenhand watch quick --on cuda --slurm --sbatch='--gres=gpu:1' --sbatch='--exclusive'",
		"evenhand watch quick --once", "evenhand watch --remove quick", NULL },
	.altered = EXIT_CODE_NOT_COMPARABLE,
};
