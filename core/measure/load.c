/* SPDX-License-Identifier: Apache-2.0 */
#include "measure/load.h"

#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/json.h"

double load_steal(const char *stat_line, long ticks_per_second)
{
	unsigned long long ticks;

	/* cpu user nice system idle iowait irq softirq steal ... */
	if (ticks_per_second <= 0 ||
	    sscanf(stat_line, "cpu %*u %*u %*u %*u %*u %*u %*u %llu", &ticks) != 1)
		return -1;
	return (double)ticks / (double)ticks_per_second;
}

static double machine_steal(void)
{
	FILE *f = fopen("/proc/stat", "re");
	char line[256];
	double steal = -1;

	if (f == NULL)
		return -1;
	if (fgets(line, sizeof(line), f) != NULL)
		steal = load_steal(line, sysconf(_SC_CLK_TCK));
	(void)fclose(f);
	return steal;
}

static uint64_t time_ns(struct timeval t)
{
	return (uint64_t)t.tv_sec * UINT64_C(1000000000) + (uint64_t)t.tv_usec * 1000;
}

void load_read(load *out)
{
	struct rusage usage = { 0 };

	*out = (load){ .wall_ns = clock_now_ns(), .steal_seconds = machine_steal() };
	if (getrusage(RUSAGE_SELF, &usage) != 0)
		return;
	out->cpu_ns = time_ns(usage.ru_utime) + time_ns(usage.ru_stime);
	out->switches = (uint64_t)usage.ru_nivcsw;
}

cJSON *load_since(const load *start)
{
	cJSON *out = cJSON_CreateObject();
	load end;

	load_read(&end);
	json_add_double(out, "cpu_seconds", (double)(end.cpu_ns - start->cpu_ns) * 1e-9);
	json_add_double(out, "wall_seconds", (double)(end.wall_ns - start->wall_ns) * 1e-9);
	json_add_uint(out, "involuntary_switches", end.switches - start->switches);
	if (start->steal_seconds >= 0 && end.steal_seconds >= start->steal_seconds)
		json_add_double(out, "steal_seconds", end.steal_seconds - start->steal_seconds);
	return out;
}
