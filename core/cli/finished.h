/* SPDX-License-Identifier: Apache-2.0 */
/* What commands say of a redaction that had been interrupted, and that they finished. */
#ifndef CLI_FINISHED_H
#define CLI_FINISHED_H

#include <stdio.h>

#include "base/layout.h"

/* Prints the words, a space and the list, shortened; nothing for an empty list. */
void finished_print_list(FILE *out, const char *before, const text_list *list);
/* Prints a line with all members; nothing for an empty list. */
void finished_print(FILE *out, const char *file, const text_list *members, const char *announcer);

#endif
