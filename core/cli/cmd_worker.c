/* SPDX-License-Identifier: Apache-2.0 */
#include "base/text.h"
#include "cli/command.h"
#include "run/discover.h"
#include "run/run.h"
#include "run/sensors.h"
#include "run/survey.h"

typedef struct worker_options { const char *list, *sensors, *describe; } worker_options;

static eh_status work(cli_call *call, eh_error *error)
{
	(void)call;
	(void)error;
	call->code = worker_main();
	return EH_OK;
}

static eh_status list(cli_call *call, eh_error *error)
{
	(void)error;
	call->code = discover_child(((const worker_options *)call->options)->list);
	return EH_OK;
}

static eh_status sensors(cli_call *call, eh_error *error)
{
	(void)error;
	call->code = sensors_child(((const worker_options *)call->options)->sensors);
	return EH_OK;
}

static eh_status describe(cli_call *call, eh_error *error)
{
	const worker_options *o = call->options;
	uint64_t index = 0;

	if (!text_parse_uint(call->words[0], &index) || index > UINT32_MAX)
		return error_set(error, EH_E_USAGE, "'%s' is not the index of a device", call->words[0]);
	call->code = survey_child(o->describe, (uint32_t)index);
	return EH_OK;
}

enum { WORK, LIST, SENSORS, DESCRIBE };

const cli_command cmd_worker = {
	.name = "worker",
	.group = CLI_HIDDEN,
	.summary = "load one backend or probe in a process of its own",
	.about = "`evenhand run` and `evenhand devices` start it; it is not for use by hand. "
	         "Without an option it reads a job from stdin and reports progress on stdout.",
	.forms = (const cli_form[]){
		{ NULL, { { 0 } }, NULL, work },
		{ "--list", { { 0 } }, NULL, list },
		{ "--sensors", { { 0 } }, NULL, sensors },
		{ "--describe", { { "INDEX", .kind = OPTION_TEXT } }, NULL, describe }, { 0 } },
	.options = (const cli_option[]){
		{ "list", OPTION_PATH, offsetof(worker_options, list),
		  .about = "list the devices of a backend", .value = "FILE",
		  .forms = CLI_FORM(LIST) },
		{ "sensors", OPTION_PATH, offsetof(worker_options, sensors),
		  .about = "list the sensors of a probe", .value = "FILE",
		  .forms = CLI_FORM(SENSORS) },
		{ "describe", OPTION_PATH, offsetof(worker_options, describe),
		  .about = "describe a device of a backend", .value = "FILE",
		  .forms = CLI_FORM(DESCRIBE) },
		{ "set", OPTION_SETTING, 0,
		  .about = "a setting of the backend or probe", .value = "BACKEND.KEY=VALUE" },
		{ 0 } },
	.size = sizeof(worker_options),
};
