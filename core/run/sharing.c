/* SPDX-License-Identifier: Apache-2.0 */
#include "run/sharing.h"

#include <stdio.h>
#include <string.h>

/* The share of a memory that may be used. */
static const double usable = 0.8;

static bool is_processor(const record_device *d)
{
	return strcmp(text_or_empty(d->type), "cpu") == 0;
}

static bool equal(const char *a, const char *b)
{
	return a != NULL && b != NULL && a[0] != '\0' && strcmp(a, b) == 0;
}

static bool identified(const record_device *d)
{
	return text_or_empty(d->pci)[0] != '\0' || text_or_empty(d->uuid)[0] != '\0';
}

bool sharing_same(const record_device *a, const record_device *b)
{
	if (is_processor(a) || is_processor(b))
		return is_processor(a) && is_processor(b);
	if (equal(a->pci, b->pci) || equal(a->uuid, b->uuid))
		return true;
	return (!identified(a) || !identified(b)) && equal(a->name, b->name);
}

/* Memory that is free for programs; 0 where it is not known. */
static double machine_bytes(void)
{
	FILE *in = fopen("/proc/meminfo", "re");
	unsigned long long kilobytes = 0;
	char line[128];

	while (in != NULL && fgets(line, sizeof(line), in) != NULL)
		if (sscanf(line, "MemAvailable: %llu kB", &kilobytes) == 1)
			break;
	if (in != NULL)
		fclose(in);
	return (double)kilobytes * 1024;
}

/* Of the hardware of one executor. */
static double memory_of(const record_device *d)
{
	double machine = machine_bytes();
	double own = d->memory_bytes != LAYOUT_NO_UINT ? (double)d->memory_bytes : 0;

	/* What a stack on processors reports may be a limit of its own. */
	return is_processor(d) && machine > 0 ? machine : own;
}

bool sharing_fits(const record_device *const *devices, size_t count, uint64_t bytes)
{
	for (size_t i = 0; i < count; i++) {
		double room = memory_of(devices[i]);
		size_t sharers = 0;

		for (size_t k = 0; k < count; k++)
			sharers += sharing_same(devices[i], devices[k]);
		if (room > 0 && (double)sharers * (double)bytes > usable * room)
			return false;
	}
	return true;
}
