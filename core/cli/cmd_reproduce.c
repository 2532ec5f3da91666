/* SPDX-License-Identifier: Apache-2.0 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "audit/bundle.h"
#include "audit/inspect.h"
#include "base/clock.h"
#include "base/files.h"
#include "base/interrupt.h"
#include "base/json.h"
#include "base/log.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/reproduce_folder.h"
#include "plugin/host.h"
#include "plugin/plugin.h"
#include "protocol/plan.h"
#include "report/reproduced.h"
#include "run/run.h"
#include "version.h"

static int reproduce_run(int argc, char **argv);

extern const command command_reproduce;
const command command_reproduce = {
	.name = "reproduce",
	.summary = "run what a result was made by again, here, and say whether it comes out the same",
	.help = "usage: evenhand reproduce RESULT|BUNDLE [--on SELECTOR,...] [-o DIR] [--of EXECUTOR]\n"
	        "                          [--set BACKEND.KEY=VALUE]... [--json] [-q] [-v]\n"
	        "       evenhand reproduce RESULT|BUNDLE --resume DIR [--of EXECUTOR] [--json] [-q] [-v]\n"
	        "\n"
	        "Verifies the result first and refuses one that does not hold.  Then measures the\n"
	        "protocol that is in it, shows which layers differ and who owns them, and answers for\n"
	        "each case and over all:\n"
	        "\n"
	        "  reproduced      the same within 2 %, or within the protocol's margin or the noise\n"
	        "                  floor of the executors where these are larger\n"
	        "  not reproduced  it differs by more\n"
	        "  inconclusive    the interval holds both, or the contract gives no verdict\n"
	        "\n"
	        "  --on SELECTOR,...  the executors to measure (as for run); the default is the one of\n"
	        "                     the same name\n"
	        "  -o DIR             default: results/NAME-VERSION-again-TIME; a bundle needs it\n"
	        "  --of EXECUTOR      which result of a bundle\n"
	        "  --resume DIR       go on with, or only look again at, the run in DIR\n"
	        "  --set BACKEND.KEY=VALUE   a setting of a backend; recorded\n"
	        "  --json             the whole answer as JSON on stdout\n"
	        "  -q, --quiet        no progress on stderr\n"
	        "  -v, --verbose      more messages on stderr, and rules that hold without qualifying\n"
	        "                     anything\n"
	        "\n"
	        "Exit code: 0 reproduced; 1 not reproduced; 2 inconclusive; 3 the result does not hold, or\n"
	        "this program makes another plan of its protocol; 4 usage; 5 disk, rights, drivers; 6\n"
	        "interrupted, resume it.  Of several executors the worst.\n"
	        "\n"
	        "  evenhand reproduce theirs.json\n"
	        "  evenhand reproduce release.evenhand --of host:gcc-12 --on host:gcc -o again\n",
	.run = reproduce_run,
	.values = "--on -o --of --resume",
	.again = "--set",
};

typedef struct options {
	const char *path, *on, *folder, *of;
	bool resume, json, quiet, verbose;
} options;

/* ---- the result that is to be reproduced -------------------------------------------------------- */

/* EH_E_ALTERED, or EH_E_FORMAT, with what does not hold first. */
static eh_status holds(const audit_report *r, eh_error *error)
{
	if (audit_report_holds(r))
		return EH_OK;
	if (r->found.count > 0)
		return error_set(error, audit_report_malformed(r) ? EH_E_FORMAT : EH_E_ALTERED,
		                 "%s does not hold, so there is nothing to reproduce: %s (evenhand verify "
		                 "says all)", r->path, r->found.items[0].sentence);
	return error_set(error, EH_E_ALTERED, "%s does not hold, so there is nothing to reproduce: %s",
	                 r->path, r->problems != NULL && r->problems[0] != NULL ? r->problems[0] :
	                 r->evidence != NULL && r->evidence->problem_count > 0 ?
	                 r->evidence->problems[0] : "its structure");
}

