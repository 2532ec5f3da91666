/* SPDX-License-Identifier: Apache-2.0 */
/* Telemetry end to end: the nvml probe on a stub library with scripted sensors, the linux probe on a
 * folder of files, and what is asked of their readings. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/files.h"
#include "base/json.h"
#include "base/log.h"
#include "base/text.h"
#include "measure/guards.h"
#include "measure/telemetry.h"
#include "plugin/host.h"
#include "plugin/plugin.h"
#include "plugin/probes.h"

#define MS UINT64_C(1000000)

static char *folder, *sensors, *source;

static void put(const char *name, const char *content)
{
	char *path = path_join(folder, name);
	char *slash = strrchr(path, '/');
	FILE *f;

	*slash = '\0';
	assert_int_equal(dir_make(path, NULL), EH_OK);
	*slash = '/';
	f = fopen(path, "we");
	assert_non_null(f);
	assert_true(fputs(content, f) >= 0);
	assert_int_equal(fclose(f), 0);
	free(path);
}

static void set_option(const char *key, const char *value)
{
	char *assignment = memory_format("%s=%s", key, value);

	assert_int_equal(host_option_set(assignment, NULL), EH_OK);
	free(assignment);
}

/* The stub is made here, so that the test needs nothing built beside it. */
static int prepare(void **state)
{
	const char *compiler = getenv("CC"), *tree = getenv("SRC"), *build = getenv("BUILD");
	char *command, *library, *probes;

	(void)state;
	if (tree == NULL || build == NULL)
		return -1;
	source = memory_text(tree);
	folder = memory_format("%s/telemetry-%ld", getenv("T") != NULL ? getenv("T") : "/tmp",
	                       (long)getpid());
	if (dir_make(folder, NULL) != EH_OK)
		return -1;
	library = path_join(folder, "libnvidia-ml.so.1");
	command = memory_format("%s -shared -fPIC -w -D_GNU_SOURCE -o '%s' "
	                        "'%s/tests/drivers/probes/nvml_stub.c'",
	                        compiler != NULL ? compiler : "cc", library, tree);
	if (system(command) != 0)
		return -1;
	probes = path_join(build, "lib/evenhand/probes");
	sensors = path_join(folder, "sensors");
	put("sensors", "");
	put("root/proc/stat", "cpu  1000 20 300 8000 100 10 20 0 0 0\n");
	put("root/sys/class/powercap/intel-rapl:0/name", "package-0\n");
	put("root/sys/class/powercap/intel-rapl:0/max_energy_range_uj", "9999999\n");
	put("root/sys/class/powercap/intel-rapl:0/energy_uj", "9000000\n");
	setenv("EVENHAND_PROBE_PATH", probes, 1);
	setenv("EVENHAND_TEST_SENSORS", sensors, 1);
	set_option("nvml.library", library);
	free(library);
	library = path_join(folder, "root");
	set_option("linux.root", library);
	free(library);
	free(probes);
	free(command);
	log_set_level(EH_LOG_ERROR);
	return 0;
}

static int clean(void **state)
{
	char *command = memory_format("rm -rf '%s'", folder);

	(void)state;
	(void)system(command);
	free(command);
	free(folder);
	free(sensors);
	free(source);
	return 0;
}

static const eh_device_info gpu = { .struct_size = sizeof(gpu), .type = EH_DEVICE_GPU,
	                            .pci = "0000:3B:00.0" };
static const eh_device_info cpu = { .struct_size = sizeof(cpu), .type = EH_DEVICE_CPU };

static const cJSON *channel_of(const cJSON *record, const char *list, const char *probe,
                               const char *name)
{
	const cJSON *item;

	cJSON_ArrayForEach(item, cJSON_GetObjectItemCaseSensitive(record, list))
		if (strcmp(json_string(item, "probe", ""), probe) == 0 &&
		    strcmp(json_string(item, "name", ""), name) == 0)
			return item;
	return NULL;
}

static void test_device_is_matched(void **state)
{
	eh_device_info other = gpu;
	telemetry *t;
	double value = 0;

	(void)state;
	put("sensors", "temperature 61\nclock 1980\n");
	t = telemetry_open(&gpu);
	assert_non_null(t);
	telemetry_start(t, 20 * MS);
	telemetry_stop(t);
	assert_true(telemetry_latest(t, EH_CHANNEL_TEMPERATURE, 0, &value, NULL));
	assert_true(value == 61);
	assert_true(telemetry_latest(t, EH_CHANNEL_CLOCK, EH_PART_CORE, &value, NULL));
	assert_true(value == 1980);
	telemetry_close(t);

	(void)snprintf(other.pci, sizeof(other.pci), "0000:3c:00.0");
	t = telemetry_open(&other);
	telemetry_start(t, 20 * MS);
	telemetry_stop(t);
	assert_false(telemetry_latest(t, EH_CHANNEL_TEMPERATURE, 0, &value, NULL));
	(void)snprintf(other.uuid, sizeof(other.uuid), "00112233-4455-6677-8899-AABBCCDDEEFF");
	telemetry_close(t);
	t = telemetry_open(&other);
	telemetry_start(t, 20 * MS);
	telemetry_stop(t);
	assert_true(telemetry_latest(t, EH_CHANNEL_TEMPERATURE, 0, &value, NULL));
	telemetry_close(t);
}

