/* SPDX-License-Identifier: Apache-2.0 */
/* It says that pointers have another width. */
#include "bad.inc.h"

BAD_ENTRY("bad_pointer", block.pointer_bytes = 4)
