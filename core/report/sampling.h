/* SPDX-License-Identifier: Apache-2.0 */
/* What the stop rule saved against a fixed number of samples that reaches the same widths: the one
 * that the series needed which needed most. */
#ifndef REPORT_SAMPLING_H
#define REPORT_SAMPLING_H

#include "record/result.h"

/* malloc'd sentence about the executions that converged; NULL where none did. */
char *sampling_sentence(const result *r);

#endif
