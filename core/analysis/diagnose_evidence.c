/* SPDX-License-Identifier: Apache-2.0 */
/* What a record tells about a case beside its time. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/diagnose.h"
#include "base/json.h"
#include "base/text.h"

void diagnose_note(char ***notes, size_t *count, const char *format, ...)
{
	char line[512];
	va_list args;

	va_start(args, format);
	(void)vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	*notes = memory_grow(*notes, (*count + 1) * sizeof(**notes));
	(*notes)[(*count)++] = memory_text(line);
}

#define NOTE(c, ...) diagnose_note(&(c)->notes, &(c)->note_count, __VA_ARGS__)

/* ---- invalid evidence ------------------------------------------------------------------------ */

/* A client that issued its requests late measured itself. */
static bool client_bound(const result_row *row)
{
	const cJSON *flag;

	cJSON_ArrayForEach(flag, json_path(row->json, "flags"))
		if (cJSON_IsString(flag) && (strcmp(flag->valuestring, "client-bound") == 0 ||
		                             strcmp(flag->valuestring, "issued-late") == 0))
			return true;
	return false;
}

bool diagnose_invalid(diagnosis_case *c)
{
	const cJSON *reason = cJSON_GetArrayItem(json_path(c->row->json, "reasons"), 0);
	const char *why = cJSON_IsString(reason) ? reason->valuestring : "";

	if (strcmp(c->row->status, "valid") != 0 && strcmp(c->row->status, "not-converged") != 0)
		NOTE(c, "The case is %s%s%s", result_row_word(c->row), why[0] != '\0' ? ": " : ".", why);
	else if (ceilings_time(c->row) <= 0)
		NOTE(c, "The record holds no samples.");
	else if (!ceilings_sound(c->row))
		NOTE(c, "Its output was not verified before and after in every execution.");
	else if (ceilings_shaken(c->row))
		NOTE(c, "Another load ran beside it (its flags say so): the time is not its own.");
	else if (client_bound(c->row))
		NOTE(c, "The client could not issue its requests in time: it measured itself.");
	else if (result_row_is_load(c->row))
		NOTE(c, "Its times are latencies of requests that wait for each other, not of one "
		     "operation; diagnose the case without a scenario.");
	else
		return false;
	return true;
}

/* ---- an idle device -------------------------------------------------------------------------- */

static double sum_of(const cJSON *numbers)
{
	const cJSON *item;
	double sum = 0;

	cJSON_ArrayForEach(item, numbers)
		sum += cJSON_IsNumber(item) ? item->valuedouble : 0;
	return sum;
}

/* The device's clock against the host's around the same samples; false without both. */
static bool by_clocks(const result_row *row, double *idle)
{
	double device = 0, host = 0;
	const cJSON *e;

	cJSON_ArrayForEach(e, json_path(row->json, "executions"))
		if (strcmp(json_string(e, "clock", ""), "device") == 0 &&
		    cJSON_GetArraySize(json_path(e, "host_ns")) > 0) {
			device += sum_of(json_path(e, "samples_ns"));
			host += sum_of(json_path(e, "host_ns"));
		}
	if (!(host > 0))
		return false;
	*idle = device < host ? 1 - device / host : 0;
	return true;
}

double diagnose_idle(diagnosis_case *c, const ceilings *all)
{
	ceiling empty = ceilings_of(all, CEILING_EMPTY, NULL);
	double idle = -1, share;

	if (by_clocks(c->row, &idle)) {
		NOTE(c, "The device was idle for %.1f %% of the time: its clock against the host's around "
		     "the same samples.", idle * 100);
		return idle;
	}
	if (empty.value <= 0) {
		NOTE(c, "Whether the device was idle cannot be told: the host's clock timed it, and no case "
		     "of launch (mode = back-to-back) says what an empty kernel takes.");
		return -1;
	}
	share = empty.value / c->time_ns;
	NOTE(c, "An empty kernel takes %.1f %% of its time (%s); with the host's clock and one kernel "
	     "per operation that is how long the device has nothing to do.", share * 100,
	     empty.row->id);
	return share < 1 ? share : 1;
}

/* ---- power and heat -------------------------------------------------------------------------- */

static double slope(const cJSON *channel)
{
	const cJSON *values = json_path(channel, "values"), *times = json_path(channel, "times_ns");
	int last = cJSON_GetArraySize(values) - 1;
	const cJSON *v0 = cJSON_GetArrayItem(values, 0), *v1 = cJSON_GetArrayItem(values, last);
	const cJSON *t0 = cJSON_GetArrayItem(times, 0), *t1 = cJSON_GetArrayItem(times, last);

	if (last < 1 || cJSON_GetArraySize(times) <= last || !(t1->valuedouble > t0->valuedouble))
		return -1;
	return (v1->valuedouble - v0->valuedouble) / (t1->valuedouble - t0->valuedouble);
}

/* A counter of time that it was held back; other counters count events and have no share. */
static double counted_share(const cJSON *channel)
{
	static const struct { const char *unit; double ns; } units[] = {
		{ "ns", 1 }, { "us", 1e3 }, { "ms", 1e6 }, { "s", 1e9 }
	};
	const char *unit = json_string(channel, "unit", "");

	if (strcmp(json_string(channel, "kind", ""), "throttle") != 0 ||
	    strcmp(json_string(channel, "form", ""), "counter") != 0)
		return -1;
	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
		if (strcmp(units[i].unit, unit) == 0)
			return slope(channel) * units[i].ns;
	return -1;
}

double diagnose_throttled(const result_row *row, const char **channel)
{
	double most = -1;
	const cJSON *e, *item;

	*channel = "";
	cJSON_ArrayForEach(e, json_path(row->json, "executions")) {
		cJSON_ArrayForEach(item, json_path(e, "sustained.throttle")) {
			double share;

			if (json_double(item, "share", &share) && share > most) {
				most = share;
				*channel = json_string(item, "name", "throttled");
			}
		}
		cJSON_ArrayForEach(item, json_path(e, "telemetry.channels")) {
			double share = counted_share(item);

			if (share > most) {
				most = share;
				*channel = json_string(item, "name", "throttled");
			}
		}
	}
	return most;
}

/* ---- one device ------------------------------------------------------------------------------ */

static const cJSON *processor_of(const result *r)
{
	const cJSON *layer;

	cJSON_ArrayForEach(layer, json_path(r->root, "executor.layers"))
		if (strcmp(json_string(layer, "layer", ""), "hardware") == 0 &&
		    json_path(layer, "fields.microcode") != NULL)
			return layer;
	return NULL;
}

bool diagnose_same_device(const result *a, const result *b)
{
	static const char *const keys[] = { "uuid", "pci" };
	const cJSON *x = json_path(a->root, "executor.device");
	const cJSON *y = json_path(b->root, "executor.device");
	const cJSON *p, *q;

	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
		const char *u = json_string(x, keys[i], ""), *v = json_string(y, keys[i], "");

		if (u[0] != '\0' && v[0] != '\0')
			return strcmp(u, v) == 0;
	}
	if (strcmp(json_string(x, "type", ""), "cpu") != 0 ||
	    strcmp(json_string(y, "type", ""), "cpu") != 0)
		return false;
	/* Each calls the processor by another name; the layer of the host is common. */
	p = processor_of(a);
	q = processor_of(b);
	if (p != NULL && q != NULL)
		return strcmp(json_string(p, "name", ""), json_string(q, "name", "?")) == 0;
	return strcmp(json_string(x, "name", ""), json_string(y, "name", "?")) == 0;
}
