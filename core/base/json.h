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

/* malloc'd: a valid JSON text, indented with tabs. */
char *json_indent(const char *body);

#endif
