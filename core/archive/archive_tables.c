/* SPDX-License-Identifier: Apache-2.0 */
/* The layouts of archive.def. */
#include "archive/archive.h"

#define LAYOUT_FILE "archive/archive.def"
#define LAYOUT_NAME(name) name
#include "base/layout_tables.h"
