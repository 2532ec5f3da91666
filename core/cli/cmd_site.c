/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cli/command.h"
#include "executor/site.h"
#include "report/report.h"

static int site_run(int argc, char **argv);

extern const command command_site;
const command command_site = {
	.name = "site",
	.summary = "what this place declares: who measures, cooling, power, owners of layers",
	.help = "usage: evenhand site template\n"
	        "       evenhand site check [FILE]\n"
	        "       evenhand site show [EXECUTOR]\n"
	        "\n"
	        "A site file declares what no program can find out.  Every result has it as the layer\n"
	        "\"site\", source \"declared\"; certified protocols require some of it.  It is FILE, else\n"
	        "EVENHAND_SITE, else site.ini of the user's configuration.\n"
	        "\n"
	        "  template   prints a commented file to begin with\n"
	        "  check      reads the file and says what is wrong with it, if anything\n"
	        "  show       prints what is declared for all executors, or for one\n"
	        "\n"
	        "Exit code: 0 fine; 4 the file is not sound, or usage; 5 it cannot be read.\n"
	        "\n"
	        "  evenhand site template > site.ini\n"
	        "  evenhand site check site.ini\n"
	        "  EVENHAND_SITE=site.ini evenhand site show cuda:0\n",
	.run = site_run,
};

static int template(void)
{
	char *body = site_template();

	(void)fputs(body, stdout);
	free(body);
	return command_printed(&command_site, EXIT_CODE_OK);
}

static int check(const char *path)
{
	eh_error error = ERROR_INIT;
	site *s = NULL;

	if (site_read(path, &s, &error) != EH_OK)
		return command_fail(&command_site, &error);
	if (site_path(s)[0] == '\0')
		puts("there is no site file: nothing is declared");
	else
		printf("%s is sound\n", site_path(s));
	site_free(s);
	return command_printed(&command_site, EXIT_CODE_OK);
}

static int show(const char *executor)
{
	eh_error error = ERROR_INIT;
	site *s = NULL;
	record_layer_list declared = { 0 };
	table *t;

	if (site_read(NULL, &s, &error) != EH_OK)
		return command_fail(&command_site, &error);
	t = table_new("ll");
	if (site_add(s, executor, &declared)) {
		record_layer *layer = &declared.items[0];

		for (size_t i = 0; i < layer->fields.count; i++)
			table_row(t, (const char *const[]){ layer->fields.items[i].name,
			                                    layer->fields.items[i].value.text });
		(void)table_print(t, stdout);
		layout_clear(record_layer_layout(), layer);
	} else {
		puts("nothing is declared");
	}
	table_free(t);
	free(declared.items);
	site_free(s);
	return command_printed(&command_site, EXIT_CODE_OK);
}

static int site_run(int argc, char **argv)
{
	eh_error error = ERROR_INIT;

	for (int i = 1; i < argc; i++)
		if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)
			return command_help(&command_site);
	for (int i = 1; i < argc; i++)
		if (argv[i][0] == '-' && argv[i][1] != '\0') {
			(void)error_set(&error, EH_E_USAGE, "unknown flag '%s'", argv[i]);
			return command_fail(&command_site, &error);
		}
	if (argc == 2 && strcmp(argv[1], "template") == 0)
		return template();
	if ((argc == 2 || argc == 3) && strcmp(argv[1], "check") == 0)
		return check(argc == 3 ? argv[2] : NULL);
	if ((argc == 2 || argc == 3) && strcmp(argv[1], "show") == 0)
		return show(argc == 3 ? argv[2] : NULL);
	if (argc < 2)
		(void)error_set(&error, EH_E_USAGE, "template, check or show?");
	else
		(void)error_set(&error, EH_E_USAGE, "unknown argument '%s'", argv[argc - 1]);
	return command_fail(&command_site, &error);
}
