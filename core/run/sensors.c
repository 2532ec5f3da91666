/* SPDX-License-Identifier: Apache-2.0 */
#include "run/sensors.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/text.h"
#include "plugin/host.h"
#include "plugin/notes.h"
#include "plugin/plugin.h"
#include "plugin/probes.h"
#include "run/lister.h"
#include "run/voice.h"

#define DEADLINE_S 10u
/* The least time for each child, so that one that hangs does not use up that of the next. */
#define TURN_NS (UINT64_C(1) * 1000000000)
#define PAUSE_NS UINT64_C(100000000)

/* ---- the child ------------------------------------------------------------------------------- */

static void set_value(discover_channel *out, double value, const char *unit)
{
	out->value = value;
	text_set(&out->value_unit, unit);
}

static void set_rate(discover_channel *out, const eh_channel_info *info, const eh_reading *a,
                     const eh_reading *b)
{
	uint64_t step = b->count >= a->count ? b->count - a->count :
	                info->wrap > a->count ? info->wrap - a->count + b->count : 0;
	uint64_t time = b->native > a->native ? b->native - a->native : b->time_ns - a->time_ns;

	if (info->kind == EH_CHANNEL_ENERGY && time > 0)
		set_value(out, (double)step * 1e3 / (double)time, "W");
	else if (info->kind == EH_CHANNEL_UTILISATION && b->native > a->native)
		set_value(out, (double)step * 100 / (double)time, "%");
	else
		set_value(out, (double)b->count, info->unit);
}

static void set_bits(discover_channel *out, const eh_channel_info *info, uint64_t set)
{
	set_value(out, (double)set, info->unit);
	/* An empty list, not an absent one. */
	out->bits.items = memory_get(sizeof(*out->bits.items));
	for (uint32_t i = 0; i < info->bit_count; i++)
		if (set & info->bits[i].mask)
			text_list_add(&out->bits, info->bits[i].name);
}

