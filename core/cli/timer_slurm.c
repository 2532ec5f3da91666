/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of the user's crontab of Slurm: scrontab(1). */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/files.h"
#include "base/fresh.h"
#include "base/paths.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/timer.h"

/* ---- the lines ------------------------------------------------------------------------------- */

/* A job has the user's environment, but not that of this shell.  At night it disturbs least. */
static char *lines_of(const timer *t)
{
	static const char *const periods[] = { [TIMER_HOUR] = "0 * * * *", [TIMER_DAY] = "0 3 * * *",
		                               [TIMER_WEEK] = "0 3 * * 0" };
	char *head = timer_head(t);
	text lines = { 0 };

	text_add(&lines, "%s#SCRON --job-name=" TIMER_PREFIX "%s\n", head, t->name);
	for (size_t i = 0; i < t->sbatch.count; i++)
		text_add(&lines, "#SCRON %s\n", t->sbatch.items[i]);
	text_add(&lines, "%s", periods[t->every]);
	for (size_t i = 0; i < t->command.count; i++) {
		char *word = text_shell_word(t->command.items[i]);

		text_add(&lines, " %s", word);
		free(word);
	}
	text_add(&lines, "\n");
	free(head);
	return lines.data;
}

/* ---- the crontab ----------------------------------------------------------------------------- */

/* *out: malloc'd; "" where the user has none. */
static eh_status read_crontab(char **out, eh_error *error)
{
	eh_error why = ERROR_INIT;
	eh_status status = timer_ask((const char *const[]){ "scrontab", "-l", NULL }, out, &why);

	if (status == EH_OK)
		return EH_OK;
	if (strstr(why.message, "no crontab for") == NULL)
		return error_set(error, status, "%s", why.message);
	*out = memory_text("");
	return EH_OK;
}

/* The line that begins so, from `all` on; NULL. */
static char *find_line(char *all, const char *begin)
{
	size_t size = strlen(begin);

	for (char *at = all; *at != '\0'; at += strcspn(at, "\n"), at += *at == '\n')
		if (strncmp(at, begin, size) == 0)
			return at;
	return NULL;
}

static char *find_own(char *all, const char *name)
{
	char *begin = memory_format(TIMER_MARK "%s, ", name), *found = find_line(all, begin);

	free(begin);
	return found;
}

/* Takes our lines out: from the mark to the first that is no comment. */
static void cut(char *own)
{
	char *end = own;

	for (bool comment = true; comment && *end != '\0'; end += *end == '\n') {
		comment = *end == '#';
		end += strcspn(end, "\n");
	}
	memmove(own, end, strlen(end) + 1);
}

static eh_status write_crontab(const char *body, eh_error *error)
{
	char *temporary = paths_temporary();
	fresh f;
	eh_status status = fresh_open_temporary(&f, temporary, false, error);

	free(temporary);
	if (status != EH_OK)
		return status;
	if (file_write_at(f.fd, body, strlen(body), 0) != 0)
		status = error_system(error, errno, "cannot write %s", f.path);
	else
		status = timer_ask((const char *const[]){ "scrontab", f.path, NULL }, NULL, error);
	fresh_drop(&f);
	return status;
}

/* Puts the lines, which may be "", in the place of those of that name. */
static eh_status change(const char *name, const timer *t, const char *lines, bool *found, eh_error *error)
{
	char *all = NULL, *own, *body;
	eh_status status = read_crontab(&all, error);

	if (status != EH_OK)
		return status;
	own = find_own(all, name);
	*found = own != NULL;
	if (own != NULL && t != NULL)
		status = timer_check_same(t, own, error);
	if (status == EH_OK && own != NULL)
		cut(own);
	if (status == EH_OK && (lines[0] != '\0' || *found)) {
		size_t size = strlen(all);

		body = memory_format("%s%s%s", all, size > 0 && all[size - 1] != '\n' ? "\n" : "", lines);
		status = write_crontab(body, error);
		free(body);
	}
	free(all);
	return status;
}

eh_status timer_slurm_install(const timer *t, eh_error *error)
{
	char *lines = lines_of(t);
	bool found = false;
	eh_status status = change(t->name, t, lines, &found, error);

	if (status == EH_OK)
		printf(TIMER_PREFIX "%s is in the crontab of Slurm%s\nnext: squeue --me --name " TIMER_PREFIX "%s\n", t->name,
		       found ? ", in place of the lines that were there" : "", t->name);
	else
		error_remedy(error, "; the crontab is as it was. Any other scheduler can run `evenhand watch PROTOCOL "
		             "--once`");
	free(lines);
	return status;
}

eh_status timer_slurm_remove(const char *name, bool *found, eh_error *error)
{
	eh_status status = change(name, NULL, "", found, error);

	if (status == EH_OK && *found)
		printf(TIMER_PREFIX "%s is out of the crontab of Slurm\n", name);
	return status;
}

eh_status timer_slurm_list(size_t *count, eh_error *error)
{
	char *all = NULL;
	eh_status status = read_crontab(&all, error);

	for (char *at = status == EH_OK ? find_line(all, TIMER_MARK) : NULL; at != NULL; at = find_line(at, TIMER_MARK)) {
		at += strlen(TIMER_MARK);
		++*count;
		command_put(stdout, "%.*s: Slurm\n", (int)strcspn(at, ";\n"), at);
	}
	free(all);
	return status;
}
