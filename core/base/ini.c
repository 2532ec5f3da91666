/* SPDX-License-Identifier: Apache-2.0 */
#include "base/ini.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Debian builds inih so that its handler takes the line.  The reader below counts for itself,
 * so a library built the other way serves as well. */
#define INI_HANDLER_LINENO 1
#include <ini.h>

#include "base/text.h"

enum {
	LINE_BYTES_MAX = 190,   /* inih holds 200 and cuts what is longer                       */
	WORD_BYTES_MAX = 40,    /* inih holds 49 bytes of a section's or key's name             */
	SECTIONS_MAX = 1000,
	SETTINGS_MAX = 100,     /* of one section                                               */
	TEXT_BYTES_MAX = 1 << 20
};

eh_status ini_refuse(const char *source, int line, eh_error *error, const char *format, ...)
{
	char message[320];
	size_t size = strlen(source);
	const char *shown = source, *mark = "";
	va_list args;

	if (size > 100) {
		shown = source + size - 96;
		mark = "...";
		while (((unsigned char)*shown & 0xc0) == 0x80)
			shown++;
	}
	va_start(args, format);
	if (vsnprintf(message, sizeof(message), format, args) < 0)
		message[0] = '\0';
	va_end(args);
	if (line > 0)
		return error_set(error, EH_E_USAGE, "%s%s:%d: %s", mark, shown, line, message);
	return error_set(error, EH_E_USAGE, "%s%s: %s", mark, shown, message);
}

/* ---- one line, before inih ------------------------------------------------------------------- */

typedef struct reading {
	ini_text *out;
	const char *at, *end;
	int line;            /* of what inih was given last                                     */
	eh_error *error;
	eh_status status;    /* sticky                                                          */
} reading;

static bool blank(char c)
{
	return c == ' ' || c == '\t';
}

