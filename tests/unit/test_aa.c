/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How often a comparison is wrong, on records whose samples are made with a known truth: A against A,
 * and with slowdowns planted.  Whole records go through reading, contract, margins and Holm's rule.
 * tests/stat/aa.sh does the same with real runs.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/random.h"
#include "contract/contract.h"
#include "golden.h"
#include "stat/noisefloor.h"

#define NEAR(a, b, band) assert_true(fabs((a) - (b)) <= (band))

static double normal(random_state *r)
{
	double sum = -6;

	for (int i = 0; i < 12; i++)
		sum += random_unit(r);
	return sum;
}

/* Relative standard deviations: from run to run, from execution to execution, and of samples, which
 * are skewed as times are. */
typedef struct noise { double runs, executions, samples; } noise;

static cJSON *golden_root;
enum { EXECUTIONS = 6 };

/* Further executions, as fewer prove nothing about eight cases. */
static void more_executions(cJSON *row)
{
	cJSON *all = golden_at(row, "executions");

	for (int n = cJSON_GetArraySize(all); n > 0 && n < EXECUTIONS; n++) {
		cJSON *copy = cJSON_Duplicate(cJSON_GetArrayItem(all, n - 1), true);

		json_set(copy, "execution", cJSON_CreateNumber(n + 1));
		cJSON_AddItemToArray(all, copy);
	}
}

/* A run of all cases, `slower` times as slow, on a machine of that noise. */
static result *made_run(random_state *r, noise n, double slower, double floor_share)
{
	char *path = golden_scratch("made.json");
	cJSON *root = cJSON_Duplicate(golden_root, true), *row;
	eh_error error = ERROR_INIT;
	result *out = NULL;
	double run = 1 + n.runs * normal(r);

	cJSON_ArrayForEach(row, json_path(root, "cases")) {
		cJSON *e;

		more_executions(row);
		cJSON_ArrayForEach(e, json_path(row, "executions")) {
			double execution = run * (1 + n.executions * normal(r)) * slower;
			uint64_t samples[30], batch = 1;
			double operation = 1e6; /* about what the proof says it takes */

			(void)json_uint(e, "batch", &batch);
			(void)json_double(json_path(e, "proof"), "ns_per_operation", &operation);
			for (size_t i = 0; i < 30; i++)
				samples[i] = (uint64_t)(operation * (double)batch * execution * exp(n.samples * normal(r)));
			cJSON_DeleteItemFromObjectCaseSensitive(e, "samples_ns");
			cJSON_DeleteItemFromObjectCaseSensitive(e, "host_ns");
			json_add_uints(e, "samples_ns", samples, 30);
		}
	}
	json_set(golden_at(root, "run/executions"), "done", cJSON_CreateNumber(EXECUTIONS));
	if (floor_share > 0) {
		char *body = memory_format("{\"measured_at\":\"2026-01-01T00:00:00Z\",\"pairs\":10,"
		                           "\"classes\":{\"stream\":%.17g}}", floor_share);

		golden_set(root, "run/noise_floor", body);
		free(body);
	}
	golden_relax(root);
	golden_reseal(root, true);
	assert_int_equal(golden_write(root, path), EH_OK);
	cJSON_Delete(root);
	if (result_read(path, &out, &error) != EH_OK)
		fail_msg("%s", error.message);
	free(path);
	return out;
}

typedef struct counts { size_t rows, slower, faster, cited; double ratios[64]; size_t pairs; } counts;

static counts compare_pairs(uint64_t seed, size_t pairs, noise n, double slower, double floor_share)
{
	counts all = { 0 };
	random_state r;

	random_seed(&r, seed);
	for (size_t i = 0; i < pairs; i++) {
		result *a = made_run(&r, n, 1, floor_share);
		result *b = made_run(&r, n, slower, floor_share);
		comparison *c = contract_compare(a, b, 0);

		for (size_t k = 0; k < c->cases.count; k++) {
			const comparison_row *row = &c->cases.items[k];

			for (size_t q = 0; !(row->speedup > 0) && q < row->reasons.count; q++)
				if (row->reasons.items[q].level == CONTRACT_REFUSED)
					print_message("# %s: %s %s\n", row->id, row->reasons.items[q].rule,
					              row->reasons.items[q].detail);
			if (!(row->speedup > 0))
				continue;
			all.rows++;
			all.slower += row->verdict == VERDICT_SLOWER;
			all.faster += row->verdict == VERDICT_FASTER;
			all.cited += contract_cites(&row->reasons, "noise-floor");
		}
		if (c->cases.count > 0 && all.pairs < 64)
			all.ratios[all.pairs++] = c->cases.items[0].speedup;
		comparison_free(c);
		result_free(a);
		result_free(b);
	}
	print_message("# runs %.1f %%, executions %.1f %%, samples %.1f %%, slower by %.0f %%, floor %.2f %%: "
	              "%zu SLOWER, %zu FASTER of %zu\n", n.runs * 100, n.executions * 100,
	              n.samples * 100, (slower - 1) * 100, floor_share * 100, all.slower, all.faster,
	              all.rows);
	assert_int_equal(all.rows, pairs * (size_t)cJSON_GetArraySize(json_path(golden_root, "cases")));
	return all;
}

