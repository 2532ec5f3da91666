/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/number_file.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/files.h"
#include "base/limits.h"
#include "base/text.h"

enum { COLUMNS_MOST = 1000, SHOWN_MOST = 40 };
/* Squares and sums of values between these are neither infinite nor zero. */
static const double value_least = 1e-140;
static const double value_most = 1e140;
static const char byte_order_mark[] = "\xef\xbb\xbf";

/* A line while its cells are read; `rest` is NULL after the last one. */
typedef struct reader {
	const char *path;
	size_t line;
	char *rest;
	number_file *out;
	eh_error *error;
} reader;

static eh_status read_stdin(char **data, size_t *size, eh_error *error)
{
	text all = { 0 };
	char part[65536];
	size_t got;

	while ((got = fread(part, 1, sizeof(part), stdin)) > 0 && all.size < LIMIT_FILE)
		text_add_bytes(&all, part, got);
	if (ferror(stdin) || got > 0) {
		text_free(&all);
		return got == 0 ? error_set(error, EH_E_IO, "stdin cannot be read") :
		       error_set(error, EH_E_IO, "stdin holds more than %zu GiB", LIMIT_FILE / LIMIT_GIB);
	}
	text_add_bytes(&all, "", 0);
	*data = all.data != NULL ? all.data : memory_text("");
	*size = all.size;
	return EH_OK;
}

static bool is_separator(char c)
{
	return c == ',' || c == ';';
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

/* The next cell, terminated and without blanks around it; NULL after the last. */
static char *next_cell(reader *r)
{
	char *cell = r->rest;
	char *end;

	if (cell == NULL)
		return NULL;
	while (is_blank(*cell))
		cell++;
	end = cell;
	while (*end != '\0' && !is_separator(*end) && !is_blank(*end))
		end++;
	r->rest = end;
	while (is_blank(*r->rest))
		r->rest++;
	if (is_separator(*r->rest))
		r->rest++;
	else if (*r->rest == '\0')
		r->rest = NULL;
	*end = '\0';
	return cell;
}

static eh_status column_at(const reader *r, size_t index, number_column **out)
{
	number_file *f = r->out;

	if (index >= COLUMNS_MOST)
		return error_set(r->error, EH_E_USAGE, "%s:%zu: more than %d columns; one execution is "
		                 "one column, one sample one line", r->path, r->line, COLUMNS_MOST);
	if (index >= f->count) {
		f->columns = memory_grow(f->columns, (index + 1) * sizeof(*f->columns));
		memset(&f->columns[index], 0, sizeof(*f->columns));
		f->columns[index].name = memory_format("%zu", index + 1);
		f->count = index + 1;
	}
	*out = &f->columns[index];
	return EH_OK;
}

static void column_add(number_column *c, double value)
{
	if (c->count == c->room) {
		c->room = c->room > 0 ? 2 * c->room : 64;
		c->values = memory_grow(c->values, c->room * sizeof(*c->values));
	}
	c->values[c->count++] = value;
}

static eh_status take_number(const reader *r, size_t index, const char *cell, size_t lines)
{
	number_column *column;
	double value;
	eh_status status = column_at(r, index, &column);

	if (status != EH_OK || cell[0] == '\0')
		return status;
	if (!text_parse_double(cell, &value))
		return error_set(r->error, EH_E_USAGE, "%s:%zu: \"%.*s\" is not a number; a comment "
		                 "begins with #", r->path, r->line, SHOWN_MOST, cell);
	if (value < 0)
		return error_set(r->error, EH_E_USAGE, "%s:%zu: %.*s is negative; times are expected",
		                 r->path, r->line, SHOWN_MOST, cell);
	if (value > value_most || (value > 0 && value < value_least))
		return error_set(r->error, EH_E_USAGE, "%s:%zu: %.*s is not between 1e-140 and 1e140; "
		                 "take another unit", r->path, r->line, SHOWN_MOST, cell);
	if (column->count != lines)
		return error_set(r->error, EH_E_USAGE, "%s:%zu: column %s has nothing in the line "
		                 "before; only its end may be empty", r->path, r->line, column->name);
	column_add(column, value);
	return EH_OK;
}

/* Whether the cell is a number, even one that is refused. */
static bool is_meant(const char *cell)
{
	char *end;

	/* strtod accepts hexadecimal, inf, nan and numbers that overflow as well. */
	(void)strtod(cell, &end);
	return end != cell && *end == '\0';
}

/* A line without a number is the header. */
static bool is_header(const char *line)
{
	char *copy = memory_text(line);
	reader r = { .rest = copy };
	bool found = false;
	char *cell;

	while (!found && (cell = next_cell(&r)) != NULL)
		found = is_meant(cell);
	free(copy);
	return !found;
}

static eh_status take_line(reader *r, char *line, size_t *lines)
{
	bool header = *lines == 0 && r->out->count == 0 && is_header(line);
	eh_status status = EH_OK;
	size_t index = 0;
	char *cell;

	r->rest = line;
	while (status == EH_OK && (cell = next_cell(r)) != NULL) {
		number_column *column;

		if (!header) {
			status = take_number(r, index++, cell, *lines);
			continue;
		}
		status = column_at(r, index++, &column);
		if (status == EH_OK && cell[0] != '\0') {
			free(column->name);
			column->name = memory_text(cell);
		}
	}
	*lines += header ? 0 : 1;
	return status;
}

static eh_status take_all(reader *r, char *data, size_t size)
{
	eh_status status = EH_OK;
	size_t lines = 0;
	char *end = data + size;
	bool marked = strncmp(data, byte_order_mark, strlen(byte_order_mark)) == 0;
	char *line = data + (marked ? strlen(byte_order_mark) : 0);

	if (memchr(data, '\0', size) != NULL)
		return error_set(r->error, EH_E_USAGE, "%s is not text: it holds a zero byte", r->path);
	while (line < end && status == EH_OK) {
		char *next = memchr(line, '\n', (size_t)(end - line));
		char *comment;

		if (next != NULL)
			*next = '\0';
		else
			next = end;
		r->line++;
		comment = strchr(line, '#');
		if (comment != NULL)
			*comment = '\0';
		if (line[strspn(line, " \t\r")] != '\0')
			status = take_line(r, line, &lines);
		line = next + 1;
	}
	return status;
}

eh_status number_file_read(const char *path, number_file *out, eh_error *error)
{
	bool from_stdin = strcmp(path, "-") == 0;
	reader r = { .path = from_stdin ? "stdin" : path, .out = out, .error = error };
	eh_status status;
	char *data;
	size_t size;

	memset(out, 0, sizeof(*out));
	status = from_stdin ? read_stdin(&data, &size, error) : file_read(path, &data, &size, error);
	if (status != EH_OK)
		return status;
	status = take_all(&r, data, size);
	free(data);
	if (status == EH_OK && out->count == 0)
		status = error_set(error, EH_E_USAGE, "%s holds no number", r.path);
	for (size_t i = 0; i < out->count && status == EH_OK; i++)
		if (out->columns[i].count == 0)
			status = error_set(error, EH_E_USAGE, "%s: column %s holds no number", r.path,
			                   out->columns[i].name);
	if (status != EH_OK)
		number_file_free(out);
	return status;
}

void number_file_free(number_file *f)
{
	for (size_t i = 0; i < f->count; i++) {
		free(f->columns[i].name);
		free(f->columns[i].values);
	}
	free(f->columns);
	memset(f, 0, sizeof(*f));
}
