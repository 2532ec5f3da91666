/* SPDX-License-Identifier: Apache-2.0 */
#include "audit/interrupted.h"

#include <stdlib.h>
#include <string.h>

#include "audit/envelope.h"
#include "base/digest.h"
#include "base/files.h"
#include "record/redact.h"

/* Takes the members that are announced and not redacted, `most` and one at most, and the digest of the
 * last redaction. */
static void take_announced(const char *amendments, size_t most, interrupted *out)
{
	bool whole = true;

	while (amendments != NULL && *amendments != '\0' && whole && out->members.count <= most) {
		audit_amendment a;

		layout_init(audit_amendment_layout(), &a);
		whole = envelope_amendment_next(&amendments, "", &a, NULL) == EH_OK;
		if (whole && a.kind == AUDIT_REDACT && a.member != NULL && a.file_sha256 != NULL) {
			memcpy(out->file_sha256, a.file_sha256, sizeof(out->file_sha256));
			if (!text_list_has(&out->redacted, a.member)) {
				text_list_add(&out->members, a.member);
				text_list_add(&out->redacted, a.member);
			}
		}
		layout_clear(audit_amendment_layout(), &a);
	}
}

static bool gives(const char *bytes, size_t size, const char *wanted)
{
	char hex[65];

	digest_bytes(bytes, size, hex);
	return strcmp(hex, wanted) == 0;
}

bool interrupted_find(const result *r, const char *amendments, interrupted *out)
{
	char *bytes = NULL;
	size_t size;
	bool found = false;

	memset(out, 0, sizeof(*out));
	for (size_t i = 0; i < r->redacted.count; i++)
		text_list_add(&out->redacted, r->redacted.items[i]);
	/* Whatever is redacted next has a salt still. */
	take_announced(amendments, r->record->salts.count, out);
	if (out->members.count == 0 || out->members.count > r->record->salts.count ||
	    file_read(r->path, &bytes, &size, NULL) != EH_OK)
		return false;
	out->made = gives(bytes, size, out->file_sha256);
	if (out->made)
		text_add_bytes(&out->after, bytes, size);
	else
		found = redact_text(bytes, size, r->path, &out->members, &out->after, NULL) == EH_OK &&
		        gives(out->after.data, out->after.size, out->file_sha256);
	free(bytes);
	return found || out->made;
}

void interrupted_clear(interrupted *i)
{
	text_list_clear(&i->members);
	text_list_clear(&i->redacted);
	text_free(&i->after);
}

char *interrupted_text(const interrupted *i, const char *path)
{
	return memory_format("a redaction is announced and not finished, %s%s still stands in the file; "
	                     "if no other command is at work there, run: evenhand amend %s --finish",
	                     i->members.items[0], i->members.count > 1 ? " and more" : "", path);
}
