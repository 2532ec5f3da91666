/* SPDX-License-Identifier: Apache-2.0 */
#ifndef REPORT_FLAG_WORDS_H
#define REPORT_FLAG_WORDS_H

#include <stdbool.h>
#include <stdio.h>

#include "record/result.h"

/* What a flag of a row says and what helps against it, in one sentence; NULL for an unknown one. */
const char *flag_words(const char *flag);

/* Explains each flag that a row of the result has, once.  false when writing failed. */
bool flag_words_print(FILE *out, const result *r);

#endif
