/* SPDX-License-Identifier: Apache-2.0 */
/* The contract on the golden results: real rules on whole records, and the comparison itself.  That
 * every rule fires where it must, and only there, is tried by test_contract_corpus.c. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "contract/condition.h"
#include "golden.h"

#define LIKE(a, b) (strcmp((a), (b)) == 0)

/* Edits of one side, "PATH=JSON" each, NULL-terminated; then digests are made right. */
typedef const char *edits[8];

static result *read_variant(const char *name, const char *const *changes)
{
	char *path = golden_path(name);
	char *copy = golden_scratch("variant.json");
	eh_error error = ERROR_INIT;
	cJSON *root = NULL;
	result *r = NULL;

	assert_int_equal(json_read(path, &root, NULL), EH_OK);
	for (size_t i = 0; changes != NULL && changes[i] != NULL; i++) {
		char *at = memory_text(changes[i]);
		char *equals = strchr(at, '=');

		*equals = '\0';
		golden_set(root, at, equals + 1);
		/* The plan says the same of a case as the row. */
		if (strncmp(at, "cases/", 6) == 0 && strstr(at, "executions") == NULL) {
			char *plan = memory_format("protocol/canonical/%s", at);

			golden_set(root, plan, equals + 1);
			free(plan);
		}
		free(at);
	}
	golden_reseal(root, true);
	assert_int_equal(golden_write(root, copy), EH_OK);
	cJSON_Delete(root);
	if (result_read(copy, &r, &error) != EH_OK)
		fail_msg("%s", error.message);
	free(copy);
	free(path);
	return r;
}

static const comparison_row *row_of(const comparison *c, const char *id)
{
	for (size_t i = 0; i < c->cases.count; i++)
		if (LIKE(c->cases.items[i].id, id))
			return &c->cases.items[i];
	return NULL;
}

/* ---- one pair per rule ----------------------------------------------------------------------- */

typedef struct expectation {
	const char *rule;
	const char *other;   /* the golden result on the other side                         */
	const char *row;     /* NULL: a rule about results                                  */
	enum comparison_verdict verdict; /* of the row `row`, or of triad                   */
	edits change;
} expectation;

#define GCC "host-gcc-12.json"
#define CLANG "host-clang-14.json"
#define POCL "opencl-pocl-0.json"
#define TRIAD "triad.f32.64MiB"
#define MADE_COMPATIBLE "protocol/canonical/compatible=[\"golden@1\"]"

