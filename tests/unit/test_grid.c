/* SPDX-License-Identifier: Apache-2.0 */
/* What compare prints: one grid of 80 columns, from comparisons that are made by hand. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "grid_world.h"
#include "report/figure.h"
#include "report/grid.h"
#include "report/labels.h"
#include "report/report.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const char *const demo_names[] = { "host:gcc-12", "host:clang-14", "host:clang-15",
	                                  "host:clang-19", "opencl:pocl-0", "opencl:rusticl-0" };
static const char *const demo_ids[] = { "copy.f32.16MiB", "triad.f32.16MiB", "triad.f64.16MiB",
	                                "dot.f32.16MiB", "launch.round-trip", "xfer.h2d.pinned.16MiB",
	                                "fma.f32.rounds16", "fma.f64.rounds16", "gemm.f32.256" };

/* ---- helpers --------------------------------------------------------------------------------- */

static char *printed_as(world *w, enum grid_mode mode, bool (*print)(FILE *, const grid *))
{
	char *body = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&body, &size);
	grid g;

	grid_make(&g, w->comparisons.items, w->comparisons.count, mode);
	assert_true(print(out, &g));
	grid_clear(&g);
	fclose(out);
	return body;
}

static char *printed(world *w)
{
	return printed_as(w, GRID_AGAINST, grid_print);
}

static size_t lines_of(const char *body)
{
	size_t count = 0;

	for (; *body != '\0'; body++)
		count += *body == '\n';
	return count;
}

static size_t widest_of(const char *body)
{
	size_t widest = 0;

	while (*body != '\0') {
		char *line = memory_format("%.*s", (int)strcspn(body, "\n"), body);

		widest = table_width(line) > widest ? table_width(line) : widest;
		body += strlen(line) + 1;
		free(line);
	}
	return widest;
}

static bool has(const char *body, const char *words)
{
	bool found = strstr(body, words) != NULL;

	if (!found)
		fprintf(stderr, "no '%s' in:\n%s", words, body);
	return found;
}

/* ---- numbers --------------------------------------------------------------------------------- */

static void value_is(double center, double low, double high, const char *number, const char *unit)
{
	char n[FIGURE_SIZE], u[FIGURE_SIZE];

	figure_value(center, (interval){ low, high }, "B/s", n, u);
	assert_string_equal(n, number);
	assert_string_equal(u, unit);
}

static void digits_are_no_finer_than_the_interval(void **state)
{
	(void)state;
	value_is(41.234e9, 41.2e9, 41.27e9, "41.23", "GB/s");
	value_is(41.234e9, 41.1e9, 41.4e9, "41.2", "GB/s");
	value_is(41.234e9, 40e9, 43e9, "41", "GB/s");
	value_is(226.4e9, 220e9, 240e9, "230", "GB/s");
	value_is(226.4e9, 225e9, 228e9, "226", "GB/s");
	value_is(41.23456e9, 41.234e9, 41.235e9, "41.23", "GB/s");
	value_is(60, 60, 60, "60.0", "B/s");
	value_is(0, 0, 0, "0", "B/s");
}

static void times_is(double ratio, const char *words)
{
	char out[FIGURE_SIZE];

	figure_times(ratio, out);
	assert_string_equal(out, words);
}

static void ratios_are_short(void **state)
{
	(void)state;
	times_is(1.314, "1.31x");
	times_is(0.0512, "0.05x");
	times_is(12.34, "12.3x");
	times_is(834.2, "834x");
	times_is(1 / 8347.0, "1/8350x");
	times_is(1 / 830.4, "1/830x");
	times_is(0.0201, "0.02x");
	times_is(1.004, "1.004x"); /* a verdict never looks like none */
	times_is(0.9996, "0.9996x");
}

static void range_is(double low, double high, const char *words)
{
	char out[FIGURE_SIZE];

	figure_range((interval){ low, high }, out);
	assert_string_equal(out, words);
}

