/* SPDX-License-Identifier: Apache-2.0 */
#include "failure.h"

#include <stdio.h>
#include <string.h>

const failure_code *failure_find(const failure_code *codes, size_t count, int64_t native)
{
	for (size_t i = 0; i < count; i++)
		if (codes[i].native == native)
			return &codes[i];
	return NULL;
}

void failure_deliver(void *to, const void *from, size_t size)
{
	uint32_t room;

	memcpy(&room, to, sizeof(room));
	if (room > size)
		room = (uint32_t)size;
	if (room > sizeof(room))
		memcpy((char *)to + sizeof(room), (const char *)from + sizeof(room),
		       room - sizeof(room));
}

eh_status failure_set(eh_error *error, eh_status code, const char *where, const char *format, ...)
{
	eh_error e = { .struct_size = sizeof(e), .code = code };
	va_list arguments;

	if (error == NULL)
		return code;
	snprintf(e.where, sizeof(e.where), "%s", where);
	va_start(arguments, format);
	if (vsnprintf(e.message, sizeof(e.message), format, arguments) < 0)
		e.message[0] = '\0';
	va_end(arguments);
	failure_deliver(error, &e, sizeof(e));
	return code;
}

eh_status failure_native_list(eh_error *error, eh_status code, const char *where, int64_t native,
                              const char *name, const char *remedy, const char *format,
                              va_list arguments)
{
	eh_error e = { .struct_size = sizeof(e), .code = code, .native_code = native };
	int length;

	if (error == NULL)
		return code;
	snprintf(e.where, sizeof(e.where), "%s", where);
	snprintf(e.native_name, sizeof(e.native_name), "%s", name);
	length = vsnprintf(e.message, sizeof(e.message), format, arguments);
	if (length >= 0 && (size_t)length < sizeof(e.message))
		snprintf(e.message + length, sizeof(e.message) - (size_t)length,
		         ": %s returned %s (%lld).%s%s", where, name, (long long)native,
		         remedy != NULL && remedy[0] != '\0' ? " " : "",
		         remedy != NULL ? remedy : "");
	failure_deliver(error, &e, sizeof(e));
	return code;
}

eh_status failure_native(eh_error *error, eh_status code, const char *where, int64_t native,
                         const char *name, const char *remedy, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	(void)failure_native_list(error, code, where, native, name, remedy, format, arguments);
	va_end(arguments);
	return code;
}
