/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/log.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/sensors_show.h"
#include "executor/executor.h"
#include "plugin/host.h"
#include "report/layers.h"
#include "report/report.h"
#include "run/discover.h"
#include "run/sensors.h"
#include "run/survey.h"

typedef struct devices_options { bool json, fields; } devices_options;

/* ---- JSON ------------------------------------------------------------------------------------ */

static void add_status(cJSON *item, eh_status status, const char *reason)
{
	json_add_string(item, "status", status == EH_OK ? "ok" : error_status_name(status));
	if (status != EH_OK)
		json_add_string(item, "reason", reason);
}

static cJSON *backend_json(const found_backend *b)
{
	cJSON *item = cJSON_CreateObject(), *list;

	json_add_string(item, "name", b->name);
	json_add_string(item, "path", b->path);
	json_add_string(item, "title", b->title != NULL ? b->title : "");
	json_add_string(item, "version", b->version != NULL ? b->version : "");
	json_add_string(item, "license", b->license != NULL ? b->license : "");
	add_status(item, b->status, b->reason);
	list = json_add_array(item, "notes");
	for (size_t i = 0; b->notes != NULL && b->notes[i] != NULL; i++)
		json_append_string(list, b->notes[i]);
	list = json_add_array(item, "devices");
	for (size_t i = 0; i < b->device_count; i++) {
		const found_device *d = &b->devices[i];
		cJSON *device = cJSON_CreateObject();

		json_add_uint(device, "index", d->index);
		json_add_string(device, "executor", d->executor);
		add_status(device, d->status, d->reason);
		json_set(device, "device", executor_device(&d->info));
		cJSON_AddItemToArray(list, device);
	}
	return item;
}

static void print_json(const found_backend *backends, size_t count, bool verbose)
{
	cJSON *root = cJSON_CreateObject(), *list = json_add_array(root, "backends");

	for (size_t i = 0; i < count; i++)
		cJSON_AddItemToArray(list, backend_json(&backends[i]));
	if (verbose) {
		cJSON *probes = sensors_list();

		sensors_assign(probes, backends, count);
		json_set(root, "probes", probes);
	}
	command_json(root);
}

/* ---- for people ------------------------------------------------------------------------------ */

static void memory_words(uint64_t bytes, char out[32])
{
	if (bytes == 0)
		snprintf(out, 32, "-");
	else if (bytes >= UINT64_C(1) << 30)
		snprintf(out, 32, "%.1f GiB", (double)bytes / (double)(UINT64_C(1) << 30));
	else
		snprintf(out, 32, "%.1f MiB", (double)bytes / (double)(UINT64_C(1) << 20));
}

static char *cap_words(const eh_device_info *info)
{
	cJSON *device = executor_device(info);
	const cJSON *cap;
	text words = { 0 };

	cJSON_ArrayForEach(cap, json_path(device, "caps"))
		text_add(&words, "%s%s", words.size > 0 ? " " : "", cap->valuestring);
	if (words.size == 0)
		text_add(&words, "-");
	cJSON_Delete(device);
	return words.data;
}

/* malloc'd; cut at `limit` bytes, between characters, unless everything is wanted. */
static char *shortened(const char *s, size_t limit, bool verbose)
{
	size_t end = limit - 3;

	if (verbose || strlen(s) <= limit)
		return memory_text(s);
	while (end > 0 && ((unsigned char)s[end] & 0xc0) == 0x80)
		end--;
	return memory_format("%.*s...", (int)end, s);
}

static size_t add_usable(table *t, const found_backend *b, bool verbose)
{
	size_t usable = 0;

	for (size_t i = 0; i < b->device_count; i++) {
		const found_device *d = &b->devices[i];
		char bytes[32], units[16], *caps, *name, *platform;

		if (d->status != EH_OK)
			continue;
		memory_words(d->info.memory_bytes, bytes);
		snprintf(units, sizeof(units), "%u", d->info.compute_units);
		caps = cap_words(&d->info);
		name = shortened(d->info.name, 40, verbose);
		platform = shortened(d->info.platform, 40, verbose);
		table_row(t, (const char *const[]){ d->executor, name, platform, bytes,
		                                    d->info.compute_units > 0 ? units : "-", caps });
		free(platform);
		free(name);
		free(caps);
		usable++;
	}
	return usable;
}

