/* SPDX-License-Identifier: Apache-2.0 */
/* What a terminal shows while a case is measured in lockstep: a line for each executor with its
 * estimate, the interval, and whether it is decided. */
#ifndef RUN_BOARD_H
#define RUN_BOARD_H

#include "run/progress.h"
#include "run/race.h"

typedef struct board_line {
	const char *name;     /* of the executor in the run                                      */
	race_place at;
	bool reference;
	bool rests;           /* it takes no more turns                                          */
} board_line;

/* target: the relative half-width that the protocol asks for. */
void board_show(progress *p, const race *r, const board_line *lines, size_t count, double target);

#endif
