/* SPDX-License-Identifier: Apache-2.0 */
#include "run/resize.h"

#include "plugin/plugin.h"
#include "protocol/schema.h"
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

static uint64_t has(const record_device *d, enum protocol_scale scale)
{
	return scale == PROTOCOL_CACHE ? d->last_level_cache_bytes : d->compute_units;
}

/* The most that a device of the run has, for plans; what the options say instead. */
static eh_status take_scale(const run_options *o, protocol *p, enum protocol_scale scale,
                            const selected *chosen, size_t count, eh_error *error)
{
	uint64_t set = scale == PROTOCOL_CACHE ? o->cache_bytes : o->compute_units, most = set;
	const schema_scale *s = &schema_scales[scale];

	for (size_t i = 0; i < count && p->scales[scale].used && set == 0; i++) {
		uint64_t one = has(&chosen[i].device->device, scale);

		if (one == 0 || one == LAYOUT_NO_UINT)
			one = p->scales[scale].unknown;
		if (one == 0)
			return error_set(error, EH_E_UNAVAILABLE, "%s does not tell %s, and %s gives values in it "
			                 "(N%s); %s says what to assume, or %s in the protocol",
			                 chosen[i].device->executor, s->name, p->name, s->behind, s->option,
			                 s->key);
		most = one > most ? one : most;
	}
	protocol_take_scale(p, scale, most);
	return EH_OK;
}

/* Whether another plan follows from what the protocol was given. */
static bool changes(const protocol *p, const protocol *before)
{
	bool different = p->sized && p->size_class != before->size_class;

	for (int i = 0; i < PROTOCOL_SCALES; i++)
		different = different || (p->scales[i].used && p->scales[i].size != before->scales[i].size);
	return different;
}

eh_status resize_plan(const run_options *o, protocol *p, plan **made, const selected *chosen,
                      size_t count, eh_error *error)
{
	const protocol before = *p;
	eh_status status = EH_OK;

	protocol_take_size(p, class_of(o, chosen, count));
	for (int i = 0; i < PROTOCOL_SCALES && status == EH_OK; i++)
		status = take_scale(o, p, (enum protocol_scale)i, chosen, count, error);
	if (status == EH_OK && !changes(p, &before))
		return EH_OK;
	plan_free(*made);
	*made = NULL;
	if (status == EH_OK)
		status = plan_make(p, plugin_find_workload, NULL, made, error);
	return status;
}
