/* SPDX-License-Identifier: Apache-2.0 */
#include "protocol/schema.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/ini.h"
#include "base/text.h"

#define MS 1e6
#define SECONDS 1e9
#define HOURS 3600e9
#define MOST_CACHE 17179869184.0 /* 16 GiB */
#define IN(field) offsetof(protocol, field)
#define OF(field) offsetof(record_settings, field)

const schema_scale schema_scales[PROTOCOL_SCALES] = {
	[PROTOCOL_CACHE] = { " x llc", EH_PARAM_BYTES, UINT64_C(32) << 20, "the size of its last-level cache",
	                     "--cache SIZE", "cache-unknown" },
	[PROTOCOL_UNITS] = { " x units", EH_PARAM_UINT, 64, "the number of its compute units", "--units N",
	                     "units-unknown" },
};

const schema_key schema_protocol[] = {
	{ "name", SCHEMA_WORD, IN(name), NULL, 0, 0, NULL, false },
	{ "version", SCHEMA_UINT, IN(version), NULL, 1, 1e6, NULL, false },
	{ "intent", SCHEMA_TEXT, IN(intent), NULL, 0, 0, NULL, false },
	{ "compatible", SCHEMA_NAMES, IN(compatible), "", 0, 0, NULL, false },
	{ "executions", SCHEMA_UINT, IN(executions), "5", 1, SCHEMA_EXECUTIONS_MOST, NULL, false },
	{ "seed", SCHEMA_UINT, IN(seed), "1", 0, 9007199254740992.0, NULL, false },
	{ "interleave", SCHEMA_YES_NO, IN(interleave), "yes", 0, 0, NULL, false },
	{ "canary", SCHEMA_YES_NO, IN(canary), "yes", 0, 0, NULL, false },
	{ "level", SCHEMA_CHOICE, IN(level), "standard", 0, 0, record_level_words, false },
	{ "requires", SCHEMA_TEXT, IN(requires), "", 0, 0, NULL, false },
	{ "executions-max", SCHEMA_UINT, IN(executions_max), "0", 0, SCHEMA_EXECUTIONS_MOST, NULL, false },
	{ "design", SCHEMA_CHOICE, IN(design), "sequence", 0, 0, record_design_kind_words, false },
	{ "cache-unknown", SCHEMA_BYTES, IN(scales[PROTOCOL_CACHE].unknown), "0", 0, MOST_CACHE, NULL,
	  false },
	{ "units-unknown", SCHEMA_UINT, IN(scales[PROTOCOL_UNITS].unknown), "0", 0, SCHEMA_UNITS_MOST, NULL, false },
	{ "budget", SCHEMA_TIME, IN(budget_ns), "0s", 0, 24 * HOURS, NULL, false },
	{ .key = NULL },
};