static const expectation expectations[] = {
	{ "same-result", GCC, NULL, VERDICT_EQUIVALENT, { NULL } },
	{ "protocol-same", CLANG, NULL, VERDICT_FASTER, { NULL } },
	{ "protocol-compatible", CLANG, NULL, VERDICT_FASTER, { MADE_COMPATIBLE, NULL } },
	{ "protocol-differs", CLANG, NULL, VERDICT_NOT_COMPARABLE,
	  { "protocol/canonical/intent=\"other\"", NULL } },
	{ "data-seed", CLANG, NULL, VERDICT_NOT_COMPARABLE,
	  { MADE_COMPATIBLE, "protocol/canonical/seed=43", "run/seed=43",
	    "protocol/text=\"[protocol]\\nname = golden\\nversion = 1\\n\"", NULL } },
	{ "simulated", CLANG, NULL, VERDICT_NOT_COMPARABLE, { "executor/simulated=true", NULL } },
	{ "harness-major", CLANG, NULL, VERDICT_NOT_COMPARABLE,
	  { "harness/version=\"1.0.0\"", NULL } },
	{ "plugin-abi", CLANG, NULL, VERDICT_FASTER, { "harness/abi=\"1.1\"", NULL } },
	{ "dirty-build", CLANG, NULL, VERDICT_FASTER, { "harness/dirty=true", NULL } },
	{ "incomplete", CLANG, NULL, VERDICT_FASTER, { "status=\"incomplete\"", NULL } },
	{ "deviations", CLANG, NULL, VERDICT_FASTER, { "protocol/deviations=[\"fewer\"]", NULL } },
	{ "executor-undisclosed", CLANG, NULL, VERDICT_FASTER, { "executor/device={}", NULL } },
	{ "device-partition", CLANG, NULL, VERDICT_FASTER, { "executor/device/compute_units=1", NULL } },
	{ "virtual-machine", CLANG, NULL, VERDICT_FASTER,
	  { "executor/layers/5/fields/virtualization/value=\"kvm\"", NULL } },
	{ "container", CLANG, NULL, VERDICT_FASTER,
	  { "executor/layers/5/fields/container/value=\"docker\"", NULL } },
	{ "ecc", CLANG, NULL, VERDICT_FASTER,
	  { "executor/layers/0/fields/ecc={\"value\":\"on\",\"source\":\"queried\"}", NULL } },
	{ "layers-differ", CLANG, NULL, VERDICT_FASTER, { NULL } },
	{ "not-run", POCL, "fma.f32", VERDICT_ABSENT, { NULL } },
	{ "status-failed", CLANG, "xfer.h2d.4KiB", VERDICT_NOT_COMPARABLE, { NULL } },
	{ "status-invalid", POCL, "gemm.f32.256", VERDICT_NOT_COMPARABLE, { NULL } },
	{ "verification", CLANG, TRIAD, VERDICT_NOT_COMPARABLE,
	  { "cases/0/executions/1/verification/after/passed=false", NULL } },
	{ "verification", CLANG, TRIAD, VERDICT_NOT_COMPARABLE,
	  { "cases/0/executions/1/verification={}", NULL } },
	{ "verification", CLANG, TRIAD, VERDICT_NOT_COMPARABLE,
	  { "cases/0/executions/4/verification/during_failed=1", NULL } },
	{ "workload", CLANG, TRIAD, VERDICT_NOT_COMPARABLE,
	  { MADE_COMPATIBLE, "cases/0/revision=2", NULL } },
	{ "size", CLANG, TRIAD, VERDICT_NOT_COMPARABLE,
	  { MADE_COMPATIBLE, "cases/0/parameters/bytes=\"32MiB\"", NULL } },
	{ "size", CLANG, TRIAD, VERDICT_NOT_COMPARABLE,
	  { MADE_COMPATIBLE, "cases/0/parameters/more=\"1\"", NULL } },
	{ "size", CLANG, TRIAD, VERDICT_NOT_COMPARABLE,
	  { MADE_COMPATIBLE, "cases/0/work/amount=5", NULL } },
	{ "precision", CLANG, TRIAD, VERDICT_NOT_COMPARABLE,
	  { MADE_COMPATIBLE, "cases/0/precision=\"f16\"", NULL } },
	{ "metric", CLANG, TRIAD, VERDICT_NOT_COMPARABLE,
	  { MADE_COMPATIBLE, "cases/0/work/metric=\"flop/s\"", NULL } },
	{ "timed-region", CLANG, TRIAD, VERDICT_NOT_COMPARABLE,
	  { MADE_COMPATIBLE, "cases/0/work/region=\"enqueue\"", NULL } },
	{ "cache-state", CLANG, TRIAD, VERDICT_NOT_COMPARABLE,
	  { MADE_COMPATIBLE, "cases/0/measure/cache=\"cold\"", NULL } },
	{ "regime", CLANG, TRIAD, VERDICT_NOT_COMPARABLE,
	  { MADE_COMPATIBLE, "cases/0/measure/regime=\"sustained\"", NULL } },
	{ "clock", POCL, TRIAD, VERDICT_SLOWER, { NULL } },
	{ "clock-bias", POCL, TRIAD, VERDICT_SLOWER, { NULL } },
	{ "clock-mixed", POCL, TRIAD, VERDICT_SLOWER, { "cases/0/executions/1/clock=\"host\"", NULL } },
	{ "zero-time", CLANG, TRIAD, VERDICT_NOT_COMPARABLE,
	  { "cases/0/executions/0/samples_ns=[0,0,0,0,0,0,0,0]",
	    "cases/0/executions/1/samples_ns=[0,0,0,0,0,0,0,0]",
	    "cases/0/executions/2/samples_ns=[0,0,0,0,0,0,0,0]",
	    "cases/0/executions/0/status=\"not-converged\"", "cases/0/executions/1/status=\"not-converged\"",
	    "cases/0/executions/2/status=\"not-converged\"", NULL } },
	{ "tier", CLANG, TRIAD, VERDICT_NOT_COMPARABLE,
	  { MADE_COMPATIBLE, "cases/0/tier=\"vendor\"", NULL } },
	{ "tuning-budget", CLANG, "gemm.f32.256.tuned", VERDICT_NOT_COMPARABLE,
	  { "cases/5/executions/3/tuning/budget_ns=7", "cases/5/executions/4/tuning/budget_ns=7", NULL } },
	{ "sampling", CLANG, TRIAD, VERDICT_FASTER,
	  { MADE_COMPATIBLE, "cases/0/measure/samples_max=65", NULL } },
	{ "not-converged", POCL, "dot.f32.64MiB", VERDICT_SLOWER, { NULL } },
	{ "not-converged-sustained", CLANG, TRIAD, VERDICT_NOT_COMPARABLE,
	  { "cases/0/measure/regime=\"sustained\"", "cases/0/executions/1/status=\"not-converged\"",
	    NULL } },
	{ "few-executions", CLANG, TRIAD, VERDICT_ABSENT, { NULL } },
	{ "canary-drift", POCL, "dot.f32.64MiB", VERDICT_SLOWER, { NULL } },
	{ "flags", POCL, "dot.f32.64MiB", VERDICT_SLOWER, { NULL } },
};
#define EXPECTATIONS (sizeof(expectations) / sizeof(expectations[0]))

