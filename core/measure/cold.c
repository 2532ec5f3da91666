/* SPDX-License-Identifier: Apache-2.0 */
#include "measure/cold.h"

#include "base/json.h"

enum {
	MOST_SETS = 512,     /* each has data of its own on the host, too                      */
	EVICTED_SETS = 64,   /* of small work, so that a sample after an eviction may be a batch */
	CACHES_BETWEEN = 2,  /* last-level caches between two visits                           */
	CACHES_EVICTED = 2   /* written, then one half copied onto the other                   */
};
static const uint64_t assumed_cache = UINT64_C(64) << 20;

static cold_plan start(const eh_device_info *info)
{
	cold_plan plan = { .sets = 1, .cache_known = info->last_level_cache_bytes != 0 };

	plan.cache_bytes = plan.cache_known ? info->last_level_cache_bytes : assumed_cache;
	return plan;
}

/* As many bytes as may be used for `plan`: half the memory, because on a CPU it is everybody's. */
static uint64_t room(const eh_device_info *info)
{
	return info->memory_bytes == 0 ? UINT64_MAX : info->memory_bytes / 2;
}

static void evict(cold_plan *plan, const eh_device_info *info)
{
	uint64_t most = info->max_alloc_bytes;

	plan->evict_bytes = plan->cache_bytes * CACHES_EVICTED;
	if (most != 0 && plan->evict_bytes > most)
		plan->evict_bytes = most;
}

cold_plan cold_choose_single(const eh_device_info *info)
{
	cold_plan plan = start(info);

	evict(&plan, info);
	return plan;
}

cold_plan cold_choose(const eh_device_info *info, const eh_work *work)
{
	cold_plan plan = start(info);
	uint64_t touched = work->working_set_bytes > 0 ? work->working_set_bytes : 1;
	uint64_t memory = work->device_bytes > touched ? work->device_bytes : touched;
	uint64_t between = CACHES_BETWEEN * plan.cache_bytes;
	uint64_t sets = 1 + between / touched + (between % touched != 0);

	if (sets <= MOST_SETS && sets <= room(info) / memory) {
		plan.sets = (size_t)sets;
		return plan;
	}
	evict(&plan, info);
	plan.sets = sets < EVICTED_SETS ? (size_t)sets : EVICTED_SETS;
	if (plan.evict_bytes >= room(info))
		plan.sets = 1;
	else if (plan.sets > (room(info) - plan.evict_bytes) / memory)
		plan.sets = (size_t)((room(info) - plan.evict_bytes) / memory);
	if (plan.sets == 0)
		plan.sets = 1;
	return plan;
}

cJSON *cold_json(const cold_plan *plan, const eh_work *work)
{
	cJSON *out = cJSON_CreateObject();

	json_add_string(out, "state", "cold");
	json_add_string(out, "method", plan->evict_bytes > 0 ? "eviction" : "rotation");
	json_add_uint(out, "sets", plan->sets);
	json_add_uint(out, "set_bytes", work->working_set_bytes);
	json_add_uint(out, "evicted_bytes", plan->evict_bytes);
	json_add_uint(out, "cache_bytes", plan->cache_bytes);
	json_add_bool(out, "cache_known", plan->cache_known);
	return out;
}
