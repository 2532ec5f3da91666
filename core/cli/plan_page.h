/* SPDX-License-Identifier: Apache-2.0 */
/* The page of `evenhand run --plan`. */
#ifndef CLI_PLAN_PAGE_H
#define CLI_PLAN_PAGE_H

#include "run/run.h"

void plan_page_print(const run_plan *p);

#endif
