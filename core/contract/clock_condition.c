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
	return condition_differ(x->clock, y->clock, detail, size);
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

static bool uses_clock(const result_row *r, const char *clock)
{
	const cJSON *e;

	cJSON_ArrayForEach(e, json_path(r->json, "executions"))
		if (condition_counts(e) && strcmp(json_string(e, "clock", ""), clock) == 0)
			return true;
	return false;
}

/* The shortest median sample by the host's clock; INFINITY when there is none. */
static double sample_of(const result_row *r)
{
	const cJSON *e;
	double least = INFINITY;

	cJSON_ArrayForEach(e, json_path(r->json, "executions")) {
		uint64_t batch = 0;

		if (condition_counts(e) && strcmp(json_string(e, "clock", ""), "host") == 0 &&
		    json_uint(e, "batch", &batch))
			least = fmin(least, statistics_center(&r->side) * (double)batch);
	}
	return least;
}

/* Whether the launch overhead is unknown, or a tenth of a sample by the host's clock or more. */
static bool biased(const result *r, const result_row *row, char *detail, size_t size)
{
	double sample = sample_of(row);
	double launch = launch_of(r);
	char sample_text[32];
	char launch_text[32];

	if (isinf(sample))
		return false;
	text_format_ns(sample, sample_text);
	text_format_ns(launch, launch_text);
	snprintf(detail, size, "a sample of %s by the host clock, launch overhead %s", sample_text,
	         launch > 0 ? launch_text : "unknown");
	return !(launch > 0) || sample < 10 * launch;
}

CONDITION(condition_clock_bias)
{
	if (x->side.executions == 0 || y->side.executions == 0 ||
	    !(uses_clock(x, "device") || uses_clock(y, "device")))
		return false;
	return biased(a, x, detail, size) || biased(b, y, detail, size);
}

static bool mixed(const result_row *r)
{
	const cJSON *e;

	cJSON_ArrayForEach(e, json_path(r->json, "executions"))
		if (condition_counts(e) && strcmp(json_string(e, "clock", ""), r->clock) != 0)
			return true;
	return false;
}

CONDITION(condition_clock_mixed)
{
	UNUSED_RESULTS();
	return condition_either(mixed(x), mixed(y), "device and host clock", detail, size);
}

static bool zero(const result_row *r)
{
	return r->side.executions > 0 && !(statistics_center(&r->side) > 0);
}

CONDITION(condition_zero_time)
{
	UNUSED_RESULTS();
	return condition_either(zero(x), zero(y), "0 ns", detail, size);
}
