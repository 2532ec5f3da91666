/* SPDX-License-Identifier: Apache-2.0 */
#include "page/html.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "report/report.h"

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

static void put_line(FILE *out, const char *line)
{
	char *clean = table_clean(line != NULL ? line : "");

	put_escaped(out, clean);
	free(clean);
}

void html_text(FILE *out, const char *words)
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

void html_put(FILE *out, const char *format, ...)
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

void html_json(FILE *out, const char *json)
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
