/* SPDX-License-Identifier: Apache-2.0 */
/* Writing HTML and XML.  Names and sentences come from drivers and from other people's files: every
 * text is escaped here, and markup comes from constant formats alone.  Errors of writing stay in the
 * stream (ferror). */
#ifndef BASE_MARKUP_H
#define BASE_MARKUP_H

#include <stdio.h>

/* As fprintf with the conversions s, d, zu, llu, f and g; what %s stands for is made clean
 * (text_clean) and escaped, so that it is text or a part of a quoted attribute. */
__attribute__((format(printf, 2, 3)))
void markup_put(FILE *out, const char *format, ...);
/* The text alone; line ends and tabs stay, for <pre>. */
void markup_text(FILE *out, const char *words);
/* JSON within <script type="application/json">: no "<" is left in it. */
void markup_json(FILE *out, const char *json);

#endif
