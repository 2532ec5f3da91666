/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/files.h"
#include "base/foreground.h"
#include "base/interrupt.h"
#include "base/log.h"
#include "base/text.h"
#include "cli/archiving.h"
#include "cli/changed.h"
#include "cli/command.h"
#include "cli/guarded.h"
#include "protocol/protocol.h"
#include "protocol/schema.h"
#include "run/discover.h"

typedef struct guard_options {
	const char *on, *folder, *db; /* NULL: not given                                        */
	uint64_t executions;
	double margin;
	unsigned fail_on;             /* of enum comparison_failure                             */
	bool no_archive, json;
} guard_options;

typedef struct guarding {
	cli_call *call;
	const guard_options *o;
	answer_guard *answer;
	char *program, *before, *after; /* the file of the command; folders of the runs          */
	cli_input *old, *new;           /* their results                                        */
	bool unkept;                    /* results are not in the archive                       */
} guarding;

/* Where progress is told: with --json stdout has the answer alone. */
static FILE *said(const guarding *g)
{
	return g->o->json ? stderr : stdout;
}

/* Nothing follows. */
#define stop(g, exit_code, ...) ((g)->call->code = (exit_code), log_write(EH_LOG_ERROR, __VA_ARGS__))

static bool goes_on(const guarding *g, eh_status status)
{
	return status == EH_OK && g->call->code == EXIT_CODE_OK;
}

/* ---- measuring ------------------------------------------------------------------------------- */

/* then: what the user does once an incomplete run is complete. */
static eh_status measure(guarding *g, run_options o, const char *when, const char *then, cli_input **out,
                         eh_error *error)
{
	changed_run r;
	eh_status status;

	o.protocol = g->call->words[0];
	o.executions = g->o->executions;
	o.quiet = g->call->quiet;
	status = changed_measure(o, &r, error);
	if (status == EH_OK && !r.complete)
		stop(g, EXIT_CODE_INCOMPLETE, "the run %s the command was interrupted%s; %s completes it%s", when,
		     g->answer->began == NULL ? ", and the command was not run" : "", r.resume, then);
	else if (status == EH_OK && r.numbers == 0)
		stop(g, EXIT_CODE_NOT_COMPARABLE, "no case has a number %s the command%s; evenhand compare %s says why", when,
		     g->answer->began == NULL ? ", which was not run" : "", o.folder);
	if (goes_on(g, status)) {
		command_put(said(g), "%s the command: %zu result%s in %s\n", when, r.results, r.results == 1 ? "" : "s",
		            o.folder);
		if (!g->o->no_archive && !archiving_keep(g->o->db, o.folder))
			g->unkept = true;
		status = cli_inputs_read((const char *const[]){ o.folder }, 1, out, error);
	}
	changed_run_free(&r);
	return status;
}

/* malloc'd: the selectors that match something after the command; NULL where none does.  The others are
 * named with the reason. */
static char *selectors_left(const char *asked)
{
	discover_report here;
	text_list words = discover_words(asked);
	text left = { 0 };

	layout_init(discover_report_layout(), &here);
	(void)discover(&here, asked);
	for (size_t i = 0; i < words.count; i++) {
		eh_error why = ERROR_INIT;
		selected *chosen = NULL;
		size_t count = 0;

		if (discover_select(&here, words.items[i], &chosen, &count, &why) == EH_OK && count > 0)
			text_add(&left, "%s%s", left.size > 0 ? "," : "", words.items[i]);
		else
			log_write(EH_LOG_WARN, "after the command: %s", why.message);
		free(chosen);
	}
	text_list_clear(&words);
	layout_clear(discover_report_layout(), &here);
	return left.data;
}

/* With the sizes of problems from before, also where the device that they came from is gone. */
static eh_status measure_after(guarding *g, eh_error *error)
{
	const record_plan *plan = &g->old->results[0]->record->protocol.canonical;
	char *selectors = selectors_left(g->o->on), *before = text_shell_word(g->before);
	char *after = text_shell_word(g->after), *word = text_shell_word(g->call->words[0]);
	char *then = memory_format("; then: evenhand compare %s %s", before, after);
	eh_status status = EH_OK;

	if (selectors == NULL)
		stop(g, EXIT_CODE_NOT_COMPARABLE, "the command ended with exit status 0, and no executor can be measured "
		     "after it; once one can: evenhand run %s -o %s%s", word, after, then);
	else
		status = measure(g, (run_options){ .folder = g->after, .selectors = selectors,
		                                   .size_class = plan->size_class,
		                                   .cache_bytes = changed_size(plan->cache_bytes),
		                                   .compute_units = changed_size(plan->compute_units) },
		                 "after", then, &g->new, error);
	free(then);
	free(word);
	free(after);
	free(before);
	free(selectors);
	return status;
}

