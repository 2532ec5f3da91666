/* SPDX-License-Identifier: Apache-2.0 */
/* Internal to record/: the places of the parts of a result's text, so that rows can be read one by one
 * and on all processors, and single members can be replaced. */
#ifndef RECORD_PARTS_H
#define RECORD_PARTS_H

#include <stdbool.h>

#include "base/json_scan.h"
#include "base/source.h"
#include "record/record.h"

enum { PARTS_MAX = 32 };

typedef struct result_parts {
	struct { char name[24]; json_span value; } members[PARTS_MAX]; /* without cases         */
	size_t member_count;
	json_span *rows;         /* the elements of cases                                       */
	size_t row_count, row_room;
	json_span cut;           /* from the first row to the end of the last                   */
	char *head;              /* the text without what is cut                                */
	size_t head_size;
} result_parts;

/* Finds the parts and reads the head.  EH_E_FORMAT without a message unless the text is an object with
 * at most PARTS_MAX members, one of them the array "cases", whose elements are not more than a text of
 * that size has room for; reading the whole text then gives the error.  EH_E_NO_MEMORY beyond LIMIT_HEAD,
 * LIMIT_ROW and LIMIT_ROWS.  The parts themselves are not checked.  *out needs parts_free in all cases. */
eh_status parts_find(const source_bytes *from, result_parts *out, eh_error *error);
void parts_free(result_parts *parts);
/* The head's text, without rows. */
json_scan parts_head(const result_parts *parts, const char *name, eh_error *error);
/* Reads the record without its rows into an initialised struct. */
eh_status parts_read_head(const result_parts *parts, const source_bytes *from, record_result *out,
                          eh_error *error);

#endif
