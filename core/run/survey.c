/* SPDX-License-Identifier: Apache-2.0 */
#include "run/survey.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/child.h"
#include "base/clock.h"
#include "base/json.h"
#include "base/paths.h"
#include "base/text.h"
#include "executor/executor.h"
#include "plugin/host.h"
#include "plugin/plugin.h"
#include "plugin/session.h"
#include "run/death.h"
#include "run/voice.h"

#define DEADLINE_NS (UINT64_C(30) * 1000000000)
#define CLOSING_NS (UINT64_C(2) * 1000000000)

/* ---- the child ------------------------------------------------------------------------------- */

static eh_status describe(const char *plugin, uint32_t index, session *s, const site *declared,
                          cJSON **record, eh_error *error)
{
	const eh_backend *backend = NULL;
	executor_subject subject = { 0 };
	executor_files *files;
	eh_status status = plugin_load_backend(plugin, &backend, error);

	if (status == EH_OK)
		status = session_start(s, plugin, error);
	if (status == EH_OK)
		status = session_open(s, index, error);
	if (status != EH_OK)
		return status;
	files = executor_files_new();
	subject = (executor_subject){ .backend = s->backend, .plugin_path = s->path, .ops = s->ops,
		                      .info = &s->info, .device = s->device,
		                      .options = host_options(), .files = files, .site = declared };
	*record = executor_describe(&subject);
	executor_files_free(files);
	return EH_OK;
}

int survey_child(const char *plugin, uint32_t index)
{
	FILE *out = voice_take();
	session s = { 0 };
	site *declared = NULL;
	cJSON *record = NULL;
	eh_error error = ERROR_INIT;
	eh_status status;
	bool heard;

	if (out == NULL)
		return EXIT_CODE_ENVIRONMENT;
	/* hwloc must not map other vendors' libraries into the stack that is recorded. */
	if (setenv("HWLOC_PLUGINS_BLACKLIST", "hwloc_opencl.so,hwloc_gl.so,hwloc_cuda.so,hwloc_nvml.so,"
	           "hwloc_rsmi.so,hwloc_levelzero.so", 0) != 0)
		return EXIT_CODE_INTERNAL;
	status = site_read(NULL, &declared, &error);
	if (status == EH_OK)
		status = describe(plugin, index, &s, declared, &record, &error);
	if (status != EH_OK) {
		record = cJSON_CreateObject();
		json_set(record, "status", cJSON_CreateNumber(status));
		json_add_string(record, "reason", error.message);
	}
	heard = voice_say(out, json_text(record, false));
	cJSON_Delete(record);
	session_close(&s);
	site_free(declared);
	return fclose(out) == 0 && heard ? EXIT_CODE_OK : EXIT_CODE_ENVIRONMENT;
}

/* ---- the parent ------------------------------------------------------------------------------ */

static eh_status start(const char *plugin, uint32_t index, const char *const *options, child **out,
                       eh_error *error)
{
	char *program = paths_program(), number[16];
	size_t count = 0, at = 0;
	const char **argv;
	eh_status status;

	while (options != NULL && options[count] != NULL)
		count++;
	argv = memory_get((2 * count + 6) * sizeof(*argv));
	snprintf(number, sizeof(number), "%u", index);
	argv[at++] = program;
	argv[at++] = "worker";
	argv[at++] = "--describe";
	argv[at++] = plugin;
	argv[at++] = number;
	for (size_t i = 0; i < count; i++) {
		argv[at++] = "--set";
		argv[at++] = options[i];
	}
	status = child_start(argv, NULL, out, error);
	free(argv);
	free(program);
	return status;
}

static eh_status take_record(const char *line, const char *executor, cJSON **record,
                             eh_error *error)
{
	cJSON *root = NULL;
	const cJSON *code;
	eh_status status = json_parse(line, strlen(line), executor, &root, error);

	if (status != EH_OK)
		return status;
	code = cJSON_GetObjectItemCaseSensitive(root, "status");
	if (cJSON_IsNumber(code))
		status = error_set(error, (eh_status)code->valuedouble, "%s",
		                   json_string(root, "reason", "it gave no reason"));
	else if (strcmp(json_string(root, "name", ""), executor) != 0)
		status = error_set(error, EH_E_UNAVAILABLE, "%s is not where it was listed any more",
		                   executor);
	if (status == EH_OK)
		*record = root;
	else
		cJSON_Delete(root);
	return status;
}

eh_status survey_executor(const char *plugin, uint32_t index, const char *executor,
                           const char *const *options, cJSON **record, eh_error *error)
{
	child *c = NULL;
	const char *line = NULL;
	child_end end = { 0 };
	char *death;
	eh_status status = start(plugin, index, options, &c, error);

	if (status != EH_OK)
		return status;
	status = child_line(c, clock_now_ns() + DEADLINE_NS, &line, error);
	if (status == EH_OK) {
		status = take_record(line, executor, record, error);
		child_finish(c, CLOSING_NS, NULL);
		return status;
	}
	child_finish(c, status == EH_E_NOT_FOUND ? CLOSING_NS : 0, &end);
	if (status == EH_E_NOT_FOUND) {
		death = death_text(&end);
		status = error_set(error, EH_E_CHILD, "the process that described %s %s", executor,
		                   death);
		free(death);
	} else if (status == EH_E_TIMEOUT) {
		(void)error_set(error, status, "%s was not described within 30 s; see whether its "
		                "driver hangs with another program too", executor);
	}
	return status;
}
