/* SPDX-License-Identifier: Apache-2.0 */
/* Documents generated from layouts: a JSON Schema, and tables in Markdown and in JSON.  All include
 * the layouts of nested members. */
#ifndef BASE_LAYOUT_DESCRIBE_H
#define BASE_LAYOUT_DESCRIBE_H

#include "base/layout.h"
#include "base/text.h"

/* malloc'd: a JSON Schema (2020-12) of `root`. */
char *layout_schema(const layout *root, const char *title);
/* Appends a section for each layout ("### canary") with its sentence and a line per member, in the
 * order of first use; then a table for each enum.  `roots` ends with NULL. */
void layout_markdown(const layout *const *roots, text *out);
/* Appends the same as two members of a JSON object, "structs" and "words", a line for each member and
 * word.  Without true, false and null, so that it is Python as well. */
void layout_tables(const layout *const *roots, text *out);

#endif
