/* SPDX-License-Identifier: Apache-2.0 */
/* It was built with headers from before the ABI was frozen. */
#include "bad.inc.h"

BAD_ENTRY("bad_minor", block.abi_minor = EH_ABI_FROZEN_MINOR - 1)
