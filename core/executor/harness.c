/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/paths.h"
#include "base/text.h"
#include "executor/executor.h"
#include "executor/layer.h"
#include "version.h"

void executor_program(record_harness *out)
{
	char abi[16];

	snprintf(abi, sizeof(abi), "%d.%d", EH_ABI_MAJOR, EH_ABI_MINOR);
	out->name = RECORD_PROGRAM_EVENHAND;
	text_set(&out->version, EVENHAND_VERSION);
	text_set(&out->commit, EVENHAND_COMMIT);
	/* Unknown counts as dirty: nothing shows that it is not. */
	out->dirty = EVENHAND_DIRTY != 0;
	text_set(&out->abi, abi);
	text_set(&out->build_flags, EVENHAND_BUILD_FLAGS);
}

static void add_program(record_layer_list *layers, const char *const *options,
                        executor_files *files)
{
	record_layer *layer = layer_add(layers, RECORD_LAYER_HARNESS, "evenhand", EVENHAND_VERSION,
	                                RECORD_SOURCE_DECLARED);
	char *path = paths_program();
	text settings = { 0 };

	if (path != NULL)
		layer_file(layer, path, files);
	free(path);
	layer_text(layer, "commit", EVENHAND_COMMIT, RECORD_SOURCE_DECLARED);
	if (EVENHAND_DIRTY < 0)
		layer_text(layer, "dirty", NULL, RECORD_SOURCE_DECLARED);
	else
		layer_bool(layer, "dirty", EVENHAND_DIRTY != 0, RECORD_SOURCE_DECLARED);
	layer_text(layer, "build-flags", EVENHAND_BUILD_FLAGS, RECORD_SOURCE_DECLARED);
	for (size_t i = 0; options != NULL && options[i] != NULL; i++)
		text_add(&settings, "%s%s", i > 0 ? " " : "", options[i]);
	layer_text(layer, "settings", settings.data != NULL ? settings.data : "",
	           RECORD_SOURCE_DECLARED);
	text_free(&settings);
}

void executor_harness(record_layer_list *layers, const eh_backend *backend,
                      const char *plugin_path, const char *const *options, executor_files *files)
{
	record_layer *layer;
	char *name = memory_format("backend %s", backend->name);
	char abi[16];

	add_program(layers, options, files);
	layer = layer_add(layers, RECORD_LAYER_HARNESS, name, backend->version,
	                  RECORD_SOURCE_DECLARED);
	layer_file(layer, plugin_path, files);
	snprintf(abi, sizeof(abi), "%u.%u", (unsigned)backend->abi_major, (unsigned)backend->abi_minor);
	layer_text(layer, "abi", abi, RECORD_SOURCE_DECLARED);
	layer_text(layer, "title", backend->title, RECORD_SOURCE_DECLARED);
	layer_text(layer, "license", backend->license, RECORD_SOURCE_DECLARED);
	free(name);
}
