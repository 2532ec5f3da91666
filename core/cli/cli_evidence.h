/* SPDX-License-Identifier: Apache-2.0 */
/* The structs of cli/cli_evidence.def. */
#ifndef CLI_EVIDENCE_H
#define CLI_EVIDENCE_H

#define LAYOUT_FILE "cli/cli_evidence.def"
#define LAYOUT_NAME(name) cli_##name
#include "base/layout_structs.h"
#undef LAYOUT_FILE
#undef LAYOUT_NAME

#endif
