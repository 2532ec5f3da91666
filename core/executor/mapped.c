/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/paths.h"
#include "base/text.h"
#include "executor/executor.h"
#include "executor/layer.h"

#define DELETED " (deleted)"

typedef struct paths { char **items; size_t count; } paths;

/* The path in a line of /proc/PID/maps, where the mapping is executable and of a file; else NULL.
 * The path is the rest after the fifth field and may hold blanks. */
static char *executable_path(char *line)
{
	char *at = line;
	size_t length = strlen(line);

	if (length > 0 && line[length - 1] == '\n')
		line[length - 1] = '\0';
	for (int field = 0; field < 5; field++) {
		if (field == 1 && (strlen(at) < 4 || at[2] != 'x'))
			return NULL;
		at = strchr(at, ' ');
		if (at == NULL)
			return NULL;
		at += strspn(at, " ");
	}
	return *at == '/' ? at : NULL;
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Sorted, each once. */
static paths read_maps(const char *maps_path)
{
	paths list = { 0 };
	FILE *in = fopen(maps_path, "re");
	char *line = NULL;
	size_t room = 0, kept = 0;

	if (in == NULL)
		return list;
	while (getline(&line, &room, in) > 0) {
		char *path = executable_path(line);

		if (path == NULL)
			continue;
		list.items = memory_grow(list.items, (list.count + 1) * sizeof(*list.items));
		list.items[list.count++] = memory_text(path);
	}
	free(line);
	fclose(in);
	if (list.count == 0)
		return list;
	qsort(list.items, list.count, sizeof(*list.items), by_text);
	for (size_t i = 0; i < list.count; i++) {
		if (kept > 0 && strcmp(list.items[kept - 1], list.items[i]) == 0)
			free(list.items[i]);
		else
			list.items[kept++] = list.items[i];
	}
	list.count = kept;
	return list;
}

static bool below(const char *path, const char *folder)
{
	size_t length = folder != NULL ? strlen(folder) : 0;

	while (length > 1 && folder[length - 1] == '/')
		length--;
	return length > 1 && strncmp(path, folder, length) == 0 && path[length] == '/';
}

static bool below_sub(const char *path, char *folder)
{
	bool yes = below(path, folder);

	free(folder);
	return yes;
}

/* Libraries that read sensors and that no backend uses. */
static bool of_a_probe(const char *path)
{
	static const char *const names[] = { "/libnvidia-ml.so", "/librocm_smi64.so", "/libamd_smi.so" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (strstr(path, names[i]) != NULL)
			return true;
	return false;
}

/* The role of a mapped file: stack, workload, probe or kernel.  Kernels are in caches, in memory,
 * or in folders for temporary files and deleted after mapping. */
static const char *role_of(const char *path, bool deleted)
{
	static const char *const caches[] = { "POCL_CACHE_DIR", "XDG_CACHE_HOME" };
	static const char *const marks[] = { "/.cache/", "/pocl/kcache/", "/memfd:" };
	static const char *const temporary[] = { "/tmp", "/var/tmp", "/dev/shm" };

	if (below_sub(path, paths_library("workloads")))
		return "workload";
	if (below_sub(path, paths_library("probes")) || of_a_probe(path))
		return "probe";
	if (below_sub(path, paths_library("host-kernels")) || below_sub(path, paths_cache("")))
		return "kernel";
	/* Our own files are part of the stack, also in a build folder below a cache. */
	if (below_sub(path, paths_library("")))
		return "stack";
	for (size_t i = 0; i < sizeof(caches) / sizeof(*caches); i++)
		if (below(path, getenv(caches[i])))
			return "kernel";
	for (size_t i = 0; i < sizeof(marks) / sizeof(*marks); i++)
		if (strstr(path, marks[i]) != NULL)
			return "kernel";
	for (size_t i = 0; deleted && i < sizeof(temporary) / sizeof(*temporary); i++)
		if (below(path, temporary[i]))
			return "kernel";
	return "stack";
}

/* "1.2.3" of "libx.so.1.2.3" and of "libx-1.2.3.so"; "" if the name has none. */
static char *version_of(const char *name)
{
	const char *so = strstr(name, ".so");
	const char *dash = strrchr(name, '-');

	if (so != NULL && so[3] == '.')
		return memory_text(so + 4);
	if (so != NULL && dash != NULL && dash < so && dash[1] >= '0' && dash[1] <= '9')
		return memory_format("%.*s", (int)(so - dash - 1), dash + 1);
	return memory_text("");
}

void executor_mapped(record_layer_list *layers, const char *maps_path, executor_files *files)
{
		paths list = read_maps(maps_path);
	char *program = paths_program();

	for (size_t i = 0; i < list.count; i++) {
		char *path = list.items[i];
		size_t length = strlen(path), tail = strlen(DELETED);
		bool deleted = length > tail && strcmp(path + length - tail, DELETED) == 0;
		const char *name;
		char *version;
		bool own = program != NULL && strcmp(path, program) == 0;
		record_layer *layer;

		if (deleted)
			path[length - tail] = '\0';
		name = strrchr(path, '/') + 1;
		version = version_of(name);
		layer = layer_add(layers, RECORD_LAYER_MAPPED_OBJECT, name, version,
		                  RECORD_SOURCE_MEASURED);
		layer_text(layer, "role", own ? "stack" : role_of(path, deleted),
		           RECORD_SOURCE_MEASURED);
		/* A file that has this name now is another one. */
		if (deleted)
			layer_bool(layer, "deleted", true, RECORD_SOURCE_MEASURED);
		else
			layer_file(layer, path, files);
		free(version);
		free(path);
	}
	free(list.items);
	free(program);
}
