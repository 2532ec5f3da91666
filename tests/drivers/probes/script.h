/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Scripted sensors for stub libraries.  The file named by EVENHAND_TEST_SENSORS has one line per
 * function: its name, then what its calls answer in turn, the last for ever: a number, !CODE (that
 * status), or hang.  A function without a line answers `fallback`.  Another first line "#WORD"
 * begins the counting of calls anew.
 */
#ifndef TESTS_SCRIPT_H
#define TESTS_SCRIPT_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SCRIPT_MOST 64

static int script(const char *name, double fallback, double *value)
{
	static struct { char name[64]; unsigned calls; } seen[SCRIPT_MOST];
	const char *path = getenv("EVENHAND_TEST_SENSORS");
	FILE *f = path != NULL ? fopen(path, "re") : NULL;
	char line[1024], answer[64] = "", *rest, *word;
	static char era[64];
	unsigned slot = 0, call;

	if (f != NULL && fgets(line, sizeof(line), f) != NULL && line[0] == '#' &&
	    strncmp(line, era, sizeof(era) - 1) != 0) {
		snprintf(era, sizeof(era), "%.60s", line);
		memset(seen, 0, sizeof(seen));
	}
	if (f != NULL)
		rewind(f);
	while (slot + 1 < SCRIPT_MOST && seen[slot].name[0] != '\0' && strcmp(seen[slot].name, name) != 0)
		slot++;
	snprintf(seen[slot].name, sizeof(seen[slot].name), "%s", name);
	call = seen[slot].calls++;
	*value = fallback;
	while (f != NULL && fgets(line, sizeof(line), f) != NULL) {
		rest = line;
		word = strsep(&rest, " \n");
		if (word == NULL || strcmp(word, name) != 0)
			continue;
		for (unsigned i = 0; (word = strsep(&rest, " \n")) != NULL;)
			if (*word != '\0' && i++ <= call)
				snprintf(answer, sizeof(answer), "%s", word);
	}
	if (f != NULL)
		fclose(f);
	if (answer[0] == '!')
		return atoi(answer + 1);
	while (strcmp(answer, "hang") == 0)
		sleep(1000);
	if (answer[0] != '\0')
		*value = strtod(answer, NULL);
	return 0;
}

#endif
