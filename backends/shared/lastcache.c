/* SPDX-License-Identifier: Apache-2.0 */
#include "lastcache.h"

#include <ctype.h>
#include <dirent.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "processors.h"
#include "wording.h"

#define KIB UINT64_C(1024)
#define MIB (KIB * KIB)

/* Bits of a cache's type in the topology of AMD's kernel driver (KFD). */
enum { KFD_TYPE_DATA = 1, KFD_TYPE_CPU = 4 };

/* Below this it is a cache of one compute unit: the smallest L2 of a GPU has 256 KiB. */
#define LEAST_BYTES (256 * KIB)

/* ---- the kernel's list ------------------------------------------------------------------------ */

/* A file of lines "key number". */
static uint64_t number_in(const char *path, const char *key)
{
	FILE *file = fopen(path, "re");
	char name[64];
	unsigned long long value = 0, found = 0;

	if (file == NULL)
		return 0;
	/* The line of siblings is no number and ends the list. */
	while (fscanf(file, "%63s %llu", name, &value) == 2)
		if (strcmp(name, key) == 0)
			found = value;
	(void)fclose(file);
	return found;
}

/* Whether a node is the GPU at that address.  The function is left out: the parts of a GPU that is
 * partitioned differ in it, and have equal caches. */
static bool is_at(const char *properties, const char *pci)
{
	unsigned domain = 0, bus = 0, slot = 0;
	const uint64_t location = number_in(properties, "location_id");

	return sscanf(pci, "%x:%x:%x", &domain, &bus, &slot) == 3 && location != 0 &&
	       number_in(properties, "domain") == domain && (location >> 8 & 0xff) == bus &&
	       (location >> 3 & 0x1f) == slot;
}

/* The largest data cache of the deepest level: older kernels list one that is shared many times. */
static uint64_t deepest(const char *folder)
{
	DIR *dir = opendir(folder);
	const struct dirent *entry;
	uint64_t level = 0, bytes = 0;
	char path[PATH_MAX];

	while (dir != NULL && (entry = readdir(dir)) != NULL) {
		uint64_t type, its_level, size;

		if (snprintf(path, sizeof(path), "%s/%s/properties", folder, entry->d_name) >= (int)sizeof(path))
			continue;
		type = number_in(path, "type");
		its_level = number_in(path, "level");
		size = number_in(path, "size") * KIB;
		if ((type & KFD_TYPE_DATA) == 0 || (type & KFD_TYPE_CPU) != 0 || its_level < level ||
		    (its_level == level && size < bytes))
			continue;
		level = its_level;
		bytes = size;
	}
	if (dir != NULL)
		(void)closedir(dir);
	return level >= 2 ? bytes : 0;
}

static uint64_t from_kernel(const char *root, const char *pci)
{
	char nodes[PATH_MAX], path[PATH_MAX];
	const struct dirent *entry;
	uint64_t bytes = 0;
	DIR *dir;

	if (snprintf(nodes, sizeof(nodes), "%s/sys/class/kfd/kfd/topology/nodes", root) >= (int)sizeof(nodes))
		return 0;
	dir = opendir(nodes);
	while (dir != NULL && bytes == 0 && (entry = readdir(dir)) != NULL) {
		if (snprintf(path, sizeof(path), "%s/%s/properties", nodes, entry->d_name) >= (int)sizeof(path) ||
		    !is_at(path, pci))
			continue;
		if (snprintf(path, sizeof(path), "%s/%s/caches", nodes, entry->d_name) < (int)sizeof(path))
			bytes = deepest(path);
	}
	if (dir != NULL)
		(void)closedir(dir);
	return bytes;
}

/* ---- what cannot be asked --------------------------------------------------------------------- */

/*
 * Products by a part of their names.  Sources:
 * AMD: "AMD GPU specifications", rocm.docs.amd.com/en/latest/reference/gpu-specs.html; an MI250 has
 * 8 MiB for each of the two devices that it shows.
 * NVIDIA: the tuning guides of Ampere, Hopper and Blackwell, docs.nvidia.com/cuda, and the
 * whitepapers of V100 and Turing.
 */
static const struct {
	const char *product;
	unsigned mib;
} documented[] = {
	{ "MI355X", 256 }, { "MI350X", 256 }, { "MI325X", 256 }, { "MI300X", 256 }, { "MI300A", 256 },
	{ "MI250X", 8 }, { "MI250", 8 }, { "MI210", 8 }, { "MI100", 8 }, { "MI60", 4 }, { "MI50", 4 },
	{ "7900 XTX", 96 }, { "7900 XT", 80 }, { "7900 GRE", 64 },
	{ "B200", 126 }, { "H100", 50 }, { "A100", 40 }, { "T4", 4 }, { "V100", 6 },
};

/* Whether `part` stands in `name`, not inside of a longer word: "GB200" is no "B200". */
static bool has_words(const char *name, const char *part)
{
	const size_t size = strlen(part);

	for (const char *p = strstr(name, part); p != NULL; p = strstr(p + 1, part))
		if ((p == name || isalnum((unsigned char)p[-1]) == 0) && isalnum((unsigned char)p[size]) == 0)
			return true;
	return false;
}

static uint64_t from_table(const char *name)
{
	/* An instance has a share of the cache. */
	if (has_words(name, "MIG"))
		return 0;
	for (size_t i = 0; i < sizeof(documented) / sizeof(documented[0]); i++)
		if (has_words(name, documented[i].product))
			return documented[i].mib * MIB;
	return 0;
}

static uint64_t of_processors(const char *root)
{
	processors mine;
	const uint64_t bytes = processors_read(&mine) ? processors_cache_bytes(&mine, root) : 0;

	processors_free(&mine);
	return bytes;
}

lastcache lastcache_find(const lastcache_query *q)
{
	const lastcache candidates[] = {
		{ q->is_processor ? of_processors(q->root) : 0, "sysfs" },
		{ from_kernel(q->root, q->pci), "kfd" },
		{ q->reported, "driver" },
		{ from_table(q->name), "table" },
	};

	for (size_t i = 0; i < sizeof(candidates) / sizeof(candidates[0]); i++)
		if (candidates[i].bytes >= LEAST_BYTES &&
		    (q->memory_bytes == 0 || candidates[i].bytes < q->memory_bytes))
			return candidates[i];
	return (lastcache){ 0, "" };
}

const char *lastcache_root(const eh_host *host)
{
	const char *root = host->option(host->ctx, "root");

	return root != NULL ? root : "";
}

void lastcache_detail(eh_layer *layer, uint64_t bytes, const char *source)
{
	if (bytes == 0)
		return;
	wording_detail_number(layer, "last-level-cache-bytes", bytes);
	wording_detail(layer, "last-level-cache-source", source);
}
