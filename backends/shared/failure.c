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

eh_status failure_set(eh_error *error, eh_status code, const char *where, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	(void)eh_fail_list(error, code, where, 0, "", format, arguments);
	va_end(arguments);
	return code;
}

eh_status failure_native_list(eh_error *error, eh_status code, const char *where, int64_t native,
                              const char *name, const char *remedy, const char *format,
                              va_list arguments)
{
	eh_error e = { .struct_size = sizeof(e) };
	size_t length;

	(void)eh_fail_list(&e, code, where, native, name, format, arguments);
	length = strlen(e.message);
	snprintf(e.message + length, sizeof(e.message) - length, ": %s returned %s (%lld).%s%s", where,
	         name, (long long)native, remedy != NULL && remedy[0] != '\0' ? " " : "",
	         remedy != NULL ? remedy : "");
	if (error != NULL)
		eh_give(error, &e, sizeof(e));
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

static const failure_remedy *find_remedy(const failure_remedy *codes, size_t count, int64_t native)
{
	for (size_t i = 0; i < count; i++)
		if (codes[i].code.native == native)
			return &codes[i];
	return NULL;
}

const char *failure_remedy_name(const failure_remedy *codes, size_t count, int64_t native,
                                const char *unknown)
{
	const failure_remedy *found = find_remedy(codes, count, native);

	return found != NULL ? found->code.name : unknown;
}

eh_status failure_remedy_set(eh_error *error, const failure_remedy *codes, size_t count, int64_t native,
                             const char *unknown, const char *where, const char *format,
                             va_list arguments)
{
	const failure_remedy *found = find_remedy(codes, count, native);
	const eh_status status = found != NULL ? found->code.status : EH_E_DEVICE;

	return failure_native_list(error, status, where, native,
	                           found != NULL ? found->code.name : unknown,
	                           found != NULL ? found->remedy : NULL, format, arguments);
}
