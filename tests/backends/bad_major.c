/* SPDX-License-Identifier: Apache-2.0 */
/* It was built for another major version. */
#include "bad.inc.h"

BAD_ENTRY("bad_major", block.abi_major = 9)
