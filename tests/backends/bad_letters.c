/* SPDX-License-Identifier: Apache-2.0 */
/* Its name is none. */
#include "bad.inc.h"

BAD_ENTRY("Bad Letters", (void)0)
