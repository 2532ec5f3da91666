/* SPDX-License-Identifier: Apache-2.0 */
/* Signals that ask a process to end what it does.  Of SIGINT and SIGTERM the first sets a flag, the third
 * ends the process.  SIGHUP sets the flag, unless the process was started to outlive its terminal
 * (nohup). */
#ifndef BASE_INTERRUPT_H
#define BASE_INTERRUPT_H

#include <stdbool.h>

void interrupt_install(void);
bool interrupt_pending(void);

/* From here SIGPIPE sets the flag too: whoever read stdout or stderr has gone, and what was done so far
 * can still be written. */
void interrupt_on_pipe(void);
/* Ends the process by SIGPIPE, as without interrupt_on_pipe(), when one has come; else returns. */
void interrupt_by_pipe(void);

#endif
