/* SPDX-License-Identifier: Apache-2.0 */
/* What the stop rule saves against a fixed number of samples for all series, which has to be that
 * of the series that needed most. */
#ifndef REPORT_SAMPLING_H
#define REPORT_SAMPLING_H

#include "record/result.h"

/* malloc'd sentence about the executions that converged; NULL where none did. */
char *sampling_sentence(const result *r);

#endif
