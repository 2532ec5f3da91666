/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/conformance_probe.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/text.h"
#include "plugin/object_file.h"
#include "plugin/probes.h"

#define ROUNDS 5
#define PAUSE_NS UINT64_C(20000000)
/* A sampled sensor may be read this long after it was asked for. */
#define SLOW_NS UINT64_C(1000000000)

typedef struct suite {
	probes_one p;
	char reason[400];
} suite;

__attribute__((format(printf, 2, 3)))
static enum conformance_outcome fail(suite *s, const char *format, ...)
{
	va_list list;

	va_start(list, format);
	(void)vsnprintf(s->reason, sizeof(s->reason), format, list);
	va_end(list);
	return CONFORMANCE_FAIL;
}

static bool spelled(const char *name, const char *letters)
{
	return name[0] != '\0' && name[strspn(name, letters)] == '\0';
}

#define SMALL "abcdefghijklmnopqrstuvwxyz0123456789"
#define ANY SMALL "ABCDEFGHIJKLMNOPQRSTUVWXYZ"

/* ---- the tests --------------------------------------------------------------------------------- */

static enum conformance_outcome check_places(suite *s)
{
	for (uint32_t i = 0; i < s->p.place_count; i++) {
		const eh_place_info *info = &s->p.places[i].info;

		if (!spelled(info->id, ANY "._:-"))
			return fail(s, "place %u has the id '%s'", i, info->id);
		for (uint32_t j = 0; j < i; j++)
			if (strcmp(s->p.places[j].info.id, info->id) == 0)
				return fail(s, "two places are called '%s'", info->id);
		if (info->kind < EH_PLACE_DEVICE || info->kind > EH_PLACE_HOST)
			return fail(s, "place %s is of kind %u", info->id, info->kind);
		if (info->name[0] == '\0')
			return fail(s, "place %s has no name", info->id);
		if (info->kind == EH_PLACE_DEVICE && info->pci[0] == '\0' && info->uuid[0] == '\0')
			return fail(s, "place %s is a device with neither PCI address nor UUID, so it is of "
			            "no executor", info->id);
	}
	return CONFORMANCE_PASS;
}

static enum conformance_outcome check_beyond(suite *s)
{
	eh_place_info place = { .struct_size = sizeof(place) };
	eh_channel_info channel = { .struct_size = sizeof(channel) };
	eh_reading reading = { .status = EH_READING_NONE };

	if (s->p.ops->place_info(s->p.self, s->p.place_count, &place, NULL) != EH_E_INVALID_ARGUMENT)
		return fail(s, "place_info accepts the index %u of %u", s->p.place_count,
		            s->p.place_count);
	if (s->p.ops->channel_info(s->p.self, s->p.place_count, 0, &channel, NULL) !=
	    EH_E_INVALID_ARGUMENT)
		return fail(s, "channel_info accepts a place beyond the last");
	if (s->p.ops->read(s->p.self, s->p.place_count, &reading, 1, NULL) != EH_E_INVALID_ARGUMENT)
		return fail(s, "read accepts a place beyond the last");
	return CONFORMANCE_PASS;
}

static const char *wanted_unit(const eh_channel_info *c)
{
	static const char *const units[] = { [EH_CHANNEL_POWER] = "W", [EH_CHANNEL_ENERGY] = "uJ",
		[EH_CHANNEL_CLOCK] = "MHz", [EH_CHANNEL_TEMPERATURE] = "C",
		[EH_CHANNEL_MEMORY] = "bytes", [EH_CHANNEL_USERS] = "processes",
		[EH_CHANNEL_OTHER] = NULL };

	if (c->form == EH_FORM_BITS)
		return "";
	if (c->kind == EH_CHANNEL_UTILISATION)
		return c->form == EH_FORM_COUNTER ? "ns" : "%";
	return c->kind <= EH_CHANNEL_OTHER ? units[c->kind] : NULL;
}

static enum conformance_outcome check_channel(suite *s, const probe_place *p, uint32_t index)
{
	const eh_channel_info *c = &p->channels[index];
	const char *unit = wanted_unit(c);

	if (!spelled(c->name, SMALL ".-"))
		return fail(s, "%s: channel %u is called '%s'", p->info.id, index, c->name);
	for (uint32_t j = 0; j < index; j++)
		if (strcmp(p->channels[j].name, c->name) == 0)
			return fail(s, "%s: two channels are called '%s'", p->info.id, c->name);
	if (c->kind < EH_CHANNEL_POWER || c->kind > EH_CHANNEL_OTHER || c->part < EH_PART_ALL ||
	    c->part > EH_PART_OTHER || c->form < EH_FORM_INSTANT || c->form > EH_FORM_BITS)
		return fail(s, "%s: channel %s has kind %u, part %u, form %u", p->info.id, c->name, c->kind,
		            c->part, c->form);
	if (unit != NULL && strcmp(unit, c->unit) != 0)
		return fail(s, "%s: channel %s is in '%s', not in '%s'", p->info.id, c->name, c->unit, unit);
	if (c->kind == EH_CHANNEL_ENERGY && c->form != EH_FORM_COUNTER)
		return fail(s, "%s: the energy %s is no counter", p->info.id, c->name);
	if (c->form == EH_FORM_BITS && c->bit_count == 0)
		return fail(s, "%s: the bits of %s have no names", p->info.id, c->name);
	for (uint32_t b = 0; b < c->bit_count; b++)
		if (c->bits[b].mask == 0 || c->bits[b].name == NULL || c->bits[b].meaning == NULL)
			return fail(s, "%s: bit %u of %s lacks mask, name or meaning", p->info.id, b, c->name);
	return CONFORMANCE_PASS;
}