/* ---- the command ----------------------------------------------------------------------------- */

static eh_status run_command(guarding *g, eh_error *error)
{
	answer_guard *a = g->answer;
	char *words = guarded_words(a), *end;
	eh_status status;

	command_put(said(g), "command: %s\n", words);
	free(words);
	status = guarded_run(a, g->program, g->o->json, error);
	if (status != EH_OK)
		return status;
	end = guarded_end(a);
	command_put(said(g), "the command ended with %s\n", end);
	if (!g->o->no_archive)
		guarded_annotate(a, g->o->db);
	if (interrupt_pending())
		stop(g, EXIT_CODE_INCOMPLETE, "interrupted while the command ran, which ended with %s; nothing was measured "
		     "after it", end);
	else if (a->status != 0)
		stop(g, EXIT_CODE_ENVIRONMENT, "the command failed with %s, so nothing was measured after it; what was "
		     "measured before is in %s", end, g->before);
	free(end);
	return EH_OK;
}

/* ---- the answer ------------------------------------------------------------------------------ */

static void name_missing(const guarding *g, const cli_input *in, const cli_input *other, const char *when,
                         text_list *names)
{
	for (size_t i = 0; i < in->count; i++) {
		const char *name = in->results[i]->record->executor.name;

		if (changed_find(other, name) != NULL)
			continue;
		text_list_add(names, name);
		command_put(said(g), "%s was measured only %s the command\n", name, when);
	}
}

static void compare(guarding *g)
{
	answer_guard *a = g->answer;

	for (size_t i = 0; i < g->old->count; i++) {
		const result *now = changed_find(g->new, g->old->results[i]->record->executor.name);

		if (now != NULL)
			changed_add(&a->changes, g->old->results[i], now, g->o->margin, g->call->words[0]);
	}
	name_missing(g, g->old, g->new, "before", &a->gone);
	name_missing(g, g->new, g->old, "after", &a->came);
	g->call->code = changed_exit_code(&a->changes, g->o->fail_on);
	/* Of these codes 1 outweighs 3, and 3 outweighs 2. */
	if (a->gone.count > 0 && g->call->code != EXIT_CODE_NEGATIVE)
		g->call->code = EXIT_CODE_NOT_COMPARABLE;
	if (g->call->code == EXIT_CODE_OK && g->unkept)
		g->call->code = EXIT_CODE_ENVIRONMENT;
	if (!g->o->json)
		changed_print(&a->changes);
}

/* ---- the whole ------------------------------------------------------------------------------- */

/* Everything that can be refused before anything is measured. */
static eh_status prepare(guarding *g, eh_error *error)
{
	char started[24];
	protocol *p = NULL;
	archive a;
	eh_status status = protocol_find(g->call->words[0], &p, error);

	if (status != EH_OK)
		return status;
	clock_wall_text(started);
	g->answer->folder = g->o->folder != NULL ? memory_text(g->o->folder) :
	                    run_folder_name(p->name, p->version, "-guard", started);
	protocol_free(p);
	g->before = path_join(g->answer->folder, "before");
	g->after = path_join(g->answer->folder, "after");
	for (size_t i = 1; i < g->call->count; i++)
		text_list_add(&g->answer->command, g->call->words[i]);
	g->program = foreground_find(g->call->words[1], error);
	if (g->program == NULL)
		return EH_E_USAGE;
	if (file_exists(g->before) || file_exists(g->after))
		return error_set(error, EH_E_USAGE, "%s has a run before or after a command already; name another folder "
		                 "with -o", g->answer->folder);
	if (g->o->no_archive)
		return EH_OK;
	status = archiving_open(g->o->db, true, &a, error);
	if (status == EH_OK)
		archive_close(&a);
	else
		error_remedy(error, "; --no-archive does without it");
	return status;
}

static eh_status do_all(guarding *g, eh_error *error)
{
	eh_status status = prepare(g, error);

	interrupt_install();
	interrupt_on_pipe();
	if (goes_on(g, status))
		status = measure(g, (run_options){ .folder = g->before, .selectors = g->o->on }, "before", "", &g->old,
		                 error);
	if (goes_on(g, status) && interrupt_pending())
		stop(g, EXIT_CODE_INCOMPLETE, "interrupted; the command was not run");
	if (goes_on(g, status))
		status = run_command(g, error);
	if (goes_on(g, status)) {
		status = measure_after(g, error);
		if (status != EH_OK)
			error_remedy(error, "; the command itself ended with exit status 0");
	}
	if (goes_on(g, status))
		compare(g);
	g->answer->exit_code = (uint64_t)g->call->code;
	if (status == EH_OK && g->o->json)
		command_layout(answer_guard_layout(), g->answer);
	return status;
}

