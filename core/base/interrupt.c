/* SPDX-License-Identifier: Apache-2.0 */
#include "base/interrupt.h"

#include <signal.h>
#include <stdatomic.h>
#include <string.h>

/* The number of signals so far.  Lock-free, so that the handler may change it. */
static atomic_int asked;
static atomic_int pipes;

static void on_signal(int number)
{
	if (atomic_fetch_add(&asked, 1) + 1 >= 3) {
		signal(number, SIG_DFL);
		raise(number);
	}
}

/* A terminal that closes, a shell and a reader send the same again: it stays one request. */
static void on_loss(int number)
{
	int none = 0;

	(void)atomic_compare_exchange_strong(&asked, &none, 1);
	if (number == SIGPIPE)
		atomic_store(&pipes, 1);
}

/* Keeps a signal ignored that was ignored when the process was started. */
static void handle(int number, void (*handler)(int), bool keep_ignored)
{
	struct sigaction action, before;

	memset(&action, 0, sizeof(action));
	action.sa_handler = handler; /* without SA_RESTART a signal ends a wait */
	sigemptyset(&action.sa_mask);
	if (keep_ignored && sigaction(number, NULL, &before) == 0 && before.sa_handler == SIG_IGN)
		return;
	sigaction(number, &action, NULL);
}

void interrupt_install(void)
{
	handle(SIGINT, on_signal, false);
	handle(SIGTERM, on_signal, false);
	handle(SIGHUP, on_loss, true);
}

void interrupt_on_pipe(void)
{
	handle(SIGPIPE, on_loss, true);
}

void interrupt_by_pipe(void)
{
	if (atomic_load(&pipes) == 0)
		return;
	handle(SIGPIPE, SIG_DFL, false);
	raise(SIGPIPE);
}

bool interrupt_pending(void)
{
	return atomic_load(&asked) > 0;
}
