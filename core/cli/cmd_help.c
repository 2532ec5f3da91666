/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "base/text.h"
#include "cli/answer.h"
#include "cli/manual.h"
#include "cli/topics.h"
#include "plugin/host.h"
#include "version.h"

enum { NAMES_MOST = 64 };

typedef struct help_options { bool json, man, markdown; } help_options;

static eh_status refuse_unknown(const char *name, eh_error *error)
{
	const char *names[NAMES_MOST], *near;
	size_t count = 0;

	for (size_t i = 0; cli_commands[i] != NULL && count < NAMES_MOST; i++)
		if (cli_commands[i]->group != CLI_HIDDEN)
			names[count++] = cli_commands[i]->name;
	for (const cli_topic *t = cli_topics; t->name != NULL && count < NAMES_MOST; t++)
		names[count++] = t->name;
	near = text_nearest(name, names, count);
	return error_set(error, EH_E_USAGE, "there is no command or topic '%s'%s%s%s", name,
	                 near != NULL ? "; did you mean '" : "", near != NULL ? near : "",
	                 near != NULL ? "'?" : "");
}

static eh_status help(cli_call *call, eh_error *error)
{
	const help_options *o = call->options;
	const char *name = call->count > 0 ? call->words[0] : NULL;
	const cli_command *c = name != NULL ? command_find(name) : NULL;
	const cli_topic *topic = name != NULL ? topic_find(name) : NULL;

	if (name != NULL && (o->man || o->markdown))
		return error_set(error, EH_E_USAGE, "--man and --markdown print the whole manual; name no '%s'",
		                 name);
	if (o->json && topic == NULL)
		return error_set(error, EH_E_USAGE, "--json is for topics, such as help contract --json");
	if (o->man || o->markdown)
		manual_page(stdout, o->man ? MANUAL_MAN : MANUAL_MARKDOWN);
	else if (name == NULL)
		manual_program(stdout);
	else if (c != NULL)
		manual_command(stdout, c);
	else if (topic != NULL)
		topic->print(o->json);
	else
		return refuse_unknown(name, error);
	return EH_OK;
}

const cli_command cmd_help = {
	.name = "help",
	.group = CLI_PROGRAM,
	.summary = "print help on a command or a topic",
	.about = "Topics: `contract` (the rules that decide whether results may be compared), "
	         "`result`, `settings`, `exit-codes`, `environment`, `files`.",
	.forms = (const cli_form[]){
		{ NULL, { { "NAME", .kind = OPTION_TOPIC, .optional = true } }, NULL, help },
		{ 0 } },
	.options = (const cli_option[]){
		{ "json", OPTION_FLAG, offsetof(help_options, json),
		  .about = "print the topic as JSON", .rivals = 1 },
		{ "man", OPTION_FLAG, offsetof(help_options, man),
		  .about = "print the manual page", .rivals = 1 },
		{ "markdown", OPTION_FLAG, offsetof(help_options, markdown),
		  .about = "print the manual as Markdown", .rivals = 1 }, { 0 } },
	.size = sizeof(help_options),
	.examples = (const char *const[]){
		"evenhand help compare",
		"evenhand help contract --json | jq -r '.rules[] | select(.level == \"refused\") | .id'", NULL },
};

typedef struct version_options { bool json; } version_options;

static eh_status print_version(cli_call *call, eh_error *error)
{
	static char version[] = EVENHAND_VERSION, commit[] = EVENHAND_COMMIT;
	const answer_version answer = { version, commit, EVENHAND_DIRTY > 0, EH_ABI_MAJOR, EH_ABI_MINOR };
	const version_options *o = call->options;

	(void)error;
	if (o->json)
		command_layout(answer_version_layout(), &answer);
	else
		printf("evenhand %s (commit %.12s%s, plugin ABI %d.%d)\n", version, commit,
		       answer.dirty ? ", dirty" : "", EH_ABI_MAJOR, EH_ABI_MINOR);
	return EH_OK;
}

const cli_command cmd_version = {
	.name = "version",
	.group = CLI_PROGRAM,
	.summary = "print version, commit and plugin ABI",
	.forms = (const cli_form[]){ { NULL, { { 0 } }, NULL, print_version }, { 0 } },
	.options = (const cli_option[]){ CLI_JSON(version_options), { 0 } },
	.size = sizeof(version_options),
	.examples = (const char *const[]){ "evenhand version --json", NULL },
};
