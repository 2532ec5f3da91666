/* SPDX-License-Identifier: Apache-2.0 */
#include "base/log.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { REMEMBERED = 256 };

static atomic_int level_now = EH_LOG_WARN;
static void (*_Atomic before_message)(void);
static _Atomic log_sink sink_now;
static void *_Atomic sink_context;
static _Atomic uint64_t written[REMEMBERED]; /* hashes of messages */

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

void log_set_sink(log_sink sink, void *context)
{
	atomic_store(&sink_context, context);
	atomic_store(&sink_now, sink);
}

/* Whether the message is new; remembers its hash (FNV-1a, never 0).  Of two messages with the same
 * place in the table the older one is forgotten. */
static bool remember(const char *message)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	for (; *message != '\0'; message++)
		hash = (hash ^ (unsigned char)*message) * UINT64_C(0x100000001b3);
	hash |= 1;
	return atomic_exchange(&written[(hash >> 1) % REMEMBERED], hash) != hash;
}

static void put(int level, const char *about, const char *message)
{
	static const char *const names[] = { "error: ", "warning: ", "", "debug: " };
	void (*before)(void) = atomic_load(&before_message);

	if (before != NULL)
		before();
	/* A single call keeps messages of several threads apart. */
	fprintf(stderr, "evenhand: %s%s%s%s\n", names[level < 0 ? 0 : level > 3 ? 3 : level], about,
	        about[0] != '\0' ? ": " : "", message);
}

void log_relay(int level, const char *about, const char *message)
{
	if (level <= atomic_load(&level_now) && remember(message))
		put(level, about, message);
}

void log_write(int level, const char *format, ...)
{
	log_sink sink = atomic_load(&sink_now);
	char message[2048];
	va_list args;

	if (level > atomic_load(&level_now))
		return;
	va_start(args, format);
	if (vsnprintf(message, sizeof(message), format, args) < 0)
		message[0] = '\0';
	va_end(args);
	if (sink != NULL) {
		sink(atomic_load(&sink_context), level, message);
		return;
	}
	(void)remember(message);
	put(level, "", message);
}
