/* SPDX-License-Identifier: Apache-2.0 */
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "report/report.h"

enum { GAP = 2 };
#define NOTE_INDENT 6

enum row_kind { ROW_CELLS, ROW_RULE, ROW_NOTE, ROW_HEADING };

typedef struct row {
	enum row_kind kind;
	char **cells; /* ROW_CELLS: one per column; ROW_NOTE, ROW_HEADING: one */
	enum table_colour *colours; /* ROW_CELLS: one per column */
} row;

struct table {
	size_t columns, gap;
	char *align;
	row *rows;
	size_t count, room;
};

/* One code point at s: its length in bytes and its width in columns.  Malformed bytes count as
 * one column each, as terminals show a replacement for them. */
static size_t glyph(const char *s, size_t *width)
{
	const unsigned char *p = (const unsigned char *)s;
	uint32_t code = 0;
	size_t length = 1;
	size_t i;

	*width = 1;
	if (p[0] < 0x80) {
		if (p[0] < 0x20 || p[0] == 0x7f)
			*width = 0;
		return 1;
	}
	if (p[0] >= 0xc2 && p[0] <= 0xdf) {
		length = 2;
		code = p[0] & 0x1fu;
	} else if (p[0] >= 0xe0 && p[0] <= 0xef) {
		length = 3;
		code = p[0] & 0x0fu;
	} else if (p[0] >= 0xf0 && p[0] <= 0xf4) {
		length = 4;
		code = p[0] & 0x07u;
	} else {
		return 1;
	}
	for (i = 1; i < length; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return 1;
		code = (code << 6) | (p[i] & 0x3fu);
	}
	if ((code >= 0x300 && code <= 0x36f) || code == 0x200d ||
	    (code >= 0xfe00 && code <= 0xfe0f))
		*width = 0;
	else if ((code >= 0x1100 && code <= 0x115f) || (code >= 0x2e80 && code <= 0xa4cf) ||
	         (code >= 0xac00 && code <= 0xd7a3) || (code >= 0xf900 && code <= 0xfaff) ||
	         (code >= 0xfe30 && code <= 0xfe6f) || (code >= 0xff00 && code <= 0xff60) ||
	         (code >= 0x1f300 && code <= 0x1faff) || (code >= 0x20000 && code <= 0x3fffd))
		*width = 2;
	return length;
}

size_t table_width(const char *s)
{
	size_t total = 0;

	while (*s != '\0') {
		size_t width;
		size_t length;

		length = glyph(s, &width);
		total += width;
		s += length;
	}
	return total;
}

table *table_new(const char *align)
{
	table *t = memory_get(sizeof(*t));

	t->align = memory_text(align);
	t->columns = strlen(align);
	t->gap = GAP;
	return t;
}

void table_gap(table *t, size_t gap)
{
	t->gap = gap;
}

static row *row_add(table *t, enum row_kind kind, size_t cells)
{
	row *r;

	if (t->count == t->room) {
		t->room = t->room == 0 ? 16 : t->room * 2;
		t->rows = memory_grow(t->rows, t->room * sizeof(*t->rows));
	}
	r = &t->rows[t->count++];
	r->kind = kind;
	r->cells = cells == 0 ? NULL : memory_get(cells * sizeof(*r->cells));
	r->colours = kind == ROW_CELLS ? memory_get(cells * sizeof(*r->colours)) : NULL;
	return r;
}

char *table_clean(const char *s)
{
	char *copy = memory_text(s);

	text_clean(copy);
	return copy;
}

void table_row(table *t, const char *const *cells)
{
	row *r = row_add(t, ROW_CELLS, t->columns);
	size_t i;

	for (i = 0; i < t->columns; i++)
		r->cells[i] = table_clean(cells[i] != NULL ? cells[i] : "");
}

void table_paint(table *t, size_t column, enum table_colour colour)
{
	t->rows[t->count - 1].colours[column] = colour;
}

void table_rule(table *t)
{
	(void)row_add(t, ROW_RULE, 0);
}

void table_note(table *t, const char *note)
{
	row_add(t, ROW_NOTE, 1)->cells[0] = table_clean(note);
}

void table_heading(table *t, const char *words)
{
	row_add(t, ROW_HEADING, 1)->cells[0] = table_clean(words);
}

static bool put_spaces(FILE *out, size_t n)
{
	while (n-- > 0)
		if (fputc(' ', out) == EOF)
			return false;
	return true;
}

