/* SPDX-License-Identifier: Apache-2.0 */
/*
 * evenhand kernels DIR: the assembled source of every program that the installed protocols need,
 * as DIR/SOURCE-DIGEST.c, for the build to compile ahead of time.  Of a case that is tuned, the
 * candidate with the case's own parameters is among them; the rest of its space is not.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/files.h"
#include "base/text.h"
#include "cli/command.h"
#include "measure/canary.h"
#include "plugin/plugin.h"
#include "plugin/session.h"
#include "protocol/plan.h"
#include "protocol/protocol.h"

typedef struct kernels_options {
	bool without_fp16;
} kernels_options;

/* The text as a compiler gets it.  The host backend names the lines the same way. */
static eh_status write_source(const char *folder, const eh_source *source, size_t *written,
                              eh_error *error)
{
	char *path = memory_format("%s/%s.c", folder, source->digest);
	eh_status status = EH_OK;
	text t = { 0 };

	if (!file_exists(path)) {
		for (uint32_t i = 0; i < source->macro_count; i++)
			text_add(&t, "#define %s %s\n", source->macros[i].name,
			         source->macros[i].value);
		text_add(&t, "#line 1 \"dialect.h\"\n%s\n#line 1 \"%s.k\"\n%s\n", source->prelude,
		         source->name, source->body);
		status = file_write(path, t.data, t.size, error);
		if (status == EH_OK)
			(*written)++;
	}
	text_free(&t);
	free(path);
	return status;
}

static eh_status write_program(const char *folder, const char *kernel, const eh_define *defines,
                               uint32_t count, size_t *written, eh_error *error)
{
	eh_source *source = NULL;
	eh_status status;

	if (kernel[0] == '\0')
		return EH_OK;
	status = session_source(kernel, defines, count, &source, error);
	if (status == EH_OK)
		status = write_source(folder, source, written, error);
	free(source);
	return status;
}

static eh_status write_protocol(const char *folder, const char *path, bool without_fp16,
                                size_t *written, eh_error *error)
{
	protocol *p = NULL;
	plan *made = NULL;
	eh_status status = protocol_read(path, &p, error);

	if (status != EH_OK)
		return status;
	status = plan_make(p, plugin_find_workload, NULL, &made, error);
	for (size_t i = 0; status == EH_OK && i < made->case_count; i++) {
		const eh_work *work = &made->cases[i].work;

		if ((work->needs & EH_CAP_FP16) == 0 || !without_fp16)
			status = write_program(folder, work->kernel, work->defines, work->define_count,
			                       written, error);
	}
	plan_free(made);
	protocol_free(p);
	return status;
}

static eh_status write_protocols(const char *folder, bool without_fp16, size_t *written,
                                 eh_error *error)
{
	char **protocols = protocol_list();
	eh_status status = EH_OK;

	for (size_t i = 0; status == EH_OK && protocols[i] != NULL; i++)
		status = write_protocol(folder, protocols[i], without_fp16, written, error);
	dir_list_free(protocols);
	return status;
}

static eh_status kernels(cli_call *call, eh_error *error)
{
	const kernels_options *o = call->options;
	const char *folder = call->words[0];
	const canary_program *programs;
	size_t written = 0, count = canary_programs(&programs);
	eh_status status = dir_make(folder, error);

	for (size_t i = 0; status == EH_OK && i < count; i++)
		status = write_program(folder, programs[i].kernel, programs[i].defines,
		                       programs[i].define_count, &written, error);
	if (status == EH_OK)
		status = write_protocols(folder, o->without_fp16, &written, error);
	if (status == EH_OK)
		command_put(stdout, "%zu kernel sources written to %s\n", written, folder);
	return status;
}

const cli_command cmd_kernels = {
	.name = "kernels",
	.group = CLI_HIDDEN,
	.summary = "write the kernel sources of the installed protocols, for the build to compile "
	           "ahead",
	.about = "Writes the source of every program that the installed protocols and the canary "
	         "need, one C file each, named by the digest of the source. The build compiles "
	         "them for machines without a compiler.",
	.forms = (const cli_form[]){
		{ NULL, { { "DIR", .kind = OPTION_PATH } }, NULL, kernels }, { 0 } },
	.options = (const cli_option[]){
		{ "without-fp16", OPTION_FLAG, offsetof(kernels_options, without_fp16),
		  .about = "leave out programs with half precision arithmetic, which the host backend does "
		           "not offer" }, { 0 } },
	.size = sizeof(kernels_options),
	.examples = (const char *const[]){ "evenhand kernels /tmp/kernels", NULL },
};
