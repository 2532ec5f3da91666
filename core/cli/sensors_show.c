/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/sensors_show.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "report/report.h"

/* "sw-power-cap, idle" */
static char *bits_words(const text_list *bits)
{
	text words = { 0 };

	for (size_t i = 0; i < bits->count; i++)
		text_add(&words, "%s%s", i > 0 ? ", " : "", bits->items[i]);
	return words.size > 0 ? words.data : memory_text("none");
}

/* "82.5 W", "-". */
static char *value_words(const discover_channel *channel)
{
	const char *unit = channel->value_unit != NULL ? channel->value_unit : "";
	double value = channel->value;

	if (isnan(value))
		return memory_text("-");
	if (channel->bits.items != NULL)
		return bits_words(&channel->bits);
	if (strcmp(unit, "bytes") == 0)
		return memory_format("%.1f MiB", value / (1 << 20));
	return memory_format("%.*f %s", value < 1000 && value != (double)(long long)value ? 2 : 0, value,
	                     unit);
}

static char *place_title(const discover_probe *probe, const discover_place *place)
{
	text title = { 0 };

	text_add(&title, "\nsensors: %s %s (%s%s)", probe->name, place->id, place->name,
	         place->simulated ? "; simulated" : "");
	if (strcmp(place->kind, "device") != 0)
		text_add(&title, ", for every executor");
	else if (place->executors.count == 0)
		text_add(&title, ", of no executor");
	else
		for (size_t i = 0; i < place->executors.count; i++)
			text_add(&title, "%s%s", i == 0 ? ", of " : ", ",
			         place->executors.items[i]);
	return title.data;
}

static bool print_place(const discover_probe *probe, const discover_place *place)
{
	table *t = table_new("nrll");
	size_t rows = 0;
	char *title = place_title(probe, place);
	bool good = true;

	for (size_t i = 0; i < place->channels.count; i++) {
		const discover_channel *channel = &place->channels.items[i];
		char *words;

		if (!discover_is(channel->status, EH_OK))
			continue;
		words = value_words(channel);
		table_row(t, (const char *const[]){ channel->name, words, channel->kind,
		                                   channel->form });
		free(words);
		rows++;
	}
	if (rows > 0)
		good = puts(title) >= 0 && table_print(t, stdout);
	free(title);
	table_free(t);
	return good;
}

static size_t add_missing(table *t, const char *name, const char *reason)
{
	table_row(t, (const char *const[]){ name, reason != NULL ? reason : "" });
	return 1;
}

static size_t add_missing_channels(table *t, const discover_probe *probe,
                                   const discover_place *place)
{
	size_t rows = 0;

	for (size_t i = 0; i < place->channels.count; i++) {
		const discover_channel *channel = &place->channels.items[i];
		char *name;

		if (discover_is(channel->status, EH_OK))
			continue;
		name = memory_format("%s %s %s", probe->name, place->id, channel->name);
		rows += add_missing(t, name, channel->reason);
		free(name);
	}
	return rows;
}

static bool print_missing(const discover_probe_list *probes)
{
	table *t = table_new("nw");
	size_t rows = 0;
	bool good = true;

	for (size_t i = 0; i < probes->count; i++) {
		const discover_probe *probe = &probes->items[i];

		if (!discover_is(probe->status, EH_OK))
			rows += add_missing(t, probe->name, probe->reason);
		for (size_t n = 0; n < probe->notes.count; n++)
			rows += add_missing(t, probe->name, probe->notes.items[n]);
		for (size_t p = 0; p < probe->places.count; p++)
			rows += add_missing_channels(t, probe, &probe->places.items[p]);
	}
	if (rows > 0)
		good = puts("\nsensors that cannot be read, and why") >= 0 && table_print(t, stdout);
	table_free(t);
	return good;
}

bool sensors_print(const discover_probe_list *probes)
{
	bool good = true;

	for (size_t i = 0; i < probes->count; i++)
		for (size_t p = 0; p < probes->items[i].places.count; p++)
			good = print_place(&probes->items[i], &probes->items[i].places.items[p]) &&
				good;
	return print_missing(probes) && good;
}
