/* SPDX-License-Identifier: Apache-2.0 */
/* The suite of probes: what every probe must do (docs/probes.md). */
#ifndef CONFORMANCE_PROBE_H
#define CONFORMANCE_PROBE_H

#include "evenhand/conformance.h"

extern const eh_suite conformance_probe_suite;

#endif
