/* SPDX-License-Identifier: Apache-2.0 */
/* Conditions of rules about the clocks by which a case was timed. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/text.h"
#include "contract/condition.h"

#define UNUSED_RESULTS() ((void)a, (void)b)

CONDITION(condition_clock)
{
	UNUSED_RESULTS();
	return condition_differ(x->row->clock, y->row->clock, detail, size);
}

/* The launch overhead of the executor, the largest of its executions. */
static double launch_of(const result *r)
{
	double most = 0;
	const cJSON *item;

	cJSON_ArrayForEach(item, json_path(r->root, "instruments")) {
		uint64_t ns = 0;

		if (json_uint(item, "launch_ns", &ns))
			most = fmax(most, (double)ns);
	}
	return most;
}

/* Whether the launch overhead is unknown, or a tenth of a sample by the host's clock or more. */
static bool biased(const result *r, const case_facts *f, char *detail, size_t size)
{
	double sample;
	double launch;
	char sample_text[32];
	char launch_text[32];

	if (f->host_batch == 0)
		return false;
	sample = statistics_center(&f->row->side) * (double)f->host_batch;
	launch = launch_of(r);
	if (launch > 0 && sample >= 10 * launch)
		return false;
	text_format_ns(sample, sample_text);
	text_format_ns(launch, launch_text);
	snprintf(detail, size, "a sample of %s by the host clock, launch overhead %s", sample_text,
	         launch > 0 ? launch_text : "unknown");
	return true;
}

CONDITION(condition_clock_bias)
{
	if (x->row->side.executions == 0 || y->row->side.executions == 0 ||
	    !(x->device_clock || y->device_clock))
		return false;
	return biased(a, x, detail, size) || biased(b, y, detail, size);
}

CONDITION(condition_clock_mixed)
{
	UNUSED_RESULTS();
	return condition_either(x->other_clock, y->other_clock, "device and host clock", detail, size);
}

static bool zero(const result_row *r)
{
	return r->side.executions > 0 && !(statistics_center(&r->side) > 0);
}

CONDITION(condition_zero_time)
{
	UNUSED_RESULTS();
	return condition_either(zero(x->row), zero(y->row), "0 ns", detail, size);
}
