/* SPDX-License-Identifier: Apache-2.0 */
/* Clocks.  Every host time in evenhand is clock_now_ns. */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

uint64_t clock_now_ns(void);  /* CLOCK_MONOTONIC_RAW */
void clock_sleep_ns(uint64_t ns);

/* False when SOURCE_DATE_EPOCH is set but is not a number of seconds up to the year 9999. */
bool clock_epoch_sound(void);
/* The time of day in UTC, "2026-11-21T00:02:22Z".  A valid SOURCE_DATE_EPOCH (seconds) replaces
 * it. */
void clock_wall_text(char out[24]);
/* Whether the text has that form, with an existing date.  Such texts are in the order of their times. */
bool clock_is_wall_text(const char *s);
/* The seconds since 1970 of such a text, or of its beginning ("2026-03": the first of March); false for
 * anything else. */
bool clock_wall_seconds(const char *s, int64_t *out);

#endif
