/* SPDX-License-Identifier: Apache-2.0 */
#include "protocol/protocol.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/files.h"
#include "base/text.h"
#include "base/ini.h"
#include "protocol/load_check.h"
#include "protocol/schema.h"
#include "record/fields.h"
#include "stat/percentile.h"

#define CERTIFIED_EXECUTIONS 10

double protocol_statistic_quantile(enum record_statistic statistic)
{
	const percentile *p = percentile_find(record_statistic_word(statistic));

	return p != NULL ? p->quantile : statistic == RECORD_STATISTIC_QUARTILE ? 0.25 : 0.5;
}

uint64_t protocol_statistic_samples(enum record_statistic statistic)
{
	return protocol_statistic_quantile(statistic) <= 0.5 ? 1 :
	       percentile_least(protocol_statistic_quantile(statistic), PERCENTILE_CONFIDENCE);
}

/* ---- unknown keys ---------------------------------------------------------------------------- */

static eh_status refuse_key(const char *source, const ini_section *section,
                            const ini_setting *setting, const schema_key *keys,
                            eh_error *error)
{
	const char *candidates[64];
	size_t count = 0;
	const char *near;

	for (; keys->key != NULL && count < 64; keys++)
		candidates[count++] = keys->key;
	near = text_nearest(setting->key, candidates, count);
	if (near != NULL)
		return ini_refuse(source, setting->line, error,
		                    "there is no key '%s' in [%s]; did you mean '%s'?", setting->key,
		                    section->name, near);
	return ini_refuse(source, setting->line, error,
	                    "there is no key '%s' in [%s]; docs/protocol.md lists them",
	                    setting->key, section->name);
}

/* Only sentences for people may have other characters. */
static eh_status check_ascii(const char *source, const ini_setting *setting, eh_error *error)
{
	for (const char *p = setting->text; *p != '\0'; p++)
		if ((unsigned char)*p >= 0x80)
			return ini_refuse(source, setting->line, error, "the value of '%s' has a "
			                    "character that is not ASCII", setting->key);
	return EH_OK;
}

/* ---- [protocol] and [measure] ---------------------------------------------------------------- */

static eh_status read_keys(const char *source, const ini_section *section,
                           const schema_key *keys, void *object, eh_error *error)
{
	for (size_t i = 0; i < section->count; i++) {
		const ini_setting *setting = &section->settings[i];
		const schema_key *key = schema_find(keys, setting->key);
		eh_status status = EH_OK;

		if (key == NULL)
			return refuse_key(source, section, setting, keys, error);
		if (key->type != SCHEMA_TEXT)
			status = check_ascii(source, setting, error);
		if (status == EH_OK)
			status = schema_set(key, setting->text, object, source, setting->line, error);
		if (status != EH_OK)
			return status;
	}
	return EH_OK;
}

static eh_status check_required(const char *source, const ini_section *section,
                                const schema_key *keys, eh_error *error)
{
	for (; keys->key != NULL; keys++) {
		bool there = keys->standard != NULL;

		for (size_t i = 0; i < section->count; i++)
			there = there || strcmp(section->settings[i].key, keys->key) == 0;
		if (!there)
			return ini_refuse(source, section->line, error, "[%s] lacks the key '%s'",
			                    section->name, keys->key);
	}
	return EH_OK;
}

/* Whether regime and statistic fit the other keys. */
static eh_status check_regime(const char *source, int line, const char *name,
                              const record_settings *m, eh_error *error)
{
	uint64_t least = protocol_statistic_samples(m->statistic);

	if (m->regime == RECORD_REGIME_SUSTAINED && m->statistic != RECORD_STATISTIC_MEDIAN)
		return ini_refuse(source, line, error, "[%s]: regime = sustained merges its samples, so "
		                    "they have no percentiles; use statistic = median", name);
	if (m->regime == RECORD_REGIME_SUSTAINED && m->sustain_window_ns > m->sustain_time_ns)
		return ini_refuse(source, line, error, "[%s]: sustain-window is longer than "
		                    "sustain-time", name);
	if (m->regime == RECORD_REGIME_SUSTAINED && m->turn_ns != 0)
		return ini_refuse(source, line, error, "[%s]: regime = sustained takes no turns; leave turn "
		                  "out", name);
	if (m->samples_max < least)
		return ini_refuse(source, line, error, "[%s]: this statistic needs samples-max = %llu "
		                    "at least", name, (unsigned long long)least);
	return EH_OK;
}

