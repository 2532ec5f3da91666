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

bool report_evidence(FILE *out, const char *name, const audit_evidence *e)
{
	bool ok = true;

	if (e->level != AUDIT_UNSIGNED)
		ok = print_note(out, name, e->sentence);
	for (size_t i = 0; i < e->amendment_count && ok; i++) {
		static const char *const kinds[] = { "note", "DISPUTED", "redacted" };
		const audit_amendment *a = &e->amendments[i];
		char *words = memory_format("%s%s%s by %s, %s: %s", kinds[a->kind],
		                            a->member[0] != '\0' ? " " : "", a->member,
		                            a->trusted_name != NULL ? a->trusted_name :
		                            "a key you do not trust", a->time, a->text);

		ok = print_note(out, name, words);
		free(words);
	}
	return ok;
}
