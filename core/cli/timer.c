/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/timer.h"

#include <stdlib.h>
#include <string.h>

#include "base/child.h"
#include "base/clock.h"
#include "base/text.h"

enum { NAME_MOST = 100, TOOL_SECONDS = 60 };
#define SECOND_NS UINT64_C(1000000000)

/* ---- checks ---------------------------------------------------------------------------------- */

eh_status timer_check_name(const char *name, eh_error *error)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";

	if (name[0] != '\0' && name[strspn(name, letters)] == '\0' && strlen(name) <= NAME_MOST)
		return EH_OK;
	return error_set(error, EH_E_USAGE, "'%.100s' is no name for a timer: it takes letters, digits, '.', '_' and "
	                 "'-', at most %d; name another with --name", name, NAME_MOST);
}

eh_status timer_check(const timer *t, eh_error *error)
{
	for (size_t i = 0; i < t->command.count; i++)
		if (!text_is_clean(t->command.items[i]))
			return error_set(error, EH_E_USAGE, "a timer's command cannot have line ends and other control "
			                 "characters, and not text that is not UTF-8, as in '%.200s'", t->command.items[i]);
	for (size_t i = 0; i < t->sbatch.count; i++)
		if (t->sbatch.items[i][0] != '-' || !text_is_clean(t->sbatch.items[i]))
			return error_set(error, EH_E_USAGE, "--sbatch takes one option of sbatch, such as --gres=gpu:1, "
			                 "not '%.80s'", t->sbatch.items[i]);
	return timer_check_name(t->name, error);
}

char *timer_head(const timer *t)
{
	char *protocol = text_shell_word(t->command.items[t->command.count - 1]);
	char *head = memory_format(TIMER_MARK "%s, of %s; `evenhand watch --remove %s` takes it back.\n", t->name,
	                           protocol, t->name);

	free(protocol);
	return head;
}

eh_status timer_check_same(const timer *t, const char *line, eh_error *error)
{
	char *head = timer_head(t);
	bool same = strncmp(line, head, strlen(head)) == 0;

	free(head);
	if (same)
		return EH_OK;
	return error_set(error, EH_E_USAGE, "there is a timer %s of another protocol; name this one with --name, or take "
	                 "that back with evenhand watch --remove %s", t->name, t->name);
}

/* ---- tools of the system --------------------------------------------------------------------- */

/* malloc'd: all that it prints; a newline that the shell adds ends the last line. */
static char *read_all(child *c, eh_status *status)
{
	const uint64_t end = clock_now_ns() + TOOL_SECONDS * SECOND_NS;
	eh_error unread = ERROR_INIT;
	text all = { 0 };
	const char *line;

	for (size_t i = 0; (*status = child_line(c, end, &line, &unread)) == EH_OK; i++)
		text_add(&all, "%s%s", i > 0 ? "\n" : "", line);
	return all.data != NULL ? all.data : memory_text("");
}

eh_status timer_ask(const char *const words[], char **out, eh_error *error)
{
	const char *argv[10] = { "/bin/sh", "-c", "\"$@\"; status=$?; echo; exit $status", "sh" };
	child_end end;
	child *c;
	char *all;
	eh_status read, status;

	for (size_t i = 0; i < 5 && words[i] != NULL; i++)
		argv[4 + i] = words[i];
	status = child_start(argv, false, &c, error);
	if (status != EH_OK)
		return status;
	all = read_all(c, &read);
	child_finish(c, read == EH_E_NOT_FOUND ? SECOND_NS : 0, &end);
	if (read != EH_E_NOT_FOUND)
		status = error_set(error, EH_E_UNAVAILABLE, "%s did not answer within %d s, and was ended", words[0],
		                   TOOL_SECONDS);
	else if (end.code == 127)
		status = error_set(error, EH_E_UNAVAILABLE, "%s is not here", words[0]);
	else if (end.signalled || end.code != 0)
		status = error_set(error, EH_E_UNAVAILABLE, "%s %s failed with %d: %s", words[0], text_or_empty(argv[5]),
		                   end.code, end.last_words[0] != '\0' ? end.last_words : all);
	if (status == EH_OK && out != NULL)
		*out = all;
	else
		free(all);
	return status;
}
