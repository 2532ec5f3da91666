/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/pager.h"

#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/log.h"
#include "base/spill.h"
#include "base/terminal.h"

/* What a shell says of a program that it does not find or cannot start, and of one that a signal ended. */
enum { NOT_STARTED = 126, NOT_FOUND = 127, BY_SIGNAL = 128 };

/* Without less, and without a word about it, the page is printed as it is. */
#define STANDARD "command -v less >/dev/null || exit 127; exec less"

static spill held;
static int terminal = -1; /* stdout, while it is held */
static bool unwanted;

/* ---- which ----------------------------------------------------------------------------------- */

/* A command line for the shell; NULL: none is wanted. */
static const char *pager_command(void)
{
	const char *command = getenv("EVENHAND_PAGER");

	if (command == NULL)
		command = getenv("PAGER");
	if (command == NULL)
		command = STANDARD;
	command += strspn(command, " \t");
	return command[0] == '\0' || strcmp(command, "cat") == 0 ? NULL : command;
}

/* ---- the screen ------------------------------------------------------------------------------ */

/* How far a page got: its line, the column, and the part of an escape sequence. */
typedef struct place { size_t line, column; bool escaped; } place;

/* Counts a byte where lines go on below at so many columns.  Colours take none, every character one. */
static void advance(place *p, unsigned char c, size_t columns)
{
	if (p->escaped) {
		p->escaped = c != 'm';
	} else if (c == '\033') {
		p->escaped = true;
	} else if (c == '\n') {
		p->line++;
		p->column = 0;
	} else if ((c & 0xc0) != 0x80) {
		p->line += p->column == columns;
		p->column = p->column == columns ? 1 : p->column + 1;
	}
}

/* Whether the page and the prompt after it need more lines than the screen has. */
static bool is_long(void)
{
	const size_t columns = terminal_columns(stdout), lines = terminal_lines(stdout);
	unsigned char chunk[4096];
	place p = { 0 };
	ssize_t got;

	for (off_t at = 0; (got = pread(held.fd, chunk, sizeof(chunk), at)) > 0; at += got)
		for (ssize_t i = 0; i < got; i++) {
			advance(&p, chunk[i], columns);
			if (p.line + (p.column > 0) >= lines)
				return true;
		}
	return false;
}

/* Prints what is held; a failure is that of stdout. */
static void print_held(void)
{
	char chunk[1 << 14];
	ssize_t got;

	for (off_t at = 0; (got = pread(held.fd, chunk, sizeof(chunk), at)) > 0; at += got)
		(void)fwrite(chunk, 1, (size_t)got, stdout);
	(void)fflush(stdout);
}

/* ---- the pager ------------------------------------------------------------------------------- */

/* Whether it has shown the page, or somebody ended it who has seen enough. */
static bool has_shown(int status)
{
	int code = status == -1 ? NOT_STARTED : WIFSIGNALED(status) ? BY_SIGNAL + WTERMSIG(status) :
	           WEXITSTATUS(status);

	if (code == 0 || code == BY_SIGNAL + SIGINT || code == BY_SIGNAL + SIGPIPE || code == BY_SIGNAL + SIGTERM)
		return true;
	/* The shell has said of these what was wrong. */
	if (code != NOT_STARTED && code != NOT_FOUND)
		log_write(EH_LOG_WARN, "the pager ended with exit code %d, so all is printed here", code);
	return false;
}

/* Its stdin is the page. */
static bool page_by(const char *command)
{
	int own = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3), status;

	(void)setenv("LESS", "FRX", 0);
	/* Its exit status is lost where a parent that ignores SIGCHLD has passed that on. */
	(void)signal(SIGCHLD, SIG_DFL);
	if (lseek(held.fd, 0, SEEK_SET) != 0 || dup2(held.fd, STDIN_FILENO) < 0)
		return false;
	status = system(command);
	if (own >= 0) {
		(void)dup2(own, STDIN_FILENO);
		close(own);
	}
	return has_shown(status);
}

/* ---- holding --------------------------------------------------------------------------------- */

void pager_refuse(void)
{
	unwanted = true;
}

void pager_hold(void)
{
	eh_error unused = ERROR_INIT;

	if (unwanted || terminal >= 0 || !terminal_able(stdout) || pager_command() == NULL ||
	    spill_open(&held, &unused) != EH_OK)
		return;
	(void)fflush(stdout);
	terminal = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
	if (terminal >= 0 && dup2(held.fd, STDOUT_FILENO) >= 0) {
		terminal_stdout(terminal);
		return;
	}
	terminal = -1;
	spill_close(&held);
}

void pager_show(void)
{
	if (terminal < 0)
		return;
	(void)fflush(stdout);
	if (lseek(held.fd, 0, SEEK_END) <= 0)
		return;
	(void)dup2(terminal, STDOUT_FILENO);
	if (!is_long() || !page_by(pager_command()))
		print_held();
	(void)!ftruncate(held.fd, 0);
	(void)lseek(held.fd, 0, SEEK_SET);
	(void)dup2(held.fd, STDOUT_FILENO);
}

void pager_release(void)
{
	if (terminal < 0)
		return;
	pager_show();
	(void)dup2(terminal, STDOUT_FILENO);
	close(terminal);
	terminal = -1;
	terminal_stdout(-1);
	spill_close(&held);
}
