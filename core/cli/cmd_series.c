/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/number_file.h"
#include "report/series_report.h"

extern const command command_series;

typedef struct options {
	const char *path;
	double half_width;
	bool json, strict;
} options;

static bool parse_half_width(const char *s, double *out)
{
	size_t size = strlen(s);
	bool is_percent = size > 0 && s[size - 1] == '%';
	char *number = memory_format("%.*s", (int)(size - (is_percent ? 1 : 0)), s);
	bool ok = text_parse_double(number, out);

	free(number);
	if (is_percent)
		*out /= 100;
	return ok && *out >= 1e-5 && *out <= 1;
}

/* EH_E_USAGE, or EH_E_NOT_FOUND when help was asked for. */
static eh_status parse(int argc, char **argv, options *o, eh_error *error)
{
	bool flags = true;

	for (int i = 1; i < argc; i++) {
		const char *word = argv[i];

		if (flags && (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0))
			return EH_E_NOT_FOUND;
		if (flags && strcmp(word, "--") == 0) {
			flags = false;
		} else if (flags && strcmp(word, "--json") == 0) {
			o->json = true;
		} else if (flags && strcmp(word, "--strict") == 0) {
			o->strict = true;
		} else if (flags && strcmp(word, "--half-width") == 0) {
			if (i + 1 >= argc || !parse_half_width(argv[i + 1], &o->half_width))
				return error_set(error, EH_E_USAGE, "--half-width wants a share of the "
				                 "median, from 0.001%% to 100%%, such as 1%% or 0.01");
			i++;
		} else if (flags && word[0] == '-' && word[1] != '\0') {
			return error_set(error, EH_E_USAGE, "unknown flag '%s'", word);
		} else if (o->path != NULL) {
			return error_set(error, EH_E_USAGE, "\"%s\" is not expected: one file at a time, "
			                 "its columns are the executions", word);
		} else {
			o->path = word;
		}
	}
	return o->path != NULL ? EH_OK : error_set(error, EH_E_USAGE, "a FILE is missing, or - for stdin");
}

static int answer(const options *o, const number_file *file)
{
	series_one *ones = memory_get(file->count * sizeof(*ones));
	series_all all;
	int code;

	for (size_t i = 0; i < file->count; i++) {
		ones[i].name = file->columns[i].name;
		ones[i].values = file->columns[i].values;
		ones[i].n = file->columns[i].count;
	}
	series_all_make(&all, ones, file->count, o->half_width);
	code = o->strict && !all.converged ? EXIT_CODE_NEGATIVE : EXIT_CODE_OK;
	if (o->json) {
		cJSON *root = series_all_json(&all);
		char *body = json_text(root, true);

		puts(body);
		free(body);
		cJSON_Delete(root);
	} else {
		(void)series_all_print(stdout, &all);
	}
	series_all_free(&all);
	free(ones);
	return command_printed(&command_series, code);
}

static int series_run(int argc, char **argv)
{
	eh_error error = ERROR_INIT;
	options o = { .half_width = 0.01 };
	number_file file;
	eh_status status = parse(argc, argv, &o, &error);
	int code;

	if (status == EH_E_NOT_FOUND)
		return command_help(&command_series);
	if (status == EH_OK)
		status = number_file_read(o.path, &file, &error);
	if (status != EH_OK)
		return command_fail(&command_series, &error);
	code = answer(&o, &file);
	number_file_free(&file);
	return code;
}

const command command_series = {
	.name = "series",
	.summary = "say what any series of numbers is worth: interval, steady state, independence",
	.help = "usage: evenhand series FILE [--json] [--half-width X] [--strict]\n"
	        "\n"
	        "The statistics of evenhand for anybody's numbers. FILE holds times in the order they\n"
	        "were taken, one a line, or one column for each execution (comma, semicolon, tab or\n"
	        "space; columns may end at different lines); - is stdin. A first line without a number\n"
	        "is a header, what follows # is a comment. Any unit will do; smaller is faster.\n"
	        "\n"
	        "Prints the median with its 95 % interval and whether that is narrow enough; the class\n"
	        "of each series (flat, warm-up, slowdown, no-steady-state) with its segments; whether\n"
	        "its samples are independent; how many modes they have; the percentiles that the\n"
	        "samples are enough for; and a picture: o the median of a column's samples, . their\n"
	        "range, ^ and v what lies beyond, below it = the samples that count. Only those of the\n"
	        "steady part count. docs/method.md has the rules, and how often they are right.\n"
	        "\n"
	        "  --half-width X  converged means: the interval is at most +-X of the median, such as\n"
	        "                  0.5% or 0.005; default 1%\n"
	        "  --strict        exit code 1 when it has not converged\n"
	        "  --json          for programs; segments are counted from 0\n"
	        "\n"
	        "examples:\n"
	        "  evenhand series times.txt\n"
	        "  evenhand series runs.csv --half-width 0.5%\n"
	        "  evenhand show r.json --json |\n"
	        "      jq '.cases[0].executions[0].samples_ns[]' | evenhand series -\n"
	        "\n"
	        "exit codes: 0 printed; 1 not converged, with --strict; 4 a flag, or a line that holds\n"
	        "no number; 5 the file cannot be read, or stdout takes nothing\n",
	.run = series_run,
	.values = "--half-width",
};