static void ranges_are_rounded_outwards(void **state)
{
	(void)state;
	range_is(0.9712, 1.0388, ".97-1.04");
	range_is(0.98, 1.02, ".98-1.02");
	range_is(1.2, 1.3, "1.20-1.30");
	range_is(12.3, 14.1, "12-15");
	range_is(1 / 8000.0, 1 / 500.0, "1/8000-1/500");
	range_is(0, 0.5, ".00-.50");
	range_is(0, 0.001, ".00-.01");
}

static void half_is(double center, double low, double high, const char *number, const char *half)
{
	char n[FIGURE_SIZE], h[FIGURE_SIZE], u[FIGURE_SIZE];

	figure_half_width(center, (interval){ low, high }, "s", n, h, u);
	assert_string_equal(n, number);
	assert_string_equal(h, half);
}

static void half_widths_have_the_digits_of_the_value(void **state)
{
	(void)state;
	half_is(41.234, 40.8, 41.6, "41.2", "0.4");
	half_is(155, 95, 215, "155", "60");
	half_is(5.193, 5.186, 5.213, "5.19", "0.01");
	half_is(60, 60, 60, "60.0", "0");
	half_is(21.40001, 21.4, 21.40002, "21.40", "0.00");
}

/* ---- names ----------------------------------------------------------------------------------- */

static void cases_stand_in_columns(void **state)
{
	static const char *const want[] = { "copy   f32 16M", "triad  f32 16M", "triad  f64 16M",
		                            "dot    f32 16M", "launch", "xfer   h2d 16M", "fma    f32",
		                            "fma    f64", "gemm   f32 256" };
	static const char *const briefs[] = { "copy", "triad f32", "triad f64", "dot", "launch", "xfer",
		                              "fma f32", "fma f64", "gemm" };
	labels l;

	(void)state;
	labels_cases(&l, demo_ids, COUNT(demo_ids), 15);
	for (size_t i = 0; i < COUNT(want); i++) {
		assert_string_equal(l.full[i], want[i]);
		assert_string_equal(l.brief[i], briefs[i]);
	}
	labels_clear(&l);
	labels_cases(&l, demo_ids, COUNT(demo_ids), 40);
	assert_string_equal(l.full[5], "xfer   h2d        pinned   16M");
	assert_string_equal(l.full[6], "fma    f32        rounds16");
	labels_clear(&l);
}

static void labels_stay_unique(void **state)
{
	static const char *const ids[] = { "gemm.f32.256", "gemm.f32.256.tuned", "gemm.f32.512", "x",
		                           "near.copy.f32.16KiB", "near.copy.f32.16MiB" };
	labels l;

	(void)state;
	labels_cases(&l, ids, COUNT(ids), 1);
	for (size_t i = 0; i < COUNT(ids); i++)
		for (size_t k = 0; k < i; k++) {
			assert_string_not_equal(l.full[i], l.full[k]);
			if (i != 1 || k != 0)
				assert_string_not_equal(l.brief[i], l.brief[k]);
		}
	labels_clear(&l);
}

static void names_are(const char *const *names, size_t count, const char *const *briefs)
{
	static const char *const ids[] = { "copy" };
	world *w = world_new(names, count, ids, 1);
	labels l;

	labels_executors(&l, (const result *const *)w->results, count);
	for (size_t i = 0; i < count; i++)
		assert_string_equal(l.brief[i], briefs[i]);
	labels_clear(&l);
	world_free(w);
}

static void executors_are_short_and_unambiguous(void **state)
{
	static const char *const demo[] = { "gcc-12", "clang-14", "clang-15", "clang-19", "pocl", "rusticl" };
	static const char *const twice[] = { "opencl:pocl-0", "opencl:pocl-1", "cuda:0", "hip:0", "hip:1" };
	static const char *const twice_short[] = { "pocl-0", "pocl-1", "cuda", "hip:0", "hip:1" };
	static const char *const alike[] = { "host:gcc-12", "farm:gcc-12" };
	static const char *const longer[] = { "opencl:a-platform-of-a-vendor-with-a-name-0",
		                              "opencl:a-platform-of-a-vendor-with-a-name-1" };
	static const char *const longer_short[] = { "a-platf..ame-0", "a-platf..ame-1" };

	(void)state;
	names_are(demo_names, COUNT(demo_names), demo);
	names_are(twice, COUNT(twice), twice_short);
	names_are(alike, COUNT(alike), alike);
	names_are(longer, COUNT(longer), longer_short);
}

