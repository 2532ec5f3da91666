/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/input_results.h"
#include "executor/executor.h"
#include "plugin/host.h"
#include "plugin/plugin.h"
#include "protocol/plan.h"
#include "report/attribution.h"
#include "run/discover.h"
#include "run/survey.h"

typedef struct attribute_options { bool json, no_look; double margin; } attribute_options;

/* ---- what could come between ------------------------------------------------------------------ */

typedef struct candidates {
	attribution_candidate *items;
	record_executor **records;
	size_t count;
	discover_report here;
} candidates;

/* Adds the executor, unless it is simulated or cannot be described now. */
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
	c->records = memory_grow(c->records, (c->count + 1) * sizeof(*c->records));
	c->records[c->count] = record;
	c->items[c->count++] = (attribution_candidate){ .name = device->executor, .record = record };
}

static void look(candidates *c)
{
	layout_init(discover_report_layout(), &c->here);
	(void)discover(&c->here, NULL);
	for (size_t b = 0; b < c->here.backends.count; b++) {
		const discover_backend *backend = &c->here.backends.items[b];

		for (size_t d = 0; d < backend->devices.count; d++)
			look_at(c, backend, &backend->devices.items[d]);
	}
}

static void candidates_free(candidates *c)
{
	for (size_t i = 0; i < c->count; i++)
		layout_free(record_executor_layout(), c->records[i]);
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
	bool same = protocol_find(r->record->protocol.name, &p, &error) == EH_OK;
	char *words;

	if (same) {
		protocol_take_plan(p, &r->record->protocol.canonical);
		same = plan_make(p, plugin_find_workload, NULL, &made, &error) == EH_OK &&
		       strcmp(made->digest, r->record->protocol.digest) == 0;
	}
	words = same ? memory_text(r->record->protocol.name)
	             : memory_format("./%s.ini", r->record->protocol.name);
	plan_free(made);
	protocol_free(p);
	return words;
}

/* ---- the command ----------------------------------------------------------------------------- */

static int exit_code(const attribution *a)
{
	switch (a->answer) {
	case ATTRIBUTION_ATTRIBUTABLE:
	case ATTRIBUTION_NO_EFFECT:
	case ATTRIBUTION_NO_CHANGE:
		return EXIT_CODE_OK;
	case ATTRIBUTION_CONDITIONS:
	case ATTRIBUTION_UNEXPLAINED:
		return EXIT_CODE_NEGATIVE;
	case ATTRIBUTION_NOT_COMPARABLE:
		return EXIT_CODE_NOT_COMPARABLE;
	default:
		return EXIT_CODE_INCONCLUSIVE;
	}
}

static bool print_text(const attribution *a, bool verbose)
{
	bool ok = report_attribution(stdout, a, verbose);

	if (ok && a->runs.count > 0 && a->protocol[0] == '.') {
		char *from = text_shell_word(a->comparison.baseline.path);
		char *to = text_shell_word(a->protocol);

		ok = printf("%s is in the result: evenhand show --protocol %s > %s\n", to, from, to) >= 0;
		free(from);
		free(to);
	}
	return ok;
}

static int answer(const attribute_options *o, result *const *results, size_t count)
{
	const result *const *all = (const result *const *)results;
	candidates c = { 0 };
	char *as_run = protocol_words(results[0]);
	attribution *a = attribute_results(all, count, NULL, 0, o->margin, as_run);
	int code;

	if (a->answer == ATTRIBUTION_CONFOUNDED && a->groups.count > 1 && !o->no_look) {
		attribution_free(a);
		look(&c);
		a = attribute_results(all, count, c.items, c.count, o->margin, as_run);
	}
	code = exit_code(a);
	a->exit_code = (uint64_t)code;
	if (o->json)
		command_layout(attribution_layout(), a);
	else
		(void)print_text(a, log_level() >= EH_LOG_INFO);
	attribution_free(a);
	candidates_free(&c);
	free(as_run);
	return code;
}

static eh_status attribute(cli_call *call, eh_error *error)
{
	cli_input *inputs;
	result **all;
	size_t count;
	eh_status status = cli_inputs_read(call->words, call->count, &inputs, error);

	if (status != EH_OK)
		return status;
	status = cli_inputs_single(&inputs[0], "FROM", error);
	if (status == EH_OK)
		status = cli_inputs_single(&inputs[1], "TO", error);
	all = cli_inputs_all(inputs, call->count, &count);
	if (status == EH_OK)
		call->code = answer(call->options, all, count);
	free(all);
	cli_inputs_free(inputs, call->count);
	return status;
}

const cli_command cmd_attribute = {
	.name = "attribute",
	.group = CLI_ANALYSIS,
	.summary = "say which layer moved the numbers, who makes it and which team owns it",
	.about = "Compares TO with FROM, the reference, by the contract, and their stacks layer by layer. Layers "
	         "that are one file or one release count as one change. A layer, its maker and "
	         "the team that owns it (docs/executor.md) are named only where cases moved; where no "
	         "layer differs, the records are searched for what else did.\n\n"
	         "BETWEEN are results of stacks that share something with both: they separate a "
	         "confounded change into steps. Otherwise the executors of this machine are "
	         "searched for stacks that could be measured to do so. docs/attribution.md has the "
	         "rules.",
	.forms = (const cli_form[]){
		{ NULL,
		  { { "FROM", .kind = OPTION_PATH }, { "TO", .kind = OPTION_PATH }, { "BETWEEN", .kind = OPTION_PATH, .optional = true, .many = true } },
		  NULL, attribute }, { 0 } },
	.options = (const cli_option[]){
		{ "margin", OPTION_SHARE, offsetof(attribute_options, margin),
		  .about = "as for compare", .value = "X", .low = OPTION_MARGIN_LEAST,
		  .high = OPTION_MARGIN_MOST },
		{ "no-look", OPTION_FLAG, offsetof(attribute_options, no_look),
		  .about = "do not search the executors of this machine" },
		CLI_JSON(attribute_options),
		{ "verbose", OPTION_VERBOSE, 0,
		  .about = "also print rules that hold without qualifying anything",
		  .letter = 'v' }, { 0 } },
	.size = sizeof(attribute_options),
	.items_title = "Answers",
	.items = (const cli_item[]){
		{ "attributable",
		  "cases moved, the others are equal, and one thing changed, which is named with its maker and owner" },
		{ "partly-attributable", "the same, but some cases have no verdict" },
		{ "no-effect", "something changed, and every case is equal" },
		{ "no-change", "no layer differs, and every case is equal" },
		{ "conditions",
		  "no layer differs, cases moved, and the records show why: throttling, steal, neighbours" },
		{ "unexplained", "no layer differs, cases moved, and the records do not show why" },
		{ "undecided", "no case is known to have moved, and some have no verdict" },
		{ "confounded",
		  "cases moved, and several things changed; the runs that would separate them are printed" },
		{ "not-comparable", "the contract refuses" }, { NULL, NULL } },
	.exits = (const cli_item[]){
		{ "0", "attributable, no-effect or no-change" },
		{ "1", "conditions or unexplained" },
		{ "2", "partly-attributable, undecided or confounded" },
		{ "3", "not-comparable, or a result was altered" }, { NULL, NULL } },
	.examples = (const char *const[]){
		"evenhand attribute before/cuda-0.json after/cuda-0.json",
		"evenhand attribute host-gcc-12.json opencl-pocl-0.json between/host-clang-15.json", NULL },
	.altered = EXIT_CODE_NOT_COMPARABLE,
};
