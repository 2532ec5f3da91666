/* SPDX-License-Identifier: Apache-2.0 */
/* Contradictions that persist, and those that chance explains. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/random.h"
#include "stat/settle.h"

enum { MOST = SETTLE_MOST, ROWS = 20000 };

typedef struct pairs {
	uint64_t first[MOST], second[MOST];
	size_t count;
} pairs;

static void add(pairs *p, uint64_t first, uint64_t second)
{
	p->first[p->count] = first;
	p->second[p->count++] = second;
}

static settle_verdict settle(const pairs *p, double limit)
{
	return settle_pairs(p->first, p->second, p->count, limit);
}

static void agreement_clears(void **state)
{
	pairs p = { .count = 0 };

	(void)state;
	assert_int_equal(settle(&p, SETTLE_CLAIM), SETTLE_OPEN);
	for (int i = 0; i < 4; i++) {
		add(&p, 1000, 2000); /* just half is no contradiction */
		assert_int_equal(settle(&p, SETTLE_CLAIM), SETTLE_OPEN);
	}
	add(&p, 1000, 1000);
	assert_int_equal(settle(&p, SETTLE_CLAIM), SETTLE_CLEARED);
	/* One contradiction takes more pairs. */
	p.count = 0;
	add(&p, 1000, 2001);
	for (int i = 0; i < 8; i++) {
		add(&p, 1000, 1000);
		assert_int_equal(settle(&p, SETTLE_CLAIM), i < 7 ? SETTLE_OPEN : SETTLE_CLEARED);
	}
	/* Long ones need no more than a few. */
	p.count = 0;
	add(&p, SETTLE_LONG_NS, SETTLE_LONG_NS);
	assert_int_equal(settle(&p, SETTLE_CLAIM), SETTLE_CLEARED);
}

static void contradiction_confirms(void **state)
{
	pairs p = { .count = 0 };

	(void)state;
	for (int i = 0; i < 20; i++) {
		assert_int_equal(settle(&p, SETTLE_WAIT), SETTLE_OPEN);
		add(&p, 7999, 10000);
	}
	assert_int_equal(settle(&p, SETTLE_WAIT), SETTLE_CONFIRMED);
	/* What the scheduler does not explain takes three. */
	p.count = 0;
	for (int i = 0; i < 3; i++) {
		assert_int_equal(settle(&p, SETTLE_CLAIM), SETTLE_OPEN);
		add(&p, 1000, 3 * SETTLE_LONG_NS);
	}
	assert_int_equal(settle(&p, SETTLE_CLAIM), SETTLE_CONFIRMED);
	/* Not as long as one of the disturbed times was as quick as it should be. */
	p.count = 0;
	add(&p, 1000, 1500);
	for (int i = 0; i < 40; i++)
		add(&p, 1000, 4000);
	assert_int_equal(settle(&p, SETTLE_CLAIM), SETTLE_OPEN);
}

/* A wake of 12 ms contradicts in a short pair, whatever is measured. */
static void short_pairs_show_nothing(void **state)
{
	const uint64_t wake = 12000000;

	(void)state;
	assert_true(settle_too_short(2000000, 2000000 + wake, SETTLE_WAIT));
	assert_true(settle_too_short(2000000, 2000000 + wake, SETTLE_CLAIM));
	/* Nor does it where work is just long enough to be decided by. */
	assert_false(settle_too_short(SETTLE_SHORT_NS - wake, SETTLE_SHORT_NS, SETTLE_WAIT));
	/* Agreement counts however short, and so does a long contradiction. */
	assert_false(settle_too_short(2000, 2000, SETTLE_WAIT));
	assert_false(settle_too_short(2000, SETTLE_SHORT_NS, SETTLE_WAIT));
}

/* How rows end whose pairs contradict with that chance; returns how many are confirmed. */
static unsigned rows_confirmed(bool lies, double chance, uint64_t seed, unsigned *cleared)
{
	unsigned confirmed = 0;
	random_state random;

	*cleared = 0;
	random_seed(&random, seed);
	for (int row = 0; row < ROWS; row++) {
		settle_verdict v = SETTLE_OPEN;
		pairs p = { .count = 0 };

		/* A disturbance makes an honest second time longer, or the first time of a lie. */
		while (v == SETTLE_OPEN && p.count < MOST) {
			bool against = random_unit(&random) < chance;

			add(&p, lies && !against ? 4000 : 1000, lies || against ? 4000 : 1000);
			v = settle(&p, SETTLE_CLAIM);
		}
		confirmed += v == SETTLE_CONFIRMED;
		*cleared += v == SETTLE_CLEARED;
	}
	return confirmed;
}

static void chance_decides_nothing(void **state)
{
	unsigned cleared;

	(void)state;
	/* Honest, and often disturbed: never confirmed, and cleared in the end. */
	assert_int_equal(rows_confirmed(false, 0.1, 1, &cleared), 0);
	assert_int_equal(cleared, ROWS);
	assert_int_equal(rows_confirmed(false, 0.3, 2, &cleared), 0);
	assert_true(cleared > ROWS * 95 / 100);
	assert_int_equal(rows_confirmed(false, 0.4, 3, &cleared), 0);
	assert_true(rows_confirmed(false, 0.5, 6, &cleared) <= 1);
	/* A lie that a disturbance hides in one of ten pairs is never cleared. */
	assert_true(rows_confirmed(true, 0.9, 4, &cleared) > ROWS * 95 / 100);
	assert_true(cleared <= ROWS / 1000);
	assert_int_equal(rows_confirmed(true, 1, 5, &cleared), ROWS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(agreement_clears),
		cmocka_unit_test(contradiction_confirms),
		cmocka_unit_test(short_pairs_show_nothing),
		cmocka_unit_test(chance_decides_nothing),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
