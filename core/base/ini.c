/* SPDX-License-Identifier: Apache-2.0 */
#include "base/ini.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Debian builds inih with a handler that takes the line number.  The reader below counts lines
 * itself, so a library built without this works as well. */
#define INI_HANDLER_LINENO 1
#include <ini.h>

#include "base/text.h"

enum {
	LINE_BYTES_MAX = 190,   /* inih cuts lines after 200 bytes                              */
	WORD_BYTES_MAX = 40,    /* inih cuts the names of sections and keys after 49 bytes      */
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

/* ---- lines, before inih ---------------------------------------------------------------------- */

#define WORD "abcdefghijklmnopqrstuvwxyz0123456789-"
#define NEITHER "this is neither [section], key = value nor a comment"
#define REFUSE(r, ...) ini_refuse((r)->out->source, (r)->line, (r)->error, __VA_ARGS__)

typedef struct reading {
	ini_text *out;
	const char *at, *end; /* the text not read yet                                          */
	const char *given;    /* the line that inih parses, as it stands in the file            */
	int line;             /* its number                                                     */
	eh_error *error;
	eh_status status;     /* of the first error                                             */
} reading;

static bool blank(char c)
{
	return c == ' ' || c == '\t';
}

static bool is_letter(char c)
{
	return c >= 'a' && c <= 'z';
}

static eh_status check_bytes(const reading *r, const char *s, size_t size)
{
	size_t step;

	for (size_t i = 0; i < size; i += step) {
		unsigned char c = (unsigned char)s[i];

		step = text_utf8_size(s + i, size - i);
		if (c == '\0')
			return REFUSE(r, "this line contains a NUL byte; is it a text file?");
		if (c == '\r')
			return REFUSE(r, "this line contains a carriage return before its end; "
			              "lines end with a line feed");
		if ((c < 0x20 && c != '\t') || c == 0x7f)
			return REFUSE(r, "this line contains a control character (0x%02x)", c);
		if (step == 0)
			return REFUSE(r, "this line contains a byte (0x%02x) that is not UTF-8",
			              c);
	}
	return EH_OK;
}

/* Takes ownership of the name. */
static eh_status add_section(reading *r, char *name)
{
	ini_text *l = r->out;
	size_t before = l->count;

	if (before % 16 == 0)
		l->sections = memory_grow(l->sections, (before + 16) * sizeof(*l->sections));
	l->sections[l->count++] = (ini_section){ .name = name, .line = r->line };
	for (size_t i = 0; i < before; i++)
		if (strcmp(l->sections[i].name, name) == 0)
			return REFUSE(r, "the section [%s] occurs twice; the first is in line %d",
			              name, l->sections[i].line);
	return before == SECTIONS_MAX ? REFUSE(r, "more than %d sections", SECTIONS_MAX) : EH_OK;
}

/* Reads "[WORD]" or "[WORD NAME]", which only a comment may follow.  inih would accept and cut any
 * name, ignore the text after it, and not report a section without settings. */
static eh_status take_section(reading *r, const char *line)
{
	const char *name = line + 1;
	size_t size = strcspn(name, "]");
	size_t word = strspn(name, WORD);
	const char *second = name + word + strspn(name + word, " ");
	size_t rest = strspn(second, WORD);
	const char *behind = name + size + 1;

	if (name[size] == '\0')
		return REFUSE(r, "']' is missing after the section's name");
	behind += strspn(behind, " \t");
	if (*behind != '\0' && *behind != ';' && *behind != '#')
		return REFUSE(r, "there is text after the section's ']'");
	if (!is_letter(name[0]) || word > WORD_BYTES_MAX || second + rest != name + size ||
	    (word != size && (rest == 0 || second[0] == '-')))
		return REFUSE(r, "a section is [WORD], such as [protocol], or [WORD NAME], such as "
		              "[case NAME], with words of a-z, 0-9 and '-', at most %d letters",
		              WORD_BYTES_MAX);
	if (rest > WORD_BYTES_MAX)
		return REFUSE(r, "the section's name is longer than %d letters", WORD_BYTES_MAX);
	return add_section(r, memory_format("%.*s%s%.*s", (int)word, name, rest > 0 ? " " : "",
	                                    (int)rest, second));
}

/* inih's reader: the next line, or NULL at the end and after the first error.  Removes indentation,
 * which inih would take for the continuation of the value before. */
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
	for (; size > 0 && blank(s[0]); s++)
		size--;
	while (size > 0 && blank(s[size - 1]))
		size--;
	r->given = s;
	r->status = check_bytes(r, s, size);
	/* inih gets an empty line for a comment, so that comments may have any length. */
	if (size > 0 && (s[0] == ';' || s[0] == '#'))
		size = 0;
	if (r->status == EH_OK && (size > LINE_BYTES_MAX || (int)size + 2 > room_size))
		r->status = REFUSE(r, "this line is longer than %d bytes", LINE_BYTES_MAX);
	/* inih would skip a byte order mark even after blanks. */
	if (r->status == EH_OK && size > 0 && (unsigned char)s[0] >= 0x80)
		r->status = REFUSE(r, NEITHER);
	if (r->status != EH_OK)
		return NULL;
	memcpy(room, s, size);
	room[size] = '\0';
	if (room[0] == '[')
		r->status = take_section(r, room);
	return r->status == EH_OK ? room : NULL;
}

