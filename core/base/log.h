/* SPDX-License-Identifier: Apache-2.0 */
/* Messages for people, on stderr: "evenhand: warning: ...".  Any thread. */
#ifndef BASE_LOG_H
#define BASE_LOG_H

#include "evenhand/backend.h" /* EH_LOG_* */

/* Messages above this level are dropped; EH_LOG_WARN at first. */
void log_set_level(int level);
int log_level(void);

/* Called before each message, to take a progress line off the terminal; NULL = none. */
void log_set_before(void (*before)(void));

/* From now on messages go there and not to stderr; NULL = to stderr again. */
typedef void (*log_sink)(void *context, int level, const char *message);
void log_set_sink(log_sink sink, void *context);

/* What another process of ours has to say, "about: message", unless that message was written before: its
 * siblings say the same. */
void log_relay(int level, const char *about, const char *message);

__attribute__((format(printf, 2, 3)))
void log_write(int level, const char *format, ...);

#endif