const schema_key schema_measure[] = {
	{ "warmup-min", SCHEMA_TIME, OF(warmup_min_ns), "50ms", 0, HOURS, NULL, false },
	{ "warmup-max", SCHEMA_TIME, OF(warmup_max_ns), "2s", 0, HOURS, NULL, false },
	{ "samples-min", SCHEMA_UINT, OF(samples_min), "30", 6, 1e6, NULL, false },
	{ "samples-max", SCHEMA_UINT, OF(samples_max), "10000", 6, 1e6, NULL, false },
	{ "time-min", SCHEMA_TIME, OF(time_min_ns), "500ms", 0, HOURS, NULL, false },
	{ "time-max", SCHEMA_TIME, OF(time_max_ns), "5s", MS, HOURS, NULL, false },
	{ "half-width", SCHEMA_RATIO, OF(half_width), "1%", 1e-5, 1, NULL, false },
	{ "confidence", SCHEMA_RATIO, OF(confidence), "95%", 0.5, 0.9999, NULL, false },
	{ "margin", SCHEMA_RATIO, OF(margin), "1%", 1e-5, 1, NULL, false },
	{ "proof", SCHEMA_TIME, OF(proof_ns), "100ms", MS, HOURS, NULL, false },
	{ "timeout", SCHEMA_TIME, OF(timeout_ns), "120s", SECONDS, 24 * HOURS, NULL, false },
	{ "tune-budget", SCHEMA_TIME, OF(tune_budget_ns), "10s", MS, HOURS, NULL, false },
	{ "clock", SCHEMA_CHOICE, OF(clock), "device", 0, 0, record_clock_words, false },
	{ "cache", SCHEMA_CHOICE, OF(cache), "warm", 0, 0, record_cache_state_words, false },
	{ "regime", SCHEMA_CHOICE, OF(regime), "burst", 0, 0, record_regime_words, false },
	{ "statistic", SCHEMA_CHOICE, OF(statistic), "median", 0, 0, record_statistic_words,
	  true },
	{ "repeats", SCHEMA_UINT, OF(repeats), "1", 0, 10, NULL, true },
	{ "telemetry", SCHEMA_TIME, OF(telemetry_ns), "100ms", 0, 60 * SECONDS, NULL, true },
	{ "turn", SCHEMA_TIME, OF(turn_ns), "0s", 0, 60 * SECONDS, NULL, true },
	{ "input-data", SCHEMA_CHOICE, OF(input_data), "standard", 0, 0,
	  record_distribution_words, true },
	{ "sustain-time", SCHEMA_TIME, OF(sustain_time_ns), "60s", SECONDS, 24 * HOURS, NULL,
	  true },
	{ "sustain-window", SCHEMA_TIME, OF(sustain_window_ns), "1s", 10 * MS, HOURS, NULL,
	  true },
	{ "sustain-entry", SCHEMA_TIME, OF(sustain_entry_ns), "0s", 0, HOURS, NULL, true },
	{ "scenario", SCHEMA_CHOICE, OF(scenario), "none", 0, 0, record_scenario_kind_words,
	  true },
	{ "load-rate", SCHEMA_UINT, OF(load_rate), "0", 0, 1e9, NULL, true },
	{ "load-requests", SCHEMA_UINT, OF(load_requests), "0", 0, 1e6, NULL, true },
	{ "load-concurrency", SCHEMA_UINT, OF(load_concurrency), "1", 1, 256, NULL, true },
	{ "load-slo", SCHEMA_TIME, OF(load_slo_ns), "0s", 0, HOURS, NULL, true },
	{ .key = NULL },
};

/* ---- words ----------------------------------------------------------------------------------- */

void schema_words_free(char **words)
{
	if (words == NULL)
		return;
	for (char **word = words; *word != NULL; word++)
		free(*word);
	free(words);
}

char **schema_words(const char *list, char separator)
{
	size_t count = 1, n = 0;
	char **words;

	for (const char *p = list; *p != '\0'; p++)
		count += *p == separator;
	words = memory_get((count + 1) * sizeof(*words));
	for (;;) {
		const char *end = strchr(list, separator);
		const char *stop = end != NULL ? end : list + strlen(list);

		while (list < stop && (*list == ' ' || *list == '\t'))
			list++;
		while (stop > list && (stop[-1] == ' ' || stop[-1] == '\t'))
			stop--;
		words[n++] = memory_format("%.*s", (int)(stop - list), list);
		if (stop == list) {
			schema_words_free(words);
			return NULL;
		}
		if (end == NULL)
			return words;
		list = end + 1;
	}
}

const schema_key *schema_find(const schema_key *keys, const char *key)
{
	for (; keys->key != NULL; keys++)
		if (strcmp(keys->key, key) == 0)
			return keys;
	return NULL;
}

/* ---- setting --------------------------------------------------------------------------------- */

static bool is_name(const char *s, size_t size)
{
	if (size == 0 || size > 40 || s[0] < 'a' || s[0] > 'z')
		return false;
	for (size_t i = 1; i < size; i++)
		if (!(s[i] >= 'a' && s[i] <= 'z') && !(s[i] >= '0' && s[i] <= '9') && s[i] != '-')
			return false;
	return true;
}

