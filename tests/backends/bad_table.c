/* SPDX-License-Identifier: Apache-2.0 */
/* It has no table of functions. */
#include "bad.inc.h"

BAD_ENTRY("bad_table", block.ops = NULL)
