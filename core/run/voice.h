/* SPDX-License-Identifier: Apache-2.0 */
/* The stdout of a child of ours, kept to itself: drivers and compilers that print would talk
 * into our lines. */
#ifndef RUN_VOICE_H
#define RUN_VOICE_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stdio.h>

/* A stream to what was stdout, closed in programs that are started from here; stdout itself goes
 * to stderr from now on.  NULL when there is no stdout. */
FILE *voice_take(void);
/* One line, at once, from any thread.  false when nobody reads it any more. */
bool voice_say(FILE *voice, const cJSON *line);

#endif
