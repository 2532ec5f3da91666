/* SPDX-License-Identifier: Apache-2.0 */
#include "record/surroundings.h"

#include <inttypes.h>
#include <math.h>

#include "base/text.h"

static const double canary_limit = 0.15;     /* change from before to after                  */
static const double canary_change = 0.10;    /* change against the reference                 */
static const double steal_limit = 0.02;      /* of the wall time                             */
static const double throttled_limit = 0.005; /* of the wall time                             */
static const double stalled_limit = 0.01;    /* of the wall time                             */

/* ---- the canary ------------------------------------------------------------------------------ */

/* A shorter time counts as much as a longer one: the machine was slow before. */
static double change(double before, double after)
{
	return before > 0 && after > 0 ? fmax(before, after) / fmin(before, after) - 1 : 0;
}

bool surroundings_moved(const record_canary *c)
{
	return change(c->compute_before_ns, c->compute_after_ns) > canary_limit ||
	       change(c->memory_before_ns, c->memory_after_ns) > canary_limit;
}

static double judge_part(const char *part, double before, double after, text_list *words)
{
	double by = change(before, after);

	if (by <= canary_limit)
		return 0;
	text_list_format(words, "The %s part of the canary took %.2f times as long after the case as "
	                 "before it: the machine's speed changed.", part, after / before);
	return by;
}

double surroundings_canary(const record_canary *c, text_list *words)
{
	return judge_part("compute", c->compute_before_ns, c->compute_after_ns, words) +
	       judge_part("memory", c->memory_before_ns, c->memory_after_ns, words);
}

static bool changed(double now, double reference)
{
	return reference > 0 && fabs(now / reference - 1) > canary_change;
}

void surroundings_flag_canary(const record_canary *c, record_flag_list *flags)
{
	if (changed(c->compute_before_ns, c->reference_compute_ns) ||
	    changed(c->compute_after_ns, c->reference_compute_ns) ||
	    changed(c->memory_before_ns, c->reference_memory_ns) ||
	    changed(c->memory_after_ns, c->reference_memory_ns))
		word_list_add(flags, RECORD_FLAG_CANARY_MOVED);
}

/* ---- the load and the guards ----------------------------------------------------------------- */

void surroundings_flag_load(const record_load *l, record_flag_list *flags)
{
	if (l->steal_seconds > steal_limit * l->wall_seconds)
		word_list_add(flags, RECORD_FLAG_STEAL);
}

static uint64_t most_users(const record_guards *g)
{
	uint64_t before = g->device_users_before != LAYOUT_NO_UINT ? g->device_users_before : 0;
	uint64_t after = g->device_users_after != LAYOUT_NO_UINT ? g->device_users_after : 0;

	return before > after ? before : after;
}

double surroundings_guards(const record_guards *g, double wall_seconds, record_flag_list *flags,
                           text_list *words)
{
	double score = 0;

	if (g->throttled_seconds > throttled_limit * wall_seconds) {
		word_list_add(flags, RECORD_FLAG_THROTTLED);
		text_list_format(words, "The container's CPU limit stopped threads for %.3g s: raise the "
		                 "limit (cpu.max), or use fewer threads.", g->throttled_seconds);
		score += g->throttled_seconds / wall_seconds;
	}
	if (g->memory_stall_seconds > stalled_limit * wall_seconds) {
		double share = g->memory_stall_seconds / wall_seconds;

		text_list_format(words, "Processes waited for memory during %.0f %% of the time: the "
		                 "machine is short of it; stop other work.", share * 100);
		score += share;
	}
	if (most_users(g) > 1) {
		word_list_add(flags, RECORD_FLAG_SHARED_DEVICE);
		text_list_format(words, "%" PRIu64 " processes use the device, this one included: stop the "
		                 "others.", most_users(g));
	}
	return score;
}
