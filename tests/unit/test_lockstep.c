/* SPDX-License-Identifier: Apache-2.0 */
/* Sides that took turns: edges, and simulated runs whose true ratio is known. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "stat/lockstep.h"
#include "stat/plain_math.h"
#include "stat/student.h"

enum { EXECUTIONS = 10, ROUNDS = 200, TRIALS = 500 };

static const lockstep_terms usual = { .margin = 0.02, .share = 1, .cases = 1 };

typedef struct sides {
	uint64_t rounds[EXECUTIONS][ROUNDS];
	double values[2][EXECUTIONS][ROUNDS];
	lockstep_execution executions[2][EXECUTIONS];
	lockstep_side a, b;
} sides;

/* Rounds 1 to n in each of `executions`, all values 1000. */
static void sides_equal(sides *s, size_t executions, size_t n)
{
	for (size_t k = 0; k < 2; k++) {
		for (size_t e = 0; e < executions; e++) {
			for (size_t i = 0; i < n; i++) {
				s->rounds[e][i] = i + 1;
				s->values[k][e][i] = 1000;
			}
			s->executions[k][e] = (lockstep_execution){ e + 1, s->rounds[e],
				                                    s->values[k][e], n };
		}
	}
	s->a = (lockstep_side){ s->executions[0], executions };
	s->b = (lockstep_side){ s->executions[1], executions };
}

static double normal(random_state *r)
{
	double sum = -6;

	for (int i = 0; i < 12; i++)
		sum += random_unit(r);
	return sum;
}

typedef struct truth { double ratio, noise, process; } truth;

/* The time of a is `ratio` times that of b.  The machine's speed walks by 5 % a round; values are
 * `noise` apart, and processes `process`. */
static void sides_draw(sides *s, random_state *r, size_t executions, size_t n, truth t)
{
	sides_equal(s, executions, n);
	for (size_t e = 0; e < executions; e++) {
		double own[2] = { t.process * normal(r), t.process * normal(r) + log(t.ratio) };
		double speed = 0;

		for (size_t i = 0; i < n; i++) {
			speed += 0.05 * normal(r);
			for (size_t k = 0; k < 2; k++)
				s->values[1 - k][e][i] = 1000 * exp(speed + own[k] + t.noise * normal(r));
		}
	}
}

/* ---- parts ----------------------------------------------------------------------------------- */

static void plain_functions_are_right(void **state)
{
	(void)state;
	for (double x = -700; x <= 700; x += 0.37)
		assert_true(fabs(plain_exp(x) / exp(x) - 1) < 1e-15 * fmax(4, fabs(x)));
	for (double x = 0; x <= 50; x += 0.013)
		assert_true(fabs(plain_atan(x) - atan(x)) < 1e-14);
	assert_true(fabs(plain_atan(1e9) - atan(1e9)) < 1e-14);
}

static void students_distribution_is_the_tables(void **state)
{
	(void)state;
	assert_true(fabs(student_deviate(1, 0.95) - 12.7062) < 1e-4);
	assert_true(fabs(student_deviate(2, 0.95) - 4.30265) < 1e-5);
	assert_true(fabs(student_deviate(5, 0.99) - 4.03214) < 1e-5);
	assert_true(fabs(student_deviate(30, 0.95) - 2.04227) < 1e-5);
	assert_true(fabs(student_beyond(4, 2.776445) - 0.05) < 1e-7);
	assert_true(fabs(student_beyond(3, 0) - 1) < 1e-12);
	assert_true(student_beyond(7, INFINITY) < 1e-12);
}

static void values_of_rounds_are_quantiles(void **state)
{
	static const double samples[] = { 5, 1, 4, 2, 3, 7, 10, 20 };
	static const uint64_t rounds[] = { 1, 1, 1, 1, 1, 4, 9, 9 };
	uint64_t numbers[8];
	double values[8];

	(void)state;
	assert_int_equal(lockstep_round_values(samples, rounds, 8, LOCKSTEP_QUARTILE, numbers, values), 3);
	assert_int_equal(numbers[0], 1);
	assert_int_equal(numbers[1], 4);
	assert_int_equal(numbers[2], 9);
	assert_true(values[0] == 2 && values[1] == 7 && values[2] == 12.5);
	assert_int_equal(lockstep_round_values(samples, rounds, 8, LOCKSTEP_MEDIAN, numbers, values), 3);
	assert_true(values[0] == 3 && values[1] == 7 && values[2] == 15);
}

