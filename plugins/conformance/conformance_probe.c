/* SPDX-License-Identifier: Apache-2.0 */
/* The suite of probes (docs/probes.md). */
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conformance_guard.h"
#include "conformance_kit.h"
#include "conformance_text.h"

#define ROUNDS 5
#define PAUSE_NS UINT64_C(20000000)
/* The longest time that one read during a case may take. */
#define SLOW_NS UINT64_C(1000000000)
/* No probe has more places, and no place more channels. */
#define MOST 1024

typedef struct place {
	eh_place_info info;
	eh_channel_info *channels; /* info.channel_count of them */
} place;

typedef struct suite {
	const eh_trial *trial;
	const char *name;          /* of the probe, once loaded */
	const eh_probe_ops *ops;   /* NULL = not started */
	void *self;
	place *places;
	uint32_t place_count;
	bool tried;
	eh_error start;            /* code EH_OK = started, and the lists were read */
	char reason[400];
} suite;

__attribute__((format(printf, 2, 3)))
static uint32_t fail(suite *s, const char *format, ...)
{
	va_list list;

	va_start(list, format);
	(void)vsnprintf(s->reason, sizeof(s->reason), format, list);
	va_end(list);
	return EH_TEST_FAIL;
}

static uint64_t now_ns(const suite *s)
{
	return s->trial->host->now_ns(s->trial->host->ctx);
}

static bool spelled(const char *name, const char *letters)
{
	return name[0] != '\0' && name[strspn(name, letters)] == '\0';
}

#define SMALL "abcdefghijklmnopqrstuvwxyz0123456789"
#define ANY SMALL "ABCDEFGHIJKLMNOPQRSTUVWXYZ"

/* ---- places and channels --------------------------------------------------------------------- */

static eh_status cannot(suite *s, const char *doing, eh_status status, const eh_error *cause)
{
	return kit_error(&s->start, status, "probe %s cannot %s: %.*s", s->name, doing,
	                 (int)sizeof(cause->message), cause->message);
}

#define ENDS(array) (memchr(array, '\0', sizeof(array)) != NULL)

static eh_status read_place(suite *s, place *p, uint32_t index)
{
	eh_error cause = { .struct_size = sizeof(cause) };
	eh_place_info *info = &p->info;
	eh_status status;

	info->struct_size = sizeof(*info);
	status = s->ops->place_info(s->self, index, info, &cause);
	if (status != EH_OK)
		return cannot(s, "describe a place", status, &cause);
	if (info->channel_count > MOST || !ENDS(info->id) || !ENDS(info->name) ||
	    !ENDS(info->pci) || !ENDS(info->uuid))
		return kit_error(&s->start, EH_E_INTERNAL,
		                 "place %u has %u channels, or a text that is not terminated",
		                 index, info->channel_count);
	p->channels = kit_memory(info->channel_count * sizeof(*p->channels));
	for (uint32_t c = 0; c < info->channel_count; c++) {
		eh_channel_info *channel = &p->channels[c];

		channel->struct_size = sizeof(*channel);
		status = s->ops->channel_info(s->self, index, c, channel, &cause);
		if (status != EH_OK)
			return cannot(s, "describe a channel", status, &cause);
		if (!ENDS(channel->name) || !ENDS(channel->unit) || !ENDS(channel->reason))
			return kit_error(&s->start, EH_E_INTERNAL,
			                 "channel %u of place %u has a text that is not terminated",
			                 c, index);
		if (channel->bits == NULL)
			channel->bit_count = 0;
	}
	return EH_OK;
}

static eh_status read_lists(suite *s)
{
	eh_error cause = { .struct_size = sizeof(cause) };
	uint32_t count = 0;
	eh_status status = s->ops->place_count(s->self, &count, &cause);

	if (status != EH_OK)
		return cannot(s, "count its places", status, &cause);
	if (count > MOST)
		return kit_error(&s->start, EH_E_INTERNAL, "it counts %u places", count);
	s->places = kit_memory(count * sizeof(*s->places));
	s->place_count = count;
	for (uint32_t i = 0; status == EH_OK && i < count; i++)
		status = read_place(s, &s->places[i], i);
	return status;
}

