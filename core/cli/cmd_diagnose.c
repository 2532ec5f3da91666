/* SPDX-License-Identifier: Apache-2.0 */
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/text.h"
#include "cli/command.h"
#include "report/diagnosis.h"

static int diagnose_run(int argc, char **argv);

extern const command command_diagnose;
const command command_diagnose = {
	.name = "diagnose",
	.summary = "whether hardware or software limits each case, by what the run itself reached",
	.help = "usage: evenhand diagnose RESULT [OTHER...] [CASE...] [--json] [-v]\n"
	        "\n"
	        "Holds every case against the ceilings that the same executor reached in the same run\n"
	        "(arithmetic by fma, bandwidth by stream, transfers by xfer, launches by launch), and\n"
	        "answers for each:\n"
	        "\n"
	        "  hardware-bound    at 80 % of a ceiling or more: compute, memory, cache or link\n"
	        "  mixed             at 50 to 80 %\n"
	        "  software-bound    below that; or launching, the host, other parameters or another\n"
	        "                    provider are what made it slow\n"
	        "  ceiling           the case is what the others are held against\n"
	        "  not-measured      the executor does not support it\n"
	        "  no-ceiling        the run lacks the case that would tell; it is named\n"
	        "  invalid-evidence  not verified, or disturbed\n"
	        "  defect            above 102 %: a wrong count, or data that sat in a cache\n"
	        "\n"
	        "An OTHER result (a word with '/' or ending in .json) of the same device shows what other\n"
	        "software makes of it: 1.1 times as fast or more proves that software limits.  CASE is a\n"
	        "case's id, or a pattern such as 'gemm.*'.\n"
	        "\n"
	        "  --json         the whole answer as JSON on stdout\n"
	        "  -v, --verbose  the evidence of every case\n"
	        "\n"
	        "Exit code: 0 every case has an answer; 1 a defect; 2 invalid evidence, or a ceiling is\n"
	        "missing; 3 an altered result; 4 usage, or a file that is no result.\n"
	        "\n"
	        "  evenhand diagnose results/today/opencl-pocl-0.json\n"
	        "  evenhand diagnose today/opencl-pocl-0.json today/host-gcc-12.json 'gemm.*'\n",
	.run = diagnose_run,
};

typedef struct options {
	const char **paths, **patterns;
	size_t path_count, pattern_count;
	bool json, verbose;
} options;

static bool is_path(const char *word)
{
	size_t size = strlen(word);

	return strchr(word, '/') != NULL || (size > 5 && strcmp(word + size - 5, ".json") == 0);
}

static eh_status read_word(const char *word, options *o, eh_error *error)
{
	if (strcmp(word, "--json") == 0)
		o->json = true;
	else if (strcmp(word, "-v") == 0 || strcmp(word, "--verbose") == 0)
		o->verbose = true;
	else if (word[0] == '-' && word[1] != '\0')
		return error_set(error, EH_E_USAGE, "unknown flag '%s'", word);
	else if (o->path_count == 0 || is_path(word))
		o->paths[o->path_count++] = word;
	else
		o->patterns[o->pattern_count++] = word;
	return EH_OK;
}

static eh_status check_patterns(const options *o, const result *r, eh_error *error)
{
	for (size_t p = 0; p < o->pattern_count; p++) {
		const char **ids = memory_get((r->row_count + 1) * sizeof(*ids));
		const char *near;
		bool found = false;

		for (size_t i = 0; i < r->row_count; i++) {
			ids[i] = r->rows[i].id;
			found = found || fnmatch(o->patterns[p], ids[i], 0) == 0;
		}
		near = text_nearest(o->patterns[p], ids, r->row_count);
		free(ids);
		if (!found)
			return error_set(error, EH_E_USAGE, "%s has no case '%.80s'%s%s%s", o->paths[0],
			                 o->patterns[p], near != NULL ? "; did you mean '" : "",
			                 near != NULL ? near : "", near != NULL ? "'?" : "");
	}
	return EH_OK;
}

static int exit_code(const diagnosis *d)
{
	if (diagnose_count(d, DIAGNOSIS_DEFECT) > 0)
		return EXIT_CODE_NEGATIVE;
	return diagnose_count(d, DIAGNOSIS_INVALID) + diagnose_count(d, DIAGNOSIS_UNKNOWN) > 0 ?
	       EXIT_CODE_INCONCLUSIVE : EXIT_CODE_OK;
}

static int answer(const options *o, result **results)
{
	diagnosis *d = diagnose_result(results[0], (const result *const *)results + 1,
	                               o->path_count - 1, o->patterns, o->pattern_count);
	int code = exit_code(d);

	d->exit_code = (uint64_t)code;
	if (o->json) {
		char *body = layout_text(diagnosis_layout(), d, true);

		puts(body);
		free(body);
	} else {
		(void)report_diagnosis(stdout, d, o->verbose);
	}
	diagnosis_free(d);
	return command_printed(&command_diagnose, code);
}

static int read_and_answer(const options *o)
{
	result **results = memory_get(o->path_count * sizeof(*results));
	eh_error error = ERROR_INIT;
	eh_status status = EH_OK;
	int code;

	for (size_t i = 0; i < o->path_count && status == EH_OK; i++)
		status = result_read(o->paths[i], &results[i], &error);
	if (status == EH_OK)
		status = check_patterns(o, results[0], &error);
	if (status == EH_OK)
		code = answer(o, results);
	else
		code = command_fail(&command_diagnose, &error);
	if (status == EH_E_ALTERED)
		code = EXIT_CODE_NOT_COMPARABLE;
	for (size_t i = 0; i < o->path_count; i++)
		result_free(results[i]);
	free(results);
	return code;
}

static int diagnose_run(int argc, char **argv)
{
	options o = { .verbose = log_level() >= EH_LOG_INFO };
	eh_error error = ERROR_INIT;
	eh_status status = EH_OK;
	int code;

	for (int i = 1; i < argc; i++)
		if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)
			return command_help(&command_diagnose);
	o.paths = memory_get((size_t)argc * sizeof(*o.paths));
	o.patterns = memory_get((size_t)argc * sizeof(*o.patterns));
	for (int i = 1; i < argc && status == EH_OK; i++)
		status = read_word(argv[i], &o, &error);
	if (status == EH_OK && o.path_count == 0)
		status = error_set(&error, EH_E_USAGE, "which result?");
	code = status == EH_OK ? read_and_answer(&o) : command_fail(&command_diagnose, &error);
	free(o.patterns);
	free(o.paths);
	return code;
}
