/* SPDX-License-Identifier: Apache-2.0 */
/* Reading: what a protocol file may say, and the sentence that refuses what it may not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/files.h"
#include "base/text.h"
#include "protocol/protocol.h"

#define HEAD "[protocol]\nname = t\nversion = 1\nintent = x\n"
#define CASE "[case a]\nworkload = w\n"

static eh_status parse(const char *s, protocol **out, eh_error *error)
{
	return protocol_parse(s, strlen(s), "t.ini", out, error);
}

static void refused(const char *s, const char *says)
{
	eh_error error = ERROR_INIT;
	protocol *p = NULL;

	if (parse(s, &p, &error) != EH_E_USAGE)
		fail_msg("was taken:\n%s", s);
	if (strstr(error.message, says) == NULL)
		fail_msg("says '%s', not '%s', of:\n%s", error.message, says, s);
	assert_null(p);
	assert_int_equal(error.code, EH_E_USAGE);
}

static protocol *taken(const char *s)
{
	eh_error error = ERROR_INIT;
	protocol *p = NULL;

	if (parse(s, &p, &error) != EH_OK)
		fail_msg("%s", error.message);
	return p;
}

static void a_whole_protocol_is_read(void **state)
{
	protocol *p = taken(
		"\xef\xbb\xbf; a comment\r\n"
		"[protocol]   ; another\r\n"
		"name = my-test\n"
		"version=7\n"
		"\tintent = caf\xc3\xa9 = good ; comment\n"
		"compatible = my-test@5 , my-test@6\n"
		"executions = 3\nseed = 9007199254740992\ninterleave = no\ncanary = no\n"
		"[case two]\n"
		"bytes = 1, 2\n"
		"workload = stream\n"
		"time-max = 9s\n"
		"tier = portable , tuned\n"
		"[measure]\n"
		"# the whole section stands behind the case that it is for\n"
		"warmup-min = 1ms\nwarmup-max = 1.5s\nsamples-min = 8\nsamples-max = 99\n"
		"time-min = 20ms\ntime-max = 150ms\nhalf-width = 2.5%\nconfidence = 0.99\nmargin = 0.02\n"
		"proof = 20ms\ntimeout = 60s\ntune-budget = 1s\nclock = host\ncache = warm\n"
		"regime = burst\n"
		"   \n"
		"[case  three]\nworkload = launch");
	const protocol_section *two = &p->sections[0];

	(void)state;
	assert_string_equal(p->name, "my-test");
	assert_int_equal(p->version, 7);
	assert_string_equal(p->intent, "caf\xc3\xa9 = good");
	assert_string_equal(p->compatible[0], "my-test@5");
	assert_string_equal(p->compatible[1], "my-test@6");
	assert_null(p->compatible[2]);
	assert_int_equal(p->executions, 3);
	assert_true(p->seed == UINT64_C(9007199254740992));
	assert_false(p->interleave);
	assert_false(p->canary);
	assert_int_equal(p->measure.warmup_min_ns, 1000000);
	assert_int_equal(p->measure.warmup_max_ns, 1500000000);
	assert_int_equal(p->measure.samples_min, 8);
	assert_int_equal(p->measure.time_max_ns, 150000000);
	assert_true(p->measure.half_width == 0.025);
	assert_true(p->measure.confidence == 0.99);
	assert_true(p->measure.margin == 0.02);
	assert_int_equal(p->measure.clock, RECORD_CLOCK_HOST);
	assert_int_equal(p->section_count, 2);
	assert_string_equal(two->name, "two");
	assert_string_equal(two->workload, "stream");
	assert_int_equal(two->tiers.count, 2);
	assert_int_equal(two->tiers.items[0], RECORD_TIER_PORTABLE);
	assert_int_equal(two->tiers.items[1], RECORD_TIER_TUNED);
	assert_int_equal(two->line, 11);
	assert_true(two->measure.time_max_ns == UINT64_C(9000000000));
	assert_int_equal(two->measure.warmup_min_ns, 1000000);
	assert_int_equal(two->measure.clock, RECORD_CLOCK_HOST);
	assert_int_equal(two->setting_count, 1);
	assert_string_equal(two->settings[0].key, "bytes");
	assert_string_equal(two->settings[0].text, "1, 2");
	assert_int_equal(two->settings[0].line, 12);
	assert_string_equal(p->sections[1].name, "three");
	assert_int_equal(p->sections[1].tiers.count, 1);
	assert_int_equal(p->sections[1].tiers.items[0], RECORD_TIER_PORTABLE);
	assert_string_equal(p->source, "t.ini");
	protocol_free(p);
}

static void defaults_are_those_of_the_method(void **state)
{
	protocol *p = taken(HEAD CASE);
	const record_settings *m = &p->sections[0].measure;

	(void)state;
	assert_int_equal(p->executions, 5);
	assert_int_equal(p->seed, 1);
	assert_true(p->interleave);
	assert_true(p->canary);
	assert_null(p->compatible[0]);
	assert_int_equal(m->samples_min, 30);
	assert_int_equal(m->time_min_ns, 500000000);
	assert_true(m->half_width == 0.01);
	assert_true(m->confidence == 0.95);
	assert_true(m->margin == 0.01);
	assert_int_equal(m->clock, RECORD_CLOCK_DEVICE);
	assert_int_equal(m->cache, RECORD_CACHE_WARM);
	assert_int_equal(m->regime, RECORD_REGIME_BURST);
	assert_string_equal(p->text, HEAD CASE);
	protocol_free(p);
}

static void lines_that_are_not_lines_are_refused(void **state)
{
	static const char nul[] = HEAD "\0" CASE;
	eh_error error = ERROR_INIT;
	protocol *p;

	(void)state;
	refused("", "t.ini: there is no section [protocol]");
	refused("\n\n; only a comment\n", "there is no section [protocol]");
	refused("x = 1\n" HEAD CASE, "t.ini:1: 'x' comes before the first [section]");
	refused(HEAD "garbage\n" CASE, "t.ini:5: this is neither");
	refused(HEAD "garbage\nSeed = 1\n" CASE, "t.ini:5: this is neither");
	refused(HEAD "garbage\n[a b c]\n" CASE, "t.ini:5: this is neither");
	refused(HEAD "two words = 1\n" CASE, "t.ini:5: this is neither");
	refused(HEAD "seed : 1\n" CASE, "t.ini:5: '=' is missing after 'seed'");
	refused(HEAD "= 1\n" CASE, "t.ini:5: this is neither");
	refused(" \xef\xbb\xbf" HEAD CASE, "t.ini:1: this is neither");
	refused(HEAD "Seed = 1\n" CASE, "t.ini:5: this is neither");
	refused(HEAD "seed_x = 1\n" CASE, "t.ini:5: this is neither");
	refused(HEAD "seed =\n" CASE, "t.ini:5: 'seed' has no value");
	refused(HEAD "seed = ; 1\n" CASE, "t.ini:5: 'seed' has no value");
	refused(HEAD "[measure\n" CASE, "t.ini:5: ']' is missing");
	refused(HEAD "[measure] x\n" CASE, "t.ini:5: there is text after");
	refused(HEAD "[]\n" CASE, "t.ini:5: a section is");
	refused(HEAD "[case A]\n", "t.ini:5: a section is");
	refused(HEAD "[case a b]\n", "t.ini:5: a section is");
	refused(HEAD "[case a.b]\n", "t.ini:5: a section is");
	refused(HEAD "[case a ;b]\n", "t.ini:5: a section is");
	refused(HEAD "[case ]\n", "t.ini:5: a section is");
	refused(HEAD "[ case a]\n", "t.ini:5: a section is");
	refused(HEAD "[case aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa]\n", "longer than 40");
	refused(HEAD "kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk = 1\n" CASE,
	        "t.ini:5: the key is longer than 40");
	refused(HEAD CASE "a = b\rc\n", "t.ini:7: this line contains a carriage return");
	refused(HEAD CASE "a = b\x01" "c\n",
	        "t.ini:7: this line contains a control character (0x01)");
	refused(HEAD CASE "; \xff\n",
	        "t.ini:7: this line contains a byte (0xff) that is not UTF-8");
	refused(HEAD CASE "a = caf\xc3\xa9\n", "t.ini:7: the value of 'a' has a character that is not ASCII");
	refused(HEAD "[case a]\nworkload = w\n[case a]\nworkload = w\n",
	        "t.ini:7: the section [case a] occurs twice; the first is in line 5");
	refused(HEAD "[protocol]\n", "t.ini:5: the section [protocol] occurs twice");
	refused(HEAD "seed = 1\nseed = 1\n" CASE,
	        "t.ini:6: 'seed' occurs twice in [protocol]; the first is in line 5");
	assert_int_equal(protocol_parse(nul, sizeof(nul) - 1, "t.ini", &p, &error), EH_E_USAGE);
	assert_non_null(strstr(error.message, "t.ini:5: this line contains a NUL byte"));
}

static void long_lines_are_refused_not_cut(void **state)
{
	(void)state;
	/* inih alone would take "key = 1111" and ignore what it cut off. */
	for (size_t size = 150; size < 450; size++) {
		char line[512];
		text t = { 0 };
		eh_error error = ERROR_INIT;
		protocol *p = NULL;
		eh_status status;

		memset(line, '1', size);
		line[size] = '\0';
		text_add(&t, HEAD CASE "key = %s\nafter = 2\n; %s%s%s\n", line, line, line, line);
		status = parse(t.data, &p, &error);
		if (size + strlen("key = ") <= 190) {
			assert_int_equal(status, EH_OK);
			assert_string_equal(p->sections[0].settings[0].text, line);
			assert_string_equal(p->sections[0].settings[1].text, "2");
			protocol_free(p);
		} else {
			assert_int_equal(status, EH_E_USAGE);
			assert_string_equal(error.message, "t.ini:7: this line is longer than 190 bytes");
		}
		text_free(&t);
	}
}

