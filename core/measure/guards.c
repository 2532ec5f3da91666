/* SPDX-License-Identifier: Apache-2.0 */
#include "measure/guards.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/files.h"
#include "base/log.h"
#include "base/text.h"

#define MOST_CLOCKS 8

static const double load_limit = 0.5;        /* per processor                                 */
static const double others_limit = 0.25;     /* per processor: one busy thread on two         */

/* The beginning of a file below root, terminated; "" when it cannot be read. */
__attribute__((format(printf, 3, 4)))
static bool head(char *out, size_t size, const char *format, ...)
{
	char path[512];
	va_list list;
	ssize_t got;
	int file;

	va_start(list, format);
	(void)vsnprintf(path, sizeof(path), format, list);
	va_end(list);
	out[0] = '\0';
	file = open(path, O_RDONLY | O_CLOEXEC);
	if (file < 0)
		return false;
	got = read(file, out, size - 1);
	(void)close(file);
	out[got > 0 ? got : 0] = '\0';
	return got > 0;
}

/* The number after "key" at the beginning of a line; -1 when there is none. */
static int64_t keyed(const char *body, const char *key)
{
	const char *at = body;

	while (at != NULL && strncmp(at, key, strlen(key)) != 0) {
		at = strchr(at, '\n');
		at = at != NULL ? at + 1 : NULL;
	}
	return at != NULL ? strtoll(at + strlen(key), NULL, 10) : -1;
}

/* Of the control group of this process: its path below /sys/fs/cgroup is "" inside a container. */
static void read_throttling(guards_totals *out, const char *root)
{
	char body[2048], group[1024];
	const char *path = "";
	int64_t periods, microseconds, nanoseconds;

	if (head(group, sizeof(group), "%s/proc/self/cgroup", root)) {
		char *line = strstr(group, "0::");

		if (line != NULL) {
			line[strcspn(line, "\n")] = '\0';
			path = line + strlen("0::");
		}
	}
	if (!head(body, sizeof(body), "%s/sys/fs/cgroup%.300s/cpu.stat", root, path) &&
	    !head(body, sizeof(body), "%s/sys/fs/cgroup/cpu.stat", root) &&
	    !head(body, sizeof(body), "%s/sys/fs/cgroup/cpu/cpu.stat", root))
		return;
	periods = keyed(body, "nr_throttled ");
	microseconds = keyed(body, "throttled_usec ");
	nanoseconds = keyed(body, "throttled_time ");
	if (periods >= 0)
		out->throttled = (uint64_t)periods;
	if (microseconds >= 0)
		out->throttled_seconds = (double)microseconds * 1e-6;
	else if (nanoseconds >= 0)
		out->throttled_seconds = (double)nanoseconds * 1e-9;
}

static double mean_clock(const char *root)
{
	double sum = 0;
	unsigned read = 0;

	for (unsigned cpu = 0; cpu < MOST_CLOCKS; cpu++) {
		char body[32];

		if (!head(body, sizeof(body), "%s/sys/devices/system/cpu/cpu%u/cpufreq/scaling_cur_freq",
		          root, cpu))
			continue;
		sum += strtod(body, NULL) * 1e-3;
		read++;
	}
	return read > 0 ? sum / read : NAN;
}

static void read_totals(guards_totals *out, const char *root)
{
	char body[4096];
	const char *total;

	*out = (guards_totals){ LAYOUT_NO_UINT, NAN, NAN };
	read_throttling(out, root);
	if (head(body, sizeof(body), "%s/proc/pressure/memory", root) &&
	    strncmp(body, "some ", 5) == 0 && (total = strstr(body, "total=")) != NULL)
		out->stalled_seconds = strtod(total + strlen("total="), NULL) * 1e-6;
}

/* "0.50 0.40 0.30 2/345 6789": load averages, threads that are ready or running. */
static void read_load(double *load, uint64_t *running, const char *root)
{
	char body[128];

	if (!head(body, sizeof(body), "%s/proc/loadavg", root))
		return;
	*load = strtod(body, NULL);
	(void)sscanf(body, "%*s %*s %*s %" SCNu64 "/", running);
}

static uint64_t users(telemetry *sensors)
{
	double count;

	return telemetry_latest(sensors, EH_CHANNEL_USERS, 0, &count) ? (uint64_t)count :
	       LAYOUT_NO_UINT;
}

void guards_begin(record_guards *g, guards_totals *before, const char *root, telemetry *sensors)
{
	read_totals(before, root);
	read_load(&g->load_before, &g->running_before, root);
	g->clock_before_mhz = mean_clock(root);
	g->device_users_before = users(sensors);
	(void)telemetry_latest(sensors, EH_CHANNEL_TEMPERATURE, 0, &g->temperature_before_c);
	(void)telemetry_latest(sensors, EH_CHANNEL_LIMIT, EH_PART_ALL, &g->power_limit_watts);
}

