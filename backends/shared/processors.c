/* SPDX-License-Identifier: Apache-2.0 */
#include "processors.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_CACHES = 16 }; /* of one processor */

bool processors_read(processors *p)
{
	int most = 1024;

	memset(p, 0, sizeof(*p));
	for (;;) {
		p->mask = CPU_ALLOC(most);
		if (p->mask == NULL)
			return false;
		p->mask_size = CPU_ALLOC_SIZE(most);
		if (sched_getaffinity(0, p->mask_size, p->mask) == 0)
			break;
		CPU_FREE(p->mask);
		p->mask = NULL;
		if (errno != EINVAL || most > 1 << 20)
			return false;
		most *= 2;
	}
	p->numbers = calloc((size_t)CPU_COUNT_S(p->mask_size, p->mask), sizeof(*p->numbers));
	if (p->numbers == NULL)
		return false;
	for (int i = 0; i < most; i++)
		if (CPU_ISSET_S(i, p->mask_size, p->mask))
			p->numbers[p->count++] = i;
	return p->count > 0;
}

void processors_free(processors *p)
{
	free(p->numbers);
	if (p->mask != NULL)
		CPU_FREE(p->mask);
	memset(p, 0, sizeof(*p));
}

/* ---- caches ------------------------------------------------------------------------------------ */

typedef struct place {
	const char *root;
	int processor, cache;
} place;

static bool read_fact(const place *at, const char *name, char out[256])
{
	char path[PATH_MAX];
	FILE *f;
	bool got;

	if (snprintf(path, sizeof(path), "%s/sys/devices/system/cpu/cpu%d/cache/index%d/%s", at->root,
	             at->processor, at->cache, name) >= (int)sizeof(path))
		return false;
	f = fopen(path, "re");
	if (f == NULL)
		return false;
	got = fgets(out, 256, f) != NULL;
	(void)fclose(f);
	if (got)
		out[strcspn(out, "\n")] = '\0';
	return got;
}

/* The largest level of a processor that holds data: its size and who shares it. */
static uint64_t last_level(const char *root, int processor, char shared[256])
{
	place at = { root, processor, 0 };
	uint64_t bytes = 0;
	long best = 0;
	char text[256];

	for (; at.cache < MOST_CACHES && read_fact(&at, "level", text); at.cache++) {
		const long level = strtol(text, NULL, 10);
		uint64_t size;
		char *end;

		if (level <= best || !read_fact(&at, "type", text) || strcmp(text, "Instruction") == 0 ||
		    !read_fact(&at, "size", text))
			continue;
		size = strtoull(text, &end, 10);
		size *= *end == 'K' ? 1024 : *end == 'M' ? 1048576 : 1;
		if (!read_fact(&at, "shared_cpu_list", shared))
			continue;
		best = level;
		bytes = size;
	}
	return bytes;
}

/* The next part of a list as "0-3,8"; false at its end. */
static bool next_range(const char **list, long *first, long *last)
{
	char *end;

	if (**list == '\0')
		return false;
	*first = strtol(*list, &end, 10);
	*last = *end == '-' ? strtol(end + 1, &end, 10) : *first;
	*list = *end == ',' ? end + 1 : "";
	return true;
}

/* True when a processor before the one at `position` is in the list. */
static bool listed_before(const processors *p, unsigned position, const char *list)
{
	long first, last;

	while (next_range(&list, &first, &last))
		for (unsigned k = 0; k < position; k++)
			if (p->numbers[k] >= first && p->numbers[k] <= last)
				return true;
	return false;
}

/* What a cache has for the processors that share it. */
static uint64_t bounded(uint64_t bytes, const char *sharers)
{
	uint64_t most = 0;
	long first, last;

	while (next_range(&sharers, &first, &last))
		most += last >= first ? (uint64_t)(last - first + 1) * PROCESSORS_CACHE_MOST : 0;
	return most > 0 && most < bytes ? most : bytes;
}

uint64_t processors_cache_bytes(const processors *p, const char *root)
{
	uint64_t bytes = 0;

	/* A cache counts at the first of the processors that share it. */
	for (unsigned i = 0; i < p->count; i++) {
		char shared[256];
		const uint64_t size = last_level(root, p->numbers[i], shared);

		if (size > 0 && !listed_before(p, i, shared))
			bytes += bounded(size, shared);
	}
	return bytes;
}
