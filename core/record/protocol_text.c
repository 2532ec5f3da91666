/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/ini.h"
#include "base/text.h"
#include "record/rowpool.h"

static const char *value_of(const ini_section *section, const char *key)
{
	for (size_t i = 0; i < section->count; i++)
		if (strcmp(section->settings[i].key, key) == 0)
			return section->settings[i].text;
	return NULL;
}

char *record_text_value(const char *body, const char *key)
{
	ini_text all;
	const char *value = NULL;
	char *out = NULL;

	if (ini_read(body, strlen(body), "", &all, NULL) != EH_OK)
		return NULL;
	for (size_t i = 0; i < all.count && value == NULL; i++)
		if (strcmp(all.sections[i].name, "protocol") == 0)
			value = value_of(&all.sections[i], key);
	if (value != NULL)
		out = memory_text(value);
	ini_free(&all);
	return out;
}
