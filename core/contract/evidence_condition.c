/* SPDX-License-Identifier: Apache-2.0 */
/* Conditions of rules about what was recorded while a case was measured: the quantity, the course
 * of its samples, what disturbed them, and its energy. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/text.h"
#include "contract/condition.h"

#define UNUSED_RESULTS() ((void)a, (void)b)

static const char *setting(const result_row *r, const char *key, const char *standard)
{
	return json_string(json_path(r->json, "measure"), key, standard);
}

/* ---- the quantity ---------------------------------------------------------------------------- */

CONDITION(condition_renamed)
{
	UNUSED_RESULTS();
	return condition_differ(x->id, y->id, detail, size);
}

static bool device_can(const result *r, const char *word)
{
	const cJSON *item;

	cJSON_ArrayForEach(item, json_path(r->root, "executor.device.caps"))
		if (cJSON_IsString(item) && strcmp(item->valuestring, word) == 0)
			return true;
	return false;
}

/* The flag of the row whose name begins so; NULL when it has none. */
static const char *flag_of(const result_row *r, const char *const *beginnings)
{
	const cJSON *item;

	cJSON_ArrayForEach(item, json_path(r->json, "flags"))
		for (const char *const *word = beginnings; *word != NULL; word++)
			if (cJSON_IsString(item) &&
			    strncmp(item->valuestring, *word, strlen(*word)) == 0)
				return item->valuestring;
	return NULL;
}

static bool emulated(const result *r, const result_row *row)
{
	static const char *const words[] = { "emulated", NULL };

	if (flag_of(row, words) != NULL)
		return true;
	return (strcmp(row->precision, "f64") == 0 && !device_can(r, "fp64")) ||
	       (strcmp(row->precision, "f16") == 0 && !device_can(r, "fp16"));
}

CONDITION(condition_emulation)
{
	bool ex = emulated(a, x);
	bool ey = emulated(b, y);

	snprintf(detail, size, "%s: %s | %s", x->precision, ex ? "emulated" : "native",
	         ey ? "emulated" : "native");
	return ex != ey;
}

CONDITION(condition_scenario)
{
	static const char *const numbers[] = { "load_rate", "load_concurrency", "load_slo_ns" };
	static const uint64_t standards[] = { 0, 1, 0 };
	size_t i;

	UNUSED_RESULTS();
	if (condition_differ(setting(x, "scenario", "none"), setting(y, "scenario", "none"), detail,
	                     size))
		return true;
	for (i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		uint64_t vx = standards[i];
		uint64_t vy = standards[i];

		(void)json_uint(json_path(x->json, "measure"), numbers[i], &vx);
		(void)json_uint(json_path(y->json, "measure"), numbers[i], &vy);
		snprintf(detail, size, "%s: %llu | %llu", numbers[i], (unsigned long long)vx,
		         (unsigned long long)vy);
		if (vx != vy)
			return true;
	}
	return false;
}

CONDITION(condition_statistic)
{
	UNUSED_RESULTS();
	return condition_differ(setting(x, "statistic", "median"),
	                        setting(y, "statistic", "median"), detail, size);
}

/* A percentile that is declared, but that the samples are too few for. */
static bool unstated(const result_row *r)
{
	return strcmp(setting(r, "statistic", "median"), "median") != 0 &&
	       json_path(r->json, "derived.statistic") == NULL;
}

CONDITION(condition_percentile)
{
	UNUSED_RESULTS();
	return strcmp(setting(x, "statistic", "median"), setting(y, "statistic", "median")) == 0 &&
	       condition_either(unstated(x), unstated(y), "too few samples", detail, size);
}

double quantile_of(const result_row *x, const result_row *y)
{
	bool same = strcmp(setting(x, "statistic", "median"),
	                   setting(y, "statistic", "median")) == 0;

	return same && !unstated(x) && !unstated(y) ? x->side.quantile : 0;
}

statistics_side quantile_side(const result_row *r, double quantile)
{
	statistics_side side = r->side;

	side.quantile = quantile;
	return side;
}

/* ---- the course of the samples --------------------------------------------------------------- */

static size_t unsteady(const result_row *r)
{
	size_t count = 0;
	const cJSON *item;

	cJSON_ArrayForEach(item, json_path(r->json, "derived.series"))
		count += strcmp(json_string(item, "class", ""), "no-steady-state") == 0;
	return count;
}

CONDITION(condition_unsteady)
{
	size_t ux = unsteady(x);
	size_t uy = unsteady(y);

	UNUSED_RESULTS();
	snprintf(detail, size, "executions: baseline %zu of %zu, other %zu of %zu", ux,
	         x->side.executions, uy, y->side.executions);
	return ux > 0 || uy > 0;
}

CONDITION(condition_unsteady_sustained)
{
	return strcmp(setting(x, "regime", ""), "sustained") == 0 &&
	       condition_unsteady(a, b, x, y, detail, size);
}

static bool any_flagged(const result_row *x, const result_row *y, const char *const *words,
                        char *detail, size_t size)
{
	const char *fx = flag_of(x, words);
	const char *fy = flag_of(y, words);

	if (fx == NULL && fy == NULL)
		return false;
	return condition_either(fx != NULL, fy != NULL, fx != NULL ? fx : fy, detail, size);
}

/* Below these shares of the time it is not what decided the number. */
static const double throttle_least = 0.01, container_least = 0.005;

/* The last value of a counter above its first. */
static bool counted_up(const cJSON *channel)
{
	const cJSON *item;
	double first = 0;
	double last = 0;
	bool begun = false;

	if (strcmp(json_string(channel, "form", ""), "counter") != 0)
		return false;
	cJSON_ArrayForEach(item, json_path(channel, "values")) {
		last = cJSON_IsNumber(item) ? item->valuedouble : last;
		first = begun ? first : last;
		begun = true;
	}
	return last > first;
}