/* Loads and starts the probe and reads its lists; the reason of a failure is in s->start. */
static eh_status start(suite *s)
{
	eh_error cause = { .struct_size = sizeof(cause) };
	const eh_probe *probe = NULL;
	const eh_probe_ops *ops;
	eh_status status;

	guard_enter("loading the plugin");
	status = s->trial->load_probe(s->trial->ctx, &probe, &s->start);
	guard_leave("loading the plugin");
	if (status != EH_OK)
		return status;
	s->name = probe->name;
	ops = guard_probe(probe->ops);
	status = ops->start(s->trial->host, &s->self, &cause);
	if (status != EH_OK)
		return cannot(s, "start", status, &cause);
	s->ops = ops;
	return read_lists(s);
}

/* ---- the tests ------------------------------------------------------------------------------- */

static uint32_t check_text(suite *s, const char *slot, const char *field, const char *text,
                           size_t room)
{
	const char *fault = text_fault(text, room, 0);

	return fault == NULL ? EH_TEST_PASS : fail(s, "the %s that %s gave %s", field, slot, fault);
}

/* A text of any length. */
static uint32_t check_string(suite *s, const char *field, const char *text)
{
	return text != NULL ? check_text(s, "channel_info", field, text, strlen(text) + 1)
	                    : EH_TEST_PASS;
}

