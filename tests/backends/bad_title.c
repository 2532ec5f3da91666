/* SPDX-License-Identifier: Apache-2.0 */
/* It has no title. */
#include "bad.inc.h"

BAD_ENTRY("bad_title", block.title = NULL)