/* Rules that the table above cannot reach with one edited side are tried on their own below. */
static bool tried_below(const char *rule)
{
	return LIKE(rule, "clock-bias") || LIKE(rule, "few-executions") ||
	       LIKE(rule, "not-converged-sustained");
}

static void each_rule_fires(void **state)
{
	result *base = read_variant(GCC, NULL);

	(void)state;
	for (size_t i = 0; i < EXPECTATIONS; i++) {
		const expectation *e = &expectations[i];
		result *other;
		comparison *c;
		const comparison_row *row;
		bool fired;

		if (tried_below(e->rule))
			continue;
		other = read_variant(e->other, e->change);
		c = contract_compare(base, other, 0);
		row = row_of(c, e->row != NULL ? e->row : TRIAD);
		fired = e->row != NULL ? contract_cites(&row->reasons, e->rule) :
		                         contract_cites(&c->reasons, e->rule);
		if (!fired || row->verdict != e->verdict)
			fail_msg("%s (%zu): %s, verdict %s", e->rule, i, fired ? "fired" : "silent",
			         comparison_verdict_word(row->verdict));
		comparison_free(c);
		/* Most rules look at both sides alike. */
		c = contract_compare(other, base, 0);
		row = row_of(c, e->row != NULL ? e->row : TRIAD);
		fired = e->row != NULL ? contract_cites(&row->reasons, e->rule) :
		                         contract_cites(&c->reasons, e->rule);
		if (!fired)
			fail_msg("%s (%zu): silent the other way round", e->rule, i);
		comparison_free(c);
		result_free(other);
	}
	result_free(base);
}

static void a_clean_pair_has_no_caveat(void **state)
{
	result *a = read_variant(GCC, NULL);
	result *b = read_variant(CLANG, NULL);
	comparison *c = contract_compare(a, b, 0);

	(void)state;
	assert_int_equal(c->level, CONTRACT_COMPARABLE);
	for (size_t i = 0; i < c->cases.count; i++)
		if (!LIKE(c->cases.items[i].id, "xfer.h2d.4KiB"))
			assert_int_equal(c->cases.items[i].reasons.count, 0);
	assert_int_equal(comparison_count(c, VERDICT_FASTER), 7);
	comparison_free(c);
	result_free(a);
	result_free(b);
}

/* ---- settings -------------------------------------------------------------------------------- */

#define SETTING(at, name, value, by) "executor/layers/" at "={\"layer\":\"configuration\",\"name\":\"" name \
	"\",\"source\":\"measured\",\"fields\":{\"value\":{\"value\":\"" value "\",\"source\":\"measured\"}," \
	"\"read-by\":{\"value\":\"" by "\",\"source\":\"measured\"}}}"

/* The detail of layers-differ, "" where it does not fire. */
static char *differences(const char *const *on_a, const char *const *on_b)
{
	result *a = read_variant(GCC, on_a), *b = read_variant(GCC, on_b);
	comparison *c = contract_compare(a, b, 0);
	char *found = memory_text("");

	for (size_t i = 0; i < c->reasons.count; i++)
		if (LIKE(c->reasons.items[i].rule, "layers-differ"))
			text_set(&found, c->reasons.items[i].detail);
	comparison_free(c);
	result_free(b);
	result_free(a);
	return found;
}

