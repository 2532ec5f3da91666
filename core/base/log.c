/* SPDX-License-Identifier: Apache-2.0 */
#include "base/log.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_int level_now = EH_LOG_WARN;
static void (*_Atomic before_message)(void);

void log_set_level(int level)
{
	atomic_store(&level_now, level);
}

int log_level(void)
{
	return atomic_load(&level_now);
}

void log_set_before(void (*before)(void))
{
	atomic_store(&before_message, before);
}

void log_write(int level, const char *format, ...)
{
	static const char *const names[] = { "error: ", "warning: ", "", "debug: " };
	void (*before)(void) = atomic_load(&before_message);
	char message[2048];
	va_list args;

	if (level > atomic_load(&level_now))
		return;
	va_start(args, format);
	if (vsnprintf(message, sizeof(message), format, args) < 0)
		message[0] = '\0';
	va_end(args);
	if (before != NULL)
		before();
	/* One call, so that messages of several threads do not mix. */
	fprintf(stderr, "evenhand: %s%s\n", names[level < 0 ? 0 : level > 3 ? 3 : level], message);
}
