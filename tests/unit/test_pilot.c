/* SPDX-License-Identifier: Apache-2.0 */
/* How many executions a pilot asks for, with spreads that are known. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/random.h"
#include "base/text.h"
#include "stat/pilot.h"
#include "run/extend.h"

#define NEAR(a, b, band) assert_true(fabs((a) - (b)) <= (band))

/* n centers of mean 1000 whose sample standard deviation is exactly `spread` of it. */
static void centers(pilot_execution *e, size_t n, double spread)
{
	double squares = 0;

	for (size_t i = 0; i < n; i++) {
		double from_middle = (double)i - (double)(n - 1) / 2;

		squares += from_middle * from_middle;
	}
	for (size_t i = 0; i < n; i++) {
		double from_middle = (double)i - (double)(n - 1) / 2;

		e[i] = (pilot_execution){ .samples = 30, .sample_ns = 1e6, .other_ns = 100e6 };
		e[i].center = 1000 * (1 + spread * from_middle / sqrt(squares / (double)(n - 1)));
	}
}

/* Student's t, from the executions needed for a half-width far below the spread: with N of them it is
 * t * 1.2533 * spread / sqrt(N). */
static double student_of(size_t freedom, double confidence)
{
	pilot_execution e[100];
	pilot_finding f;

	centers(e, freedom + 1, 0.1);
	pilot_plan(e, freedom + 1, (pilot_target){ 1e-5, confidence, SIZE_MAX / 2 }, &f);
	return sqrt((double)f.needed) * 1e-5 / 0.1 / 1.2533141373155003;
}

static void student(void **state)
{
	(void)state;
	/* Tables of the two-sided 95 % and 99 % points. */
	NEAR(student_of(1, 0.95), 12.7062, 1e-4);
	NEAR(student_of(2, 0.95), 4.3027, 1e-4);
	NEAR(student_of(4, 0.95), 2.7764, 1e-4);
	NEAR(student_of(9, 0.95), 2.2622, 1e-4);
	NEAR(student_of(5, 0.99), 4.0321, 1e-4);
	NEAR(student_of(99, 0.95), 1.9842, 1e-4);
}

static void as_many_as_needed(void **state)
{
	static const struct { size_t n; double spread, width; size_t needed; bool reached; } table[] = {
		{ 5, 0, 0.01, 5, true },         /* nothing to gain                             */
		{ 5, 0.001, 0.01, 5, true },
		{ 5, 0.01, 0.03, 5, true },
		{ 5, 0.01, 0.01, 13, true },     /* (2.7764 * 1.2533)^2 = 12.11                 */
		{ 5, 0.02, 0.01, 40, false },    /* 48.4, and 40 is the most                    */
		{ 5, 0.018, 0.01, 40, true },    /* 39.2                                        */
		{ 10, 0.01, 0.01, 10, true },    /* (2.2622 * 1.2533)^2 = 8.04                  */
		{ 10, 0.02, 0.01, 33, true },
		{ 2, 0.001, 0.01, 3, true },     /* 2.54: two executions say little             */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		pilot_execution e[10];
		pilot_finding found;

		centers(e, table[i].n, table[i].spread);
		pilot_plan(e, table[i].n, (pilot_target){ table[i].width, 0.95, 40 }, &found);
		assert_int_equal(found.needed, table[i].needed);
		assert_int_equal(found.reached, table[i].reached);
		NEAR(found.spread, table[i].spread, 1e-12);
	}
}

static void never_fewer_than_the_pilot(void **state)
{
	pilot_execution e[5];
	pilot_finding found;

	(void)state;
	centers(e, 5, 0.5);
	pilot_plan(e, 5, (pilot_target){ 0.01, 0.95, 3 }, &found);
	assert_int_equal(found.needed, 5);
	assert_false(found.reached);
	pilot_plan(e, 1, (pilot_target){ 0.01, 0.95, 30 }, &found);
	assert_int_equal(found.needed, 1);
	pilot_plan(e, 0, (pilot_target){ 0.01, 0.95, 30 }, &found);
	assert_int_equal(found.needed, 0);
}

static void parts_of_the_spread(void **state)
{
	pilot_execution e[5];
	pilot_finding found;

	(void)state;
	centers(e, 5, 0.05);
	for (size_t i = 0; i < 5; i++)
		e[i].error = 30; /* 3 % */
	pilot_plan(e, 5, (pilot_target){ 0.01, 0.95, 40 }, &found);
	NEAR(found.within, 0.03, 1e-12);
	NEAR(found.between, 0.04, 1e-12);
	/* sqrt(100 ms / 1 ms * (0.03^2 * 30) / 0.04^2) = 41.08 */
	NEAR(found.optimum, 42, 0);
	for (size_t i = 0; i < 5; i++)
		e[i].error = 60;
	pilot_plan(e, 5, (pilot_target){ 0.01, 0.95, 40 }, &found);
	NEAR(found.within, 0.05, 1e-12);
	NEAR(found.between, 0, 0);
	NEAR(found.optimum, 0, 0);
}

static double normal(random_state *r)
{
	double sum = -6;

	for (int i = 0; i < 12; i++)
		sum += random_unit(r);
	return sum;
}

/* Two stages with executions of a known spread: the interval of that width holds the truth as
 * often as it says. */
