/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of results, exports and archives, for programs that read these. */
#ifndef CLI_TABLES_PAGE_H
#define CLI_TABLES_PAGE_H

#include <stdbool.h>

/* As JSON, or as the module python/evenhand/tables.py. */
void tables_page_print(bool json);

#endif
