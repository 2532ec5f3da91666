/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/paths.h"
#include "base/text.h"
#include "executor/executor.h"
#include "executor/layer.h"
#include "version.h"

cJSON *executor_program(void)
{
	cJSON *program = cJSON_CreateObject();
	char abi[16];

	snprintf(abi, sizeof(abi), "%d.%d", EH_ABI_MAJOR, EH_ABI_MINOR);
	json_add_string(program, "name", "evenhand");
	json_add_string(program, "version", EVENHAND_VERSION);
	json_add_string(program, "commit", EVENHAND_COMMIT);
	/* Unknown counts as dirty: nothing shows that it is not. */
	json_add_bool(program, "dirty", EVENHAND_DIRTY != 0);
	json_add_string(program, "abi", abi);
	json_add_string(program, "build_flags", EVENHAND_BUILD_FLAGS);
	return program;
}

static void add_program(cJSON *layers, const char *const *options, executor_files *files)
{
	cJSON *layer = layer_add(layers, "harness", "evenhand", EVENHAND_VERSION, "declared");
	char *path = paths_program();
	text settings = { 0 };

	if (path != NULL)
		layer_file(layer, path, files);
	free(path);
	layer_text(layer, "commit", EVENHAND_COMMIT, "declared");
	if (EVENHAND_DIRTY < 0)
		layer_text(layer, "dirty", NULL, "declared");
	else
		layer_bool(layer, "dirty", EVENHAND_DIRTY != 0, "declared");
	layer_text(layer, "build-flags", EVENHAND_BUILD_FLAGS, "declared");
	for (size_t i = 0; options != NULL && options[i] != NULL; i++)
		text_add(&settings, "%s%s", i > 0 ? " " : "", options[i]);
	layer_text(layer, "settings", settings.data != NULL ? settings.data : "", "declared");
	text_free(&settings);
}

cJSON *executor_harness(const eh_backend *backend, const char *plugin_path,
                        const char *const *options, executor_files *files)
{
	cJSON *layers = cJSON_CreateArray(), *layer;
	char *name = memory_format("backend %s", backend->name);
	char abi[16];

	add_program(layers, options, files);
	layer = layer_add(layers, "harness", name, backend->version, "declared");
	layer_file(layer, plugin_path, files);
	snprintf(abi, sizeof(abi), "%u.%u", (unsigned)backend->abi_major, (unsigned)backend->abi_minor);
	layer_text(layer, "abi", abi, "declared");
	layer_text(layer, "title", backend->title, "declared");
	layer_text(layer, "license", backend->license, "declared");
	free(name);
	return layers;
}
