/* SPDX-License-Identifier: Apache-2.0 */
/* A service and a timer of the user's systemd. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/files.h"
#include "base/log.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/timer.h"

/* ---- the files ------------------------------------------------------------------------------- */

/* A word in double quotes, by systemd.syntax(7): '%' and '$' are doubled. */
static void add_word(text *t, const char *word)
{
	text_add(t, " \"");
	for (; *word != '\0'; word++) {
		if (*word == '"' || *word == '\\')
			text_add(t, "\\%c", *word);
		else
			text_add(t, *word == '%' || *word == '$' ? "%c%c" : "%c", *word, *word);
	}
	text_add(t, "\"");
}

static char *service_text(const timer *t)
{
	char *head = timer_head(t);
	text out = { 0 };

	text_add(&out, "%s[Unit]\nDescription=" TIMER_PREFIX "%s\n\n[Service]\nType=oneshot\nExecStart=%s", head, t->name,
	         t->command.items[0]);
	for (size_t i = 1; i < t->command.count; i++)
		add_word(&out, t->command.items[i]);
	text_add(&out, "\n");
	free(head);
	return out.data;
}

/* After a start of the machine, when a new driver is in use, and then again and again; never while it still
 * measures. */
static char *timer_text(const timer *t)
{
	static const char *const periods[] = { [TIMER_HOUR] = "1h", [TIMER_DAY] = "1d", [TIMER_WEEK] = "1w" };
	char *head = timer_head(t);
	char *out = memory_format("%s[Unit]\nDescription=" TIMER_PREFIX "%s\n\n[Timer]\nOnStartupSec=10min\n"
	                          "OnUnitInactiveSec=%s\n\n[Install]\nWantedBy=timers.target\n",
	                          head, t->name, periods[t->every]);

	free(head);
	return out;
}

/* ---- where they are -------------------------------------------------------------------------- */

/* malloc'd: the user's folder for units; NULL with an error. */
static char *unit_folder(eh_error *error)
{
	const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");

	if (config != NULL && config[0] == '/')
		return memory_format("%s/systemd/user", config);
	if (home != NULL && home[0] == '/')
		return memory_format("%s/.config/systemd/user", home);
	(void)error_set(error, EH_E_UNAVAILABLE, "neither XDG_CONFIG_HOME nor HOME is a whole path, so there is no "
	                "folder for units");
	return NULL;
}

enum { SERVICE, TIMER, UNITS };
static const char *const suffixes[UNITS] = { "service", "timer" };

/* malloc'd; NULL with an error. */
static char *unit_path(const char *name, size_t unit, eh_error *error)
{
	char *folder = unit_folder(error);
	char *path = folder != NULL ? memory_format("%s/" TIMER_PREFIX "%s.%s", folder, name, suffixes[unit]) : NULL;

	free(folder);
	return path;
}

/* *body: malloc'd content of a file of ours; NULL where there is none. */
static eh_status read_own(const char *path, char **body, eh_error *error)
{
	size_t size;
	eh_status status;

	*body = NULL;
	if (!file_exists(path))
		return EH_OK;
	status = file_read(path, body, &size, error);
	if (status != EH_OK || strncmp(*body, TIMER_MARK, strlen(TIMER_MARK)) == 0)
		return status;
	free(*body);
	*body = NULL;
	return error_set(error, EH_E_USAGE, "%s is not a file that evenhand wrote; it stays as it is, and --name gives "
	                 "the timer another name", path);
}

/* Both have to be ours, and of this protocol where t is not NULL. */
static eh_status check_own(const char *name, const timer *t, bool *there, eh_error *error)
{
	eh_status status = EH_OK;

	*there = false;
	for (size_t i = 0; i < UNITS && status == EH_OK; i++) {
		char *path = unit_path(name, i, error), *body = NULL;

		status = path != NULL ? read_own(path, &body, error) : error->code;
		if (body != NULL && t != NULL)
			status = timer_check_same(t, body, error);
		*there = *there || body != NULL;
		free(body);
		free(path);
	}
	return status;
}

/* ---- what is done with them ------------------------------------------------------------------ */

