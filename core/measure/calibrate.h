/* SPDX-License-Identifier: Apache-2.0 */
/* The instrument: how good the clocks and the launch path of one device are. */
#ifndef MEASURE_CALIBRATE_H
#define MEASURE_CALIBRATE_H

#include "measure/canary.h"

/* Device time to host time; below, the clock is refused.  docs/method.md says why. */
#define CALIBRATE_LOWEST_RATIO 0.8

typedef struct calibration {
	record_instrument record;
	bool false_clock;    /* the device's clock gave, without any error, times that cannot be
	                        true: no row of a protocol with the device's clock is valid    */
	char distrust[192];  /* why no row of this execution can be valid, else empty          */
} calibration;

/* `work` is a sized canary, or NULL when none could be built (then `missing` says why): without
 * work the device clock is not trusted.  An error is the device's.  *out is for calibrate_clear in
 * any case. */
eh_status calibrate(const session *s, canary *work, const char *missing, calibration *out,
                    eh_error *error);
void calibrate_clear(calibration *c);

/* True when a device time is impossible beside the host time of the same work. */
bool calibrate_impossible(const record_instrument *i, uint64_t device_ns, uint64_t host_ns);

#endif
