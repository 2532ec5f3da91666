/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/cli_evidence.h"

#define LAYOUT_FILE "cli/cli_evidence.def"
#define LAYOUT_NAME(name) cli_##name
#include "base/layout_tables.h"
