/* SPDX-License-Identifier: Apache-2.0 */
#include "run/sensors.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/child.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/json.h"
#include "base/paths.h"
#include "base/text.h"
#include "plugin/host.h"
#include "plugin/plugin.h"
#include "plugin/probes.h"
#include "run/death.h"
#include "run/voice.h"

#define DEADLINE_NS (UINT64_C(10) * 1000000000)
/* What each lister has at least from its turn on: one that hangs must not use up the time of
 * those that are read after it. */
#define TURN_NS (UINT64_C(1) * 1000000000)
#define CLOSING_NS (UINT64_C(1) * 1000000000)
#define PAUSE_NS UINT64_C(100000000)

/* ---- the child ------------------------------------------------------------------------------- */

static void add_rate(cJSON *item, const eh_channel_info *info, const eh_reading *a,
                     const eh_reading *b)
{
	uint64_t step = b->count >= a->count ? b->count - a->count :
	                info->wrap > a->count ? info->wrap - a->count + b->count : 0;
	uint64_t time = b->native > a->native ? b->native - a->native : b->time_ns - a->time_ns;

	if (info->kind == EH_CHANNEL_ENERGY && time > 0) {
		json_add_double(item, "value", (double)step * 1e3 / (double)time);
		json_add_string(item, "value_unit", "W");
	} else if (info->kind == EH_CHANNEL_UTILISATION && b->native > a->native) {
		json_add_double(item, "value", (double)step * 100 / (double)time);
		json_add_string(item, "value_unit", "%");
	} else {
		json_add_double(item, "value", (double)b->count);
		json_add_string(item, "value_unit", info->unit);
	}
}

static void add_bits(cJSON *item, const eh_channel_info *info, uint64_t set)
{
	cJSON *list = json_add_array(item, "bits");

	json_add_double(item, "value", (double)set);
	json_add_string(item, "value_unit", info->unit);
	for (uint32_t i = 0; i < info->bit_count; i++)
		if (set & info->bits[i].mask)
			json_append_string(list, info->bits[i].name);
}

static void add_channel(cJSON *list, const eh_channel_info *info, const eh_reading *a,
                        const eh_reading *b)
{
	cJSON *item = cJSON_CreateObject();
	eh_status status = info->status != EH_OK ? info->status : b->status;

	json_add_string(item, "name", info->name);
	json_add_string(item, "kind", probes_kind(info->kind));
	json_add_string(item, "part", probes_part(info->part));
	json_add_string(item, "form", probes_form(info->form));
	json_add_string(item, "unit", info->unit);
	json_add_string(item, "status", status == EH_OK ? "ok" : error_status_name(status));
	if (status != EH_OK)
		json_add_string(item, "reason", info->reason[0] != '\0' ? info->reason
		                                                        : "it could not be read just now");
	else if (info->form == EH_FORM_BITS)
		add_bits(item, info, b->count);
	else if (info->form == EH_FORM_COUNTER)
		add_rate(item, info, a, b);
	else {
		json_add_double(item, "value", b->value);
		json_add_string(item, "value_unit", info->unit);
	}
	cJSON_AddItemToArray(list, item);
}

typedef struct readings { eh_reading *first, *second; } readings;

static void read_all(const probes_one *p, readings *all)
{
	for (int pass = 0; pass < 2; pass++) {
		if (pass == 1)
			clock_sleep_ns(PAUSE_NS);
		for (uint32_t i = 0; i < p->place_count; i++) {
			uint32_t count = p->places[i].info.channel_count;
			eh_reading *r = memory_get((count + 1) * sizeof(*r));

			for (uint32_t c = 0; c < count; c++) {
				r[c].status = EH_READING_NONE;
				r[c].skip = p->places[i].channels[c].status != EH_OK;
			}
			(void)p->ops->read(p->self, i, r, count, NULL);
			*(pass == 0 ? &all[i].first : &all[i].second) = r;
		}
	}
}

static void add_places(cJSON *root, const probes_one *p)
{
	cJSON *places = json_add_array(root, "places");
	readings *all = memory_get((p->place_count + 1) * sizeof(*all));

	read_all(p, all);
	for (uint32_t i = 0; i < p->place_count; i++) {
		const eh_place_info *info = &p->places[i].info;
		cJSON *place = cJSON_CreateObject(), *channels;

		json_add_string(place, "id", info->id);
		json_add_string(place, "kind", probes_place_kind(info->kind));
		json_add_string(place, "name", info->name);
		json_add_string(place, "pci", info->pci);
		json_add_string(place, "uuid", info->uuid);
		json_add_bool(place, "simulated", (info->flags & EH_PLACE_SIMULATED) != 0);
		channels = json_add_array(place, "channels");
		for (uint32_t c = 0; c < info->channel_count; c++)
			add_channel(channels, &p->places[i].channels[c], &all[i].first[c], &all[i].second[c]);
		cJSON_AddItemToArray(places, place);
		free(all[i].first);
		free(all[i].second);
	}
	free(all);
}

