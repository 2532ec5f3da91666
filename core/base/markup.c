/* SPDX-License-Identifier: Apache-2.0 */
#include "base/markup.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

static void put_escaped(FILE *out, const char *clean)
{
	static const char special[] = "&<>\"'";
	static const char *const names[] = { "&amp;", "&lt;", "&gt;", "&quot;", "&#39;" };

	while (*clean != '\0') {
		size_t plain = strcspn(clean, special);

		(void)fwrite(clean, 1, plain, out);
		clean += plain;
		if (*clean != '\0')
			(void)fputs(names[strchr(special, *clean++) - special], out);
	}
}

/* U+FFFE and U+FFFF, which XML does not allow, become "???". */
static void clean_for_xml(char *line)
{
	text_clean(line);
	for (char *at = line; (at = strstr(at, "\xef\xbf")) != NULL; at += 3)
		if ((unsigned char)at[2] >= 0xbe)
			memset(at, '?', 3);
}

static void put_line(FILE *out, const char *line)
{
	char *clean = memory_text(line != NULL ? line : "");

	clean_for_xml(clean);
	put_escaped(out, clean);
	free(clean);
}

void markup_text(FILE *out, const char *words)
{
	while (*words != '\0') {
		size_t size = strcspn(words, "\n\t");
		char *line = memory_format("%.*s", (int)size, words);

		put_line(out, line);
		free(line);
		words += size;
		if (*words != '\0')
			(void)fputc(*words++, out);
	}
}

/* One conversion; returns what stands after it. */
static const char *put_one(FILE *out, const char *format, va_list *arguments)
{
	size_t size = 1 + strcspn(format + 1, "sdufg") + 1;
	char one[16];

	snprintf(one, sizeof(one), "%.*s", (int)size, format);
	switch (one[size - 1]) {
	case 's': put_line(out, va_arg(*arguments, const char *)); break;
	case 'd': (void)fprintf(out, "%d", va_arg(*arguments, int)); break;
	case 'u':
		if (one[1] == 'z')
			(void)fprintf(out, "%zu", va_arg(*arguments, size_t));
		else
			(void)fprintf(out, "%llu", va_arg(*arguments, unsigned long long));
		break;
	default: {
		char *number = memory_get(64);

		/* The conversion is one of a constant format, which the compiler checked. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
		snprintf(number, 64, one, va_arg(*arguments, double));
#pragma GCC diagnostic pop
		(void)fputs(number, out);
		free(number);
	}
	}
	return format + size;
}

void markup_put(FILE *out, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	while (*format != '\0') {
		size_t plain = strcspn(format, "%");

		(void)fwrite(format, 1, plain, out);
		format += plain;
		if (format[0] == '%' && format[1] == '%') {
			(void)fputc('%', out);
			format += 2;
		} else if (format[0] == '%') {
			format = put_one(out, format, &arguments);
		}
	}
	va_end(arguments);
}

void markup_json(FILE *out, const char *json)
{
	while (*json != '\0') {
		size_t plain = strcspn(json, "<");

		(void)fwrite(json, 1, plain, out);
		json += plain;
		if (*json == '<') {
			(void)fputs("\\u003c", out);
			json++;
		}
	}
}
