/* SPDX-License-Identifier: Apache-2.0 */
/* Lists the sensors and their values now.  One child process per probe reads them, so a library
 * that crashes or hangs makes one probe unusable. */
#ifndef RUN_SENSORS_H
#define RUN_SENSORS_H

#include "run/discover.h"

/* Adds every probe of the search path, each place with the executors of the report that it belongs
 * to. */
void sensors_list(discover_report *report);

/* The hidden subcommand of the child. */
int sensors_child(const char *path);

#endif