static eh_status verify(const char *path, eh_error *error)
{
	audit_reports reports = { 0 };
	eh_status status = audit_inspect(path, &reports, error);

	for (size_t i = 0; i < reports.count && status == EH_OK; i++)
		status = holds(&reports.items[i], error);
	audit_reports_free(&reports);
	return status;
}

/* The only result, or the one of that executor. */
static eh_status pick_member(const bundle *b, const options *o, const bundle_member **out,
                             eh_error *error)
{
	text names = { 0 };
	size_t found = 0;
	eh_status status = EH_OK;

	*out = NULL;
	for (size_t i = 0; i < b->count; i++) {
		const bundle_member *m = &b->members[i];
		cJSON *root = NULL;
		const char *name;

		if (!bundle_is_result(m) || json_parse(m->data, m->size, m->name, &root, NULL) != EH_OK)
			continue;
		name = json_string(json_path(root, "executor"), "name", "");
		text_add(&names, "%s%s", names.size > 0 ? ", " : "", name);
		if (o->of == NULL || strcmp(o->of, name) == 0) {
			*out = m;
			found++;
		}
		cJSON_Delete(root);
	}
	if (found != 1)
		status = error_set(error, EH_E_USAGE, "%s has %s; name one with --of (%s)", o->path,
		                   found == 0 ? "no such result" : "several results",
		                   names.data != NULL ? names.data : "none");
	text_free(&names);
	return status;
}

static eh_status write_beside(const bundle *b, const bundle_member *m, const char *path,
                              const char *suffix, eh_error *error)
{
	char *name = memory_format("%s%s", m->name, suffix), *to = memory_format("%s%s", path, suffix);
	const bundle_member *beside = bundle_find(b, name);
	eh_status status = beside == NULL ? EH_OK : file_write(to, beside->data, beside->size, error);

	free(to);
	free(name);
	return status;
}

