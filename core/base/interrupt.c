/* SPDX-License-Identifier: Apache-2.0 */
#include "base/interrupt.h"

#include <signal.h>
#include <stdatomic.h>
#include <string.h>

/* The number of signals so far.  Lock-free, so that the handler may change it. */
static atomic_int asked;

static void on_signal(int number)
{
	if (atomic_fetch_add(&asked, 1) + 1 >= 3) {
		signal(number, SIG_DFL);
		raise(number);
	}
}

void interrupt_install(void)
{
	struct sigaction action;

	memset(&action, 0, sizeof(action));
	action.sa_handler = on_signal; /* without SA_RESTART a signal ends a wait */
	sigemptyset(&action.sa_mask);
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
}

bool interrupt_pending(void)
{
	return atomic_load(&asked) > 0;
}
