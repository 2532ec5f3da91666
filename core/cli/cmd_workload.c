/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/paths.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/workload_page.h"
#include "plugin/plugin.h"

typedef struct workload_options { bool json; } workload_options;

/* Whether the file lies in the folder of the installation, by whatever path. */
static bool is_installed(const char *path)
{
	char *ours = paths_library("workloads"), *real = realpath(ours, NULL);
	char *folder = memory_format("%.*s", (int)(strrchr(path, '/') - path), path);
	char *own = realpath(folder, NULL);
	bool same = real != NULL && own != NULL && strcmp(real, own) == 0;

	free(own);
	free(folder);
	free(real);
	free(ours);
	return same;
}

/* ---- list ------------------------------------------------------------------------------------ */

/* Loads files[i] unless it may not be; the next file of its name takes the place of one that is
 * refused, as for whoever asks by name. */
static void look_at(plugin_file *files, size_t count, size_t i, answer_workload *out)
{
	const plugin_file *file = &files[i];
	eh_error error = ERROR_INIT;
	const eh_workload *workload;

	text_set(&out->name, file->name);
	text_set(&out->path, file->path);
	out->installed = is_installed(file->path);
	if (file->status != EH_OK) {
		text_set(&out->error, file->reason);
	} else if (plugin_load_workload(file->path, &workload, &error) != EH_OK) {
		text_set(&out->error, error.message);
		(void)plugin_next(files, count, i);
	} else {
		workload_summarise(workload, out);
	}
}

static eh_status list(cli_call *call, eh_error *unused)
{
	const workload_options *o = call->options;
	answer_workload_list all = { 0 };
	plugin_file *files;
	size_t count = plugin_search(PLUGIN_WORKLOAD, &files);

	(void)unused;
	for (size_t i = 0; i < count; i++)
		look_at(files, count, i, layout_append(answer_workload_layout(), &all));
	if (o->json)
		command_layout_list(answer_workload_layout(), &all);
	else if (all.count == 0)
		puts("no workloads found; is evenhand installed whole?");
	else
		workload_print_list(&all);
	layout_list_clear(answer_workload_layout(), &all);
	plugin_files_free(files, count);
	return EH_OK;
}

/* ---- show ------------------------------------------------------------------------------------ */

static eh_status show(cli_call *call, eh_error *error)
{
	const workload_options *o = call->options;
	const eh_workload *workload;
	answer_workload_page page;
	eh_status status;
	char *path = NULL;

	status = plugin_find_workload_file(call->words[0], &workload, &path, error);
	if (status != EH_OK)
		return status;
	layout_init(answer_workload_page_layout(), &page);
	status = workload_describe(workload, call->words + 1, call->count - 1, &page, error);
	page.workload.installed = is_installed(path);
	page.workload.path = path;
	if (status == EH_OK && o->json)
		command_layout(answer_workload_page_layout(), &page);
	else if (status == EH_OK)
		workload_print_page(&page);
	layout_clear(answer_workload_page_layout(), &page);
	return status;
}

const cli_command cmd_workload = {
	.name = "workload",
	.group = CLI_EVERYDAY,
	.summary = "list the workloads, and show what one measures and how it counts",
	.about = "A workload is a plugin with an operation family: its parameters, how its work is counted, "
	         "and how its outputs are checked (docs/workloads.md). A case of a protocol names it. "
	         "Nothing is measured here, and no device is needed.",
	.forms = (const cli_form[]){
		{ "list", { { 0 } },
		  "list the workloads that are found, with the file of those that are not the "
		  "installation's", list },
		{ "show", { { "NAME", .kind = OPTION_WORKLOAD },
		            { "KEY=VALUE", .kind = OPTION_TEXT, .optional = true, .many = true } },
		  "print the parameters, and the work of a case with these values, else with the defaults",
		  show }, { 0 } },
	.options = (const cli_option[]){ CLI_JSON(workload_options), { 0 } },
	.size = sizeof(workload_options),
	.exits = (const cli_item[]){
		{ "4", "there is no such workload or parameter, or the values make no case" }, { NULL, NULL } },
	.examples = (const char *const[]){
		"evenhand workload list", "evenhand workload show gemm m=4096 precision=f16", NULL },
};
