/* SPDX-License-Identifier: Apache-2.0 */
/* One attempt at a case: from preparing its data to the proof. */
#ifndef MEASURE_ATTEMPT_H
#define MEASURE_ATTEMPT_H

#include "measure/casework.h"

/* Fills the record of *w with everything that needs the case prepared with these values. */
void attempt_run(casework *w, const eh_case *values, const eh_work *work);

#endif