/* ---- settings, from inih --------------------------------------------------------------------- */

/* Refuses keys and ':' as a separator that inih would accept. */
static eh_status check_key(const reading *r, const char *key)
{
	size_t size = strlen(key);
	const char *separator = r->given + size;

	if (!is_letter(key[0]) || key[strspn(key, WORD)] != '\0')
		return REFUSE(r, NEITHER "; a key is made of a-z, 0-9 and '-'");
	if (size > WORD_BYTES_MAX)
		return REFUSE(r, "the key is longer than %d letters", WORD_BYTES_MAX);
	while (blank(*separator))
		separator++;
	return *separator == '=' ? EH_OK : REFUSE(r, "'=' is missing after '%s'", key);
}

static eh_status add_setting(reading *r, const char *key, const char *value)
{
	ini_section *section;

	if (r->out->count == 0)
		return REFUSE(r, "'%s' comes before the first [section]", key);
	section = &r->out->sections[r->out->count - 1];
	if (value[0] == '\0')
		return REFUSE(r, "'%s' has no value", key);
	for (size_t i = 0; i < section->count; i++)
		if (strcmp(section->settings[i].key, key) == 0)
			return REFUSE(r, "'%s' occurs twice in [%s]; the first is in line %d",
			              key, section->name, section->settings[i].line);
	if (section->count == SETTINGS_MAX)
		return REFUSE(r, "more than %d keys in [%s]", SETTINGS_MAX, section->name);
	if (section->count % 8 == 0)
		section->settings = memory_grow(section->settings,
		                                (section->count + 8) * sizeof(*section->settings));
	section->settings[section->count++] = (ini_setting){
		.key = memory_text(key), .text = memory_text(value), .line = r->line,
	};
	return EH_OK;
}

/* inih's handler.  inih may have cut the section's name: the reader's is used. */
static int on_setting(void *context, const char *section, const char *key, const char *value,
                      int line)
{
	reading *r = context;

	(void)section;
	(void)line;
	if (r->status == EH_OK)
		r->status = check_key(r, key);
	if (r->status == EH_OK)
		r->status = add_setting(r, key, value);
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
	/* inih reports a line without '=' or ':' only at the end. */
	if (bad > 0 && (r.status == EH_OK || bad < r.line))
		r.status = ini_refuse(source, bad, error, NEITHER);
	if (bad < 0)
		r.status = error_set(error, EH_E_NO_MEMORY, "%s: not enough memory", source);
	if (r.status != EH_OK)
		ini_free(out);
	return r.status;
}