/* Paired by name, whoever reads them; a setting that the other side would not read is said to be so. */
static void settings_differ(void **state)
{
	static const struct { edits a, b; const char *detail; } tried[] = {
		{ { SETTING("1", "X", "1", "libc.so.6") }, { SETTING("1", "X", "1", "libm.so.6, libc.so.6") }, "" },
		{ { SETTING("1", "X", "1", "libc.so.6") }, { SETTING("1", "X", "2", "libc.so.6") },
		  "1: configuration X 1 | 2" },
		{ { SETTING("1", "X", "1", "libc.so.6"), SETTING("5", "Y", "1", "libc.so.6") },
		  { SETTING("1", "Y", "1", "libc.so.6"), SETTING("5", "Z", "", "libz.so.1") },
		  "2: configuration X 1 | (not set); configuration Z (not read) | (empty)" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(tried) / sizeof(*tried); i++) {
		char *detail = differences(tried[i].a, tried[i].b);

		assert_string_equal(detail, tried[i].detail);
		free(detail);
	}
}

/* ---- what needs both sides changed ----------------------------------------------------------- */

static void few_executions_describe(void **state)
{
	result *a = read_variant(GCC, NULL);
	result *b;
	comparison *c;
	cJSON *root = NULL;
	char *path = golden_path(CLANG);
	char *copy = golden_scratch("four.json");
	const comparison_row *row;

	(void)state;
	assert_int_equal(json_read(path, &root, NULL), EH_OK);
	for (int i = 0; i < 8; i++)
		cJSON_DeleteItemFromArray(cJSON_GetObjectItemCaseSensitive(
		                                  cJSON_GetArrayItem(golden_at(root, "cases"), i),
		                                  "executions"), 4);
	golden_set(root, "run/executions/done", "4");
	golden_reseal(root, true);
	assert_int_equal(golden_write(root, copy), EH_OK);
	assert_int_equal(result_read(copy, &b, NULL), EH_OK);
	c = contract_compare(a, b, 0);
	row = row_of(c, TRIAD);
	assert_int_equal(row->verdict, VERDICT_DESCRIPTION);
	assert_int_equal(row->level, CONTRACT_DESCRIPTION);
	assert_true(contract_cites(&row->reasons, "few-executions"));
	assert_true(row->speedup > 1);
	assert_true(row->speedup_interval->low <= row->speedup);
	comparison_free(c);
	result_free(a);
	result_free(b);
	cJSON_Delete(root);
	free(path);
	free(copy);
}

static void clock_bias_refuses_short_samples(void **state)
{
	/* 9.4 ms by the host clock on gcc: ten times 1 ms is too much, ten times 0.9 ms is not. */
	static const char *const slow[] = { "instruments/2/launch_ns=1000000", NULL };
	static const char *const quick[] = { "instruments/2/launch_ns=900000", NULL };
	result *b = read_variant(POCL, NULL);
	result *a = read_variant(GCC, slow);
	comparison *c = contract_compare(a, b, 0);
	const comparison_row *row = row_of(c, TRIAD);

	(void)state;
	assert_true(contract_cites(&row->reasons, "clock-bias"));
	assert_int_equal(row->verdict, VERDICT_NOT_COMPARABLE);
	comparison_free(c);
	result_free(a);
	a = read_variant(GCC, quick);
	c = contract_compare(a, b, 0);
	row = row_of(c, TRIAD);
	assert_false(contract_cites(&row->reasons, "clock-bias"));
	assert_true(contract_cites(&row->reasons, "clock"));
	comparison_free(c);
	result_free(a);
	result_free(b);
}

static void sustained_must_converge(void **state)
{
	static const char *const steady[] = { "cases/0/measure/regime=\"sustained\"", NULL };
	static const char *const unsteady[] = { "cases/0/measure/regime=\"sustained\"",
		                                "cases/0/executions/1/status=\"not-converged\"", NULL };
	result *a = read_variant(GCC, steady);
	result *b = read_variant(CLANG, unsteady);
	comparison *c = contract_compare(a, b, 0);
	const comparison_row *row = row_of(c, TRIAD);

	(void)state;
	assert_true(contract_cites(&row->reasons, "not-converged-sustained"));
	assert_int_equal(row->verdict, VERDICT_NOT_COMPARABLE);
	comparison_free(c);
	result_free(a);
	result_free(b);
}

/* ---- the comparison itself ------------------------------------------------------------------- */

static void near(double a, double b)
{
	if (fabs(a - b) > 1e-12 * fabs(a))
		fail_msg("%.17g is not %.17g", a, b);
}

static void sides_exchanged_mirror(void **state)
{
	static const enum comparison_verdict mirror[] = {
		[VERDICT_FASTER] = VERDICT_SLOWER, [VERDICT_SLOWER] = VERDICT_FASTER,
		[VERDICT_EQUIVALENT] = VERDICT_EQUIVALENT,
		[VERDICT_INCONCLUSIVE] = VERDICT_INCONCLUSIVE,
		[VERDICT_DESCRIPTION] = VERDICT_DESCRIPTION,
		[VERDICT_NOT_COMPARABLE] = VERDICT_NOT_COMPARABLE, [VERDICT_ABSENT] = VERDICT_ABSENT
	};
	static const char *const names[] = { GCC, CLANG, POCL };

	(void)state;
	for (int i = 0; i < 3; i++) {
		result *a = read_variant(names[i], NULL);
		result *b = read_variant(names[(i + 1) % 3], NULL);
		comparison *ab = contract_compare(a, b, 0);
		comparison *ba = contract_compare(b, a, 0);

		assert_int_equal(ab->cases.count, ba->cases.count);
		for (size_t k = 0; k < ab->cases.count; k++) {
			const comparison_row *x = &ab->cases.items[k];
			const comparison_row *y = row_of(ba, x->id);

			assert_int_equal(y->verdict, mirror[x->verdict]);
			assert_true((x->baseline == NULL) == (y->other == NULL));
			if (!(x->speedup > 0))
				continue;
			near(x->baseline->median_ns, y->other->median_ns);
			near(x->speedup, 1 / y->speedup);
			near(x->speedup_interval->low, 1 / y->speedup_interval->high);
			near(x->speedup_interval->high, 1 / y->speedup_interval->low);
			near(x->speedup, x->baseline->median_ns / x->other->median_ns);
		}
		comparison_free(ab);
		comparison_free(ba);
		result_free(a);
		result_free(b);
	}
}

static void the_same_is_equivalent(void **state)
{
	static const char *const names[] = { GCC, CLANG, POCL };

	(void)state;
	for (int i = 0; i < 3; i++) {
		result *a = read_variant(names[i], NULL);
		comparison *c = contract_compare(a, a, 1e-9);

		assert_int_equal(comparison_count(c, VERDICT_FASTER) + comparison_count(c, VERDICT_SLOWER) +
		                 comparison_count(c, VERDICT_INCONCLUSIVE), 0);
		assert_true(comparison_count(c, VERDICT_EQUIVALENT) >= 6);
		comparison_free(c);
		result_free(a);
	}
}

/* 1.334, from 1.330 to 1.338. */
static void margins_decide(void **state)
{
	static const struct { double margin; enum comparison_verdict verdict; } rows[] = {
		{ 0.2, VERDICT_FASTER }, { 0.332, VERDICT_FASTER }, { 0.336, VERDICT_INCONCLUSIVE },
		{ 0.4, VERDICT_EQUIVALENT },
	};
	result *a = read_variant(GCC, NULL);
	result *b = read_variant(CLANG, NULL);
	comparison *c;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		c = contract_compare(a, b, rows[i].margin);
		assert_int_equal(row_of(c, TRIAD)->verdict, rows[i].verdict);
		near(row_of(c, TRIAD)->margin, rows[i].margin);
		comparison_free(c);
	}
	c = contract_compare(a, b, 0);
	near(row_of(c, TRIAD)->margin, 0.01);
	comparison_free(c);
	result_free(a);
	result_free(b);
}

