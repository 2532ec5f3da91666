/* SPDX-License-Identifier: Apache-2.0 */
/* What `evenhand devices` prints, besides its JSON (run/discover.def) and sensors. */
#ifndef CLI_DEVICES_SHOW_H
#define CLI_DEVICES_SHOW_H

#include <stdbool.h>

#include "run/discover.h"

/* The tables of usable executors and of what is not usable, and why. */
bool devices_print(const discover_report *here, bool verbose);
/* Describes every usable executor in a process of its own, and prints its layers. */
void devices_print_layers(const discover_report *here);
/* Prints which facts each of them discloses. */
void devices_print_facts(const discover_report *here, bool json);

#endif
