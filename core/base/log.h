/* SPDX-License-Identifier: Apache-2.0 */
/* Messages for people, on stderr: "evenhand: warning: ...".  Any thread. */
#ifndef BASE_LOG_H
#define BASE_LOG_H

#include "evenhand/backend.h" /* EH_LOG_* */

/* Messages above this level are dropped; the default is EH_LOG_WARN. */
void log_set_level(int level);
int log_level(void);

/* `before` is called before each message, to clear a progress line; NULL = none. */
void log_set_before(void (*before)(void));

/* Sends messages to `sink` instead of stderr; NULL = stderr again. */
typedef void (*log_sink)(void *context, int level, const char *message);
void log_set_sink(log_sink sink, void *context);

/* Writes a message of a child process as "about: message".  A message that was written before is
 * dropped, as several children report the same. */
void log_relay(int level, const char *about, const char *message);

__attribute__((format(printf, 2, 3)))
void log_write(int level, const char *format, ...);

#endif