static enum decision decide(double low, double center, double high, double p, double floor)
{
	decision_evidence e = { center, { low, high }, { low, high }, p };

	return decision_of(&e, 0.02, floor);
}

static void decisions_follow_the_rule(void **state)
{
	(void)state;
	assert_int_equal(decide(1.015, 1.03, 1.045, 0.01, 0), DECISION_FASTER);
	assert_int_equal(decide(1 / 1.045, 1 / 1.03, 1 / 1.015, 0.01, 0), DECISION_SLOWER);
	assert_int_equal(decide(1.015, 1.03, 1.045, 0.06, 0), DECISION_OPEN);
	assert_int_equal(decide(0.99, 1.03, 1.07, 0.06, 0), DECISION_OPEN);
	/* A sure difference that the margin calls none, and one that it leaves open. */
	assert_int_equal(decide(1.005, 1.01, 1.015, 0.001, 0), DECISION_EQUIVALENT);
	assert_int_equal(decide(1.010, 1.018, 1.025, 0.001, 0), DECISION_OPEN);
	assert_int_equal(decide(0.985, 1.0, 1.019, 1, 0), DECISION_EQUIVALENT);
	/* A floor blocks FASTER and SLOWER, and leaves EQUIVALENT as it is. */
	assert_int_equal(decide(1.015, 1.03, 1.045, 0.01, 0.05), DECISION_OPEN);
	assert_int_equal(decide(1.06, 1.08, 1.1, 0.01, 0.05), DECISION_FASTER);
	assert_int_equal(decide(0.99, 1.0, 1.01, 1, 0.5), DECISION_EQUIVALENT);
	assert_int_equal(decide(0.9, 1.0, 1.1, 1, 0.5), DECISION_OPEN);
	assert_int_equal(decide(0, 1.5, INFINITY, 1, 0), DECISION_OPEN);
}

/* ---- edges ----------------------------------------------------------------------------------- */

static void nothing_shared_has_no_ratio(void **state)
{
	lockstep_ratio r;
	sides s;

	(void)state;
	sides_equal(&s, 2, 10);
	for (size_t e = 0; e < 2; e++)
		s.executions[1][e].number += 7;
	r = lockstep_compare(&s.a, &s.b, usual);
	assert_true(r.ratio == 0 && r.around.low == 0 && isinf(r.around.high) && r.p == 1);
	assert_int_equal(r.rounds, 0);
	assert_int_equal(r.decision, DECISION_OPEN);
	s.a.count = 0;
	assert_true(lockstep_compare(&s.a, &s.b, usual).ratio == 0);
	sides_equal(&s, 1, 10);
	s.values[0][0][3] = 0;
	assert_true(lockstep_compare(&s.a, &s.b, usual).ratio == 0);
}

static void an_execution_with_two_shared_rounds_is_left_out(void **state)
{
	static const uint64_t other[] = { 9, 10, 11, 12, 13, 14, 15, 16, 17, 18 };
	lockstep_ratio r;
	sides s;

	(void)state;
	sides_equal(&s, 3, 10);
	s.executions[1][1].rounds = other;
	for (size_t i = 0; i < 10; i++)
		s.values[1][1][i] = 1; /* would make the ratio large */
	r = lockstep_compare(&s.a, &s.b, usual);
	assert_int_equal(r.executions, 2);
	assert_int_equal(r.rounds, 20);
	assert_true(r.ratio == 1 && r.agree);
}

static void equal_values_are_equivalent(void **state)
{
	lockstep_ratio r;
	sides s;

	(void)state;
	sides_equal(&s, 2, 6);
	r = lockstep_compare(&s.a, &s.b, usual);
	assert_true(r.ratio == 1 && r.around.low == 1 && r.around.high == 1 && r.p == 1 && r.agree);
	assert_int_equal(r.decision, DECISION_EQUIVALENT);
	assert_int_equal(r.more, 0);
	/* A coarse clock: one tick of 10 % in some of the rounds, the same on both sides. */
	for (size_t e = 0; e < 2; e++)
		for (size_t k = 0; k < 2; k++)
			s.values[k][e][1 + k] = 1100;
	r = lockstep_compare(&s.a, &s.b, usual);
	assert_true(r.ratio == 1 && r.agree);
	assert_int_equal(r.decision, DECISION_EQUIVALENT);
}

