/* SPDX-License-Identifier: Apache-2.0 */
/* Files of numbers: one per line, or columns. */
#ifndef CLI_NUMBER_FILE_H
#define CLI_NUMBER_FILE_H

#include <stddef.h>

#include "base/error.h"

typedef struct number_column {
	char *name;      /* of the header, else the column's number */
	double *values;  /* 0, or between 1e-140 and 1e140 */
	size_t count, room;
} number_column;

typedef struct number_file {
	number_column *columns;
	size_t count;    /* at least one, each with at least one value */
} number_file;

/* Reads the file, or stdin for "-".  Commas, semicolons, tabs or spaces separate cells; a first line
 * without a number is the header; empty lines, the text after '#' and a byte-order mark are ignored.
 * A column may end before others.  Errors name the line: EH_E_USAGE, or EH_E_IO when the file cannot
 * be read. */
eh_status number_file_read(const char *path, number_file *out, eh_error *error);
void number_file_free(number_file *f);

#endif
