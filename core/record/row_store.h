/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Internal to reading: the numbers of rows that are kept, in a temporary file (base/spill.h) instead of the
 * heap.  The file is mapped, so that the numbers are where they were for whoever reads them, and the
 * system may take their memory whenever it needs it.  Nobody may change them.
 *
 * Rows stay in the heap where the file would take memory as well, or has no room.
 */
#ifndef RECORD_ROW_STORE_H
#define RECORD_ROW_STORE_H

#include "record/derive.h"

typedef struct row_store row_store;

row_store *row_store_new(size_t rows);
/* Moves the numbers of row i and of its pool to the file.  Any thread, each row once. */
void row_store_put(row_store *s, size_t i, record_case *row, record_pool *pool);
/* Gives back the memory of row i until somebody reads its numbers again.  Any thread, at any time. */
void row_store_rest(const row_store *s, size_t i);
/* Takes the numbers of row i out of the row and its pool, which can be freed then. */
void row_store_take_out(row_store *s, size_t i, record_case *row, record_pool *pool);
void row_store_free(row_store *s); /* NULL is fine; no row may be in it                        */

#endif