/* Whether the keys fit together; line: of their section. */
static eh_status check_measure(const char *source, int line, const char *name,
                               const record_settings *m, bool tuned, eh_error *error)
{
	bool sustained = m->regime == RECORD_REGIME_SUSTAINED;
	eh_status status = check_regime(source, line, name, m, error);
	uint64_t least;
	double samples;

	if (status != EH_OK)
		return status;
	if (m->warmup_min_ns > m->warmup_max_ns)
		return ini_refuse(source, line, error, "[%s]: warmup-min is longer than warmup-max", name);
	if (m->time_min_ns > m->time_max_ns)
		return ini_refuse(source, line, error, "[%s]: time-min is longer than time-max", name);
	if (m->samples_min > m->samples_max)
		return ini_refuse(source, line, error, "[%s]: samples-min is more than samples-max", name);
	/* The interval from the least to the greatest of n samples holds the median with
	 * probability 1 - 2^(1-n); no other interval reaches a higher confidence. */
	samples = ceil(1 - log2(1 - m->confidence));
	if ((double)m->samples_min < samples)
		return ini_refuse(source, line, error, "[%s]: a confidence of %.10g%% needs samples-min "
		                    "= %.0f at least", name, m->confidence * 100, samples);
	least = m->warmup_max_ns + m->proof_ns + (tuned ? m->tune_budget_ns : 0) +
	        (sustained ? m->sustain_time_ns + m->sustain_entry_ns : m->time_max_ns);
	if (m->timeout_ns < least) {
		char needed[32];

		text_format_duration(least, needed);
		return ini_refuse(source, line, error, "[%s]: timeout is shorter than warmup-max, "
		                    "%s, proof%s together (%s)", name,
		                    sustained ? "sustain-entry, sustain-time" : "time-max",
		                    tuned ? " and tune-budget" : "", needed);
	}
	return load_check(source, line, name, m, tuned, error);
}

/* ---- [case NAME] ----------------------------------------------------------------------------- */

