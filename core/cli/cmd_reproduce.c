/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "audit/bundle.h"
#include "audit/inspect.h"
#include "base/clock.h"
#include "base/files.h"
#include "base/interrupt.h"
#include "base/log.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/input_results.h"
#include "cli/replan.h"
#include "cli/whole_bundle.h"
#include "cli/written_results.h"
#include "plugin/plugin.h"
#include "protocol/plan.h"
#include "report/reproduced.h"
#include "run/run.h"
#include "version.h"

typedef struct reproduce_options {
	const char *on, *folder, *resume, *of;
	bool json;
} reproduce_options;

/* What is asked for. */
typedef struct request {
	const char *path, *on, *folder, *of;
	bool resume, json, quiet, verbose;
} request;

/* ---- the result that is to be reproduced -------------------------------------------------------- */

static eh_status refuse(const char *path, const char *why, eh_error *error)
{
	return whole_refuse(path, "reproduced", why, error);
}

/* What reading a result does not ask for: the evidence of its rows. */
static eh_status verify_rows(const result *r, eh_error *error)
{
	findings f = { .only_first = false };
	eh_status status = EH_OK;

	result_check_evidence(r, &f);
	if (f.count > 0)
		status = refuse(r->path, f.items[0].sentence, error);
	findings_free(&f);
	return status;
}

/* The evidence, signatures and amendments of a result that was read. */
static eh_status verify_evidence(const result *r, eh_error *error)
{
	const audit_evidence *trust;
	eh_status status = verify_rows(r, error);

	if (status == EH_OK)
		status = audit_trust(r, &trust, error);
	if (status == EH_OK && trust->level <= AUDIT_BROKEN)
		status = refuse(r->path, trust->problems.count > 0 ? trust->problems.items[0] : "its signatures",
		                error);
	return status;
}

/* The results of the bundle, from the very bytes that were verified. */
static eh_status read_bundle(const char *path, cli_input **out, eh_error *error)
{
	bundle b;
	eh_status status = whole_bundle_read(path, "reproduced", &b, error);

	if (status != EH_OK)
		return status;
	status = cli_inputs_of_bundle(path, &b, out, error);
	bundle_free(&b);
	return status;
}

/* The only result that the word names, or the one of that executor. */
static eh_status pick(const cli_input *in, const char *of, result **out, eh_error *error)
{
	text names = { 0 };
	size_t found = 0;
	eh_status status = EH_OK;

	for (size_t i = 0; i < in->count; i++) {
		text_add(&names, "%s%s", i > 0 ? ", " : "", in->results[i]->record->executor.name);
		if (of == NULL || strcmp(of, in->results[i]->record->executor.name) == 0) {
			*out = in->results[i];
			found++;
		}
	}
	if (found != 1)
		status = error_set(error, EH_E_USAGE, "%s has %s; name one with --of (%s)", in->word,
		                   found == 0 ? "no such result" : "several results", names.data);
	text_free(&names);
	return status;
}

/* ---- its protocol ------------------------------------------------------------------------------ */

static eh_status check_protocol(const result *r, eh_error *error)
{
	const char *body = r->record->protocol.text;
	char *source = memory_format("%s: protocol", r->path), *why = NULL;
	protocol *p = NULL;
	plan *made = NULL;
	eh_error cannot = ERROR_INIT;
	eh_status status = protocol_parse(body, strlen(body), source, &p, &cannot);

	if (status == EH_OK)
		protocol_take_plan(p, &r->record->protocol.canonical);
	if (status == EH_OK)
		status = plan_make(p, plugin_find_workload, NULL, &made, &cannot);
	if (status == EH_OK)
		why = reproduce_plan_difference(&r->record->protocol.canonical, made->canonical);
	if (status != EH_OK && error_exit_code(status) == EXIT_CODE_ENVIRONMENT)
		status = error_set(error, status, "%s", cannot.message);
	else if (status != EH_OK)
		status = error_set(error, EH_E_ALTERED, "this program cannot plan the protocol of %s: %s",
		                   r->path, cannot.message);
	else if (why != NULL)
		status = error_set(error, EH_E_ALTERED, "%s cannot be reproduced: evenhand %s plans its protocol "
		                   "differently from evenhand %s, which measured it: %s",
		                   r->path, EVENHAND_VERSION, r->record->harness.version, why);
	free(why);
	plan_free(made);
	protocol_free(p);
	free(source);
	return status;
}

