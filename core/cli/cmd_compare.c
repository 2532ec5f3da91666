/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "audit/audit.h"
#include "base/files.h"
#include "base/log.h"
#include "base/text.h"
#include "cli/command.h"
#include "report/report.h"

extern const command command_compare;

typedef struct options {
	bool json, markdown, strict, verbose;
	contract_options contract;
	const char *baseline; /* NULL: the first */
	const char **paths;
	size_t count;
} options;

/* The results of one argument: a file, or all of a folder. */
typedef struct group {
	result **results;
	size_t count;
	bool folder;
} group;

static bool is_folder(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static eh_status group_add(group *g, const char *path, eh_error *error)
{
	g->results = memory_grow(g->results, (g->count + 1) * sizeof(result *));
	return result_read(path, &g->results[g->count], error) == EH_OK ?
	       (g->count++, EH_OK) : error->code;
}

static eh_status group_read(const char *path, group *g, eh_error *error)
{
	char **names;
	eh_status status = EH_OK;
	size_t i;

	g->folder = is_folder(path);
	if (!g->folder)
		return group_add(g, path, error);
	names = dir_list(path, ".json", error);
	if (names == NULL)
		return error->code;
	for (i = 0; names[i] != NULL && status == EH_OK; i++) {
		char *file = path_join(path, names[i]);

		status = group_add(g, file, error);
		free(file);
	}
	if (status == EH_E_FORMAT) {
		char *told = memory_text(error->message);

		(void)error_set(error, EH_E_FORMAT, "%s; name the result files instead", told);
		free(told);
	}
	if (status == EH_OK && i == 0)
		status = error_set(error, EH_E_NOT_FOUND,
		                   "%s: holds no result (no file NAME.json)", path);
	dir_list_free(names);
	return status;
}

static void groups_free(group *groups, size_t count)
{
	size_t i;
	size_t k;

	for (i = 0; i < count; i++) {
		for (k = 0; k < groups[i].count; k++)
			result_free(groups[i].results[k]);
		free(groups[i].results);
	}
	free(groups);
}

/* ---- who is compared with whom --------------------------------------------------------------- */

static void pair_add(comparison_list *p, const result *a, const result *b, const options *o)
{
	contract_compare_into(layout_append(comparison_layout(), p), a, b, o->contract);
}

/* The baseline of a folder: its first executor of the host backend, else its first. */
static const result *baseline_of(const group *g)
{
	size_t i;

	for (i = 0; i < g->count; i++)
		if (strncmp(g->results[i]->executor, "host:", 5) == 0)
			return g->results[i];
	return g->results[0];
}

static const result *same_executor(const group *g, const result *like)
{
	size_t i;

	for (i = 0; i < g->count; i++)
		if (strcmp(g->results[i]->executor, like->executor) == 0)
			return g->results[i];
	return NULL;
}

static void warn_alone(const result *r, const char *where)
{
	char *name = table_clean(r->executor);

	log_write(EH_LOG_WARN, "%s is only in %s", name, where);
	free(name);
}

/* Two folders are two runs: each executor against itself. */
static void pair_runs(comparison_list *p, const group *a, const group *b, const options *o)
{
	size_t i;

	for (i = 0; i < a->count; i++) {
		const result *other = same_executor(b, a->results[i]);

		if (other != NULL)
			pair_add(p, a->results[i], other, o);
		else
			warn_alone(a->results[i], "the baseline");
	}
	for (i = 0; i < b->count; i++)
		if (same_executor(a, b->results[i]) == NULL)
			warn_alone(b->results[i], "the other run");
}

/* The only result of that executor or path. */
static eh_status named(const group *groups, size_t count, const char *name, const result **out,
                       eh_error *error)
{
	const result *found = NULL;
	size_t i;
	size_t k;

	for (i = 0; i < count; i++) {
		for (k = 0; k < groups[i].count; k++) {
			const result *r = groups[i].results[k];

			if (strcmp(r->executor, name) != 0 && strcmp(r->path, name) != 0)
				continue;
			if (found != NULL)
				return error_set(error, EH_E_USAGE, "--baseline %s: %s and %s both "
				                 "are; name the file instead", name, found->path,
				                 r->path);
			found = r;
		}
	}
	if (found == NULL)
		return error_set(error, EH_E_USAGE, "--baseline %s: no result of that executor "
		                 "or file is among those to compare", name);
	*out = found;
	return EH_OK;
}

static eh_status pair_all(comparison_list *p, const group *groups, const options *o, eh_error *error)
{
	const result *base = baseline_of(&groups[0]);
	eh_status status = EH_OK;
	size_t i;
	size_t k;

	if (o->baseline != NULL)
		status = named(groups, o->count, o->baseline, &base, error);
	for (i = 0; i < o->count && status == EH_OK; i++)
		for (k = 0; k < groups[i].count; k++)
			if (groups[i].results[k] != base)
				pair_add(p, base, groups[i].results[k], o);
	return status;
}

/* ---- printing -------------------------------------------------------------------------------- */

static void print_json(const comparison_report *report)
{
	char *body = layout_text(comparison_report_layout(), report, true);

	puts(body);
	free(body);
}

static bool print_text(const comparison_list *p, bool verbose)
{
	if (p->count > 1 && p->items[0].a == p->items[1].a)
		return report_matrix(stdout, p->items, p->count, verbose);
	for (size_t i = 0; i < p->count; i++) {
		if (i > 0 && fputc('\n', stdout) == EOF)
			return false;
		if (!report_comparison(stdout, &p->items[i], verbose))
			return false;
	}
	return true;
}

/* Signatures, disputes and notes of every result, once each. */
static void print_evidence(const group *groups, size_t count)
{
	size_t i, k;

	for (i = 0; i < count; i++)
		for (k = 0; k < groups[i].count; k++) {
			audit_evidence *evidence = NULL;
			eh_error error = ERROR_INIT;
			const result *r = groups[i].results[k];

			if (audit_trust(r, &evidence, &error) == EH_OK)
				(void)report_evidence(stdout, r->path, evidence);
			else
				printf("%s: %s\n", r->path, error.message);
			audit_evidence_free(evidence);
		}
}

/* A regression anywhere outweighs what could not be compared, and that what stayed open. */
static int exit_code(const comparison_list *p, bool strict)
{
	static const int weight[] = { EXIT_CODE_OK, EXIT_CODE_INCONCLUSIVE,
		                      EXIT_CODE_NOT_COMPARABLE, EXIT_CODE_NEGATIVE };
	size_t worst = 0;
	size_t i;
	size_t k;

	for (i = 0; i < p->count; i++)
		for (k = 0; k < sizeof(weight) / sizeof(weight[0]); k++)
			if (weight[k] == comparison_exit_code(&p->items[i], strict) && k > worst)
				worst = k;
	return weight[worst];
}

static int compare_groups(const options *o, const group *groups)
{
	eh_error error = ERROR_INIT;
	comparison_report *report = layout_new(comparison_report_layout());
	comparison_list *p = &report->comparisons;
	int code;

	if (o->count == 2 && groups[0].folder && groups[1].folder && o->baseline == NULL)
		pair_runs(p, &groups[0], &groups[1], o);
	else if (pair_all(p, groups, o, &error) != EH_OK) {
		code = command_fail(&command_compare, &error);
		goto done;
	}
	if (p->count == 0) {
		(void)error_set(&error, EH_E_USAGE, "there is nothing to compare %s with",
		                groups[0].results[0]->path);
		code = command_fail(&command_compare, &error);
		goto done;
	}
	report->exit_code = exit_code(p, o->strict);
	if (o->json)
		print_json(report);
	else if (o->markdown)
		(void)report_markdown(stdout, p->items, p->count);
	else
		(void)print_text(p, o->verbose);
	if (!o->json && !o->markdown)
		print_evidence(groups, o->count);
	code = command_printed(&command_compare, report->exit_code);
done:
	layout_free(comparison_report_layout(), report);
	return code;
}

static int compare(const options *o)
{
	eh_error error = ERROR_INIT;
	group *groups = memory_get(o->count * sizeof(*groups));
	eh_status status = EH_OK;
	int code;
	size_t i;

	for (i = 0; i < o->count && status == EH_OK; i++)
		status = group_read(o->paths[i], &groups[i], &error);
	if (status == EH_OK) {
		code = compare_groups(o, groups);
	} else {
		code = command_fail(&command_compare, &error);
		/* What was altered is a result all the same, but none that compares. */
		if (status == EH_E_ALTERED)
			code = EXIT_CODE_NOT_COMPARABLE;
	}
	groups_free(groups, o->count);
	return code;
}

/* ---- the command line ------------------------------------------------------------------------ */

/* "0.02" or "2%" */
static bool read_margin(const char *s, double *out)
{
	char *copy = memory_text(s);
	size_t size = strlen(copy);
	bool percent = size > 0 && copy[size - 1] == '%';
	bool ok;

	if (percent)
		copy[size - 1] = '\0';
	ok = text_parse_double(copy, out);
	free(copy);
	if (ok && percent)
		*out /= 100;
	return ok && *out > 0 && *out < 1;
}

static eh_status read_options(int argc, char **argv, options *o, bool *help, eh_error *error)
{
	bool flags = true;
	int i;

	for (i = 1; i < argc; i++) {
		const char *word = argv[i];

		if (!flags || word[0] != '-') {
			o->paths[o->count++] = word;
		} else if (strcmp(word, "--") == 0) {
			flags = false;
		} else if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
			*help = true;
			return EH_OK;
		} else if (strcmp(word, "--json") == 0) {
			o->json = true;
		} else if (strcmp(word, "--markdown") == 0) {
			o->markdown = true;
		} else if (strcmp(word, "--certified") == 0) {
			o->contract.certified = true;
		} else if (strcmp(word, "--baseline") == 0) {
			if (i + 1 == argc)
				return error_set(error, EH_E_USAGE, "--baseline needs a name, like "
				                 "host:gcc-12, or a file");
			o->baseline = argv[++i];
		} else if (strcmp(word, "--strict") == 0) {
			o->strict = true;
		} else if (strcmp(word, "-v") == 0 || strcmp(word, "--verbose") == 0) {
			o->verbose = true;
		} else if (strcmp(word, "--margin") == 0) {
			const char *value;

			if (i + 1 == argc)
				return error_set(error, EH_E_USAGE, "--margin needs a value, like 0.02 "
				                 "or 2%%");
			value = argv[++i];
			if (!read_margin(value, &o->contract.margin))
				return error_set(error, EH_E_USAGE, "--margin needs a fraction between "
				                 "0 and 1, like 0.02 or 2%%, not \"%s\"", value);
		} else {
			return error_set(error, EH_E_USAGE, "unknown flag '%s'", word);
		}
	}
	if (o->json && o->markdown)
		return error_set(error, EH_E_USAGE, "--json or --markdown, not both");
	if (o->count == 0)
		return error_set(error, EH_E_USAGE,
		                 "which results? A baseline and others, or a folder");
	if (o->count == 1 && !is_folder(o->paths[0]))
		return error_set(error, EH_E_USAGE, "%s: compare it with what?", o->paths[0]);
	return EH_OK;
}

