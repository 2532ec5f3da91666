/* SPDX-License-Identifier: Apache-2.0 */
#include "kit.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char simulated_prefix[] = "TEST ";

kit_place *kit_add_place(kit *k, uint32_t kind, const char *id, const char *name)
{
	kit_place *places = realloc(k->places, (k->place_count + 1) * sizeof(*places));
	kit_place *p;

	if (places == NULL)
		return NULL;
	k->places = places;
	p = &places[k->place_count++];
	memset(p, 0, sizeof(*p));
	p->info.struct_size = sizeof(p->info);
	p->info.kind = kind;
	(void)snprintf(p->info.id, sizeof(p->info.id), "%s", id);
	(void)snprintf(p->info.name, sizeof(p->info.name), "%s", name);
	if (strncmp(name, simulated_prefix, strlen(simulated_prefix)) == 0)
		p->info.flags |= EH_PLACE_SIMULATED;
	return p;
}

kit_channel *kit_add_channel(kit *k, kit_place *p, const kit_channel *what)
{
	kit_channel *list = realloc(p->channels, (p->info.channel_count + 1) * sizeof(*list));
	kit_channel *c;

	(void)k;
	if (list == NULL)
		return NULL;
	p->channels = list;
	c = &list[p->info.channel_count++];
	*c = *what;
	c->info.struct_size = sizeof(c->info);
	return c;
}

void kit_try(const kit *k, kit_channel *c)
{
	eh_reading reading = { .time_ns = k->host->now_ns(k->host->ctx) };
	eh_error error = { .struct_size = sizeof(error) };
	eh_status status = c->read(c, &reading, &error);

	/* What may pass is tried again at every reading. */
	if (status == EH_OK || status == EH_E_DEVICE || status == EH_E_TIMEOUT)
		return;
	c->info.status = status;
	(void)snprintf(c->info.reason, sizeof(c->info.reason), "%.*s",
	               (int)sizeof(c->info.reason) - 1, error.message);
}

void kit_note(kit *k, const char *format, ...)
{
	size_t used = strlen(k->notes);
	va_list list;

	if (used + 2 >= sizeof(k->notes))
		return;
	if (used > 0)
		k->notes[used++] = '\n';
	va_start(list, format);
	(void)vsnprintf(k->notes + used, sizeof(k->notes) - used, format, list);
	va_end(list);
}

void kit_clear(kit *k)
{
	for (uint32_t p = 0; p < k->place_count; p++) {
		for (uint32_t c = 0; c < k->places[p].info.channel_count; c++)
			free(k->places[p].channels[c].owned);
		free(k->places[p].channels);
	}
	free(k->places);
	k->places = NULL;
	k->place_count = 0;
}

eh_status kit_fail(eh_error *error, eh_status code, const char *format, ...)
{
	va_list list;

	va_start(list, format);
	(void)eh_fail_list(error, code, "", 0, "", format, list);
	va_end(list);
	return code;
}

/* ---- a vendor's library -------------------------------------------------------------- */

void *kit_open(const char *what, const char *names, const char *chosen, const char *advice,
               eh_error *error)
{
	const char *list = chosen != NULL ? chosen : names, *at = list;
	char said[160] = "";

	while (*at != '\0') {
		/* A path chosen by the user may contain blanks. */
		size_t size = chosen != NULL ? strlen(at) : strcspn(at, " ");
		char name[256];
		void *library;
		const char *why;

		(void)snprintf(name, sizeof(name), "%.*s", (int)size, at);
		library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
		if (library != NULL)
			return library;
		why = dlerror();
		/* The linker's message adds nothing when the file is missing. */
		if (why != NULL && strstr(why, "No such file") == NULL)
			(void)snprintf(said, sizeof(said), ": %.150s", why);
		at += size + (at[size] == ' ');
	}
	(void)kit_fail(error, EH_E_UNAVAILABLE, "%s was not found (looked for %s%s): %s", what, list,
	               said, advice);
	return NULL;
}

bool kit_find(void *library, const char *names, void *slot, size_t size)
{
	void *symbol = NULL;

	while (symbol == NULL && *names != '\0') {
		size_t length = strcspn(names, "|");
		char name[96];

		(void)snprintf(name, sizeof(name), "%.*s", (int)length, names);
		symbol = dlsym(library, name);
		names += length + (names[length] == '|');
	}
	memcpy(slot, &symbol, size);
	return symbol != NULL;
}

/* ---- the slots ----------------------------------------------------------------------- */

void kit_notes(void *self, char *out, size_t size)
{
	const kit *k = self;

	if (size > 0)
		(void)snprintf(out, size, "%s", k->notes);
}

eh_status kit_place_count(void *self, uint32_t *count, eh_error *error)
{
	const kit *k = self;

	(void)error;
	*count = k->place_count;
	return EH_OK;
}

eh_status kit_place_info(void *self, uint32_t place, eh_place_info *info, eh_error *error)
{
	const kit *k = self;

	if (place >= k->place_count)
		return kit_fail(error, EH_E_INVALID_ARGUMENT, "there is no place %u: there are %u",
		                place, k->place_count);
	eh_give(info, &k->places[place].info,
	           sizeof(k->places[place].info));
	return EH_OK;
}

eh_status kit_channel_info(void *self, uint32_t place, uint32_t channel, eh_channel_info *info,
                           eh_error *error)
{
	const kit *k = self;

	if (place >= k->place_count || channel >= k->places[place].info.channel_count)
		return kit_fail(error, EH_E_INVALID_ARGUMENT, "there is no channel %u of place %u",
		                channel, place);
	eh_give(info, &k->places[place].channels[channel].info,
	           sizeof(eh_channel_info));
	return EH_OK;
}

eh_status kit_read(void *self, uint32_t place, eh_reading *readings, uint32_t count,
                   eh_error *error)
{
	const kit *k = self;
	eh_error first = { .struct_size = sizeof(first) };
	uint32_t wanted = 0, good = 0;

	if (place >= k->place_count || count > k->places[place].info.channel_count)
		return kit_fail(error, EH_E_INVALID_ARGUMENT, "there is no place %u with %u channels",
		                place, count);
	for (uint32_t i = 0; i < count; i++) {
		const kit_channel *c = &k->places[place].channels[i];
		eh_reading *r = &readings[i];
		eh_error own = { .struct_size = sizeof(own) };
		eh_status status;

		if (r->skip)
			continue;
		r->native = 0;
		r->count = 0;
		r->value = 0;
		r->time_ns = k->host->now_ns(k->host->ctx);
		status = c->info.status;
		if (status != EH_OK)
			(void)kit_fail(&own, status, "%s", c->info.reason);
		else
			status = c->read(c, r, &own);
		__atomic_store_n(&r->status, status, __ATOMIC_RELEASE);
		wanted++;
		good += status == EH_OK;
		if (status != EH_OK && first.code == EH_OK) {
			first = own;
			first.code = status;
		}
	}
	if (wanted == 0 || good > 0)
		return EH_OK;
	return kit_fail(error, first.code, "%s", first.message);
}
