/* SPDX-License-Identifier: Apache-2.0 */
/* What commands answer where no other room has a struct for it; cli/answer.def has every member. */
#ifndef CLI_ANSWER_H
#define CLI_ANSWER_H

#include "analysis/analysis.h"
#include "record/record.h"

#define LAYOUT_FILE "cli/answer.def"
#define LAYOUT_NAME(name) name
#include "base/layout_structs.h"
#undef LAYOUT_FILE
#undef LAYOUT_NAME

#endif
