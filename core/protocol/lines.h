/* SPDX-License-Identifier: Apache-2.0 */
/* The INI text of a protocol as sections of settings, whatever their names.  inih splits the
 * lines; what inih would cut, join or pass over in silence is refused before it sees it. */
#ifndef PROTOCOL_LINES_H
#define PROTOCOL_LINES_H

#include "protocol/protocol.h"

typedef struct lines_section {
	char *name;  /* "measure", "case triad": single spaces                                  */
	int line;
	protocol_setting *settings;
	size_t count;
} lines_section;

typedef struct lines {
	const char *source;  /* as messages call it; borrowed                                   */
	lines_section *sections;
	size_t count;
} lines;

/* Sections and keys are unique and well spelt, values are not empty.  Free with lines_free. */
eh_status lines_read(const char *data, size_t size, const char *source, lines *out,
                     eh_error *error);
void lines_free(lines *l);

/* EH_E_USAGE: "SOURCE:LINE: ...".  A long source is shown by its end. */
__attribute__((format(printf, 4, 5)))
eh_status lines_refuse(const char *source, int line, eh_error *error, const char *format, ...);

#endif