/* Results of one executor are told apart by their paths; by labels where the run gave them. */
static void results_of_one_executor_have_names(void **state)
{
	static const char *const names[] = { "host:gcc-12", "host:gcc-12" };
	static const char *const ids[] = { "copy" };
	world *w = world_new(names, 2, ids, 1);
	labels l;

	(void)state;
	text_set(&w->results[0]->path, "results/monday/host-gcc-12.json");
	text_set(&w->results[1]->path, "results/tuesday/host-gcc-12.json");
	labels_executors(&l, (const result *const *)w->results, 2);
	assert_string_equal(l.full[0], "monday");
	assert_string_equal(l.brief[1], "tuesday");
	labels_clear(&l);
	text_set(&w->results[0]->path, "before.json");
	text_set(&w->results[1]->path, "after.json");
	labels_executors(&l, (const result *const *)w->results, 2);
	assert_string_equal(l.brief[0], "before");
	assert_string_equal(l.brief[1], "after");
	labels_clear(&l);
	text_set(&w->results[1]->path, "before.json");
	labels_executors(&l, (const result *const *)w->results, 2);
	assert_string_not_equal(l.brief[0], l.brief[1]);
	labels_clear(&l);
	text_set(&w->results[0]->record->run.label, "host:gcc-12#1");
	text_set(&w->results[1]->record->run.label, "host:gcc-12#2");
	labels_executors(&l, (const result *const *)w->results, 2);
	assert_string_equal(l.brief[1], "gcc-12#2");
	labels_clear(&l);
	world_free(w);
}

/* ---- the grid -------------------------------------------------------------------------------- */

/* Six executors and nine cases with one of everything. */
static world *demo(void)
{
	world *w = world_new(demo_names, COUNT(demo_names), demo_ids, COUNT(demo_ids));

	world_compare(w);
	for (size_t i = 0; i < COUNT(demo_ids); i++) {
		world_set(w, 4, i, VERDICT_SLOWER, 0.052, 0.05, 0.054);
		for (size_t k = 0; k < 5; k++)
			world_reason(&world_row(w, k, i)->reasons, "canary-drift", CONTRACT_CAVEAT,
			             "The canary moved.", "");
	}
	world_set(w, 0, 0, VERDICT_FASTER, 1.314, 1.3, 1.33);
	world_set(w, 3, 0, VERDICT_SLOWER, 0.741, 0.73, 0.75);
	world_set(w, 3, 4, VERDICT_SLOWER, 1 / 830.0, 1 / 900.0, 1 / 800.0);
	world_set(w, 4, 4, VERDICT_SLOWER, 1 / 8350.0, 1 / 9000.0, 1 / 8000.0);
	world_set(w, 1, 8, VERDICT_INCONCLUSIVE, 1.008, 0.9712, 1.0388);
	world_row(w, 1, 8)->more = 4.5;
	world_break(w, 2, 8, RECORD_INVALID, "The output was wrong: 3 of 262,144 values differ.");
	world_break(w, 4, 2, RECORD_UNSUPPORTED, "The device does not offer double precision.");
	world_break(w, 4, 7, RECORD_UNSUPPORTED, "The device does not offer double precision.");
	w->results[5]->record->executor.device.caps.count = 0;
	w->results[1]->record->cases.items[0].derived = layout_new(record_derived_layout());
	w->results[1]->record->cases.items[0].derived->canary_drift = 1.1;
	return w;
}

