/* SPDX-License-Identifier: Apache-2.0 */
#include "record/redact.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/digest.h"
#include "base/json.h"
#include "base/text.h"
#include "record/parts.h"

enum { SALT_SIZE = 32 };

/* ---- which members --------------------------------------------------------------------------- */

/* Names of fields that identify one machine rather than its kind. */
static bool identifies(const char *key)
{
	static const char *const words[] = { "uuid", "serial", "serial-number", "pci", "bus-id",
		                             "hostname", "host-name", "path", "mac", "asset-tag" };
	size_t size = strlen(key);
	size_t i;

	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		size_t word = strlen(words[i]);

		if (size >= word && strcmp(key + size - word, words[i]) == 0 &&
		    (size == word || key[size - word - 1] == '-'))
			return true;
	}
	return false;
}

typedef void visit(void *context, cJSON *leaf, const char *member);

static void visit_text(cJSON *object, const char *key, const char *above, visit *each,
                       void *context)
{
	cJSON *leaf = cJSON_GetObjectItemCaseSensitive(object, key);
	char *member;

	if (!cJSON_IsString(leaf) || leaf->valuestring[0] == '\0')
		return;
	member = memory_format("%s.%s", above, key);
	each(context, leaf, member);
	free(member);
}

static void visit_layer(cJSON *layer, const char *above, visit *each, void *context)
{
	cJSON *field;

	visit_text(layer, "path", above, each, context);
	cJSON_ArrayForEach(field, cJSON_GetObjectItemCaseSensitive(layer, "fields")) {
		char *place;

		if (!identifies(field->string) || strpbrk(field->string, ".[]") != NULL)
			continue;
		place = memory_format("%s.fields.%s", above, field->string);
		visit_text(field, "value", place, each, context);
		free(place);
	}
}

/* Visits every text of the section that may be redacted, or is. */
static void visit_section(cJSON *section, const char *name, visit *each, void *context)
{
	cJSON *layer;
	size_t index = 0;

	if (strcmp(name, "who") == 0) {
		visit_text(section, "tester", "who", each, context);
		visit_text(section, "sponsor", "who", each, context);
	} else if (strcmp(name, "executor") == 0) {
		cJSON *device = cJSON_GetObjectItemCaseSensitive(section, "device");

		visit_text(device, "uuid", "executor.device", each, context);
		visit_text(device, "pci", "executor.device", each, context);
		cJSON_ArrayForEach(layer, cJSON_GetObjectItemCaseSensitive(section, "layers")) {
			char *place = memory_format("executor.layers[%zu]", index++);

			visit_layer(layer, place, each, context);
			free(place);
		}
	}
}

static void visit_record(const cJSON *record, visit *each, void *context)
{
	visit_section(cJSON_GetObjectItemCaseSensitive(record, "who"), "who", each, context);
	visit_section(cJSON_GetObjectItemCaseSensitive(record, "executor"), "executor", each, context);
}

/* Whether the text is the mark of a redacted one. */
static bool is_mark(const char *value)
{
	size_t size = strlen(REDACT_MARK);

	return strncmp(value, REDACT_MARK, size) == 0 && strlen(value + size) == 64 &&
	       strspn(value + size, "0123456789abcdef") == 64;
}

/* ---- commitments ----------------------------------------------------------------------------- */

/* malloc'd mark of the text under the salt. */
static char *commit(const char *salt, const char *value)
{
	char *both = memory_format("%s:%s", salt, value);
	char hex[65];

	digest_bytes(both, strlen(both), hex);
	free(both);
	return memory_format("%s%s", REDACT_MARK, hex);
}

typedef struct salting { const char *secret; text_map *salts; } salting;

static void add_salt(void *context, cJSON *leaf, const char *member)
{
	salting *s = context;
	char *both;
	char hex[65];

	/* A text that looks like a mark gets no salt. */
	if (is_mark(leaf->valuestring))
		return;
	both = memory_format("%s:%s", s->secret, member);
	digest_bytes(both, strlen(both), hex);
	hex[SALT_SIZE] = '\0';
	text_map_add(s->salts, member, hex);
	free(both);
}

void redact_salt(cJSON *record, const char *secret, text_map *out)
{
	salting s = { secret, out };
	cJSON *salts = json_add_object(record, "salts");

	out->items = memory_get(sizeof(*out->items));
	visit_record(record, add_salt, &s);
	for (size_t i = 0; i < out->count; i++)
		json_add_string(salts, out->items[i].key, out->items[i].value);
}

static void put_commitment(void *context, cJSON *leaf, const char *member)
{
	const char *salt = json_string(context, member, NULL);
	char *mark;

	if (salt == NULL)
		return;
	mark = commit(salt, leaf->valuestring);
	(void)cJSON_SetValuestring(leaf, mark);
	free(mark);
}

cJSON *redact_committed(const cJSON *record, const char *section)
{
	cJSON *salts = cJSON_GetObjectItemCaseSensitive(record, "salts");
	cJSON *copy;

	if (salts == NULL || (strcmp(section, "who") != 0 && strcmp(section, "executor") != 0))
		return NULL;
	copy = cJSON_Duplicate(json_path(record, section), true);
	visit_section(copy, section, put_commitment, salts);
	return copy;
}

/* ---- redacting ------------------------------------------------------------------------------- */

typedef struct search { const char *member; cJSON *leaf; } search;

static void match(void *context, cJSON *leaf, const char *member)
{
	search *s = context;

	if (strcmp(member, s->member) == 0)
		s->leaf = leaf;
}

