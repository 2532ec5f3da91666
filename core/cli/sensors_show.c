/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/sensors_show.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/text.h"
#include "report/report.h"
#include "run/sensors.h"

static void assign_place(cJSON *place, const found_backend *backends, size_t count)
{
	cJSON *list = json_add_array(place, "executors");

	for (size_t b = 0; b < count; b++)
		for (size_t d = 0; d < backends[b].device_count; d++)
			if (backends[b].devices[d].status == EH_OK &&
			    sensors_match(place, &backends[b].devices[d].info))
				json_append_string(list, backends[b].devices[d].executor);
}

void sensors_assign(cJSON *probes, const found_backend *backends, size_t count)
{
	cJSON *probe;

	cJSON_ArrayForEach(probe, probes) {
		cJSON *place;

		cJSON_ArrayForEach(place, cJSON_GetObjectItemCaseSensitive(probe, "places"))
			assign_place(place, backends, count);
	}
}

/* "82.5 W", "sw-power-cap, idle", "-". */
static char *value_words(const cJSON *channel)
{
	const cJSON *bits = cJSON_GetObjectItemCaseSensitive(channel, "bits"), *bit;
	const char *unit = json_string(channel, "value_unit", "");
	double value = 0;
	text words = { 0 };

	if (!json_double(channel, "value", &value))
		return memory_text("-");
	if (cJSON_IsArray(bits)) {
		cJSON_ArrayForEach(bit, bits)
			text_add(&words, "%s%s", words.size > 0 ? ", " : "", bit->valuestring);
		return words.size > 0 ? words.data : memory_text("none");
	}
	if (strcmp(unit, "bytes") == 0)
		return memory_format("%.1f MiB", value / (1 << 20));
	return memory_format("%.*f %s", value < 1000 && value != (double)(long long)value ? 2 : 0, value,
	                     unit);
}

static char *place_title(const cJSON *probe, const cJSON *place)
{
	const cJSON *executors = cJSON_GetObjectItemCaseSensitive(place, "executors"), *one;
	text title = { 0 };

	text_add(&title, "\nsensors: %s %s (%s%s)", json_string(probe, "name", ""),
	         json_string(place, "id", ""), json_string(place, "name", ""),
	         json_bool(place, "simulated", false) ? "; simulated" : "");
	if (strcmp(json_string(place, "kind", ""), "device") != 0)
		text_add(&title, ", for every executor");
	else if (cJSON_GetArraySize(executors) == 0)
		text_add(&title, ", of no executor");
	else
		cJSON_ArrayForEach(one, executors)
			text_add(&title, "%s%s", one == executors->child ? ", of " : ", ", one->valuestring);
	return title.data;
}

static bool print_place(const cJSON *probe, const cJSON *place)
{
	const cJSON *channel;
	table *t = table_new("lrll");
	size_t rows = 0;
	char *title = place_title(probe, place);
	bool good = true;

	cJSON_ArrayForEach(channel, cJSON_GetObjectItemCaseSensitive(place, "channels")) {
		char *words;

		if (strcmp(json_string(channel, "status", ""), "ok") != 0)
			continue;
		words = value_words(channel);
		table_row(t, (const char *const[]){ json_string(channel, "name", ""), words,
		                                    json_string(channel, "kind", ""),
		                                    json_string(channel, "form", "") });
		free(words);
		rows++;
	}
	if (rows > 0)
		good = puts(title) >= 0 && table_print(t, stdout);
	free(title);
	table_free(t);
	return good;
}

static void add_missing(table *t, const char *name, const char *reason, size_t *rows)
{
	table_row(t, (const char *const[]){ name, reason });
	(*rows)++;
}

static bool print_missing(const cJSON *probes)
{
	table *t = table_new("ll");
	size_t rows = 0;
	const cJSON *probe, *place, *channel, *note;
	bool good = true;

	cJSON_ArrayForEach(probe, probes) {
		const char *name = json_string(probe, "name", "");

		if (strcmp(json_string(probe, "status", ""), "ok") != 0)
			add_missing(t, name, json_string(probe, "reason", ""), &rows);
		cJSON_ArrayForEach(note, cJSON_GetObjectItemCaseSensitive(probe, "notes"))
			add_missing(t, name, note->valuestring, &rows);
		cJSON_ArrayForEach(place, cJSON_GetObjectItemCaseSensitive(probe, "places"))
			cJSON_ArrayForEach(channel, cJSON_GetObjectItemCaseSensitive(place, "channels")) {
				char *full;

				if (strcmp(json_string(channel, "status", ""), "ok") == 0)
					continue;
				full = memory_format("%s %s %s", name, json_string(place, "id", ""),
				                     json_string(channel, "name", ""));
				add_missing(t, full, json_string(channel, "reason", ""), &rows);
				free(full);
			}
	}
	if (rows > 0)
		good = puts("\nsensors that cannot be read, and why") >= 0 && table_print(t, stdout);
	table_free(t);
	return good;
}

bool sensors_print(const cJSON *probes)
{
	const cJSON *probe, *place;
	bool good = true;

	cJSON_ArrayForEach(probe, probes)
		cJSON_ArrayForEach(place, cJSON_GetObjectItemCaseSensitive(probe, "places"))
			good = print_place(probe, place) && good;
	return print_missing(probes) && good;
}
