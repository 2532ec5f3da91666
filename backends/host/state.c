/* SPDX-License-Identifier: Apache-2.0 */
#include "state.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "faults.h"

void state_note(host_state *s, const char *format, ...)
{
	const size_t used = strlen(s->notes);
	va_list args;
	int n;

	if (used + 2 >= sizeof(s->notes))
		return;
	va_start(args, format);
	n = vsnprintf(s->notes + used, sizeof(s->notes) - used - 1, format, args);
	va_end(args);
	if (n < 0)
		s->notes[used] = '\0';
	else
		faults_text(s->notes + strlen(s->notes), 2, "\n");
}

void state_log(const host_state *s, int level, const char *format, ...)
{
	char text[1024];
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (n >= 0)
		s->host->log(s->host->ctx, level, text);
}
