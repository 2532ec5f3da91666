/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/analysis.h"

#define LAYOUT_NAME(name) name
#define LAYOUT_FILE "analysis/analysis.def"
#include "base/layout_tables.h"