#define TEXT_OF(s, slot, object, name) \
	check_text(s, slot, #name, (object)->name, sizeof((object)->name))

static uint32_t check_channel_texts(suite *s, const eh_channel_info *c)
{
	uint32_t outcome = TEXT_OF(s, "channel_info", c, name) | TEXT_OF(s, "channel_info", c, unit) |
	                   TEXT_OF(s, "channel_info", c, reason);

	for (uint32_t b = 0; b < c->bit_count && outcome == EH_TEST_PASS; b++)
		outcome = check_string(s, "name of a bit", c->bits[b].name) |
		          check_string(s, "meaning of a bit", c->bits[b].meaning);
	return outcome;
}

static uint32_t check_texts(suite *s)
{
	uint32_t outcome = EH_TEST_PASS;

	for (uint32_t i = 0; i < s->place_count && outcome == EH_TEST_PASS; i++) {
		const eh_place_info *info = &s->places[i].info;

		outcome = TEXT_OF(s, "place_info", info, id) | TEXT_OF(s, "place_info", info, name) |
		          TEXT_OF(s, "place_info", info, pci) | TEXT_OF(s, "place_info", info, uuid);
		for (uint32_t c = 0; c < info->channel_count && outcome == EH_TEST_PASS; c++)
			outcome = check_channel_texts(s, &s->places[i].channels[c]);
	}
	return outcome;
}

static uint32_t check_places(suite *s)
{
	for (uint32_t i = 0; i < s->place_count; i++) {
		const eh_place_info *info = &s->places[i].info;

		if (!spelled(info->id, ANY "._:-"))
			return fail(s, "place %u has the id '%s'", i, info->id);
		for (uint32_t j = 0; j < i; j++)
			if (strcmp(s->places[j].info.id, info->id) == 0)
				return fail(s, "two places are called '%s'", info->id);
		if (info->kind < EH_PLACE_DEVICE || info->kind > EH_PLACE_HOST)
			return fail(s, "place %s is of kind %u", info->id, info->kind);
		if (info->name[0] == '\0')
			return fail(s, "place %s has no name", info->id);
		if (info->kind == EH_PLACE_DEVICE && info->pci[0] == '\0' && info->uuid[0] == '\0')
			return fail(s, "place %s is a device with neither PCI address nor UUID, so it is of "
			            "no executor", info->id);
	}
	return EH_TEST_PASS;
}

static uint32_t check_beyond(suite *s)
{
	eh_place_info info = { .struct_size = sizeof(info) };
	eh_channel_info channel = { .struct_size = sizeof(channel) };
	eh_reading reading = { .status = EH_READING_NONE };

	if (s->ops->place_info(s->self, s->place_count, &info, NULL) != EH_E_INVALID_ARGUMENT)
		return fail(s, "place_info accepts the index %u of %u", s->place_count,
		            s->place_count);
	if (s->ops->channel_info(s->self, s->place_count, 0, &channel, NULL) !=
	    EH_E_INVALID_ARGUMENT)
		return fail(s, "channel_info accepts a place beyond the last");
	if (s->ops->read(s->self, s->place_count, &reading, 1, NULL) != EH_E_INVALID_ARGUMENT)
		return fail(s, "read accepts a place beyond the last");
	return EH_TEST_PASS;
}

/* An error of an older header ends after its code. */
static uint32_t check_error_size(suite *s)
{
	enum { CANARY = 0x5a };
	union { eh_error error; unsigned char bytes[sizeof(eh_error)]; } u;
	eh_place_info info = { .struct_size = sizeof(info) };
	eh_status status;

	memset(&u, CANARY, sizeof(u));
	u.error.struct_size = offsetof(eh_error, native_code);
	status = s->ops->place_info(s->self, s->place_count, &info, &u.error);
	if (u.error.code != status)
		return fail(s, "place_info returned %d, but the error's code is %d", status, u.error.code);
	for (size_t i = offsetof(eh_error, native_code); i < sizeof(u); i++)
		if (u.bytes[i] != CANARY)
			return fail(s, "byte %zu of an error of %zu bytes was written", i,
			            offsetof(eh_error, native_code));
	return EH_TEST_PASS;
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

static uint32_t check_channel(suite *s, const place *p, uint32_t index)
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
	return EH_TEST_PASS;
}

static uint32_t check_channels(suite *s)
{
	for (uint32_t i = 0; i < s->place_count; i++)
		for (uint32_t c = 0; c < s->places[i].info.channel_count; c++)
			if (check_channel(s, &s->places[i], c) != EH_TEST_PASS)
				return EH_TEST_FAIL;
	return EH_TEST_PASS;
}

static uint32_t check_reasons(suite *s)
{
	for (uint32_t i = 0; i < s->place_count; i++)
		for (uint32_t c = 0; c < s->places[i].info.channel_count; c++) {
			const eh_channel_info *info = &s->places[i].channels[c];

			if (info->status != EH_OK && info->reason[0] == '\0')
				return fail(s, "%s: channel %s cannot be read and does not say why",
				            s->places[i].info.id, info->name);
		}
	return EH_TEST_PASS;
}

static uint32_t check_skip(suite *s)
{
	for (uint32_t i = 0; i < s->place_count; i++) {
		uint32_t count = s->places[i].info.channel_count;
		eh_reading *r = kit_memory((count + 1) * sizeof(*r));
		uint32_t outcome = EH_TEST_PASS;
		eh_status status;

		for (uint32_t c = 0; c < count; c++)
			r[c] = (eh_reading){ .status = EH_READING_NONE, .skip = 1 };
		status = s->ops->read(s->self, i, r, count, NULL);
		if (status != EH_OK)
			outcome = fail(s, "%s: read of nothing fails", s->places[i].info.id);
		for (uint32_t c = 0; c < count; c++)
			if (r[c].status != EH_READING_NONE || r[c].time_ns != 0)
				outcome = fail(s, "%s: channel %s was to be skipped and was written",
				               s->places[i].info.id, s->places[i].channels[c].name);
		free(r);
		if (outcome != EH_TEST_PASS)
			return outcome;
	}
	return EH_TEST_PASS;
}

/* Checks one reading, alone and against the one before it. */
static uint32_t judge(suite *s, const place *p, uint32_t index,
                                      const eh_reading *now, const eh_reading *before,
                                      uint64_t asked_ns)
{
	const eh_channel_info *c = &p->channels[index];
	uint64_t answered = now_ns(s);

	if (now->status == EH_READING_NONE)
		return fail(s, "%s: channel %s was left out", p->info.id, c->name);
	if (now->status > 0)
		return fail(s, "%s: channel %s has the status %d", p->info.id, c->name, now->status);
	if (now->status != EH_OK)
		return EH_TEST_PASS;
	if (now->time_ns < asked_ns || now->time_ns > answered)
		return fail(s, "%s: the time of channel %s is not between asking and answer", p->info.id,
		            c->name);
	if (!isfinite(now->value))
		return fail(s, "%s: channel %s is not finite", p->info.id, c->name);
	if (before->status != EH_OK)
		return EH_TEST_PASS;
	if (now->time_ns <= before->time_ns || now->native < before->native)
		return fail(s, "%s: the time of channel %s goes back", p->info.id, c->name);
	if (c->form == EH_FORM_COUNTER && now->count < before->count && c->wrap == 0)
		return fail(s, "%s: the counter %s goes back from %llu to %llu and does not wrap", p->info.id,
		            c->name, (unsigned long long)before->count, (unsigned long long)now->count);
	if (c->form == EH_FORM_COUNTER && c->wrap != 0 && now->count >= c->wrap)
		return fail(s, "%s: the counter %s is beyond its wrap", p->info.id, c->name);
	return EH_TEST_PASS;
}

static uint32_t check_reads(suite *s)
{
	uint32_t outcome = EH_TEST_PASS;

	for (uint32_t i = 0; i < s->place_count && outcome == EH_TEST_PASS; i++) {
		const place *p = &s->places[i];
		uint32_t count = p->info.channel_count;
		eh_reading *now = kit_memory((count + 1) * sizeof(*now));
		eh_reading *before = kit_memory((count + 1) * sizeof(*before));

		for (int round = 0; round < ROUNDS && outcome == EH_TEST_PASS; round++) {
			uint64_t asked = now_ns(s);

			for (uint32_t c = 0; c < count; c++) {
				now[c] = (eh_reading){ .status = EH_READING_NONE,
				                       .skip = p->channels[c].status != EH_OK };
				if (round == 0)
					before[c].status = EH_READING_NONE;
			}
			(void)s->ops->read(s->self, i, now, count, NULL);
			for (uint32_t c = 0; c < count && outcome == EH_TEST_PASS; c++)
				if (!now[c].skip)
					outcome = judge(s, p, c, &now[c], &before[c], asked);
			memcpy(before, now, count * sizeof(*now));
			kit_sleep(PAUSE_NS);
		}
		free(before);
		free(now);
	}
	return outcome;
}

static uint32_t check_speed(suite *s)
{
	for (uint32_t i = 0; i < s->place_count; i++) {
		const place *p = &s->places[i];
		eh_reading *r = kit_memory((p->info.channel_count + 1) * sizeof(*r));
		uint64_t took = now_ns(s);

		for (uint32_t c = 0; c < p->info.channel_count; c++)
			r[c].skip = p->channels[c].status != EH_OK || (p->channels[c].flags & EH_CHANNEL_RARE);
		(void)s->ops->read(s->self, i, r, p->info.channel_count, NULL);
		took = now_ns(s) - took;
		free(r);
		if (took > SLOW_NS)
			return fail(s, "%s: one read takes %.1f s; mark slow channels EH_CHANNEL_RARE",
			            p->info.id, (double)took * 1e-9);
	}
	return EH_TEST_PASS;
}

static const eh_test tests[] = {
	{ "probe/start", "the object is a probe that starts and describes its places and channels" },
	{ "place/identity", "places have unique ids, names, and devices a PCI address or UUID" },
	{ "place/texts", "every text is UTF-8, without control characters" },
	{ "place/beyond", "an index beyond the last is EH_E_INVALID_ARGUMENT" },
	{ "error/struct-size", "nothing is written beyond the error's struct_size" },
	{ "channel/well-formed", "channels have unique names, the unit of their kind, and named bits" },
	{ "channel/reason", "a channel that cannot be read says why" },
	{ "read/skip", "a channel to be skipped is not touched" },
	{ "read/values", "times lie within the call and never go back, values are finite, counters "
	  "only go back when they wrap" },
	{ "read/speed", "a read during a case is quick" },
};
static uint32_t (*const checks[])(suite *s) = {
	NULL, check_places, check_texts, check_beyond, check_error_size, check_channels,
	check_reasons, check_skip, check_reads, check_speed,
};

#define TEST_COUNT (sizeof(tests) / sizeof(tests[0]))

static uint32_t selects(uint32_t test, uint32_t device, const char *part)
{
	(void)device; /* a probe has places, not devices */
	return test < TEST_COUNT && (part == NULL || strstr(tests[test].name, part) != NULL);
}

static eh_status begin(const eh_trial *trial, void **self, eh_error *error)
{
	suite *s = kit_memory(sizeof(*s));

	(void)error;
	s->trial = trial;
	guard_begin(trial);
	kit_error_clear(&s->start);
	*self = s;
	return EH_OK;
}

static void prepare(void *self, uint32_t test)
{
	suite *s = self;

	(void)test;
	if (!s->tried)
		s->start.code = start(s);
	s->tried = true;
}

static uint32_t run_test(suite *s, uint32_t test, const char **reason)
{
	*reason = s->reason;
	if (checks[test] == NULL && s->start.code != EH_OK) {
		(void)snprintf(s->reason, sizeof(s->reason), "%s", s->start.message);
		return s->start.code == EH_E_UNAVAILABLE ? EH_TEST_SKIP : EH_TEST_FAIL;
	}
	if (s->start.code != EH_OK) {
		*reason = "not run: the probe does not start";
		return EH_TEST_SKIP;
	}
	if (test > 1 && s->place_count == 0) {
		*reason = "not run: it has no place here";
		return EH_TEST_SKIP;
	}
	return checks[test] != NULL ? checks[test](s) : EH_TEST_PASS;
}

/* What a call left behind is the cause of what a test saw. */
static uint32_t run(void *self, uint32_t test, const char **reason)
{
	const uint32_t outcome = run_test(self, test, reason);
	const char *trouble = guard_trouble();

	if (trouble == NULL)
		return outcome;
	*reason = ((suite *)self)->reason;
	return fail(self, "%s", trouble);
}

static eh_status end(void *self, eh_error *error)
{
	suite *s = self;
	const char *trouble;
	eh_status status = EH_OK;

	if (s->start.code == EH_E_UNAVAILABLE)
		status = kit_error(error, EH_E_UNAVAILABLE, "%s", s->start.message);
	else if (s->start.code == EH_OK && s->place_count == 0)
		status = kit_error(error, EH_E_UNAVAILABLE, "none of its sensors is here");
	if (s->ops != NULL)
		s->ops->stop(s->self);
	trouble = guard_trouble();
	if (trouble != NULL)
		status = kit_error(error, EH_E_INTERNAL, "%s", trouble);
	for (uint32_t i = 0; i < s->place_count; i++)
		free(s->places[i].channels);
	free(s->places);
	free(s);
	return status;
}

const eh_suite conformance_probe_suite = {
	.struct_size = sizeof(conformance_probe_suite),
	.test_count = TEST_COUNT,
	.tests = tests,
	.selects = selects,
	.begin = begin,
	.prepare = prepare,
	.run = run,
	.end = end,
};
