/* SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "report/labels.h"
#include "report/report.h"

enum { NAME_MOST = 14, HEAD = 7, TAIL = 5 };

/* ---- names ----------------------------------------------------------------------------------- */

const char *labels_name(const result *r)
{
	const char *label = text_or_empty(r->record->run.label);

	return label[0] != '\0' ? label : r->record->executor.name;
}

/* How many of the others have the same text. */
static size_t twins(char *const *all, size_t count, size_t at)
{
	size_t found = 0;

	for (size_t i = 0; i < count; i++)
		found += i != at && strcmp(all[i], all[at]) == 0;
	return found;
}

/* ---- paths ----------------------------------------------------------------------------------- */

/* Bytes up to and with the last '/' that all paths share. */
static size_t common_head(const result *const *results, size_t count)
{
	size_t size = 0;

	for (size_t at = 0;; at++) {
		for (size_t i = 0; i < count; i++)
			if (results[i]->path[at] == '\0' || results[i]->path[at] != results[0]->path[at])
				return size;
		if (results[0]->path[at] == '/')
			size = at + 1;
	}
}

static char last_but(const result *r, size_t at)
{
	size_t size = strlen(r->path);

	return at < size ? r->path[size - 1 - at] : '\0';
}

/* The same of the ends, from a '/' on. */
static size_t common_tail(const result *const *results, size_t count)
{
	size_t size = 0;

	for (size_t at = 0;; at++) {
		for (size_t i = 0; i < count; i++)
			if (last_but(results[i], at) == '\0' ||
			    last_but(results[i], at) != last_but(results[0], at))
				return size;
		if (last_but(results[0], at) == '/')
			size = at + 1;
	}
}

/* malloc'd: the part that is this path's own, "monday" of "results/monday/host-gcc-12.json". */
static char *own_part(const result *const *results, size_t count, size_t at)
{
	size_t head = common_head(results, count), tail = common_tail(results, count);
	const char *path = results[at]->path;
	size_t size = strlen(path);
	char *part, *end;

	if (head + tail > size)
		tail = 0;
	part = memory_format("%.*s", (int)(size - head - tail), path + head);
	end = strstr(part, ".json");
	if (end != NULL && end[5] == '\0')
		*end = '\0';
	for (size_t i = 0; i < count; i++)
		if (i != at && strcmp(results[i]->path, path) == 0) {
			char *numbered = memory_format("%s#%zu", part, at + 1);

			free(part);
			return numbered;
		}
	return part;
}

/* ---- brief names ----------------------------------------------------------------------------- */

/* malloc'd: without the backend, and without an index 0 where no other index follows the stem. */
static char *stem_of(char *const *names, size_t count, size_t at)
{
	const char *colon = strchr(names[at], ':');
	bool numbered = colon != NULL && isdigit((unsigned char)colon[1]);
	char *stem = memory_text(colon != NULL && !numbered && colon[1] != '\0' ? colon + 1 : names[at]);
	size_t size = strlen(stem);
	size_t rest = strlen(names[at]) - 2;

	if (size < 3 || strcmp(stem + size - 2, numbered ? ":0" : "-0") != 0)
		return stem;
	for (size_t i = 0; i < count; i++)
		if (i != at && strncmp(names[i], names[at], rest) == 0)
			return stem;
	stem[size - 2] = '\0';
	return stem;
}

/* Cuts the middle of a long name. */
static void cut(char **name)
{
	size_t size = strlen(*name);
	char *shorter;

	if (size <= NAME_MOST)
		return;
	shorter = memory_format("%.*s..%s", HEAD, *name, *name + size - TAIL);
	free(*name);
	*name = shorter;
}

/* Gives those that are not unique their full names back. */
static void restore_twins(char **briefs, char *const *full, size_t count)
{
	bool *twin = memory_get((count + 1) * sizeof(*twin));

	for (size_t i = 0; i < count; i++)
		twin[i] = twins(briefs, count, i) > 0;
	for (size_t i = 0; i < count; i++)
		if (twin[i])
			text_set(&briefs[i], full[i]);
	free(twin);
}

static char *distinct(const result *const *results, size_t count, char *const *names, size_t at)
{
	size_t same = twins(names, count, at);
	char *part, *name;

	if (same == 0)
		return memory_text(names[at]);
	part = own_part(results, count, at);
	if (same + 1 == count)
		return part;
	name = memory_format("%s@%s", names[at], part);
	free(part);
	return name;
}

void labels_executors(labels *l, const result *const *results, size_t count)
{
	char **names = memory_get((count + 1) * sizeof(*names));

	*l = (labels){ memory_get((count + 1) * sizeof(*l->full)),
		       memory_get((count + 1) * sizeof(*l->brief)), count };
	for (size_t i = 0; i < count; i++)
		names[i] = table_clean(labels_name(results[i]));
	for (size_t i = 0; i < count; i++)
		l->full[i] = distinct(results, count, names, i);
	for (size_t i = 0; i < count; i++)
		l->brief[i] = stem_of(l->full, count, i);
	restore_twins(l->brief, l->full, count);
	for (size_t i = 0; i < count; i++)
		cut(&l->brief[i]);
	restore_twins(l->brief, l->full, count);
	for (size_t i = 0; i < count; i++)
		free(names[i]);
	free(names);
}
