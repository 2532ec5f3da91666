/* SPDX-License-Identifier: Apache-2.0 */
/* A bound for what this process takes of the machine's memory, so that a file that needs more than there
 * is ends this program with its sentence (base/text.h), and not another program with the kernel's. */
#ifndef BASE_MEMORY_BOUND_H
#define BASE_MEMORY_BOUND_H

#include <stdint.h>
#include <sys/resource.h>

/* The bytes that this process can have more: what the machine has available, or the least that a control
 * group of this process may take beyond what it has.  UINT64_MAX where neither is known.  root: ""
 * or the folder that stands for "/". */
uint64_t memory_available(const char *root);

/* Until memory_unbind, the data of this process grows by three quarters of memory_available() at most.
 * A lower limit stays; where the system does not tell, nothing is bounded.  Threads: of the process. */
struct rlimit memory_bind(const char *root);
void memory_unbind(const struct rlimit *before);

#endif
