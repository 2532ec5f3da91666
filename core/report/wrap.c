/* SPDX-License-Identifier: Apache-2.0 */
/* Text on a terminal: what it takes of a line, and its words on several. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/letters.h"
#include "base/terminal.h"
#include "base/text.h"
#include "report/report.h"

/* Longer lines than that are hard to read. */
enum { MEASURE = 100 };

size_t table_room(FILE *out)
{
	return terminal_is(out) ? terminal_columns(out) : TABLE_WIDTH;
}

size_t table_measure(FILE *out)
{
	size_t room = table_room(out);

	return room < MEASURE ? room : MEASURE;
}

size_t table_width(const char *s)
{
	size_t total = 0, size;

	for (; *s != '\0'; s += size)
		total += letters_columns(s, &size);
	return total;
}

char *table_clean(const char *s)
{
	char *copy = memory_text(s);

	text_clean(copy);
	return copy;
}

/* ---- parts of a text ------------------------------------------------------------------------- */

/* How many bytes of s take at most so many columns; what follows a character without taking any belongs to
 * it. */
static size_t bytes_within(const char *s, size_t columns)
{
	size_t at = 0, size;

	while (s[at] != '\0') {
		size_t more = letters_columns(s + at, &size);

		if (more > columns)
			break;
		columns -= more;
		at += size;
	}
	return at;
}

char *table_elided(const char *s, size_t most, const char *sign)
{
	size_t width = table_width(s), gone = table_width(sign), tail = (most - gone) / 2, head, skipped, size;

	if (width <= most)
		return memory_text(s);
	if (most <= gone)
		return memory_format("%.*s", (int)bytes_within(s, most), s);
	head = bytes_within(s, (most - gone + 1) / 2);
	/* A wide character that does not fit wholly goes. */
	for (skipped = bytes_within(s, width - tail); table_width(s + skipped) > tail; skipped += size)
		(void)letters_columns(s + skipped, &size);
	return memory_format("%.*s%s%s", (int)head, s, sign, s + skipped);
}

char *table_piece(const char **rest, size_t columns)
{
	const char *s = *rest;
	size_t fits = bytes_within(s, columns > 0 ? columns : 1), end = fits;

	if (s[fits] != '\0') {
		while (end > 0 && s[end] != ' ')
			end--;
		/* A word that is longer than the column is cut; a character that is wider stands out. */
		if (end == 0)
			end = fits > 0 ? fits : bytes_within(s, 2);
	}
	*rest = s + end + strspn(s + end, " ");
	while (end > 0 && s[end - 1] == ' ')
		end--;
	return memory_format("%.*s", (int)end, s);
}

/* ---- lines ----------------------------------------------------------------------------------- */

bool table_spaces(FILE *out, size_t n)
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
	size_t measure = table_measure(out);
	bool first = true, ok = true;

	while (*s != '\0' && ok) {
		int size = (int)strcspn(s, " ");
		char *word = memory_format("%.*s", size, s);
		size_t width = table_width(word);

		if (!first && column + 1 + width > measure) {
			ok = fputc('\n', out) != EOF && table_spaces(out, hang);
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
	char *clean = terminal_words(out, table_clean(note));
	bool ok = table_spaces(out, indent) && wrap_words(out, clean, indent, indent + 2);

	free(clean);
	return ok;
}

bool table_sentence(FILE *out, const char *words)
{
	char *clean = table_clean(words);
	bool ok = terminal_is(out) ? table_wrap(out, clean, 0) : fprintf(out, "%s\n", clean) >= 0;

	free(clean);
	return ok;
}

bool table_labelled(FILE *out, size_t column, const char *label, const char *words)
{
	char *clean = terminal_words(out, table_clean(words));
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
	clean = terminal_words(out, table_clean(memory_insist(body)));
	ok = table_spaces(out, indent) && fprintf(out, "%-*s", TABLE_LABEL, label) >= 0 &&
	     wrap_words(out, clean, column, column);
	free(clean);
	free(body);
	return ok;
}
