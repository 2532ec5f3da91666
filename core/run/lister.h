/* SPDX-License-Identifier: Apache-2.0 */
/* Child processes that load one plugin and answer with one line: a struct as JSON. */
#ifndef RUN_LISTER_H
#define RUN_LISTER_H

#include <stdbool.h>
#include <stdio.h>

#include "base/child.h"
#include "base/layout.h"

/* Starts `evenhand worker MODE PATH [NUMBER] --set OPTION...`; number and options may be NULL,
 * options are NULL-terminated. */
eh_status lister_start(const char *mode, const char *path, const char *number,
                       const char *const *options, child **out, eh_error *error);

/* For messages. */
typedef struct lister_words {
	const char *name;      /* what is listed                                                  */
	const char *done;      /* "listed its devices"                                            */
	const char *not_done;  /* "it did not list its devices"                                   */
	const char *suspect;   /* "driver"                                                        */
	unsigned seconds;      /* of the deadline                                                 */
} lister_words;

/* Reads the answer into an initialised struct and ends the process.  EH_E_TIMEOUT after the
 * deadline, EH_E_CHILD when the process ended without an answer. */
eh_status lister_read(child *c, const lister_words *words, uint64_t deadline_ns, const layout *l,
                      void *out, eh_error *error);

/* In the child: writes the answer to what voice_take returned and closes it.  The exit code. */
int lister_answer(FILE *voice, const layout *l, const void *answer);

#endif
