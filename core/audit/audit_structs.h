/* SPDX-License-Identifier: Apache-2.0 */
/* The structs and words of audit/audit.def. */
#ifndef AUDIT_STRUCTS_H
#define AUDIT_STRUCTS_H

#define LAYOUT_FILE "audit/audit.def"
#define LAYOUT_NAME(name) audit_##name
#include "base/layout_structs.h"
#undef LAYOUT_FILE
#undef LAYOUT_NAME

#endif
