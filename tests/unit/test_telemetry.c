/* SPDX-License-Identifier: Apache-2.0 */
/* Telemetry end to end: the nvml probe on a stub library with scripted sensors, the linux probe on a
 * folder of files, and what is asked of their readings. */
#include <math.h>
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
#include "base/log.h"
#include "base/text.h"
#include "measure/guards.h"
#include "measure/telemetry.h"
#include "plugin/host.h"
#include "plugin/plugin.h"
#include "plugin/probes.h"
#include "record/surroundings.h"

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

static const record_telemetry_channel *channel_of(const record_telemetry *record, const char *probe,
                                                  const char *name)
{
	for (size_t i = 0; i < record->channels.count; i++)
		if (strcmp(record->channels.items[i].probe, probe) == 0 &&
		    strcmp(record->channels.items[i].name, name) == 0)
			return &record->channels.items[i];
	fail_msg("no channel %s of probe %s", name, probe);
	return NULL;
}

static const record_telemetry_gap *gap_of(const record_telemetry *record, const char *probe,
                                          const char *name)
{
	for (size_t i = 0; i < record->gaps.count; i++)
		if (strcmp(record->gaps.items[i].probe, probe) == 0 &&
		    strcmp(record->gaps.items[i].name, name) == 0)
			return &record->gaps.items[i];
	fail_msg("no gap %s of probe %s", name, probe);
	return NULL;
}

static void texts_free(text_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		free(list->items[i]);
	free(list->items);
	*list = (text_list){ 0 };
}

static void test_device_is_matched(void **state)
{
	eh_device_info other = gpu;
	telemetry *t;
	double value = 0;

	(void)state;
	put("sensors", "temperature 61\nclock 1980\n");
	t = telemetry_open(&gpu, NULL);
	assert_non_null(t);
	telemetry_start(t, 20 * MS);
	telemetry_stop(t);
	assert_true(telemetry_latest(t, EH_CHANNEL_TEMPERATURE, 0, &value));
	assert_true(value == 61);
	assert_true(telemetry_latest(t, EH_CHANNEL_CLOCK, EH_PART_CORE, &value));
	assert_true(value == 1980);
	telemetry_close(t);

	(void)snprintf(other.pci, sizeof(other.pci), "0000:3c:00.0");
	t = telemetry_open(&other, NULL);
	telemetry_start(t, 20 * MS);
	telemetry_stop(t);
	assert_false(telemetry_latest(t, EH_CHANNEL_TEMPERATURE, 0, &value));
	(void)snprintf(other.uuid, sizeof(other.uuid), "00112233-4455-6677-8899-AABBCCDDEEFF");
	telemetry_close(t);
	t = telemetry_open(&other, NULL);
	telemetry_start(t, 20 * MS);
	telemetry_stop(t);
	assert_true(telemetry_latest(t, EH_CHANNEL_TEMPERATURE, 0, &value));
	telemetry_close(t);
}

static void test_null(void **state)
{
	record_sustained_energy energy;
	double value;

	(void)state;
	telemetry_start(NULL, MS);
	telemetry_stop(NULL);
	assert_null(telemetry_record(NULL, 0));
	assert_false(telemetry_latest(NULL, EH_CHANNEL_POWER, 0, &value));
	assert_false(telemetry_slope(NULL, EH_CHANNEL_POWER, 0, MS, &value));
	assert_false(telemetry_energy_between(NULL, 0, 1, &energy));
	assert_false(telemetry_idle_power(NULL, MS, &value));
	telemetry_throttle_between(NULL, 0, 1, NULL, NULL);
	telemetry_close(NULL);
}

