/* SPDX-License-Identifier: Apache-2.0 */
#include "record/redact.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/digest.h"
#include "base/text.h"
#include "record/parts.h"
#include "record/setting.h"

enum { SALT_SIZE = 32 };

/* ---- which members --------------------------------------------------------------------------- */

/* Whether the field identifies one machine rather than its kind.  Values of settings may: paths,
 * names. */
static bool identifies(const record_layer *layer, const char *key)
{
	static const char *const words[] = { "uuid", "serial", "serial-number", "pci", "bus-id",
		                             "hostname", "host-name", "path", "mac", "asset-tag" };
	size_t size = strlen(key);
	size_t i;

	if (setting_is(layer) && strcmp(key, "value") == 0)
		return true;
	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		size_t word = strlen(words[i]);

		if (size >= word && strcmp(key + size - word, words[i]) == 0 &&
		    (size == word || key[size - word - 1] == '-'))
			return true;
	}
	return false;
}

typedef void visit(void *context, char **leaf, const char *member);

static void visit_text(char **leaf, const char *above, const char *key, visit *each, void *context)
{
	char *member;

	if (*leaf == NULL || **leaf == '\0')
		return;
	member = memory_format("%s.%s", above, key);
	each(context, leaf, member);
	free(member);
}

static void visit_layer(record_layer *layer, const char *above, visit *each, void *context)
{
	visit_text(&layer->path, above, "path", each, context);
	visit_text(&layer->owner, above, "owner", each, context);
	for (size_t i = 0; i < layer->fields.count; i++) {
		record_field *field = &layer->fields.items[i];
		char *place;

		if (!identifies(layer, field->name) || strpbrk(field->name, ".[]") != NULL)
			continue;
		place = memory_format("%s.fields.%s", above, field->name);
		visit_text(&field->value.text, place, "value", each, context);
		free(place);
	}
}

/* Visits every text of the record that may be redacted, or is. */
static void visit_record(record_result *r, visit *each, void *context)
{
	visit_text(&r->who.tester, "who", "tester", each, context);
	visit_text(&r->who.sponsor, "who", "sponsor", each, context);
	visit_text(&r->executor.device.uuid, "executor.device", "uuid", each, context);
	visit_text(&r->executor.device.pci, "executor.device", "pci", each, context);
	for (size_t i = 0; i < r->executor.layers.count; i++) {
		char *place = memory_format("executor.layers[%zu]", i);

		visit_layer(&r->executor.layers.items[i], place, each, context);
		free(place);
	}
}

bool redact_is_mark(const char *value)
{
	size_t size = strlen(REDACT_MARK);

	return strncmp(value, REDACT_MARK, size) == 0 && strlen(value + size) == 64 &&
	       strspn(value + size, "0123456789abcdef") == 64;
}

/* ---- salts ----------------------------------------------------------------------------------- */

/* The salts in the order of their members: a hostile file may have as many as texts. */
typedef struct salt_index { const text_pair **sorted; size_t count; } salt_index;

static int by_member(const void *a, const void *b)
{
	const text_pair *const *x = a, *const *y = b;

	return strcmp((*x)->key, (*y)->key);
}

/* The index borrows the salts; `sorted` is malloc'd. */
static salt_index index_salts(const text_map *salts)
{
	salt_index index = { memory_get(salts->count * sizeof(*index.sorted)), salts->count };

	for (size_t i = 0; i < index.count; i++)
		index.sorted[i] = &salts->items[i];
	qsort(index.sorted, index.count, sizeof(*index.sorted), by_member);
	return index;
}

/* NULL when the member has no salt. */
static const text_pair *find_salt(const salt_index *index, const char *member)
{
	const text_pair wanted = { .key = (char *)member }, *key = &wanted;
	const text_pair **found = bsearch(&key, index->sorted, index->count, sizeof(*index->sorted),
	                                  by_member);

	return found != NULL ? *found : NULL;
}

/* ---- commitments ----------------------------------------------------------------------------- */

/* malloc'd: the mark with the commitment to the text under the salt. */
static char *commit(const char *salt, const char *value)
{
	char *both = memory_format("%s:%s", salt, value);
	char hex[65];

	digest_bytes(both, strlen(both), hex);
	free(both);
	return memory_format("%s%s", REDACT_MARK, hex);
}

typedef struct salting { const char *secret; text_map *salts; } salting;

static void add_salt(void *context, char **leaf, const char *member)
{
	salting *s = context;
	char *both;
	char hex[65];

	/* A text that looks like a mark gets no salt. */
	if (redact_is_mark(*leaf))
		return;
	both = memory_format("%s:%s", s->secret, member);
	digest_bytes(both, strlen(both), hex);
	hex[SALT_SIZE] = '\0';
	text_map_add(s->salts, member, hex);
	free(both);
}

void redact_salt(record_result *r, const char *secret)
{
	salting s = { secret, &r->salts };

	r->salts.items = memory_get(sizeof(*r->salts.items));
	visit_record(r, add_salt, &s);
}

static void put_commitment(void *context, char **leaf, const char *member)
{
	const text_pair *salt = find_salt(context, member);
	char *mark;

	if (salt == NULL)
		return;
	mark = commit(salt->value, *leaf);
	free(*leaf);
	*leaf = mark;
}

void redact_commit(record_result *r, const text_map *salts)
{
	salt_index index = index_salts(salts);

	visit_record(r, put_commitment, &index);
	free(index.sorted);
}

