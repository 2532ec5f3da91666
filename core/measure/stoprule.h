/* SPDX-License-Identifier: Apache-2.0 */
/* The statistic that a protocol declares, as the stop rule needs it: docs/method.md section 4. */
#ifndef MEASURE_STOPRULE_H
#define MEASURE_STOPRULE_H

#include "protocol/protocol.h"

/* 0.5 for the median, 0.999 for p99.9. */
double stoprule_quantile(enum protocol_statistic statistic);
/* "median", "p99.9": as in a protocol. */
const char *stoprule_name(enum protocol_statistic statistic);

#endif
