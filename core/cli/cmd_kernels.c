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

static int kernels_run(int argc, char **argv);

const command command_kernels = {
	.name = "kernels",
	.summary = NULL,
	.help = "usage: evenhand kernels DIR\n"
	        "\n"
	        "Writes the source of every program that the installed protocols and the canary\n"
	        "need to DIR, one C file each, named by the digest of the source.  The build\n"
	        "compiles them for machines that have no compiler.\n"
	        "\n"
	        "  evenhand kernels /tmp/kernels\n",
	.run = kernels_run,
};

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

static eh_status write_protocol(const char *folder, const char *path, size_t *written,
                                eh_error *error)
{
	protocol *p = NULL;
	plan *made = NULL;
	eh_status status = protocol_read(path, &p, error);

	if (status != EH_OK)
		return status;
	status = plan_make(p, plugin_find_workload, NULL, &made, error);
	for (size_t i = 0; status == EH_OK && i < made->case_count; i++) {
		const eh_work *work = &made->cases[i].work;

		status = write_program(folder, work->kernel, work->defines, work->define_count,
		                       written, error);
	}
	plan_free(made);
	protocol_free(p);
	return status;
}

static int kernels_run(int argc, char **argv)
{
	eh_error error = ERROR_INIT;
	const canary_program *programs;
	eh_status status;
	size_t written = 0, count;
	char **protocols;

	if (argc == 2 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0))
		return command_help(&command_kernels);
	if (argc != 2 || argv[1][0] == '-' || argv[1][0] == '\0') {
		(void)error_set(&error, EH_E_USAGE, "one folder is needed, to write the sources to");
		return command_fail(&command_kernels, &error);
	}
	status = dir_make(argv[1], &error);
	count = canary_programs(&programs);
	for (size_t i = 0; status == EH_OK && i < count; i++)
		status = write_program(argv[1], programs[i].kernel, programs[i].defines,
		                       programs[i].define_count, &written, &error);
	protocols = protocol_list();
	for (size_t i = 0; status == EH_OK && protocols[i] != NULL; i++)
		status = write_protocol(argv[1], protocols[i], &written, &error);
	for (size_t i = 0; protocols[i] != NULL; i++)
		free(protocols[i]);
	free(protocols);
	if (status != EH_OK)
		return command_fail(&command_kernels, &error);
	printf("%zu kernel sources written to %s\n", written, argv[1]);
	return command_printed(&command_kernels, EXIT_CODE_OK);
}
