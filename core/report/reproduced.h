/* SPDX-License-Identifier: Apache-2.0 */
/* What `evenhand reproduce` prints. */
#ifndef REPORT_REPRODUCED_H
#define REPORT_REPRODUCED_H

#include <stdio.h>

#include "analysis/reproduce.h"

bool report_reproduction(FILE *out, const reproduction *r, bool verbose);

#endif
