/* SPDX-License-Identifier: Apache-2.0 */
/* The start of a probe whose vendor's library may never come back from it. */
#ifndef PLUGIN_PROBESTART_H
#define PLUGIN_PROBESTART_H

#include "plugin/probes.h"

/* As probes_start, by a thread of its own.  EH_E_TIMEOUT when it does not come back within 10 s, which
 * a library may take to wake its devices: then *out has nothing, and the thread stays where it is. */
eh_status probestart_in_time(probes_one *out, const char *path, eh_error *error);

#endif