static bool may_be_redacted(const char *member)
{
	const char *dot = strrchr(member, '.');

	if (strcmp(member, "who.tester") == 0 || strcmp(member, "who.sponsor") == 0 ||
	    strcmp(member, "executor.device.uuid") == 0 || strcmp(member, "executor.device.pci") == 0)
		return true;
	if (strncmp(member, "executor.layers[", 16) != 0 || dot == NULL)
		return false;
	return strcmp(dot, ".path") == 0 || strcmp(dot, ".value") == 0;
}

/* The tree has the section and the salts at least. */
static eh_status redact_member(cJSON *record, const char *member, eh_error *error)
{
	cJSON *salts = cJSON_GetObjectItemCaseSensitive(record, "salts");
	const char *salt = json_string(salts, member, NULL);
	search s = { member, NULL };
	char *mark;

	if (salts == NULL)
		return error_set(error, EH_E_USAGE, "this result has no salts, so nothing can be "
		                 "redacted without breaking its digests; an evenhand without redaction "
		                 "wrote it");
	visit_record(record, match, &s);
	if (s.leaf != NULL && is_mark(s.leaf->valuestring) && salt == NULL)
		return error_set(error, EH_E_USAGE, "%s is already redacted", member);
	if (s.leaf == NULL || salt == NULL)
		return error_set(error, EH_E_USAGE, "%s is empty or absent, or identifies no "
		                 "machine: there is nothing to redact", member);
	mark = commit(salt, s.leaf->valuestring);
	cJSON_DeleteItemFromObjectCaseSensitive(salts, member);
	(void)cJSON_SetValuestring(s.leaf, mark);
	free(mark);
	return EH_OK;
}

/* Whether redacting the member changes this one of the whole: its section, or the salts. */
static bool changes(const char *key, const char *member)
{
	size_t size = strlen(key);

	return strcmp(key, "salts") == 0 || (strncmp(member, key, size) == 0 && member[size] == '.');
}

/* The tree of those members that redacting changes. */
static eh_status read_changing(const char *body, const result_parts *parts, const char *name,
                               const char *member, cJSON *out, eh_error *error)
{
	eh_status status = EH_OK;

	for (size_t i = 0; i < parts->member_count && status == EH_OK; i++) {
		const char *key = parts->members[i].name;
		cJSON *value;

		if (!changes(key, member))
			continue;
		status = json_parse_at(body, parts->members[i].value, 1, name, &value, error);
		if (status == EH_OK)
			json_set(out, key, value);
	}
	return status;
}

/* The text with the values of those members that the tree has. */
static void write_changed(const char *body, size_t size, const result_parts *parts,
                          const cJSON *tree, text *out)
{
	size_t from = 0;

	for (size_t i = 0; i < parts->member_count; i++) {
		const cJSON *value = cJSON_GetObjectItemCaseSensitive(tree, parts->members[i].name);
		json_span span = parts->members[i].value;
		char *line;

		if (value == NULL)
			continue;
		/* The span reaches to the comma; white space before it stays. */
		while (span.end > span.start && strchr(" \t\r\n", body[span.end - 1]) != NULL)
			span.end--;
		line = json_text(value, false);
		text_add_bytes(out, body + from, span.start - from);
		text_add_bytes(out, line, strlen(line));
		free(line);
		from = span.end;
	}
	text_add_bytes(out, body + from, size - from);
}

eh_status redact_text(const char *body, size_t size, const char *name, const char *member,
                      text *out, eh_error *error)
{
	cJSON *tree = cJSON_CreateObject();
	result_parts parts = { .member_count = 0 };
	eh_status status = EH_OK;

	if (!may_be_redacted(member))
		status = error_set(error, EH_E_USAGE, "%s cannot be redacted: only who.tester, "
		                   "who.sponsor, executor.device.uuid, executor.device.pci, and paths "
		                   "and identifiers within executor.layers can; samples and what a "
		                   "comparison needs cannot", member);
	else if (!parts_find(body, size, &parts))
		status = error_set(error, EH_E_FORMAT, "%s: this is not a result", name);
	if (status == EH_OK)
		status = read_changing(body, &parts, name, member, tree, error);
	if (status == EH_OK)
		status = redact_member(tree, member, error);
	if (status == EH_OK)
		write_changed(body, size, &parts, tree, out);
	parts_free(&parts);
	cJSON_Delete(tree);
	return status;
}

typedef struct listing { const cJSON *salts; text_list *out; } listing;

static void list_one(void *context, cJSON *leaf, const char *member)
{
	listing *l = context;

	if (is_mark(leaf->valuestring) && json_string(l->salts, member, NULL) == NULL)
		text_list_add(l->out, member);
}

void redact_list(const cJSON *record, text_list *out)
{
	listing l = { cJSON_GetObjectItemCaseSensitive(record, "salts"), out };

	visit_record(record, list_one, &l);
}

const char *redact_bad_salt(const cJSON *record)
{
	const cJSON *salt;

	cJSON_ArrayForEach(salt, cJSON_GetObjectItemCaseSensitive(record, "salts")) {
		search s = { salt->string, NULL };

		visit_record(record, match, &s);
		if (s.leaf == NULL || strlen(salt->valuestring) != SALT_SIZE ||
		    strspn(salt->valuestring, "0123456789abcdef") != SALT_SIZE)
			return salt->string;
	}
	return NULL;
}
