/* SPDX-License-Identifier: Apache-2.0 */
#include "run/lister.h"

#include <stdlib.h>
#include <string.h>

#include "base/paths.h"
#include "base/text.h"
#include "run/death.h"
#include "run/voice.h"

#define CLOSING_NS (UINT64_C(2) * 1000000000)

eh_status lister_start(const char *mode, const char *path, const char *number,
                       const char *const *options, child **out, eh_error *error)
{
	char *program = paths_program();
	size_t count = 0, at = 0;
	const char **argv;
	eh_status status;

	while (options != NULL && options[count] != NULL)
		count++;
	argv = memory_get((2 * count + 6) * sizeof(*argv));
	argv[at++] = program;
	argv[at++] = "worker";
	argv[at++] = mode;
	argv[at++] = path;
	if (number != NULL)
		argv[at++] = number;
	for (size_t i = 0; i < count; i++) {
		argv[at++] = "--set";
		argv[at++] = options[i];
	}
	status = child_start(argv, false, out, error);
	free(argv);
	free(program);
	return status;
}

static eh_status say_death(const lister_words *words, const child_end *end, eh_error *error)
{
	char *death = death_text(end);

	(void)error_set(error, EH_E_CHILD, "the process that %s %s; see whether its %s crashes in "
	                "another program too", words->done, death, words->suspect);
	free(death);
	return EH_E_CHILD;
}

eh_status lister_read(child *c, const lister_words *words, uint64_t deadline_ns, const layout *l,
                      void *out, eh_error *error)
{
	const char *line = NULL;
	child_end end = { 0 };
	eh_status status = child_line(c, deadline_ns, &line, error);
	bool silent = status == EH_E_NOT_FOUND;

	if (status == EH_OK)
		status = layout_read(l, line, strlen(line), words->name, out, error);
	/* An answer counts even if the driver crashes when it is closed. */
	child_finish(c, status == EH_OK || silent ? CLOSING_NS : 0, &end);
	death_survivors(words->name, &end);
	if (silent)
		return say_death(words, &end, error);
	if (status == EH_E_TIMEOUT)
		return error_set(error, status,
		                 "%s within %u s; see whether its %s hangs with another "
		                 "program too", words->not_done, words->seconds, words->suspect);
	return status;
}

int lister_answer(FILE *voice, const layout *l, const void *answer)
{
	bool heard = voice_say(voice, layout_text(l, answer, false));

	return fclose(voice) == 0 && heard ? EXIT_CODE_OK : EXIT_CODE_ENVIRONMENT;
}