/* What is printed says all that a reader of it needs: it reads back as the same comparison. */
static void the_json_is_the_comparison(void **state)
{
	static const char *const others[] = { CLANG, POCL };

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		result *a = read_variant(GCC, NULL);
		result *b = read_variant(others[i], NULL);
		comparison *c = contract_compare(a, b, 0);
		comparison *again = layout_new(comparison_layout());
		char *body = layout_text(comparison_layout(), c, true);
		eh_error error = ERROR_INIT;

		if (layout_read(comparison_layout(), body, strlen(body), "json", again, &error) != EH_OK)
			fail_msg("%s", error.message);
		assert_true(layout_same(comparison_layout(), c, again));
		assert_null(strstr(body, "quantile"));
		assert_null(again->cases.items[0].a);
		assert_int_equal(again->cases.count, c->cases.count);
		assert_string_equal(again->cases.items[0].cites.items[0], "protocol-same");
		free(body);
		comparison_free(again);
		comparison_free(c);
		result_free(a);
		result_free(b);
	}
}

/* A long time is a low rate. */
static void rates_turn_the_interval(void **state)
{
	result *a = read_variant(GCC, NULL);
	comparison *c = contract_compare(a, a, 0);
	const comparison_side *side = row_of(c, TRIAD)->baseline;
	double amount = a->record->cases.items[0].work.amount;

	(void)state;
	assert_int_equal(side->metric, RECORD_METRIC_BYTES);
	near(side->value, amount / side->median_ns * 1e9);
	near(side->value_interval->low, amount / side->interval_ns->high * 1e9);
	near(side->value_interval->high, amount / side->interval_ns->low * 1e9);
	comparison_free(c);
	result_free(a);
}

