/* SPDX-License-Identifier: Apache-2.0 */
/* Independent pieces of work on all processors. */
#ifndef BASE_PARALLEL_H
#define BASE_PARALLEL_H

#include <stddef.h>

/* Calls work(context, i) once for each i below count, from several threads, this one among them; returns
 * when all are done.  Pieces are taken in strides; what a thread that cannot be started would have
 * done, the others do. */
void parallel_each(size_t count, void (*work)(void *context, size_t i), void *context);

#endif