static eh_status set_names(const schema_key *key, const char *value, char ***out,
                           const char *source, int line, eh_error *error)
{
	char **names = value[0] != '\0' ? schema_words(value, ',') : memory_get(sizeof(*names));

	for (size_t i = 0; names != NULL && names[i] != NULL; i++) {
		const char *at = strchr(names[i], '@');
		uint64_t version;

		if (at == NULL || !is_name(names[i], (size_t)(at - names[i])) || at[1] == '0' ||
		    !text_parse_uint(at + 1, &version)) {
			schema_words_free(names);
			names = NULL;
			break;
		}
		for (size_t j = 0; j < i; j++)
			if (strcmp(names[i], names[j]) == 0) {
				schema_words_free(names);
				return ini_refuse(source, line, error, "%s names one protocol twice",
				                    key->key);
			}
	}
	if (names == NULL)
		return ini_refuse(source, line, error, "%s is a list such as stream@1, stream@2",
		                    key->key);
	schema_words_free(*out);
	*out = names;
	return EH_OK;
}

static bool parse_ratio(const char *value, double *out)
{
	size_t size = strlen(value);
	char copy[32];
	double number;

	if (size == 0 || size >= sizeof(copy))
		return false;
	memcpy(copy, value, size + 1);
	if (copy[size - 1] == '%')
		copy[size - 1] = '\0';
	if (!text_parse_double(copy, &number))
		return false;
	*out = value[size - 1] == '%' ? number / 100 : number;
	return true;
}

static void describe_range(const schema_key *key, char out[80])
{
	char low[32], high[32];

	if (key->type == SCHEMA_TIME) {
		text_format_duration((uint64_t)key->low, low);
		text_format_duration((uint64_t)key->high, high);
	} else if (key->type == SCHEMA_BYTES) {
		text_format_bytes((uint64_t)key->low, low);
		text_format_bytes((uint64_t)key->high, high);
	} else {
		snprintf(low, sizeof(low), "%.16g", key->low);
		snprintf(high, sizeof(high), "%.16g", key->high);
	}
	snprintf(out, 80, "%s to %s", low, high);
}

static eh_status set_number(const schema_key *key, const char *value, void *field,
                            const char *source, int line, eh_error *error)
{
	static const char *const examples[] = {
		[SCHEMA_UINT] = "a whole number", [SCHEMA_BYTES] = "a size such as 256MiB", [SCHEMA_TIME] = "a time such as 20ms, 1.5s or 500us",
		[SCHEMA_RATIO] = "a share such as 1% or 0.01",
	};
	uint64_t whole = 0;
	double number = 0;
	char range[80];
	bool read, within;

	describe_range(key, range);
	if (key->type == SCHEMA_RATIO) {
		read = parse_ratio(value, &number);
		within = number >= key->low && number <= key->high;
	} else {
		read = key->type == SCHEMA_UINT ? text_parse_uint(value, &whole) :
		       key->type == SCHEMA_BYTES ? text_parse_bytes(value, &whole)
		                                 : text_parse_duration(value, &whole);
		within = whole >= (uint64_t)key->low && whole <= (uint64_t)key->high;
	}
	if (!read)
		return ini_refuse(source, line, error, "%s is %s (%s), not '%.40s'", key->key,
		                    examples[key->type], range, value);
	if (!within)
		return ini_refuse(source, line, error, "%s = %.40s is out of range: it is %s", key->key,
		                    value, range);
	if (key->type == SCHEMA_RATIO)
		memcpy(field, &number, sizeof(number));
	else
		memcpy(field, &whole, sizeof(whole));
	return EH_OK;
}

