/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/log.h"
#include "base/text.h"
#include "cli/command.h"
#include "executor/executor.h"
#include "plugin/host.h"
#include "plugin/plugin.h"
#include "protocol/plan.h"
#include "report/attribution.h"
#include "run/discover.h"
#include "run/survey.h"

static int attribute_run(int argc, char **argv);

extern const command command_attribute;
const command command_attribute = {
	.name = "attribute",
	.summary = "which layer moved the numbers, and who owns it",
	.help = "usage: evenhand attribute FROM TO [BETWEEN...] [--json] [--margin X] [--no-look] [-v]\n"
	        "\n"
	        "Compares two results by the contract, and their stacks layer by layer.  Layers that\n"
	        "are one file or one release count as one change.\n"
	        "\n"
	        "  attributable     one change, which is named with its owner\n"
	        "  confounded       several; the runs that would separate them are printed\n"
	        "  unexplained      no layer differs, but a case moved beyond its margin\n"
	        "  no change        no layer differs, and every case is equivalent\n"
	        "  undecided        no layer differs, and the numbers give no verdict\n"
	        "  not comparable   the contract refuses\n"
	        "\n"
	        "BETWEEN are results of stacks that share something with both: they separate a\n"
	        "confounded change into steps.  Otherwise the executors of this machine are looked at\n"
	        "for stacks that could be measured to do so.\n"
	        "\n"
	        "  --json       the whole answer as JSON on stdout\n"
	        "  --margin X   as for `compare`\n"
	        "  --no-look    do not look at the executors of this machine\n"
	        "  -v           also rules that hold without qualifying anything\n"
	        "\n"
	        "Exit code: 0 attributable or no change; 1 unexplained; 2 confounded or undecided; 3 not\n"
	        "comparable, or an altered result; 4 usage, or a file that is no result.\n"
	        "\n"
	        "  evenhand attribute before/cuda-0.json after/cuda-0.json\n"
	        "  evenhand attribute host-gcc-12.json opencl-pocl-0.json between/host-clang-15.json\n",
	.run = attribute_run,
	.values = "--margin",
};

typedef struct options {
	const char **paths;
	size_t count;
	bool json, look, verbose;
	double margin;
} options;

/* ---- what could come between ------------------------------------------------------------------ */

typedef struct candidates {
	attribution_candidate *items;
	cJSON **records;
	size_t count;
	discover_report here;
} candidates;

/* What cannot be described now is no candidate. */
static void look_at(candidates *c, const discover_backend *b, const discover_device *device)
{
	eh_error error = ERROR_INIT;
	record_executor *record = NULL;

	if (!discover_is(device->status, EH_OK) || executor_is_simulated(&device->device))
		return;
	if (survey_executor(b->path, (uint32_t)device->index, device->executor, host_options(),
	                    &record, &error) != EH_OK) {
		log_write(EH_LOG_INFO, "%s is not looked at: %s", device->executor, error.message);
		return;
	}
	c->items = memory_grow(c->items, (c->count + 1) * sizeof(*c->items));
	c->records = memory_grow(c->records, (c->count + 1) * sizeof(cJSON *));
	c->records[c->count] = layout_encode(record_executor_layout(), record);
	c->items[c->count] = (attribution_candidate){ .name = device->executor,
		                                      .record = c->records[c->count] };
	c->count++;
	layout_free(record_executor_layout(), record);
}

static void look(candidates *c)
{
	layout_init(discover_report_layout(), &c->here);
	discover(&c->here);
	for (size_t b = 0; b < c->here.backends.count; b++)
		for (size_t d = 0; d < c->here.backends.items[b].devices.count; d++)
			look_at(c, &c->here.backends.items[b],
			        &c->here.backends.items[b].devices.items[d]);
}

static void candidates_free(candidates *c)
{
	for (size_t i = 0; i < c->count; i++)
		cJSON_Delete(c->records[i]);
	free(c->records);
	free(c->items);
	layout_clear(discover_report_layout(), &c->here);
}

/* Its name where that is the same protocol here, else a file that is still to be written; malloc'd. */
static char *protocol_words(const result *r)
{
	protocol *p = NULL;
	plan *made = NULL;
	eh_error error = ERROR_INIT;
	bool same = protocol_find(r->protocol_name, &p, &error) == EH_OK &&
	            plan_make(p, plugin_find_workload, NULL, &made, &error) == EH_OK &&
	            strcmp(made->digest, r->protocol_digest) == 0;
	char *words = same ? memory_text(r->protocol_name)
	                   : memory_format("./%s.ini", r->protocol_name);

	plan_free(made);
	protocol_free(p);
	return words;
}

/* ---- the command ----------------------------------------------------------------------------- */

