/* SPDX-License-Identifier: Apache-2.0 */
/* The conformance suite of probes: what every probe must do (docs/probes.md). */
#ifndef PLUGIN_CONFORMANCE_PROBE_H
#define PLUGIN_CONFORMANCE_PROBE_H

#include "plugin/conformance.h"

/* Whether the object at path exports a probe's entry and no backend's. */
bool conformance_is_probe(const char *path);
/* All tests, in order. */
size_t conformance_probe_tests(const conformance_test **out);
/* As conformance_run.  A probe without any place is EH_E_UNAVAILABLE: its sensors are not here. */
eh_status conformance_probe_run(const char *path, size_t first, const char *only,
                                conformance_report report, void *context, eh_error *error);

#endif
