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

static bool ends_with_word(const char *key, const char *word)
{
	size_t size = strlen(key), tail = strlen(word);

	return size >= tail && strcmp(key + size - tail, word) == 0 &&
	       (size == tail || key[size - tail - 1] == '-');
}

static bool is_one_of(const char *key, const char *const *words)
{
	while (*words != NULL && strcmp(key, *words) != 0)
		words++;
	return *words != NULL;
}

/* Whether a path from the root is in it, or it is redacted. */
static bool has_path(const char *value)
{
	for (const char *at = value; (at = strchr(at, '/')) != NULL; at++)
		if ((at == value || strchr(" \t:;,=\"'", at[-1]) != NULL) && at[1] != '\0' && at[1] != ' ')
			return true;
	return redact_is_mark(value);
}

/* Whether the field tells who or which machine rather than its kind.  Settings may: paths, names. */
static bool identifies(const record_layer *layer, const record_field *field)
{
	static const char *const words[] = { "uuid", "serial", "serial-number", "pci", "bus-id",
		                             "hostname", "host-name", "path", "mac", "asset-tag" };
	static const char *const declared[] = { "tester", "sponsor", "location", "price", "notes", NULL };
	bool found = (setting_is(layer) && strcmp(field->name, "value") == 0) ||
	             (layer->layer == RECORD_LAYER_SITE && is_one_of(field->name, declared)) ||
	             (layer->layer == RECORD_LAYER_HARNESS && strcmp(field->name, "settings") == 0) ||
	             (field->value.text != NULL && has_path(field->value.text));

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]) && !found; i++)
		found = ends_with_word(field->name, words[i]);
	return found;
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
	/* The name of a file that is read as settings is its path. */
	if (setting_is(layer) && has_path(text_or_empty(layer->name)))
		visit_text(&layer->name, above, "name", each, context);
	visit_text(&layer->path, above, "path", each, context);
	visit_text(&layer->owner, above, "owner", each, context);
	for (size_t i = 0; i < layer->fields.count; i++) {
		record_field *field = &layer->fields.items[i];
		char *place;

		if (strpbrk(field->name, ".[]") != NULL || !identifies(layer, field))
			continue;
		place = memory_format("%s.fields.%s", above, field->name);
		visit_text(&field->value.text, place, "value", each, context);
		free(place);
	}
}

