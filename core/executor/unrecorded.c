/* SPDX-License-Identifier: Apache-2.0 */
#include "executor/unrecorded.h"

#include "base/text.h"

#define NOTHING(...)
#define VARIABLE(patterns, reason) { UNRECORDED_VARIABLE, patterns, reason },
#define PROGRAM(patterns, reason) { UNRECORDED_PROGRAM, patterns, reason },
#define ENTRY(patterns, reason) { UNRECORDED_FILE, patterns, reason },
#define PIECES NOTHING
static const unrecorded_entry entries[] = {
#include "executor/unrecorded.def"
};
#undef VARIABLE
#undef PROGRAM
#undef ENTRY
#undef PIECES

#define VARIABLE NOTHING
#define PROGRAM NOTHING
#define ENTRY NOTHING
#define PIECES(objects, patterns) { objects, patterns },
static const struct { const char *objects, *patterns; } pieces[] = {
#include "executor/unrecorded.def"
};

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

size_t unrecorded_table(const unrecorded_entry **out)
{
	*out = entries;
	return COUNT(entries);
}

const char *unrecorded_reason(enum unrecorded_kind kind, const char *name)
{
	for (size_t i = 0; i < COUNT(entries); i++)
		if (entries[i].kind == kind && text_matches(entries[i].patterns, name))
			return entries[i].reason;
	return NULL;
}

bool unrecorded_in_pieces(const char *object, const char *variable)
{
	for (size_t i = 0; i < COUNT(pieces); i++)
		if (text_matches(pieces[i].objects, object) &&
		    text_matches(pieces[i].patterns, variable))
			return true;
	return false;
}