static int exit_code(const attribution *a)
{
	switch (a->answer) {
	case ATTRIBUTION_ATTRIBUTABLE:
	case ATTRIBUTION_NO_CHANGE:
		return EXIT_CODE_OK;
	case ATTRIBUTION_UNEXPLAINED:
		return EXIT_CODE_NEGATIVE;
	case ATTRIBUTION_NOT_COMPARABLE:
		return EXIT_CODE_NOT_COMPARABLE;
	default:
		return EXIT_CODE_INCONCLUSIVE;
	}
}

static void print_json(const attribution *a, const char *named, int code)
{
	cJSON *root = report_attribution_json(a, named);
	char *body;

	json_add_uint(root, "exit_code", (uint64_t)code);
	body = json_text(root, true);
	puts(body);
	free(body);
	cJSON_Delete(root);
}

static bool print_text(const attribution *a, const char *named, bool verbose)
{
	bool ok = report_attribution(stdout, a, named, verbose);

	if (ok && a->proposed > 0 && named[0] == '.') {
		char *from = text_shell_word(a->from->path);
		char *to = text_shell_word(named);

		ok = printf("%s is in the result: evenhand show --protocol %s > %s\n", to, from, to) >= 0;
		free(from);
		free(to);
	}
	return ok;
}

static int answer(const options *o, const result *const *results)
{
	candidates c = { 0 };
	attribution *a = attribute_results(results, o->count, NULL, 0, o->margin);
	char *named;
	int code;

	if (a->answer == ATTRIBUTION_CONFOUNDED && o->look) {
		attribution_free(a);
		look(&c);
		a = attribute_results(results, o->count, c.items, c.count, o->margin);
	}
	named = protocol_words(results[0]);
	code = exit_code(a);
	if (o->json)
		print_json(a, named, code);
	else
		(void)print_text(a, named, o->verbose);
	free(named);
	attribution_free(a);
	candidates_free(&c);
	return command_printed(&command_attribute, code);
}

static int read_and_answer(const options *o)
{
	result **results = memory_get(o->count * sizeof(result *));
	eh_error error = ERROR_INIT;
	eh_status status = EH_OK;
	size_t i;
	int code;

	for (i = 0; i < o->count && status == EH_OK; i++)
		status = result_read(o->paths[i], &results[i], &error);
	if (status == EH_OK) {
		code = answer(o, (const result *const *)results);
	} else {
		code = command_fail(&command_attribute, &error);
		if (status == EH_E_ALTERED)
			code = EXIT_CODE_NOT_COMPARABLE;
	}
	for (i = 0; i < o->count; i++)
		result_free(results[i]);
	free(results);
	return code;
}

static eh_status take_margin(const char *s, double *out, eh_error *error)
{
	char *copy = memory_text(s);
	size_t size = strlen(copy);
	bool percent = size > 1 && copy[size - 1] == '%', good;

	if (percent)
		copy[size - 1] = '\0';
	good = text_parse_double(copy, out);
	free(copy);
	if (percent)
		*out /= 100;
	return good && *out > 0 && *out < 1 ? EH_OK :
	       error_set(error, EH_E_USAGE, "--margin takes a share such as 2%% or 0.02, not '%s'", s);
}

static eh_status read_word(int argc, char **argv, int *at, options *o, eh_error *error)
{
	const char *word = argv[*at];

	if (strcmp(word, "--json") == 0)
		o->json = true;
	else if (strcmp(word, "--no-look") == 0)
		o->look = false;
	else if (strcmp(word, "-v") == 0 || strcmp(word, "--verbose") == 0)
		o->verbose = true;
	else if (strcmp(word, "--margin") == 0)
		return take_margin(*at + 1 < argc ? argv[++*at] : "", &o->margin, error);
	else if (word[0] == '-' && word[1] != '\0')
		return error_set(error, EH_E_USAGE, "unknown flag '%s'", word);
	else
		o->paths[o->count++] = word;
	return EH_OK;
}

static int attribute_run(int argc, char **argv)
{
	options o = { .look = true, .verbose = log_level() >= EH_LOG_INFO };
	eh_error error = ERROR_INIT;
	eh_status status = EH_OK;
	int code;

	for (int i = 1; i < argc; i++)
		if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)
			return command_help(&command_attribute);
	o.paths = memory_get((size_t)argc * sizeof(*o.paths));
	for (int i = 1; i < argc && status == EH_OK; i++)
		status = read_word(argc, argv, &i, &o, &error);
	if (status == EH_OK && o.count < 2)
		status = error_set(&error, EH_E_USAGE, "attribute takes two results, FROM and TO");
	code = status == EH_OK ? read_and_answer(&o) : command_fail(&command_attribute, &error);
	free(o.paths);
	return code;
}
