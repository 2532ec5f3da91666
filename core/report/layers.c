/* SPDX-License-Identifier: Apache-2.0 */
/* The layers of an executor with their makers and owners, and which facts it discloses. */
#include "report/layers.h"

#include <stdlib.h>

#include "base/text.h"
#include "record/disclosure.h"
#include "record/redact.h"
#include "record/setting.h"
#include "report/figure.h"
#include "report/report.h"

#define LAYOUT_FILE "report/layers.def"
#define LAYOUT_NAME(name) layers_##name
#include "base/layout_tables.h"

static const char *shown(const char *word)
{
	return redact_is_mark(word) ? "(redacted)" : word;
}

char *layers_who(const char *maker, const char *owner)
{
	const char *m = text_or_empty(maker), *o = text_or_empty(owner);

	return memory_format("%s%s%s%s", m, m[0] != '\0' && o[0] != '\0' ? "; " : "",
	                     o[0] != '\0' ? "owner: " : "", shown(o));
}

static const char *word_or_dash(const char *word)
{
	return word != NULL && word[0] != '\0' ? shown(word) : "-";
}

static void add_layer(table *t, const record_layer *layer)
{
	char *version = setting_is(layer) ? setting_words(layer, NULL, NULL) :
	                memory_format("%.40s", text_or_empty(layer->version));

	table_row(t, (const char *const[]){ record_layer_kind_word(layer->layer), layer->name, version,
	                                    word_or_dash(layer->maker), word_or_dash(layer->owner),
	                                    record_source_word(layer->source) });
	free(version);
}

bool report_layers(FILE *out, const record_executor *record)
{
	table *t = table_new("lnwnnl");
	bool ok;

	table_head(t, (const char *const[]){ "layer", "name", "version", "maker", "owner", "source" });
	table_rule(t);
	for (size_t i = 0; i < record->layers.count; i++)
		if (disclosure_is_stack(&record->layers.items[i]))
			add_layer(t, &record->layers.items[i]);
	ok = table_print(t, out);
	table_free(t);
	return ok;
}

void layers_find_facts(const record_executor *record, const record_who *who, layers_facts *out)
{
	const disclosure_field *fields;
	size_t count = disclosure_fields(&fields);

	text_set(&out->executor, record->name);
	for (size_t i = 0; i < count; i++) {
		layers_fact *fact = layout_append(layers_fact_layout(), &out->fields);
		disclosure found;

		fact->disclosed = disclosure_find(record, who, &fields[i], &found);
		text_set(&fact->field, fields[i].name);
		text_set(&fact->source, record_source_word(found.source));
		text_set(&fact->value, found.value);
		fact->certified = fields[i].certified;
		text_set(&fact->site_key, fields[i].site_key);
		text_set(&fact->remedy, fields[i].remedy);
	}
}

static void add_fact(table *t, const layers_fact *fact)
{
	char *value = fact->disclosed ? memory_format("%.60s", fact->value) :
	              fact->site_key == NULL ? memory_text("") :
	              memory_format("(site file: %s = ...)", fact->site_key);

	table_row(t, (const char *const[]){ fact->field, fact->source,
	                                    fact->certified ? "required" : "", value });
	if (!fact->disclosed)
		table_paint(t, 1, fact->certified ? COLOUR_RED : COLOUR_YELLOW);
	free(value);
}

bool report_facts(FILE *out, const layers_facts *facts)
{
	table *t = table_new("nllw");
	size_t missing = 0;
	bool ok;

	table_head(t, (const char *const[]){ "field", "source", "certified", "value" });
	table_rule(t);
	for (size_t i = 0; i < facts->fields.count; i++) {
		const layers_fact *fact = &facts->fields.items[i];

		missing += fact->certified && !fact->disclosed;
		add_fact(t, fact);
	}
	ok = table_print(t, out);
	table_free(t);
	return ok && fprintf(out, "%zu of the facts that a certified protocol requires %s missing\n",
	                     missing, missing == 1 ? "is" : "are") >= 0;
}
