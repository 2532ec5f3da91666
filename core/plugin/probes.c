/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/probes.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "plugin/host.h"
#include "plugin/plugin.h"

/* A probe with more places is refused as broken. */
#define MOST_PLACES 1024
#define MOST_CHANNELS 1024
#define NOTES_SIZE 8192

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

static _Thread_local const char *volatile inside;

const char *probes_current(void)
{
	return inside;
}

static eh_status probe_failed(const char *name, const char *doing, eh_status status,
                              eh_error *said, eh_error *error)
{
	return error_set(error, status, "probe %s cannot %s: %s", name, doing,
	                 error_sentence(said, status));
}

/* Replaces the bits by a copy with clean texts. */
static void take_bits(eh_channel_info *info)
{
	eh_bit *bits;

	if (info->bits == NULL)
		info->bit_count = 0;
	bits = memory_get((info->bit_count + 1) * sizeof(*bits));
	for (uint32_t i = 0; i < info->bit_count; i++) {
		const eh_bit *from = &info->bits[i];

		bits[i] = *from;
		bits[i].name = text_clean_copy(from->name, strlen(from->name));
		bits[i].meaning = text_clean_copy(from->meaning, strlen(from->meaning));
	}
	info->bits = bits;
}

static void free_bits(const eh_channel_info *info)
{
	for (uint32_t i = 0; i < info->bit_count; i++) {
		free((char *)(uintptr_t)info->bits[i].name);
		free((char *)(uintptr_t)info->bits[i].meaning);
	}
	free((eh_bit *)(uintptr_t)info->bits);
}

static void free_place(const probe_place *place)
{
	for (uint32_t c = 0; place->channels != NULL && c < place->info.channel_count; c++)
		free_bits(&place->channels[c]);
	free(place->channels);
}

static eh_status read_place(probes_one *p, uint32_t index, const char **doing, eh_error *said)
{
	probe_place *place = &p->places[index];
	eh_status status;

	place->info.struct_size = sizeof(place->info);
	*doing = "describe a place";
	status = p->ops->place_info(p->self, index, &place->info, said);
	if (status != EH_OK)
		return status;
	text_clean_array(place->info.id);
	text_clean_array(place->info.name);
	text_clean_array(place->info.pci);
	text_clean_array(place->info.uuid);
	if (place->info.channel_count > MOST_CHANNELS)
		place->info.channel_count = MOST_CHANNELS;
	place->channels = memory_get((place->info.channel_count + 1) * sizeof(*place->channels));
	*doing = "describe a channel";
	for (uint32_t c = 0; c < place->info.channel_count; c++) {
		eh_channel_info *info = &place->channels[c];

		info->struct_size = sizeof(*info);
		status = p->ops->channel_info(p->self, index, c, info, said);
		if (status != EH_OK) {
			info->bits = NULL;
			info->bit_count = 0;
			return status;
		}
		text_clean_array(info->name);
		text_clean_array(info->unit);
		text_clean_array(info->reason);
		take_bits(info);
	}
	return EH_OK;
}

static eh_status read_lists(probes_one *p, const char **doing, eh_error *said)
{
	uint32_t count = 0;
	eh_status status;

	*doing = "count its places";
	status = p->ops->place_count(p->self, &count, said);
	if (status != EH_OK)
		return status;
	if (count > MOST_PLACES)
		count = MOST_PLACES;
	p->places = memory_get((count + 1) * sizeof(*p->places));
	p->place_count = count;
	for (uint32_t i = 0; i < count; i++) {
		status = read_place(p, i, doing, said);
		if (status != EH_OK)
			return status;
	}
	p->notes = memory_get(NOTES_SIZE);
	if (EH_HAS(p->ops, eh_probe_ops, notes)) {
		p->ops->notes(p->self, p->notes, NOTES_SIZE);
		p->notes[NOTES_SIZE - 1] = '\0';
	}
	return EH_OK;
}

