/* SPDX-License-Identifier: Apache-2.0 */
/* Which sensors are there and what they tell now: one child process per probe lists its places and
 * channels, so that a library that crashes or hangs costs a line. */
#ifndef RUN_SENSORS_H
#define RUN_SENSORS_H

#include "run/discover.h"

/* Adds every probe of the search path, each place with the executors of the report that it belongs
 * to. */
void sensors_list(discover_report *report);

/* The hidden subcommand of the child. */
int sensors_child(const char *path);

#endif