static void test_energy_of_counter_wraps(void **state)
{
	record_sustained_energy energy;
	telemetry *t;
	uint64_t from, to;

	(void)state;
	put("root/sys/class/powercap/intel-rapl:0/energy_uj", "9000000\n");
	t = telemetry_open(&cpu, NULL);
	assert_non_null(t);
	telemetry_start(t, 20 * MS);
	from = clock_now_ns();
	clock_sleep_ns(50 * MS);
	put("root/sys/class/powercap/intel-rapl:0/energy_uj", "500000\n");
	clock_sleep_ns(50 * MS);
	to = clock_now_ns();
	telemetry_stop(t);
	layout_init(record_sustained_energy_layout(), &energy);
	assert_true(telemetry_energy_between(t, from, to, &energy));
	assert_string_equal(energy.method, "counter");
	/* 9.0 J to 10 J, and 0.5 J from there. */
	assert_true(energy.joules > 1.49 && energy.joules < 1.51);
	layout_clear(record_sustained_energy_layout(), &energy);
	telemetry_close(t);
}

static void test_energy_of_power(void **state)
{
	record_sustained_energy energy;
	telemetry *t;
	uint64_t from, to;

	(void)state;
	put("sensors", "energy !3\npower-instant 200000\n");
	t = telemetry_open(&gpu, NULL);
	telemetry_start(t, 10 * MS);
	from = clock_now_ns();
	clock_sleep_ns(100 * MS);
	to = clock_now_ns();
	telemetry_stop(t);
	layout_init(record_sustained_energy_layout(), &energy);
	assert_true(telemetry_energy_between(t, from, to, &energy));
	assert_string_equal(energy.method, "power");
	assert_true(energy.joules / energy.seconds > 199.9 && energy.joules / energy.seconds < 200.1);
	assert_string_equal(energy.channel, "nvml gpu-0 power-instant");
	assert_false(telemetry_energy_between(t, to + 1000 * MS, to + 2000 * MS, &energy));
	layout_clear(record_sustained_energy_layout(), &energy);
	telemetry_close(t);
}

typedef struct throttled {
	record_sustained sustained; /* for its list of states */
	record_flag_list flags;
} throttled;

/* What is found of throttling while the sensors give what `script` says. */
static throttled watch_throttling(const eh_device_info *device, const char *script)
{
	throttled out = { .flags = { 0 } };
	telemetry *t;
	uint64_t from;

	layout_init(record_sustained_layout(), &out.sustained);
	put("sensors", script);
	t = telemetry_open(device, NULL);
	telemetry_start(t, 10 * MS);
	from = clock_now_ns();
	clock_sleep_ns(60 * MS);
	telemetry_stop(t);
	telemetry_throttle_between(t, from, clock_now_ns(), &out.sustained.throttle, &out.flags);
	telemetry_close(t);
	return out;
}

static void throttled_free(throttled *t)
{
	layout_clear(record_sustained_layout(), &t->sustained);
	free(t->flags.items);
}

static const record_throttle_state *state_of(const throttled *t, const char *name)
{
	for (size_t i = 0; i < t->sustained.throttle.count; i++)
		if (strcmp(t->sustained.throttle.items[i].name, name) == 0)
			return &t->sustained.throttle.items[i];
	return NULL;
}

/* Bits of NVML's reasons: 1 idle, 2 application clocks, 4 power cap, 32 the driver, for heat. */
static void test_throttling_is_named(void **state)
{
	static const struct { const char *script, *name; bool power, other; } cases[] = {
		{ "reasons 1\n", NULL, false, false },
		{ "reasons 2\n", "application-clocks", false, false },
		{ "reasons 5\n", "sw-power-cap", true, false },
		{ "reasons 32\n", "sw-thermal", false, true },
		{ "reasons 36\n", "sw-thermal", true, true },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		throttled t = watch_throttling(&gpu, cases[i].script);

		assert_null(state_of(&t, "idle"));
		if (cases[i].name == NULL)
			assert_int_equal(t.sustained.throttle.count, 0);
		else
			assert_true(state_of(&t, cases[i].name)->share == 1);
		assert_int_equal(word_list_has(&t.flags, RECORD_FLAG_POWER_CAP), cases[i].power);
		assert_int_equal(word_list_has(&t.flags, RECORD_FLAG_THROTTLED), cases[i].other);
		throttled_free(&t);
	}
}

