/* SPDX-License-Identifier: Apache-2.0 */
/* Do clocks ever step back?  Trials of the host's clock and of a device's marks. */
#ifndef MEASURE_CLOCKTRIAL_H
#define MEASURE_CLOCKTRIAL_H

#include "plugin/session.h"

struct canary; /* measure/canary.h */

typedef struct clocktrial {
	uint64_t readings;
	uint64_t steps_back;   /* a reading, or mark, before the one that came before it       */
	uint64_t largest_ns;   /* of these                                                     */
	uint64_t processors;   /* on which the host's clock was read                           */
} clocktrial;

/* Reads `now` many times, on each processor that this process may be given and across them; the
 * thread's own affinity is as it was afterwards. */
void clocktrial_host(uint64_t (*now)(void), clocktrial *out);
/* Marks in a row with a little work between them, each against the first; work is sized. */
eh_status clocktrial_device(const session *s, struct canary *work, clocktrial *out, eh_error *error);

#endif
