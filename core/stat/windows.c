/* SPDX-License-Identifier: Apache-2.0 */
#include "stat/plain_arithmetic.h"

#include "stat/windows.h"

#include <math.h>
#include <stdlib.h>

#include "base/text.h"
#include "stat/precision.h"
#include "stat/sorted.h"
#include "stat/statistics.h"

static bool ascending(const uint64_t *starts_ns, size_t n)
{
	for (size_t i = 1; i < n; i++)
		if (starts_ns[i] < starts_ns[i - 1])
			return false;
	return true;
}

static double median_of(const uint64_t *times_ns, size_t n, uint64_t batch, double *scratch)
{
	for (size_t i = 0; i < n; i++)
		scratch[i] = (double)times_ns[i];
	return statistics_median(scratch, n) / (double)batch;
}

static void judge(windows *w, double *scratch)
{
	size_t quarter = w->count / 4 > 0 ? w->count / 4 : 1;

	w->steady_first = w->count - quarter;
	for (size_t i = 0; i < w->count; i++)
		if (w->list[i].rate > w->best)
			w->best = w->list[i].rate;
	for (size_t i = 0; i < quarter; i++)
		scratch[i] = w->list[w->steady_first + i].rate;
	w->steady = statistics_median(scratch, quarter);
	w->ratio = w->best > 0 ? w->steady / w->best : 0;
}

bool windows_make(const uint64_t *times_ns, const uint64_t *starts_ns, size_t n, uint64_t batch,
                  uint64_t window_ns, windows *out)
{
	double *scratch;
	size_t at = 0;

	*out = (windows){ 0 };
	if (n == 0 || batch == 0 || !ascending(starts_ns, n))
		return false;
	out->list = memory_get(n * sizeof(*out->list));
	scratch = memory_get(n * sizeof(*scratch));
	while (at < n) {
		window *next = &out->list[out->count];
		size_t end = at + 1;
		uint64_t span;

		while (end < n && starts_ns[end] - starts_ns[at] < window_ns)
			end++;
		/* Up to the start of the next window, so that gaps between samples count. */
		span = end < n ? starts_ns[end] - starts_ns[at] :
		       starts_ns[n - 1] - starts_ns[at] + times_ns[n - 1];
		if (end == n && span < window_ns / 2 && out->count > 0)
			break;
		next->first = at;
		next->count = end - at;
		next->median_ns = median_of(times_ns + at, end - at, batch, scratch);
		next->rate = span == 0 ? 0 : (double)(end - at) * (double)batch / (double)span * 1e9;
		out->count++;
		at = end;
	}
	judge(out, scratch);
	free(scratch);
	return true;
}

void windows_free(windows *w)
{
	free(w->list);
	*w = (windows){ 0 };
}

double windows_half_width(const uint64_t *times_ns, const uint64_t *starts_ns, size_t n,
                          uint64_t batch, uint64_t window_ns, double confidence)
{
	windows w;
	size_t first;
	double *values;
	double width;

	if (!windows_make(times_ns, starts_ns, n, batch, window_ns, &w))
		return NAN;
	first = w.list[w.steady_first].first;
	windows_free(&w);
	values = memory_get((n - first) * sizeof(*values));
	for (size_t i = first; i < n; i++)
		values[i - first] = (double)times_ns[i];
	sorted_make(values, n - first);
	width = precision_of_sorted(values, n - first, 0, confidence);
	free(values);
	return width;
}
