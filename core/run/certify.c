/* SPDX-License-Identifier: Apache-2.0 */
#include "run/certify.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "executor/executor.h"
#include "protocol/schema.h"
#include "record/disclosure.h"
#include "run/survey.h"

#define LEAST_EXECUTIONS 10 /* as of a certified protocol */

static size_t miss(const record_executor *record, const record_who *who,
                   const disclosure_field *field, text *out)
{
	disclosure found;

	if (disclosure_find(record, who, field, &found))
		return 0;
	text_add(out, "%s: %s is not disclosed: %s", record->name, field->name, field->remedy);
	if (field->site_key != NULL)
		text_add(out, "; or declare it: %s = ... in the site file", field->site_key);
	text_add(out, "\n");
	return 1;
}

static bool is_named(const record_layer *layer)
{
	return text_or_empty(layer->maker)[0] != '\0' || text_or_empty(layer->owner)[0] != '\0';
}

static size_t unnamed(const record_executor *record, text *out)
{
	size_t count = 0;

	for (size_t i = 0; i < record->layers.count; i++) {
		const record_layer *layer = &record->layers.items[i];

		if (is_named(layer) ||
		    (layer->layer != RECORD_LAYER_DRIVER && layer->layer != RECORD_LAYER_RUNTIME &&
		     layer->layer != RECORD_LAYER_COMPILER))
			continue;
		text_add(out, "%s: nobody is named for the layer %s %s: name its maker or its team, in a "
		         "[maker NAME] or [owner NAME] section of the site file\n", record->name,
		         record_layer_kind_word(layer->layer), layer->name);
		count++;
	}
	return count;
}

/* Obstacles that no disclosure removes. */
static size_t forbidden(const record_executor *record, const record_harness *harness, text *out)
{
	size_t count = 0;

	if (harness->dirty) {
		text_add(out, "%s: this evenhand was built from a changed or unknown tree and "
		         "cannot be built again: build it from a commit\n", record->name);
		count++;
	}
	if (record->simulated) {
		text_add(out, "%s: the device is simulated: certify on hardware\n", record->name);
		count++;
	}
	return count + unnamed(record, out);
}

/* Facts of `requires`, and for level = certified the required ones. */
static size_t missing(const protocol *p, const record_executor *record, const record_who *who,
                      text *out)
{
	char **asked = p->requires[0] != '\0' ? schema_words(p->requires, ',') : NULL;
	const disclosure_field *all;
	size_t total = disclosure_fields(&all), count = 0;

	for (size_t i = 0; i < total; i++) {
		bool wanted = p->level == RECORD_LEVEL_CERTIFIED && all[i].certified;

		for (size_t k = 0; asked != NULL && asked[k] != NULL; k++)
			wanted = wanted || strcmp(asked[k], all[i].name) == 0;
		if (wanted)
			count += miss(record, who, &all[i], out);
	}
	schema_words_free(asked);
	return count;
}

size_t certify_record(const protocol *p, const record_executor *record, const record_who *who,
                      const record_harness *harness, text *out)
{
	size_t count = p->level == RECORD_LEVEL_CERTIFIED ? forbidden(record, harness, out) : 0;

	return count + missing(p, record, who, out);
}

static void tell(const char *lines)
{
	while (*lines != '\0') {
		size_t size = strcspn(lines, "\n");

		log_write(EH_LOG_ERROR, "%.*s", (int)size, lines);
		lines += size + (lines[size] == '\n');
	}
}

/* Describes every executor of the manifest and collects the obstacles. */
static eh_status check_all(const manifest *m, text *lines, size_t *count, eh_error *error)
{
	record_who who;
	record_harness harness;
	eh_status status;

	layout_init(record_who_layout(), &who);
	layout_init(record_harness_layout(), &harness);
	status = manifest_who(m, &who, error);
	executor_program(&harness);
	for (size_t i = 0; i < m->executor_count && status == EH_OK; i++) {
		record_executor *record = NULL;

		status = survey_executor(m->plugins[i], m->indices[i], m->executors[i],
		                         (const char *const *)m->options, &record, error);
		if (status == EH_OK)
			*count += certify_record(m->protocol, record, &who, &harness, lines);
		layout_free(record_executor_layout(), record);
	}
	layout_clear(record_harness_layout(), &harness);
	layout_clear(record_who_layout(), &who);
	return status;
}

eh_status certify_check(const manifest *m, eh_error *error)
{
	const protocol *p = m->protocol;
	bool certified = p->level == RECORD_LEVEL_CERTIFIED;
	text lines = { 0 };
	size_t count = 0;
	eh_status status;

	if (!certified && p->requires[0] == '\0')
		return EH_OK;
	if (certified && m->executions < LEAST_EXECUTIONS)
		return error_set(error, EH_E_USAGE, "%s is certified and needs at least %d executions; "
		                 "run it without --executions", p->name, LEAST_EXECUTIONS);
	status = check_all(m, &lines, &count, error);
	if (lines.data != NULL)
		tell(lines.data);
	text_free(&lines);
	if (status == EH_OK && count > 0)
		status = error_set(error, EH_E_UNAVAILABLE, "nothing was measured: %s %s; %zu requirement%s not met "
		                   "(above); `evenhand site template` shows what a site file can declare",
		                   p->name, certified ? "is certified" : "requires disclosure", count,
		                   count == 1 ? " is" : "s are");
	return status;
}
