/* SPDX-License-Identifier: Apache-2.0 */
/* The part of `evenhand devices -v` about sensors. */
#ifndef CLI_SENSORS_SHOW_H
#define CLI_SENSORS_SHOW_H

#include <cjson/cJSON.h>
#include <stdbool.h>

#include "run/discover.h"

/* Adds to each place of sensors_list() its "executors": whose device it is, or every one. */
void sensors_assign(cJSON *probes, const found_backend *backends, size_t count);
/* For people: each place with its channels and their values, then what cannot be read, and why. */
bool sensors_print(const cJSON *probes);

#endif
