/* SPDX-License-Identifier: Apache-2.0 */
/* What a process passes on to a program that it becomes. */
#ifndef BASE_DESCRIPTORS_H
#define BASE_DESCRIPTORS_H

#include <stdbool.h>

/* Makes exec close every descriptor above 2 of this process.  Only async-signal-safe calls.  false with
 * errno when it cannot find them: no close_range(2) (Linux 5.11) and no /proc. */
bool descriptors_seal(void);

#endif