static void the_demo_fits_a_screen(void **state)
{
	static const char want[] =
		"quick@1 on 6 executors of one machine, in sequence: 58 s, 10 executions\n"
		"                host:gcc-12  clang-14   clang-15  clang-19    pocl  rusticl\n"
		"copy   f32 16M  40.0 GB/s       1.31x          ~         ~   0.74x    0.05x\n"
		"triad  f32 16M  43.1                ~          ~         ~       ~    0.05x\n"
		"triad  f64 16M  46.2                ~          ~         ~       ~  no fp64\n"
		"dot    f32 16M  49.3                ~          ~         ~       ~    0.05x\n"
		"launch          52.4                ~          ~         ~  1/830x  1/8350x\n"
		"xfer   h2d 16M  55.5                ~          ~         ~       ~    0.05x\n"
		"fma    f32      58.6                ~          ~         ~       ~    0.05x\n"
		"fma    f64      61.7                ~          ~         ~       ~  no fp64\n"
		"gemm   f32 256  64.8                ~  .97-1.04?         X       ~    0.05x\n"
		"1.31x: 1.31 times as fast   ~ equal within 2 %   ? open   X see below\n"
		"faster/slower/equal/open: 1/9/31/1\n"
		"open    clang-15 gemm: about 50 executions of each should decide\n"
		"X       clang-19 gemm: the output was wrong: 3 of 262,144 values differ\n"
		"machine speed swung by up to 2.1x while this ran\n"
		"unsigned\n";
	world *w = demo();
	char *body = printed(w);

	(void)state;
	assert_true(lines_of(body) <= 25);
	assert_true(widest_of(body) <= 80);
	assert_string_equal(body, want);
	free(body);
	world_free(w);
}

/* In turns: the title has rounds, and the swing is taken out. */
static void turns_are_told(void **state)
{
	world *w = demo();
	record_execution *e;
	uint64_t rounds[] = { 1, 1, 2, 212 };
	char *body;

	(void)state;
	for (size_t i = 0; i < w->count; i++) {
		record_design *d = layout_new(record_design_layout());

		d->kind = RECORD_DESIGN_LOCKSTEP;
		d->spent_ns = UINT64_C(57600000000);
		w->results[i]->record->run.design = d;
	}
	e = layout_append(record_execution_layout(), &w->results[0]->record->cases.items[0].executions);
	e->turns = layout_new(record_turns_layout());
	uint_list_set(&e->turns->rounds, rounds, COUNT(rounds));
	e = layout_append(record_execution_layout(), &w->results[2]->record->cases.items[8].executions);
	e->turns = layout_new(record_turns_layout());
	uint_list_set(&e->samples_ns, (const uint64_t[]){ 1000000, 1000000 }, 2);
	uint_list_set(&e->starts_ns, (const uint64_t[]){ 0, UINT64_C(4999000000) }, 2);
	body = printed(w);
	assert_true(has(body, "\nopen    clang-15 gemm: about 20 s more of the case should decide\n"));
	assert_true(strncmp(body, "quick@1 on 6 executors of one machine, in turns: 58 s, 212 rounds   "
	                    "  margin 2 %\n", 80) == 0);
	assert_true(has(body, "machine speed swung by up to 2.1x while this ran; the turns took that out\n"));
	assert_true(lines_of(body) <= 25 && widest_of(body) <= 80);
	free(body);
	/* Nothing took it out between two runs. */
	text_set(&w->results[1]->record->run.id, "another");
	body = printed(w);
	assert_true(has(body, "machine speed swung by up to 2.1x while this ran\n"));
	free(body);
	world_free(w);
}

