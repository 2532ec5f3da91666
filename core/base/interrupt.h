/* SPDX-License-Identifier: Apache-2.0 */
/* SIGINT and SIGTERM: the first sets a flag, the third ends the process. */
#ifndef BASE_INTERRUPT_H
#define BASE_INTERRUPT_H

#include <stdbool.h>

void interrupt_install(void);
bool interrupt_pending(void);

#endif
