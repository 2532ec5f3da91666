/* SPDX-License-Identifier: Apache-2.0 */
/* The command that guard measures around. */
#ifndef CLI_GUARDED_H
#define CLI_GUARDED_H

#include "cli/answer.h"

/* Runs a->command from the file `program` and fills began, ended, and status or signal.  to_stderr: its
 * stdout goes there. */
eh_status guarded_run(answer_guard *a, const char *program, bool to_stderr, eh_error *error);
/* malloc'd: the words as a shell takes them; no terminal obeys them. */
char *guarded_words(const answer_guard *a);
/* malloc'd: "exit status 100", "signal 9 (Killed)". */
char *guarded_end(const answer_guard *a);
/* Notes both in the archive (asked: as for archiving_open); a failure is a warning. */
void guarded_annotate(const answer_guard *a, const char *asked);

#endif
