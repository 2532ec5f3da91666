/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/ini.h"
#include "base/text.h"
#include "record/rowpool.h"

static const char *value_of(const ini_text *all, const char *section, const char *key)
{
	size_t i, j;

	for (i = 0; i < all->count; i++)
		for (j = 0; strcmp(all->sections[i].name, section) == 0 && j < all->sections[i].count; j++)
			if (strcmp(all->sections[i].settings[j].key, key) == 0)
				return all->sections[i].settings[j].text;
	return NULL;
}

char *record_text_value(const char *body, const char *key)
{
	ini_text all;
	const char *value;
	char *out = NULL;

	if (ini_read(body, strlen(body), "", &all, NULL) != EH_OK)
		return NULL;
	value = value_of(&all, "protocol", key);
	if (value != NULL)
		out = memory_text(value);
	ini_free(&all);
	return out;
}
