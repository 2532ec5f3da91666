/* SPDX-License-Identifier: Apache-2.0 */
/* Writing JSON values, as they are in the canonical form of RFC 8785.  base/layout.h writes structs
 * with it; base/json_scan.h reads.  All functions abort when memory is exhausted. */
#ifndef BASE_JSON_H
#define BASE_JSON_H

#include <stdint.h>

#include "base/text.h"

/* The fewest digits that read back as the same double, which must be finite. */
void json_put_number(text *t, double value);
/* A number up to 2^53, a string of digits above. */
void json_put_uint(text *t, uint64_t value);
/* Bytes that are not UTF-8 become U+FFFD. */
void json_put_string(text *t, const char *s);
/* The order of two members' names in the canonical form: negative, 0 or positive. */
int json_name_order(const char *a, const char *b);

/* Appends a JSON text that is valid and has no spaces between its values, with at most 64 brackets in each
 * other, indented with tabs.  Its first line is not indented; `depth` is that of its last one. */
void json_put_indented(text *t, const char *body, unsigned depth);
/* malloc'd: the same, at depth 0. */
char *json_indent(const char *body);

#endif