static eh_status refuse_tier(const char *source, int line, const char *word, eh_error *error)
{
	const char *known[] = { record_tier_word(RECORD_TIER_PORTABLE),
		                record_tier_word(RECORD_TIER_TUNED),
		                record_tier_word(RECORD_TIER_VENDOR) };
	const char *near = text_nearest(word, known, 3);

	return ini_refuse(source, line, error, "tier is portable, tuned or vendor, not '%.40s'%s%s%s", word,
	                  near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

static eh_status read_tiers(const char *source, const ini_setting *setting, record_tier_list *out,
                            eh_error *error)
{
	char **words = schema_words(setting->text, ',');
	eh_status status = EH_OK;

	if (words == NULL)
		return ini_refuse(source, setting->line, error,
		                  "the list of 'tier' has an empty item");
	for (size_t i = 0; words[i] != NULL && status == EH_OK; i++) {
		int tier = layout_word_value(record_tier_words(), words[i], strlen(words[i]));

		if (tier == 0)
			status = refuse_tier(source, setting->line, words[i], error);
		else if (word_list_has(out, tier))
			status = ini_refuse(source, setting->line, error, "'tier' lists %s twice", words[i]);
		word_list_add(out, tier);
	}
	schema_words_free(words);
	return status;
}

static eh_status read_case(const char *source, const ini_section *from,
                           const record_settings *standard, protocol_section *to, protocol *p,
                           eh_error *error)
{
	to->name = memory_text(from->name + strlen("case "));
	to->line = from->line;
	to->measure = *standard;
	to->settings = memory_get((from->count + 1) * sizeof(*to->settings));
	for (size_t i = 0; i < from->count; i++) {
		const ini_setting *setting = &from->settings[i];
		const schema_key *key = schema_find(schema_measure, setting->key);
		eh_status status = check_ascii(source, setting, error);

		if (status == EH_OK && key != NULL) {
			status = schema_set(key, setting->text, &to->measure, source, setting->line, error);
		} else if (status == EH_OK && strcmp(setting->key, "tier") == 0) {
			status = read_tiers(source, setting, &to->tiers, error);
		} else if (status == EH_OK && strcmp(setting->key, "workload") == 0) {
			to->workload = memory_text(setting->text);
		} else if (status == EH_OK) {
			if (strchr(setting->text, SCHEMA_SIZES) != NULL)
				p->sized = true;
			for (int scale = 0; scale < PROTOCOL_SCALES; scale++)
				if (strstr(setting->text, schema_scales[scale].behind) != NULL)
					p->scales[scale].used = true;
			to->settings[to->setting_count++] = (ini_setting){
				.key = memory_text(setting->key), .text = memory_text(setting->text),
				.line = setting->line,
			};
		}
		if (status != EH_OK)
			return status;
	}
	if (to->workload == NULL)
		return ini_refuse(source, from->line, error, "[%s] lacks the key 'workload'", from->name);
	if (to->tiers.count == 0)
		word_list_add(&to->tiers, RECORD_TIER_PORTABLE);
	return check_measure(source, from->line, from->name, &to->measure,
	                     word_list_has(&to->tiers, RECORD_TIER_TUNED), error);
}

/* ---- the whole ------------------------------------------------------------------------------- */

static const ini_section *section_named(const ini_text *l, const char *name)
{
	for (size_t i = 0; i < l->count; i++)
		if (strcmp(l->sections[i].name, name) == 0)
			return &l->sections[i];
	return NULL;
}

static bool is_case(const ini_section *section)
{
	return strncmp(section->name, "case ", 5) == 0;
}

static eh_status check_sections(const ini_text *l, eh_error *error)
{
	static const char *const known[] = { "protocol", "measure", "case" };
	size_t cases = 0;

	for (size_t i = 0; i < l->count; i++) {
		const ini_section *section = &l->sections[i];
		const char *near;

		cases += is_case(section);
		if (is_case(section) || strcmp(section->name, known[0]) == 0 ||
		    strcmp(section->name, known[1]) == 0)
			continue;
		if (strcmp(section->name, "case") == 0)
			return ini_refuse(l->source, section->line, error, "a case needs a name: [case NAME]");
		near = text_nearest(section->name, known, 3);
		return ini_refuse(l->source, section->line, error, "there is no section [%s]%s%s%s",
		                    section->name, near != NULL ? "; did you mean [" : "",
		                    near != NULL ? near : "", near != NULL ? "]?" : "");
	}
	if (section_named(l, "protocol") == NULL)
		return ini_refuse(l->source, 0, error, "there is no section [protocol]; is it a "
		                    "protocol?");
	if (cases == 0)
		return ini_refuse(l->source, 0, error, "there is no section [case NAME], so there is "
		                    "nothing to measure");
	return EH_OK;
}

/* Whether design and budget fit the other keys. */
static eh_status check_design(const ini_text *l, const protocol *p, eh_error *error)
{
	int line = section_named(l, "protocol")->line;

	if (p->design == RECORD_DESIGN_LOCKSTEP && p->executions_max != 0 && p->budget_ns == 0)
		return ini_refuse(l->source, line, error, "executions-max with design = lockstep needs a "
		                  "budget, which says how many there are");
	if (p->design != RECORD_DESIGN_LOCKSTEP && p->budget_ns != 0)
		return ini_refuse(l->source, line, error, "budget is kept by design = lockstep only");
	return EH_OK;
}

/* Whether level, executions and requires fit together. */
static eh_status check_level(const ini_text *l, const protocol *p, eh_error *error)
{
	int line = section_named(l, "protocol")->line;
	char **words = p->requires[0] != '\0' ? schema_words(p->requires, ',') : NULL;
	eh_status status = EH_OK;

	if (p->level == RECORD_LEVEL_CERTIFIED && p->executions < CERTIFIED_EXECUTIONS)
		status = ini_refuse(l->source, line, error, "level = certified needs executions = %d "
		                      "at least", CERTIFIED_EXECUTIONS);
	if (status == EH_OK && p->executions_max != 0 && p->executions_max < p->executions)
		status = ini_refuse(l->source, line, error, "executions-max = %llu is below "
		                    "executions = %llu, the size of the pilot",
		                    (unsigned long long)p->executions_max,
		                    (unsigned long long)p->executions);
	if (status == EH_OK && p->executions_max > p->executions && p->executions < 2)
		status = ini_refuse(l->source, line, error, "executions-max needs executions = 2 at "
		                    "least: one execution has no spread");
	if (status == EH_OK && words == NULL && p->requires[0] != '\0')
		status = ini_refuse(l->source, line, error,
		                    "the list of 'requires' has an empty item");
	for (size_t i = 0; words != NULL && words[i] != NULL && status == EH_OK; i++) {
		const char *near = disclosure_field_near(words[i]);

		if (disclosure_field_find(words[i]) == NULL)
			status = ini_refuse(l->source, line, error, "requires: there is no field '%.60s'%s%s%s",
			                      words[i], near != NULL ? "; did you mean '" :
			                      "; `evenhand devices --fields` lists them",
			                      near != NULL ? near : "", near != NULL ? "'?" : "");
		for (size_t k = 0; k < i && status == EH_OK; k++)
			if (strcmp(words[i], words[k]) == 0)
				status = ini_refuse(l->source, line, error, "requires names %.60s twice",
				                      words[i]);
	}
	schema_words_free(words);
	return status;
}

static eh_status read_sections(const ini_text *l, protocol *p, eh_error *error)
{
	const ini_section *head = section_named(l, "protocol");
	const ini_section *measure = section_named(l, "measure");
	eh_status status = read_keys(l->source, head, schema_protocol, p, error);

	if (status == EH_OK)
		status = check_required(l->source, head, schema_protocol, error);
	if (status == EH_OK)
		status = check_level(l, p, error);
	if (status == EH_OK)
		status = check_design(l, p, error);
	if (status == EH_OK && measure != NULL)
		status = read_keys(l->source, measure, schema_measure, &p->measure, error);
	if (status == EH_OK && measure != NULL)
		status = check_measure(l->source, measure->line, "measure", &p->measure, false, error);
	p->sections = memory_get(l->count * sizeof(*p->sections));
	for (size_t i = 0; i < l->count && status == EH_OK; i++)
		if (is_case(&l->sections[i]))
			status = read_case(l->source, &l->sections[i], &p->measure,
			                   &p->sections[p->section_count++], p, error);
	return status;
}

eh_status protocol_parse(const char *data, size_t size, const char *source, protocol **out,
                         eh_error *error)
{
	protocol *p;
	ini_text l;
	eh_status status = ini_read(data, size, source, &l, error);

	if (status != EH_OK)
		return status;
	status = check_sections(&l, error);
	if (status != EH_OK)
		goto undo_lines;
	p = memory_get(sizeof(*p));
	p->source = memory_text(source);
	p->text = memory_get(size + 1);
	if (size > 0)
		memcpy(p->text, data, size);
	schema_set_standards(schema_protocol, p);
	p->size_class = RECORD_SIZE_SMALL;
	schema_set_standards(schema_measure, &p->measure);
	status = read_sections(&l, p, error);
	for (int i = 0; i < PROTOCOL_SCALES; i++)
		protocol_take_scale(p, (enum protocol_scale)i, p->scales[i].unknown > 0 ?
		                    p->scales[i].unknown : schema_scales[i].standard);
	if (status == EH_OK)
		*out = p;
	else
		protocol_free(p);
undo_lines:
	ini_free(&l);
	return status;
}

eh_status protocol_read(const char *path, protocol **out, eh_error *error)
{
	char *data;
	size_t size;
	eh_status status = file_read(path, &data, &size, error);

	if (status != EH_OK)
		return status;
	status = protocol_parse(data, size, path, out, error);
	free(data);
	return status;
}

void protocol_take_size(protocol *p, enum record_size_class size_class)
{
	if (size_class != record_size_class_absent)
		p->size_class = size_class;
}

void protocol_take_scale(protocol *p, enum protocol_scale scale, uint64_t size)
{
	uint64_t rounded = 1;

	while (rounded < size && rounded <= UINT64_MAX / 2)
		rounded *= 2;
	if (size > 0 && size != LAYOUT_NO_UINT)
		p->scales[scale].size = rounded;
}

void protocol_take_plan(protocol *p, const record_plan *other)
{
	protocol_take_size(p, other->size_class);
	protocol_take_scale(p, PROTOCOL_CACHE, other->cache_bytes);
	protocol_take_scale(p, PROTOCOL_UNITS, other->compute_units);
}

void protocol_free(protocol *p)
{
	if (p == NULL)
		return;
	for (size_t i = 0; i < p->section_count; i++) {
		protocol_section *section = &p->sections[i];

		for (size_t j = 0; j < section->setting_count; j++) {
			free(section->settings[j].key);
			free(section->settings[j].text);
		}
		free(section->settings);
		free(section->name);
		free(section->workload);
		free(section->tiers.items);
	}
	free(p->sections);
	schema_words_free(p->compatible);
	free(p->intent);
	free(p->requires);
	free(p->name);
	free(p->text);
	free(p->source);
	free(p);
}
