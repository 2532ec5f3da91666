/* SPDX-License-Identifier: Apache-2.0 */
#include "measure/cold.h"

enum {
	MOST_SETS = 512,     /* each has data of its own on the host, too                      */
	EVICTED_SETS = 64,   /* of small work, so that a sample after an eviction may be a batch */
	CACHES_BETWEEN = 2,  /* last-level caches between two visits                           */
	CACHES_EVICTED = 2   /* written, then one half copied onto the other                   */
};
static const uint64_t assumed_cache = UINT64_C(64) << 20;

static record_cache start(const eh_device_info *info, const eh_work *work)
{
	record_cache plan = { .state = RECORD_COLD, .method = RECORD_COLD_ROTATION, .sets = 1,
		              .set_bytes = work->working_set_bytes,
		              .cache_known = info->last_level_cache_bytes != 0 };

	plan.cache_bytes = plan.cache_known ? info->last_level_cache_bytes : assumed_cache;
	return plan;
}

/* Bytes that may be used: half the memory, because on a CPU all processes share it. */
static uint64_t room(const eh_device_info *info)
{
	return info->memory_bytes == 0 ? UINT64_MAX : info->memory_bytes / 2;
}

static void evict(record_cache *plan, const eh_device_info *info)
{
	uint64_t most = info->max_alloc_bytes;

	plan->method = RECORD_COLD_EVICTION;
	plan->evicted_bytes = plan->cache_bytes * CACHES_EVICTED;
	if (most != 0 && plan->evicted_bytes > most)
		plan->evicted_bytes = most;
}

record_cache cold_choose_single(const eh_device_info *info, const eh_work *work)
{
	record_cache plan = start(info, work);

	evict(&plan, info);
	return plan;
}

record_cache cold_choose(const eh_device_info *info, const eh_work *work)
{
	record_cache plan = start(info, work);
	uint64_t touched = work->working_set_bytes > 0 ? work->working_set_bytes : 1;
	uint64_t memory = work->device_bytes > touched ? work->device_bytes : touched;
	uint64_t between = CACHES_BETWEEN * plan.cache_bytes;
	uint64_t sets = 1 + between / touched + (between % touched != 0);

	if (sets <= MOST_SETS && sets <= room(info) / memory) {
		plan.sets = sets;
		return plan;
	}
	evict(&plan, info);
	plan.sets = sets < EVICTED_SETS ? sets : EVICTED_SETS;
	if (plan.evicted_bytes >= room(info))
		plan.sets = 1;
	else if (plan.sets > (room(info) - plan.evicted_bytes) / memory)
		plan.sets = (room(info) - plan.evicted_bytes) / memory;
	if (plan.sets == 0)
		plan.sets = 1;
	return plan;
}
