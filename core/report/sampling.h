/* SPDX-License-Identifier: Apache-2.0 */
/* What the stop rule saved, or cost, against a harness that takes a fixed number of samples. */
#ifndef REPORT_SAMPLING_H
#define REPORT_SAMPLING_H

#include "result/result.h"

#define SAMPLING_FIXED 100

/* malloc'd sentence about the executions that converged; NULL where none did. */
char *sampling_sentence(const result *r);

#endif
