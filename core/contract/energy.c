/* SPDX-License-Identifier: Apache-2.0 */
/* The energy of an operation, and the condition of the rule about it. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "contract/condition.h"

/* At the wall, declared (a TDP), or by the device's own sensors. */
static const char *means_of(const record_execution *e)
{
	const char *method = e->sustained->energy->method;
	const char *channel = e->sustained->energy->channel;

	if (e->telemetry != NULL && e->telemetry->simulated)
		return "simulated";
	if (strcmp(method, "declared") == 0 || strcmp(method, "tdp") == 0)
		return "declared";
	return strncmp(channel, "wall ", 5) == 0 || strncmp(channel, "meter ", 6) == 0 ?
	       "wall" : "device";
}

energy energy_of(const result_row *r)
{
	energy total = { 0, "" };
	double operations = 0;

	for EACH_COUNTED(e, r) {
		const char *means;

		if (e->sustained == NULL || e->sustained->energy == NULL)
			continue;
		means = means_of(e);
		total.means = total.means[0] == '\0' || strcmp(total.means, means) == 0 ? means : "mixed";
		total.joules += e->sustained->energy->joules;
		operations += (double)e->sustained->operations;
	}
	total.joules = operations > 0 && total.joules > 0 ? total.joules / operations : NAN;
	return total;
}

CONDITION(condition_energy_means)
{
	const char *mx = energy_of(x).means;
	const char *my = energy_of(y).means;

	if (condition_differ(mx, my, detail, size))
		return true;
	if (strcmp(mx, "mixed") != 0 && strcmp(mx, "simulated") != 0)
		return false;
	snprintf(detail, size, "%s | %s", mx, my);
	return true;
}
