/* SPDX-License-Identifier: Apache-2.0 */
/* The table of subcommands, and the options that all of them share. */
#include "cli/command.h"

extern const cli_command cmd_devices, cmd_run, cmd_show, cmd_compare, cmd_explain, cmd_report, cmd_export, cmd_archive,
	cmd_guard, cmd_watch,
	cmd_protocol, cmd_workload, cmd_verify, cmd_bundle, cmd_sign, cmd_agree, cmd_amend, cmd_key,
	cmd_attribute, cmd_diagnose, cmd_claim, cmd_reproduce, cmd_calibrate, cmd_series,
	cmd_plugin, cmd_site,
	cmd_help, cmd_version,
	cmd_complete, cmd_kernels, cmd_worker, cmd_conformance_child;

const cli_command *const cli_commands[] = {
	&cmd_devices, &cmd_run, &cmd_show, &cmd_compare, &cmd_explain, &cmd_report, &cmd_export, &cmd_archive,
	&cmd_guard, &cmd_watch,
	&cmd_protocol, &cmd_workload, &cmd_verify, &cmd_bundle, &cmd_sign, &cmd_agree, &cmd_amend, &cmd_key,
	&cmd_attribute, &cmd_diagnose, &cmd_claim, &cmd_reproduce, &cmd_calibrate,
	&cmd_series,
	&cmd_plugin, &cmd_site,
	&cmd_help, &cmd_version,
	&cmd_complete, &cmd_kernels, &cmd_worker, &cmd_conformance_child,
	NULL
};

const cli_option cli_program_options[] = {
	{ "set", OPTION_SETTING, 0,
	  .about = "a setting of a backend, such as host.threads=1 (docs/host-backend.md); may be "
	           "given again", .value = "BACKEND.KEY=VALUE" },
	{ "version", OPTION_FLAG, 0,
	  .about = "print version, commit and plugin ABI", .letter = 'V' },
	{ 0 }
};

const cli_option cli_common_options[] = {
	{ "verbose", OPTION_VERBOSE, 0,
	  .about = "more messages and more detail; twice: all messages", .letter = 'v' },
	{ "quiet", OPTION_QUIET, 0, .about = "no progress; twice: errors only", .letter = 'q' },
	{ "no-pager", OPTION_NO_PAGER, 0, .about = "no pager for a page that is longer than the screen" },
	{ "help", OPTION_HELP, 0, .about = "print help", .letter = 'h' },
	{ 0 }
};

const char *command_group_name(enum cli_group group)
{
	static const char *const names[] = { "Everyday commands", "Evidence", "Analysis",
		                             "Extending evenhand", "The program itself", "Hidden" };

	return names[group];
}