static enum conformance_outcome check_channels(suite *s)
{
	for (uint32_t i = 0; i < s->p.place_count; i++)
		for (uint32_t c = 0; c < s->p.places[i].info.channel_count; c++)
			if (check_channel(s, &s->p.places[i], c) != CONFORMANCE_PASS)
				return CONFORMANCE_FAIL;
	return CONFORMANCE_PASS;
}

static enum conformance_outcome check_reasons(suite *s)
{
	for (uint32_t i = 0; i < s->p.place_count; i++)
		for (uint32_t c = 0; c < s->p.places[i].info.channel_count; c++) {
			const eh_channel_info *info = &s->p.places[i].channels[c];

			if (info->status != EH_OK && info->reason[0] == '\0')
				return fail(s, "%s: channel %s cannot be read and does not say why",
				            s->p.places[i].info.id, info->name);
		}
	return CONFORMANCE_PASS;
}

static enum conformance_outcome check_skip(suite *s)
{
	for (uint32_t i = 0; i < s->p.place_count; i++) {
		uint32_t count = s->p.places[i].info.channel_count;
		eh_reading *r = memory_get((count + 1) * sizeof(*r));
		enum conformance_outcome outcome = CONFORMANCE_PASS;
		eh_status status;

		for (uint32_t c = 0; c < count; c++)
			r[c] = (eh_reading){ .status = EH_READING_NONE, .skip = 1 };
		status = s->p.ops->read(s->p.self, i, r, count, NULL);
		if (status != EH_OK)
			outcome = fail(s, "%s: read of nothing fails", s->p.places[i].info.id);
		for (uint32_t c = 0; c < count; c++)
			if (r[c].status != EH_READING_NONE || r[c].time_ns != 0)
				outcome = fail(s, "%s: channel %s was to be skipped and was written",
				               s->p.places[i].info.id, s->p.places[i].channels[c].name);
		free(r);
		if (outcome != CONFORMANCE_PASS)
			return outcome;
	}
	return CONFORMANCE_PASS;
}

/* One reading judged by itself and by the one before. */
static enum conformance_outcome judge(suite *s, const probe_place *p, uint32_t index,
                                      const eh_reading *now, const eh_reading *before,
                                      uint64_t asked_ns)
{
	const eh_channel_info *c = &p->channels[index];
	uint64_t answered = clock_now_ns();

	if (now->status == EH_READING_NONE)
		return fail(s, "%s: channel %s was left out", p->info.id, c->name);
	if (now->status > 0)
		return fail(s, "%s: channel %s has the status %d", p->info.id, c->name, now->status);
	if (now->status != EH_OK)
		return CONFORMANCE_PASS;
	if (now->time_ns < asked_ns || now->time_ns > answered)
		return fail(s, "%s: the time of channel %s is not between asking and answer", p->info.id,
		            c->name);
	if (!isfinite(now->value))
		return fail(s, "%s: channel %s is not finite", p->info.id, c->name);
	if (before->status != EH_OK)
		return CONFORMANCE_PASS;
	if (now->time_ns <= before->time_ns || now->native < before->native)
		return fail(s, "%s: the time of channel %s goes back", p->info.id, c->name);
	if (c->form == EH_FORM_COUNTER && now->count < before->count && c->wrap == 0)
		return fail(s, "%s: the counter %s goes back from %llu to %llu and does not wrap", p->info.id,
		            c->name, (unsigned long long)before->count, (unsigned long long)now->count);
	if (c->form == EH_FORM_COUNTER && c->wrap != 0 && now->count >= c->wrap)
		return fail(s, "%s: the counter %s is beyond its wrap", p->info.id, c->name);
	return CONFORMANCE_PASS;
}

static enum conformance_outcome check_reads(suite *s)
{
	enum conformance_outcome outcome = CONFORMANCE_PASS;

