/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Searches of the tuned tier, kept in the folder `winners` of the cache, a file for each executor (by its
 * digest) and search.  A change of any layer of the stack makes another executor, so it searches anew.
 */
#ifndef RUN_WINNERS_H
#define RUN_WINNERS_H

#include "measure/measure.h"

/* Of the executor with this digest, which is copied.  What cannot be read or written is warned of, and
 * searched as if nothing was known. */
void winners_open(measure_winners *w, const char *executor_sha256);
void winners_close(measure_winners *w); /* a zeroed one is fine */

#endif