/* The number that a run was given instead of its protocol's, which it records as a deviation; 0: the
 * protocol's. */
static uint64_t executions_of(const result *r)
{
	static const char begin[] = "executions: ";
	const text_list *deviations = &r->record->protocol.deviations;

	for (size_t i = 0; i < deviations->count; i++) {
		const char *words = deviations->items[i];
		char *number;
		uint64_t executions = 0;
		bool found;

		if (strncmp(words, begin, strlen(begin)) != 0)
			continue;
		words += strlen(begin);
		number = memory_format("%.*s", (int)strcspn(words, " "), words);
		found = text_parse_uint(number, &executions);
		free(number);
		if (found)
			return executions;
	}
	return 0;
}

/* ---- the run ---------------------------------------------------------------------------------- */

static uint64_t known(uint64_t recorded)
{
	return recorded != LAYOUT_NO_UINT ? recorded : 0;
}

static eh_status measure_again(const request *o, const result *r, const char *folder,
                               run_outcome *outcome, eh_error *error)
{
	const char *body = r->record->protocol.text;
	char *path = path_join(folder, "protocol.ini"), *journal = path_join(folder, "run.journal");
	run_options run = { .protocol = path, .folder = folder, .quiet = o->quiet,
		            .selectors = o->on,
		            .executor = o->on == NULL ? r->record->executor.name : NULL,
		            .executions = executions_of(r),
		            .size_class = r->record->protocol.canonical.size_class,
		            .cache_bytes = known(r->record->protocol.canonical.cache_bytes),
		            .compute_units = known(r->record->protocol.canonical.compute_units) };
	eh_status status = EH_OK;

	if (o->resume)
		run = (run_options){ .folder = folder, .resume = true, .quiet = o->quiet };
	else
		status = dir_make(folder, error);
	if (status == EH_OK && !o->resume)
		status = file_write(path, body, strlen(body), error);
	if (status == EH_OK)
		status = run_execute(&run, outcome, error);
	if (status == EH_E_USAGE && o->on == NULL && !o->resume && !file_exists(journal)) {
		char *why = memory_text(error->message);

		status = error_set(error, EH_E_USAGE, "%s; name the executors to measure with --on", why);
		free(why);
	}
	free(journal);
	free(path);
	return status;
}

/* ---- the answer -------------------------------------------------------------------------------- */

static int code_of(enum reproduction_answer answer)
{
	static const int codes[] = { [REPRODUCTION_YES] = EXIT_CODE_OK,
		                     [REPRODUCTION_NO] = EXIT_CODE_NEGATIVE,
		                     [REPRODUCTION_INCONCLUSIVE] = EXIT_CODE_INCONCLUSIVE };

	return codes[answer];
}

/* Not reproduced is worse than inconclusive. */
static int worse(int a, int b)
{
	if (a == EXIT_CODE_NEGATIVE || b == EXIT_CODE_NEGATIVE)
		return EXIT_CODE_NEGATIVE;
	return a > b ? a : b;
}

/* The answers of all executors, with the results that they borrow. */
typedef struct answers { reproductions all; result **results; size_t count; } answers;

static void answers_free(answers *a)
{
	layout_clear(reproductions_layout(), &a->all);
	for (size_t i = 0; i < a->count; i++)
		result_free(a->results[i]);
	free(a->results);
}

/* The result that is reproduced, and where the answers go. */
typedef struct judging { const result *before; bool complete; answers *out; } judging;

static eh_status judge_one(void *context, const char *executor, const char *path,
                           const result_summary *summary, eh_error *error)
{
	judging *j = context;
	answers *out = j->out;
	eh_status status;

	(void)executor;
	(void)summary;
	out->results = memory_grow(out->results, (out->count + 1) * sizeof(*out->results));
	status = result_read(path, &out->results[out->count], error);
	if (status == EH_OK && j->complete)
		reproduce_judge(j->before, out->results[out->count],
		                layout_append(reproduction_layout(), &out->all.executors));
	out->count += status == EH_OK;
	return status;
}

