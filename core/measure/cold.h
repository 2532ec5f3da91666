/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How a case is kept out of the caches.  Either its operations rotate through several sets of its
 * buffers, with twice the last-level cache between two visits of a set; or, where memory does not
 * hold that many, a buffer of twice the cache is written and copied before each sample.
 */
#ifndef MEASURE_COLD_H
#define MEASURE_COLD_H

#include "evenhand/workload.h"
#include "record/record.h"

/* For work on this device. */
record_cache cold_choose(const eh_device_info *info, const eh_work *work);
/* The same with one set, for a device whose memory did not hold more. */
record_cache cold_choose_single(const eh_device_info *info, const eh_work *work);

#endif
