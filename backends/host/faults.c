/* SPDX-License-Identifier: Apache-2.0 */
#include "faults.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static eh_status deliver(eh_error *error, eh_error *full)
{
	if (error != NULL)
		faults_copy_out(error, full, sizeof(*full));
	return full->code;
}

eh_status faults_set(eh_error *error, eh_status code, const char *format, ...)
{
	eh_error full = { .struct_size = sizeof(full), .code = code };
	va_list args;

	va_start(args, format);
	if (vsnprintf(full.message, sizeof(full.message), format, args) < 0)
		full.message[0] = '\0';
	va_end(args);
	return deliver(error, &full);
}

eh_status faults_system(eh_error *error, eh_status code, const char *call, int number,
                        const char *format, ...)
{
	eh_error full = { .struct_size = sizeof(full), .code = code, .native_code = number };
	const char *name = strerrorname_np(number);
	size_t used;
	va_list args;

	faults_text(full.native_name, sizeof(full.native_name), "%s", name != NULL ? name : "");
	faults_text(full.where, sizeof(full.where), "%s", call);
	va_start(args, format);
	if (vsnprintf(full.message, sizeof(full.message), format, args) < 0)
		full.message[0] = '\0';
	va_end(args);
	used = strlen(full.message);
	faults_text(full.message + used, sizeof(full.message) - used, ": %s", strerror(number));
	return deliver(error, &full);
}

void faults_copy_out(void *to, const void *from, size_t size)
{
	uint32_t room;

	memcpy(&room, to, sizeof(room));
	if (room > size)
		room = (uint32_t)size;
	if (room > sizeof(room))
		memcpy((char *)to + sizeof(room), (const char *)from + sizeof(room),
		       room - sizeof(room));
}

void faults_text(char *to, size_t size, const char *format, ...)
{
	va_list args;

	if (size == 0)
		return;
	va_start(args, format);
	if (vsnprintf(to, size, format, args) < 0)
		to[0] = '\0';
	va_end(args);
}
