/* SPDX-License-Identifier: Apache-2.0 */
/* A required slot lies beyond the size of its table. */
#include "bad.inc.h"

BAD_ENTRY("bad_short_table", ops.struct_size = offsetof(eh_backend_ops, mark_wait))