static void fill_channel(discover_channel *out, const eh_channel_info *info, const eh_reading *a,
                         const eh_reading *b)
{
	eh_status status = info->status != EH_OK ? info->status : b->status;

	text_set(&out->name, info->name);
	text_set(&out->kind, probes_kind(info->kind));
	text_set(&out->part, probes_part(info->part));
	text_set(&out->form, probes_form(info->form));
	if (info->window_ns > 0)
		out->window_ns = info->window_ns;
	text_set(&out->unit, info->unit);
	text_set(&out->status, error_status_name(status));
	if (status != EH_OK)
		text_set(&out->reason, info->reason[0] != '\0' ? info->reason
		                                               : "it could not be read just now");
	else if (info->form == EH_FORM_BITS)
		set_bits(out, info, b->count);
	else if (info->form == EH_FORM_COUNTER)
		set_rate(out, info, a, b);
	else
		set_value(out, b->value, info->unit);
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

static void fill_place(discover_place *out, const probe_place *from, const readings *read)
{
	text_set(&out->id, from->info.id);
	text_set(&out->kind, probes_place_kind(from->info.kind));
	text_set(&out->name, from->info.name);
	text_set(&out->pci, from->info.pci);
	text_set(&out->uuid, from->info.uuid);
	out->simulated = (from->info.flags & EH_PLACE_SIMULATED) != 0;
	for (uint32_t c = 0; c < from->info.channel_count; c++)
		fill_channel(layout_append(discover_channel_layout(), &out->channels),
		             &from->channels[c], &read->first[c], &read->second[c]);
}

static void add_places(discover_probe *out, const probes_one *p)
{
	readings *all = memory_get((p->place_count + 1) * sizeof(*all));

	read_all(p, all);
	for (uint32_t i = 0; i < p->place_count; i++) {
		fill_place(layout_append(discover_place_layout(), &out->places), &p->places[i],
		           &all[i]);
		free(all[i].first);
		free(all[i].second);
	}
	free(all);
}

static void set_status(discover_probe *out, eh_status status, const char *reason)
{
	text_set(&out->status, error_status_name(status));
	if (status != EH_OK)
		text_set(&out->reason, reason);
}

int sensors_child(const char *path)
{
	FILE *voice = voice_take();
	eh_error error = ERROR_INIT;
	discover_probe found;
	probes_one p;
	int code;

	if (voice == NULL)
		return EXIT_CODE_ENVIRONMENT;
	layout_init(discover_probe_layout(), &found);
	if (probes_start(&p, path, &error) == EH_OK) {
		text_set(&found.title, p.probe->title);
		text_set(&found.version, p.probe->version);
		add_places(&found, &p);
		notes_add(&found.notes, p.notes);
	}
	set_status(&found, p.status, error.message);
	code = lister_answer(voice, discover_probe_layout(), &found);
	layout_clear(discover_probe_layout(), &found);
	probes_stop(&p, false);
	return code;
}

/* ---- the parent ------------------------------------------------------------------------------ */

/* NULL when there is no child; then out has the reason. */
static child *start_lister(const plugin_file *file, discover_probe *out)
{
	eh_error error = ERROR_INIT;
	child *c = NULL;
	eh_status status = file->status;

	text_set(&out->name, file->name);
	text_set(&out->path, file->path);
	if (status != EH_OK)
		(void)error_set(&error, status, "%s", file->reason != NULL ? file->reason
		                : "refused");
	else
		status = lister_start("--sensors", file->path, NULL, host_options(), &c, &error);
	if (status == EH_OK)
		return c;
	set_status(out, status, error.message);
	return NULL;
}

static void read_lister(child *c, uint64_t deadline_ns, discover_probe *out)
{
	discover_probe answer;
	const lister_words words = { out->path, "read its sensors", "it did not read its sensors",
		                     "library", DEADLINE_S };
	eh_error error = ERROR_INIT;
	eh_status status;

	layout_init(discover_probe_layout(), &answer);
	status = lister_read(c, &words, deadline_ns, discover_probe_layout(), &answer, &error);
	if (status != EH_OK)
		set_status(&answer, status, error.message);
	text_set(&answer.name, out->name);
	text_set(&answer.path, out->path);
	layout_clear(discover_probe_layout(), out);
	*out = answer;
}

static void list_all(discover_probe_list *out)
{
	plugin_file *files = NULL;
	size_t count = plugin_search(PLUGIN_PROBE, &files);
	child **children = memory_get((count + 1) * sizeof(*children));
	uint64_t deadline = clock_now_ns() + UINT64_C(1000000000) * DEADLINE_S;

	for (size_t i = 0; i < count; i++)
		children[i] = start_lister(&files[i], layout_append(discover_probe_layout(), out));
	for (size_t i = 0; i < count; i++) {
		uint64_t turn = clock_now_ns() + TURN_NS;

		if (children[i] != NULL)
			read_lister(children[i], deadline > turn ? deadline : turn, &out->items[i]);
	}
	for (size_t i = 0; i < count; i++) {
		bool refused = files[i].status == EH_OK &&
		               discover_is(out->items[i].status, EH_E_INCOMPATIBLE);
		size_t next = refused ? plugin_next(files, count, i) : count;
		child *c = NULL;

		if (next < count) {
			text_set(&out->items[next].reason, NULL);
			c = start_lister(&files[next], &out->items[next]);
		}
		if (c != NULL)
			read_lister(c, clock_now_ns() + UINT64_C(1000000000) * DEADLINE_S,
			            &out->items[next]);
	}
	free(children);
	plugin_files_free(files, count);
}

/* Whether a place of kind device is that one. */
static bool is_own(const discover_place *place, const record_device *device)
{
	eh_place_info there = { .struct_size = sizeof(there), .kind = EH_PLACE_DEVICE };
	eh_device_info info = { .struct_size = sizeof(info) };

	snprintf(there.pci, sizeof(there.pci), "%s", place->pci);
	snprintf(there.uuid, sizeof(there.uuid), "%s", place->uuid);
	snprintf(info.pci, sizeof(info.pci), "%s", device->pci != NULL ? device->pci : "");
	snprintf(info.uuid, sizeof(info.uuid), "%s", device->uuid != NULL ? device->uuid : "");
	return probes_match(&there, &info);
}

static void add_executors(discover_place *place, const discover_backend *backend)
{
	for (size_t i = 0; i < backend->devices.count; i++) {
		const discover_device *d = &backend->devices.items[i];

		if (discover_is(d->status, EH_OK) &&
		    (strcmp(place->kind, "device") != 0 || is_own(place, &d->device)))
			text_list_add(&place->executors, d->executor);
	}
}

void sensors_list(discover_report *report)
{
	/* An empty list, not an absent one. */
	report->probes.items = memory_get(sizeof(*report->probes.items));
	list_all(&report->probes);
	for (size_t i = 0; i < report->probes.count; i++)
		for (size_t p = 0; p < report->probes.items[i].places.count; p++)
			for (size_t b = 0; b < report->backends.count; b++)
				add_executors(&report->probes.items[i].places.items[p],
				              &report->backends.items[b]);
}
