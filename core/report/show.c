/* SPDX-License-Identifier: Apache-2.0 */
/* One result in all detail: who measured what on which stack, then its cases. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "record/setting.h"
#include "report/explain.h"
#include "report/figure.h"
#include "report/layers.h"
#include "report/report.h"

/* ---- the run --------------------------------------------------------------------------------- */

static char *pilot_words(const record_pilot *pilot)
{
	if (pilot == NULL || pilot->executions == 0)
		return memory_text("");
	return memory_format(" (a pilot of %llu planned them%s)",
	                     (unsigned long long)pilot->executions,
	                     pilot->reached ? "" : "; too few for its half-width");
}

static bool show_run(FILE *out, const record_run *run, enum record_completeness status)
{
	const record_executions *e = &run->executions;
	uint64_t planned = e->planned != LAYOUT_NO_UINT ? e->planned : e->declared;
	char *pilot = pilot_words(e->pilot);
	bool ok = table_item(out, 0, "run", "%s, %s to %s, %llu of %llu executions%s, %s", run->id,
	                     run->started, run->ended[0] != '\0' ? run->ended : "?",
	                     (unsigned long long)e->done, (unsigned long long)planned, pilot,
	                     status == RECORD_COMPLETE ? "complete" : "INCOMPLETE");

	free(pilot);
	return ok;
}

static bool show_who(FILE *out, const record_who *who)
{
	return table_item(out, 0, "who", "%s%s%s%s%s, %s",
	                  who->tester[0] != '\0' ? who->tester : "tester not named",
	                  who->party[0] != '\0' ? ", " : "", who->party,
	                  who->sponsor[0] != '\0' ? ", sponsored by " : "", who->sponsor,
	                  who->verified ? "verified" : "not verified");
}

static bool show_head(FILE *out, const result *r)
{
	const record_result *record = r->record;
	const record_harness *harness = &record->harness;
	const char *device = record->executor.device.name;

	return table_item(out, 0, "executor", "%s%s, %s", record->executor.name,
	                  record->executor.simulated ? " (simulated)" : "",
	                  device != NULL ? device : "device unknown") &&
	       table_item(out, 0, "protocol", "%s@%llu, digest %.12s", record->protocol.name,
	                  (unsigned long long)record->protocol.version, record->protocol.digest) &&
	       show_run(out, &record->run, record->status) &&
	       table_item(out, 0, "harness", "evenhand %s, commit %.12s%s, ABI %s",
	                  harness->version, harness->commit, harness->dirty ? " (dirty)" : "",
	                  harness->abi) &&
	       show_who(out, &record->who);
}

static bool show_deviations(FILE *out, const text_list *deviations)
{
	bool ok = true;

	for (size_t i = 0; i < deviations->count && ok; i++)
		ok = table_item(out, 0, "deviation", "%s", deviations->items[i]);
	return ok;
}

/* ---- the stack ------------------------------------------------------------------------------- */

static const char *layer_label(enum record_layer_kind kind)
{
	return kind == RECORD_LAYER_OPERATING_SYSTEM ? "system" :
	       kind == RECORD_LAYER_MAPPED_OBJECT ? "mapped" :
	       kind == RECORD_LAYER_CONFIGURATION ? "settings" : record_layer_kind_word(kind);
}

static void add_layer(text *t, const record_layer *layer)
{
	const char *version = text_or_empty(layer->version);
	bool variable = setting_is(layer) && !setting_is_file(layer);
	char *value = variable ? setting_words(layer, NULL, NULL) : memory_text(version);

	text_add(t, "%s%s%s%s%s", t->size > 0 ? ", " : "", layer->name,
	         variable ? "=" : value[0] != '\0' ? " " : "", value,
	         layer->source == RECORD_SOURCE_UNAVAILABLE ? " (unavailable)" : "");
	free(value);
}

static bool show_fact(FILE *out, const record_field *fact)
{
	char *value = scalar_text(&fact->value);
	const char *source = record_source_word(fact->source);
	bool ok = value[0] == '\0' ? table_item(out, 2, "", "%s: %s", fact->name, source) :
	          table_item(out, 2, "", "%s: %s (%s)", fact->name, value, source);

	free(value);
	return ok;
}

static bool show_layer(FILE *out, const record_layer *layer)
{
	const char *path = text_or_empty(layer->path);
	char *owner = layers_who(layer->maker, layer->owner);
	text t = { 0 };
	bool ok;

	add_layer(&t, layer);
	if (owner[0] != '\0')
		text_add(&t, " [%s]", owner);
	if (path[0] != '\0')
		text_add(&t, " %s %.12s", path, text_or_empty(layer->sha256));
	ok = table_item(out, 0, layer_label(layer->layer), "%s", t.data);
	for (size_t i = 0; i < layer->fields.count && ok; i++)
		ok = show_fact(out, &layer->fields.items[i]);
	free(owner);
	text_free(&t);
	return ok;
}

static bool show_layers(FILE *out, const record_layer_list *layers)
{
	bool ok = true;

	for (size_t k = 1; k <= record_layer_kind_words()->count; k++)
		for (size_t i = 0; i < layers->count && ok; i++)
			if (layers->items[i].layer == (enum record_layer_kind)k)
				ok = show_layer(out, &layers->items[i]);
	return ok;
}

/* Why the device's clock was not used, or only for long samples. */
static bool show_clock(FILE *out, const record_instrument_list *instruments)
{
	char shortest[32];

	for (size_t i = 0; i < instruments->count; i++) {
		const record_instrument *one = &instruments->items[i];

		if (!one->device_time)
			return table_item(out, 0, "clock", "the host's: %s", one->device_time_reason);
		if (one->device_shortest_ns == LAYOUT_NO_UINT)
			continue;
		text_format_ns((double)one->device_shortest_ns, shortest);
		return table_item(out, 0, "clock", "the host's for samples below %s: the device's marks have "
		                  "the times of the commands beside them", shortest);
	}
	return true;
}

/* ---- the page -------------------------------------------------------------------------------- */

/* Everything about each case that is asked for. */
static bool show_cases(FILE *out, const result *r, const text_list *ids)
{
	bool ok = true;

	for (size_t i = 0; i < r->row_count && ok; i++) {
		if (ids->count > 0 && !text_list_has(ids, r->rows[i].id))
			continue;
		ok = fputc('\n', out) != EOF &&
		     report_explained(out, &(explain_subject){ .of = r, .row = &r->rows[i] });
		result_row_rest(r, &r->rows[i]);
	}
	return ok;
}

bool report_result(FILE *out, const result *r, const text_list *ids)
{
	return show_head(out, r) && show_layers(out, &r->record->executor.layers) &&
	       show_clock(out, &r->record->instruments) &&
	       show_deviations(out, &r->record->protocol.deviations) && show_cases(out, r, ids);
}
