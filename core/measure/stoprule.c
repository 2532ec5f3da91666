/* SPDX-License-Identifier: Apache-2.0 */
#include "measure/stoprule.h"

static const struct { const char *name; double quantile; } statistics[] = {
	[STATISTIC_MEDIAN] = { "median", 0.5 },
	[STATISTIC_P90] = { "p90", 0.9 },
	[STATISTIC_P95] = { "p95", 0.95 },
	[STATISTIC_P97] = { "p97", 0.97 },
	[STATISTIC_P99] = { "p99", 0.99 },
	[STATISTIC_P999] = { "p99.9", 0.999 },
};

double stoprule_quantile(enum protocol_statistic statistic)
{
	return statistics[statistic].quantile;
}

const char *stoprule_name(enum protocol_statistic statistic)
{
	return statistics[statistic].name;
}