	for (uint32_t i = 0; i < s->p.place_count && outcome == CONFORMANCE_PASS; i++) {
		const probe_place *p = &s->p.places[i];
		uint32_t count = p->info.channel_count;
		eh_reading *now = memory_get((count + 1) * sizeof(*now));
		eh_reading *before = memory_get((count + 1) * sizeof(*before));

		for (int round = 0; round < ROUNDS && outcome == CONFORMANCE_PASS; round++) {
			uint64_t asked = clock_now_ns();

			for (uint32_t c = 0; c < count; c++) {
				now[c] = (eh_reading){ .status = EH_READING_NONE,
				                       .skip = p->channels[c].status != EH_OK };
				if (round == 0)
					before[c].status = EH_READING_NONE;
			}
			(void)s->p.ops->read(s->p.self, i, now, count, NULL);
			for (uint32_t c = 0; c < count && outcome == CONFORMANCE_PASS; c++)
				if (!now[c].skip)
					outcome = judge(s, p, c, &now[c], &before[c], asked);
			memcpy(before, now, count * sizeof(*now));
			clock_sleep_ns(PAUSE_NS);
		}
		free(before);
		free(now);
	}
	return outcome;
}

/* Channels that are read while a case is measured have to be quick. */
static enum conformance_outcome check_speed(suite *s)
{
	for (uint32_t i = 0; i < s->p.place_count; i++) {
		const probe_place *p = &s->p.places[i];
		eh_reading *r = memory_get((p->info.channel_count + 1) * sizeof(*r));
		uint64_t took = clock_now_ns();

		for (uint32_t c = 0; c < p->info.channel_count; c++)
			r[c].skip = p->channels[c].status != EH_OK || (p->channels[c].flags & EH_CHANNEL_RARE);
		(void)s->p.ops->read(s->p.self, i, r, p->info.channel_count, NULL);
		took = clock_now_ns() - took;
		free(r);
		if (took > SLOW_NS)
			return fail(s, "%s: one read takes %.1f s; mark slow channels EH_CHANNEL_RARE",
			            p->info.id, (double)took * 1e-9);
	}
	return CONFORMANCE_PASS;
}

static const conformance_test tests[] = {
	{ "probe/start", "the object is a probe that starts and describes its places and channels" },
	{ "place/identity", "places have unique ids, names, and devices a PCI address or UUID" },
	{ "place/beyond", "an index beyond the last is EH_E_INVALID_ARGUMENT" },
	{ "channel/well-formed", "channels have unique names, the unit of their kind, and named bits" },
	{ "channel/reason", "a channel that cannot be read says why" },
	{ "read/skip", "what is to be skipped is not touched" },
	{ "read/values", "times lie within the call and never go back, values are finite, counters "
	  "never go back but by their wrap" },
	{ "read/speed", "a read during a case is quick" },
};
static enum conformance_outcome (*const checks[])(suite *s) = {
	NULL, check_places, check_beyond, check_channels, check_reasons, check_skip, check_reads,
	check_speed,
};

bool conformance_is_probe(const char *path)
{
	size_t count;
	char *names = object_file_exports(path, &count);
	bool is = names != NULL && strstr(names, EH_PROBE_ENTRY_NAME) != NULL &&
	          strstr(names, "eh_backend_entry_v1") == NULL;

	free(names);
	return is;
}

size_t conformance_probe_tests(const conformance_test **out)
{
	*out = tests;
	return sizeof(tests) / sizeof(*tests);
}

static bool selected(size_t number, const char *only)
{
	return only == NULL || strstr(tests[number].name, only) != NULL;
}

eh_status conformance_probe_run(const char *path, size_t first, const char *only,
                                conformance_report report, void *context, eh_error *error)
{
	suite s = { .reason = "" };
	eh_error cause = ERROR_INIT;
	eh_status status = probes_start(&s.p, path, &cause);

	for (size_t i = first; i < sizeof(tests) / sizeof(*tests); i++) {
		enum conformance_outcome outcome = CONFORMANCE_PASS;

		if (!selected(i, only))
			continue;
		report(context, &tests[i], NULL, NULL);
		if (i == 0 && status != EH_OK) {
			outcome = status == EH_E_UNAVAILABLE ? CONFORMANCE_SKIP : CONFORMANCE_FAIL;
			(void)snprintf(s.reason, sizeof(s.reason), "%.390s", cause.message);
		} else if (status != EH_OK || (i > 1 && s.p.place_count == 0)) {
			outcome = CONFORMANCE_SKIP;
			(void)snprintf(s.reason, sizeof(s.reason), "not run: %s", status != EH_OK ?
			               "the probe does not start" : "it has no place here");
		} else if (checks[i] != NULL) {
			outcome = checks[i](&s);
		}
		report(context, &tests[i], &outcome, outcome != CONFORMANCE_PASS ? s.reason : NULL);
	}
	if (status == EH_OK && s.p.place_count == 0)
		status = error_set(&cause, EH_E_UNAVAILABLE, "none of its sensors is here");
	probes_stop(&s.p, false);
	if (status != EH_E_UNAVAILABLE)
		return EH_OK; /* what is wrong was told as a failed test */
	if (error != NULL)
		*error = cause;
	return status;
}