int sensors_child(const char *path)
{
	FILE *out = voice_take();
	eh_error error = ERROR_INIT;
	probes_one p;
	cJSON *root, *notes;
	bool heard;

	if (out == NULL)
		return EXIT_CODE_ENVIRONMENT;
	root = cJSON_CreateObject();
	if (probes_start(&p, path, &error) != EH_OK) {
		json_add_string(root, "status", error_status_name(p.status));
		json_add_string(root, "reason", error.message);
	} else {
		char *rest = p.notes, *line;

		json_add_string(root, "status", "ok");
		json_add_string(root, "title", p.probe->title);
		json_add_string(root, "version", p.probe->version);
		add_places(root, &p);
		notes = json_add_array(root, "notes");
		while ((line = strsep(&rest, "\n")) != NULL)
			if (*line != '\0')
				json_append_string(notes, line);
	}
	heard = voice_say(out, json_text(root, false));
	cJSON_Delete(root);
	probes_stop(&p, false);
	return fclose(out) == 0 && heard ? EXIT_CODE_OK : EXIT_CODE_ENVIRONMENT;
}

/* ---- the parent ------------------------------------------------------------------------------ */

static cJSON *failed(const char *status, const char *reason)
{
	cJSON *item = cJSON_CreateObject();

	json_add_string(item, "status", status);
	json_add_string(item, "reason", reason);
	return item;
}

/* The process that reads a probe's sensors, or why there is none. */
typedef struct lister { child *child; cJSON *failed; } lister;

static void start_lister(const char *program, const char *path, lister *out)
{
	const char *const *options = host_options();
	size_t count = 0, at = 0;
	const char **argv;
	eh_error error = ERROR_INIT;
	eh_status status;

	while (options[count] != NULL)
		count++;
	argv = memory_get((2 * count + 5) * sizeof(*argv));
	argv[at++] = program;
	argv[at++] = "worker";
	argv[at++] = "--sensors";
	argv[at++] = path;
	for (size_t i = 0; i < count; i++) {
		argv[at++] = "--set";
		argv[at++] = options[i];
	}
	status = child_start(argv, NULL, &out->child, &error);
	if (status != EH_OK) {
		out->child = NULL;
		out->failed = failed(error_status_name(status), error.message);
	}
	free(argv);
}

static cJSON *read_lister(child *c, const char *path, uint64_t deadline_ns)
{
	const char *line = NULL;
	eh_error error = ERROR_INIT;
	eh_status status = child_line(c, deadline_ns, &line, &error);
	child_end end = { 0 };
	cJSON *root = NULL;
	char *death, *reason;

	if (status == EH_OK)
		status = json_parse(line, strlen(line), path, &root, &error);
	child_finish(c, status == EH_E_TIMEOUT ? 0 : CLOSING_NS, &end);
	if (status == EH_OK)
		return root;
	if (status == EH_E_TIMEOUT)
		return failed("timeout", "it did not read its sensors within 10 s; see whether its library "
		              "hangs with another program too");
	if (status != EH_E_NOT_FOUND)
		return failed(error_status_name(status), error.message);
	death = death_text(&end);
	reason = memory_format("the process that read its sensors %s; see whether its library crashes "
	                       "in another program too", death);
	root = failed("crashed", reason);
	free(reason);
	free(death);
	return root;
}

cJSON *sensors_list(void)
{
	plugin_file *files = NULL;
	size_t count = plugin_search(PLUGIN_PROBE, &files);
	lister *listers = memory_get((count + 1) * sizeof(*listers));
	cJSON *list = cJSON_CreateArray();
	char *program = paths_program();
	uint64_t deadline = clock_now_ns() + DEADLINE_NS;

	for (size_t i = 0; i < count; i++)
		if (files[i].status == EH_OK)
			start_lister(program, files[i].path, &listers[i]);
	for (size_t i = 0; i < count; i++) {
		uint64_t turn = clock_now_ns() + TURN_NS;
		cJSON *item = listers[i].failed;

		if (listers[i].child != NULL)
			item = read_lister(listers[i].child, files[i].path, deadline > turn ? deadline : turn);
		else if (item == NULL)
			item = failed(error_status_name(files[i].status),
			              files[i].reason != NULL ? files[i].reason : "refused");
		json_add_string(item, "name", files[i].name);
		json_add_string(item, "path", files[i].path);
		cJSON_AddItemToArray(list, item);
	}
	free(program);
	free(listers);
	plugin_files_free(files, count);
	return list;
}

bool sensors_own(const cJSON *place, const eh_device_info *device)
{
	eh_place_info info = { .struct_size = sizeof(info), .kind = EH_PLACE_DEVICE };
	const char *kind = json_string(place, "kind", "");

	if (strcmp(kind, "package") == 0)
		return device->type == EH_DEVICE_CPU;
	if (strcmp(kind, "device") != 0)
		return false;
	(void)snprintf(info.pci, sizeof(info.pci), "%s", json_string(place, "pci", ""));
	(void)snprintf(info.uuid, sizeof(info.uuid), "%s", json_string(place, "uuid", ""));
	return probes_match(&info, device);
}

bool sensors_match(const cJSON *place, const eh_device_info *device)
{
	return strcmp(json_string(place, "kind", ""), "device") != 0 || sensors_own(place, device);
}