static eh_status guard(cli_call *call, eh_error *error)
{
	guarding g = { .call = call, .o = call->options, .answer = layout_new(answer_guard_layout()) };
	eh_status status = do_all(&g, error);

	layout_free(answer_guard_layout(), g.answer);
	cli_inputs_free(g.old, g.old != NULL);
	cli_inputs_free(g.new, g.new != NULL);
	free(g.program);
	free(g.before);
	free(g.after);
	return status;
}

const cli_command cmd_guard = {
	.name = "guard",
	.group = CLI_EVERYDAY,
	.summary = "measure, run a command such as an update, measure again, and say what it changed",
	.about = "Measures PROTOCOL into DIR/before, runs COMMAND without a shell between, measures into DIR/after, and "
	         "prints for each executor which cases moved, which layer changed, who makes it and which team owns "
	         "it. Executors that the command took away or brought are named. The results and a note of the "
	         "command go into the archive (`evenhand help archive`).\n\n"
	         "Where measuring before it fails, the command is not run. Where the command fails, nothing is "
	         "measured after it. Ctrl-C while it runs reaches it as well; guard waits for its end and stops. "
	         "docs/watching.md has examples for CI and for updates that need a restart.",
	.forms = (const cli_form[]){
		{ NULL,
		  { { "PROTOCOL", .kind = OPTION_PROTOCOL },
		    { "COMMAND", .kind = OPTION_PATH, .many = true, .behind = true } }, NULL, guard }, { 0 } },
	.options = (const cli_option[]){
		{ "on", OPTION_SELECTORS, offsetof(guard_options, on), .about = "the executors, as for run",
		  .value = "SELECTOR,..." },
		{ "executions", OPTION_NUMBER, offsetof(guard_options, executions),
		  .about = "processes that measure each case, as for run", .value = "N", .low = 1,
		  .high = SCHEMA_EXECUTIONS_MOST },
		{ "output", OPTION_PATH, offsetof(guard_options, folder),
		  .about = "the folder; without it results/NAME-VERSION-guard-TIME", .value = "DIR", .letter = 'o' },
		{ "db", OPTION_TEXT, offsetof(guard_options, db), .about = "the archive, as for archive",
		  .value = "FILE|URL", .rivals = 1 },
		{ "no-archive", OPTION_FLAG, offsetof(guard_options, no_archive),
		  .about = "add nothing to the archive", .rivals = 1 },
		{ "margin", OPTION_SHARE, offsetof(guard_options, margin), .about = "as for compare", .value = "X",
		  .low = OPTION_MARGIN_LEAST, .high = OPTION_MARGIN_MOST },
		{ "fail-on", OPTION_WORDS, offsetof(guard_options, fail_on),
		  .about = "what gives an exit code other than 0, as for compare; without it slower,open,not-measured",
		  .value = "slower[,open,faster,not-measured]",
		  .words = (const char *const[]){ "slower", "faster", "open", "not-measured", NULL } },
		{ "set", OPTION_SETTING, 0, .about = "a setting of a backend, as for run", .value = "BACKEND.KEY=VALUE" },
		{ "json", OPTION_FLAG, offsetof(guard_options, json),
		  .about = "print the answer as JSON; what the command prints on stdout goes to stderr" },
		{ "verbose", OPTION_VERBOSE, 0, .about = "also print rules that hold without qualifying anything",
		  .letter = 'v' }, { 0 } },
	.size = sizeof(guard_options),
	.live = CLI_FORM(0),
	.exits = (const cli_item[]){
		{ "0", "measured before and after, and nothing is slower, open or missing" },
		{ "1", "a case is slower" },
		{ "2", "none is known to be slower, and one is open" },
		{ "3", "a case is not comparable or was not measured on one side, an executor is gone, or no case has a "
		       "number" },
		{ "5", "the command failed; or disk, rights, drivers, the archive" },
		{ "6", "interrupted" }, { NULL, NULL } },
	.examples = (const char *const[]){
		"evenhand guard quick -- apt-get install -y pocl-opencl-icd",
		"evenhand guard quick --on cuda --fail-on slower --margin 3% -- ./deploy.sh", NULL },
	.altered = EXIT_CODE_NOT_COMPARABLE,
};