/* Visits every text of the record that may be redacted, or is. */
static void visit_record(record_result *r, visit *each, void *context)
{
	if (r->harness.build_flags != NULL && has_path(r->harness.build_flags))
		visit_text(&r->harness.build_flags, "harness", "build_flags", each, context);
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

typedef struct salting { const char *secret, *executor; text_map *salts; } salting;

static void add_salt(void *context, char **leaf, const char *member)
{
	salting *s = context;
	char *both;
	char hex[65];

	/* A text that looks like a mark gets no salt. */
	if (redact_is_mark(*leaf))
		return;
	both = memory_format("%s:%s:%s", s->secret, s->executor, member);
	digest_bytes(both, strlen(both), hex);
	hex[SALT_SIZE] = '\0';
	text_map_add(s->salts, member, hex);
	free(both);
}

void redact_salt(record_result *r, const char *secret, const char *executor)
{
	salting s = { secret, executor, &r->salts };

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

/* The member's text, to be replaced; its salt is in r->salts. */
static eh_status find_member(record_result *r, const char *member, char ***leaf, eh_error *error)
{
	search s = { member, NULL };
	bool salted = r->salts.items != NULL && text_map_get(&r->salts, member) != NULL;

	visit_record(r, match, &s);
	*leaf = s.leaf;
	if (s.leaf == NULL)
		return error_set(error, EH_E_USAGE, "%.120s cannot be redacted: it is empty, absent or no "
		                 "text that tells who or which machine (`evenhand help amend`); samples "
		                 "and what a comparison needs cannot be", member);
	if (r->salts.items == NULL)
		return error_set(error, EH_E_USAGE, "this result has no salts, so nothing can be "
		                 "redacted without breaking its digests; an evenhand without redaction "
		                 "wrote it");
	if (!salted && redact_is_mark(*s.leaf))
		return error_set(error, EH_E_USAGE, "%.120s is already redacted", member);
	if (!salted)
		return error_set(error, EH_E_USAGE, "%.120s cannot be redacted without breaking its "
		                 "digest, because it has no salt: an evenhand that did not redact it "
		                 "wrote this result", member);
	return EH_OK;
}

typedef struct redacting { record_result *record; const text_list *members; size_t done; } redacting;

static void redact_one(void *context, char **leaf, const char *member)
{
	redacting *x = context;
	const char *salt = text_list_has(x->members, member) ? text_map_get(&x->record->salts, member) : NULL;
	char *mark;

	if (salt == NULL)
		return;
	mark = commit(salt, *leaf);
	drop_salt(&x->record->salts, member);
	free(*leaf);
	*leaf = mark;
	x->done++;
}

/* Whether redacting the members changes the top-level member `key`: a section of one, or the salts. */
static bool changes(const char *key, const text_list *members)
{
	size_t size = strlen(key);
	bool any = strcmp(key, "salts") == 0;

	for (size_t i = 0; i < members->count && !any; i++)
		any = strncmp(members->items[i], key, size) == 0 && members->items[i][size] == '.';
	return any;
}

/* Where a redacted text goes. */
typedef struct redacted_text { text *text; digest *digest; } redacted_text;

static void put(const redacted_text *to, const char *bytes, size_t size)
{
	if (to->text != NULL)
		text_add_bytes(to->text, bytes, size);
	else
		digest_add(to->digest, bytes, size);
}

static eh_status put_part(const source_bytes *from, size_t start, size_t end, const redacted_text *to,
                          eh_error *error)
{
	enum { CHUNK = 1 << 18 };
	char *chunk = memory_get(CHUNK);
	eh_status status = EH_OK;

	while (start < end && status == EH_OK) {
		size_t size = end - start < CHUNK ? end - start : CHUNK;

		status = source_read(from, start, size, chunk, error);
		if (status == EH_OK)
			put(to, chunk, size);
		start += size;
	}
	free(chunk);
	return status;
}

/* The end of the span without white space; it is not in the part that is cut. */
static size_t trimmed(const result_parts *parts, json_span span)
{
	const size_t cut = span.start < parts->cut.start ? 0 : parts->cut.end - parts->cut.start;

	while (span.end > span.start && strchr(" \t\r\n", parts->head[span.end - cut - 1]) != NULL)
		span.end--;
	return span.end;
}

/* Writes the text with the members that redacting changes replaced by those of the record. */
static eh_status put_changed(const source_bytes *source, const result_parts *parts, const text_list *members,
                             const record_result *r, const redacted_text *to, eh_error *error)
{
	size_t from = 0;
	eh_status status = EH_OK;

	for (size_t i = 0; i < parts->member_count && status == EH_OK; i++) {
		const char *key = parts->members[i].name;
		json_span span = parts->members[i].value;
		char *value;

		if (!changes(key, members))
			continue;
		value = layout_member_json(layout_find(record_result_layout(), key), r);
		status = put_part(source, from, span.start, to, error);
		put(to, value, strlen(value));
		free(value);
		/* The span reaches to the comma; white space before it stays. */
		from = trimmed(parts, span);
	}
	return status == EH_OK ? put_part(source, from, source->size, to, error) : status;
}

/* Reads the record without its rows; both structs need freeing in any case. */
static eh_status read_head(const source_bytes *from, result_parts *parts, record_result *record,
                           eh_error *error)
{
	eh_status status;

	*parts = (result_parts){ .member_count = 0 };
	layout_init(record_result_layout(), record);
	status = parts_find(from, parts, error);
	if (status == EH_E_FORMAT)
		status = error_set(error, EH_E_FORMAT, "%s: this is not a result", from->name);
	return status == EH_OK ? parts_read_head(parts, from, record, error) : status;
}

static eh_status redact_to(const source_bytes *from, const text_list *members, const redacted_text *to,
                           eh_error *error)
{
	result_parts parts;
	record_result record;
	eh_status status = read_head(from, &parts, &record, error);

	if (status == EH_OK) {
		redacting x = { &record, members, 0 };

		visit_record(&record, redact_one, &x);
		if (x.done == members->count)
			status = put_changed(from, &parts, members, &record, to, error);
		else
			status = error_set(error, EH_E_USAGE, "%s: not every text that is to be redacted is "
			                   "there with a salt", from->name);
	}
	parts_free(&parts);
	layout_clear(record_result_layout(), &record);
	return status;
}

eh_status redact_text(const char *body, size_t size, const char *name, const text_list *members,
                      text *out, eh_error *error)
{
	const source_bytes from = source_of_bytes(name, body, size);

	return redact_to(&from, members, &(redacted_text){ .text = out }, error);
}

eh_status redact_digest(const source_bytes *from, const text_list *members, char hex[65], eh_error *error)
{
	const redacted_text to = { .digest = digest_new() };
	eh_status status = redact_to(from, members, &to, error);

	digest_end(to.digest, hex);
	return status;
}

/* ---- choosing -------------------------------------------------------------------------------- */

typedef struct chooser { const record_result *record; redact_choice *out; } chooser;

static void choose(void *context, char **leaf, const char *member)
{
	chooser *c = context;

	if (reach_holds(&c->out->reach, *leaf) && text_map_get(&c->record->salts, member) != NULL &&
	    !text_list_has(&c->out->members, member))
		text_list_add(&c->out->members, member);
}

static eh_status choose_all(record_result *r, const char *member, const char *words, redact_choice *out,
                            eh_error *error)
{
	chooser c = { r, out };
	char **leaf = NULL;
	eh_status status = EH_OK;

	if (member != NULL)
		status = find_member(r, member, &leaf, error);
	else if (strlen(words) < REACH_LEAST)
		status = error_set(error, EH_E_USAGE, "a text of less than %d bytes stands everywhere: give "
		                   "the member that has it", REACH_LEAST);
	if (status != EH_OK)
		return status;
	if (member != NULL)
		text_list_add(&out->members, member);
	reach_set(&out->reach, leaf != NULL ? *leaf : words);
	visit_record(r, choose, &c);
	return EH_OK;
}

eh_status redact_choose(const char *body, size_t size, const char *name, const char *member,
                        const char *words, redact_choice *out, eh_error *error)
{
	result_parts parts;
	record_result record;
	const source_bytes from = source_of_bytes(name, body, size);
	eh_status status = read_head(&from, &parts, &record, error);

	if (status == EH_OK)
		status = choose_all(&record, member, words, out, error);
	parts_free(&parts);
	layout_clear(record_result_layout(), &record);
	return status;
}

void redact_choice_clear(redact_choice *r)
{
	text_list_clear(&r->members);
	reach_clear(&r->reach);
}

/* ---- what is redacted ------------------------------------------------------------------------ */

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
