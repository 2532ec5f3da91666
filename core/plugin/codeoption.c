/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/codeoption.h"

#include <string.h>

/* Keys whose value is a library or a program also without a path. */
static const char *const keys[] = { "library", "hiprtc", "nvrtc", "ocloc", "clang", "llvm-spirv" };

static bool ends_with(const char *key, size_t size, const char *word)
{
	size_t end = strlen(word);

	return size >= end && memcmp(key + size - end, word, end) == 0 &&
	       (size == end || key[size - end - 1] == '-');
}

/* Keys of backends out of tree are not known, so every value with a path or the name of a shared object
 * counts. */
bool codeoption_is(const char *assignment)
{
	const char *dot = strchr(assignment, '.'), *equals = strchr(assignment, '=');
	bool code;

	if (dot == NULL || equals == NULL || dot > equals)
		return true;
	code = strchr(equals, '/') != NULL || strstr(equals, ".so") != NULL;
	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys) && !code; i++)
		code = ends_with(dot + 1, (size_t)(equals - dot - 1), keys[i]);
	return code;
}
