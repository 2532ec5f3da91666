/* SPDX-License-Identifier: Apache-2.0 */
/* Devices that are described by a file instead of found: what would a run on them be? */
#ifndef RUN_DESCRIBED_H
#define RUN_DESCRIBED_H

#include "run/discover.h"

/* Fills an initialised report with one backend, "described", that has the devices of the file: a
 * section [device ID] each, with name, type, memory, last-level-cache, compute-units and source.
 * EH_E_USAGE names file and line. */
eh_status described_read(const char *path, discover_report *out, eh_error *error);

#endif