/* Every name stands in one header, and no line is wider than 80 columns. */
static void many_executors_wrap_into_blocks(void **state)
{
	char *names[14];
	world *w;
	char *body;

	(void)state;
	for (size_t i = 0; i < COUNT(names); i++)
		names[i] = memory_format("host:compiler-%zu", 10 + i);
	w = world_new((const char *const *)names, COUNT(names), demo_ids, COUNT(demo_ids));
	world_compare(w);
	body = printed(w);
	assert_true(widest_of(body) <= 80);
	for (size_t i = 1; i < COUNT(names); i++) {
		const char *at = strstr(body, names[i] + 5);

		assert_non_null(at);
		assert_null(strstr(at + 1, names[i] + 5));
	}
	assert_true(has(body, "faster/slower/equal/open: 0/0/117/0\n"));
	free(body);
	world_free(w);
	for (size_t i = 0; i < COUNT(names); i++)
		free(names[i]);
}

/* Wide intervals give way before executors are wrapped. */
static void wide_intervals_become_a_word(void **state)
{
	world *w = demo();
	char *body;

	(void)state;
	for (size_t i = 0; i < COUNT(demo_ids); i++)
		world_set(w, 3, i, VERDICT_INCONCLUSIVE, 1 / 830.0, 1 / 8000.0, 1 / 500.0);
	body = printed(w);
	assert_true(widest_of(body) <= 80 && lines_of(body) <= 25);
	assert_true(has(body, " open "));
	assert_true(has(body, ".97-1.04?"));
	free(body);
	world_free(w);
}

/* A caveat of most cells is told once; one of few cells with the cells. */
static void caveats_of_most_cells_are_told_once(void **state)
{
	world *w = demo();
	char *body;

	(void)state;
	for (size_t k = 0; k < 3; k++)
		for (size_t i = 0; i < COUNT(demo_ids); i++)
			world_caveat(w, k, i, "disturbed");
	world_caveat(w, 3, 0, "throttled");
	world_caveat(w, 3, 6, "throttled");
	body = printed(w);
	assert_true(has(body, "\ncaveats of most cells: disturbed\n"));
	assert_true(has(body, "\ncaveat  throttled: pocl copy, fma f32\n"));
	assert_true(lines_of(body) <= 25);
	free(body);
	world_free(w);
}

/* Where the reference has no number there is nothing to compare with. */
static void a_bad_reference_leaves_blanks(void **state)
{
	world *w = demo();
	char *body;

	(void)state;
	for (size_t k = 0; k < 5; k++) {
		comparison_row *row = world_row(w, k, 1);

		row->verdict = VERDICT_NOT_COMPARABLE;
		row->speedup = NAN;
		row->baseline->status = RECORD_FAILED;
		row->baseline->evidence.level = EVIDENCE_BAD;
		world_reason(&row->baseline->evidence.reasons, "status-failed", CONTRACT_REFUSED,
		             "The case failed.", "The worker was killed by signal 9.");
	}
	w->results[0]->record->cases.items[1].status = RECORD_FAILED;
	(void)layout_append(record_execution_layout(), &w->results[0]->record->cases.items[1].executions);
	body = printed(w);
	assert_true(has(body, "\ntriad  f32 16M  X                   -          -         -       -        -\n"));
	assert_true(has(body, "\nX       gcc-12 triad f32: the worker was killed by signal 9\n"));
	free(body);
	world_free(w);
}

/* A contract that refuses a whole column says so once. */
static void a_refused_column_is_told_once(void **state)
{
	world *w = demo();
	char *body;

	(void)state;
	w->comparisons.items[3].level = CONTRACT_REFUSED;
	world_reason(&w->comparisons.items[3].reasons, "protocol-differs", CONTRACT_REFUSED,
	             "The protocol digests differ.", "quick@1 | quick@2");
	for (size_t i = 0; i < COUNT(demo_ids); i++) {
		world_row(w, 3, i)->verdict = VERDICT_NOT_COMPARABLE;
		world_row(w, 3, i)->speedup = NAN;
	}
	body = printed(w);
	assert_true(has(body, "\nX       pocl: not comparable: The protocol digests differ. quick@1 | quick@2\n"));
	free(body);
	world_free(w);
}

