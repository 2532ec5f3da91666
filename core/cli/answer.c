/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/answer.h"

#define LAYOUT_FILE "cli/answer.def"
#define LAYOUT_NAME(name) name
#include "base/layout_tables.h"