/* Latencies do not tell how much is done in a second. */
static void loads_are_told_as_times(void **state)
{
	static const char *const load[] = { "cases/0/measure/scenario=\"closed\"", NULL };
	static const char *const more[] = { MADE_COMPATIBLE, "cases/0/measure/scenario=\"closed\"",
		                            "cases/0/work/amount=5", NULL };
	result *a = read_variant(GCC, load);
	result *b = read_variant(CLANG, load);
	result *other = read_variant(CLANG, more);
	comparison *c = contract_compare(a, b, 0);
	comparison *d = contract_compare(a, other, 0);
	const comparison_row *row = row_of(c, TRIAD);

	(void)state;
	assert_int_equal(row->verdict, VERDICT_FASTER);
	assert_int_equal(row->baseline->metric, RECORD_METRIC_SECONDS);
	assert_true(fabs(row->baseline->value - row->baseline->median_ns * 1e-9) < 1e-15);
	assert_true(isnan(a->record->cases.items[0].derived->rate));
	/* The work that is counted is compared all the same. */
	row = row_of(d, TRIAD);
	assert_true(contract_cites(&row->reasons, "size"));
	comparison_free(c);
	comparison_free(d);
	result_free(a);
	result_free(b);
	result_free(other);
}

static void add_open(comparison *c, const char *id, enum comparison_verdict verdict, double ratio,
                     double low, double high)
{
	comparison_row *row = layout_append(comparison_row_layout(), &c->cases);

	text_set(&row->id, id);
	row->verdict = verdict;
	row->speedup = ratio;
	row->speedup_interval = memory_get(sizeof(interval));
	*row->speedup_interval = (interval){ low, high };
	row->margin = 0.02;
}

static void open_cases_tell_what_decides_them(void **state)
{
	comparison *c = layout_new(comparison_layout());

	(void)state;
	add_open(c, "within", VERDICT_INCONCLUSIVE, 1, 1 / 1.04, 1.04);
	add_open(c, "beyond", VERDICT_INCONCLUSIVE, 1.05, 0.99, 1.1136);
	add_open(c, "edge", VERDICT_INCONCLUSIVE, 1.0199, 0.9, 1.15);
	add_open(c, "decided", VERDICT_FASTER, 1.3, 1.2, 1.4);
	open_fill(c);
	assert_true(fabs(c->cases.items[0].more - 3.92) < 0.01);
	assert_true(fabs(c->cases.items[1].more - 1.45) < 0.01);
	assert_true(isnan(c->cases.items[2].more));
	assert_true(isnan(c->cases.items[3].more));
	comparison_free(c);
}