static void few_rounds_say_how_many_are_needed(void **state)
{
	lockstep_ratio r;
	sides s;

	(void)state;
	sides_equal(&s, 1, 4);
	r = lockstep_compare(&s.a, &s.b, usual);
	assert_true(r.ratio == 1 && r.around.low == 0 && isinf(r.around.high));
	assert_int_equal(r.decision, DECISION_OPEN);
	assert_int_equal(r.more, 3);
	sides_equal(&s, 2, 3);
	r = lockstep_compare(&s.a, &s.b, (lockstep_terms){ .margin = 0.02, .share = 0.25 });
	assert_int_equal(r.more, 1); /* 2^(1 - 7) is less than 2 x 0.05 / 4 */
}

static void huge_ratios_are_decided(void **state)
{
	static const double ratios[] = { 1.5, 20, 8000, 1e12 };
	lockstep_terms terms = { .margin = 0.02, .share = 0.25, .cases = 9 };

	(void)state;
	for (size_t i = 0; i < sizeof(ratios) / sizeof(ratios[0]); i++) {
		/* Executions that differ more than their rounds explain. */
		double own[] = { ratios[i], ratios[i] * 1.03 };
		lockstep_ratio r;
		sides s;

		sides_equal(&s, 2, 8);
		for (size_t e = 0; e < 2; e++)
			for (size_t k = 0; k < 8; k++)
				s.values[1][e][k] *= own[e] * (1 + 0.001 * (double)k);
		r = lockstep_compare(&s.a, &s.b, terms);
		assert_false(r.agree);
		assert_int_equal(r.decision, DECISION_SLOWER);
		assert_true(r.around.low <= 1 / own[1] && r.around.high >= 1 / own[0]);
		assert_true(r.around.low > 0.5 / ratios[i]);
	}
}

/* Two executions, one 4 % faster and one equal. */
static void a_difference_of_one_execution_is_none(void **state)
{
	lockstep_ratio r;
	sides s;

	(void)state;
	sides_equal(&s, 2, 12);
	for (size_t e = 0; e < 2; e++)
		for (size_t i = 0; i < 12; i++)
			s.values[0][e][i] *= (1 + 0.004 * (double)(i % 4)) * (e == 0 ? 1.04 : 1);
	r = lockstep_compare(&s.a, &s.b, usual);
	assert_false(r.agree);
	assert_int_equal(r.decision, DECISION_OPEN);
	assert_true(r.around.low < 1 && r.around.high > 1.04);
	assert_int_equal(r.more, 0);
}

/* A launch on two busy processors, measured: the processes of one driver are as far apart as a factor
 * of two to six, though four of the first five agree. */
static void processes_far_apart_show_no_difference(void **state)
{
	static const double measured[][6] = { { 1.004, 0.972, 0.978, 0.996, 0.429 },
		                              { 2.023, 0.638, 2.617, 1.034, 1.249, 2.397 } };

	(void)state;
	for (size_t m = 0; m < 2; m++) {
		size_t count = m == 0 ? 5 : 6;
		lockstep_ratio r;
		sides s;

		sides_equal(&s, count, 12);
		for (size_t e = 0; e < count; e++)
			for (size_t i = 0; i < 12; i++)
				s.values[0][e][i] *= measured[m][e] * (1 + 0.01 * (double)(i % 4));
		r = lockstep_compare(&s.a, &s.b, usual);
		assert_false(r.agree);
		assert_int_equal(r.decision, DECISION_OPEN);
		assert_true(r.around.low < 1 && r.around.high > 1);
	}
}

/* One execution never settles a difference that a process may make. */
static void one_execution_alone_shows_little(void **state)
{
	lockstep_ratio r;
	sides s;

	(void)state;
	sides_equal(&s, 1, 50);
	for (size_t i = 0; i < 50; i++)
		s.values[0][0][i] *= 1.1;
	r = lockstep_compare(&s.a, &s.b, usual);
	assert_false(r.agree);
	assert_int_equal(r.decision, DECISION_OPEN);
	assert_true(r.more > 0);
	for (size_t i = 0; i < 50; i++)
		s.values[0][0][i] *= 2;
	assert_int_equal(lockstep_compare(&s.a, &s.b, usual).decision, DECISION_FASTER);
}

