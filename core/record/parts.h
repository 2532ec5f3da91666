/* SPDX-License-Identifier: Apache-2.0 */
/* Internal to record/: the places of the parts of a result's text, so that rows can be read on all
 * processors and single members can be replaced. */
#ifndef RECORD_PARTS_H
#define RECORD_PARTS_H

#include <stdbool.h>

#include "base/json_scan.h"
#include "record/record.h"

enum { PARTS_MAX = 32 };

typedef struct result_parts {
	struct { char name[24]; json_span value; } members[PARTS_MAX]; /* without cases         */
	size_t member_count;
	json_span *rows;         /* the elements of cases                                       */
	size_t row_count, row_room;
} result_parts;

/* false unless the text is an object with at most PARTS_MAX members, one of them the array "cases",
 * whose elements are not more than a text of that size has room for; reading the whole text then
 * gives the error.  The parts themselves are not checked.  *out needs parts_free in both cases. */
bool parts_find(const char *text, size_t size, result_parts *out);
void parts_free(result_parts *parts);
/* Reads the record without its rows, which are passed over, into an initialised struct. */
eh_status parts_read_head(const result_parts *parts, const char *text, size_t size, const char *name,
                          record_result *out, eh_error *error);

#endif
