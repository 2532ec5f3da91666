/* SPDX-License-Identifier: Apache-2.0 */
/* The members of a result and of a journal's lines, as the end of docs/result-format.md has them. */
#ifndef REPORT_RECORD_PAGE_H
#define REPORT_RECORD_PAGE_H

#include <stdbool.h>
#include <stdio.h>

/* In Markdown; false when out did not take it. */
bool report_record_page(FILE *out);

#endif
