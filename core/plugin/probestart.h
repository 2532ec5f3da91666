/* SPDX-License-Identifier: Apache-2.0 */
/* Starting a probe with a time limit: a vendor's library may hang in it. */
#ifndef PLUGIN_PROBESTART_H
#define PLUGIN_PROBESTART_H

#include "plugin/probes.h"

/* As probes_start, on a separate thread.  EH_E_TIMEOUT when it does not return within 10 s, the
 * time that a library may need to wake its devices.  Then *out is empty and the thread is left
 * running. */
eh_status probestart_in_time(probes_one *out, const char *path, eh_error *error);

#endif