/* malloc'd: the command that goes on with the run in the folder. */
static char *resume_command(const request *o, const char *folder)
{
	char *path = text_shell_word(o->path), *where = text_shell_word(folder);
	char *of = text_shell_word(o->of != NULL ? o->of : "");
	char *line = memory_format("evenhand reproduce %s --resume %s%s%s", path, where,
	                           o->of != NULL ? " --of " : "", o->of != NULL ? of : "");

	free(of);
	free(where);
	free(path);
	return line;
}

static void print_answers(const request *o, const reproductions *all)
{
	char *next;

	if (o->json) {
		command_layout(reproductions_layout(), all);
		return;
	}
	for (size_t i = 0; i < all->executors.count; i++) {
		if (i > 0)
			putchar('\n');
		(void)report_reproduction(stdout, &all->executors.items[i], log_level() >= EH_LOG_INFO);
	}
	if (all->status != RECORD_INCOMPLETE)
		return;
	next = resume_command(o, all->folder);
	printf("interrupted; next: %s\n", next);
	free(next);
}

static eh_status judge_all(const request *o, const result *before, const run_outcome *outcome,
                           int *code, eh_error *error)
{
	answers found = { .count = 0 };
	judging each = { .before = before, .complete = outcome->complete, .out = &found };
	char *next = resume_command(o, outcome->folder);
	eh_status status;

	layout_init(reproductions_layout(), &found.all);
	status = written_results(outcome, next, judge_one, &each, error);
	free(next);
	*code = EXIT_CODE_OK;
	for (size_t i = 0; i < found.all.executors.count; i++)
		*code = worse(*code, code_of(found.all.executors.items[i].answer));
	if (!outcome->complete)
		*code = EXIT_CODE_INCOMPLETE;
	found.all.status = outcome->complete ? RECORD_COMPLETE : RECORD_INCOMPLETE;
	found.all.folder = memory_text(outcome->folder);
	found.all.exit_code = (uint64_t)*code;
	if (status == EH_OK)
		print_answers(o, &found.all);
	answers_free(&found);
	return status;
}

/* Refuses a folder in which a new run would replace something. */
static eh_status check_folder(const char *folder, eh_error *error)
{
	char *journal = path_join(folder, "run.journal"), *ini = path_join(folder, "protocol.ini");
	char *word = text_shell_word(folder);
	eh_status status = EH_OK;

	if (file_exists(journal))
		status = error_set(error, EH_E_USAGE, "%s holds a run already; --resume %s continues it",
		                   folder, word);
	else if (file_exists(ini))
		status = error_set(error, EH_E_USAGE, "%s is there already; name another folder with -o", ini);
	free(word);
	free(ini);
	free(journal);
	return status;
}

/* Where no run came about nothing is left of it; the folder too, when it was made for it. */
static void undo_folder(const char *folder, bool made_here)
{
	char *journal = path_join(folder, "run.journal"), *ini = path_join(folder, "protocol.ini");

	if (!file_exists(journal)) {
		(void)unlink(ini);
		if (made_here)
			(void)rmdir(folder);
	}
	free(ini);
	free(journal);
}

static eh_status again(const request *o, const result *before, const char *folder, int *code,
                       eh_error *error)
{
	bool made_here = !file_exists(folder);
	run_outcome outcome = { 0 };
	eh_status status = measure_again(o, before, folder, &outcome, error);

	if (status == EH_OK || outcome.stopped) {
		eh_error unread = ERROR_INIT;
		eh_status judged = judge_all(o, before, &outcome, code, status == EH_OK ? error : &unread);

		status = status == EH_OK ? judged : status;
	}
	if (status != EH_OK && !o->resume)
		undo_folder(folder, made_here);
	run_outcome_free(&outcome);
	return status;
}

static eh_status begin(const request *o, const result *before, int *code, eh_error *error)
{
	char started[24], *folder;
	eh_status status = check_protocol(before, error);

	if (status == EH_OK && before->record->executor.simulated)
		log_write(EH_LOG_WARN, "the device of %s was simulated: there will be no verdict", before->path);
	clock_wall_text(started);
	folder = o->folder != NULL ? memory_text(o->folder) :
	         run_folder_name(before->record->protocol.name, before->record->protocol.version, "-again", started);
	if (status == EH_OK && !o->resume)
		status = check_folder(folder, error);
	if (status == EH_OK)
		status = again(o, before, folder, code, error);
	free(folder);
	return status;
}

