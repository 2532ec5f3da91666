/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How a case is kept out of the caches: by rotating through so many sets of its buffers that twice
 * the last-level cache lies between two visits of one, or, where that many cannot be had, by
 * writing and copying a buffer of twice the cache before each sample.
 */
#ifndef MEASURE_COLD_H
#define MEASURE_COLD_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>

#include "evenhand/workload.h"

typedef struct cold_plan {
	size_t sets;            /* 0 or 1 = one                                               */
	uint64_t evict_bytes;   /* of the buffer that is written and copied; 0 = none is      */
	uint64_t cache_bytes;   /* what the plan took the last-level cache to be              */
	bool cache_known;       /* the device said so                                         */
} cold_plan;

/* For work on this device. */
cold_plan cold_choose(const eh_device_info *info, const eh_work *work);
/* The same with one set, for a device whose memory did not hold more. */
cold_plan cold_choose_single(const eh_device_info *info);
/* The record's "cache"; `sets` is how many there are in the end. */
cJSON *cold_json(const cold_plan *plan, const eh_work *work);

#endif