/* ---- redacting ------------------------------------------------------------------------------- */

typedef struct search { const char *member; char **leaf; } search;

static void match(void *context, char **leaf, const char *member)
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
	return strcmp(dot, ".path") == 0 || strcmp(dot, ".owner") == 0 || strcmp(dot, ".value") == 0;
}

static void drop_salt(text_map *salts, const char *member)
{
	size_t i = 0;

	while (strcmp(salts->items[i].key, member) != 0)
		i++;
	free(salts->items[i].key);
	free(salts->items[i].value);
	salts->count--;
	memmove(&salts->items[i], &salts->items[i + 1], (salts->count - i) * sizeof(*salts->items));
}

static eh_status redact_member(record_result *r, const char *member, eh_error *error)
{
	const char *salt = text_map_get(&r->salts, member);
	search s = { member, NULL };
	char *mark;

	if (r->salts.items == NULL)
		return error_set(error, EH_E_USAGE, "this result has no salts, so nothing can be "
		                 "redacted without breaking its digests; an evenhand without redaction "
		                 "wrote it");
	visit_record(r, match, &s);
	if (s.leaf != NULL && redact_is_mark(*s.leaf) && salt == NULL)
		return error_set(error, EH_E_USAGE, "%s is already redacted", member);
	if (s.leaf == NULL || salt == NULL)
		return error_set(error, EH_E_USAGE, "%s is empty or absent, or identifies no "
		                 "machine: there is nothing to redact", member);
	mark = commit(salt, *s.leaf);
	drop_salt(&r->salts, member);
	free(*s.leaf);
	*s.leaf = mark;
	return EH_OK;
}

/* Whether redacting the member changes the top-level member `key`: its section, or the salts. */
static bool changes(const char *key, const char *member)
{
	size_t size = strlen(key);

	return strcmp(key, "salts") == 0 || (strncmp(member, key, size) == 0 && member[size] == '.');
}

/* Writes the text with the members that redacting changes replaced by those of the record. */
static void write_changed(const char *body, size_t size, const result_parts *parts,
                          const char *member, const record_result *r, text *out)
{
	size_t from = 0;

	for (size_t i = 0; i < parts->member_count; i++) {
		const char *key = parts->members[i].name;
		json_span span = parts->members[i].value;
		char *value;

		if (!changes(key, member))
			continue;
		/* The span reaches to the comma; white space before it stays. */
		while (span.end > span.start && strchr(" \t\r\n", body[span.end - 1]) != NULL)
			span.end--;
		value = layout_member_json(layout_find(record_result_layout(), key), r);
		text_add_bytes(out, body + from, span.start - from);
		text_add_bytes(out, value, strlen(value));
		free(value);
		from = span.end;
	}
	text_add_bytes(out, body + from, size - from);
}

eh_status redact_text(const char *body, size_t size, const char *name, const char *member,
                      text *out, eh_error *error)
{
	result_parts parts = { .member_count = 0 };
	record_result record;
	eh_status status = EH_OK;

	layout_init(record_result_layout(), &record);
	if (!may_be_redacted(member))
		status = error_set(error, EH_E_USAGE, "%s cannot be redacted: only who.tester, "
		                   "who.sponsor, executor.device.uuid, executor.device.pci, and paths, "
		                   "owners, identifiers and values of settings within executor.layers "
		                   "can; samples and what a comparison needs cannot", member);
	else if (!parts_find(body, size, &parts))
		status = error_set(error, EH_E_FORMAT, "%s: this is not a result", name);
	if (status == EH_OK)
		status = parts_read_head(&parts, body, size, name, &record, error);
	if (status == EH_OK)
		status = redact_member(&record, member, error);
	if (status == EH_OK)
		write_changed(body, size, &parts, member, &record, out);
	parts_free(&parts);
	layout_clear(record_result_layout(), &record);
	return status;
}

typedef struct listing { salt_index salts; text_list *out; } listing;

static void list_one(void *context, char **leaf, const char *member)
{
	listing *l = context;

	if (redact_is_mark(*leaf) && find_salt(&l->salts, member) == NULL)
		text_list_add(l->out, member);
}

void redact_list(record_result *r, text_list *out)
{
	listing l = { index_salts(&r->salts), out };

	visit_record(r, list_one, &l);
	free(l.salts.sorted);
}

/* The salts that belong to a text, by their index. */
typedef struct matching { salt_index salts; const text_map *map; bool *matched; } matching;

static void match_salt(void *context, char **leaf, const char *member)
{
	matching *m = context;
	const text_pair *salt = find_salt(&m->salts, member);

	(void)leaf;
	if (salt != NULL)
		m->matched[salt - m->map->items] = true;
}

const char *redact_bad_salt(record_result *r)
{
	matching m = { index_salts(&r->salts), &r->salts, memory_get(r->salts.count) };
	const char *bad = NULL;

	visit_record(r, match_salt, &m);
	for (size_t i = 0; i < r->salts.count && bad == NULL; i++) {
		const text_pair *salt = &r->salts.items[i];

		if (!m.matched[i] || strlen(salt->value) != SALT_SIZE ||
		    strspn(salt->value, "0123456789abcdef") != SALT_SIZE)
			bad = salt->key;
	}
	free(m.salts.sorted);
	free(m.matched);
	return bad;
}
