/* SPDX-License-Identifier: Apache-2.0 */
/* Nothing is wrong with it but that it does not start. */
#include "bad.inc.h"

BAD_ENTRY("bad_start", (void)0)
