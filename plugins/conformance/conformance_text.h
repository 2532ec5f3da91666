/* SPDX-License-Identifier: Apache-2.0 */
/* Texts that cross the ABI: UTF-8, terminated, without control characters. */
#ifndef CONFORMANCE_TEXT_H
#define CONFORMANCE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

enum {
	TEXT_LINES = 1, /* newlines and tabs are allowed                                       */
	TEXT_CUT = 2    /* it may end within a character; else only where it fills its room     */
};

/* What is wrong with a text of `room` bytes at most, for a sentence that begins with its name; valid
 * until the next call.  NULL: nothing. */
const char *text_fault(const char *text, size_t room, int flags);

#endif
