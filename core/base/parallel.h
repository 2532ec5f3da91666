/* SPDX-License-Identifier: Apache-2.0 */
/* Independent pieces of work on all processors. */
#ifndef BASE_PARALLEL_H
#define BASE_PARALLEL_H

#include <stddef.h>

/* Calls work(context, i) once for each i below count, from this and other threads; returns when all
 * calls have returned.  A call from within work of which there is plenty for all processors does its
 * pieces one after the other, also when one of the outer pieces is larger than the rest.  If threads cannot be started, the remaining ones do all the work. */
void parallel_each(size_t count, void (*work)(void *context, size_t i), void *context);

#endif