static void add_details(table *t, const found_backend *b)
{
	for (size_t i = 0; i < b->device_count; i++) {
		const found_device *d = &b->devices[i];
		char *more = memory_format("vendor %s; PCI %s; UUID %s; up to %u MHz; group of %u items, "
		                           "%u bytes local", d->info.vendor[0] ? d->info.vendor : "-",
		                           d->info.pci[0] ? d->info.pci : "-",
		                           d->info.uuid[0] ? d->info.uuid : "-", d->info.clock_mhz,
		                           d->info.max_group_items, d->info.local_memory_bytes);

		table_row(t, (const char *const[]){ d->executor, more });
		free(more);
	}
}

/* What is not usable, with the reason, and with the file unless it was loaded and misses a driver. */
static size_t add_unusable(table *t, const found_backend *b)
{
	size_t rows = 0;

	if (b->status != EH_OK) {
		char *name = b->status == EH_E_UNAVAILABLE && b->title != NULL
		                   ? memory_text(b->name)
		                   : memory_format("%s (%s)", b->name, b->path);

		table_row(t, (const char *const[]){ name, b->reason });
		free(name);
		rows++;
	} else if (b->device_count == 0) {
		table_row(t, (const char *const[]){ b->name, "its driver offers no device" });
		rows++;
	}
	for (size_t i = 0; i < b->device_count; i++) {
		if (b->devices[i].status == EH_OK)
			continue;
		table_row(t, (const char *const[]){ b->devices[i].executor, b->devices[i].reason });
		rows++;
	}
	return rows;
}

static size_t add_notes(table *t, const found_backend *b)
{
	size_t rows = 0;

	for (; b->notes != NULL && b->notes[rows] != NULL; rows++)
		table_row(t, (const char *const[]){ b->name, b->notes[rows] });
	return rows;
}

static bool print_section(table *t, const char *title, size_t rows)
{
	bool good = rows == 0 || (printf("%s\n", title) >= 0 && table_print(t, stdout));

	table_free(t);
	return good;
}

static bool print_words(const found_backend *backends, size_t count, bool verbose)
{
	table *usable = table_new("lllrrl"), *not_usable = table_new("ll");
	table *files = table_new("llll"), *details = table_new("ll"), *notes = table_new("ll");
	size_t usable_rows = 0, unusable_rows = 0, detail_rows = 0, note_rows = 0;
	bool good;

	table_row(usable, (const char *const[]){ "executor", "device", "platform", "memory", "units",
	                                         "can" });
	for (size_t i = 0; i < count; i++) {
		const found_backend *b = &backends[i];

		usable_rows += add_usable(usable, b, verbose);
		unusable_rows += add_unusable(not_usable, b);
		note_rows += add_notes(notes, b);
		add_details(details, b);
		detail_rows += b->device_count;
		table_row(files, (const char *const[]){ b->name, b->title != NULL ? b->title : "-",
		                                        b->version != NULL ? b->version : "-", b->path });
	}
	if (usable_rows == 0) {
		table_free(usable);
		good = puts("Nothing here can be measured.") >= 0;
	} else {
		good = table_print(usable, stdout);
		table_free(usable);
	}
	good = print_section(not_usable, "\nnot usable, and why", unusable_rows) && good;
	good = print_section(notes, "\nnotes", note_rows) && good;
	good = print_section(details, "\ndetails", verbose ? detail_rows : 0) && good;
	good = print_section(files, "\nbackends", verbose ? count : 0) && good;
	return good;
}

/* ---- records --------------------------------------------------------------------------------- */

typedef struct facts { const devices_options *flags; cJSON *list; } facts;

/* {tester, party, sponsor} as a run begun now would have them. */
static cJSON *who_now(void)
{
	static const char *const names[][2] = { { "tester", "EVENHAND_TESTER" },
		                                { "party", "EVENHAND_PARTY" },
		                                { "sponsor", "EVENHAND_SPONSOR" } };
	cJSON *who = cJSON_CreateObject();

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (getenv(names[i][1]) != NULL)
			json_add_string(who, names[i][0], getenv(names[i][1]));
	return who;
}

