/* SPDX-License-Identifier: Apache-2.0 */
/* Do clocks ever step back?  Trials of the host's clock and of a device's marks. */
#ifndef MEASURE_CLOCKTRIAL_H
#define MEASURE_CLOCKTRIAL_H

#include "plugin/session.h"
#include "record/record.h"

struct canary; /* measure/canary.h */

/* Reads `now` many times, on each processor that this process may use and across them.  The
 * thread's own affinity is restored. */
void clocktrial_host(uint64_t (*now)(void), record_order_trial *out);
/* Marks in a row with a little work between them, each against the first; work is sized.  *borrowed:
 * marks have the times of the work beside them, so that those with nothing between them have one time,
 * and others do not.  On an error, out->readings says how many were compared. */
eh_status clocktrial_device(const session *s, struct canary *work, record_order_trial *out,
                            bool *borrowed, eh_error *error);

#endif