/* What held an execution back: a state of the device, a counter of it, the container's limit. */
static const char *throttle_of(const cJSON *e)
{
	const cJSON *item;
	double seconds = 0;
	double wall = 0;

	cJSON_ArrayForEach(item, json_path(e, "sustained.throttle")) {
		double share = 0;
		double events = 0;

		(void)json_double(item, "share", &share);
		(void)json_double(item, "events", &events);
		if (share >= throttle_least || events > 0)
			return json_string(item, "name", "throttled");
	}
	cJSON_ArrayForEach(item, json_path(e, "telemetry.channels"))
		if (strcmp(json_string(item, "kind", ""), "throttle") == 0 && counted_up(item))
			return json_string(item, "name", "throttled");
	if (json_double(json_path(e, "guards"), "throttled_seconds", &seconds) &&
	    json_double(json_path(e, "load"), "wall_seconds", &wall) &&
	    seconds > container_least * wall)
		return "the container's CPU limit";
	return NULL;
}

static const char *throttled(const result_row *r)
{
	static const char *const words[] = { "throttled", "power-cap", NULL };
	const char *what = flag_of(r, words);
	const cJSON *e;

	cJSON_ArrayForEach(e, json_path(r->json, "executions"))
		if (what == NULL && condition_counts(e))
			what = throttle_of(e);
	return what;
}

CONDITION(condition_throttled)
{
	const char *tx = throttled(x);
	const char *ty = throttled(y);

	UNUSED_RESULTS();
	if ((tx != NULL) == (ty != NULL))
		return false;
	snprintf(detail, size, "%s: %s", tx != NULL ? "only the baseline" : "only the other side",
	         tx != NULL ? tx : ty);
	return true;
}

CONDITION(condition_throttled_burst)
{
	return strcmp(setting(x, "regime", "burst"), "burst") == 0 &&
	       condition_throttled(a, b, x, y, detail, size);
}

/* The most processes that were seen on the device, this one included. */
static uint64_t users_of(const result_row *r)
{
	static const char *const keys[] = { "device_users_before", "device_users_after" };
	uint64_t most = 0;
	const cJSON *e;
	size_t i;

	cJSON_ArrayForEach(e, json_path(r->json, "executions")) {
		const cJSON *guards = json_path(e, "guards");

		for (i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
			uint64_t users = 0;

			if (condition_counts(e) && json_uint(guards, keys[i], &users) && users > most)
				most = users;
		}
	}
	return most;
}

CONDITION(condition_shared_device)
{
	static const char *const words[] = { "shared-device", "other-users", NULL };
	uint64_t ux = users_of(x);
	uint64_t uy = users_of(y);

	UNUSED_RESULTS();
	snprintf(detail, size, "processes on the device: baseline %llu, other %llu",
	         (unsigned long long)ux, (unsigned long long)uy);
	return ux > 1 || uy > 1 || any_flagged(x, y, words, detail, size);
}

CONDITION(condition_disturbed)
{
	static const char *const words[] = { "disturbed", NULL };

	UNUSED_RESULTS();
	return any_flagged(x, y, words, detail, size);
}

/* ---- energy ---------------------------------------------------------------------------------- */

/* How it was measured: at the wall, declared (a TDP), or by the device's own sensors. */
static const char *means_of(const cJSON *energy)
{
	const char *method = json_string(energy, "method", "");
	const char *channel = json_string(energy, "channel", "");

	if (strcmp(method, "declared") == 0 || strcmp(method, "tdp") == 0)
		return "declared";
	return strncmp(channel, "wall ", 5) == 0 || strncmp(channel, "meter ", 6) == 0 ?
	       "wall" : "device";
}

comparison_energy energy_of(const result_row *r)
{
	comparison_energy total = { 0, "" };
	double operations = 0;
	const cJSON *e;

	cJSON_ArrayForEach(e, json_path(r->json, "executions")) {
		const cJSON *sustained = json_path(e, "sustained");
		const cJSON *energy = json_path(sustained, "energy");
		const char *means;
		uint64_t count = 0;
		double joules = 0;

		if (energy == NULL || !condition_counts(e) ||
		    !json_uint(sustained, "operations", &count) ||
		    !json_double(energy, "joules", &joules))
			continue;
		means = json_bool(json_path(e, "telemetry"), "simulated", false) ? "simulated" :
		        means_of(energy);
		total.means = total.means[0] == '\0' || strcmp(total.means, means) == 0 ? means :
		              "mixed";
		total.joules += joules;
		operations += (double)count;
	}
	total.joules = operations > 0 ? total.joules / operations : 0;
	return total;
}

CONDITION(condition_energy_means)
{
	comparison_energy ex = energy_of(x);
	comparison_energy ey = energy_of(y);

	UNUSED_RESULTS();
	return condition_differ(ex.means, ey.means, detail, size) ||
	       strcmp(ex.means, "mixed") == 0 || strcmp(ex.means, "simulated") == 0;
}

/* ---- noise ----------------------------------------------------------------------------------- */

double condition_floor(const result *r, const result_row *x)
{
	const cJSON *classes = json_path(r->root, "run.noise_floor.classes");
	const cJSON *item;
	double most = 0;
	double floor_of_class;

	if (json_double(classes, x->workload, &floor_of_class))
		return fmax(0, floor_of_class);
	/* A class that was not calibrated is not quieter than the noisiest that was. */
	cJSON_ArrayForEach(item, classes)
		if (cJSON_IsNumber(item) && isfinite(item->valuedouble))
			most = fmax(most, item->valuedouble);
	return most;
}