static eh_status systemctl(const char *verb, const char *more, const char *unit, eh_error *error)
{
	return timer_ask((const char *const[]){ "systemctl", "--user", verb, more, unit, NULL }, NULL, error);
}

static eh_status write_units(const timer *t, eh_error *error)
{
	char *folder = unit_folder(error), *bodies[UNITS] = { service_text(t), timer_text(t) };
	eh_status status = dir_make(folder, error);

	for (size_t i = 0; i < UNITS; i++) {
		char *path = unit_path(t->name, i, error);

		if (status == EH_OK)
			status = file_write(path, bodies[i], strlen(bodies[i]), error);
		free(path);
		free(bodies[i]);
	}
	free(folder);
	return status;
}

static eh_status enable(const char *unit, eh_error *error)
{
	eh_status status = systemctl("daemon-reload", NULL, NULL, error);

	if (status == EH_OK)
		status = systemctl("enable", "--now", unit, error);
	if (status != EH_OK)
		error_remedy(error, "; the files are written, and the same command again enables them");
	return status;
}

eh_status timer_systemd_install(const timer *t, eh_error *error)
{
	char *unit = memory_format(TIMER_PREFIX "%s.timer", t->name);
	bool there = false;
	eh_status status = systemctl("daemon-reload", NULL, NULL, error);

	if (status != EH_OK)
		error_remedy(error, "; nothing was written. A user's systemd needs a login session or `loginctl "
		             "enable-linger`; any other scheduler can run `evenhand watch PROTOCOL --once`");
	else
		status = check_own(t->name, t, &there, error);
	if (status == EH_OK)
		status = write_units(t, error);
	if (status == EH_OK)
		status = enable(unit, error);
	if (status == EH_OK)
		printf("%s is enabled%s; it runs without a session after `loginctl enable-linger`\n"
		       "next: journalctl --user -u " TIMER_PREFIX "%s\n", unit,
		       there ? ", in place of the one that was there" : "", t->name);
	free(unit);
	return status;
}

eh_status timer_systemd_remove(const char *name, bool *found, eh_error *error)
{
	char *unit = memory_format(TIMER_PREFIX "%s.timer", name);
	eh_error unread = ERROR_INIT;
	eh_status status = check_own(name, NULL, found, error);

	/* What systemd says does not keep the files. */
	if (status == EH_OK && *found && systemctl("disable", "--now", unit, &unread) != EH_OK)
		log_write(EH_LOG_WARN, "%s", unread.message);
	for (size_t i = 0; i < UNITS && status == EH_OK && *found; i++) {
		char *path = unit_path(name, i, error);

		if (unlink(path) != 0 && errno != ENOENT)
			status = error_system(error, errno, "cannot remove %s", path);
		free(path);
	}
	if (status == EH_OK && *found) {
		(void)systemctl("daemon-reload", NULL, NULL, &unread);
		printf("%s is removed\n", unit);
	}
	free(unit);
	return status;
}

/* The rest of the line with the mark, and whether systemd runs it. */
static void list_one(const char *folder, const char *name, size_t *count)
{
	char *path = path_join(folder, name), *body = NULL;
	eh_error error = ERROR_INIT;

	if (read_own(path, &body, &error) == EH_OK && body != NULL) {
		const char *words = body + strlen(TIMER_MARK);
		bool active = systemctl("is-active", name, NULL, &error) == EH_OK;

		command_put(stdout, "%.*s: systemd, %s\n", (int)strcspn(words, ";\n"), words,
		            active ? "active" : error.message);
		++*count;
	}
	free(body);
	free(path);
}

eh_status timer_systemd_list(size_t *count, eh_error *error)
{
	char *folder = unit_folder(error), **names = folder != NULL ? dir_list(folder, ".timer", error) : NULL;

	for (size_t i = 0; names != NULL && names[i] != NULL; i++)
		if (strncmp(names[i], TIMER_PREFIX, strlen(TIMER_PREFIX)) == 0)
			list_one(folder, names[i], count);
	free(folder);
	if (names == NULL)
		return error->code;
	dir_list_free(names);
	return EH_OK;
}
