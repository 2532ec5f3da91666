/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "report/report.h"

extern const command command_contract;

static void print_json(void)
{
	char *body = layout_text(contract_layout(), contract_rules(), true);

	puts(body);
	free(body);
}

static void print_rules(void)
{
	const contract_rule_list *rules = &contract_rules()->rules;
	table *t = table_new("llll");

	table_row(t, (const char *[]){ "rule", "asked of a", "it gives", "certified" });
	table_rule(t);
	for (size_t i = 0; i < rules->count; i++) {
		const contract_rule *rule = &rules->items[i];

		table_row(t, (const char *[]){ rule->id, contract_scope_word(rule->scope),
			                       contract_level_word(rule->level),
			                       rule->certified != rule->level ?
			                       contract_level_word(rule->certified) : "" });
		table_note(t, rule->condition);
		table_note(t, rule->why);
	}
	(void)table_print(t, stdout);
	table_free(t);
}

static int contract_run(int argc, char **argv)
{
	eh_error error = ERROR_INIT;
	bool json = false;
	int i;

	for (i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)
			return command_help(&command_contract);
		if (strcmp(argv[i], "--json") != 0) {
			(void)error_set(&error, EH_E_USAGE, argv[i][0] == '-' ? "unknown flag '%s'" :
			                "\"%s\" is not expected", argv[i]);
			return command_fail(&command_contract, &error);
		}
		json = true;
	}
	if (json)
		print_json();
	else
		print_rules();
	return command_printed(&command_contract, EXIT_CODE_OK);
}

const command command_contract = {
	.name = "contract",
	.summary = "list the rules that decide whether two results may be compared",
	.help = "usage: evenhand contract [--json]\n"
	        "\n"
	        "Prints every rule of the comparability contract: its id, which verdicts cite; what it\n"
	        "is asked of; what holds when it fires (comparable, caveat, description, refused; the\n"
	        "most severe wins), and what else in a certified comparison; the condition, and why it\n"
	        "is there.\n"
	        "\n"
	        "  --json  the same as JSON\n"
	        "\n"
	        "examples:\n"
	        "  evenhand contract\n"
	        "  evenhand contract --json | jq -r '.rules[] | select(.level == \"refused\") | .id'\n",
	.run = contract_run,
};