static void show_record(const facts *f, const cJSON *record, const cJSON *who)
{
	if (f->list != NULL) {
		cJSON *item = cJSON_CreateObject();

		json_add_string(item, "executor", json_string(record, "name", ""));
		json_set(item, "fields", report_fields_json(record, who));
		cJSON_AddItemToArray(f->list, item);
		return;
	}
	printf("\n%s\n", json_string(record, "name", ""));
	(void)(f->flags->fields ? report_fields(stdout, record, who) : report_layers(stdout, record));
}

/* Each usable executor is described by a process of its own. */
static void show_records(const facts *f, const found_backend *backends, size_t count)
{
	cJSON *who = who_now();

	for (size_t b = 0; b < count; b++)
		for (size_t i = 0; i < backends[b].device_count; i++) {
			const found_device *d = &backends[b].devices[i];
			eh_error error = ERROR_INIT;
			cJSON *record = NULL;

			if (d->status != EH_OK)
				continue;
			if (survey_executor(backends[b].path, d->index, d->executor, host_options(),
			                     &record, &error) == EH_OK)
				show_record(f, record, who);
			else
				log_write(EH_LOG_WARN, "%s cannot be described: %s", d->executor,
				          error.message);
			cJSON_Delete(record);
		}
	cJSON_Delete(who);
}

static void print_fields(const devices_options *f, const found_backend *backends, size_t count)
{
	facts all = { .flags = f, .list = f->json ? cJSON_CreateArray() : NULL };

	show_records(&all, backends, count);
	if (all.list != NULL)
		command_json(all.list);
}

/* ---- the command ----------------------------------------------------------------------------- */

/* What -v adds to the tables: sensors and the layers of each executor. */
static void print_more(const devices_options *o, const found_backend *backends, size_t count)
{
	cJSON *probes = sensors_list();

	sensors_assign(probes, backends, count);
	(void)sensors_print(probes);
	cJSON_Delete(probes);
	show_records(&(facts){ .flags = o }, backends, count);
}

static eh_status devices(cli_call *call, eh_error *error)
{
	const devices_options *o = call->options;
	bool verbose = log_level() >= EH_LOG_INFO;
	found_backend *backends = NULL;
	size_t count = discover(&backends), usable = 0;

	(void)error;
	for (size_t b = 0; b < count; b++)
		for (size_t d = 0; d < backends[b].device_count; d++)
			usable += backends[b].devices[d].status == EH_OK;
	if (o->fields)
		print_fields(o, backends, count);
	else if (o->json)
		print_json(backends, count, verbose);
	else
		(void)print_words(backends, count, verbose);
	if (verbose && !o->json && !o->fields)
		print_more(o, backends, count);
	discover_free(backends, count);
	call->code = usable > 0 ? EXIT_CODE_OK : EXIT_CODE_ENVIRONMENT;
	return EH_OK;
}

const cli_command cmd_devices = {
	.name = "devices",
	.group = CLI_EVERYDAY,
	.summary = "list what can be measured here, and what would help where it cannot",
	.about = "Lists every backend that was found and every device of it, each under the name "
	         "that `evenhand run --on NAME` takes. For what is not usable it says why, and "
	         "what would help. Each backend is loaded in a process of its own.",
	.forms = (const cli_form[]){ { NULL, { { 0 } }, NULL, devices }, { 0 } },
	.options = (const cli_option[]){
		{ "fields", OPTION_FLAG, offsetof(devices_options, fields),
		  .about = "list which facts each executor discloses, and their source: what "
		           "`requires` of a protocol can ask for" },
		{ "set", OPTION_SETTING, 0,
		  .about = "a setting of a backend, as for run", .value = "BACKEND.KEY=VALUE" },
		CLI_JSON(devices_options),
		{ "verbose", OPTION_VERBOSE, 0,
		  .about = "more about each device, its layers with their owners, the files of the "
		           "backends, and which sensors can be read, with their values now; with "
		           "--json as \"probes\"", .letter = 'v' }, { 0 } },
	.size = sizeof(devices_options),
	.exits = (const cli_item[]){ { "5", "nothing is usable" }, { NULL, NULL } },
	.examples = (const char *const[]){
		"evenhand devices",
		"evenhand devices --json | jq -r '.backends[].devices[].executor'", NULL },
};
