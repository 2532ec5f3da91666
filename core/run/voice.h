/* SPDX-License-Identifier: Apache-2.0 */
/* The stdout of a child process, reserved for its messages: drivers and compilers print to stderr
 * instead. */
#ifndef RUN_VOICE_H
#define RUN_VOICE_H

#include <stdbool.h>
#include <stdio.h>

/* A stream to the original stdout, which child processes do not inherit; stdout itself goes to
 * stderr from now on.  NULL when there is no stdout. */
FILE *voice_take(void);
/* Writes a line at once, from any thread, and frees it.  false when nobody reads it any more. */
bool voice_say(FILE *voice, char *line);

#endif
