/* SPDX-License-Identifier: Apache-2.0 */
#include "audit/interrupted.h"

#include <stdlib.h>
#include <string.h>

#include "base/source.h"
#include "record/redact.h"

/* malloc'd; the name is the user's own for a key that is trusted, else what the key calls itself. */
static char *announcer_of(const audit_checked_amendment *a)
{
	char *name = a->trusted && a->trusted_name != NULL ? memory_text(a->trusted_name) :
	             memory_format("the key %s, which calls itself %.40s%s", a->fingerprint, a->signer,
	                           a->trusted ? "" : " and which you do not trust");

	text_clean(name);
	return name;
}

static void take_announced(const audit_checked_amendment *a, interrupted *out)
{
	text_list_add(&out->members, a->member);
	text_list_add(&out->redacted, a->member);
	if (out->announcer == NULL || (out->trusted && !a->trusted)) {
		free(out->announcer);
		out->announcer = announcer_of(a);
	}
	out->trusted = out->trusted && a->trusted;
}

/* Takes the members that are announced and not redacted, `most` and one at most, and the digest of the
 * last redaction. */
static void take_all(const audit_checked_amendment_list *amendments, size_t most, interrupted *out)
{
	for (size_t i = 0; i < amendments->count && out->members.count <= most; i++) {
		const audit_checked_amendment *a = &amendments->items[i];

		if (a->kind != AUDIT_REDACT || a->member == NULL || a->file_sha256 == NULL)
			continue;
		memcpy(out->file_sha256, a->file_sha256, sizeof(out->file_sha256));
		if (!text_list_has(&out->redacted, a->member))
			take_announced(a, out);
	}
}

/* Whether the file has the announced bytes, or making the redaction gives them. */
static bool compare(const char *path, interrupted *out)
{
	source_bytes file;
	char hex[65];
	bool found;

	if (source_open(path, &file, NULL) != EH_OK)
		return false;
	out->made = source_digest(&file, hex, NULL) == EH_OK && strcmp(hex, out->file_sha256) == 0;
	found = out->made || (redact_digest(&file, &out->members, hex, NULL) == EH_OK &&
	                      strcmp(hex, out->file_sha256) == 0);
	source_close(&file);
	return found;
}

bool interrupted_find(const result *r, const audit_checked_amendment_list *amendments, interrupted *out)
{
	*out = (interrupted){ .trusted = true };
	for (size_t i = 0; i < r->redacted.count; i++)
		text_list_add(&out->redacted, r->redacted.items[i]);
	/* Whatever is redacted next has a salt still. */
	take_all(amendments, r->record->salts.count, out);
	return out->members.count > 0 && out->members.count <= r->record->salts.count &&
	       compare(r->path, out);
}

void interrupted_clear(interrupted *i)
{
	text_list_clear(&i->members);
	text_list_clear(&i->redacted);
	free(i->announcer);
	i->announcer = NULL;
}

char *interrupted_text(const interrupted *i, const char *path)
{
	const char *member = i->members.items[0], *more = i->members.count > 1 ? " and more" : "";
	char *word, *out;

	if (!i->trusted)
		return memory_format("a redaction of %s%s is announced and not finished, by %s: to keep the text, move "
		                     "%s.amendments away or copy the result alone; `amend --finish` destroys it",
		                     member, more, i->announcer, path);
	word = text_shell_word(path);
	out = memory_format("a redaction is announced and not finished, %s%s still stands in the file; if no other "
	                    "command is at work there, run: evenhand amend %s --finish", member, more, word);
	free(word);
	return out;
}