static eh_status set_choice(const schema_key *key, const char *value, void *field,
                            const char *source, int line, eh_error *error)
{
	const layout_words *known = key->words();
	int chosen = layout_word_value(known, value, strlen(value));
	const char **words, *near;
	text list = { 0 };
	eh_status status;

	memcpy(field, &chosen, sizeof(chosen));
	if (chosen != 0)
		return EH_OK;
	words = memory_get(known->count * sizeof(*words));
	for (size_t i = 0; i < known->count; i++) {
		words[i] = known->items[i].word;
		text_add(&list, "%s%s", i > 0 ? "|" : "", words[i]);
	}
	near = text_nearest(value, words, known->count);
	status = ini_refuse(source, line, error, "%s is %s, not '%.40s'%s%s%s", key->key, list.data,
	                    value, near != NULL ? "; did you mean '" : "", near != NULL ? near : "",
	                    near != NULL ? "'?" : "");
	text_free(&list);
	free(words);
	return status;
}

eh_status schema_set(const schema_key *key, const char *value, void *object, const char *source,
                     int line, eh_error *error)
{
	void *field = (char *)object + key->offset;
	bool yes = strcmp(value, "yes") == 0;

	switch (key->type) {
	case SCHEMA_WORD:
		if (!is_name(value, strlen(value)))
			return ini_refuse(source, line, error, "%s begins with a letter and is made of "
			                    "a-z, 0-9 and '-', at most 40, not '%.40s'", key->key, value);
		/* fall through */
	case SCHEMA_TEXT:
		free(*(char **)field);
		*(char **)field = memory_text(value);
		return EH_OK;
	case SCHEMA_NAMES:
		return set_names(key, value, field, source, line, error);
	case SCHEMA_YES_NO:
		if (!yes && strcmp(value, "no") != 0)
			return ini_refuse(source, line, error, "%s is yes or no, not '%.40s'", key->key,
			                    value);
		memcpy(field, &yes, sizeof(yes));
		return EH_OK;
	case SCHEMA_CHOICE:
		return set_choice(key, value, field, source, line, error);
	default:
		return set_number(key, value, field, source, line, error);
	}
}

void schema_set_standards(const schema_key *keys, void *object)
{
	for (; keys->key != NULL; keys++)
		if (keys->standard != NULL && schema_set(keys, keys->standard, object, "", 0, NULL) != EH_OK)
			abort(); /* a default that its own table refuses */
}

void schema_omit_standards(record_settings *m)
{
	record_settings standard, absent;

	layout_init(record_settings_layout(), &standard);
	layout_init(record_settings_layout(), &absent);
	schema_set_standards(schema_measure, &standard);
	for (const schema_key *key = schema_measure; key->key != NULL; key++) {
		size_t size = key->type == SCHEMA_CHOICE ? sizeof(int) : sizeof(uint64_t);
		char *field = (char *)m + key->offset;

		if (key->appended && memcmp(field, (char *)&standard + key->offset, size) == 0)
			memcpy(field, (char *)&absent + key->offset, size);
	}
}

/* ---- showing --------------------------------------------------------------------------------- */

char *schema_text(const schema_key *key, const void *object)
{
	const void *field = (const char *)object + key->offset;
	char *const *names;
	text t = { 0 };
	char out[32];
	int choice;

	switch (key->type) {
	case SCHEMA_WORD:
	case SCHEMA_TEXT:
		return memory_text(*(char *const *)field);
	case SCHEMA_NAMES:
		text_add(&t, "%s", "");
		for (names = *(char **const *)field; *names != NULL; names++)
			text_add(&t, "%s%s", t.size > 0 ? ", " : "", *names);
		return t.data;
	case SCHEMA_UINT:
		return memory_format("%llu", (unsigned long long)*(const uint64_t *)field);
	case SCHEMA_BYTES:
		text_format_bytes(*(const uint64_t *)field, out);
		return memory_text(out);
	case SCHEMA_TIME:
		text_format_duration(*(const uint64_t *)field, out);
		return memory_text(out);
	case SCHEMA_RATIO:
		return memory_format("%.10g%%", *(const double *)field * 100);
	case SCHEMA_YES_NO:
		return memory_text(*(const bool *)field ? "yes" : "no");
	default:
		memcpy(&choice, field, sizeof(choice));
		return memory_text(layout_word_of(key->words(), choice));
	}
}
