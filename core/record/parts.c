/* SPDX-License-Identifier: Apache-2.0 */
#include "record/parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/text.h"

/* A place in a source: text[at], in the window of `size` bytes. */
typedef struct walk { source_window window; const char *text; size_t at, size; } walk;

/* Moves on to the next window when there is no byte left in this one; false at the end. */
static bool refill(walk *w)
{
	size_t past = w->at - w->size;

	if (!source_window_next(&w->window)) {
		w->at = w->size;
		return false;
	}
	w->text = w->window.bytes;
	w->size = w->window.size;
	w->at = past;
	return true;
}

/* Whether there is a byte at the place. */
static inline bool there(walk *w)
{
	while (w->at >= w->size)
		if (!refill(w))
			return false;
	return true;
}

static size_t offset_of(const walk *w)
{
	return w->window.from + w->at;
}

static bool skip_space(walk *w)
{
	while (there(w) && (w->text[w->at] == ' ' || w->text[w->at] == '\t' ||
	                    w->text[w->at] == '\n' || w->text[w->at] == '\r'))
		w->at++;
	return w->at < w->size;
}

static bool take(walk *w, char c)
{
	if (!skip_space(w) || w->text[w->at] != c)
		return false;
	w->at++;
	return true;
}

/* Skips a string; w is at the opening quote. */
static bool skip_string(walk *w)
{
	w->at++;
	while (there(w)) {
		const char *given = w->text;
		size_t size = w->size;
		size_t at = w->at;

		while (at < size && given[at] != '"')
			at += given[at] == '\\' ? 2 : 1;
		w->at = at;
		if (at < size) {
			w->at++;
			return true;
		}
	}
	return false;
}

/* Skips to the next quote or bracket of the window; with `commas`, not beyond a comma. */
static bool skip_others(walk *w, bool commas)
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
	return at < size;
}

/* The same, in as many windows as it takes; false at the end. */
static bool skip_plain(walk *w, bool commas)
{
	while (!skip_others(w, commas))
		if (!there(w))
			return false;
	return true;
}

