/* SPDX-License-Identifier: Apache-2.0 */
#include "run/resize.h"

#include "plugin/plugin.h"
#include "run/sizeclass.h"

static enum record_size_class class_of(const run_options *o, const selected *chosen, size_t count)
{
	enum record_size_class largest = o->size_class;

	for (size_t i = 0; i < count && o->size_class == 0; i++) {
		enum record_size_class one = sizeclass_of(&chosen[i].device->device);

		largest = one > largest ? one : largest;
	}
	return largest;
}

static eh_status cache_of(const run_options *o, const protocol *p, const selected *chosen,
                          size_t count, uint64_t *out, eh_error *error)
{
	*out = o->cache_bytes;
	for (size_t i = 0; i < count && p->cache_sized && o->cache_bytes == 0; i++) {
		uint64_t one = chosen[i].device->device.last_level_cache_bytes;

		if (one == 0 || one == LAYOUT_NO_UINT)
			one = p->cache_unknown_bytes;
		if (one == 0)
			return error_set(error, EH_E_UNAVAILABLE, "%s does not tell the size of its last-level cache, "
			                 "and %s gives sizes in caches; --cache SIZE says what to assume, or "
			                 "cache-unknown in the protocol", chosen[i].device->executor, p->name);
		*out = one > *out ? one : *out;
	}
	return EH_OK;
}

eh_status resize_plan(const run_options *o, protocol *p, plan **made, const selected *chosen,
                      size_t count, eh_error *error)
{
	const protocol before = *p;
	uint64_t cache = 0;
	eh_status status = cache_of(o, p, chosen, count, &cache, error);

	if (status == EH_OK) {
		protocol_take_size(p, class_of(o, chosen, count));
		protocol_take_cache(p, cache);
		if ((!p->sized || p->size_class == before.size_class) &&
		    (!p->cache_sized || p->cache_bytes == before.cache_bytes))
			return EH_OK;
	}
	plan_free(*made);
	*made = NULL;
	if (status == EH_OK)
		status = plan_make(p, plugin_find_workload, NULL, made, error);
	return status;
}