static void kept_cases_are_counted_alone(void **state)
{
	comparison *c = layout_new(comparison_layout());
	text_list ids = { 0 };

	(void)state;
	add_open(c, "a", VERDICT_INCONCLUSIVE, 1, 0.9, 1.1);
	add_open(c, "b", VERDICT_FASTER, 1.3, 1.2, 1.4);
	add_open(c, "c", VERDICT_SLOWER, 0.5, 0.4, 0.6);
	text_list_add(&ids, "b");
	text_list_add(&ids, "nothing");
	comparison_keep(c, &ids);
	assert_int_equal(c->cases.count, 1);
	assert_string_equal(c->cases.items[0].id, "b");
	assert_int_equal(comparison_count(c, VERDICT_FASTER), 1);
	assert_int_equal(comparison_count(c, VERDICT_SLOWER), 0);
	assert_int_equal(comparison_count(c, VERDICT_INCONCLUSIVE), 0);
	text_list_clear(&ids);
	comparison_free(c);
}

/* The exit code of a comparison that has one case of each of these verdicts. */
static int code_of(unsigned fail_on, const enum comparison_verdict *verdicts)
{
	comparison_list all = { 0 };
	comparison *c = layout_append(comparison_layout(), &all);
	int code;

	for (; *verdicts != comparison_verdict_absent; verdicts++)
		number_map_add(&c->counts, comparison_verdict_word(*verdicts), 1);
	code = comparison_exit_code(&all, fail_on);
	layout_list_clear(comparison_layout(), &all);
	return code;
}

static void codes_say_what_happened(void **state)
{
#define CODE(fail, ...) code_of(fail, (const enum comparison_verdict[]){ __VA_ARGS__ __VA_OPT__(,) 0 })
	(void)state;
	assert_int_equal(CODE(0), EXIT_CODE_NOT_COMPARABLE);
	assert_int_equal(CODE(0, VERDICT_NOT_COMPARABLE), EXIT_CODE_NOT_COMPARABLE);
	assert_int_equal(CODE(0, VERDICT_SLOWER, VERDICT_NOT_COMPARABLE, VERDICT_INCONCLUSIVE),
	                 EXIT_CODE_OK);
	assert_int_equal(CODE(COMPARISON_SLOWER, VERDICT_FASTER, VERDICT_EQUIVALENT), EXIT_CODE_OK);
	assert_int_equal(CODE(COMPARISON_SLOWER, VERDICT_SLOWER), EXIT_CODE_NEGATIVE);
	assert_int_equal(CODE(COMPARISON_FASTER, VERDICT_FASTER), EXIT_CODE_NEGATIVE);
	assert_int_equal(CODE(COMPARISON_OPEN, VERDICT_EQUIVALENT), EXIT_CODE_OK);
	assert_int_equal(CODE(COMPARISON_OPEN, VERDICT_DESCRIPTION), EXIT_CODE_INCONCLUSIVE);
	assert_int_equal(CODE(COMPARISON_OPEN, VERDICT_INCONCLUSIVE), EXIT_CODE_INCONCLUSIVE);
	assert_int_equal(CODE(COMPARISON_NOT_MEASURED, VERDICT_EQUIVALENT, VERDICT_ABSENT),
	                 EXIT_CODE_NOT_COMPARABLE);
	assert_int_equal(CODE(COMPARISON_NOT_MEASURED | COMPARISON_OPEN, VERDICT_INCONCLUSIVE,
	                      VERDICT_NOT_COMPARABLE), EXIT_CODE_NOT_COMPARABLE);
	assert_int_equal(CODE(COMPARISON_NOT_MEASURED | COMPARISON_SLOWER, VERDICT_SLOWER,
	                      VERDICT_NOT_COMPARABLE), EXIT_CODE_NEGATIVE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_rule_fires),
		cmocka_unit_test(a_clean_pair_has_no_caveat),
		cmocka_unit_test(settings_differ),
		cmocka_unit_test(few_executions_describe),
		cmocka_unit_test(clock_bias_refuses_short_samples),
		cmocka_unit_test(sustained_must_converge),
		cmocka_unit_test(sides_exchanged_mirror),
		cmocka_unit_test(the_same_is_equivalent),
		cmocka_unit_test(margins_decide),
		cmocka_unit_test(the_json_is_the_comparison),
		cmocka_unit_test(rates_turn_the_interval),
		cmocka_unit_test(loads_are_told_as_times),
		cmocka_unit_test(open_cases_tell_what_decides_them),
		cmocka_unit_test(kept_cases_are_counted_alone),
		cmocka_unit_test(codes_say_what_happened),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
