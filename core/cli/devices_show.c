/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/devices_show.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/text.h"
#include "cli/command.h"
#include "plugin/host.h"
#include "report/layers.h"
#include "report/report.h"
#include "run/survey.h"

/* ---- tables ---------------------------------------------------------------------------------- */

static const char *or_dash(const char *value)
{
	return value != NULL && value[0] != '\0' ? value : "-";
}

/* malloc'd; "-" where it is not known. */
static char *number_words(uint64_t number)
{
	if (number == 0 || number == LAYOUT_NO_UINT)
		return memory_text("-");
	return memory_format("%llu", (unsigned long long)number);
}

static void memory_words(uint64_t bytes, char out[32])
{
	if (bytes == 0 || bytes == LAYOUT_NO_UINT)
		snprintf(out, 32, "-");
	else
		text_about_bytes(bytes, out);
}

static char *cap_words(const record_device *device)
{
	text words = { 0 };

	for (size_t i = 0; i < device->caps.count; i++)
		text_add(&words, "%s%s", i > 0 ? " " : "", device->caps.items[i]);
	return words.size > 0 ? words.data : memory_text("-");
}

/* malloc'd; cut to `limit` bytes at a character, unless verbose. */
static char *shortened(const char *s, size_t limit, bool verbose)
{
	size_t end = limit - 3;

	if (verbose || strlen(s) <= limit)
		return memory_text(s);
	while (end > 0 && ((unsigned char)s[end] & 0xc0) == 0x80)
		end--;
	return memory_format("%.*s...", (int)end, s);
}

static size_t add_usable(table *t, const discover_backend *b, bool verbose)
{
	size_t usable = 0;

	for (size_t i = 0; i < b->devices.count; i++) {
		const discover_device *d = &b->devices.items[i];
		char bytes[32], *units, *caps, *name, *platform;

		if (!discover_is(d->status, EH_OK))
			continue;
		memory_words(d->device.memory_bytes, bytes);
		units = number_words(d->device.compute_units);
		caps = cap_words(&d->device);
		name = shortened(or_dash(d->device.name), 40, verbose);
		/* Drivers of one platform differ in the version, which comes last. */
		platform = shortened(or_dash(d->device.platform), 60, verbose);
		table_row(t, (const char *const[]){ d->executor, name, platform, bytes, units,
		                                   caps });
		free(platform);
		free(name);
		free(caps);
		free(units);
		usable++;
	}
	return usable;
}

static void add_details(table *t, const discover_device *d)
{
	char *clock = number_words(d->device.clock_mhz);
	char *items = number_words(d->device.max_group_items);
	char *local = number_words(d->device.local_memory_bytes);
	char cache[32] = "unknown";
	char *more;

	if (d->device.last_level_cache_bytes != LAYOUT_NO_UINT && d->device.last_level_cache_bytes > 0)
		text_format_bytes(d->device.last_level_cache_bytes, cache);
	more = memory_format("vendor %s; PCI %s; UUID %s; up to %s MHz; group of %s items, "
	                     "%s bytes local; last-level cache %s", or_dash(d->device.vendor),
	                     or_dash(d->device.pci), or_dash(d->device.uuid), clock, items, local, cache);

	table_row(t, (const char *const[]){ d->executor, more });
	free(more);
	free(local);
	free(items);
	free(clock);
}

/* What is not usable, with the reason, and with the file unless only its driver is missing. */
static size_t add_unusable(table *t, const discover_backend *b)
{
	size_t rows = 0;

	if (!discover_is(b->status, EH_OK)) {
		char *name = discover_is_absent(b) ? memory_text(b->name)
		                                   : memory_format("%s (%s)", b->name, b->path);

		table_row(t, (const char *const[]){ name, b->reason });
		free(name);
		rows++;
	} else if (b->devices.count == 0) {
		table_row(t, (const char *const[]){ b->name, "its driver offers no device" });
		rows++;
	}
	for (size_t i = 0; i < b->devices.count; i++) {
		const discover_device *d = &b->devices.items[i];

		if (discover_is(d->status, EH_OK))
			continue;
		table_row(t, (const char *const[]){ d->executor, d->reason });
		rows++;
	}
	return rows;
}

