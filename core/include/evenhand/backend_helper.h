/* SPDX-License-Identifier: Apache-2.0 */
/*
 * evenhand/backend_helper.h - what every plugin writes first: filling the caller's structs and
 * errors without writing beyond the size that the caller gave.
 *
 * Header-only, C99 and C++11; nobody has to use it.  Backends, probes and workloads may.  The
 * functions are static, touch no state, and may be called from any thread.
 */
#ifndef EVENHAND_BACKEND_HELPER_H
#define EVENHAND_BACKEND_HELPER_H

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "evenhand/backend.h"

#if defined(__GNUC__)
#define EH_HELPER __attribute__((unused)) static
#define EH_HELPER_FORMAT(at, first) __attribute__((format(printf, at, first)))
#else
#define EH_HELPER static
#define EH_HELPER_FORMAT(at, first)
#endif

/* Copies `from`, the whole struct of `size` bytes, to the same struct of a caller that may be of
 * another version: as much as its struct_size says.  `to` keeps its struct_size. */
EH_HELPER void eh_give(void *to, const void *from, size_t size)
{
	uint32_t room;

	memcpy(&room, to, sizeof(room));
	if (room > size)
		room = (uint32_t)size;
	if (room > sizeof(room))
		memcpy((char *)to + sizeof(room), (const char *)from + sizeof(room),
		       room - sizeof(room));
}

/* Fills *error (NULL: nothing is filled) and returns code.  `where` is the vendor's call or the
 * slot; `name` is the vendor's name of the code `native`, "" for none; the message is one sentence
 * that names the remedy.  The arguments may lie in *error. */
EH_HELPER_FORMAT(6, 0)
EH_HELPER eh_status eh_fail_list(eh_error *error, eh_status code, const char *where, int64_t native,
                                 const char *name, const char *format, va_list arguments)
{
	eh_error whole;

	if (error == NULL)
		return code;
	memset(&whole, 0, sizeof(whole));
	whole.code = code;
	whole.native_code = native;
	(void)snprintf(whole.where, sizeof(whole.where), "%s", where);
	(void)snprintf(whole.native_name, sizeof(whole.native_name), "%s", name);
	if (vsnprintf(whole.message, sizeof(whole.message), format, arguments) < 0)
		whole.message[0] = '\0';
	eh_give(error, &whole, sizeof(whole));
	return code;
}

EH_HELPER_FORMAT(4, 5)
EH_HELPER eh_status eh_fail(eh_error *error, eh_status code, const char *where, const char *format,
                            ...)
{
	va_list arguments;

	va_start(arguments, format);
	(void)eh_fail_list(error, code, where, 0, "", format, arguments);
	va_end(arguments);
	return code;
}

EH_HELPER_FORMAT(6, 7)
EH_HELPER eh_status eh_fail_native(eh_error *error, eh_status code, const char *where,
                                   int64_t native, const char *name, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	(void)eh_fail_list(error, code, where, native, name, format, arguments);
	va_end(arguments);
	return code;
}

#endif
