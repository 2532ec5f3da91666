/* SPDX-License-Identifier: Apache-2.0 */
#include "faults.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

eh_status faults_set(eh_error *error, eh_status code, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	(void)eh_fail_list(error, code, "", 0, "", format, args);
	va_end(args);
	return code;
}

eh_status faults_system(eh_error *error, eh_status code, const char *call, int number,
                        const char *format, ...)
{
	eh_error full = { .struct_size = sizeof(full) };
	const char *name = strerrorname_np(number);
	size_t used;
	va_list args;

	va_start(args, format);
	(void)eh_fail_list(&full, code, call, number, name != NULL ? name : "", format, args);
	va_end(args);
	used = strlen(full.message);
	faults_text(full.message + used, sizeof(full.message) - used, ": %s", strerror(number));
	if (error != NULL)
		eh_give(error, &full, sizeof(full));
	return code;
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
