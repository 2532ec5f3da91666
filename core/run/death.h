/* SPDX-License-Identifier: Apache-2.0 */
/* How a child process ended, in words. */
#ifndef RUN_DEATH_H
#define RUN_DEATH_H

#include "base/child.h"

/* malloc'd: "was killed by signal 11 (SIGSEGV: Segmentation fault); its last words: ..." or
 * "ended with status 3; ...". */
char *death_text(const child_end *end);

#endif
