/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/text.h"
#include "cli/command.h"
#include "executor/site.h"
#include "report/report.h"

typedef struct site_options { bool json; } site_options;

static eh_status template(cli_call *call, eh_error *error)
{
	char *body = site_template();

	(void)call;
	(void)error;
	(void)fputs(body, stdout);
	free(body);
	return EH_OK;
}

static eh_status check(cli_call *call, eh_error *error)
{
	const site_options *o = call->options;
	site *s = NULL;
	cJSON *root;
	eh_status status = site_read(call->count > 0 ? call->words[0] : NULL, &s, error);

	if (status != EH_OK)
		return status;
	if (o->json) {
		root = cJSON_CreateObject();
		json_add_string(root, "file", site_path(s));
		json_add_bool(root, "sound", true);
		command_json(root);
	} else if (site_path(s)[0] == '\0') {
		puts("there is no site file: nothing is declared");
	} else {
		printf("%s is sound\n", site_path(s));
	}
	site_free(s);
	return EH_OK;
}

static void print_layer(const cJSON *layer)
{
	const cJSON *field;
	table *t = table_new("ll");

	cJSON_ArrayForEach(field, json_path(layer, "fields"))
		table_row(t, (const char *const[]){ field->string, json_string(field, "value", "") });
	if (layer == NULL)
		puts("nothing is declared");
	else
		(void)table_print(t, stdout);
	table_free(t);
}

static eh_status show(cli_call *call, eh_error *error)
{
	const site_options *o = call->options;
	site *s = NULL;
	cJSON *layer;
	eh_status status = site_read(NULL, &s, error);

	if (status != EH_OK)
		return status;
	layer = site_layer(s, call->count > 0 ? call->words[0] : NULL);
	if (o->json)
		command_json(layer != NULL ? cJSON_Duplicate(layer, true) : cJSON_CreateNull());
	else
		print_layer(layer);
	cJSON_Delete(layer);
	site_free(s);
	return EH_OK;
}

enum { TEMPLATE, CHECK, SHOW };

const cli_command cmd_site = {
	.name = "site",
	.group = CLI_EXTENDING,
	.summary = "write and check the site file: who measures, cooling, power, owners of layers",
	.about = "A site file declares what no program can find out (docs/executor.md). Every "
	         "result has it as the layer \"site\", source \"declared\"; certified protocols "
	         "require some of it. It is FILE, else EVENHAND_SITE, else site.ini of the user's "
	         "configuration.",
	.forms = (const cli_form[]){
		{ "template", { { 0 } }, "print a commented file to begin with", template },
		{ "check", { { "FILE", .kind = OPTION_PATH, .optional = true } },
		  "read the file and say what is wrong with it", check },
		{ "show", { { "EXECUTOR", .kind = OPTION_EXECUTOR, .optional = true } },
		  "print what is declared for all executors, or for one", show }, { 0 } },
	.options = (const cli_option[]){
		{ "json", OPTION_FLAG, offsetof(site_options, json),
		  .about = "print JSON", .forms = CLI_FORM(CHECK) | CLI_FORM(SHOW) }, { 0 } },
	.size = sizeof(site_options),
	.exits = (const cli_item[]){
		{ "4", "the file is not sound, or wrong usage" }, { NULL, NULL } },
	.examples = (const char *const[]){
		"evenhand site template > site.ini", "evenhand site check site.ini",
		"EVENHAND_SITE=site.ini evenhand site show cuda:0", NULL },
};
