/* SPDX-License-Identifier: Apache-2.0 */
/* Its name is not its file's. */
#include "bad.inc.h"

BAD_ENTRY("other_name", (void)0)
