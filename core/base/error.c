/* SPDX-License-Identifier: Apache-2.0 */
#include "base/error.h"
#undef error_set /* error.h replaces both for the analyser */
#undef error_system

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

/* Drops an incomplete UTF-8 sequence at the end, where a message was cut. */
static void tidy(char *message)
{
	size_t size = strlen(message);
	size_t lead = size;

	while (lead > 0 && size - lead < 4 && ((unsigned char)message[lead - 1] & 0xc0) == 0x80)
		lead--;
	if (lead > 0) {
		unsigned char c = (unsigned char)message[lead - 1];
		size_t want = c >= 0xf0 ? 4 : c >= 0xe0 ? 3 : c >= 0xc0 ? 2 : 1;

		if (size - (lead - 1) < want)
			message[lead - 1] = '\0';
	}
	text_clean(message);
}

/* The arguments may point into *error: the message is formatted before *error is cleared. */
__attribute__((format(printf, 5, 0)))
static void fill(eh_error *error, eh_status code, int64_t native_code, const char *suffix,
                 const char *format, va_list args)
{
	char message[sizeof(error->message)];
	uint32_t struct_size = error->struct_size;
	int written = vsnprintf(message, sizeof(message), format, args);

	if (written < 0)
		message[0] = '\0';
	else if (suffix != NULL && (size_t)written < sizeof(message))
		snprintf(message + written, sizeof(message) - (size_t)written, ": %s", suffix);
	tidy(message);
	memset(error, 0, sizeof(*error));
	error->struct_size = struct_size != 0 ? struct_size : (uint32_t)sizeof(*error);
	error->code = code;
	error->native_code = native_code;
	memcpy(error->message, message, sizeof(message));
}

eh_status error_set(eh_error *error, eh_status code, const char *format, ...)
{
	va_list args;

	if (error == NULL)
		return code;
	va_start(args, format);
	fill(error, code, 0, NULL, format, args);
	va_end(args);
	return code;
}

void error_remedy(eh_error *error, const char *remedy)
{
	const size_t room = sizeof(error->message) - 1, size = strlen(remedy) < room ? strlen(remedy) : room;
	size_t at;

	if (error == NULL)
		return;
	at = strlen(error->message);
	if (at > room - size)
		at = room - size;
	/* No character is torn. */
	while (at > 0 && ((unsigned char)error->message[at] & 0xc0) == 0x80)
		at--;
	memcpy(error->message + at, remedy, size);
	error->message[at + size] = '\0';
}

eh_status error_system(eh_error *error, int errno_value, const char *format, ...)
{
	eh_status code = errno_value == ENOMEM ? EH_E_NO_MEMORY : EH_E_IO;
	char reason[128];
	va_list args;

	if (error == NULL)
		return code;
	va_start(args, format);
	fill(error, code, errno_value, strerror_r(errno_value, reason, sizeof(reason)), format, args);
	va_end(args);
	return code;
}

const char *error_status_name(eh_status status)
{
	switch (status) {
	case EH_OK: return "ok";
	case EH_E_INVALID_ARGUMENT: return "invalid-argument";
	case EH_E_NO_MEMORY: return "no-memory";
	case EH_E_UNSUPPORTED: return "unsupported";
	case EH_E_UNAVAILABLE: return "unavailable";
	case EH_E_INCOMPATIBLE: return "incompatible";
	case EH_E_BUILD: return "build";
	case EH_E_TIMEOUT: return "timeout";
	case EH_E_DEVICE: return "device";
	case EH_E_DEVICE_LOST: return "device-lost";
	case EH_E_INTERNAL: return "internal";
	case EH_E_USAGE: return "usage";
	case EH_E_IO: return "io";
	case EH_E_FORMAT: return "format";
	case EH_E_NOT_FOUND: return "not-found";
	case EH_E_INTERRUPTED: return "interrupted";
	case EH_E_CHILD: return "child";
	case EH_E_ALTERED: return "altered";
	default: return "unknown";
	}
}

const char *error_sentence(eh_error *error, eh_status status)
{
	if (error == NULL)
		return error_status_name(status);
	text_clean_array(error->message);
	text_clean_array(error->where);
	text_clean_array(error->native_name);
	return error->message[0] != '\0' ? error->message : error_status_name(status);
}

int error_exit_code(eh_status status)
{
	switch (status) {
	case EH_OK: return EXIT_CODE_OK;
	case EH_E_USAGE:
	case EH_E_NOT_FOUND:
	case EH_E_FORMAT:
	case EH_E_ALTERED: return EXIT_CODE_USAGE;
	case EH_E_INTERRUPTED: return EXIT_CODE_INCOMPLETE;
	case EH_E_INVALID_ARGUMENT:
	case EH_E_INTERNAL: return EXIT_CODE_INTERNAL;
	default: return EXIT_CODE_ENVIRONMENT;
	}
}
