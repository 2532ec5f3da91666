/* SPDX-License-Identifier: Apache-2.0 */
/* The rows that many results share, by their ids: stacks, series, histories.  Within one transaction: what
 * was asked once is known, as most results have the same cases. */
#ifndef ARCHIVE_ARCHIVE_IDS_H
#define ARCHIVE_ARCHIVE_IDS_H

#include "archive/archive.h"

/* Needs archive_ids_clear, which forgets what is known, too. */
typedef struct archive_ids { archive *a; void *known; } archive_ids;

void archive_ids_clear(archive_ids *ids);

/* The ids of rows, which are made where they are not there. */
eh_status archive_ids_stack(archive_ids *ids, const record_result *r, int64_t *id, eh_error *error);
eh_status archive_ids_series(archive_ids *ids, const record_result *r, int64_t *id, eh_error *error);
eh_status archive_ids_history(archive_ids *ids, const result_row *row, int64_t series, int64_t *id,
                              eh_error *error);

#endif