static void two_results_have_values_and_intervals(void **state)
{
	world *w = world_new(demo_names, 2, demo_ids, COUNT(demo_ids));
	char *body;

	(void)state;
	world_compare(w);
	world_set(w, 0, 0, VERDICT_FASTER, 1.314, 1.3, 1.33);
	body = printed(w);
	assert_true(has(body, "host:gcc-12"));
	assert_true(has(body, "host:clang-14"));
	assert_true(has(body, "1.31x [1.30-1.33]\n"));
	assert_true(has(body, "~ [.99-1.01]\n"));
	assert_true(widest_of(body) <= 80);
	free(body);
	world_free(w);
}

static void layer_add(world *w, size_t i, const char *name, const char *version)
{
	record_layer *layer = layout_append(record_layer_layout(), &w->results[i]->record->executor.layers);

	layer->layer = RECORD_LAYER_DRIVER;
	text_set(&layer->name, name);
	text_set(&layer->version, version);
	layer->source = RECORD_SOURCE_QUERIED;
}

/* Two results say in a line or two what their stacks differ in. */
static void layers_that_differ_are_named(void **state)
{
	static const char *const names[] = { "opencl:pocl-0", "opencl:pocl-1" };
	static const char *const layers[] = { "a driver", "b driver", "c driver", "d driver" };

	(void)state;
	for (size_t count = 0; count <= COUNT(layers); count++) {
		world *w = world_new(names, 2, demo_ids, 2);
		char *body;

		layer_add(w, 0, "same", "1");
		layer_add(w, 1, "same", "1");
		for (size_t i = 0; i < count; i++) {
			layer_add(w, 0, layers[i], "3.0");
			layer_add(w, 1, layers[i], "3.1");
		}
		world_compare(w);
		body = printed(w);
		assert_int_equal(has(body, "\ndiffers driver a driver 3.0 -> 3.1\n"), count > 0);
		assert_int_equal(has(body, "\ndiffers driver b driver 3.0 -> 3.1\n"), count > 1);
		assert_false(has(body, "c driver") || has(body, "same"));
		assert_int_equal(has(body, "\ndiffers and 2 more: evenhand attribute "
		                     "results/opencl:pocl-0.json\n        results/opencl:pocl-1.json\n"),
		                 count == 4);
		free(body);
		world_free(w);
	}
}

/* Of several columns the line says what holds for all of them. */
static void differences_of_one_column_are_no_line(void **state)
{
	for (int alike = 0; alike <= 1; alike++) {
		world *w = world_new(demo_names, 3, demo_ids, 2);
		char *body;

		(void)state;
		layer_add(w, 0, "driver", "3.0");
		layer_add(w, 1, "driver", "3.1");
		layer_add(w, 2, "driver", alike ? "3.1" : "3.2");
		world_compare(w);
		body = printed(w);
		assert_int_equal(has(body, "\ndiffers driver driver 3.0 -> 3.1\n"), alike);
		assert_int_equal(has(body, "differs"), alike);
		free(body);
		world_free(w);
	}
}

/* A run that was asked for some cases shows those. */
static void cases_that_nobody_asked_for_have_no_row(void **state)
{
	world *w = world_new(demo_names, 2, demo_ids, COUNT(demo_ids));
	char *body;

	(void)state;
	world_compare(w);
	for (size_t i = 0; i < 2; i++) {
		text_list_add(&w->results[i]->record->run.asked, demo_ids[0]);
		text_list_add(&w->results[i]->record->run.asked, demo_ids[i + 1]);
	}
	body = printed(w);
	assert_true(has(body, "faster/slower/equal/open: 0/0/3/0"));
	assert_true(has(body, "\n6 more cases of the protocol were not asked for\n"));
	free(body);
	world_free(w);
}

