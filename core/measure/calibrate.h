/* SPDX-License-Identifier: Apache-2.0 */
/* The instrument: what the clocks and the launch path of one device are good for. */
#ifndef MEASURE_CALIBRATE_H
#define MEASURE_CALIBRATE_H

#include "measure/canary.h"
#include "measure/measure.h"

/* Bounds that are used again when samples are judged; docs/method.md says why. */
#define CALIBRATE_LOWEST_RATIO 0.8  /* device time to host time, below: the clock is refused  */
#define CALIBRATE_HIGHEST_RATIO 1.02 /* above, overhead apart: it is refused                  */

/* `work` is a sized canary, or NULL when none could be built (then `missing` says why): without
 * work the device clock is not trusted.  An error is the device's. */
eh_status calibrate(const session *s, canary *work, const char *missing, instrument *out,
                    eh_error *error);

/* True when a device time is impossible beside the host time of the same work. */
bool calibrate_impossible(const instrument *i, uint64_t device_ns, uint64_t host_ns);

#endif
