/* SPDX-License-Identifier: Apache-2.0 */
#include "base/terminal.h"

#include <langinfo.h>
#include <locale.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/letters.h"
#include "base/text.h"

/* Narrower than that nothing can be read, and no line is longer than the second. */
enum { COLUMNS_LEAST = 20, COLUMNS_MOST = 10000 };

static int behind_stdout = -1;

void terminal_stdout(int fd)
{
	behind_stdout = fd;
}

static int descriptor_of(FILE *out)
{
	int fd = fileno(out);

	return fd == STDOUT_FILENO && behind_stdout >= 0 ? behind_stdout : fd;
}

bool terminal_is(FILE *out)
{
	return isatty(descriptor_of(out)) == 1;
}

/* ---- size ------------------------------------------------------------------------------------ */

static size_t stated(const char *variable)
{
	const char *value = getenv(variable);
	uint64_t number = 0;

	return value != NULL && text_parse_uint(value, &number) && number <= COLUMNS_MOST ? (size_t)number : 0;
}

static size_t size_of(const char *variable, size_t own, size_t usual, size_t least)
{
	size_t size = stated(variable);

	size = size > 0 ? size : own > 0 ? own : usual;
	return size > least ? size : least;
}

size_t terminal_columns(FILE *out)
{
	struct winsize own = { 0 };

	if (!terminal_is(out))
		return 0;
	(void)ioctl(descriptor_of(out), TIOCGWINSZ, &own);
	return size_of("COLUMNS", own.ws_col, 80, COLUMNS_LEAST);
}

size_t terminal_lines(FILE *out)
{
	struct winsize own = { 0 };

	if (!terminal_is(out))
		return 0;
	(void)ioctl(descriptor_of(out), TIOCGWINSZ, &own);
	return size_of("LINES", own.ws_row, 24, 1);
}

/* ---- what it takes --------------------------------------------------------------------------- */

bool terminal_able(FILE *out)
{
	const char *kind = getenv("TERM");

	return terminal_is(out) && kind != NULL && kind[0] != '\0' && strcmp(kind, "dumb") != 0;
}

bool terminal_colours(FILE *out)
{
	const char *no = getenv("NO_COLOR");

	return (no == NULL || no[0] == '\0') && terminal_able(out);
}

/* Where the locale is not installed, its name says what the terminal takes. */
static bool named_utf8(void)
{
	static const char *const variables[] = { "LC_ALL", "LC_CTYPE", "LANG" };

	for (size_t i = 0; i < sizeof(variables) / sizeof(variables[0]); i++) {
		const char *name = getenv(variables[i]);

		if (name != NULL && name[0] != '\0')
			return strcasestr(name, "utf-8") != NULL || strcasestr(name, "utf8") != NULL;
	}
	return false;
}

static bool locale_is_utf8(void)
{
	locale_t own = newlocale(LC_CTYPE_MASK, "", (locale_t)0);
	bool utf8;

	if (own == (locale_t)0)
		return named_utf8();
	utf8 = strcmp(nl_langinfo_l(CODESET, own), "UTF-8") == 0;
	freelocale(own);
	return utf8;
}

bool terminal_unicode(FILE *out)
{
	static enum { UNKNOWN, NO, YES } known;

	if (!terminal_is(out))
		return true;
	if (known == UNKNOWN)
		known = locale_is_utf8() ? YES : NO;
	return known == YES;
}

static void add_ascii(text *t, const char *s, size_t size, size_t columns)
{
	if (size == 1 && (unsigned char)*s < 0x80)
		text_add_bytes(t, s, 1);
	else if (size == 2 && memcmp(s, "\xc2\xb1", 2) == 0)
		text_add(t, "+-");
	else
		text_add(t, "%.*s", (int)columns, "??");
}

char *terminal_words(FILE *out, char *words)
{
	text t = { 0 };
	size_t size;

	if (terminal_unicode(out))
		return words;
	text_add(&t, "%s", "");
	for (const char *s = words; *s != '\0'; s += size) {
		size_t columns = letters_columns(s, &size);

		add_ascii(&t, s, size, columns);
	}
	free(words);
	return t.data;
}