/* Throttled time beside the time that passed. */
static void test_throttled_time_is_counted(void **state)
{
	throttled t;

	(void)state;
	t = watch_throttling(&gpu, "#power\nreasons 0\nviolation-power 0 1000000 2000000 3000000 4000000\n");
	assert_true(state_of(&t, "throttle-power")->share > 0.01);
	assert_true(isnan(state_of(&t, "throttle-power")->events));
	assert_true(word_list_has(&t.flags, RECORD_FLAG_POWER_CAP));
	assert_false(word_list_has(&t.flags, RECORD_FLAG_THROTTLED));
	throttled_free(&t);
	t = watch_throttling(&gpu, "#thermal\nreasons 0\nviolation-thermal 0 1000000 2000000 3000000 4000000\n");
	assert_true(state_of(&t, "throttle-thermal")->share > 0.01);
	assert_true(word_list_has(&t.flags, RECORD_FLAG_THROTTLED));
	throttled_free(&t);
	/* Less than 1 % of the time is a state without a flag. */
	t = watch_throttling(&gpu, "#short\nreasons 0\nviolation-thermal 0 0 1000\n");
	assert_non_null(state_of(&t, "throttle-thermal"));
	assert_int_equal(t.flags.count, 0);
	throttled_free(&t);
}

/* Of a processor that counts how often its package was throttled. */
static void test_throttle_events_are_counted(void **state)
{
	const char *count = "root/sys/devices/system/cpu/cpu0/thermal_throttle/package_throttle_count";
	throttled t = { .flags = { 0 } };
	telemetry *sensed;
	uint64_t from;

	(void)state;
	layout_init(record_sustained_layout(), &t.sustained);
	put("root/sys/devices/system/cpu/online", "0\n");
	put("root/sys/devices/system/cpu/cpu0/topology/physical_package_id", "0\n");
	put(count, "3\n");
	sensed = telemetry_open(&cpu, NULL);
	telemetry_start(sensed, 10 * MS);
	from = clock_now_ns();
	clock_sleep_ns(30 * MS);
	put(count, "5\n");
	clock_sleep_ns(30 * MS);
	telemetry_stop(sensed);
	telemetry_throttle_between(sensed, from, clock_now_ns(), &t.sustained.throttle, &t.flags);
	assert_true(state_of(&t, "throttle-events")->events == 2);
	assert_true(isnan(state_of(&t, "throttle-events")->share));
	assert_true(word_list_has(&t.flags, RECORD_FLAG_THROTTLED));
	throttled_free(&t);
	telemetry_close(sensed);
}

static void test_lost_device_costs_its_channels(void **state)
{
	const record_telemetry_gap *gap;
	telemetry *t;
	record_telemetry *record;

	(void)state;
	/* The first answer is that of the trial at start(). */
	put("sensors", "#lost\ntemperature 60 60 !15\nclock 1980\n");
	t = telemetry_open(&gpu, NULL);
	telemetry_start(t, 10 * MS);
	clock_sleep_ns(60 * MS);
	telemetry_stop(t);
	record = telemetry_record(t, 0);
	gap = gap_of(record, "nvml", "temperature");
	assert_string_equal(gap->reason, "device-lost");
	assert_true(channel_of(record, "nvml", "clock-sm")->values.count > 3);
	assert_true(record->simulated);
	layout_free(record_telemetry_layout(), record);
	telemetry_close(t);
}

/* One failure at start(), three in a row later: the channel goes on, and the record counts them. */
static void test_failures_that_pass(void **state)
{
	const record_telemetry_gap *gap;
	telemetry *t;
	record_telemetry *record;

	(void)state;
	put("sensors", "#passing\ntemperature !999 60 60 !999 !15 !15 60\nclock 1980\n");
	t = telemetry_open(&gpu, NULL);
	telemetry_start(t, 10 * MS);
	clock_sleep_ns(150 * MS);
	telemetry_stop(t);
	record = telemetry_record(t, 0);
	assert_true(channel_of(record, "nvml", "temperature")->values.count > 3);
	gap = gap_of(record, "nvml", "temperature");
	assert_int_equal(gap->failures, 3);
	layout_free(record_telemetry_layout(), record);
	telemetry_close(t);
}

