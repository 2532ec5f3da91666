/* SPDX-License-Identifier: Apache-2.0 */
#include "base/log.h"
#include "cli/command.h"
#include "cli/devices_show.h"
#include "cli/sensors_show.h"
#include "run/sensors.h"

typedef struct devices_options { bool json, fields; } devices_options;

static size_t count_usable(const discover_report *here)
{
	size_t usable = 0;

	for (size_t b = 0; b < here->backends.count; b++)
		for (size_t d = 0; d < here->backends.items[b].devices.count; d++)
			usable += discover_is(here->backends.items[b].devices.items[d].status,
			                      EH_OK);
	return usable;
}

static void print_all(const devices_options *o, bool verbose, discover_report *here)
{
	if (verbose)
		sensors_list(here);
	if (o->json) {
		command_layout(discover_report_layout(), here);
		return;
	}
	(void)devices_print(here, verbose);
	if (verbose) {
		(void)sensors_print(&here->probes);
		devices_print_layers(here);
	}
}

static eh_status devices(cli_call *call, eh_error *error)
{
	const devices_options *o = call->options;
	discover_report here;

	(void)error;
	layout_init(discover_report_layout(), &here);
	(void)discover(&here, NULL);
	call->code = count_usable(&here) > 0 ? EXIT_CODE_OK : EXIT_CODE_ENVIRONMENT;
	if (o->fields)
		devices_print_facts(&here, o->json);
	else
		print_all(o, log_level() >= EH_LOG_INFO, &here);
	layout_clear(discover_report_layout(), &here);
	return EH_OK;
}

const cli_command cmd_devices = {
	.name = "devices",
	.group = CLI_EVERYDAY,
	.summary = "list what can be measured here, and what would help where it cannot",
	.about = "Lists every backend that was found and every device of it, each under the name "
	         "that `evenhand run --on NAME` takes. For what is not usable it says why, and "
	         "what would help. Each backend is loaded in a process of its own.",
	.forms = (const cli_form[]){ { NULL, { { 0 } }, NULL, devices }, { 0 } },
	.options = (const cli_option[]){
		{ "fields", OPTION_FLAG, offsetof(devices_options, fields),
		  .about = "list which facts each executor discloses, and their source: what "
		           "`requires` of a protocol can ask for" },
		{ "set", OPTION_SETTING, 0,
		  .about = "a setting of a backend, as for run", .value = "BACKEND.KEY=VALUE" },
		CLI_JSON(devices_options),
		{ "verbose", OPTION_VERBOSE, 0,
		  .about = "more about each device, its layers with their makers and owners, the files of the "
		           "backends, and which sensors can be read, with their values now; with "
		           "--json as \"probes\"", .letter = 'v' }, { 0 } },
	.size = sizeof(devices_options),
	.exits = (const cli_item[]){ { "5", "nothing is usable" }, { NULL, NULL } },
	.examples = (const char *const[]){
		"evenhand devices",
		"evenhand devices --json | jq -r '.backends[].devices[].executor'", NULL },
};
