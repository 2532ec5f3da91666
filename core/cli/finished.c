/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/finished.h"

#include "cli/command.h"

enum { SHOWN = 20 };

void finished_print_list(FILE *out, const char *before, const text_list *list)
{
	if (list->count == 0)
		return;
	(void)fputs(before, out);
	for (size_t i = 0; i < list->count && i < SHOWN; i++)
		command_put(out, "%s%s", i > 0 ? ", " : " ", list->items[i]);
	if (list->count > SHOWN)
		fprintf(out, " and %zu more (--json has all)", list->count - SHOWN);
	(void)fputc('\n', out);
}

void finished_print(FILE *out, const char *file, const text_list *members, const char *announcer)
{
	if (members->count > 0)
		command_put(out, "%s: a redaction that had been interrupted was finished; %s announced it;", file,
		            announcer);
	finished_print_list(out, " taken out:", members);
}