/* A device that is lost is asked again in the next recording, and only so often. */
static void test_lost_device_may_return(void **state)
{
	telemetry *t;
	record_telemetry *record;

	(void)state;
	put("sensors", "#returning\ntemperature 60 60 !15 !15 !15 !15 !15 61\nclock 1980\n");
	t = telemetry_open(&gpu, NULL);
	for (int i = 0; i < 2; i++) {
		telemetry_start(t, 10 * MS);
		clock_sleep_ns(150 * MS);
		telemetry_stop(t);
		record = telemetry_record(t, 0);
		if (i == 0) {
			assert_int_equal(gap_of(record, "nvml", "temperature")->failures, 5);
			assert_int_equal(channel_of(record, "nvml", "temperature")->values.count, 1);
		} else {
			assert_true(channel_of(record, "nvml", "temperature")->values.count > 3);
		}
		layout_free(record_telemetry_layout(), record);
	}
	telemetry_close(t);
}

static void test_memory_is_bounded(void **state)
{
	const record_telemetry_channel *channel;
	uint64_t grown = LAYOUT_NO_UINT;
	telemetry *t;
	record_telemetry *record;

	(void)state;
	put("sensors", "");
	t = telemetry_open(&cpu, NULL);
	telemetry_start(t, MS / 10);
	for (int i = 0; i < 100 && grown == LAYOUT_NO_UINT; i++) {
		clock_sleep_ns(50 * MS);
		record = telemetry_record(t, 0);
		grown = record->grown_period_ns;
		layout_free(record_telemetry_layout(), record);
	}
	telemetry_stop(t);
	record = telemetry_record(t, 0);
	assert_true(grown != LAYOUT_NO_UINT && grown >= MS / 5);
	assert_true(record->overhead_ns > 0);
	channel = channel_of(record, "linux", "utilisation");
	assert_in_range(channel->times_ns.count, 100, 1024);
	assert_int_equal(channel->times_ns.count, channel->values.count);
	layout_free(record_telemetry_layout(), record);
	telemetry_close(t);
}

/* Last: its thread stays where it is. */
static void test_hanging_sensor_is_given_up(void **state)
{
	const record_telemetry_gap *gap;
	telemetry *t;
	record_telemetry *record;

	(void)state;
	put("sensors", "#hang\ntemperature 60 60 hang\nclock 1980\n");
	t = telemetry_open(&gpu, NULL);
	telemetry_start(t, 20 * MS);
	clock_sleep_ns(3200 * MS);
	telemetry_stop(t);
	record = telemetry_record(t, 0);
	gap = gap_of(record, "nvml", "temperature");
	assert_non_null(strstr(gap->reason, "did not return"));
	/* The others are read on by another thread. */
	assert_true(channel_of(record, "nvml", "clock-sm")->values.count > 10);
	layout_free(record_telemetry_layout(), record);
	telemetry_close(t);
}

static void test_guards(void **state)
{
	char *root = path_join(source, "tests/replay/sensors");
	record_flag_list flags = { 0 };
	text_list words = { 0 };
	text_list warnings = { 0 };
	guards_totals before;
	record_guards g;

	(void)state;
	layout_init(record_guards_layout(), &g);
	guards_begin(&g, &before, root, NULL);
	assert_true(g.load_before == 1.5);
	assert_int_equal(g.running_before, 2);
	assert_true(g.clock_before_mhz == 2300);
	assert_true(isnan(g.temperature_before_c) && g.device_users_before == LAYOUT_NO_UINT);
	assert_int_equal(before.throttled, 4);
	assert_true(before.throttled_seconds == 0.25);
	assert_true(before.stalled_seconds == 1);
	guards_end(&g, &before, root, NULL);
	assert_true(g.load_after == 1.5 && g.clock_after_mhz == 2300);
	assert_true(g.throttled_periods == 0 && g.throttled_seconds == 0);
	assert_true(surroundings_guards(&g, 1, &flags, &words) == 0);
	assert_int_equal(words.count + flags.count, 0);
	before.throttled_seconds -= 0.1;
	before.throttled -= 1;
	before.stalled_seconds -= 0.2;
	guards_end(&g, &before, root, NULL);
	assert_int_equal(g.throttled_periods, 1);
	g.device_users_after = 2;
	assert_true(surroundings_guards(&g, 1, &flags, &words) > 0.29);
	assert_int_equal(words.count, 3);
	assert_non_null(strstr(words.items[0], "cpu.max"));
	assert_int_equal(flags.count, 2);
	assert_true(word_list_has(&flags, RECORD_FLAG_THROTTLED));
	assert_true(word_list_has(&flags, RECORD_FLAG_SHARED_DEVICE));
	guards_warnings(root, &warnings);
	/* Governor, load, the container's limit. */
	assert_int_equal(warnings.count, 3);
	assert_non_null(strstr(warnings.items[0], "powersave"));
	assert_non_null(strstr(warnings.items[0], "cpupower"));
	texts_free(&words);
	texts_free(&warnings);
	free(flags.items);
	free(root);
}