static void indentation_does_not_continue_a_value(void **state)
{
	protocol *p = taken(HEAD CASE "x = 1\n   y = 2\n");

	(void)state;
	assert_int_equal(p->sections[0].setting_count, 2);
	assert_string_equal(p->sections[0].settings[1].key, "y");
	assert_string_equal(p->sections[0].settings[1].text, "2");
	protocol_free(p);
	refused(HEAD CASE "x = 1\n   2\n", "t.ini:8: this is neither");
}

static void unknown_names_are_refused_with_the_nearest(void **state)
{
	(void)state;
	refused(HEAD "exectuions = 5\n" CASE,
	        "t.ini:5: there is no key 'exectuions' in [protocol]; did you mean 'executions'?");
	refused(HEAD "frobnicate = 5\n" CASE, "docs/protocol.md lists them");
	refused(HEAD "[measure]\nsample-min = 5\n" CASE, "did you mean 'samples-min'?");
	refused(HEAD "[mesure]\n" CASE, "there is no section [mesure]; did you mean [measure]?");
	refused(HEAD "[case]\n", "t.ini:5: a case needs a name: [case NAME]");
	refused(HEAD, "there is no section [case NAME]");
	refused(CASE, "there is no section [protocol]");
	refused("[protocol]\nname = t\nversion = 1\n" CASE, "t.ini:1: [protocol] lacks the key 'intent'");
	refused("[protocol]\nname = t\nintent = 1\n" CASE, "lacks the key 'version'");
	refused(HEAD "[case a]\nx = 1\n", "t.ini:5: [case a] lacks the key 'workload'");
}

