/* SPDX-License-Identifier: Apache-2.0 */
/* Independent pieces of work on all processors. */
#ifndef BASE_PARALLEL_H
#define BASE_PARALLEL_H

#include <stddef.h>

/* Calls work(context, i) once for each i below count, from this and other threads; returns when all
 * calls have returned.  Where there is plenty of work for all processors, a call from within it does
 * its pieces one after the other.  If threads cannot be started, the remaining ones do all the work. */
void parallel_each(size_t count, void (*work)(void *context, size_t i), void *context);

#endif
