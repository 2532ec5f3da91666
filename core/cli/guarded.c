/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/guarded.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/foreground.h"
#include "base/log.h"
#include "base/text.h"
#include "cli/archiving.h"

char *guarded_end(const answer_guard *a)
{
	if (a->signal != LAYOUT_NO_UINT)
		return memory_format("signal %llu (%s)", (unsigned long long)a->signal, strsignal((int)a->signal));
	return memory_format("exit status %llu", (unsigned long long)a->status);
}

char *guarded_words(const answer_guard *a)
{
	text t = { 0 };

	for (size_t i = 0; i < a->command.count; i++) {
		char *word = text_shell_word(a->command.items[i]);

		text_add(&t, "%s%s", i > 0 ? " " : "", word);
		free(word);
	}
	text_clean(t.data);
	return t.data;
}

eh_status guarded_run(answer_guard *a, const char *program, bool to_stderr, eh_error *error)
{
	const char **argv = memory_get((a->command.count + 1) * sizeof(*argv));
	foreground_end end = { 0 };
	char began[24], ended[24];
	eh_status status;

	for (size_t i = 0; i < a->command.count; i++)
		argv[i] = a->command.items[i];
	clock_wall_text(began);
	status = foreground_run(program, argv, to_stderr, &end, error);
	if (status == EH_OK) {
		clock_wall_text(ended);
		text_set(&a->began, began);
		text_set(&a->ended, ended);
		*(end.signalled ? &a->signal : &a->status) = (uint64_t)end.code;
	}
	free(argv);
	return status;
}

void guarded_annotate(const answer_guard *a, const char *asked)
{
	char *command = guarded_words(a), *end = guarded_end(a), *words = memory_format("%s (%s)", command, end);
	char author[] = "evenhand guard", all[] = "";
	const archive_note note = { .at = a->began, .words = words, .author = author, .executor = all };
	eh_error error = ERROR_INIT;
	archive to;
	eh_status status = archiving_open(asked, true, &to, &error);

	if (status == EH_OK) {
		status = archive_annotate(&to, &note, &error);
		archive_close(&to);
	}
	if (status != EH_OK)
		log_write(EH_LOG_WARN, "the command is not noted in the archive: %s", error.message);
	free(words);
	free(end);
	free(command);
}
