/* SPDX-License-Identifier: Apache-2.0 */
#include "run/probedeath.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "plugin/probes.h"

static const int signals[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT };
#define SIGNALS (sizeof(signals) / sizeof(signals[0]))

/* For the handler, which gets only the signal's number. */
static struct sigaction before[SIGNALS];
static volatile sig_atomic_t voice = -1;

static void put(const char *text)
{
	size_t left = strlen(text);

	while (left > 0) {
		ssize_t done = write(voice, text, left);

		if (done <= 0)
			return;
		text += done;
		left -= (size_t)done;
	}
}

/* Names are letters, digits and '_' (plugin.c), so that they need no escaping. */
static void tell(int number)
{
	const char *name = probes_current();

	if (name != NULL) {
		put("{\"event\":\"probe\",\"name\":\"");
		put(name);
		put("\"}\n");
	}
	for (size_t i = 0; i < SIGNALS; i++)
		if (signals[i] == number)
			(void)sigaction(number, &before[i], NULL);
	(void)raise(number);
}

void probedeath_install(int fd)
{
	struct sigaction act = { .sa_handler = tell, .sa_flags = SA_NODEFER };

	voice = fd;
	(void)sigemptyset(&act.sa_mask);
	for (size_t i = 0; i < SIGNALS; i++)
		(void)sigaction(signals[i], &act, &before[i]);
}