static eh_status reproduce(cli_call *call, eh_error *error)
{
	const reproduce_options *given = call->options;
	request o = { .path = call->words[0], .on = given->on, .of = given->of, .json = given->json,
		      .folder = given->resume != NULL ? given->resume : given->folder,
		      .resume = given->resume != NULL, .quiet = call->quiet,
		      .verbose = log_level() >= EH_LOG_INFO };
	const bool is_bundle = bundle_is(o.path);
	cli_input *in;
	result *before = NULL;
	eh_status status;

	status = is_bundle ? read_bundle(o.path, &in, error) : cli_inputs_read(call->words, 1, &in, error);
	if (status != EH_OK)
		return status;
	status = pick(in, o.of, &before, error);
	if (status == EH_OK && !is_bundle)
		status = verify_evidence(before, error);
	interrupt_install();
	interrupt_on_pipe();
	if (status == EH_OK)
		status = begin(&o, before, &call->code, error);
	cli_inputs_free(in, 1);
	return status;
}

enum { NEW, RESUME };

const cli_command cmd_reproduce = {
	.name = "reproduce",
	.group = CLI_ANALYSIS,
	.summary = "run the protocol of a result again, here, and say whether it comes out the "
	           "same",
	.about = "Verifies the result first and refuses one that does not hold. Then it measures "
	         "the protocol that is in the result, shows which layers differ and who owns them, "
	         "and answers for each case and over all. docs/reproduction.md has the rules.",
	.forms = (const cli_form[]){
		{ NULL, { { "RESULT", .kind = OPTION_PATH } }, NULL, reproduce },
		{ "--resume", { { "RESULT", .kind = OPTION_PATH } }, NULL, reproduce }, { 0 } },
	.options = (const cli_option[]){
		{ "on", OPTION_SELECTORS, offsetof(reproduce_options, on),
		  .about = "the executors to measure, as for run; without it the one of the same "
		           "name", .value = "SELECTOR,...", .forms = CLI_FORM(NEW) },
		{ "output", OPTION_PATH, offsetof(reproduce_options, folder),
		  .about = "the folder; without it results/NAME-VERSION-again-TIME", .value = "DIR",
		  .forms = CLI_FORM(NEW), .letter = 'o', .rivals = 1 },
		{ "resume", OPTION_PATH, offsetof(reproduce_options, resume),
		  .about = "continue the run in DIR; print the answer again when it is complete", .value = "DIR",
		  .forms = CLI_FORM(RESUME), .rivals = 1 },
		{ "of", OPTION_EXECUTOR, offsetof(reproduce_options, of),
		  .about = "which result of a bundle or folder", .value = "EXECUTOR" },
		{ "set", OPTION_SETTING, 0,
		  .about = "a setting of a backend; recorded. --resume uses those of the run, but from its journal it "
		           "takes only numbers and switches (yes, no, on, off, true, false, none, auto); one that "
		           "may name a library, a program or a folder has to be given again", .value = "BACKEND.KEY=VALUE" },
		CLI_JSON(reproduce_options),
		{ "verbose", OPTION_VERBOSE, 0,
		  .about = "more messages on stderr, and rules that hold without qualifying "
		           "anything", .letter = 'v' }, { 0 } },
	.size = sizeof(reproduce_options),
	.live = CLI_FORM(NEW) | CLI_FORM(RESUME),
	.items_title = "Answers",
	.items = (const cli_item[]){
		{ "reproduced",
		  "the same within 2 %, or within the protocol's margin or the noise floor of the "
		  "executors where these are larger" },
		{ "not reproduced", "it differs by more" },
		{ "inconclusive", "the interval holds both, or the contract gives no verdict" },
		{ NULL, NULL } },
	.exits = (const cli_item[]){
		{ "0", "reproduced; of several executors the worst counts" },
		{ "1", "not reproduced" },
		{ "2", "inconclusive" },
		{ "3",
		  "the result does not hold, or this program makes another plan of its protocol" },
		{ "6", "interrupted; continue with --resume" }, { NULL, NULL } },
	.examples = (const char *const[]){
		"evenhand reproduce theirs.json",
		"evenhand reproduce release.evenhand --of host:gcc-12 --on host:gcc -o again", NULL },
	.altered = EXIT_CODE_NOT_COMPARABLE,
};
