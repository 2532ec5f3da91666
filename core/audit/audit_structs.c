/* SPDX-License-Identifier: Apache-2.0 */
#include "audit/audit_structs.h"

#define LAYOUT_FILE "audit/audit.def"
#define LAYOUT_NAME(name) audit_##name
#include "base/layout_tables.h"
