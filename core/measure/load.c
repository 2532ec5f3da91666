/* SPDX-License-Identifier: Apache-2.0 */
#include "measure/load.h"

#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/clock.h"

static double machine_steal(const char *root)
{
	unsigned long long ticks;
	long per_second = sysconf(_SC_CLK_TCK);
	char path[512];
	char line[256];
	double steal = NAN;
	FILE *f;

	(void)snprintf(path, sizeof(path), "%.400s/proc/stat", root);
	f = fopen(path, "re");
	if (f == NULL)
		return NAN;
	/* cpu user nice system idle iowait irq softirq steal ... */
	if (fgets(line, sizeof(line), f) != NULL && per_second > 0 &&
	    sscanf(line, "cpu %*u %*u %*u %*u %*u %*u %*u %llu", &ticks) == 1)
		steal = (double)ticks / (double)per_second;
	(void)fclose(f);
	return steal;
}

static uint64_t time_ns(struct timeval t)
{
	return (uint64_t)t.tv_sec * UINT64_C(1000000000) + (uint64_t)t.tv_usec * 1000;
}

void load_read(load_counters *out, const char *root)
{
	struct rusage usage = { 0 };

	*out = (load_counters){ .wall_ns = clock_now_ns(), .steal_seconds = machine_steal(root) };
	if (getrusage(RUSAGE_SELF, &usage) != 0)
		return;
	out->cpu_ns = time_ns(usage.ru_utime) + time_ns(usage.ru_stime);
	out->switches = (uint64_t)usage.ru_nivcsw;
}

void load_since(const load_counters *start, record_load *out)
{
	load_counters end;

	load_read(&end, "");
	out->cpu_seconds = (double)(end.cpu_ns - start->cpu_ns) * 1e-9;
	out->wall_seconds = (double)(end.wall_ns - start->wall_ns) * 1e-9;
	out->involuntary_switches = end.switches - start->switches;
	if (end.steal_seconds >= start->steal_seconds)
		out->steal_seconds = end.steal_seconds - start->steal_seconds;
}