/* Skips one value, up to the comma or bracket that ends it. */
static bool skip_value(walk *w, json_span *span)
{
	size_t depth = 0;

	(void)skip_space(w);
	span->start = offset_of(w);
	while (skip_plain(w, depth == 0)) {
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
	span->end = offset_of(w);
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

static json_span *add_row(result_parts *out)
{
	if (out->row_count == out->row_room) {
		out->row_room = out->row_room == 0 ? 64 : out->row_room * 2;
		out->rows = memory_grow(out->rows, out->row_room * sizeof(*out->rows));
	}
	return &out->rows[out->row_count++];
}

static bool find_rows(walk *w, result_parts *out)
{
	/* Memory for a row is many times that of a text such as "1,". */
	size_t most = w->window.of->size / least_row();

	if (most > LIMIT_ROWS)
		most = LIMIT_ROWS;
	if (!take(w, '['))
		return false;
	if (take(w, ']'))
		return true;
	do {
		if (out->row_count == most || !skip_value(w, add_row(out)))
			return false;
	} while (take(w, ','));
	out->cut = (json_span){ out->rows[0].start, out->rows[out->row_count - 1].end };
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
	size_t size = 0;

	if (!take(w, '"'))
		return false;
	for (; there(w) && w->text[w->at] != '"'; w->at++) {
		if (size == 23 || w->text[w->at] == '\\')
			return false;
		name[size++] = w->text[w->at];
	}
	name[size] = '\0';
	return take(w, '"') && take(w, ':');
}

static bool find_members(walk *w, result_parts *out)
{
	bool rows = false;

	if (!take(w, '{'))
		return false;
	do {
		size_t i = out->member_count;

		if (i == PARTS_MAX || !take_name(w, out->members[i].name) ||
		    name_known(out, out->members[i].name))
			return false;
		if (strcmp(out->members[i].name, "cases") == 0) {
			if (rows || !find_rows(w, out))
				return false;
			rows = true;
		} else {
			if (!skip_value(w, &out->members[i].value))
				return false;
			out->member_count++;
		}
	} while (take(w, ','));
	return take(w, '}') && rows && !skip_space(w);
}

/* ---- limits ---------------------------------------------------------------------------------- */

static eh_status too_large(const char *name, const char *what, size_t most, eh_error *error)
{
	return error_set(error, EH_E_NO_MEMORY, "%s: %s more than %zu MiB of text, the most that is read; "
	                 "split the protocol and measure its parts apart", name, what, most / LIMIT_MIB);
}

static eh_status check_sizes(const result_parts *parts, const source_bytes *from, eh_error *error)
{
	char row[64];

	if (parts->head_size > LIMIT_HEAD)
		return too_large(from->name, "the record without its cases has", LIMIT_HEAD, error);
	for (size_t i = 0; i < parts->row_count; i++)
		if (parts->rows[i].end - parts->rows[i].start > LIMIT_ROW) {
			(void)snprintf(row, sizeof(row), "cases[%zu] has", i);
			return too_large(from->name, row, LIMIT_ROW, error);
		}
	return EH_OK;
}

static eh_status read_head(const source_bytes *from, result_parts *out, eh_error *error)
{
	eh_status status;

	out->head_size = from->size - (out->cut.end - out->cut.start);
	status = check_sizes(out, from, error);
	if (status != EH_OK)
		return status;
	out->head = memory_grow(NULL, out->head_size + 1);
	status = source_read(from, 0, out->cut.start, out->head, error);
	if (status == EH_OK)
		status = source_read(from, out->cut.end, from->size - out->cut.end,
		                     out->head + out->cut.start, error);
	return status;
}

eh_status parts_find(const source_bytes *from, result_parts *out, eh_error *error)
{
	walk w = { .window = source_window_of(from, error) };
	eh_status status;

	memset(out, 0, sizeof(*out));
	status = find_members(&w, out) ? EH_OK : EH_E_FORMAT;
	if (status != EH_OK && out->row_count == LIMIT_ROWS)
		status = error_set(error, EH_E_NO_MEMORY, "%s: more than %zu cases, the most that are read",
		                   from->name, LIMIT_ROWS);
	if (w.window.status != EH_OK)
		status = w.window.status;
	source_window_free(&w.window);
	return status == EH_OK ? read_head(from, out, error) : status;
}

void parts_free(result_parts *parts)
{
	free(parts->rows);
	free(parts->head);
	memset(parts, 0, sizeof(*parts));
}

/* ---- the head -------------------------------------------------------------------------------- */

json_scan parts_head(const result_parts *parts, const char *name, eh_error *error)
{
	json_scan scan = json_scan_of(parts->head, (json_span){ 0, parts->head_size }, 0, name, error);

	scan.memory = LIMIT_HEAD_MEMORY;
	return scan;
}

/* Reads it again to tell the error's place, with the lines of what is cut. */
static eh_status explain_head(const result_parts *parts, const source_bytes *from, eh_error *error)
{
	json_scan scan = parts_head(parts, from->name, error);
	source_place place = source_place_of(from);
	record_result record;
	eh_status status;

	source_place_move(&place, parts->cut.end);
	source_window_free(&place.window);
	scan.behind = (json_place){ parts->head + parts->cut.start, place.line, place.column };
	layout_init(record_result_layout(), &record);
	status = layout_scan(record_result_layout(), scan, "", &record);
	layout_clear(record_result_layout(), &record);
	return status;
}

eh_status parts_read_head(const result_parts *parts, const source_bytes *from, record_result *out,
                          eh_error *error)
{
	json_scan scan = parts_head(parts, from->name, NULL);

	return layout_scan(record_result_layout(), scan, "", out) == EH_OK ? EH_OK :
	       explain_head(parts, from, error);
}
