/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/files.h"
#include "base/log.h"
#include "base/paths.h"
#include "base/text.h"
#include "protocol/protocol.h"

/* The name by which a path is found: its file's, without ".ini". */
static char *name_of(const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *file = slash != NULL ? slash + 1 : path;

	return memory_format("%.*s", (int)(strlen(file) - 4), file);
}

static int by_name(const void *a, const void *b)
{
	char *x = name_of(*(char *const *)a), *y = name_of(*(char *const *)b);
	int order = strcmp(x, y);

	free(x);
	free(y);
	return order;
}

char **protocol_list(void)
{
	char *folders[2] = { paths_user_data("protocols"), paths_data("protocols") };
	size_t count = 0;
	char **paths = memory_get(sizeof(*paths));

	for (size_t f = 0; f < 2; f++) {
		eh_error error = ERROR_INIT;
		char **names = folders[f] != NULL ? dir_list(folders[f], ".ini", &error) : NULL;

		if (folders[f] != NULL && names == NULL)
			log_write(EH_LOG_WARN, "%s; its protocols are left out", error.message);
		for (size_t i = 0; names != NULL && names[i] != NULL; i++) {
			char *path = path_join(folders[f], names[i]);
			bool shadowed = strlen(names[i]) == 4; /* ".ini" has no name */

			for (size_t j = 0; j < count; j++)
				shadowed = shadowed || by_name(&path, &paths[j]) == 0;
			if (shadowed) {
				free(path);
				continue;
			}
			paths = memory_grow(paths, (count + 2) * sizeof(*paths));
			paths[count++] = path;
		}
		dir_list_free(names);
		free(folders[f]);
	}
	qsort(paths, count, sizeof(*paths), by_name);
	paths[count] = NULL;
	return paths;
}

static eh_status refuse_name(const char *name, char **names, size_t count, eh_error *error)
{
	const char *near = text_nearest(name, (const char *const *)names, count);
	eh_status status;
	text t = { 0 };

	for (size_t i = 0; i < count; i++)
		text_add(&t, "%s%s", i > 0 ? ", " : "", names[i]);
	if (count == 0)
		text_add(&t, "none; is evenhand installed whole?");
	status = error_set(error, EH_E_NOT_FOUND, "there is no protocol '%.60s'%s%s%s (there are: %s; "
	                   "a file is given with its path or ending in .ini)", name,
	                   near != NULL ? ", did you mean '" : "", near != NULL ? near : "",
	                   near != NULL ? "'?" : "", t.data);
	text_free(&t);
	return status;
}

eh_status protocol_find(const char *name, protocol **out, eh_error *error)
{
	size_t size = strlen(name), count = 0;
	eh_status status = EH_E_NOT_FOUND;
	char **paths, **names;

	if (strchr(name, '/') != NULL || (size > 4 && strcmp(name + size - 4, ".ini") == 0))
		return protocol_read(name, out, error);
	paths = protocol_list();
	while (paths[count] != NULL)
		count++;
	names = memory_get((count + 1) * sizeof(*names));
	for (size_t i = 0; i < count; i++)
		names[i] = name_of(paths[i]);
	for (size_t i = 0; i < count; i++)
		if (strcmp(names[i], name) == 0) {
			status = protocol_read(paths[i], out, error);
			goto undo_names;
		}
	status = refuse_name(name, names, count, error);
undo_names:
	dir_list_free(names);
	dir_list_free(paths);
	return status;
}
