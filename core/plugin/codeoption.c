/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/codeoption.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

/* What keys of places, programs and words for them end in: any value of theirs can be a name. */
static const char names[] =
	"*dir, *dirs, *directory, *folder, *root, *home, *prefix, *path, *paths, *file, *files, *lib, *libs, "
	"*library, *libraries, *rtc, *module, *plugin, *driver, *loader, *compiler, *linker, *cc, *clang, *gcc, "
	"*ocloc, *spirv, *program, *command, *tool, *args, *arguments, *flags, *options, *cache, *kernels, *include";
static const char switches[] = "yes, no, on, off, true, false, none, auto";

static bool is_number(const char *value)
{
	static const char digits[] = "0123456789";
	size_t whole = strspn(value, digits);

	if (whole > 0 && value[whole] == '.' && value[whole + 1] != '\0')
		value += whole + 1;
	return *value != '\0' && value[strspn(value, digits)] == '\0';
}

static bool matches(const char *patterns, const char *word, size_t size)
{
	char *copy = memory_format("%.*s", (int)size, word);
	bool yes = text_matches(patterns, copy);

	free(copy);
	return yes;
}

/* Keys of backends out of tree are not known, so only values that no code can have as its name are
 * taken to be harmless. */
bool codeoption_is(const char *assignment)
{
	const char *dot = strchr(assignment, '.'), *equals = strchr(assignment, '=');

	if (dot == NULL || equals == NULL || dot > equals)
		return true;
	/* The core itself reads this one: no folder at all. */
	if (strcmp(dot, ".cache-dir=none") == 0)
		return false;
	if (matches(names, dot + 1, (size_t)(equals - dot - 1)))
		return true;
	return !is_number(equals + 1) && !matches(switches, equals + 1, strlen(equals + 1));
}
