/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>

#include "base/text.h"
#include "cli/answer.h"
#include "cli/command.h"
#include "executor/site.h"
#include "record/setting.h"
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
	eh_status status = site_read(call->count > 0 ? call->words[0] : NULL, &s, error);

	if (status != EH_OK)
		return status;
	if (o->json)
		command_layout(answer_site_layout(), &(answer_site){
			.file = (char *)(uintptr_t)site_path(s), .sound = true });
	else if (site_path(s)[0] == '\0')
		puts("there is no site file: nothing is declared");
	else
		command_put(stdout, "%s is sound\n", site_path(s));
	site_free(s);
	return EH_OK;
}

static void add_layer(table *t, const record_layer *layer)
{
	const char *version = text_or_empty(layer->version);
	char *words = memory_format("%s%s%s", layer->name, version[0] != '\0' ? " " : "", version);

	if (layer->layer != RECORD_LAYER_SITE && !setting_is(layer))
		table_row(t, (const char *const[]){ record_layer_kind_word(layer->layer), words });
	for (size_t i = 0; i < layer->fields.count; i++)
		table_row(t, (const char *const[]){ setting_is(layer) ? layer->name
		                                                      : layer->fields.items[i].name,
		                                    layer->fields.items[i].value.text });
	free(words);
}

static void print_layers(const record_layer_list *layers)
{
	table *t = table_new("nw");

	for (size_t i = 0; i < layers->count; i++)
		add_layer(t, &layers->items[i]);
	(void)table_print(t, stdout);
	table_free(t);
}

static eh_status show(cli_call *call, eh_error *error)
{
	const site_options *o = call->options;
	site *s = NULL;
	record_layer_list layers = { 0 };
	eh_status status = site_read(NULL, &s, error);

	if (status != EH_OK)
		return status;
	(void)site_add(s, call->count > 0 ? call->words[0] : NULL, &layers);
	site_own(s, &layers);
	if (o->json)
		command_layout_list(record_layer_layout(), &layers);
	else if (layers.count == 0)
		puts("nothing is declared");
	else
		print_layers(&layers);
	layout_list_clear(record_layer_layout(), &layers);
	site_free(s);
	return EH_OK;
}

enum { TEMPLATE, CHECK, SHOW };

const cli_command cmd_site = {
	.name = "site",
	.group = CLI_EXTENDING,
	.summary = "write and check the site file: who measures, what is declared, which team owns what",
	.about = "A site file declares what no program can find out (docs/executor.md): facts, which "
	         "every result has as the layer \"site\", and layers above the device's stack, such as "
	         "framework and model, both with the source \"declared\"; certified protocols require some "
	         "of it. It also names the teams that own the layers. It is FILE, else EVENHAND_SITE, "
	         "else site.ini of the user's configuration.",
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
