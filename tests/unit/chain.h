/* SPDX-License-Identifier: Apache-2.0 */
/* Journals made by hand: lines with the chain that record/journal.h describes. */
#ifndef TESTS_UNIT_CHAIN_H
#define TESTS_UNIT_CHAIN_H

#include <stdlib.h>
#include <string.h>

#include "base/digest.h"
#include "base/text.h"

#define CHAIN_MARK ",\"chain\":\""

/* malloc'd: the lines, each with its chain in place of one that it may have; lines that do not end
 * with '}' stay as they are. */
static inline char *chained(const char *lines)
{
	char chain[65] = "";
	text out = { 0 };

	text_add(&out, "%s", "");
	while (*lines != '\0') {
		size_t size = strcspn(lines, "\n");
		char *line = memory_format("%.*s", (int)size, lines);
		char *old = strstr(line, CHAIN_MARK);
		char *all;

		if (old != NULL)
			strcpy(old, "}");
		all = memory_format("%s%s", chain, line);
		if (line[0] != '\0' && line[strlen(line) - 1] == '}') {
			digest_bytes(all, strlen(all), chain);
			text_add(&out, "%.*s" CHAIN_MARK "%s\"}", (int)strlen(line) - 1, line, chain);
		} else {
			text_add(&out, "%s", line);
		}
		free(all);
		free(line);
		lines += size;
		if (*lines == '\n') {
			text_add(&out, "\n");
			lines++;
		}
	}
	return out.data;
}

#endif
