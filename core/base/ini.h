/* SPDX-License-Identifier: Apache-2.0 */
/* An INI text as sections of settings.  inih parses the lines; lines that inih would cut, join or
 * ignore are refused. */
#ifndef BASE_INI_H
#define BASE_INI_H

#include <stddef.h>

#include "base/error.h"

typedef struct ini_setting { char *key, *text; int line; } ini_setting;

typedef struct ini_section {
	char *name;  /* "measure", "case triad": words joined by single spaces                  */
	int line;
	ini_setting *settings;
	size_t count;
} ini_section;

typedef struct ini_text {
	const char *source;  /* its name in messages; borrowed                                  */
	ini_section *sections;
	size_t count;
} ini_text;

/* Parses the text; free *out with ini_free.  EH_E_USAGE with the line for doubled or malformed
 * names of sections and keys, and for empty values. */
eh_status ini_read(const char *data, size_t size, const char *source, ini_text *out,
                   eh_error *error);
void ini_free(ini_text *l);

/* Returns EH_E_USAGE with the message "SOURCE:LINE: ...".  Of a long source only the end is
 * shown. */
__attribute__((format(printf, 4, 5)))
eh_status ini_refuse(const char *source, int line, eh_error *error, const char *format, ...);

#endif
