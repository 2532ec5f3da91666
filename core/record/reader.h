/* SPDX-License-Identifier: Apache-2.0 */
/* Internal to reading: a result while it is read. */
#ifndef RECORD_READER_H
#define RECORD_READER_H

#include "record/check.h"
#include "record/parts.h"
#include "record/result.h"

typedef struct reader {
	const source_bytes *from;
	result *r;
	bool keep;               /* the rows, in r                                               */
	bool only_first;         /* stop at the first finding                                    */
	result_watch *const *watches;
	size_t watch_count;
	result_parts parts;
	run_order order;
	bool stack_changed;
	row_sums sums;
	findings found;          /* by the rows                                                  */
} reader;

/* Reads and checks all rows, on all processors and a few at a time.  The record's head has been read,
 * and all->order and all->sums are made. */
eh_status reader_take_rows(reader *all, eh_error *error);
/* Adds the errors of the rows that are not sound, by reading these again. */
eh_status reader_explain_rows(const reader *all, findings *f, eh_error *error);

#endif