/* The words of clean text, from that column on; following lines begin at column `hang`. */
static bool wrap_words(FILE *out, const char *note, size_t column, size_t hang)
{
	const char *s = note + strspn(note, " ");
	bool first = true, ok = true;

	while (*s != '\0' && ok) {
		int size = (int)strcspn(s, " ");
		char *word = memory_format("%.*s", size, s);
		size_t width = table_width(word);

		if (!first && column + 1 + width > TABLE_WIDTH) {
			ok = fputc('\n', out) != EOF && put_spaces(out, hang);
			column = hang;
		} else if (!first) {
			ok = fputc(' ', out) != EOF;
			column++;
		}
		ok = ok && fputs(word, out) != EOF;
		column += width;
		free(word);
		s += size;
		s += strspn(s, " ");
		first = false;
	}
	return ok && fputc('\n', out) != EOF;
}

bool table_wrap(FILE *out, const char *note, size_t indent)
{
	char *clean = table_clean(note);
	bool ok = put_spaces(out, indent) && wrap_words(out, clean, indent, indent + 2);

	free(clean);
	return ok;
}

bool table_labelled(FILE *out, size_t column, const char *label, const char *words)
{
	char *clean = table_clean(words);
	bool ok = fprintf(out, "%-*s", (int)column, label) >= 0 &&
	          wrap_words(out, clean, column, column);

	free(clean);
	return ok;
}

bool table_item(FILE *out, size_t indent, const char *label, const char *format, ...)
{
	size_t column = indent + TABLE_LABEL;
	char *body, *clean;
	va_list arguments;
	bool ok;

	va_start(arguments, format);
	if (vasprintf(&body, format, arguments) < 0)
		body = NULL;
	va_end(arguments);
	clean = table_clean(memory_insist(body));
	ok = put_spaces(out, indent) && fprintf(out, "%-*s", TABLE_LABEL, label) >= 0 &&
	     wrap_words(out, clean, column, column);
	free(clean);
	free(body);
	return ok;
}

static bool put_cell(const row *r, size_t column, FILE *out)
{
	static const char *const codes[] = { "0", "1", "31", "32", "33" };

	if (r->colours[column] == COLOUR_NONE)
		return fputs(r->cells[column], out) != EOF;
	return fprintf(out, "\033[%sm%s\033[0m", codes[r->colours[column]], r->cells[column]) > 0;
}

static bool put_cells(const table *t, const row *r, const size_t *widths, FILE *out)
{
	size_t pending = 0;
	size_t i;

	for (i = 0; i < t->columns; i++) {
		size_t width = table_width(r->cells[i]);
		size_t fill = widths[i] - width;

		if (t->align[i] == 'r') {
			pending += fill;
			fill = 0;
		}
		/* Spaces are owed until text follows, so that no line ends in them. */
		if (r->cells[i][0] != '\0') {
			if (!put_spaces(out, pending) || !put_cell(r, i, out))
				return false;
			pending = 0;
		}
		pending += fill + t->gap;
	}
	return fputc('\n', out) != EOF;
}

/* Returns malloc'd widths of the columns; *total is that of a row. */
static size_t *column_widths(const table *t, size_t *total)
{
	size_t *widths = memory_get((t->columns + 1) * sizeof(*widths));
	size_t i;
	size_t k;

	for (i = 0; i < t->count; i++) {
		if (t->rows[i].kind != ROW_CELLS)
			continue;
		for (k = 0; k < t->columns; k++) {
			size_t width = table_width(t->rows[i].cells[k]);

			if (width > widths[k])
				widths[k] = width;
		}
	}
	*total = 0;
	for (k = 0; k < t->columns; k++)
		*total += widths[k] + (k + 1 < t->columns ? t->gap : 0);
	return widths;
}

size_t table_columns(const table *t)
{
	size_t total;

	free(column_widths(t, &total));
	return total;
}

bool table_print(const table *t, FILE *out)
{
	size_t total;
	size_t *widths = column_widths(t, &total);
	bool ok = true;
	size_t i;
	size_t k;

	for (i = 0; i < t->count && ok; i++) {
		const row *r = &t->rows[i];

		if (r->kind == ROW_NOTE) {
			ok = table_wrap(out, r->cells[0], NOTE_INDENT);
		} else if (r->kind == ROW_HEADING) {
			ok = table_wrap(out, r->cells[0], 0);
		} else if (r->kind == ROW_CELLS) {
			ok = put_cells(t, r, widths, out);
		} else {
			for (k = 0; k < total && ok; k++)
				ok = fputc('-', out) != EOF;
			ok = ok && fputc('\n', out) != EOF;
		}
	}
	free(widths);
	return ok;
}

void table_free(table *t)
{
	size_t i;
	size_t k;

	if (t == NULL)
		return;
	for (i = 0; i < t->count; i++) {
		size_t cells = t->rows[i].kind == ROW_CELLS ? t->columns :
		               t->rows[i].kind == ROW_RULE ? 0 : 1;

		for (k = 0; k < cells; k++)
			free(t->rows[i].cells[k]);
		free(t->rows[i].cells);
		free(t->rows[i].colours);
	}
	free(t->rows);
	free(t->align);
	free(t);
}
