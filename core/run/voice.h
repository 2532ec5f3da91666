/* SPDX-License-Identifier: Apache-2.0 */
/* The stdin and stdout of a child process, reserved for its messages: drivers and compilers print to
 * stderr instead. */
#ifndef RUN_VOICE_H
#define RUN_VOICE_H

#include <stdbool.h>
#include <stdio.h>

/* A stream to the original stdout, which child processes do not inherit; stdout itself goes to
 * stderr from now on.  NULL when there is no stdout. */
FILE *voice_take(void);
/* Writes a line at once, from any thread, and frees it.  false when nobody reads it any more. */
bool voice_say(FILE *voice, char *line);
/* A descriptor of the original stdin, which child processes do not inherit; stdin itself is empty
 * from now on.  -1 when there is none. */
int voice_take_input(void);
/* Whether nothing was said for that time. */
bool voice_silent(int input, int ms);
/* Waits for the next line of it, malloc'd without its newline.  NULL at its end, and when a signal
 * asks this process to end. */
char *voice_hear(int input);

#endif
