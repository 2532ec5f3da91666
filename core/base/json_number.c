/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers of JSON as doubles, correctly rounded. */
#include <float.h>
#include <limits.h>
#include <math.h>
#include <string.h>

#include "base/json_scan.h"
#include "base/text.h"

enum { NUMBER_MAX = 60 };

static bool is_digit(const scan *s)
{
	return s->at < s->end && *s->at >= '0' && *s->at <= '9';
}

/* The double of mantissa * 10^exponent where one correctly rounded operation gives it. */
static bool exact_number(uint64_t mantissa, int exponent, double *value)
{
#if FLT_EVAL_METHOD == 0
	static const double powers[] = { 1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
		                         1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20,
		                         1e21, 1e22 };

	if (mantissa > UINT64_C(1) << 53 || exponent < -22 || exponent > 22)
		return false;
	*value = exponent < 0 ? (double)mantissa / powers[-exponent] :
	                        (double)mantissa * powers[exponent];
	return true;
#else
	*value = (double)mantissa;
	return mantissa <= UINT64_C(1) << 53 && exponent == 0;
#endif
}

/* Takes digits into *mantissa as long as they fit; gives how many there were. */
static int take_digits(scan *s, uint64_t *mantissa, bool *fits)
{
	const char *from = s->at;

	for (; is_digit(s); s->at++) {
		if (*mantissa > (UINT64_MAX - 9) / 10)
			*fits = false;
		else
			*mantissa = *mantissa * 10 + (uint64_t)(*s->at - '0');
	}
	return s->at - from > INT_MAX ? INT_MAX : (int)(s->at - from);
}

static eh_status slow_number(scan *s, const char *from, double *value)
{
	char copy[NUMBER_MAX + 1];
	size_t size = (size_t)(s->at - from);

	memcpy(copy, from, size);
	copy[size] = '\0';
	if (text_parse_double(copy, value) && isfinite(*value))
		return EH_OK;
	s->at = from;
	return scan_refuse(s, "a number beyond the range of a double");
}

static eh_status read_exponent(scan *s, int *exponent, bool *fits)
{
	uint64_t value = 0;
	bool negative;

	if (!scan_take(s, 'e') && !scan_take(s, 'E'))
		return EH_OK;
	negative = scan_take(s, '-');
	if (!negative)
		scan_take(s, '+');
	if (take_digits(s, &value, fits) == 0)
		return scan_refuse(s, "a digit is missing in the exponent");
	if (value > 1000)
		*fits = false;
	else
		*exponent += negative ? -(int)value : (int)value;
	return EH_OK;
}

static eh_status read_number(scan *s, double *value)
{
	const char *from = s->at;
	bool negative = scan_take(s, '-');
	uint64_t mantissa = 0;
	bool fits = true;
	int exponent = 0;
	eh_status status;

	if (!scan_take(s, '0') && take_digits(s, &mantissa, &fits) == 0)
		return scan_refuse(s, "a digit is missing");
	if (mantissa == 0 && is_digit(s))
		return scan_refuse(s, "a number does not begin with 0");
	if (scan_take(s, '.')) {
		int count = take_digits(s, &mantissa, &fits);

		if (count == 0)
			return scan_refuse(s, "a digit is missing after the point");
		exponent = count > NUMBER_MAX ? 0 : -count;
	}
	status = read_exponent(s, &exponent, &fits);
	if (status != EH_OK)
		return status;
	if (s->at - from > NUMBER_MAX) {
		s->at = from;
		return scan_refuse(s, "a number of more than 60 characters");
	}
	if (!fits || !exact_number(mantissa, exponent, value))
		return slow_number(s, from, value);
	if (negative)
		*value = -*value;
	return EH_OK;
}

/* Most numbers are a few digits; false, and nothing taken, for all others. */
static bool read_digits(scan *s, double *value)
{
	enum { FEW = 15 };
	const char *p = s->at;
	const char *until = s->end - p > FEW ? p + FEW : s->end;
	uint64_t mantissa = 0;

	if (*p == '0' || *p == '-')
		return false;
	for (; p < until && *p >= '0' && *p <= '9'; p++)
		mantissa = mantissa * 10 + (uint64_t)(*p - '0');
	if (p == until || *p == '.' || *p == 'e' || *p == 'E')
		return false;
	s->at = p;
	*value = (double)mantissa;
	return true;
}

eh_status scan_number(scan *s, cJSON *item)
{
	eh_status status = read_digits(s, &item->valuedouble) ? EH_OK :
	                   read_number(s, &item->valuedouble);

	item->type |= cJSON_Number;
	if (status != EH_OK)
		item->valuedouble = 0;
	item->valueint = item->valuedouble >= INT_MAX ? INT_MAX :
	                 item->valuedouble <= INT_MIN ? INT_MIN : (int)item->valuedouble;
	return status;
}
