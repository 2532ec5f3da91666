/* SPDX-License-Identifier: Apache-2.0 */
/* Its identity block is shorter than version 1 needs. */
#include "bad.inc.h"

BAD_ENTRY("bad_size", block.struct_size = 16)
