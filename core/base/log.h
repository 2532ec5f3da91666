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

__attribute__((format(printf, 2, 3)))
void log_write(int level, const char *format, ...);

#endif
