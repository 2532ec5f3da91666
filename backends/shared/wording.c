/* SPDX-License-Identifier: Apache-2.0 */
#include "wording.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *wording_source_with(const eh_source *source, const char *prelude)
{
	size_t size = strlen(prelude) + strlen(source->body) + 3;
	size_t used = 0;
	char *text;

	for (uint32_t i = 0; i < source->macro_count; i++)
		size += strlen("#define  \n") + strlen(source->macros[i].name) +
		        strlen(source->macros[i].value);
	text = malloc(size);
	if (text == NULL)
		return NULL;
	for (uint32_t i = 0; i < source->macro_count; i++)
		used += (size_t)snprintf(text + used, size - used, "#define %s %s\n",
		                         source->macros[i].name, source->macros[i].value);
	snprintf(text + used, size - used, "%s\n%s\n", prelude, source->body);
	return text;
}

char *wording_source(const eh_source *source)
{
	return wording_source_with(source, source->prelude);
}

void wording_log(const char *text, char *log, size_t log_size)
{
	if (log != NULL && log_size > 0)
		snprintf(log, log_size, "%s", text != NULL ? text : "");
}

void wording_no_log(const char *where, const char *name, int64_t native, char *log,
                    size_t log_size)
{
	if (log != NULL && log_size > 0)
		snprintf(log, log_size, "There is no log to show: %s returned %s (%lld).\n", where,
		         name != NULL ? name : "an unknown code", (long long)native);
}

void wording_tidy(char *text)
{
	const size_t lead = strspn(text, " \t\r\n");
	size_t length = strlen(text + lead);

	memmove(text, text + lead, length + 1);
	while (length > 0 && strchr(" \t\r\n", text[length - 1]) != NULL)
		text[--length] = '\0';
	for (; *text != '\0'; text++)
		if ((unsigned char)*text < 0x20 || *text == 0x7f)
			*text = ' ';
}

void wording_detail(eh_layer *layer, const char *key, const char *value)
{
	const size_t used = strlen(layer->detail);
	const size_t room = sizeof(layer->detail) - used;
	int length;

	if (value[0] == '\0')
		return;
	length = snprintf(layer->detail + used, room, "%s%s=%s", used > 0 ? "; " : "", key, value);
	if (length >= 0 && (size_t)length < room)
		return;
	for (size_t end = sizeof(layer->detail) - 5; end > used + strlen(key) + 2; end--)
		if (layer->detail[end] == ' ') {
			memcpy(layer->detail + end, " ...", 5);
			return;
		}
	layer->detail[used] = '\0';
}

void wording_detail_number(eh_layer *layer, const char *key, uint64_t value)
{
	char text[24];

	snprintf(text, sizeof(text), "%llu", (unsigned long long)value);
	wording_detail(layer, key, text);
}

void wording_gap(wording_gaps *gaps, const char *fact, const char *where, const char *name,
                 int64_t native)
{
	const size_t used = strlen(gaps->text);
	char reason[200];
	size_t length;

	snprintf(reason, sizeof(reason), ", because %s returned %s (%lld)", where, name,
	         (long long)native);
	length = strlen(reason);
	if (used >= length && strcmp(gaps->text + used - length, reason) == 0)
		snprintf(gaps->text + used - length, sizeof(gaps->text) - used + length, ", %s%s", fact,
		         reason);
	else
		snprintf(gaps->text + used, sizeof(gaps->text) - used, "%s%s%s",
		         used > 0 ? ", and " : "", fact, reason);
}

void wording_detail_gaps(eh_layer *layer, const wording_gaps *gaps)
{
	wording_detail(layer, "unknown", gaps->text);
}

void wording_path(eh_layer *layer, const char *path)
{
	if (strlen(path) < sizeof(layer->path))
		memcpy(layer->path, path, strlen(path) + 1);
}

void wording_shorten(const char *text, char *out, size_t room)
{
	size_t end = strlen(text);

	if (end < room) {
		memcpy(out, text, end + 1);
		return;
	}
	for (end = room - 5; end > 0 && text[end] != ' ';)
		end--;
	snprintf(out, room, "%.*s ...", (int)end, text);
}

/* Whether the line that begins at `at` stands before it, too. */
static bool is_line_before(const char *notes, size_t at)
{
	const size_t length = strlen(notes + at);

	for (size_t i = 0; i < at; i += strcspn(notes + i, "\n") + 1)
		if (strncmp(notes + i, notes + at, length) == 0 && notes[i + length] == '\n')
			return true;
	return false;
}

void wording_note(char *notes, size_t size, const char *format, ...)
{
	const size_t used = strlen(notes);
	const size_t room = size - used;
	va_list arguments;
	int length;

	va_start(arguments, format);
	length = vsnprintf(notes + used, room, format, arguments);
	va_end(arguments);
	/* A line that does not fit whole, or is there already, is left out. */
	if (length < 0 || (size_t)length + 2 > room || is_line_before(notes, used))
		notes[used] = '\0';
	else
		memcpy(notes + used + length, "\n", 2);
}

void wording_say(const eh_host *host, int level, const char *format, ...)
{
	char line[1024];
	va_list arguments;
	int length;

	va_start(arguments, format);
	length = vsnprintf(line, sizeof(line), format, arguments);
	va_end(arguments);
	if (length < 0)
		return;
	wording_tidy(line);
	host->log(host->ctx, level, line);
}

void wording_say_gaps(const eh_host *host, const char *device, const wording_gaps *gaps)
{
	if (gaps->text[0] != '\0')
		wording_say(host, EH_LOG_WARN, "Unknown of %s: %s.", device, gaps->text);
}

void wording_uuid(const unsigned char bytes[16], char *out, size_t size)
{
	size_t used = 0;

	for (int i = 0; i < 16 && used + 4 < size; i++)
		used += (size_t)snprintf(out + used, size - used, "%s%02x",
		                         i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", bytes[i]);
}