static void exchanged_sides_mirror(void **state)
{
	random_state r;

	(void)state;
	random_seed(&r, 3);
	for (int trial = 0; trial < TRIALS; trial++) {
		size_t executions = 1 + (size_t)trial % EXECUTIONS;
		truth t = { 1 + 0.03 * normal(&r), 0.02, trial % 2 == 0 ? 0 : 0.02 };
		lockstep_ratio x, y;
		sides s;

		sides_draw(&s, &r, executions, 5 + (size_t)trial % 20, t);
		x = lockstep_compare(&s.a, &s.b, usual);
		y = lockstep_compare(&s.b, &s.a, usual);
		assert_true(x.ratio == 1 / y.ratio || y.ratio == 1 / x.ratio);
		assert_true(x.around.low == 1 / y.around.high || y.around.high == 1 / x.around.low);
		assert_true(x.equal.low == 1 / y.equal.high || y.equal.high == 1 / x.equal.low);
		assert_true(x.p == y.p && x.agree == y.agree && x.more == y.more);
		assert_int_equal(x.decision == DECISION_FASTER, y.decision == DECISION_SLOWER);
		assert_int_equal(x.decision == DECISION_EQUIVALENT, y.decision == DECISION_EQUIVALENT);
	}
}

/* ---- simulated runs -------------------------------------------------------------------------- */

typedef struct tally { size_t covered, faster, slower, equivalent, together; } tally;

static tally try_out(size_t executions, size_t n, truth t, lockstep_terms terms)
{
	tally sum = { 0 };
	random_state r;

	random_seed(&r, 17);
	for (int trial = 0; trial < TRIALS; trial++) {
		lockstep_ratio x;
		sides s;

		sides_draw(&s, &r, executions, n, t);
		x = lockstep_compare(&s.a, &s.b, terms);
		sum.covered += x.around.low <= t.ratio && t.ratio <= x.around.high;
		sum.faster += x.decision == DECISION_FASTER;
		sum.slower += x.decision == DECISION_SLOWER;
		sum.equivalent += x.decision == DECISION_EQUIVALENT;
		sum.together += x.agree;
	}
	print_message("# %zu executions of %zu rounds, ratio %.3g, noise %.3g %%, processes %.3g %%: "
	              "%.1f %% covered, faster %.1f, slower %.1f, equivalent %.1f, together %.1f\n",
	              executions, n, t.ratio, t.noise * 100, t.process * 100,
	              100.0 * (double)sum.covered / TRIALS, 100.0 * (double)sum.faster / TRIALS,
	              100.0 * (double)sum.slower / TRIALS, 100.0 * (double)sum.equivalent / TRIALS,
	              100.0 * (double)sum.together / TRIALS);
	return sum;
}

static size_t percent(size_t share)
{
	return TRIALS * share / 100;
}

static void intervals_cover(void **state)
{
	(void)state;
	for (size_t executions = 2; executions <= 10; executions += 4)
		for (size_t n = 6; n <= 24; n *= 2) {
			tally t = try_out(executions, n, (truth){ 1.03, 0.01, 0 }, usual);

			assert_true(t.covered >= percent(93) && t.slower == 0);
		}
}

static void equal_sides_get_few_false_verdicts(void **state)
{
	static const size_t counts[] = { 2, 3, 4, 5, 10 };
	static const double processes[] = { 0, 0.005, 0.008, 0.012 };

	(void)state;
	for (size_t c = 0; c < 5; c++)
		for (size_t p = 0; p < 4; p++) {
			tally t = try_out(counts[c], 12, (truth){ 1, 0.01, processes[p] }, usual);

			assert_true(t.faster + t.slower <= percent(6));
		}
}

/* What it costs to believe that processes rarely differ: docs/method.md, "What is not claimed". */
static void processes_far_apart_err_more(void **state)
{
	static const size_t counts[] = { 2, 3, 4, 6, 10 }, most[] = { 14, 6, 4, 2, 2 };
	lockstep_terms terms = { .margin = 0.02, .cases = 8 };

	(void)state;
	for (size_t c = 0; c < 5; c++) {
		tally t = try_out(counts[c], 12, (truth){ 1, 0.01, 0.04 }, terms);

		assert_true(t.faster + t.slower <= percent(most[c]));
	}
}

static void planted_differences_are_found(void **state)
{
	tally t;

	(void)state;
	t = try_out(2, 12, (truth){ 1.03, 0.01, 0 }, usual);
	assert_true(t.faster >= percent(85));
	t = try_out(2, 12, (truth){ 1.05, 0.01, 0.003 }, usual);
	assert_true(t.faster >= percent(90));
	t = try_out(5, 12, (truth){ 1 / 1.05, 0.01, 0.01 }, usual);
	assert_true(t.slower >= percent(80));
	t = try_out(2, 12, (truth){ 1, 0.005, 0 }, usual);
	assert_true(t.equivalent >= percent(95));
}

