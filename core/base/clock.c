/* SPDX-License-Identifier: Apache-2.0 */
#include "base/clock.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "base/text.h"

uint64_t clock_now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC_RAW, &now);
	return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

void clock_sleep_ns(uint64_t ns)
{
	struct timespec left = {
		.tv_sec = (time_t)(ns / UINT64_C(1000000000)),
		.tv_nsec = (long)(ns % UINT64_C(1000000000)),
	};

	while (nanosleep(&left, &left) != 0 && errno == EINTR)
		;
}

/* The format of clock_wall_text has four digits for the year. */
static bool parse_epoch(const char *given, uint64_t *seconds)
{
	return text_parse_uint(given, seconds) && *seconds <= UINT64_C(253402300799);
}

bool clock_epoch_sound(void)
{
	const char *given = getenv("SOURCE_DATE_EPOCH");
	uint64_t seconds;

	return given == NULL || parse_epoch(given, &seconds);
}

void clock_wall_text(char out[24])
{
	const char *given = getenv("SOURCE_DATE_EPOCH");
	uint64_t seconds = 0;
	time_t now = time(NULL);
	struct tm parts;

	if (given != NULL && parse_epoch(given, &seconds))
		now = (time_t)seconds;
	if (gmtime_r(&now, &parts) == NULL || strftime(out, 24, "%Y-%m-%dT%H:%M:%SZ", &parts) == 0)
		out[0] = '\0';
}