/* Each executor against its own other result: no column of values. */
static void two_runs_are_paired(void **state)
{
	world *w = demo();
	char *body;

	(void)state;
	for (size_t k = 0; k < 5; k++)
		w->comparisons.items[k].a = w->results[k + 1];
	body = printed_as(w, GRID_PAIRED, grid_print);
	assert_true(has(body, "quick@1, each of 5 executors against its other run"));
	assert_null(strstr(body, "host:gcc-12"));
	assert_null(strstr(body, "GB/s"));
	assert_true(has(body, "clang-14"));
	free(body);
	world_free(w);
}

static void markdown_is_one_table(void **state)
{
	world *w = demo();
	char *body = printed_as(w, GRID_AGAINST, grid_print_markdown);
	size_t rows = 0;

	(void)state;
	for (const char *at = strstr(body, "\n|"); at != NULL; at = strstr(at + 1, "\n|"))
		rows++;
	assert_int_equal(rows, COUNT(demo_ids) + 2);
	assert_true(has(body, "\n|:--|--:|--:|--:|--:|--:|--:|\n"));
	assert_true(has(body, "| copy f32 16M | 40.0 GB/s | 1.31x | \\~ | \\~ | 0.74x | 0.05x |"));
	assert_true(has(body, "\n- X: clang-19 gemm: the output was wrong: 3 of 262,144 values differ\n"));
	free(body);
	world_free(w);
}

/* The marks of an executor's name cannot break the table. */
static void markdown_escapes_names(void **state)
{
	static const char *const names[] = { "host:gcc-12", "host:a|b<c", "host:plain" };
	world *w = world_new(names, COUNT(names), demo_ids, 2);
	char *body;

	(void)state;
	world_compare(w);
	body = printed_as(w, GRID_AGAINST, grid_print_markdown);
	assert_true(has(body, " a\\|b\\<c |"));
	free(body);
	world_free(w);
}

static void add_error(world *w, size_t side, size_t row, double before, double after)
{
	record_execution *e = layout_append(record_execution_layout(),
	                                    &w->results[side]->record->cases.items[row].executions);
	const double rho[] = { before, after };
	record_check *checks[2];

	e->verification = layout_new(record_verification_layout());
	for (size_t i = 0; i < 2; i++) {
		checks[i] = layout_new(record_check_layout());
		checks[i]->passed = true;
		checks[i]->rho = rho[i];
		checks[i]->rho_limit = 1;
	}
	e->verification->before = checks[0];
	e->verification->after = checks[1];
}

/* Errors equal to one digit are told once; of several executors, the smallest and the largest. */
static void errors_stand_beside_the_speed(void **state)
{
	static const char *const names[] = { "host:gcc-12", "host:clang-14" };
	world *w = world_new(names, COUNT(names), demo_ids, 4);
	char *body;

	(void)state;
	add_error(w, 0, 0, 3.1e-7, 3.2e-7);
	add_error(w, 1, 0, 3.3e-7, 2.9e-7);
	add_error(w, 0, 1, 1.7e-3, 2.4e-3);
	add_error(w, 1, 1, 2.1e-4, 2.1e-4);
	add_error(w, 1, 3, 3e-7, 3e-7);
	world_compare(w);
	body = printed(w);
	assert_true(has(body, "\nerror   3e-7 copy, dot; 2e-4 to 2e-3 triad f32\n"));
	free(body);
	world_free(w);
}

/* Errors that all differ are wrapped as every note is, and none is left out. */
static void many_errors_wrap(void **state)
{
	static const char *const names[] = { "host:gcc-12", "host:clang-14" };
	world *w = world_new(names, COUNT(names), demo_ids, COUNT(demo_ids));
	char *body;

	(void)state;
	for (size_t i = 0; i < COUNT(demo_ids); i++)
		add_error(w, 0, i, pow(10, (double)i - 9), pow(10, (double)i - 9));
	world_compare(w);
	body = printed(w);
	assert_true(has(body, "\nerror   1e-9 copy; 1e-8 triad f32; 1e-7 triad f64; 1e-6 dot; 1e-5 launch; "
	                "1e-4\n        xfer; 1e-3 fma f32; 1e-2 fma f64; 1e-1 gemm\n"));
	assert_true(widest_of(body) <= 80);
	free(body);
	world_free(w);
}

