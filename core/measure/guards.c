/* SPDX-License-Identifier: Apache-2.0 */
#include "measure/guards.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/files.h"
#include "base/json.h"
#include "base/log.h"
#include "base/text.h"

#define MOST_CLOCKS 8

static const double throttled_limit = 0.005; /* of the wall time                              */
static const double stalled_limit = 0.01;    /* of the wall time                              */
static const double load_limit = 0.5;        /* per processor                                 */

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
static int64_t keyed(const char *said, const char *key)
{
	const char *at = said;

	while (at != NULL && strncmp(at, key, strlen(key)) != 0) {
		at = strchr(at, '\n');
		at = at != NULL ? at + 1 : NULL;
	}
	return at != NULL ? strtoll(at + strlen(key), NULL, 10) : -1;
}

/* The control group of this process: its path below /sys/fs/cgroup, "" inside a container. */
static void read_throttling(guards *out, const char *root)
{
	char said[2048], group[1024];
	const char *path = "";
	int64_t microseconds;

	if (head(group, sizeof(group), "%s/proc/self/cgroup", root)) {
		char *line = strstr(group, "0::");

		if (line != NULL) {
			line[strcspn(line, "\n")] = '\0';
			path = line + strlen("0::");
		}
	}
	if (!head(said, sizeof(said), "%s/sys/fs/cgroup%.300s/cpu.stat", root, path) &&
	    !head(said, sizeof(said), "%s/sys/fs/cgroup/cpu.stat", root) &&
	    !head(said, sizeof(said), "%s/sys/fs/cgroup/cpu/cpu.stat", root))
		return;
	out->throttled = keyed(said, "nr_throttled ");
	microseconds = keyed(said, "throttled_usec ");
	if (microseconds >= 0)
		out->throttled_seconds = (double)microseconds * 1e-6;
	else if (keyed(said, "throttled_time ") >= 0)
		out->throttled_seconds = (double)keyed(said, "throttled_time ") * 1e-9;
}

static double mean_clock(const char *root)
{
	double sum = 0;
	unsigned read = 0;

	for (unsigned cpu = 0; cpu < MOST_CLOCKS; cpu++) {
		char said[32];

		if (!head(said, sizeof(said), "%s/sys/devices/system/cpu/cpu%u/cpufreq/scaling_cur_freq",
		          root, cpu))
			continue;
		sum += strtod(said, NULL) * 1e-3;
		read++;
	}
	return read > 0 ? sum / read : -1;
}

void guards_read(guards *out, const char *root, telemetry *sensors)
{
	char said[4096];
	const char *total;

	*out = (guards){ .wall_ns = clock_now_ns(), .load = -1, .running = -1, .throttled = -1,
		         .throttled_seconds = -1, .stalled_seconds = -1, .device_users = -1,
		         .temperature_c = -1 };
	if (head(said, sizeof(said), "%s/proc/loadavg", root)) {
		const char *slash = strchr(said, '/');

		out->load = strtod(said, NULL);
		while (slash != NULL && slash > said && slash[-1] >= '0' && slash[-1] <= '9')
			slash--;
		out->running = slash != NULL ? strtoll(slash, NULL, 10) : -1;
	}
	read_throttling(out, root);
	if (head(said, sizeof(said), "%s/proc/pressure/memory", root) &&
	    strncmp(said, "some ", 5) == 0 && (total = strstr(said, "total=")) != NULL)
		out->stalled_seconds = strtod(total + strlen("total="), NULL) * 1e-6;
	out->clock_mhz = mean_clock(root);
	(void)telemetry_latest(sensors, EH_CHANNEL_USERS, 0, &out->device_users, NULL);
	(void)telemetry_latest(sensors, EH_CHANNEL_TEMPERATURE, 0, &out->temperature_c, NULL);
}

static void add_known(cJSON *out, const char *key, double value)
{
	if (value >= 0)
		json_add_double(out, key, value);
}

static void add_since(cJSON *out, const char *key, double before, double after)
{
	if (before >= 0 && after >= before)
		json_add_double(out, key, after - before);
}

cJSON *guards_json(const guards *before, const guards *after)
{
	cJSON *out = cJSON_CreateObject();

	add_known(out, "load_before", before->load);
	add_known(out, "load_after", after->load);
	if (before->running >= 0)
		json_add_uint(out, "running_before", (uint64_t)before->running);
	if (after->running >= 0)
		json_add_uint(out, "running_after", (uint64_t)after->running);
	if (before->throttled >= 0 && after->throttled >= before->throttled)
		json_add_uint(out, "throttled_periods", (uint64_t)(after->throttled - before->throttled));
	add_since(out, "throttled_seconds", before->throttled_seconds, after->throttled_seconds);
	add_since(out, "memory_stall_seconds", before->stalled_seconds, after->stalled_seconds);
	add_known(out, "clock_before_mhz", before->clock_mhz);
	add_known(out, "clock_after_mhz", after->clock_mhz);
	add_known(out, "temperature_before_c", before->temperature_c);
	add_known(out, "temperature_after_c", after->temperature_c);
	if (before->device_users >= 0)
		json_add_uint(out, "device_users_before", (uint64_t)before->device_users);
	if (after->device_users >= 0)
		json_add_uint(out, "device_users_after", (uint64_t)after->device_users);
	return out;
}

