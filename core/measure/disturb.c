/* SPDX-License-Identifier: Apache-2.0 */
#include "measure/disturb.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <unistd.h>

#include "record/surroundings.h"

static const double waited_limit = 0.10;  /* threads that waited, on average                 */
static const double others_limit = 0.10;  /* processors that others used, on average         */
static const double steal_limit = 0.05;   /* of the wall time                                */
static const double switches_limit = 100; /* a second, where the waiting is not known        */

/* The kernel's account of how long each thread was ready to run without running. */
static bool waited(uint64_t *ns)
{
	DIR *tasks = opendir("/proc/self/task");
	struct dirent *entry;
	bool any = false;

	*ns = 0;
	if (tasks == NULL)
		return false;
	while ((entry = readdir(tasks)) != NULL) {
		unsigned long long delay;
		char path[64];
		FILE *f;

		if (entry->d_name[0] == '.')
			continue;
		(void)snprintf(path, sizeof(path), "/proc/self/task/%.16s/schedstat", entry->d_name);
		f = fopen(path, "re");
		if (f == NULL)
			continue;
		if (fscanf(f, "%*u %llu", &delay) == 1) {
			*ns += delay;
			any = true;
		}
		(void)fclose(f);
	}
	(void)closedir(tasks);
	return any;
}

/* CPU time of all processors; 0 = not known. */
static uint64_t machine_busy(void)
{
	unsigned long long user;
	unsigned long long nice;
	unsigned long long system;
	unsigned long long irq;
	unsigned long long softirq;
	long ticks = sysconf(_SC_CLK_TCK);
	FILE *f = fopen("/proc/stat", "re");
	uint64_t busy = 0;

	if (f == NULL)
		return 0;
	if (ticks > 0 && fscanf(f, "cpu %llu %llu %llu %*u %*u %llu %llu", &user, &nice, &system, &irq,
	                        &softirq) == 5)
		busy = (user + nice + system + irq + softirq) * (UINT64_C(1000000000) / (uint64_t)ticks);
	(void)fclose(f);
	return busy;
}

void disturb_read(disturb_counters *out)
{
	*out = (disturb_counters){ .busy_ns = machine_busy() };
	load_read(&out->load, "");
	out->waited_known = waited(&out->waited_ns);
}

/* Processors that other processes used, on average; 1 when it is not known. */
static double others(const disturb_counters *begin, const disturb_counters *end, double wall)
{
	double busy = (double)(end->busy_ns - begin->busy_ns);
	double own = (double)(end->load.cpu_ns - begin->load.cpu_ns);

	if (begin->busy_ns == 0 || end->busy_ns < begin->busy_ns)
		return 1;
	return busy > own ? (busy - own) / wall : 0;
}

static double judge_waiting(const disturb_counters *begin, const disturb_counters *end, double wall,
                            text_list *words)
{
	double waited_ns = end->waited_ns > begin->waited_ns ?
	                   (double)(end->waited_ns - begin->waited_ns) : 0;
	double had_ns = end->load.cpu_ns > begin->load.cpu_ns ?
	                (double)(end->load.cpu_ns - begin->load.cpu_ns) : 0;

	/* Where no other process worked, its threads were only in each other's way. */
	if (waited_ns <= waited_limit * wall || others(begin, end, wall) <= others_limit)
		return 0;
	text_list_format(words, "Threads of the measurement waited for a processor for %.0f %% of the "
	                 "time in which they wanted one: other work runs on this machine; stop it or "
	                 "keep processors free.", waited_ns / (waited_ns + had_ns) * 100);
	return waited_ns / wall;
}

/* Where the kernel does not tell how long threads waited. */
static double judge_switches(const disturb_counters *begin, const disturb_counters *end,
                             double wall, text_list *words)
{
	double rate = (double)(end->load.switches - begin->load.switches) / wall * 1e9;

	if (rate <= switches_limit)
		return 0;
	text_list_format(words, "The measurement was preempted %.0f times a second: other work runs on "
	                 "this machine; stop it or keep processors free.", rate);
	return waited_limit;
}

static double judge_steal(double seconds, double wall, text_list *words)
{
	double share = seconds * 1e9 / wall;

	if (!(share > steal_limit))
		return 0;
	text_list_format(words, "The hypervisor gave %.0f %% of a processor's time to other guests.",
	                 share * 100);
	return share;
}

double disturb_judge(const record_canary *canary, const disturb_counters *begin,
                     const disturb_counters *end, text_list *words)
{
	double wall = (double)(end->load.wall_ns - begin->load.wall_ns);
	double score = 0;

	if (canary != NULL)
		score += surroundings_canary(canary, words);
	if (!(wall > 0))
		return score;
	score += begin->waited_known && end->waited_known ? judge_waiting(begin, end, wall, words) :
	         judge_switches(begin, end, wall, words);
	return score + judge_steal(end->load.steal_seconds - begin->load.steal_seconds, wall, words);
}
