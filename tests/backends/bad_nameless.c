/* SPDX-License-Identifier: Apache-2.0 */
/* It has no name. */
#include "bad.inc.h"

BAD_ENTRY("bad_nameless", block.name = NULL)
