/* SPDX-License-Identifier: Apache-2.0 */
/* Its identity block begins with another number. */
#include "bad.inc.h"

BAD_ENTRY("bad_magic", block.magic = 0x6e69626f)
