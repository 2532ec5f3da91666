/* SPDX-License-Identifier: Apache-2.0 */
/* Where the process of a measurement runs: near its device. */
#ifndef EXECUTOR_PLACEMENT_H
#define EXECUTOR_PLACEMENT_H

#include "evenhand/backend.h"
#include "record/record.h"

/* Binds the process's threads to the processors of the device's NUMA node, and prefers that node for
 * memory from now on.  What the caller's own binding leaves out stays left out.  Returns what it
 * did, malloc'd; NULL, and nothing was done, for a CPU and where the node is unknown. */
record_placement *placement_near(const eh_device_info *info);

#endif
