/* SPDX-License-Identifier: Apache-2.0 */
/* A required slot is empty. */
#include "bad.inc.h"

BAD_ENTRY("bad_slot", ops.launch = NULL)
