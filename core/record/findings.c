/* SPDX-License-Identifier: Apache-2.0 */
#include "record/findings.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/text.h"

static bool full(const findings *f)
{
	return f->count >= (f->most > 0 ? f->most : LIMIT_FINDINGS);
}

static finding *next_one(findings *f)
{
	if (f->count == f->room) {
		f->room = f->room == 0 ? 8 : f->room * 2;
		f->items = memory_grow(f->items, f->room * sizeof(*f->items));
	}
	memset(&f->items[f->count], 0, sizeof(*f->items));
	return &f->items[f->count++];
}

eh_status findings_add(findings *f, eh_status code, enum finding_check check, const char *place,
                       char *stated, char *recomputed, const char *format, ...)
{
	finding *one;
	va_list args;

	if (full(f)) {
		f->more++;
		free(stated);
		free(recomputed);
		return code;
	}
	one = next_one(f);
	one->code = code;
	one->check = check;
	one->place = memory_text(place);
	one->stated = stated;
	one->recomputed = recomputed;
	va_start(args, format);
	if (vasprintf(&one->sentence, format, args) < 0)
		one->sentence = memory_text(place);
	va_end(args);
	return code;
}

void findings_differ(findings *f, enum finding_check check, const char *place, char *stated,
                     char *recomputed, const char *what)
{
	(void)findings_add(f, EH_E_ALTERED, check, place, stated, recomputed,
	                   "%s is %s but %s %s" FINDING_ALTERED, place,
	                   stated != NULL ? stated : "absent", what,
	                   recomputed != NULL ? recomputed : "absent");
}

eh_status findings_add_error(findings *f, enum finding_check check, const char *place,
                             const char *name, const eh_error *error)
{
	size_t size = strlen(name);
	const char *message = error->message;

	if (strncmp(message, name, size) == 0 && message[size] == ':') {
		message += size + 1;
		message += *message == ' ';
	}
	return findings_add(f, error->code, check, place, NULL, NULL, "%s", message);
}

bool findings_enough(const findings *f)
{
	return f->only_first && f->count > 0;
}

static void free_one(finding *one)
{
	free(one->place);
	free(one->stated);
	free(one->recomputed);
	free(one->sentence);
}

void findings_move(findings *to, findings *from)
{
	for (size_t i = 0; i < from->count; i++) {
		if (!full(to)) {
			*next_one(to) = from->items[i];
			continue;
		}
		to->more++;
		free_one(&from->items[i]);
	}
	to->more += from->more;
	free(from->items);
	from->items = NULL;
	from->count = from->room = from->more = 0;
}

void findings_end(findings *f)
{
	size_t more = f->more;

	if (more == 0)
		return;
	f->most = f->count + 1;
	(void)findings_add(f, f->items[f->count - 1].code, f->items[f->count - 1].check, "", NULL, NULL,
	                   "%zu more findings are not listed", more);
	f->more = 0;
}

void findings_free(findings *f)
{
	for (size_t i = 0; i < f->count; i++)
		free_one(&f->items[i]);
	free(f->items);
	memset(f, 0, sizeof(*f));
}

const char *finding_check_name(enum finding_check check)
{
	static const char *const names[] = { "structure", "protocol", "protocol text", "run",
		                             "rows", "derived numbers", "evidence", "digests" };

	return check < CHECK_COUNT ? names[check] : "?";
}
