/* SPDX-License-Identifier: Apache-2.0 */
/* How a child process ended, and what it left behind, in words. */
#ifndef RUN_DEATH_H
#define RUN_DEATH_H

#include "base/child.h"

/* malloc'd: "was killed by signal 11 (SIGSEGV: Segmentation fault); its last words: ..." or
 * "ended with status 3; ...". */
char *death_text(const child_end *end);

/* Warns of the processes that a child left behind, if any; they have been ended. */
void death_survivors(const char *whose, const child_end *end);

#endif