static const noise quiet = { 0, 0.003, 0.01 };

static void seldom_wrong(void **state)
{
	counts all = compare_pairs(1, 40, quiet, 1, 0);

	(void)state;
	assert_true((double)(all.slower + all.faster) <= 0.01 * (double)all.rows);
	/* Executions that differ a lot make wide intervals, no verdicts. */
	all = compare_pairs(2, 40, (noise){ 0, 0.03, 0.02 }, 1, 0);
	assert_true((double)(all.slower + all.faster) <= 0.01 * (double)all.rows);
}

static void finds_slowdowns(void **state)
{
	counts all = compare_pairs(3, 20, quiet, 1.03, 0);

	(void)state;
	assert_true((double)all.slower >= 0.9 * (double)all.rows);
	assert_int_equal(all.faster, 0);
	all = compare_pairs(4, 20, quiet, 1.10, 0);
	assert_int_equal(all.slower, all.rows);
}

/* Where runs differ as wholes, no interval made within a run can know it: the floor does. */
static void floor_against_runs_that_differ(void **state)
{
	const noise drifting = { 0.02, 0.003, 0.01 };
	counts without = compare_pairs(5, 20, drifting, 1, 0);
	double share = noisefloor_of(without.ratios, 10);
	counts with;

	(void)state;
	assert_true((double)(without.slower + without.faster) > 0.1 * (double)without.rows);
	with = compare_pairs(6, 20, drifting, 1, share);
	assert_true((double)(with.slower + with.faster) <= 0.01 * (double)with.rows);
	assert_true(with.cited > 0);
	with = compare_pairs(7, 10, drifting, 1.25, share);
	assert_true((double)with.slower >= 0.9 * (double)with.rows);
}

/* ---- the floor itself ------------------------------------------------------------------------ */

static void distances(void **state)
{
	double up[NOISEFLOOR_FREE], down[NOISEFLOOR_FREE];

	(void)state;
	for (size_t i = 0; i < NOISEFLOOR_FREE; i++) {
		up[i] = 1.02;
		down[i] = 1 / 1.02;
	}
	NEAR(noisefloor_of(up, NOISEFLOOR_FREE), 0.02, 1e-12);
	NEAR(noisefloor_of(down, NOISEFLOOR_FREE), 0.02, 1e-12);
}

static void bounds(void **state)
{
	double ratios[100];

	(void)state;
	for (size_t i = 0; i < 100; i++)
		ratios[i] = i % 2 == 0 ? 1.01 : 1 / 1.01;
	/* 1.96 * sqrt(n / chi-squared(n; 5 %)) of tables: 3: 5.72, 10: 3.12, 20: 2.66. */
	NEAR(noisefloor_of(ratios, 10), 0.0312, 0.0002);
	NEAR(noisefloor_of(ratios, 20), 0.0266, 0.0002);
	assert_true(noisefloor_of(ratios, 3) >= 0.0572);
	assert_true(noisefloor_of(ratios, 3) <= 0.0620);
	NEAR(noisefloor_of(ratios, 59), 0.01, 1e-12);
	/* One outlier of few is the floor; of many it is not. */
	ratios[2] = 1.5;
	NEAR(noisefloor_of(ratios, 10), 0.5, 0.05);
	assert_true(noisefloor_of(ratios, 10) >= 0.5);
	NEAR(noisefloor_of(ratios, 59), 0.5, 1e-12);
	NEAR(noisefloor_of(ratios, 100), 0.01, 1e-12);
	for (size_t i = 0; i < 100; i++)
		ratios[i] = 1;
	NEAR(noisefloor_of(ratios, 10), 0, 0);
}

/* Of 1,000 executors calibrated, 95 % get a floor that 95 % of their pairs stay within. */
static void keeps_its_promise(void **state)
{
	static const size_t pairs[] = { 3, 10, 30, 59, 100 };
	random_state r;

	(void)state;
	random_seed(&r, 9);
	for (size_t p = 0; p < sizeof(pairs) / sizeof(pairs[0]); p++) {
		size_t kept = 0;

		for (size_t t = 0; t < 1000; t++) {
			double ratios[100];

			for (size_t i = 0; i < pairs[p]; i++)
				ratios[i] = exp(0.01 * normal(&r));
			kept += noisefloor_of(ratios, pairs[p]) >= exp(0.0196) - 1;
		}
		print_message("# %zu pairs: %zu of 1000\n", pairs[p], kept);
		assert_in_range(kept, 935, 1000);
	}
}

static int read_golden(void **state)
{
	char *path = golden_path("host-gcc-12.json");
	int status = json_read(path, &golden_root, NULL) == EH_OK ? 0 : -1;

	(void)state;
	free(path);
	return status;
}

static int drop_golden(void **state)
{
	(void)state;
	cJSON_Delete(golden_root);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(seldom_wrong),
		cmocka_unit_test(finds_slowdowns),
		cmocka_unit_test(floor_against_runs_that_differ),
		cmocka_unit_test(distances),
		cmocka_unit_test(bounds),
		cmocka_unit_test(keeps_its_promise),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, read_golden, drop_golden);
}
