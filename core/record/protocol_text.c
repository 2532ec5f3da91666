/* SPDX-License-Identifier: Apache-2.0 */
#include <stdbool.h>
#include <string.h>

#include "base/text.h"
#include "record/seal.h"

static bool blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

/* The first word after "KEY ="; NULL when the line is no such line. */
static char *value_of(const char *line, size_t size, const char *key)
{
	size_t at = strlen(key);
	size_t end;

	if (size < at || memcmp(line, key, at) != 0)
		return NULL;
	while (at < size && blank(line[at]))
		at++;
	if (at == size || line[at] != '=')
		return NULL;
	for (at++; at < size && blank(line[at]); at++)
		;
	for (end = at; end < size && !blank(line[end]); end++)
		;
	return memory_format("%.*s", (int)(end - at), line + at);
}

char *protocol_text_value(const char *body, const char *key)
{
	static const char title[] = "[protocol]";
	bool inside = false;

	while (*body != '\0') {
		size_t size = strcspn(body, "\n");
		const char *line = body;

		body += size + (body[size] == '\n');
		while (size > 0 && blank(line[0])) {
			line++;
			size--;
		}
		if (size > 0 && line[0] == '[') {
			inside = size >= strlen(title) && memcmp(line, title, strlen(title)) == 0;
		} else if (inside) {
			char *value = value_of(line, size, key);

			if (value != NULL)
				return value;
		}
	}
	return NULL;
}
