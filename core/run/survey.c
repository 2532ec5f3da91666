/* SPDX-License-Identifier: Apache-2.0 */
#include "run/survey.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/text.h"
#include "executor/executor.h"
#include "plugin/host.h"
#include "plugin/plugin.h"
#include "plugin/session.h"
#include "run/discover.h"
#include "run/lister.h"
#include "run/voice.h"

#define DEADLINE_S 30u

/* ---- the child ------------------------------------------------------------------------------- */

static eh_status describe(const char *plugin, uint32_t index, session *s, const site *declared,
                          record_executor **record, eh_error *error)
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
	*record = layout_new(record_executor_layout());
	executor_describe(&subject, *record);
	executor_files_free(files);
	return EH_OK;
}

int survey_child(const char *plugin, uint32_t index)
{
	FILE *voice = voice_take();
	session s = { 0 };
	site *declared = NULL;
	discover_survey answer;
	eh_error error = ERROR_INIT;
	eh_status status;
	int code;

	if (voice == NULL)
		return EXIT_CODE_ENVIRONMENT;
	/* hwloc must not map other vendors' libraries into the stack that is recorded. */
	if (setenv("HWLOC_PLUGINS_BLACKLIST", "hwloc_opencl.so,hwloc_gl.so,hwloc_cuda.so,hwloc_nvml.so,"
	           "hwloc_rsmi.so,hwloc_levelzero.so", 0) != 0)
		return EXIT_CODE_INTERNAL;
	layout_init(discover_survey_layout(), &answer);
	status = site_read(NULL, &declared, &error);
	if (status == EH_OK)
		status = describe(plugin, index, &s, declared, &answer.record, &error);
	if (status != EH_OK) {
		answer.status = status;
		text_set(&answer.reason, error.message);
	}
	code = lister_answer(voice, discover_survey_layout(), &answer);
	layout_clear(discover_survey_layout(), &answer);
	session_close(&s);
	site_free(declared);
	return code;
}

/* ---- the parent ------------------------------------------------------------------------------ */

/* Takes the record of an answer that has one of that executor. */
static eh_status take_record(discover_survey *answer, const char *executor,
                             record_executor **record,
                             eh_error *error)
{
	if (answer->record == NULL)
		return error_set(error, answer->status < 0 ? answer->status : EH_E_INTERNAL, "%s",
		                 answer->reason != NULL ? answer->reason : "it reported no reason");
	if (strcmp(answer->record->name, executor) != 0)
		return error_set(error, EH_E_UNAVAILABLE, "%s moved or disappeared since it was listed",
		                 executor);
	*record = answer->record;
	answer->record = NULL;
	return EH_OK;
}

static eh_status read_answer(child *c, const char *executor, record_executor **record,
                             eh_error *error)
{
	char *done = memory_format("described %s", executor);
	char *not_done = memory_format("%s was not described", executor);
	const lister_words words = { executor, done, not_done, "driver", DEADLINE_S };
	discover_survey answer;
	eh_status status;

	layout_init(discover_survey_layout(), &answer);
	status = lister_read(c, &words, clock_now_ns() + UINT64_C(1000000000) * DEADLINE_S,
	                     discover_survey_layout(), &answer, error);
	if (status == EH_OK)
		status = take_record(&answer, executor, record, error);
	layout_clear(discover_survey_layout(), &answer);
	free(not_done);
	free(done);
	return status;
}

eh_status survey_executor(const char *plugin, uint32_t index, const char *executor,
                          const char *const *options, record_executor **record, eh_error *error)
{
	char number[16];
	child *c = NULL;
	eh_status status;

	snprintf(number, sizeof(number), "%u", index);
	status = lister_start("--describe", plugin, number, options, &c, error);
	return status == EH_OK ? read_answer(c, executor, record, error) : status;
}
