/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of comparison.def and interval.def. */
#include "contract/contract.h"

#define LAYOUT_NAME(name) name
#define LAYOUT_FILE "contract/interval.def"
#include "base/layout_tables.h"
#undef LAYOUT_FILE
#define LAYOUT_FILE "contract/comparison.def"
#include "base/layout_tables.h"
