/* SPDX-License-Identifier: Apache-2.0 */
/* What people read of the archive. */
#ifndef REPORT_KEPT_H
#define REPORT_KEPT_H

#include <stdio.h>

#include "archive/archive.h"

void kept_list(FILE *out, const archive_entry_list *entries);
void kept_rows(FILE *out, const archive_row_list *rows);
/* A picture of each, where its stack and its level changed, and annotations. */
void kept_histories(FILE *out, const archive_history_list *histories);
/* Changes of one executor in one result together, with the layers that changed there. */
void kept_changes(FILE *out, const archive_change_list *changes, const archive_looked *looked, double margin);

/* Digits that a digest is shown with. */
#define KEPT_DIGITS 12
/* malloc'd "2026-11-29 01:03". */
char *kept_minute(const char *started);
/* malloc'd "21.34 [21.20-21.40] GB/s"; "-" for a row that does not count. */
char *kept_value(const archive_line *l, const archive_point *p);
/* malloc'd: what a reader has to know of a row besides its value; "" where it is good. */
char *kept_doubt(const archive_point *p);

#endif