static int compare_run(int argc, char **argv)
{
	eh_error error = ERROR_INIT;
	options o = { .verbose = log_level() >= EH_LOG_INFO };
	bool help = false;
	int code;

	o.paths = memory_get((size_t)argc * sizeof(*o.paths));
	if (read_options(argc, argv, &o, &help, &error) != EH_OK)
		code = command_fail(&command_compare, &error);
	else
		code = help ? command_help(&command_compare) : compare(&o);
	free(o.paths);
	return code;
}

const command command_compare = {
	.name = "compare",
	.summary = "compare results, case by case, as far as the contract allows it",
	.help = "usage: evenhand compare BASELINE OTHER... [--baseline NAME] [--margin X]\n"
	        "                        [--certified] [--strict] [--json | --markdown] [-v]\n"
	        "       evenhand compare FOLDER\n"
	        "\n"
	        "Compares results.  For every case: both values with their 95 % intervals, the speed-up\n"
	        "of the other over the baseline with its interval (above 1: the other is faster), the\n"
	        "verdict, and every caveat that qualifies it.  What the contract refuses is not compared,\n"
	        "and the rule is named (`evenhand contract` lists them).\n"
	        "\n"
	        "A folder stands for all results in it; of a first folder the baseline is the first\n"
	        "executor of the host backend, else the first.  Two folders are taken as two runs: each\n"
	        "executor is compared with itself.\n"
	        "\n"
	        "  --baseline NAME  the executor or the file that all others are compared with\n"
	        "  --margin X       differences up to X count as none, 0.02 or 2%, where the protocol's\n"
	        "                   margin and the noise floor of the executors are smaller\n"
	        "  --certified      apply the stricter levels of the rules (`evenhand contract`)\n"
	        "  --strict         a case without a verdict is exit code 2\n"
	        "  --json           all numbers and reasons as JSON\n"
	        "  --markdown       tables for a pull request\n"
	        "  -v               also the rules that hold without qualifying anything\n"
	        "\n"
	        "verdicts: FASTER, SLOWER (the whole interval beyond the margin, for all cases of a\n"
	        "comparison together by Holm's rule), EQUIVALENT (the whole interval within it),\n"
	        "INCONCLUSIVE, DESCRIPTION (fewer than 5 executions: no verdict), NOT COMPARABLE,\n"
	        "ABSENT (the case did not run on one side).\n"
	        "\n"
	        "exit codes: 0 no regression, 1 a case is slower, 2 a case has no verdict (--strict),\n"
	        "3 something is not comparable, 4 usage\n"
	        "\n"
	        "examples:\n"
	        "  evenhand compare results/quick-1\n"
	        "  evenhand compare before.json after.json --margin 2% --strict\n"
	        "  evenhand compare results/quick-1 --baseline host:gcc-12 --markdown\n"
	        "  evenhand compare results/monday results/tuesday\n",
	.run = compare_run,
	.values = "--baseline --margin",
};