static void test_null(void **state)
{
	telemetry_energy energy;
	double value;

	(void)state;
	telemetry_start(NULL, MS);
	telemetry_stop(NULL);
	assert_null(telemetry_json(NULL, 0));
	assert_false(telemetry_latest(NULL, EH_CHANNEL_POWER, 0, &value, NULL));
	assert_false(telemetry_slope(NULL, EH_CHANNEL_POWER, 0, MS, &value));
	assert_false(telemetry_energy_between(NULL, 0, 1, &energy));
	assert_false(telemetry_idle_power(NULL, MS, &value));
	assert_null(telemetry_throttle_between(NULL, 0, 1));
	telemetry_close(NULL);
}

static void test_energy_of_counter_wraps(void **state)
{
	telemetry_energy energy;
	telemetry *t;
	uint64_t from, to;

	(void)state;
	put("root/sys/class/powercap/intel-rapl:0/energy_uj", "9000000\n");
	t = telemetry_open(&cpu);
	assert_non_null(t);
	telemetry_start(t, 20 * MS);
	from = clock_now_ns();
	clock_sleep_ns(50 * MS);
	put("root/sys/class/powercap/intel-rapl:0/energy_uj", "500000\n");
	clock_sleep_ns(50 * MS);
	to = clock_now_ns();
	telemetry_stop(t);
	assert_true(telemetry_energy_between(t, from, to, &energy));
	assert_string_equal(energy.method, "counter");
	/* 9.0 J to 10 J, and 0.5 J from there. */
	assert_true(energy.joules > 1.49 && energy.joules < 1.51);
	telemetry_close(t);
}

static void test_energy_of_power(void **state)
{
	telemetry_energy energy;
	telemetry *t;
	uint64_t from, to;

	(void)state;
	put("sensors", "energy !3\npower-instant 200000\n");
	t = telemetry_open(&gpu);
	telemetry_start(t, 10 * MS);
	from = clock_now_ns();
	clock_sleep_ns(100 * MS);
	to = clock_now_ns();
	telemetry_stop(t);
	assert_true(telemetry_energy_between(t, from, to, &energy));
	assert_string_equal(energy.method, "power");
	assert_true(energy.joules / energy.seconds > 199.9 && energy.joules / energy.seconds < 200.1);
	assert_false(telemetry_energy_between(t, to + 1000 * MS, to + 2000 * MS, &energy));
	telemetry_close(t);
}

static void test_throttling_is_named(void **state)
{
	const cJSON *item;
	bool found = false;
	telemetry *t;
	uint64_t from;
	cJSON *list;

	(void)state;
	put("sensors", "reasons 5\n");
	t = telemetry_open(&gpu);
	telemetry_start(t, 10 * MS);
	from = clock_now_ns();
	clock_sleep_ns(60 * MS);
	list = telemetry_throttle_between(t, from, clock_now_ns());
	telemetry_stop(t);
	cJSON_ArrayForEach(item, list) {
		double share = 0;

		assert_string_not_equal(json_string(item, "name", ""), "idle");
		if (strcmp(json_string(item, "name", ""), "sw-power-cap") != 0)
			continue;
		assert_true(json_double(item, "share", &share));
		assert_true(share == 1);
		found = true;
	}
	assert_true(found);
	cJSON_Delete(list);
	telemetry_close(t);
}

static void test_lost_device_costs_its_channels(void **state)
{
	const cJSON *gap;
	telemetry *t;
	cJSON *record;

	(void)state;
	/* The first answer is that of the trial at start(). */
	put("sensors", "#lost\ntemperature 60 60 !15\nclock 1980\n");
	t = telemetry_open(&gpu);
	telemetry_start(t, 10 * MS);
	clock_sleep_ns(60 * MS);
	telemetry_stop(t);
	record = telemetry_json(t, 0);
	gap = channel_of(record, "gaps", "nvml", "temperature");
	assert_non_null(gap);
	assert_string_equal(json_string(gap, "reason", ""), "device-lost");
	assert_true(cJSON_GetArraySize(json_path(channel_of(record, "channels", "nvml", "clock-sm"),
	                                         "values")) > 3);
	assert_true(json_bool(record, "simulated", false));
	cJSON_Delete(record);
	telemetry_close(t);
}

