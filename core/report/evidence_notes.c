/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "base/text.h"
#include "report/report.h"

/* One line, wrapped; false when it could not be written. */
static bool print_note(FILE *out, const char *name, const char *words)
{
	char *line = memory_format("%s: %s", name, words);
	char *clean = table_clean(line);
	bool ok = table_wrap(out, clean, 0);

	free(clean);
	free(line);
	return ok;
}

static bool print_amendment(FILE *out, const char *name, const audit_checked_amendment *a)
{
	static const char *const kinds[] = { [AUDIT_NOTE] = "note", [AUDIT_DISPUTE] = "DISPUTED",
		                             [AUDIT_REDACT] = "redacted" };
	char *words = memory_format("%s%s%s by %s, %s: %s", kinds[a->kind], a->member != NULL ? " " : "",
	                            a->member != NULL ? a->member : "", a->trusted_name != NULL ?
	                            a->trusted_name : "a key you do not trust", a->time, a->text);
	bool ok = print_note(out, name, words);

	free(words);
	return ok;
}

bool report_evidence(FILE *out, const char *name, const audit_evidence *e)
{
	bool ok = true;

	if (e->level != AUDIT_UNSIGNED)
		ok = print_note(out, name, e->sentence);
	for (size_t i = 0; i < e->amendments.count && ok; i++)
		ok = print_amendment(out, name, &e->amendments.items[i]);
	return ok;
}