static void add_answer(world *w, size_t side, size_t row, bool passed, const char *answer)
{
	record_execution *e = layout_append(record_execution_layout(),
	                                    &w->results[side]->record->cases.items[row].executions);

	e->verification = layout_new(record_verification_layout());
	e->verification->after = layout_new(record_check_layout());
	e->verification->after->passed = passed;
	text_set(&e->verification->after->detail, answer);
}

/* An answer is told once, with the executors where others gave another; what a failed check says, and
 * executions of one result that differ, are none. */
static void answers_of_checks_are_told(void **state)
{
	static const char *const names[] = { "host:gcc-12", "host:clang-14" };
	world *w = world_new(names, COUNT(names), demo_ids, 5);
	char *body;

	(void)state;
	add_answer(w, 0, 0, true, "sums are fused");
	add_answer(w, 1, 0, true, "sums are fused");
	add_answer(w, 0, 1, true, "sums are fused");
	add_answer(w, 1, 1, true, "sums are separate");
	add_answer(w, 0, 2, false, "element 3 is 4");
	add_answer(w, 1, 2, true, "sums are fused");
	add_answer(w, 0, 3, true, "sums are fused");
	add_answer(w, 0, 3, true, "sums are separate");
	world_compare(w);
	body = printed(w);
	assert_true(has(body, "\nanswer  sums are fused: copy, triad f32 (gcc-12), triad f64\n"
	                "answer  sums are separate: triad f32 (clang-14)\n"));
	assert_false(has(body, "element 3"));
	free(body);
	world_free(w);
}

/* An update that changes an answer: which is the old one is said. */
static void answers_of_pairs_say_when(void **state)
{
	static const char *const names[] = { "host:clang-14", "host:clang-14" };
	world *w = world_new(names, COUNT(names), demo_ids, 2);
	char *body;

	(void)state;
	add_answer(w, 0, 0, true, "sums are fused");
	add_answer(w, 1, 0, true, "sums are separate");
	world_compare(w);
	body = printed_as(w, GRID_PAIRED, grid_print);
	assert_true(has(body, "\nanswer  sums are fused: copy (clang-14 before)\n"
	                "answer  sums are separate: copy (clang-14 after)\n"));
	free(body);
	world_free(w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(digits_are_no_finer_than_the_interval),
		cmocka_unit_test(ratios_are_short),
		cmocka_unit_test(ranges_are_rounded_outwards),
		cmocka_unit_test(half_widths_have_the_digits_of_the_value),
		cmocka_unit_test(cases_stand_in_columns),
		cmocka_unit_test(labels_stay_unique),
		cmocka_unit_test(executors_are_short_and_unambiguous),
		cmocka_unit_test(results_of_one_executor_have_names),
		cmocka_unit_test(the_demo_fits_a_screen),
		cmocka_unit_test(turns_are_told),
		cmocka_unit_test(many_executors_wrap_into_blocks),
		cmocka_unit_test(wide_intervals_become_a_word),
		cmocka_unit_test(caveats_of_most_cells_are_told_once),
		cmocka_unit_test(errors_stand_beside_the_speed),
		cmocka_unit_test(many_errors_wrap),
		cmocka_unit_test(answers_of_checks_are_told),
		cmocka_unit_test(answers_of_pairs_say_when),
		cmocka_unit_test(a_bad_reference_leaves_blanks),
		cmocka_unit_test(a_refused_column_is_told_once),
		cmocka_unit_test(two_results_have_values_and_intervals),
		cmocka_unit_test(layers_that_differ_are_named),
		cmocka_unit_test(differences_of_one_column_are_no_line),
		cmocka_unit_test(cases_that_nobody_asked_for_have_no_row),
		cmocka_unit_test(two_runs_are_paired),
		cmocka_unit_test(markdown_is_one_table),
		cmocka_unit_test(markdown_escapes_names),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