static void say(cJSON *words, char *sentence)
{
	json_append_string(words, sentence);
	free(sentence);
}

double guards_disturbed(const guards *before, const guards *after, cJSON *words)
{
	double wall = (double)(after->wall_ns - before->wall_ns) * 1e-9;
	double score = 0, users;

	if (!(wall > 0))
		return 0;
	if (before->throttled_seconds >= 0 &&
	    after->throttled_seconds - before->throttled_seconds > throttled_limit * wall) {
		double seconds = after->throttled_seconds - before->throttled_seconds;

		say(words, memory_format("The container's CPU limit stopped threads for %.3g s in %lld "
		                         "periods: raise the limit (cpu.max), or use fewer threads.",
		                         seconds, (long long)(after->throttled - before->throttled)));
		score += seconds / wall;
	}
	if (before->stalled_seconds >= 0 &&
	    after->stalled_seconds - before->stalled_seconds > stalled_limit * wall) {
		double share = (after->stalled_seconds - before->stalled_seconds) / wall;

		say(words, memory_format("Processes waited for memory during %.0f %% of the time: the "
		                         "machine is short of it; end other work.", share * 100));
		score += share;
	}
	users = before->device_users > after->device_users ? before->device_users : after->device_users;
	if (users > 1)
		say(words, memory_format("%.0f processes use the device, this one included: end the "
		                         "others.", users));
	return score;
}

/* ---- once per run ------------------------------------------------------------------------------- */

static void warn_of_governor(cJSON *list, const char *root)
{
	char governor[64], driver[64];

	if (!head(governor, sizeof(governor),
	          "%s/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", root))
		return;
	governor[strcspn(governor, "\n")] = '\0';
	(void)head(driver, sizeof(driver), "%s/sys/devices/system/cpu/cpu0/cpufreq/scaling_driver", root);
	driver[strcspn(driver, "\n")] = '\0';
	if (strcmp(governor, "performance") != 0)
		say(list, memory_format("the frequency governor is %s (driver %s), so that clocks follow "
		                        "the load: set performance with cpupower frequency-set -g "
		                        "performance", governor, driver[0] != '\0' ? driver : "unknown"));
}

static void warn_of_battery(cJSON *list, const char *root)
{
	char *folder = memory_format("%s/sys/class/power_supply", root);
	char **names = dir_list(folder, "", NULL);

	for (size_t i = 0; names != NULL && names[i] != NULL; i++) {
		char type[32], online[8];

		if (head(type, sizeof(type), "%s/%s/type", folder, names[i]) &&
		    strncmp(type, "Mains", 5) == 0 &&
		    head(online, sizeof(online), "%s/%s/online", folder, names[i]) && online[0] == '0')
			say(list, memory_text("the machine runs on its battery, where clocks are held down: "
			                      "connect the power supply"));
	}
	dir_list_free(names);
	free(folder);
}

/* How many a list such as "0-3,8-11" names; 0 when it cannot be read. */
static unsigned processors(const char *root)
{
	char said[1024];
	const char *at = said;
	unsigned count = 0;

	if (!head(said, sizeof(said), "%s/sys/devices/system/cpu/online", root))
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

static void warn_of_load(cJSON *list, const char *root)
{
	unsigned count = processors(root);
	char said[64];
	double now;

	if (count == 0 || !head(said, sizeof(said), "%s/proc/loadavg", root))
		return;
	now = strtod(said, NULL);
	if (now > load_limit * count)
		say(list, memory_format("other work runs on this machine (load %.2f on %u processors): end "
		                        "it, or wait until it is done", now, count));
}

static void warn_of_limit(cJSON *list, const char *root)
{
	unsigned long long quota, period;
	unsigned count = processors(root);
	char said[64];

	if (head(said, sizeof(said), "%s/sys/fs/cgroup/cpu.max", root) &&
	    sscanf(said, "%llu %llu", &quota, &period) == 2 && period > 0 &&
	    (count == 0 || quota < (unsigned long long)count * period))
		say(list, memory_format("the container may use %.3g of %u processors, and is stopped in "
		                        "turns when it wants more: raise cpu.max, or bind it to whole "
		                        "processors instead", (double)quota / (double)period, count));
}

cJSON *guards_warnings(const char *root)
{
	cJSON *list = cJSON_CreateArray();

	warn_of_governor(list, root);
	warn_of_battery(list, root);
	warn_of_load(list, root);
	warn_of_limit(list, root);
	return list;
}

void guards_warn(void)
{
	cJSON *list = guards_warnings("");
	const cJSON *item;

	cJSON_ArrayForEach(item, list)
		log_write(EH_LOG_WARN, "%s", item->valuestring);
	cJSON_Delete(list);
}