static void test_memory_is_bounded(void **state)
{
	const cJSON *channel;
	uint64_t grown = 0, overhead = 0;
	telemetry *t;
	cJSON *record;
	int count;

	(void)state;
	put("sensors", "");
	t = telemetry_open(&cpu);
	telemetry_start(t, MS / 10);
	for (int i = 0; i < 100 && grown == 0; i++) {
		clock_sleep_ns(50 * MS);
		record = telemetry_json(t, 0);
		(void)json_uint(record, "grown_period_ns", &grown);
		cJSON_Delete(record);
	}
	telemetry_stop(t);
	record = telemetry_json(t, 0);
	assert_true(grown >= MS / 5);
	assert_true(json_uint(record, "overhead_ns", &overhead));
	assert_true(overhead > 0);
	channel = channel_of(record, "channels", "linux", "utilisation");
	count = cJSON_GetArraySize(json_path(channel, "times_ns"));
	assert_in_range(count, 100, 1024);
	assert_int_equal(count, cJSON_GetArraySize(json_path(channel, "values")));
	cJSON_Delete(record);
	telemetry_close(t);
}

/* Last: its thread stays where it is. */
static void test_hanging_sensor_is_given_up(void **state)
{
	const cJSON *gap;
	telemetry *t;
	cJSON *record;

	(void)state;
	put("sensors", "#hang\ntemperature 60 60 hang\nclock 1980\n");
	t = telemetry_open(&gpu);
	telemetry_start(t, 20 * MS);
	clock_sleep_ns(3200 * MS);
	telemetry_stop(t);
	record = telemetry_json(t, 0);
	gap = channel_of(record, "gaps", "nvml", "temperature");
	assert_non_null(gap);
	assert_non_null(strstr(json_string(gap, "reason", ""), "did not return"));
	/* The others are read on by another thread. */
	assert_true(cJSON_GetArraySize(json_path(channel_of(record, "channels", "nvml", "clock-sm"),
	                                         "values")) > 10);
	cJSON_Delete(record);
	telemetry_close(t);
}

static void test_guards(void **state)
{
	char *root = path_join(source, "tests/replay/sensors");
	guards before, after;
	cJSON *words = cJSON_CreateArray();
	cJSON *warnings = guards_warnings(root);

	(void)state;
	guards_read(&before, root, NULL);
	assert_true(before.load == 1.5);
	assert_true(before.running == 2);
	assert_true(before.throttled == 4);
	assert_true(before.throttled_seconds == 0.25);
	assert_true(before.stalled_seconds == 1);
	assert_true(before.clock_mhz == 2300);
	after = before;
	after.wall_ns += 1000 * MS;
	assert_true(guards_disturbed(&before, &after, words) == 0);
	assert_int_equal(cJSON_GetArraySize(words), 0);
	after.throttled_seconds += 0.1;
	after.throttled += 1;
	after.stalled_seconds += 0.2;
	after.device_users = 2;
	assert_true(guards_disturbed(&before, &after, words) > 0.29);
	assert_int_equal(cJSON_GetArraySize(words), 3);
	assert_non_null(strstr(cJSON_GetArrayItem(words, 0)->valuestring, "cpu.max"));
	/* Governor, load, the container's limit. */
	assert_int_equal(cJSON_GetArraySize(warnings), 3);
	assert_non_null(strstr(cJSON_GetArrayItem(warnings, 0)->valuestring, "powersave"));
	assert_non_null(strstr(cJSON_GetArrayItem(warnings, 0)->valuestring, "cpupower"));
	cJSON_Delete(words);
	cJSON_Delete(warnings);
	free(root);
}

/* Processors that are switched off leave gaps in the list of the others. */
static void test_processors_are_counted(void **state)
{
	char *root = path_join(folder, "gaps");
	cJSON *warnings;

	(void)state;
	put("gaps/proc/loadavg", "2.00 1.00 1.00 1/100 4711\n");
	put("gaps/sys/devices/system/cpu/online", "0-1,4\n");
	warnings = guards_warnings(root);
	assert_int_equal(cJSON_GetArraySize(warnings), 1);
	assert_non_null(strstr(cJSON_GetArrayItem(warnings, 0)->valuestring,
	                       "load 2.00 on 3 processors"));
	cJSON_Delete(warnings);
	put("gaps/sys/devices/system/cpu/online", "0,2,4-6,9-10\n");
	warnings = guards_warnings(root);
	assert_int_equal(cJSON_GetArraySize(warnings), 0);
	cJSON_Delete(warnings);
	free(root);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_null),
		cmocka_unit_test(test_device_is_matched),
		cmocka_unit_test(test_energy_of_counter_wraps),
		cmocka_unit_test(test_energy_of_power),
		cmocka_unit_test(test_throttling_is_named),
		cmocka_unit_test(test_lost_device_costs_its_channels),
		cmocka_unit_test(test_memory_is_bounded),
		cmocka_unit_test(test_guards),
		cmocka_unit_test(test_processors_are_counted),
		cmocka_unit_test(test_hanging_sensor_is_given_up),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, prepare, clean);
}