/* Out of a bundle the result is laid into the folder, with what vouches for it. */
static eh_status unpack(const options *o, const char *folder, char **path, eh_error *error)
{
	const bundle_member *m = NULL;
	bundle b;
	eh_status status = bundle_read(o->path, &b, error);

	if (status != EH_OK)
		return status;
	status = pick_member(&b, o, &m, error);
	if (status == EH_OK) {
		*path = path_join(folder, "then.json");
		status = reproduce_folder_same(*path, m, error);
	}
	if (status != EH_E_NOT_FOUND)
		goto done;
	status = dir_make(folder, error);
	if (status == EH_OK)
		status = file_write(*path, m->data, m->size, error);
	if (status == EH_OK)
		status = write_beside(&b, m, *path, ".sig", error);
	if (status == EH_OK)
		status = write_beside(&b, m, *path, ".amendments", error);
done:
	bundle_free(&b);
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
		status = plan_make(p, plugin_find_workload, NULL, &made, &cannot);
	if (status == EH_OK)
		why = reproduce_plan_difference(&r->record->protocol.canonical, made->canonical);
	if (status != EH_OK)
		status = error_set(error, EH_E_ALTERED, "this program cannot plan the protocol of %s: %s",
		                   r->path, cannot.message);
	else if (why != NULL)
		status = error_set(error, EH_E_ALTERED, "%s cannot be reproduced: this program (%s) makes "
		                   "another plan of its protocol than the one that measured (%s): %s",
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

static char *default_folder(const result *r)
{
	char started[24], stamp[24];
	size_t at = 0;
	char *base, *name;

	clock_wall_text(started);
	for (const char *c = started; *c != '\0'; c++)
		if (*c != '-' && *c != ':')
			stamp[at++] = *c;
	stamp[at] = '\0';
	base = memory_format("results/%s-%llu-again-%s", r->protocol_name,
	                     (unsigned long long)r->protocol_version, stamp);
	name = memory_text(base);
	for (int n = 2; file_exists(name); n++) {
		free(name);
		name = memory_format("%s-%d", base, n);
	}
	free(base);
	return name;
}

static eh_status measure_again(const options *o, const result *r, const char *folder,
                               run_outcome *outcome, eh_error *error)
{
	const char *body = r->record->protocol.text;
	char *path = path_join(folder, "protocol.ini"), *journal = path_join(folder, "run.journal");
	run_options run = { .protocol = path, .folder = folder, .quiet = o->quiet,
		            .selectors = o->on != NULL ? o->on : r->executor,
		            .executions = executions_of(r) };
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

		status = error_set(error, EH_E_USAGE, "%s; name what is to be measured with --on", why);
		free(why);
	}
	free(journal);
	free(path);
	return status;
}

static char *result_path(const char *folder, const char *executor)
{
	char *path = memory_format("%s/%s.json", folder, executor);

	for (char *c = path + strlen(folder) + 1; *c != '\0'; c++)
		if (*c == ':' || *c == '/')
			*c = '-';
	return path;
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

static eh_status judge_one(const result *before, const run_outcome *outcome, const char *executor,
                           answers *out, eh_error *error)
{
	char *path = result_path(outcome->folder, executor);
	result_summary summary;
	eh_status status = result_build(outcome->journal, executor, outcome->complete, path, &summary,
	                                error);

	if (status == EH_OK) {
		out->results = memory_grow(out->results, (out->count + 1) * sizeof(*out->results));
		status = result_read(path, &out->results[out->count], error);
	}
	if (status == EH_OK && outcome->complete)
		reproduce_judge(before, out->results[out->count],
		                layout_append(reproduction_layout(), &out->all.executors));
	out->count += status == EH_OK;
	free(path);
	return status;
}

static void print_answers(const options *o, const reproductions *all)
{
	char *body;

	if (o->json) {
		body = layout_text(reproductions_layout(), all, true);
		puts(body);
		free(body);
		return;
	}
	for (size_t i = 0; i < all->executors.count; i++) {
		if (i > 0)
			putchar('\n');
		(void)report_reproduction(stdout, &all->executors.items[i], o->verbose);
	}
	if (all->status == RECORD_INCOMPLETE)
		printf("interrupted; next: evenhand reproduce %s --resume %s\n", o->path, all->folder);
}

static eh_status judge_all(const options *o, const result *before, const run_outcome *outcome,
                           int *code, eh_error *error)
{
	answers found = { .count = 0 };
	eh_status status = EH_OK;

	layout_init(reproductions_layout(), &found.all);
	for (size_t i = 0; outcome->executors[i] != NULL && status == EH_OK; i++)
		status = judge_one(before, outcome, outcome->executors[i], &found, error);
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

/* A result could not be written: how to go on. */
static void explain(const options *o, const run_outcome *outcome, eh_error *error)
{
	char *why = memory_text(error->message);

	(void)error_set(error, EH_E_IO, "%s; all that was measured is in %s: when it can be written, evenhand "
	                "reproduce %s --resume %s answers", why, outcome->journal, o->path, outcome->folder);
	free(why);
}

/* The result that is to be reproduced: the file, or out of the bundle. */
static eh_status read_before(const options *o, const char *folder, result **out, eh_error *error)
{
	char *path = NULL;
	eh_status status = EH_OK;

	if (!bundle_is(o->path) && o->of != NULL)
		status = error_set(error, EH_E_USAGE, "--of is for bundles; %s is none", o->path);
	else if (!bundle_is(o->path))
		path = memory_text(o->path);
	else if (folder == NULL)
		status = error_set(error, EH_E_USAGE, "a bundle needs -o DIR to be laid out in");
	else
		status = unpack(o, folder, &path, error);
	if (status == EH_OK)
		status = result_read(path, out, error);
	free(path);
	return status;
}

/* folder is NULL for a default one. */
static eh_status again(const options *o, int *code, eh_error *error)
{
	run_outcome outcome = { 0 };
	char *folder = o->folder != NULL ? memory_text(o->folder) : NULL;
	bool made_here = folder == NULL || !file_exists(folder), checked = o->resume || folder == NULL;
	result *before = NULL;
	eh_status status = checked ? EH_OK : reproduce_folder_check(folder, error);

	checked = status == EH_OK;
	if (status == EH_OK)
		status = read_before(o, folder, &before, error);
	if (status == EH_OK && before->simulated)
		log_write(EH_LOG_WARN, "the device of %s was simulated: no verdict will come of it",
		          before->path);
	if (status == EH_OK)
		status = check_protocol(before, error);
	if (status == EH_OK && folder == NULL)
		folder = default_folder(before);
	if (status == EH_OK)
		status = measure_again(o, before, folder, &outcome, error);
	if (status == EH_OK || outcome.stopped) {
		eh_error unread = ERROR_INIT;
		eh_status judged = judge_all(o, before, &outcome, code, status == EH_OK ? error : &unread);

		if (status == EH_OK && judged == EH_E_IO)
			explain(o, &outcome, error);
		status = status == EH_OK ? judged : status;
	}
	if (status != EH_OK && checked && !o->resume && folder != NULL)
		reproduce_folder_undo(folder, made_here);
	run_outcome_free(&outcome);
	result_free(before);
	free(folder);
	return status;
}

static eh_status read_value(const char *flag, const char *value, options *o, eh_error *error)
{
	if (strcmp(flag, "--on") == 0)
		o->on = value;
	else if (strcmp(flag, "--of") == 0)
		o->of = value;
	else if (strcmp(flag, "--set") == 0)
		return host_option_set(value, error);
	else if (o->folder != NULL)
		return error_set(error, EH_E_USAGE, "-o for a new run or --resume for one that is there, "
		                 "not both");
	else
		o->folder = value;
	o->resume = o->resume || strcmp(flag, "--resume") == 0;
	return EH_OK;
}

static eh_status read_flags(int argc, char **argv, options *o, eh_error *error)
{
	eh_status status = EH_OK;

	for (int i = 1; i < argc && status == EH_OK; i++) {
		const char *a = argv[i];
		bool takes = command_takes_value(&command_reproduce, a);

		if (takes && (i + 1 == argc || argv[i + 1][0] == '\0'))
			status = error_set(error, EH_E_USAGE, "%s needs a value", a);
		else if (takes)
			status = read_value(a, argv[++i], o, error);
		else if (strcmp(a, "--json") == 0)
			o->json = true;
		else if (strcmp(a, "-q") == 0 || strcmp(a, "--quiet") == 0)
			o->quiet = true;
		else if (command_level(a))
			o->verbose = true;
		else if (a[0] == '-' && a[1] != '\0')
			status = error_set(error, EH_E_USAGE, "unknown flag '%s'", a);
		else if (o->path != NULL)
			status = error_set(error, EH_E_USAGE, "one result at a time: '%s' and '%s'", o->path, a);
		else
			o->path = a;
	}
	if (status == EH_OK && o->path == NULL)
		status = error_set(error, EH_E_USAGE, "which result or bundle?");
	if (status == EH_OK && o->resume && (o->on != NULL || host_options()[0] != NULL))
		status = error_set(error, EH_E_USAGE, "--resume takes executors and settings from the run "
		                   "that it goes on with");
	return status;
}

static int reproduce_run(int argc, char **argv)
{
	options o = { .quiet = log_level() <= EH_LOG_ERROR, .verbose = log_level() >= EH_LOG_INFO };
	eh_error error = ERROR_INIT;
	int code = EXIT_CODE_INTERNAL;
	eh_status status;

	for (int i = 1; i < argc; i++)
		if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)
			return command_help(&command_reproduce);
	status = read_flags(argc, argv, &o, &error);
	if (status == EH_OK)
		status = verify(o.path, &error);
	if (status == EH_OK) {
		interrupt_install();
		/* A limit on the size of files is an error to report, not a death. */
		signal(SIGXFSZ, SIG_IGN);
		status = again(&o, &code, &error);
	}
	if (status == EH_OK)
		return command_printed(&command_reproduce, code);
	code = command_fail(&command_reproduce, &error);
	return status == EH_E_ALTERED ? EXIT_CODE_NOT_COMPARABLE : code;
}
