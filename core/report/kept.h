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

#endif