eh_status probes_start(probes_one *out, const char *path, eh_error *error)
{
	const eh_probe *probe = NULL;
	const char *doing = "start";
	eh_error said = ERROR_INIT;
	eh_error own = ERROR_INIT;
	const char *slash = strrchr(path, '/');
	eh_status status;

	memset(out, 0, sizeof(*out));
	out->path = memory_text(path);
	out->name = memory_text(slash != NULL ? slash + 1 : path);
	out->name[strcspn(out->name, ".")] = '\0';
	inside = out->name;
	status = plugin_load_probe(path, &probe, &own);
	if (status == EH_OK) {
		status = probe->ops->start(host_table(probe->name), &out->self, &said);
		if (status == EH_OK) {
			out->probe = probe;
			out->ops = probe->ops;
			status = read_lists(out, &doing, &said);
		}
		if (status != EH_OK)
			probe_failed(probe->name, doing, status, &said, &own);
	}
	if (status != EH_OK) {
		if (out->probe != NULL)
			out->ops->stop(out->self);
		out->probe = NULL;
		out->reason = memory_text(own.message);
		if (error != NULL)
			*error = own;
	}
	inside = NULL;
	out->status = status;
	return status;
}

eh_status probes_read(const probes_one *p, uint32_t place, eh_reading *readings, uint32_t count,
                      eh_error *error)
{
	eh_status status;

	inside = p->name;
	status = p->ops->read(p->self, place, readings, count, error);
	inside = NULL;
	return status;
}

void probes_stop(probes_one *p, bool leave)
{
	if (leave)
		return;
	if (p->probe != NULL)
		p->ops->stop(p->self);
	for (uint32_t i = 0; p->places != NULL && i < p->place_count; i++)
		free_place(&p->places[i]);
	free(p->places);
	free(p->notes);
	free(p->name);
	free(p->path);
	free(p->reason);
	memset(p, 0, sizeof(*p));
}

/* ---- places of a device ---------------------------------------------------------------------- */

static bool read_pci(const char *s, unsigned out[4])
{
	char rest;

	if (sscanf(s, "%x:%x:%x.%x%c", &out[0], &out[1], &out[2], &out[3], &rest) == 4)
		return true;
	out[0] = 0;
	return sscanf(s, "%x:%x.%x%c", &out[1], &out[2], &out[3], &rest) == 3;
}

/* Copies the hexadecimal digits only.  31 digits are enough: the ABI's structs have no room for the
 * last of 32 after "GPU-". */
static bool read_uuid(const char *s, char out[33])
{
	size_t count = 0;

	if (strncmp(s, "GPU-", 4) == 0 || strncmp(s, "MIG-", 4) == 0)
		s += 4;
	for (; *s != '\0' && count < 32; s++)
		if (isxdigit((unsigned char)*s))
			out[count++] = (char)tolower((unsigned char)*s);
		else if (*s != '-')
			return false;
	out[count] = '\0';
	return count >= 31;
}

bool probes_match(const eh_place_info *place, const eh_device_info *device)
{
	unsigned a[4], b[4];
	char x[33], y[33];

	if (place->kind != EH_PLACE_DEVICE)
		return false;
	/* Instances of a partitioned device share a PCI address but not a UUID. */
	if (read_uuid(place->uuid, x) && read_uuid(device->uuid, y) && strncmp(x, y, 31) == 0)
		return true;
	return read_pci(place->pci, a) && read_pci(device->pci, b) && memcmp(a, b, sizeof(a)) == 0;
}

/* ---- words ------------------------------------------------------------------------------------ */

const char *probes_kind(uint32_t kind)
{
	static const char *const words[] = { "other", "power", "energy", "clock", "temperature",
		"throttle", "utilisation", "memory", "limit", "users", "count", "other" };

	return words[kind < COUNT(words) ? kind : 0];
}

const char *probes_part(uint32_t part)
{
	static const char *const words[] = { "other", "all", "core", "memory", "other" };

	return words[part < COUNT(words) ? part : 0];
}

const char *probes_form(uint32_t form)
{
	static const char *const words[] = { "instant", "instant", "average", "counter", "bits" };

	return words[form < COUNT(words) ? form : 0];
}

const char *probes_place_kind(uint32_t kind)
{
	static const char *const words[] = { "host", "device", "package", "host" };

	return words[kind < COUNT(words) ? kind : 0];
}
