/* SPDX-License-Identifier: Apache-2.0 */
/* What executions recorded of the machine while they were measured, and of what they computed on
 * and with. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/text.h"
#include "contract/facts.h"
#include "stat/pairs.h"

/* ---- the machine ----------------------------------------------------------------------------- */

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

/* The most processes that were seen on the device, this one included. */
static void take_users(const cJSON *e, case_facts *f)
{
	static const char *const keys[] = { "device_users_before", "device_users_after" };
	const cJSON *guards = json_path(e, "guards");

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		uint64_t users = 0;

		if (json_uint(guards, keys[i], &users) && users > f->users)
			f->users = users;
	}
}

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

/* Adds up in joules what becomes joules per operation. */
static void take_energy(const cJSON *e, comparison_energy *total, double *operations)
{
	const cJSON *sustained = json_path(e, "sustained");
	const cJSON *energy = json_path(sustained, "energy");
	const char *means;
	uint64_t count = 0;
	double joules = 0;

	if (energy == NULL || !json_uint(sustained, "operations", &count) ||
	    !json_double(energy, "joules", &joules))
		return;
	means = json_bool(json_path(e, "telemetry"), "simulated", false) ? "simulated" :
	        means_of(energy);
	total->means = total->means[0] == '\0' || strcmp(total->means, means) == 0 ? means : "mixed";
	total->joules += joules;
	*operations += (double)count;
}

void facts_take_machine(const cJSON *tree, json_arena *arena, case_facts *f)
{
	static const char *const words[] = { "throttled", "power-cap", NULL };
	double operations = 0;
	const cJSON *e;

	f->throttled = facts_flag(f, words);
	f->energy.means = "";
	cJSON_ArrayForEach(e, json_path(tree, "executions")) {
		const char *what;

		if (!facts_counts(e))
			continue;
		what = f->throttled == NULL ? throttle_of(e) : NULL;
		if (what != NULL)
			f->throttled = facts_text(arena, what);
		take_users(e, f);
		take_energy(e, &f->energy, &operations);
	}
	f->energy.joules = operations > 0 ? f->energy.joules / operations : 0;
}

/* ---- inputs and program ---------------------------------------------------------------------- */

static void take_data(const cJSON *e, json_arena *arena, execution_facts *x)
{
	const cJSON *data = json_path(e, "data");

	(void)json_uint(e, "execution", &x->number);
	if (data == NULL)
		return;
	x->distribution = facts_text(arena, json_string(data, "distribution", ""));
	x->data_sha256 = facts_text(arena, json_string(data, "sha256", ""));
}

/* The row's own state where an execution says one; nothing is recorded of warm caches. */
static void take_cache(const cJSON *e, json_arena *arena, case_facts *f)
{
	const cJSON *cache = json_path(e, "cache");

	if (f->cache == NULL && cache != NULL)
		f->cache = facts_text(arena, json_string(cache, "state", ""));
}

static void take_program(const cJSON *e, json_arena *arena, case_facts *f)
{
	const char *source = json_string(json_path(e, "program"), "source_sha256", "");

	if (f->source_sha256 == NULL && source[0] != '\0')
		f->source_sha256 = facts_text(arena, source);
}

/* The digest of the binary of an execution that counts, else "". */
static const char *counted_binary(const cJSON *e)
{
	return facts_counts(e) ? json_string(json_path(e, "program"), "binary_sha256", "") : "";
}

static size_t binaries_of(const cJSON *executions)
{
	const cJSON *e;
	size_t count = 0;

	cJSON_ArrayForEach(e, executions) {
		const char *hex = counted_binary(e);
		bool known = hex[0] == '\0';

		for (const cJSON *f = executions->child; f != e && !known; f = f->next)
			known = strcmp(counted_binary(f), hex) == 0;
		count += !known;
	}
	return count;
}

size_t contract_binaries(const result_row *r)
{
	return binaries_of(json_path(r->json, "executions"));
}

/* The smallest share of the proof's time per operation that the median of an execution claims.
 * Requests of a load may share what the proof pays for each operation. */
static double claim_of(const cJSON *tree, const result_row *row)
{
	const cJSON *median = cJSON_GetArrayItem(json_path(tree, "derived.execution_medians_ns"), 0);
	const cJSON *e;
	double least = INFINITY;

	if (strcmp(facts_setting(row, "scenario", "none"), "none") != 0)
		return least;
	cJSON_ArrayForEach(e, json_path(tree, "executions")) {
		const cJSON *samples = json_path(e, "samples_ns");
		double proved = 0;

		if (!facts_counts(e) || median == NULL || samples == NULL || samples->child == NULL)
			continue;
		if (json_double(json_path(e, "proof"), "ns_per_operation", &proved) && proved > 0)
			least = fmin(least, median->valuedouble / proved);
		median = median->next;
	}
	return least;
}

/* Whether repeated work is recognised, by the pairs of all counted executions: each has few where
 * writing new inputs takes long. */
static bool recognises(const cJSON *tree)
{
	uint64_t *fresh = NULL;
	uint64_t *repeated = NULL;
	size_t count = 0;
	bool differs;
	const cJSON *e;

	cJSON_ArrayForEach(e, json_path(tree, "executions")) {
		const cJSON *pairs = json_path(e, "varied");
		size_t n = 0;
		size_t m = 0;
		uint64_t *a = json_uints(pairs, "new_ns", &n);
		uint64_t *b = json_uints(pairs, "repeated_ns", &m);

		n = n < m ? n : m;
		if (n > 0 && facts_counts(e)) {
			fresh = memory_grow(fresh, (count + n) * sizeof(*fresh));
			repeated = memory_grow(repeated, (count + n) * sizeof(*repeated));
			memcpy(fresh + count, a, n * sizeof(*fresh));
			memcpy(repeated + count, b, n * sizeof(*repeated));
			count += n;
		}
		free(b);
		free(a);
	}
	differs = pairs_differ(fresh, repeated, count);
	free(repeated);
	free(fresh);
	return differs;
}

/* Whether an execution tells of operations on new inputs, and whether one has too few of them. */
static void take_tries(const cJSON *execution, case_facts *f)
{
	const cJSON *pairs = json_path(execution, "varied");

	f->varied = f->varied || pairs != NULL;
	f->untried = f->untried || cJSON_GetArraySize(json_path(pairs, "new_ns")) < PAIRS_FEW ||
	             cJSON_GetArraySize(json_path(pairs, "repeated_ns")) < PAIRS_FEW;
}

void facts_take_origin(const cJSON *tree, json_arena *arena, case_facts *f)
{
	const cJSON *executions = json_path(tree, "executions");
	const cJSON *e;

	f->executions = json_arena_get(arena, ((size_t)cJSON_GetArraySize(executions) + 1) *
	                                      sizeof(*f->executions));
	cJSON_ArrayForEach(e, executions) {
		if (!facts_counts(e))
			continue;
		take_data(e, arena, &f->executions[f->execution_count++]);
		take_cache(e, arena, f);
		take_program(e, arena, f);
		take_tries(e, f);
	}
	f->cache = f->cache != NULL ? f->cache : "warm";
	f->source_sha256 = f->source_sha256 != NULL ? f->source_sha256 : "";
	f->binaries = binaries_of(executions);
	f->claim = claim_of(tree, f->row);
	f->recognises = recognises(tree);
}
