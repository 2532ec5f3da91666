/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/terminal.h"
#include "base/text.h"
#include "report/report.h"
#include "report/table_fit.h"

enum { GAP = 2 };
#define NOTE_INDENT 6

enum row_kind { ROW_CELLS, ROW_HEAD, ROW_RULE, ROW_NOTE, ROW_HEADING };

typedef struct row {
	enum row_kind kind;
	char **cells; /* ROW_CELLS, ROW_HEAD: one per column; ROW_NOTE, ROW_HEADING: one */
	enum table_colour *colours; /* of rows with cells: one per column */
} row;

struct table {
	size_t columns, gap;
	char *align;
	row *rows;
	size_t count, room;
};

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

static bool has_cells(const row *r)
{
	return r->kind == ROW_CELLS || r->kind == ROW_HEAD;
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
	r->colours = has_cells(r) ? memory_get(cells * sizeof(*r->colours)) : NULL;
	return r;
}

static void add_cells(table *t, enum row_kind kind, const char *const *cells)
{
	row *r = row_add(t, kind, t->columns);

	for (size_t i = 0; i < t->columns; i++)
		r->cells[i] = table_clean(cells[i] != NULL ? cells[i] : "");
}

void table_row(table *t, const char *const *cells)
{
	add_cells(t, ROW_CELLS, cells);
}

void table_head(table *t, const char *const *cells)
{
	add_cells(t, ROW_HEAD, cells);
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

/* ---- printing -------------------------------------------------------------------------------- */

/* What the columns of a table take where it is printed, and how. */
typedef struct printing {
	table_fit fit;
	size_t *bodies, *widths;
	const char *sign;  /* in place of what a name leaves out */
	bool colours;
	FILE *out;
} printing;

static void measure(const table *t, printing *p)
{
	p->widths = memory_get((t->columns + 1) * sizeof(*p->widths));
	p->bodies = memory_get((t->columns + 1) * sizeof(*p->bodies));
	for (size_t i = 0; i < t->count; i++) {
		const row *r = &t->rows[i];

		for (size_t k = 0; has_cells(r) && k < t->columns; k++) {
			size_t width = table_width(r->cells[k]);

			p->widths[k] = width > p->widths[k] ? width : p->widths[k];
			if (r->kind == ROW_CELLS && width > p->bodies[k])
				p->bodies[k] = width;
		}
	}
	p->fit = (table_fit){ t->align, p->widths, p->bodies, t->columns, t->gap };
}

static void measured_free(printing *p)
{
	free(p->widths);
	free(p->bodies);
}

/* malloc'd: what this line of a row has of a cell; *rest is what the lines before have left. */
static char *line_of_cell(const printing *p, const row *r, size_t k, const char **rest)
{
	const char letter = p->fit.align[k], *cell = *rest;

	if (letter == 'w')
		return table_piece(rest, p->widths[k]);
	*rest = "";
	return letter == 'n' || r->kind == ROW_HEAD ? table_elided(cell, p->widths[k], p->sign) :
	       memory_text(cell);
}

static bool put_cell(const printing *p, const char *cell, enum table_colour colour)
{
	static const char *const codes[] = { "0", "1", "31", "32", "33" };

	if (colour == COLOUR_NONE || !p->colours)
		return fputs(cell, p->out) != EOF;
	return fprintf(p->out, "\033[%sm%s\033[0m", codes[colour], cell) > 0;
}

static bool put_line(const printing *p, const row *r, const char **rest)
{
	size_t pending = 0;
	bool ok = true;

	for (size_t k = 0; k < p->fit.columns && ok; k++) {
		char *cell;
		size_t fill;

		if (p->fit.align[k] == 'b' && p->widths[k] == 0) {
			rest[k] = "";
			continue;
		}
		cell = line_of_cell(p, r, k, &rest[k]);
		fill = p->widths[k] > table_width(cell) ? p->widths[k] - table_width(cell) : 0;
		pending += p->fit.align[k] == 'r' ? fill : 0;
		/* Spaces are owed until text follows, so that no line ends in them. */
		if (cell[0] != '\0') {
			ok = table_spaces(p->out, pending) && put_cell(p, cell, r->colours[k]);
			pending = 0;
		}
		pending += (p->fit.align[k] == 'r' ? 0 : fill) + p->fit.gap;
		free(cell);
	}
	return ok && fputc('\n', p->out) != EOF;
}

static bool put_cells(const printing *p, const row *r)
{
	const char **rest = memory_get((p->fit.columns + 1) * sizeof(*rest));
	bool more = true, ok = true;

	for (size_t k = 0; k < p->fit.columns; k++)
		rest[k] = r->cells[k];
	while (more && ok) {
		ok = put_line(p, r, rest);
		more = false;
		for (size_t k = 0; k < p->fit.columns; k++)
			more = more || rest[k][0] != '\0';
	}
	free(rest);
	return ok;
}

static bool put_rule(const printing *p)
{
	bool ok = true;

	for (size_t k = table_fit_total(&p->fit); k > 0 && ok; k--)
		ok = fputc('-', p->out) != EOF;
	return ok && fputc('\n', p->out) != EOF;
}

static bool put_row(const printing *p, const row *r)
{
	switch (r->kind) {
	case ROW_NOTE: return table_wrap(p->out, r->cells[0], NOTE_INDENT);
	case ROW_HEADING: return table_wrap(p->out, r->cells[0], 0);
	case ROW_RULE: return put_rule(p);
	default: return put_cells(p, r);
	}
}

size_t table_columns(const table *t)
{
	printing p;
	size_t total;

	measure(t, &p);
	total = table_fit_total(&p.fit);
	measured_free(&p);
	return total;
}

bool table_print(table *t, FILE *out)
{
	printing p = { .out = out };
	bool ok = true;

	for (size_t i = 0; i < t->count; i++)
		for (size_t k = 0; has_cells(&t->rows[i]) && k < t->columns; k++)
			t->rows[i].cells[k] = terminal_words(out, t->rows[i].cells[k]);
	measure(t, &p);
	p.sign = terminal_unicode(out) ? "\xe2\x80\xa6" : "..";
	p.colours = terminal_colours(out);
	if (terminal_is(out))
		table_fit_into(&p.fit, terminal_columns(out));
	for (size_t i = 0; i < t->count && ok; i++)
		ok = put_row(&p, &t->rows[i]);
	measured_free(&p);
	return ok;
}

void table_free(table *t)
{
	size_t i;
	size_t k;

	if (t == NULL)
		return;
	for (i = 0; i < t->count; i++) {
		size_t cells = has_cells(&t->rows[i]) ? t->columns :
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