static bool lower_or_digit(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

/* [a-z][a-z0-9-]*, or for the name of a case [a-z0-9][a-z0-9-]* */
static bool is_word(const char *s, size_t size, bool digit_first)
{
	if (size == 0 || !lower_or_digit(s[0]) || (!digit_first && s[0] <= '9'))
		return false;
	for (size_t i = 1; i < size; i++)
		if (!lower_or_digit(s[i]) && s[i] != '-')
			return false;
	return true;
}

static eh_status check_bytes(const reading *r, const char *s, size_t size)
{
	const char *source = r->out->source;

	for (size_t i = 0; i < size;) {
		unsigned char c = (unsigned char)s[i];
		size_t step = text_utf8_size(s + i, size - i);

		if (c == '\0')
			return ini_refuse(source, r->line, r->error, "there is a NUL byte in this line; "
			                    "is it a text file?");
		if (c == '\r')
			return ini_refuse(source, r->line, r->error, "there is a carriage return within "
			                    "this line; lines end with a line feed");
		if ((c < 0x20 && c != '\t') || c == 0x7f)
			return ini_refuse(source, r->line, r->error, "there is a control character "
			                    "(0x%02x) in this line", c);
		if (step == 0)
			return ini_refuse(source, r->line, r->error, "there is a byte (0x%02x) in this "
			                    "line that is not UTF-8", c);
		i += step;
	}
	return EH_OK;
}

static eh_status add_section(reading *r, const char *name, size_t size)
{
	ini_text *l = r->out;
	ini_section *section;

	for (size_t i = 0; i < l->count; i++)
		if (strlen(l->sections[i].name) == size && memcmp(l->sections[i].name, name, size) == 0)
			return ini_refuse(l->source, r->line, r->error, "the section [%.*s] is there twice; "
			                    "the first is in line %d", (int)size, name, l->sections[i].line);
	if (l->count == SECTIONS_MAX)
		return ini_refuse(l->source, r->line, r->error, "more than %d sections", SECTIONS_MAX);
	if (l->count % 16 == 0)
		l->sections = memory_grow(l->sections, (l->count + 16) * sizeof(*l->sections));
	section = &l->sections[l->count++];
	*section = (ini_section){ .name = memory_format("%.*s", (int)size, name), .line = r->line };
	return EH_OK;
}

/* "[WORD]" or "[WORD NAME]", with a comment behind it at most. */
static eh_status take_section(reading *r, const char *s, size_t size)
{
	const char *source = r->out->source;
	const char *close = memchr(s, ']', size);
	const char *space;
	char name[2 * WORD_BYTES_MAX + 2];
	size_t inside, rest;

	if (close == NULL)
		return ini_refuse(source, r->line, r->error, "']' is missing after the section's name");
	rest = (size_t)(s + size - close) - 1;
	while (rest > 0 && blank(close[1])) {
		close++;
		rest--;
	}
	if (rest > 0 && close[1] != ';' && close[1] != '#')
		return ini_refuse(source, r->line, r->error, "there is text after the section's ']'");
	inside = (size_t)((const char *)memchr(s, ']', size) - s) - 1;
	s++;
	space = memchr(s, ' ', inside);
	if (space == NULL) {
		if (!is_word(s, inside, false) || inside > WORD_BYTES_MAX)
			goto misspelt;
		return add_section(r, s, inside);
	}
	if (!is_word(s, (size_t)(space - s), false) || space - s > WORD_BYTES_MAX)
		goto misspelt;
	rest = inside - (size_t)(space - s);
	while (rest > 0 && *space == ' ') {
		space++;
		rest--;
	}
	if (!is_word(space, rest, true))
		goto misspelt;
	if (rest > WORD_BYTES_MAX)
		return ini_refuse(source, r->line, r->error, "the section's name is longer than %d "
		                    "letters", WORD_BYTES_MAX);
	snprintf(name, sizeof(name), "%.*s %.*s", (int)((const char *)memchr(s, ' ', inside) - s), s,
	         (int)rest, space);
	return add_section(r, name, strlen(name));

misspelt:
	return ini_refuse(source, r->line, r->error, "a section is [WORD], such as "
	                    "[protocol], or [WORD NAME], such as [case NAME], with words of a-z, 0-9 "
	                    "and '-', at most %d letters",
	                    WORD_BYTES_MAX);
}

/* "key = value" as far as inih cannot be trusted with it. */
static eh_status check_setting(const reading *r, const char *s, size_t size)
{
	const char *source = r->out->source;
	size_t key = 0;

	while (key < size && s[key] != '=' && s[key] != ':' && !blank(s[key]))
		key++;
	if (!is_word(s, key, false))
		return ini_refuse(source, r->line, r->error, "this is neither [section], key = value "
		                    "nor a comment; a key is made of a-z, 0-9 and '-'");
	if (key > WORD_BYTES_MAX)
		return ini_refuse(source, r->line, r->error, "the key is longer than %d letters",
		                    WORD_BYTES_MAX);
	for (size_t i = key; i < size; i++) {
		if (blank(s[i]))
			continue;
		if (s[i] == '=')
			return EH_OK;
		break;
	}
	return ini_refuse(source, r->line, r->error, "'=' is missing after '%.*s'", (int)key, s);
}

/* inih's reader: the next line without indentation, which inih would take for a continuation
 * of the value before.  NULL at the end, and at the first error. */
static char *next_line(char *room, int room_size, void *context)
{
	reading *r = context;
	const char *s = r->at, *newline;
	size_t size;

	if (r->status != EH_OK || r->at == r->end)
		return NULL;
	newline = memchr(s, '\n', (size_t)(r->end - s));
	size = (size_t)((newline != NULL ? newline : r->end) - s);
	r->at = newline != NULL ? newline + 1 : r->end;
	r->line++;
	if (size > 0 && newline != NULL && s[size - 1] == '\r')
		size--;
	while (size > 0 && blank(s[0])) {
		s++;
		size--;
	}
	while (size > 0 && blank(s[size - 1]))
		size--;
	r->status = check_bytes(r, s, size);
	/* A comment may be of any length: inih need not see it. */
	if (size > 0 && (s[0] == ';' || s[0] == '#'))
		size = 0;
	if (r->status == EH_OK && (size > LINE_BYTES_MAX || (int)size + 2 > room_size))
		r->status = ini_refuse(r->out->source, r->line, r->error, "this line is longer than %d "
		                         "bytes", LINE_BYTES_MAX);
	if (r->status == EH_OK && size > 0)
		r->status = s[0] == '[' ? take_section(r, s, size) : check_setting(r, s, size);
	if (r->status != EH_OK)
		return NULL;
	memcpy(room, s, size);
	room[size] = '\n';
	room[size + 1] = '\0';
	return room;
}

/* ---- one setting, after inih ----------------------------------------------------------------- */

static eh_status add_setting(reading *r, const char *key, const char *value)
{
	ini_text *l = r->out;
	ini_section *section;

	if (l->count == 0)
		return ini_refuse(l->source, r->line, r->error, "'%s' stands before the first [section]",
		                    key);
	section = &l->sections[l->count - 1];
	if (value[0] == '\0')
		return ini_refuse(l->source, r->line, r->error, "'%s' has no value", key);
	for (size_t i = 0; i < section->count; i++)
		if (strcmp(section->settings[i].key, key) == 0)
			return ini_refuse(l->source, r->line, r->error, "'%s' is there twice in [%s]; the "
			                    "first is in line %d", key, section->name,
			                    section->settings[i].line);
	if (section->count == SETTINGS_MAX)
		return ini_refuse(l->source, r->line, r->error, "more than %d keys in [%s]",
		                    SETTINGS_MAX, section->name);
	if (section->count % 8 == 0)
		section->settings = memory_grow(section->settings,
		                                (section->count + 8) * sizeof(*section->settings));
	section->settings[section->count++] = (ini_setting){
		.key = memory_text(key), .text = memory_text(value), .line = r->line,
	};
	return EH_OK;
}

static int on_setting(void *context, const char *section, const char *key, const char *value,
                      int line)
{
	reading *r = context;

	(void)section; /* the reader knows it, uncut */
	(void)line;
	if (r->status == EH_OK)
		r->status = add_setting(r, key, value != NULL ? value : "");
	return r->status == EH_OK;
}

/* ---- the whole ------------------------------------------------------------------------------- */

void ini_free(ini_text *l)
{
	for (size_t i = 0; i < l->count; i++) {
		for (size_t j = 0; j < l->sections[i].count; j++) {
			free(l->sections[i].settings[j].key);
			free(l->sections[i].settings[j].text);
		}
		free(l->sections[i].settings);
		free(l->sections[i].name);
	}
	free(l->sections);
	*l = (ini_text){ 0 };
}

eh_status ini_read(const char *data, size_t size, const char *source, ini_text *out,
                     eh_error *error)
{
	reading r = { .out = out, .at = data, .end = data + size, .error = error };
	int bad;

	*out = (ini_text){ .source = source };
	if (size > TEXT_BYTES_MAX)
		return ini_refuse(source, 0, error, "the file is larger than 1 MiB");
	if (size >= 3 && memcmp(data, "\xef\xbb\xbf", 3) == 0)
		r.at += 3;
	bad = ini_parse_stream(next_line, &r, on_setting, &r);
	if (r.status == EH_OK && bad != 0)
		r.status = bad < 0 ? error_set(error, EH_E_NO_MEMORY, "%s: not enough memory", source) :
		           ini_refuse(source, bad, error, "this is neither [section], key = value nor "
		                        "a comment");
	if (r.status != EH_OK)
		ini_free(out);
	return r.status;
}
