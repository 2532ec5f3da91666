/* SPDX-License-Identifier: Apache-2.0 */
/* The part of `evenhand devices -v` about sensors. */
#ifndef CLI_SENSORS_SHOW_H
#define CLI_SENSORS_SHOW_H

#include <stdbool.h>

#include "run/discover.h"

/* Prints each place with its channels and their values, then what cannot be read, and why. */
bool sensors_print(const discover_probe_list *probes);

#endif