void guards_end(record_guards *g, const guards_totals *before, const char *root, telemetry *sensors)
{
	guards_totals after;

	read_totals(&after, root);
	read_load(&g->load_after, &g->running_after, root);
	g->clock_after_mhz = mean_clock(root);
	g->device_users_after = users(sensors);
	(void)telemetry_latest(sensors, EH_CHANNEL_TEMPERATURE, 0, &g->temperature_after_c);
	if (after.throttled != LAYOUT_NO_UINT && after.throttled >= before->throttled)
		g->throttled_periods = after.throttled - before->throttled;
	if (after.throttled_seconds >= before->throttled_seconds)
		g->throttled_seconds = after.throttled_seconds - before->throttled_seconds;
	if (after.stalled_seconds >= before->stalled_seconds)
		g->memory_stall_seconds = after.stalled_seconds - before->stalled_seconds;
}

/* ---- once per run ------------------------------------------------------------------------------- */

static void warn_of_governor(text_list *list, const char *root)
{
	char governor[64], driver[64];

	if (!head(governor, sizeof(governor),
	          "%s/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", root))
		return;
	governor[strcspn(governor, "\n")] = '\0';
	(void)head(driver, sizeof(driver), "%s/sys/devices/system/cpu/cpu0/cpufreq/scaling_driver", root);
	driver[strcspn(driver, "\n")] = '\0';
	if (strcmp(governor, "performance") != 0)
		text_list_format(list, "the frequency governor is %s (driver %s), so clocks follow the "
		                 "load: set performance with cpupower frequency-set -g performance",
		                 governor, driver[0] != '\0' ? driver : "unknown");
}

static void warn_of_battery(text_list *list, const char *root)
{
	char *folder = memory_format("%s/sys/class/power_supply", root);
	char **names = dir_list(folder, "", NULL);

	for (size_t i = 0; names != NULL && names[i] != NULL; i++) {
		char type[32], online[8];

		if (head(type, sizeof(type), "%s/%s/type", folder, names[i]) &&
		    strncmp(type, "Mains", 5) == 0 &&
		    head(online, sizeof(online), "%s/%s/online", folder, names[i]) && online[0] == '0')
			text_list_add(list, "the machine runs on its battery, which keeps clocks low: connect "
			              "the power supply");
	}
	dir_list_free(names);
	free(folder);
}

/* How many a list such as "0-3,8-11" names; 0 when it cannot be read. */
static unsigned processors(const char *root)
{
	char body[1024];
	const char *at = body;
	unsigned count = 0;

	if (!head(body, sizeof(body), "%s/sys/devices/system/cpu/online", root))
		return 0;
	while (*at >= '0' && *at <= '9') {
		char *end;
		unsigned long first = strtoul(at, &end, 10);
		unsigned long last = *end == '-' ? strtoul(end + 1, &end, 10) : first;

		if (last < first)
			return 0;
		count += (unsigned)(last - first) + 1;
		at = *end == ',' ? end + 1 : end;
	}
	return count;
}

/* How many threads of others are ready or running, averaged over a fifth of a second.  Those that wait for a
 * disk are not among them: they take no processor. */
static double others_now(const char *root)
{
	enum { LOOKS = 20 };
	double sum = 0, load;

	for (int i = 0; i < LOOKS; i++) {
		uint64_t running = 1;

		read_load(&load, &running, root);
		sum += running > 1 ? (double)(running - 1) : 0;
		clock_sleep_ns(10000000);
	}
	return sum / LOOKS;
}

/* The load average is also that of a run that has just ended, so others are looked at, too. */
static void warn_of_load(text_list *list, const char *root)
{
	double count = processors(root), load = 0;
	uint64_t running;

	read_load(&load, &running, root);
	if (count > 0 && load > load_limit * count && others_now(root) > others_limit * count)
		text_list_format(list, "other work runs on this machine (load %.2f on %.0f processors), so "
		                 "results will be noisy: stop it or wait", load, count);
}

static void warn_of_limit(text_list *list, const char *root)
{
	unsigned long long quota, period;
	unsigned count = processors(root);
	char body[64];

	if (head(body, sizeof(body), "%s/sys/fs/cgroup/cpu.max", root) &&
	    sscanf(body, "%llu %llu", &quota, &period) == 2 && period > 0 &&
	    (count == 0 || quota < (unsigned long long)count * period))
		text_list_format(list, "the container may use %.3g of %u processors and is stopped "
		                 "whenever it wants more: raise cpu.max, or bind it to whole processors",
		                 (double)quota / (double)period, count);
}

void guards_warnings(const char *root, text_list *out)
{
	warn_of_governor(out, root);
	warn_of_battery(out, root);
	warn_of_load(out, root);
	warn_of_limit(out, root);
}

void guards_warn(void)
{
	text_list list = { 0 };

	guards_warnings("", &list);
	for (size_t i = 0; i < list.count; i++) {
		log_write(EH_LOG_WARN, "%s", list.items[i]);
		free(list.items[i]);
	}
	free(list.items);
}
