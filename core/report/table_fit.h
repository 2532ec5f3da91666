/* SPDX-License-Identifier: Apache-2.0 */
/* Inside of the report room: how the columns of a table give way.  Numbers in, numbers out. */
#ifndef REPORT_TABLE_FIT_H
#define REPORT_TABLE_FIT_H

#include <stddef.h>

typedef struct table_fit {
	const char *align;     /* as for table_new()                                           */
	size_t *widths;        /* of the columns; 0: the column is left out                    */
	const size_t *bodies;  /* the same without the names of the columns                    */
	size_t columns, gap;
} table_fit;

/* The columns that a row takes. */
size_t table_fit_total(const table_fit *f);
/* Narrows columns, least important first, until a row has room or none can give way. */
void table_fit_into(table_fit *f, size_t room);

#endif
