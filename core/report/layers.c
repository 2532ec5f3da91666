/* SPDX-License-Identifier: Apache-2.0 */
/* The layers of an executor with their owners, and which facts it discloses. */
#include "report/layers.h"

#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/text.h"
#include "record/disclosure.h"
#include "report/figure.h"
#include "report/report.h"

bool report_layers(FILE *out, const cJSON *record)
{
	table *t = table_new("lllll");
	const cJSON *layer;
	bool ok;

	table_row(t, (const char *const[]){ "layer", "name", "version", "owner", "source" });
	table_rule(t);
	cJSON_ArrayForEach(layer, json_path(record, "layers")) {
		const char *kind = json_string(layer, "layer", ""), *owner = json_string(layer, "owner", "");
		const char *role = json_string(json_path(layer, "fields.role"), "value", "stack");
		char *version;

		/* Kernels and workloads are measured, not measured on. */
		if (strcmp(kind, "mapped-object") == 0 && strcmp(role, "stack") != 0)
			continue;
		version = memory_format("%.40s", json_string(layer, "version", ""));
		table_row(t, (const char *const[]){ kind, json_string(layer, "name", ""), version,
		                                    owner[0] != '\0' ? owner : "-",
		                                    json_string(layer, "source", "") });
		free(version);
	}
	ok = table_print(t, out);
	table_free(t);
	return ok;
}

bool report_fields(FILE *out, const cJSON *record, const cJSON *who)
{
	table *t = table_new("llll");
	const disclosure_field *fields;
	size_t count = disclosure_fields(&fields), missing = 0;
	bool ok;

	table_row(t, (const char *const[]){ "field", "source", "certified", "value" });
	table_rule(t);
	for (size_t i = 0; i < count; i++) {
		disclosure found;
		bool there = disclosure_find(record, who, &fields[i], &found);
		char *value = there ? memory_format("%.60s", found.value) :
		              fields[i].site_key == NULL ? memory_text("") :
		              memory_format("(site file: %s = ...)", fields[i].site_key);

		missing += fields[i].certified && !there;
		table_row(t, (const char *const[]){ fields[i].name, found.source,
		                                    fields[i].certified ? "required" : "", value });
		if (!there && figure_colours(out))
			table_paint(t, 1, fields[i].certified ? COLOUR_RED : COLOUR_YELLOW);
		free(value);
	}
	ok = table_print(t, out);
	table_free(t);
	return ok && fprintf(out, "%zu of the facts that a certified protocol requires %s missing\n",
	                     missing, missing == 1 ? "is" : "are") >= 0;
}

cJSON *report_fields_json(const cJSON *record, const cJSON *who)
{
	cJSON *list = cJSON_CreateArray();
	const disclosure_field *fields;
	size_t count = disclosure_fields(&fields);

	for (size_t i = 0; i < count; i++) {
		cJSON *item = cJSON_CreateObject();
		disclosure found;

		json_add_bool(item, "disclosed", disclosure_find(record, who, &fields[i], &found));
		json_add_string(item, "field", fields[i].name);
		json_add_string(item, "source", found.source);
		json_add_string(item, "value", found.value);
		json_add_bool(item, "certified", fields[i].certified);
		if (fields[i].site_key != NULL)
			json_add_string(item, "site_key", fields[i].site_key);
		json_add_string(item, "remedy", fields[i].remedy);
		cJSON_AddItemToArray(list, item);
	}
	return list;
}
