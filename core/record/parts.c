/* SPDX-License-Identifier: Apache-2.0 */
#include "record/parts.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

typedef struct walk { const char *text; size_t at, size; } walk;

static void skip_space(walk *w)
{
	while (w->at < w->size && (w->text[w->at] == ' ' || w->text[w->at] == '\t' ||
	                           w->text[w->at] == '\n' || w->text[w->at] == '\r'))
		w->at++;
}

static bool take(walk *w, char c)
{
	skip_space(w);
	if (w->at == w->size || w->text[w->at] != c)
		return false;
	w->at++;
	return true;
}

/* Skips a string; w is at the opening quote. */
static bool skip_string(walk *w)
{
	const char *given = w->text;
	size_t at = w->at + 1;

	for (; at < w->size; at++) {
		if (given[at] == '\\')
			at++;
		else if (given[at] == '"')
			break;
	}
	w->at = at < w->size ? at + 1 : w->size;
	return at < w->size;
}

/* Skips to the next quote or bracket; with `commas`, not beyond a comma. */
static void skip_others(walk *w, bool commas)
{
	enum { OTHER, MARK, COMMA };
	static const unsigned char kind[256] = { ['"'] = MARK, ['{'] = MARK, ['}'] = MARK, ['['] = MARK,
		                                 [']'] = MARK, [','] = COMMA };
	const char *given = w->text;
	size_t size = w->size;
	size_t at = w->at;
	unsigned char most = commas ? OTHER : COMMA;

	for (; at < size; at++) {
		unsigned char k = kind[(unsigned char)given[at]];

		if (k == MARK || k > most)
			break;
	}
	w->at = at;
}

/* Skips one value, up to the comma or bracket that ends it. */
static bool skip_value(walk *w, json_span *span)
{
	size_t depth = 0;

	skip_space(w);
	span->start = w->at;
	for (skip_others(w, true); w->at < w->size; skip_others(w, depth == 0)) {
		char c = w->text[w->at];

		if (c == '"') {
			if (!skip_string(w))
				return false;
			continue;
		}
		if (c == '{' || c == '[')
			depth++;
		else if (depth == 0)
			break;
		else
			depth--;
		w->at++;
	}
	span->end = w->at;
	return w->at < w->size && span->end > span->start;
}

/* A row has at least the names of its required members, a colon and a value each. */
static size_t least_row(void)
{
	const layout *l = record_case_layout();
	size_t least = strlen("{}");

	for (size_t i = 0; i < l->count; i++)
		if (!l->fields[i].optional)
			least += l->fields[i].key_size + strlen("\"\":0");
	return least;
}

static bool find_rows(walk *w, result_parts *out)
{
	/* Memory for a row is many times that of a text such as "1,". */
	size_t most = w->size / least_row();

	if (!take(w, '['))
		return false;
	if (take(w, ']'))
		return true;
	do {
		if (out->row_count == most)
			return false;
		if (out->row_count == out->row_room) {
			out->row_room = out->row_room == 0 ? 64 : out->row_room * 2;
			out->rows = memory_grow(out->rows, out->row_room * sizeof(*out->rows));
		}
		if (!skip_value(w, &out->rows[out->row_count++]))
			return false;
	} while (take(w, ','));
	return take(w, ']');
}

static bool name_known(const result_parts *parts, const char *name)
{
	for (size_t i = 0; i < parts->member_count; i++)
		if (strcmp(parts->members[i].name, name) == 0)
			return true;
	return false;
}

/* The format's names have no escapes. */
static bool take_name(walk *w, char name[24])
{
	size_t from, size;

	skip_space(w);
	if (w->at == w->size || w->text[w->at] != '"')
		return false;
	from = w->at + 1;
	if (!skip_string(w))
		return false;
	size = w->at - 1 - from;
	if (size >= 24 || memchr(w->text + from, '\\', size) != NULL)
		return false;
	memcpy(name, w->text + from, size);
	name[size] = '\0';
	return take(w, ':');
}

bool parts_find(const char *given, size_t size, result_parts *out)
{
	walk w = { given, 0, size };
	bool rows = false;

	memset(out, 0, sizeof(*out));
	if (!take(&w, '{'))
		return false;
	do {
		size_t i = out->member_count;

		if (i == PARTS_MAX || !take_name(&w, out->members[i].name) ||
		    name_known(out, out->members[i].name))
			return false;
		if (strcmp(out->members[i].name, "cases") == 0) {
			if (rows || !find_rows(&w, out))
				return false;
			rows = true;
		} else {
			if (!skip_value(&w, &out->members[i].value))
				return false;
			out->member_count++;
		}
	} while (take(&w, ','));
	if (!take(&w, '}') || !rows)
		return false;
	skip_space(&w);
	return w.at == size;
}

void parts_free(result_parts *parts)
{
	free(parts->rows);
	memset(parts, 0, sizeof(*parts));
}

eh_status parts_read_head(const result_parts *parts, const char *given, size_t size,
                          const char *name, record_result *out, eh_error *error)
{
	json_scan scan = json_scan_of(given, (json_span){ 0, size }, 0, name, error);

	if (parts->row_count > 0) {
		scan.gap = given + parts->rows[0].start;
		scan.gap_end = given + parts->rows[parts->row_count - 1].end;
	}
	return layout_scan(record_result_layout(), scan, "", out);
}
