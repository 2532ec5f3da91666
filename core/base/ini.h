/* SPDX-License-Identifier: Apache-2.0 */
/* An INI text as sections of settings.  inih splits the lines; lines that inih would cut, join or
 * ignore are refused. */
#ifndef BASE_INI_H
#define BASE_INI_H

#include <stddef.h>

#include "base/error.h"

typedef struct ini_setting { char *key, *text; int line; } ini_setting;

typedef struct ini_section {
	char *name;  /* "measure", "case triad": single spaces                                  */
	int line;
	ini_setting *settings;
	size_t count;
} ini_section;

typedef struct ini_text {
	const char *source;  /* as messages call it; borrowed                                   */
	ini_section *sections;
	size_t count;
} ini_text;

/* Sections and keys are unique and well spelt, values are not empty.  Free with ini_free. */
eh_status ini_read(const char *data, size_t size, const char *source, ini_text *out,
                   eh_error *error);
void ini_free(ini_text *l);

/* EH_E_USAGE: "SOURCE:LINE: ...".  A long source is shown by its end. */
__attribute__((format(printf, 4, 5)))
eh_status ini_refuse(const char *source, int line, eh_error *error, const char *format, ...);

#endif