/* The device's limit of power, of two devices with different sensors; none without sensors. */
static void test_power_limit_is_recorded(void **state)
{
	static const struct { const eh_device_info *device; double watts; } cases[] = {
		{ &gpu, 350 }, { &cpu, 65 },
	};

	(void)state;
	put("sensors", "limit 350000\n");
	put("root/sys/class/powercap/intel-rapl:0/constraint_0_power_limit_uw", "65000000\n");
	for (size_t i = 0; i < 2; i++) {
		telemetry *t = telemetry_open(cases[i].device, NULL);
		guards_totals before;
		record_guards g;

		layout_init(record_guards_layout(), &g);
		telemetry_start(t, 10 * MS);
		guards_begin(&g, &before, "", t);
		telemetry_stop(t);
		assert_true(g.power_limit_watts == cases[i].watts);
		layout_clear(record_guards_layout(), &g);
		guards_begin(&g, &before, "", NULL);
		assert_true(isnan(g.power_limit_watts));
		telemetry_close(t);
	}
}

/* Processors that are switched off leave gaps in the list of the others. */
static void test_processors_are_counted(void **state)
{
	char *root = path_join(folder, "gaps");
	text_list warnings = { 0 };

	(void)state;
	put("gaps/proc/loadavg", "2.00 1.00 1.00 3/100 4711\n");
	put("gaps/sys/devices/system/cpu/online", "0-1,4\n");
	guards_warnings(root, &warnings);
	assert_int_equal(warnings.count, 1);
	assert_non_null(strstr(warnings.items[0], "load 2.00 on 3 processors"));
	texts_free(&warnings);
	put("gaps/sys/devices/system/cpu/online", "0,2,4-6,9-10\n");
	guards_warnings(root, &warnings);
	assert_int_equal(warnings.count, 0);
	free(root);
}

/* After a run the load average is high for a minute, and nothing else runs. */
static void test_an_old_load_is_no_other_work(void **state)
{
	char *root = path_join(folder, "gaps");
	text_list warnings = { 0 };

	(void)state;
	put("gaps/proc/loadavg", "2.00 1.00 1.00 1/100 4711\n");
	put("gaps/sys/devices/system/cpu/online", "0-1\n");
	guards_warnings(root, &warnings);
	assert_int_equal(warnings.count, 0);
	put("gaps/proc/loadavg", "2.00 1.00 1.00 3/100 4711\n");
	guards_warnings(root, &warnings);
	assert_int_equal(warnings.count, 1);
	texts_free(&warnings);
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
		cmocka_unit_test(test_throttled_time_is_counted),
		cmocka_unit_test(test_throttle_events_are_counted),
		cmocka_unit_test(test_lost_device_costs_its_channels),
		cmocka_unit_test(test_failures_that_pass),
		cmocka_unit_test(test_lost_device_may_return),
		cmocka_unit_test(test_memory_is_bounded),
		cmocka_unit_test(test_guards),
		cmocka_unit_test(test_power_limit_is_recorded),
		cmocka_unit_test(test_processors_are_counted),
		cmocka_unit_test(test_an_old_load_is_no_other_work),
		cmocka_unit_test(test_hanging_sensor_is_given_up),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, prepare, clean);
}
