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

static int number_at(const char *s, size_t digits)
{
	int value = 0;

	for (size_t i = 0; i < digits; i++)
		value = value * 10 + (s[i] - '0');
	return value;
}

static int days_of(int year, int month)
{
	static const int days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
	bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);

	return days[month - 1] + (month == 2 && leap);
}

bool clock_is_wall_text(const char *s)
{
	static const char form[] = "0000-00-00T00:00:00Z";
	int month;
	int day;
	size_t i;

	for (i = 0; form[i] != '\0'; i++)
		if (form[i] == '0' ? s[i] < '0' || s[i] > '9' : s[i] != form[i])
			return false;
	if (s[i] != '\0')
		return false;
	month = number_at(s + 5, 2);
	day = number_at(s + 8, 2);
	return month >= 1 && month <= 12 && day >= 1 && day <= days_of(number_at(s, 4), month) &&
	       number_at(s + 11, 2) <= 23 && number_at(s + 14, 2) <= 59 && number_at(s + 17, 2) <= 59;
}

bool clock_wall_seconds(const char *s, int64_t *out)
{
	char whole[] = "0000-01-01T00:00:00Z";
	struct tm parts = { 0 };
	size_t size = strlen(s);

	/* Only whole numbers: "2026-1" could be three months. */
	if (size < 4 || size >= sizeof(whole) || (whole[size] >= '0' && whole[size] <= '9'))
		return false;
	for (size_t i = 0; i < size; i++)
		whole[i] = s[i];
	if (!clock_is_wall_text(whole) || strptime(whole, "%Y-%m-%dT%H:%M:%SZ", &parts) == NULL)
		return false;
	*out = timegm(&parts);
	return true;
}