static void keeps_its_promise(void **state)
{
	size_t inside = 0, trials = 2000, made = 0;
	random_state r;

	(void)state;
	random_seed(&r, 5);
	for (size_t t = 0; t < trials; t++) {
		pilot_execution e[5];
		pilot_finding found;
		double values[400], sum = 0;

		for (size_t i = 0; i < 5; i++) {
			values[i] = 1000 * (1 + 0.02 * normal(&r));
			e[i] = (pilot_execution){ .center = values[i], .samples = 30 };
		}
		pilot_plan(e, 5, (pilot_target){ 0.01, 0.95, 400 }, &found);
		for (size_t i = 0; i < found.needed; i++) {
			if (i >= 5)
				values[i] = 1000 * (1 + 0.02 * normal(&r));
			sum += values[i];
		}
		made += found.needed;
		/* A mean is as far from the truth as a median over 1.2533. */
		inside += fabs(sum / (double)found.needed / 1000 - 1) * 1.2533 <= 0.01;
	}
	print_message("# %zu of %zu within the width, %.1f executions on average\n", inside, trials,
	              (double)made / (double)trials);
	assert_in_range(inside, trials * 93 / 100, trials);
	assert_in_range(made / trials, 40, 60);
}

static void one_execution(void **state)
{
	double values[40];
	pilot_execution e;

	(void)state;
	for (size_t i = 0; i < 40; i++)
		values[i] = 100 + (double)i;
	pilot_execution_of(values, 40, 0, &e);
	NEAR(e.center, 119.5, 1e-9);
	NEAR(e.samples, 40, 0);
	/* Ranks 13 and 26 bound the median of 40: 13 wide. */
	NEAR(e.error, 13 / 2.0 / 1.959964, 0.5);
	pilot_execution_of(values, 4, 0, &e); /* too few for an interval */
	NEAR(e.error, 1.2533 * 1.29099 / 2, 1e-3);
	pilot_execution_of(values, 1, 0, &e);
	NEAR(e.error, 0, 0);
}

/* One execution whose samples fall to half of what they were. */
static void append_case(journal *j, uint64_t execution)
{
	record_line line;
	record_execution *record = &line.one_case.record;

	record_line_init(&line, RECORD_LINE_CASE);
	text_set(&line.one_case.executor, "host:x");
	line.one_case.execution = record->execution = execution;
	text_set(&line.one_case.id, "c");
	record->status = RECORD_VALID;
	record->batch = 1;
	for (uint64_t i = 0; i < 100; i++)
		uint_list_add(&record->samples_ns,
		              (i < 60 ? 200000 : 100000) + 7 * (i * i % 31) + execution);
	assert_int_equal(journal_append(j, &line, NULL), EH_OK);
	record_line_clear(&line);
}

static eh_status take_pilot(void *context, record_line *line, long offset, eh_error *error)
{
	double *center = context;

	(void)offset;
	(void)error;
	if (line->kind == RECORD_LINE_PILOT)
		*center = line->pilot.executors.items[0].cases.items[0].center_ns;
	return EH_OK;
}

/* What the executions of a scenario are judged by in the pilot of a run. */
static double center_in_pilot(enum record_scenario_kind scenario)
{
	char name[] = "c", executor[] = "host:x", folder[] = "/tmp/evenhand-pilot-XXXXXX";
	char *names[] = { executor, NULL };
	char *path;
	protocol declared = { .seed = 1 };
	protocol_section section = { .measure = { .scenario = scenario, .half_width = 0.01,
	                                          .statistic = RECORD_STATISTIC_MEDIAN,
	                                          .confidence = 0.95 } };
	plan_case c = { .id = name, .section = &section };
	plan made = { .cases = &c, .case_count = 1 };
	manifest m = { .protocol = &declared, .plan = &made, .executions = 2, .most = 3,
		       .executor_count = 1, .names = names };
	record_line first;
	eh_error error = ERROR_INIT;
	double center = 0;
	journal *j;

	assert_non_null(mkdtemp(folder));
	path = memory_format("%s/run.journal", folder);
	record_line_init(&first, RECORD_LINE_RUN);
	first.run.harness.name = RECORD_PROGRAM_EVENHAND;
	text_set(&first.run.protocol.digest,
	         "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef");
	assert_int_equal(journal_create(path, &first.run, &j, &error), EH_OK);
	record_line_clear(&first);
	append_case(j, 1);
	append_case(j, 2);
	assert_int_equal(extend_decide(&m, j, path, &error), EH_OK);
	assert_int_equal(journal_each(path, take_pilot, &center, &error), EH_OK);
	journal_close(j);
	(void)unlink(path);
	assert_int_equal(rmdir(folder), 0);
	free(path);
	return center;
}

/* As in the results: of a series the steady part, of a load all. */
static void counts_what_the_results_count(void **state)
{
	(void)state;
	NEAR(center_in_pilot(RECORD_SCENARIO_NONE), 100100, 200);
	NEAR(center_in_pilot(RECORD_SCENARIO_SINGLE_STREAM), 100100, 200);
	NEAR(center_in_pilot(RECORD_SCENARIO_CLOSED), 200100, 200);
	NEAR(center_in_pilot(RECORD_SCENARIO_SERVER), 200100, 200);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(student),
		cmocka_unit_test(as_many_as_needed),
		cmocka_unit_test(never_fewer_than_the_pilot),
		cmocka_unit_test(parts_of_the_spread),
		cmocka_unit_test(keeps_its_promise),
		cmocka_unit_test(one_execution),
		cmocka_unit_test(counts_what_the_results_count),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