static bool print_section(table *t, const char *title, size_t rows)
{
	bool good = rows == 0 || (printf("%s\n", title) >= 0 && table_print(t, stdout));

	table_free(t);
	return good;
}

bool devices_print(const discover_report *here, bool verbose)
{
	table *usable = table_new("nnwrrw"), *not_usable = table_new("nw");
	table *files = table_new("lnln"), *details = table_new("nw"), *notes = table_new("nw");
	size_t usable_rows = 0, unusable_rows = 0, detail_rows = 0, note_rows = 0;
	bool good;

	table_head(usable, (const char *const[]){ "executor", "device", "platform", "memory", "units", "can" });
	for (size_t i = 0; i < here->backends.count; i++) {
		const discover_backend *b = &here->backends.items[i];

		usable_rows += add_usable(usable, b, verbose);
		unusable_rows += add_unusable(not_usable, b);
		for (size_t n = 0; n < b->notes.count; n++)
			table_row(notes, (const char *const[]){ b->name, b->notes.items[n] });
		note_rows += b->notes.count;
		for (size_t d = 0; d < b->devices.count; d++)
			add_details(details, &b->devices.items[d]);
		detail_rows += b->devices.count;
		table_row(files, (const char *const[]){ b->name, or_dash(b->title),
		                                       or_dash(b->version),
		                                        b->path });
	}
	if (usable_rows == 0)
		good = puts("Nothing here can be measured.") >= 0;
	else
		good = table_print(usable, stdout);
	table_free(usable);
	good = print_section(not_usable, "\nnot usable, and why", unusable_rows) && good;
	good = print_section(notes, "\nnotes", note_rows) && good;
	good = print_section(details, "\ndetails", verbose ? detail_rows : 0) && good;
	good = print_section(files, "\nbackends", verbose ? here->backends.count : 0) && good;
	return good;
}

/* ---- records --------------------------------------------------------------------------------- */

/* Each usable executor is described by a process of its own. */
static void describe_all(const discover_report *here,
                         void (*take)(const record_executor *record, void *context), void *context)
{
	for (size_t b = 0; b < here->backends.count; b++)
		for (size_t i = 0; i < here->backends.items[b].devices.count; i++) {
			const discover_device *d = &here->backends.items[b].devices.items[i];
			eh_error error = ERROR_INIT;
			record_executor *record = NULL;

			if (!discover_is(d->status, EH_OK))
				continue;
			if (survey_executor(here->backends.items[b].path, (uint32_t)d->index,
			                    d->executor,
			                    host_options(), &record, &error) == EH_OK)
				take(record, context);
			else
				log_write(EH_LOG_WARN, "%s cannot be described: %s", d->executor,
				          error.message);
			layout_free(record_executor_layout(), record);
		}
}

static void print_layers(const record_executor *record, void *unused)
{
	(void)unused;
	printf("\n%s\n", record->name);
	(void)report_layers(stdout, record);
}

void devices_print_layers(const discover_report *here)
{
	describe_all(here, print_layers, NULL);
}

/* From the environment, as a run would have it. */
static void fill_who(record_who *who)
{
	text_set(&who->tester, getenv("EVENHAND_TESTER"));
	text_set(&who->party, getenv("EVENHAND_PARTY"));
	text_set(&who->sponsor, getenv("EVENHAND_SPONSOR"));
}

/* The facts of all executors so far; as text, each is printed as soon as it is described. */
typedef struct facts_taken { layers_facts_list all; bool json; } facts_taken;

static void take_facts(const record_executor *record, void *context)
{
	facts_taken *taken = context;
	layers_facts *facts = layout_append(layers_facts_layout(), &taken->all);
	record_who who;

	layout_init(record_who_layout(), &who);
	fill_who(&who);
	layers_find_facts(record, &who, facts);
	if (!taken->json) {
		printf("\n%s\n", record->name);
		(void)report_facts(stdout, facts);
	}
	layout_clear(record_who_layout(), &who);
}

void devices_print_facts(const discover_report *here, bool json)
{
	facts_taken taken = { .json = json };

	describe_all(here, take_facts, &taken);
	if (json)
		command_layout_list(layers_facts_layout(), &taken.all);
	layout_list_clear(layers_facts_layout(), &taken.all);
}