/* Looks at 1/4, 1/2, 3/4 and all of the rounds, each of which may end it: together they err in no
 * more than one of twenty. */
static void looks_share_the_error(void **state)
{
	lockstep_terms terms = { .margin = 0, .share = 0.25, .cases = 1 };
	size_t wrong = 0;
	random_state r;

	(void)state;
	random_seed(&r, 29);
	for (int trial = 0; trial < TRIALS; trial++) {
		bool ended = false;
		sides s;

		sides_draw(&s, &r, 2, 40, (truth){ 1, 0.01, 0 });
		for (size_t n = 10; n <= 40 && !ended; n += 10) {
			lockstep_ratio x;

			for (size_t e = 0; e < 2; e++)
				s.executions[0][e].count = n;
			x = lockstep_compare(&s.a, &s.b, terms);
			ended = x.around.low > 1 || x.around.high < 1;
		}
		wrong += ended;
	}
	print_message("# four looks: %.1f %% wrong\n", 100.0 * (double)wrong / TRIALS);
	assert_true(wrong <= percent(5));
}

/* Where an execution has many rounds and others few, those many do not decide. */
static void processes_of_unequal_length_show_no_difference(void **state)
{
	static const size_t counts[6] = { 7, 9, 6, 7, 29, 6 };
	size_t wrong = 0;
	random_state r;

	(void)state;
	random_seed(&r, 31);
	for (int trial = 0; trial < TRIALS; trial++) {
		lockstep_ratio x;
		sides s;

		sides_draw(&s, &r, 6, 29, (truth){ 1, 0.055, 0.04 });
		for (size_t e = 0; e < 6; e++)
			s.executions[0][e].count = counts[e];
		x = lockstep_compare(&s.a, &s.b, (lockstep_terms){ .margin = 0.02, .cases = 8 });
		wrong += x.decision == DECISION_FASTER || x.decision == DECISION_SLOWER;
	}
	print_message("# unequal processes: %.1f %% wrong\n", 100.0 * (double)wrong / TRIALS);
	assert_true(wrong <= percent(3));
}

/* After `more` further rounds most are decided. */
static void more_rounds_decide(void **state)
{
	static const double ratios[] = { 1, 1.03, 1.05 };
	random_state r;

	(void)state;
	random_seed(&r, 31);
	for (size_t k = 0; k < 3; k++) {
		size_t asked = 0, decided = 0;

		for (int trial = 0; trial < TRIALS; trial++) {
			lockstep_ratio x;
			size_t n;
			sides s;

			sides_draw(&s, &r, 2, ROUNDS, (truth){ ratios[k], 0.03, 0 });
			s.executions[0][0].count = s.executions[0][1].count = 10;
			x = lockstep_compare(&s.a, &s.b, usual);
			n = 10 + (x.more + 1) / 2;
			if (x.more == 0 || n > ROUNDS)
				continue;
			s.executions[0][0].count = s.executions[0][1].count = n;
			asked++;
			decided += lockstep_compare(&s.a, &s.b, usual).decision != DECISION_OPEN;
		}
		print_message("# ratio %.3g: %zu asked for more rounds, %zu decided by them\n", ratios[k],
		              asked, decided);
		assert_true(asked > percent(5) && decided >= asked * 35 / 100);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(plain_functions_are_right),
		cmocka_unit_test(students_distribution_is_the_tables),
		cmocka_unit_test(values_of_rounds_are_quantiles),
		cmocka_unit_test(decisions_follow_the_rule),
		cmocka_unit_test(nothing_shared_has_no_ratio),
		cmocka_unit_test(an_execution_with_two_shared_rounds_is_left_out),
		cmocka_unit_test(equal_values_are_equivalent),
		cmocka_unit_test(few_rounds_say_how_many_are_needed),
		cmocka_unit_test(huge_ratios_are_decided),
		cmocka_unit_test(a_difference_of_one_execution_is_none),
		cmocka_unit_test(processes_far_apart_show_no_difference),
		cmocka_unit_test(one_execution_alone_shows_little),
		cmocka_unit_test(exchanged_sides_mirror),
		cmocka_unit_test(intervals_cover),
		cmocka_unit_test(equal_sides_get_few_false_verdicts),
		cmocka_unit_test(processes_far_apart_err_more),
		cmocka_unit_test(planted_differences_are_found),
		cmocka_unit_test(looks_share_the_error),
		cmocka_unit_test(processes_of_unequal_length_show_no_difference),
		cmocka_unit_test(more_rounds_decide),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
