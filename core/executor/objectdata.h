/* SPDX-License-Identifier: Apache-2.0 */
/* The constants of a shared object or program, as its file has them. */
#ifndef EXECUTOR_OBJECTDATA_H
#define EXECUTOR_OBJECTDATA_H

#include <stdbool.h>

#include "executor/needles.h"

/* Searches the sections with the file's data, without code and symbols; the whole file where it
 * does not tell its sections.  False when the file cannot be read. */
bool objectdata_search(const char *path, needles *n, needles_hit *hit, void *context);

#endif
