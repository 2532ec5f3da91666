/* SPDX-License-Identifier: Apache-2.0 */
#include "measure/disturb.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/json.h"
#include "base/text.h"
#include "measure/load.h"

static const double canary_limit = 0.15;  /* change from before to after                     */
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

/* What all processors did but idle, in the kernel's account; 0 = not known. */
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
	load now;

	load_read(&now);
	*out = (disturb_counters){ .wall_ns = now.wall_ns, .switches = now.switches,
		                   .steal_seconds = now.steal_seconds, .own_ns = now.cpu_ns,
		                   .busy_ns = machine_busy() };
	out->waited_known = waited(&out->waited_ns);
}

/* Neighbours slow it, and so do clocks that fall; that it gets quicker says that it was slow
 * before. */
static double change(uint64_t before, uint64_t after)
{
	if (before == 0 || after == 0)
		return 0;
	return after > before ? (double)after / (double)before - 1 :
	       (double)before / (double)after - 1;
}

bool disturb_moved(const canary_times *before, const canary_times *after)
{
	return change(before->compute_ns, after->compute_ns) > canary_limit ||
	       change(before->memory_ns, after->memory_ns) > canary_limit;
}

static void say(cJSON *words, char *sentence)
{
	json_append_string(words, sentence);
	free(sentence);
}

static double judge_canary(const char *part, uint64_t before, uint64_t after, cJSON *words)
{
	double by = change(before, after);

	if (by <= canary_limit)
		return 0;
	say(words, memory_format("The %s part of the canary took %.2f times as long after the case as "
	                         "before it: the machine's speed changed.", part,
	                         (double)after / (double)before));
	return by;
}

/* Processors that others than this process used, on average; 1 when it is not known. */
static double others(const disturb_counters *begin, const disturb_counters *end, double wall)
{
	double busy = (double)(end->busy_ns - begin->busy_ns);
	double own = (double)(end->own_ns - begin->own_ns);

	if (begin->busy_ns == 0 || end->busy_ns < begin->busy_ns)
		return 1;
	return busy > own ? (busy - own) / wall : 0;
}

/* Of the time in which its threads wanted a processor, the share that they waited for one. */
static double wanting_share(const disturb_counters *begin, const disturb_counters *end)
{
	double waited_ns = (double)(end->waited_ns - begin->waited_ns);
	double had_ns = end->own_ns > begin->own_ns ? (double)(end->own_ns - begin->own_ns) : 0;

	return waited_ns / (waited_ns + had_ns);
}

double disturb_judge(const disturb_facts *facts, cJSON *words)
{
	const disturb_counters *begin = &facts->begin;
	const disturb_counters *end = &facts->end;
	double wall = (double)(end->wall_ns - begin->wall_ns);
	double score = 0;

	if (facts->canary) {
		score += judge_canary("compute", facts->before.compute_ns, facts->after.compute_ns, words);
		score += judge_canary("memory", facts->before.memory_ns, facts->after.memory_ns, words);
	}
	if (!(wall > 0))
		return score;
	if (begin->waited_known && end->waited_known) {
		double threads = end->waited_ns > begin->waited_ns ?
		                 (double)(end->waited_ns - begin->waited_ns) / wall : 0;

		/* Where nobody else worked, its threads were only in each other's way. */
		if (threads > waited_limit && others(begin, end, wall) > others_limit) {
			say(words, memory_format("Threads of the measurement waited for a processor for "
			                         "%.0f %% of the time in which they wanted one: other work "
			                         "runs on this machine; end it or keep processors free.",
			                         wanting_share(begin, end) * 100));
			score += threads;
		}
	} else if ((double)(end->switches - begin->switches) / wall * 1e9 > switches_limit) {
		say(words, memory_format("The measurement was preempted %.0f times a second: other work "
		                         "runs on this machine; end it or keep processors free.",
		                         (double)(end->switches - begin->switches) / wall * 1e9));
		score += waited_limit;
	}
	if (begin->steal_seconds >= 0 && end->steal_seconds >= 0) {
		double share = (end->steal_seconds - begin->steal_seconds) * 1e9 / wall;

		if (share > steal_limit) {
			say(words, memory_format("The hypervisor gave %.0f %% of a processor's time to other "
			                         "guests.", share * 100));
			score += share;
		}
	}
	return score;
}