static void values_of_a_wrong_type_are_refused(void **state)
{
	static const struct { const char *line, *says; } bad[] = {
		{ "executions = 0", "executions = 0 is out of range: it is 1 to 100" },
		{ "executions = 101", "out of range" },
		{ "executions = five", "executions is a whole number (1 to 100), not 'five'" },
		{ "executions = 5.0", "whole number" },
		{ "executions = -1", "whole number" },
		{ "executions = 99999999999999999999999", "whole number" },
		{ "seed = 9007199254740993", "out of range" },
		{ "interleave = true", "interleave is yes or no, not 'true'" },
		{ "compatible = stream", "compatible is a list such as" },
		{ "compatible = stream@1,,stream@2", "compatible is a list" },
		{ "compatible = stream@01", "compatible is a list" },
		{ "compatible = stream@1, stream@1", "names one protocol twice" },
		{ "[measure]\ntime-min = 5", "time-min is a time such as 20ms, 1.5s or 500us" },
		{ "[measure]\ntime-min = 1m", "is a time" },
		{ "[measure]\ntime-min = 0.1ns", "is a time" },
		{ "[measure]\ntime-min = 2h", "is a time" },
		{ "[measure]\ntime-min = 3601s", "time-min = 3601s is out of range: it is 0s to 3600s" },
		{ "[measure]\nhalf-width = 0%", "half-width = 0% is out of range" },
		{ "[measure]\nhalf-width = 200%", "out of range" },
		{ "[measure]\nhalf-width = nan", "half-width is a share" },
		{ "[measure]\nhalf-width = 1e999", "half-width is a share" },
		{ "[measure]\nhalf-width = inf%", "half-width is a share" },
		{ "[measure]\nhalf-width = %", "half-width is a share" },
		{ "[measure]\nsamples-min = 5", "out of range: it is 6 to 1000000" },
		{ "[measure]\nclock = dveice", "clock is device|host, not 'dveice'; did you mean 'device'?" },
		{ "[measure]\nload-rate = 5", "[measure]: load-rate has no effect in this scenario" },
		{ "[measure]\nscenario = server", "scenario = server needs a load-rate" },
		{ "[measure]\nscenario = knee", "scenario = knee needs a load-slo" },
		{ "[measure]\nscenario = knee\nload-slo = 5ms\ntime-max = 20s", "ten times time-max" },
		{ "[measure]\nscenario = closed\ncache = cold", "remove cache = cold or the scenario" },
		{ "[measure]\nscenario = offline\nstatistic = p90", "its statistic must be median" },
		{ "[measure]\nscenario = closed\nregime = sustained", "cannot have regime = sustained" },
		{ "[measure]\ncache = hot", "cache is warm|cold, not 'hot'" },
		{ "[measure]\nstatistic = p98", "statistic is median|p90|p95|p97|p99|p99.9|lower-quartile, not 'p98'" },
		{ "[measure]\ntime-min = 2s\ntime-max = 1s", "[measure]: time-min is longer than time-max" },
		{ "[measure]\nwarmup-min = 3s", "[measure]: warmup-min is longer than warmup-max" },
		{ "[measure]\nsamples-max = 29", "[measure]: samples-min is more than samples-max" },
		{ "[measure]\nconfidence = 99.9%\nsamples-min = 10", "needs samples-min = 11" },
		{ "[measure]\ntimeout = 5s", "timeout is shorter than warmup-max, time-max, proof together" },
		{ "[measure]\nstatistic = p99\nsamples-max = 600", "needs samples-max = 662" },
		{ "[measure]\nstatistic = p99\nregime = sustained", "use statistic = median" },
		{ "[measure]\nregime = sustained\nsustain-time = 119s",
		  "warmup-max, sustain-entry, sustain-time, proof together" },
		{ "[measure]\nregime = sustained\nsustain-time = 2s\nsustain-window = 3s",
		  "sustain-window is longer than sustain-time" },
		{ "[measure]\nworkload = stream", "there is no key 'workload' in [measure]" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		char *s = memory_format(HEAD "%s\n" CASE, bad[i].line);

		refused(s, bad[i].says);
		free(s);
	}
	refused("[protocol]\nname = T\nversion = 1\nintent = x\n" CASE, "name begins with a letter");
	refused("[protocol]\nname = 1t\nversion = 1\nintent = x\n" CASE, "name begins with a letter");
	refused("[protocol]\nname = t\nversion = 0\nintent = x\n" CASE, "version = 0 is out of range");
	refused(HEAD CASE "tier = tunde", "tier is portable, tuned or vendor, not 'tunde'; did you mean 'tuned'?");
	refused(HEAD CASE "tier = tuned, tuned", "lists tuned twice");
	refused(HEAD CASE "tier = tuned,", "has an empty item");
	refused(HEAD CASE "time-max = 200s", "[case a]: timeout is shorter");
	refused(HEAD CASE "tier = tuned\ntune-budget = 115s", "proof and tune-budget together (122100ms)");
	/* A knee's search comes on top of that of the parameters. */
	refused(HEAD CASE "tier = tuned\nscenario = knee\nload-slo = 5ms\ntime-max = 1s\ntimeout = 20s\n"
	        "tune-budget = 10s\nwarmup-max = 1s\nproof = 100ms",
	        "warmup-max, proof, tune-budget and ten times time-max together (21100ms)");
	refused(HEAD CASE "clock = sundial", "t.ini:7: clock is device|host");
}

static void messages_name_the_file_however_long(void **state)
{
	eh_error error = ERROR_INIT;
	char path[300];
	protocol *p;

	(void)state;
	memset(path, 'd', sizeof(path));
	strcpy(path + sizeof(path) - sizeof("/the-end.ini"), "/the-end.ini");
	assert_int_equal(protocol_parse("x\n", 2, path, &p, &error), EH_E_USAGE);
	assert_non_null(strstr(error.message, "/the-end.ini:1: this is neither"));
	assert_int_equal(strncmp(error.message, "...ddd", 6), 0);
}

static void a_flood_is_refused(void **state)
{
	text t = { 0 };

	(void)state;
	text_add(&t, HEAD);
	for (int i = 0; i < 1001; i++)
		text_add(&t, "[case c%d]\nworkload = w\n", i);
	refused(t.data, "more than 1000 sections");
	text_free(&t);
	text_add(&t, HEAD CASE);
	for (int i = 0; i < 101; i++)
		text_add(&t, "k%d = 1\n", i);
	refused(t.data, "more than 100 keys in [case a]");
	text_free(&t);
	while (t.size <= 1 << 20)
		text_add(&t, "; a comment of some length, again and again and again and again\n");
	refused(t.data, "larger than 1 MiB");
	text_free(&t);
}

static char folder[] = "/tmp/evenhand-test-XXXXXX";

static int make_folder(void **state)
{
	(void)state;
	return mkdtemp(folder) == NULL || setenv("XDG_DATA_HOME", folder, 1) != 0;
}

static int remove_folder(void **state)
{
	char *command = memory_format("rm -rf '%s'", folder);
	int rc = system(command);

	(void)state;
	free(command);
	return rc;
}

static void protocols_are_found_by_name(void **state)
{
	eh_error error = ERROR_INIT;
	char *protocols = path_join(folder, "evenhand/protocols");
	char *path = path_join(protocols, "zz-mine.ini");
	protocol *p = NULL;
	size_t found = 0;
	char **list;

	(void)state;
	assert_int_equal(dir_make(protocols, &error), EH_OK);
	assert_int_equal(file_write(path, HEAD CASE, strlen(HEAD CASE), &error), EH_OK);
	assert_int_equal(protocol_find("zz-mine", &p, &error), EH_OK);
	assert_string_equal(p->name, "t");
	assert_string_equal(p->source, path);
	protocol_free(p);
	assert_int_equal(protocol_find(path, &p, &error), EH_OK);
	protocol_free(p);
	list = protocol_list();
	for (char **one = list; *one != NULL; one++)
		found += strcmp(*one, path) == 0;
	assert_int_equal(found, 1);
	dir_list_free(list);
	assert_int_equal(protocol_find("zz-mien", &p, &error), EH_E_NOT_FOUND);
	assert_non_null(strstr(error.message, "there is no protocol 'zz-mien', did you mean 'zz-mine'?"));
	assert_int_equal(protocol_find("", &p, &error), EH_E_NOT_FOUND);
	assert_int_equal(protocol_find("..", &p, &error), EH_E_NOT_FOUND);
	assert_int_equal(protocol_find("/no/such.ini", &p, &error), EH_E_IO);
	assert_int_equal(protocol_find(folder, &p, &error), EH_E_IO);
	free(path);
	free(protocols);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_whole_protocol_is_read),
		cmocka_unit_test(defaults_are_those_of_the_method),
		cmocka_unit_test(lines_that_are_not_lines_are_refused),
		cmocka_unit_test(long_lines_are_refused_not_cut),
		cmocka_unit_test(indentation_does_not_continue_a_value),
		cmocka_unit_test(unknown_names_are_refused_with_the_nearest),
		cmocka_unit_test(values_of_a_wrong_type_are_refused),
		cmocka_unit_test(messages_name_the_file_however_long),
		cmocka_unit_test(a_flood_is_refused),
		cmocka_unit_test(protocols_are_found_by_name),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
