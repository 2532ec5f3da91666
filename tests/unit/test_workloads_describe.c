/* SPDX-License-Identifier: Apache-2.0 */
/* What the workloads say of themselves: the counts of describe() against numbers made by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "plugin/plugin.h"

#define MAX_VALUES 20

struct request {
	eh_value values[MAX_VALUES];
	eh_case c;
	eh_work work;
	eh_error error;
};

static uint64_t position(const char *domain, const char *word)
{
	const size_t length = strlen(word);
	uint64_t at = 0;
	const char *p = domain;
	while (strncmp(p, word, length) != 0 || (p[length] != '|' && p[length] != '\0')) {
		p = strchr(p, '|');
		assert_non_null(p);
		p++;
		at++;
	}
	return at;
}

static uint64_t number(const char *text)
{
	char *end;
	const uint64_t n = strtoull(text, &end, 10);
	return *end == 'K' ? n << 10 : *end == 'M' ? n << 20 : *end == 'G' ? n << 30 : n;
}

/* Describes the case "key=value key=value" of the workload; what is not named has its default. */
static eh_status describe(struct request *r, const char *name, const char *settings)
{
	static char texts[MAX_VALUES][64];
	const eh_workload *w;
	const eh_param *p;
	uint32_t n = 0;

	memset(r, 0, sizeof *r);
	r->error.struct_size = sizeof r->error;
	w = plugin_find_workload(NULL, name, &r->error);
	if (w == NULL)
		fail_msg("%s: %s", name, r->error.message);
	for (p = w->params; p->key != NULL; p++, n++) {
		const size_t length = strlen(p->key);
		const char *s = settings;
		assert_true(n < MAX_VALUES);
		strcpy(texts[n], p->standard);
		while (s != NULL && *s != '\0') {
			if (strncmp(s, p->key, length) == 0 && s[length] == '=') {
				const size_t size = strcspn(s + length + 1, " ");
				memcpy(texts[n], s + length + 1, size);
				texts[n][size] = '\0';
			}
			s = strchr(s, ' ');
			s = s == NULL ? NULL : s + 1;
		}
		r->values[n].key = p->key;
		r->values[n].text = texts[n];
		r->values[n].number = p->type == EH_PARAM_ENUM ? position(p->domain, texts[n])
		                                               : number(texts[n]);
	}
	r->c.struct_size = sizeof r->c;
	r->c.value_count = n;
	r->c.values = r->values;
	r->c.seed = 1;
	r->work.struct_size = sizeof r->work;
	return w->describe(&r->c, &r->work, &r->error);
}

static void expect(const char *name, const char *settings, double amount, double flops,
                   double bytes)
{
	struct request r;
	if (describe(&r, name, settings) != EH_OK)
		fail_msg("%s %s: %s", name, settings, r.error.message);
	if (r.work.amount != amount || r.work.flops != flops || r.work.bytes != bytes)
		fail_msg("%s %s: amount %.17g flops %.17g bytes %.17g", name, settings, r.work.amount,
		         r.work.flops, r.work.bytes);
}

static void expect_refusal(const char *name, const char *settings, const char *sentence)
{
	struct request r;
	assert_int_not_equal(describe(&r, name, settings), EH_OK);
	if (strstr(r.error.message, sentence) == NULL)
		fail_msg("%s %s: %s", name, settings, r.error.message);
}

static const char *define(const struct request *r, const char *name)
{
	uint32_t i;
	for (i = 0; i < r->work.define_count; i++)
		if (strcmp(r->work.defines[i].name, name) == 0)
			return r->work.defines[i].value;
	return "(none)";
}

/* 1 MiB of f32 is 262144 elements. */
static void test_stream_counts(void **state)
{
	(void)state;
	expect("stream", "operation=copy bytes=1MiB", 2097152, 0, 2097152);
	expect("stream", "operation=mul bytes=1MiB", 2097152, 262144, 2097152);
	expect("stream", "operation=add bytes=1MiB", 3145728, 262144, 3145728);
	expect("stream", "operation=triad bytes=1MiB", 3145728, 524288, 3145728);
	expect("stream", "operation=dot bytes=1MiB", 2097152, 524288, 2097152);
	expect("stream", "operation=read bytes=1MiB", 1048576, 262144, 1048576);
	expect("stream", "operation=fill bytes=1MiB", 1048576, 0, 1048576);
	expect("stream", "operation=triad bytes=1MiB precision=f64", 3145728, 262144, 3145728);
	expect("stream", "operation=triad bytes=1MiB precision=f16", 3145728, 1048576, 3145728);
}

static void test_stream_shape(void **state)
{
	struct request r;
	(void)state;
	assert_int_equal(describe(&r, "stream", "operation=dot bytes=64MiB precision=bf16"), EH_OK);
	assert_string_equal(r.work.precision, "bf16/f32/f32");
	assert_int_equal(r.work.metric, EH_METRIC_BYTES_PER_SECOND);
	assert_int_equal(r.work.needs, EH_CAP_BF16_STORE);
	assert_string_equal(define(&r, "EH_S_ITEMS"), "16");
	assert_int_equal(describe(&r, "stream", "operation=triad bytes=64MiB precision=f64"), EH_OK);
	assert_int_equal(r.work.needs, EH_CAP_FP64);
	assert_string_equal(define(&r, "EH_S_ITEMS"), "2");
	assert_string_equal(define(&r, "EH_S_REAL"), "double");
	assert_int_equal(r.work.working_set_bytes, 3 * UINT64_C(67108864));
	/* 16 bytes of every precision. */
	assert_int_equal(describe(&r, "stream", "operation=triad bytes=64MiB"), EH_OK);
	assert_string_equal(define(&r, "EH_S_ITEMS"), "4");
	assert_int_equal(describe(&r, "stream", "operation=copy bytes=64MiB precision=f16"), EH_OK);
	assert_string_equal(define(&r, "EH_S_ITEMS"), "8");
	assert_string_equal(define(&r, "EH_S_GROUP"), "256");
	assert_int_equal(r.work.group_items, 256);
	assert_int_equal(describe(&r, "stream", "operation=triad bytes=64KiB group=4096"), EH_OK);
	assert_string_equal(define(&r, "EH_S_GROUP"), "4096");
	assert_string_equal(define(&r, "EH_S_ITEMS"), "4");
	assert_int_equal(r.work.group_items, 4096);
	/* 2 KiB of f32 are two pieces of 256. */
	assert_int_equal(describe(&r, "stream", "operation=triad bytes=2KiB"), EH_OK);
	assert_string_equal(define(&r, "EH_S_ITEMS"), "2");
}

static void test_stream_refusals(void **state)
{
	(void)state;
	expect_refusal("stream", "bytes=1000", "multiple of 256 f32 elements");
	expect_refusal("stream", "bytes=512", "multiple of 256 f32 elements");
	expect_refusal("stream", "bytes=3KiB items=2", "256 * items=2");
	expect_refusal("stream", "bytes=8KiB group=4096", "multiple of 4096 f32 elements (16384 bytes)");
	expect_refusal("stream", "operation=dot group=1024", "operation=dot has group=1024 and takes 256");
}

static void test_launch(void **state)
{
	struct request r;
	(void)state;
	expect("launch", "mode=back-to-back count=100", 100, 0, 0);
	assert_int_equal(describe(&r, "launch", "mode=enqueue arguments=16 count=10"), EH_OK);
	assert_int_equal(r.work.region, EH_REGION_ENQUEUE);
	assert_int_equal(r.work.metric, EH_METRIC_SECONDS);
	assert_string_equal(define(&r, "EH_L_ARGUMENTS"), "16");
	assert_int_equal(describe(&r, "launch", "mode=round-trip"), EH_OK);
	assert_int_equal(r.work.region, EH_REGION_ROUND_TRIP);
	expect_refusal("launch", "mode=round-trip count=2", "count=1");
}

static void test_graph(void **state)
{
	struct request r;
	(void)state;
	expect("graph", "mode=back-to-back nodes=100 count=3", 300, 0, 0);
	assert_int_equal(describe(&r, "graph", "mode=enqueue nodes=1 arguments=2"), EH_OK);
	assert_int_equal(r.work.region, EH_REGION_ENQUEUE);
	assert_string_equal(r.work.kernel, "launch");
	assert_string_equal(define(&r, "EH_L_ARGUMENTS"), "2");
	expect_refusal("graph", "mode=round-trip count=2", "count=1");
}

static void test_xfer(void **state)
{
	struct request r;
	(void)state;
	expect("xfer", "direction=h2d bytes=4", 4, 0, 4);
	expect("xfer", "direction=d2h bytes=1GiB", 1073741824, 0, 1073741824);
	expect("xfer", "direction=d2d bytes=1MiB", 2097152, 0, 2097152);
	expect("xfer", "direction=bidirectional bytes=1MiB", 2097152, 0, 2097152);
	expect("xfer", "direction=duplex bytes=1MiB", 2097152, 0, 2097152);
	assert_int_equal(describe(&r, "xfer", "direction=h2d memory=pinned"), EH_OK);
	assert_int_equal(r.work.needs, EH_CAP_PINNED);
	assert_string_equal(r.work.kernel, "");
	assert_int_equal(describe(&r, "xfer", "direction=d2d memory=pinned"), EH_OK);
	assert_int_equal(r.work.needs, 0);
	expect_refusal("xfer", "bytes=6", "multiple of 4");
}

static void test_p2p(void **state)
{
	struct request r;
	(void)state;
	expect("p2p", "direction=to bytes=4", 4, 0, 4);
	expect("p2p", "direction=from bytes=1GiB access=staged", 1073741824, 0, 1073741824);
	expect("p2p", "direction=both bytes=1MiB", 2097152, 0, 2097152);
	/* Memory of one device: half of it is received, of both ways. */
	assert_int_equal(describe(&r, "p2p", "direction=both bytes=1MiB"), EH_OK);
	assert_int_equal(r.work.device_bytes, 2097152);
	assert_int_equal(r.work.working_set_bytes, 2097152);
	assert_int_equal(r.work.region, EH_REGION_EXECUTION);
	assert_int_equal(r.work.metric, EH_METRIC_BYTES_PER_SECOND);
	assert_string_equal(r.work.kernel, "");
	assert_string_equal(r.work.bytes_formula, "2*B (B each way)");
	assert_int_equal(describe(&r, "p2p", "access=staged peer=3"), EH_OK);
	assert_int_equal(r.work.region, EH_REGION_ROUND_TRIP);
	assert_int_equal(r.work.device_bytes, 67108864);
	expect_refusal("p2p", "bytes=6", "multiple of 4");
}

static void test_fma(void **state)
{
	struct request r;
	(void)state;
	/* 2 flops * 3 groups * 256 items * 5 chains * 16 wide * 8 rounds. */
	expect("fma", "groups=3 chains=5 rounds=8", 983040, 983040, 65536);
	/* The same with 8 doubles. */
	expect("fma", "groups=3 chains=5 rounds=8 precision=f64", 491520, 491520, 65536);
	expect("fma", "groups=1 chains=1 rounds=2 width=1", 1024, 1024, 2048);
	assert_int_equal(describe(&r, "fma", "precision=f64"), EH_OK);
	assert_string_equal(define(&r, "EH_F_VECTOR"), "eh_f64x8");
	assert_int_equal(r.work.needs, EH_CAP_FP64);
	/* The form changes neither the work nor, at its default, the text. */
	expect("fma", "groups=3 chains=5 rounds=8 form=accumulate", 983040, 983040, 65536);
	assert_int_equal(describe(&r, "fma", "form=accumulate width=4"), EH_OK);
	assert_string_equal(define(&r, "EH_F_ACCUMULATE"), "1");
	assert_string_equal(define(&r, "EH_F_WIDTH"), "4");
	assert_int_equal(describe(&r, "fma", "form=chain"), EH_OK);
	assert_int_equal(r.work.define_count, 3);
	/* Halves: 16 of them, in pairs, with arguments in floats. */
	expect("fma", "groups=3 chains=5 rounds=8 precision=f16", 983040, 983040, 32768);
	assert_int_equal(describe(&r, "fma", "precision=f16"), EH_OK);
	assert_string_equal(define(&r, "EH_F_VECTOR"), "eh_f16x16");
	assert_string_equal(define(&r, "EH_F_SCALAR"), "float");
	assert_int_equal(r.work.needs, EH_CAP_FP16);
	expect_refusal("fma", "precision=f16 width=1", "use 2, 4, 8 or 16");
	expect_refusal("fma", "precision=f16 rounds=514", "rounds=514");
	expect_refusal("fma", "width=3", "width=3");
	expect_refusal("fma", "rounds=7", "odd");
}

static void test_gemm(void **state)
{
	struct request r;
	(void)state;
	/* 2 * 128 * 256 * 512; 4 * (128*512 + 512*256 + 128*256). */
	expect("gemm", "m=128 n=256 k=512", 33554432, 33554432, 917504);
	expect("gemm", "m=128 n=256 k=512 precision=f64", 33554432, 33554432, 1835008);
	expect("gemm", "m=128 n=256 k=512 precision=f16", 33554432, 33554432, 458752);
	assert_int_equal(describe(&r, "gemm", "precision=bf16"), EH_OK);
	assert_string_equal(r.work.precision, "bf16/f32/bf16");
	assert_int_equal(r.work.group_items, 256);
	/* 16 * (128 + 4 + 128) floats by default, which every device has; 32 * (128 + 4 + 512) at most. */
	assert_int_equal(describe(&r, "gemm", ""), EH_OK);
	assert_int_equal(r.work.local_bytes, 16640);
	assert_int_equal(describe(&r, "gemm", "width=16 vectors=2 depth=32"), EH_OK);
	assert_int_equal(r.work.local_bytes, 82432);
	assert_int_equal(describe(&r, "gemm", "precision=f64"), EH_OK);
	assert_int_equal(r.work.local_bytes, 25088);
	/* Guards only where the sizes are no multiples of the tile, 128 x 128 x 16. */
	assert_string_equal(define(&r, "EH_G_GUARD"), "(none)");
	assert_int_equal(describe(&r, "gemm", "m=100"), EH_OK);
	assert_string_equal(define(&r, "EH_G_GUARD"), "1");
	assert_string_equal(define(&r, "EH_G_LOOSE"), "(none)");
	assert_int_equal(describe(&r, "gemm", "k=1001"), EH_OK);
	assert_string_equal(define(&r, "EH_G_LOOSE"), "1");
	/* 2 * 3 * 5 * 7 * 11; 3 * (1 * (5*11 + 11*7) + 2 * 5*7). */
	expect("gemm", "m=5 n=7 k=11 batch=3 precision=e4m3", 2310, 2310, 606);
	assert_int_equal(describe(&r, "gemm", "precision=e4m3"), EH_OK);
	assert_string_equal(r.work.precision, "e4m3/f32/bf16");
	assert_int_equal(describe(&r, "gemm", "precision=e5m2z"), EH_OK);
	assert_string_equal(r.work.precision, "e5m2z/f32/f32");
	assert_int_equal(describe(&r, "gemm", "precision=i8 transpose=ab"), EH_OK);
	assert_string_equal(r.work.precision, "i8/i32/i32");
	assert_string_equal(define(&r, "EH_G_TURN_B"), "1");
	expect_refusal("gemm", "precision=f64 output=f32", "the output of f64 is f64");
	expect_refusal("gemm", "precision=i8 k=200000", "at most 133143");
	expect_refusal("gemm", "width=12", "width=12");
}

/* 3 tokens of 100: 300 elements an array. */
static void test_fused(void **state)
{
	struct request r;
	(void)state;
	expect("fused", "operation=rmsnorm tokens=3 width=100", 2800, 1200, 2800);
	expect("fused", "operation=rmsnorm-residual tokens=3 width=100", 5200, 1500, 5200);
	expect("fused", "operation=swiglu tokens=3 width=100", 3600, 0, 3600);
	expect("fused", "operation=softmax tokens=3 width=100 precision=f16", 1200, 0, 1200);
	expect("fused", "operation=rmsnorm tokens=1 width=1 precision=bf16", 6, 4, 6);
	/* 3 tokens of 4 + 1 heads of 8 in and out, and 3 rows of 8 in the table. */
	expect("fused", "operation=rope tokens=3 heads=4 kv-heads=1 head-dim=8", 1056, 360, 1056);
	assert_int_equal(describe(&r, "fused", "precision=bf16"), EH_OK);
	assert_string_equal(r.work.precision, "bf16/f32/bf16");
	assert_int_equal(r.work.needs, EH_CAP_BF16_STORE);
	assert_int_equal(r.work.metric, EH_METRIC_BYTES_PER_SECOND);
	/* 4 spans of each work-item in a row, 256 work-items at most. */
	assert_string_equal(define(&r, "EH_U_GROUP"), "128");
	assert_int_equal(describe(&r, "fused", ""), EH_OK);
	assert_string_equal(define(&r, "EH_U_GROUP"), "256");
	assert_string_equal(define(&r, "EH_U_WIDE"), "1");
	assert_int_equal(describe(&r, "fused", "width=17"), EH_OK);
	assert_string_equal(define(&r, "EH_U_WIDE"), "0");
	/* Guards only where groups are not full. */
	assert_int_equal(describe(&r, "fused", "operation=swiglu"), EH_OK);
	assert_string_equal(define(&r, "EH_U_GUARD"), "0");
	assert_int_equal(describe(&r, "fused", "operation=swiglu width=4097 tokens=3"), EH_OK);
	assert_string_equal(define(&r, "EH_U_GUARD"), "1");
	/* 64 pairs are 16 spans: 16 heads in a group. */
	assert_int_equal(describe(&r, "fused", "operation=rope"), EH_OK);
	assert_string_equal(define(&r, "EH_U_GROUP"), "16");
	assert_string_equal(define(&r, "EH_U_ROWS"), "16");
	assert_string_equal(define(&r, "EH_U_GUARD"), "0");
	assert_int_equal(r.work.group_items, 256);
	expect_refusal("fused", "operation=rope head-dim=3", "head-dim=3 is odd");
	expect_refusal("fused", "operation=rope items=5", "64 pairs, which items=5");
	expect_refusal("fused", "items=4", "operation=rmsnorm has items=4");
	expect_refusal("fused", "group=100", "group=100 is not a multiple of 16");
}

static void test_overlap(void **state)
{
	struct request r;
	(void)state;
	/* 2 * 3 groups * 256 items * 8 chains * 4 wide * 8 rounds; 1 MiB and 4 groups of 4 KiB. */
	expect("overlap", "groups=3 rounds=8 bytes=1MiB", 1, 393216, 1064960);
	expect("overlap", "groups=3 rounds=8 bytes=1MiB mode=serial direction=both", 1, 393216, 2113536);
	expect("overlap", "groups=3 rounds=8 bytes=1MiB mode=compute direction=both", 1, 393216, 16384);
	expect("overlap", "groups=3 rounds=8 bytes=1MiB mode=copy direction=both", 1, 0, 2097152);
	assert_int_equal(describe(&r, "overlap", "mode=copy"), EH_OK);
	assert_string_equal(r.work.kernel, "");
	assert_int_equal(r.work.needs, EH_CAP_PINNED);
	assert_int_equal(describe(&r, "overlap", "mode=compute"), EH_OK);
	assert_string_equal(r.work.kernel, "fma");
	assert_string_equal(define(&r, "EH_F_VECTOR"), "eh_f32x4");
	assert_int_equal(r.work.needs, 0);
	expect_refusal("overlap", "bytes=6", "multiple of 4");
	expect_refusal("overlap", "rounds=7", "odd");
}

static void test_alloc(void **state)
{
	struct request r;
	(void)state;
	expect("alloc", "bytes=4KiB count=3", 3, 0, 0);
	expect("alloc", "bytes=4KiB count=3 mode=touched", 3, 0, 12288);
	assert_int_equal(describe(&r, "alloc", "bytes=8GiB count=2"), EH_OK);
	assert_int_equal(r.work.region, EH_REGION_ENQUEUE);
	assert_int_equal(r.work.device_bytes, UINT64_C(17179869184));
	assert_int_equal(describe(&r, "alloc", "kind=pinned mode=touched bytes=1MiB"), EH_OK);
	assert_int_equal(r.work.region, EH_REGION_ROUND_TRIP);
	assert_int_equal(r.work.needs, EH_CAP_PINNED);
	assert_int_equal(r.work.device_bytes, 0);
	assert_int_equal(r.work.working_set_bytes, 1048576);
	assert_int_equal(describe(&r, "alloc", "kind=shared"), EH_OK);
	assert_int_equal(r.work.needs, EH_CAP_SHARED);
	expect_refusal("alloc", "bytes=5000", "multiple of 4096");
	expect_refusal("alloc", "bytes=8GiB count=9", "more than 64GiB");
}

static void test_coldstart(void **state)
{
	struct request r;
	(void)state;
	expect("coldstart", "memory=fresh", 1, 0, 0);
	assert_int_equal(describe(&r, "coldstart", ""), EH_OK);
	assert_int_equal(r.work.region, EH_REGION_ROUND_TRIP);
	assert_string_equal(r.work.kernel, "launch");
	expect("coldstart", "from=source memory=fresh", 1, 0, 0);
	assert_int_equal(describe(&r, "coldstart", "from=source"), EH_OK);
	assert_string_equal(r.work.kernel, "coldstart");
	assert_string_equal(define(&r, "EH_C_FIRST"), "1u");
	assert_int_equal(r.work.define_count, 2);
	assert_int_equal(r.work.device_bytes, 8);
}

static void test_numerics(void **state)
{
	struct request r;
	(void)state;
	/* 128 dot products of 4 terms: 8 elements, a start and a result each. */
	expect("numerics", "groups=2", 1, 1024, 5120);
	expect("numerics", "groups=2 precision=f64", 1, 1024, 10240);
	expect("numerics", "groups=2 precision=f16", 1, 1024, 3072);
	expect("numerics", "groups=2 precision=e4m3", 1, 1024, 2048);
	assert_int_equal(describe(&r, "numerics", "precision=i8"), EH_OK);
	assert_string_equal(r.work.precision, "i8/i32/i32");
	assert_string_equal(define(&r, "EH_N_REAL"), "int");
	assert_int_equal(describe(&r, "numerics", "precision=e5m2z property=subnormals"), EH_OK);
	assert_string_equal(r.work.precision, "e5m2z/f32/f32");
	assert_string_equal(define(&r, "EH_N_LOAD"), "EH_LOAD_E5M2Z");
	assert_int_equal(describe(&r, "numerics", "precision=f64 property=contraction"), EH_OK);
	assert_int_equal(r.work.needs, EH_CAP_FP64);
	expect_refusal("numerics", "precision=i8 property=rounding", "integers have no rounding");
	expect_refusal("numerics", "precision=f16 property=contraction", "contraction takes f32 and f64");
	expect_refusal("numerics", "property=factors", "add through=gemm");
	expect_refusal("numerics", "precision=tf32", "add through=gemm");
	expect_refusal("numerics", "m=256", "belong to through=gemm");
}

static void test_numerics_through_gemm(void **state)
{
	struct request r;
	(void)state;
	/* 2 * 256 * 256 * 512 flops; 2 * 256 * 512 elements, and 256 * 256 sums. */
	expect("numerics", "through=gemm", 1, 67108864, 1310720);
	expect("numerics", "through=gemm precision=f64", 1, 67108864, 2621440);
	expect("numerics", "through=gemm precision=e4m3", 1, 67108864, 524288);
	expect("numerics", "through=gemm precision=e4m3 property=output", 1, 67108864, 393216);
	/* 2 * 128 * 3 * 65; 65 * (128 + 3) elements, and 384 sums. */
	expect("numerics", "through=gemm precision=f16 m=128 n=3 k=65", 1, 49920, 18566);
	assert_int_equal(describe(&r, "numerics", "through=gemm precision=bf16 property=output m=129 n=1"), EH_OK);
	assert_string_equal(r.work.precision, "bf16/f32/bf16");
	assert_string_equal(r.work.kernel, "gemm");
	assert_string_equal(define(&r, "EH_G_TURN_B"), "1");
	assert_string_equal(define(&r, "EH_G_GUARD"), "1");
	assert_string_equal(define(&r, "EH_G_ROWS"), "8");
	assert_string_equal(define(&r, "EH_G_DEPTH"), "16");
	assert_int_equal(r.work.needs, EH_CAP_BF16_STORE);
	/* 258 bytes of C, and the rest of a word of the poison. */
	assert_int_equal(r.work.device_bytes, 2 * 512 * (129 + 1) + 272);
	/* 16 * (128 + 4 + 128) floats. */
	assert_int_equal(r.work.local_bytes, 16640);
	assert_int_equal(describe(&r, "numerics", "through=gemm precision=tf32 property=factors"), EH_OK);
	assert_string_equal(r.work.precision, "tf32/f32/f32");
	expect_refusal("numerics", "through=gemm property=contraction", "hides contraction");
	expect_refusal("numerics", "through=gemm property=output", "output takes f16, bf16, e4m3 and e5m2");
	expect_refusal("numerics", "through=gemm property=output precision=e4m3z", "are the sums");
	expect_refusal("numerics", "through=gemm property=factors precision=i8", "integers have no factors");
	expect_refusal("numerics", "through=gemm m=127", "m=128 and k=64 at least");
	expect_refusal("numerics", "through=gemm k=63", "m=128 and k=64 at least");
}

static void test_attention(void **state)
{
	struct request r;
	(void)state;
	/* 4 * 2 batches * 4 heads * 100 queries * 200 keys * 64; s * 2 * 64 * 2 * (4 * 100 + 2 * 200). */
	expect("attention", "batch=2 heads=4 kv-heads=2 query=100 keys=200", 40960000, 40960000, 819200);
	expect("attention", "batch=2 heads=4 kv-heads=2 query=100 keys=200 precision=f16 form=naive", 40960000,
	       40960000, 409600);
	/* On average (100 + 200) / 2 keys are seen. */
	expect("attention", "batch=2 heads=4 kv-heads=2 query=100 keys=200 causal=yes", 30720000, 30720000,
	       819200);
	/* Queries as keys, and kv-heads as heads: 4 * 8 * 2048 * 2048 * 128; 4 * 2 * 128 * 2 * 8 * 2048. */
	expect("attention", "head=128", 17179869184.0, 17179869184.0, 33554432);
	/* Decode: s * 2 * 128 * (32 + 8 * 1000) bytes, 4 * 32 * 1000 * 128 flops. */
	expect("attention", "mode=decode heads=32 kv-heads=8 keys=1000 head=128 precision=bf16", 4112384,
	       16384000, 4112384);
	assert_int_equal(describe(&r, "attention", ""), EH_OK);
	/* 64 * (64 + 64) + 64 * 64 + 2 * 64 floats. */
	assert_int_equal(r.work.local_bytes, 49664);
	assert_int_equal(r.work.group_items, 64);
	assert_string_equal(define(&r, "EH_A_TAIL_Q"), "(none)");
	assert_int_equal(describe(&r, "attention", "query=65 keys=100 precision=bf16"), EH_OK);
	assert_string_equal(define(&r, "EH_A_TAIL_Q"), "1");
	assert_string_equal(define(&r, "EH_A_TAIL_K"), "1");
	assert_string_equal(r.work.precision, "bf16/f32/bf16");
	/* The scores of 8 heads, 2048 * 2048 floats each, and a sum of each query. */
	assert_int_equal(describe(&r, "attention", "form=naive"), EH_OK);
	assert_int_equal(r.work.device_bytes, UINT64_C(16777216) + 134217728 + 65536);
	/* Twelve heads of one KV head go in two turns of six. */
	assert_int_equal(describe(&r, "attention", "mode=decode heads=12 kv-heads=1 keys=512"), EH_OK);
	assert_string_equal(define(&r, "EH_A_SHARE"), "6");
	assert_string_equal(define(&r, "EH_A_WHOLE"), "1");
	assert_int_equal(r.work.metric, EH_METRIC_BYTES_PER_SECOND);
	expect_refusal("attention", "heads=8 kv-heads=3", "kv-heads=3 does not divide heads=8");
	expect_refusal("attention", "query=3 keys=2 causal=yes", "no more queries than keys");
	expect_refusal("attention", "mode=decode query=2", "mode=decode has query=1");
	expect_refusal("attention", "mode=decode form=naive", "form=fused");
	expect_refusal("attention", "tile-keys=48", "powers of two");
	expect_refusal("attention", "rows=8 width=16", "at least width * vectors");
}

static void test_linear(void **state)
{
	struct request r;
	(void)state;
	/* 2 * 3 tokens * 5 rows * 256; W, its scales, and 2 bytes of each of 3 * 256 + 3 * 5. */
	expect("linear", "m=3 n=5 k=256", 4126, 7680, 4126);
	expect("linear", "m=3 n=5 k=256 weights=f32", 8252, 7680, 8252);
	expect("linear", "m=3 n=5 k=256 weights=f16 precision=f32", 5692, 7680, 5692);
	expect("linear", "m=3 n=5 k=256 weights=e4m3", 1280 + 20 + 1566, 7680, 1280 + 20 + 1566);
	expect("linear", "m=3 n=5 k=256 weights=i8", 1280 + 20 + 1566, 7680, 1280 + 20 + 1566);
	expect("linear", "m=3 n=5 k=256 weights=i4", 640 + 20 + 1566, 7680, 640 + 20 + 1566);
	expect("linear", "m=3 n=5 k=256 weights=mxfp4", 640 + 40 + 1566, 7680, 640 + 40 + 1566);
	assert_int_equal(describe(&r, "linear", ""), EH_OK);
	assert_int_equal(r.work.metric, EH_METRIC_BYTES_PER_SECOND);
	assert_string_equal(r.work.precision, "bf16/f32/bf16");
	assert_int_equal(r.work.needs, EH_CAP_BF16_STORE);
	/* A float of each item for each of 4 rows. */
	assert_int_equal(r.work.group_items, 128);
	assert_int_equal(r.work.local_bytes, 2048);
	assert_string_equal(define(&r, "EH_W_UNROLL"), "4");
	assert_string_equal(define(&r, "EH_W_TAIL_N"), "(none)");
	/* Nine tokens are two passes of five; the last has four. */
	assert_int_equal(describe(&r, "linear", "m=9 n=5"), EH_OK);
	assert_string_equal(define(&r, "EH_W_TOKENS"), "5");
	assert_string_equal(define(&r, "EH_W_TAIL_M"), "1");
	assert_string_equal(define(&r, "EH_W_TAIL_N"), "1");
	assert_string_equal(define(&r, "EH_W_UNROLL"), "1");
	assert_int_equal(describe(&r, "linear", "k=100"), EH_OK);
	assert_string_equal(define(&r, "EH_W_WIDE"), "0");
	assert_int_equal(describe(&r, "linear", "weights=i4 precision=f16 k=512"), EH_OK);
	assert_string_equal(r.work.precision, "i4/f32/f16");
	assert_string_equal(r.work.bytes_formula, "N*K/2 + s*N*K/128 + s*(M*K + M*N)");
	assert_string_equal(define(&r, "EH_W_SCALE"), "F16");
	/* 16 takes of 16 bytes in a row. */
	assert_string_equal(define(&r, "EH_W_ITEMS"), "16");
	assert_int_equal(r.work.needs, EH_CAP_FP16_STORE);
	assert_int_equal(describe(&r, "linear", "weights=f32"), EH_OK);
	assert_string_equal(r.work.precision, "f32");
	assert_int_equal(r.work.needs, 0);
	/* Scales are of x's type. */
	expect("linear", "m=3 n=5 k=256 weights=i4 precision=f32", 640 + 40 + 3132, 7680, 640 + 40 + 3132);
	assert_int_equal(describe(&r, "linear", "weights=mxfp4"), EH_OK);
	assert_string_equal(r.work.bytes_formula, "N*K/2 + N*K/32 + s*(M*K + M*N)");
	assert_string_equal(define(&r, "EH_W_FORMAT"), "E2M1");
	assert_string_equal(define(&r, "EH_W_SCALE"), "E8M0");
	expect_refusal("linear", "weights=i4 k=320", "k=320 is not a multiple of 128");
	expect_refusal("linear", "weights=mxfp4 k=48", "k=48 is not a multiple of 32");
	expect_refusal("linear", "items=100", "items=100 is not a multiple of 16");
}

static void test_moe(void **state)
{
	struct request r;
	(void)state;
	/* 38 rows. 2 bytes of 4 * 5 * 7 weights and of 19 * 7 inputs; 38 * 5 outputs; 38 tokens, 4 experts. */
	expect("moe", "tokens=19 n=5 k=7 experts=4", 2660, 2660, 546 + 380 + 168);
	expect("moe", "tokens=19 n=5 k=7 experts=4 output=f32", 2660, 2660, 546 + 760 + 168);
	expect("moe", "tokens=19 n=5 k=7 experts=4 precision=f32", 2660, 2660, 1092 + 760 + 168);
	/* The weights of two experts. */
	expect("moe", "tokens=19 n=5 k=7 experts=4 skew=one", 2660, 2660, 406 + 380 + 168);
	/* Of 3 rows 2 are the first expert's and 1 the seventh's, where what is left is more than half. */
	expect("moe", "tokens=3 n=5 k=7 top=1 skew=zipf exponent=2", 210, 210, 182 + 30 + 44);
	/* Mixtral 8x7B: 8 * 28672 * 4096 weights, 4096 * 4096 inputs, 8192 * 28672 outputs. */
	expect("moe", "tokens=4096 n=28672 k=4096", 1924145348608.0, 1924145348608.0, 2382397472.0);
	assert_int_equal(describe(&r, "moe", "tokens=19 n=5 k=7 experts=4"), EH_OK);
	assert_int_equal(r.work.metric, EH_METRIC_FLOP_PER_SECOND);
	assert_int_equal(r.work.working_set_bytes, 546 + 380 + 168);
	/* Y in whole words, a token of each row, and a tile of each expert. */
	assert_int_equal(r.work.device_bytes, 546 + 384 + 38 * 4 + 4 * 12);
	assert_int_equal(r.work.needs, EH_CAP_BF16_STORE);
	assert_string_equal(r.work.precision, "bf16/f32/bf16");
	assert_string_equal(r.work.kernel, "gemm");
	/* Of 16 rows, since an expert has 10. */
	assert_int_equal(r.work.local_bytes, 4 * 16 * (16 + 4 + 128));
	assert_string_equal(define(&r, "EH_G_ROWS"), "1");
	assert_string_equal(define(&r, "EH_G_GROUPED"), "1");
	assert_string_equal(define(&r, "EH_G_TURN_A"), "(none)");
	assert_string_equal(define(&r, "EH_G_TURN_B"), "1");
	assert_string_equal(define(&r, "EH_G_GUARD"), "1");
	assert_string_equal(define(&r, "EH_G_LOOSE"), "1");
	assert_string_equal(define(&r, "EH_G_NARROW"), "1");
	/* Tails of rows need no guards; all of an expert that has no rows is allocated. */
	assert_int_equal(describe(&r, "moe", "tokens=19 n=128 k=64 experts=4 skew=one precision=f32 rows=1"),
	                 EH_OK);
	assert_string_equal(define(&r, "EH_G_GUARD"), "(none)");
	assert_string_equal(define(&r, "EH_G_LOOSE"), "(none)");
	assert_string_equal(define(&r, "EH_G_NARROW"), "(none)");
	assert_string_equal(r.work.precision, "f32");
	assert_int_equal(r.work.device_bytes, 4 * (4 * 128 * 64 + 19 * 64 + 38 * 128 + 38) + 4 * 12);
	assert_int_equal(describe(&r, "moe", "tokens=72 experts=4 depth=8"), EH_OK);
	assert_string_equal(define(&r, "EH_G_ROWS"), "4");
	assert_int_equal(describe(&r, "moe", "tokens=4096 experts=4"), EH_OK);
	assert_string_equal(define(&r, "EH_G_ROWS"), "8");
	assert_int_equal(describe(&r, "moe", "tokens=1 depth=8"), EH_OK);
	assert_string_equal(define(&r, "EH_G_ROWS"), "2");
	expect_refusal("moe", "top=9", "top=9 different experts of experts=8; set top to 8 at most");
	expect_refusal("moe", "exponent=2", "exponent=2 belongs to skew=zipf, not to skew=uniform");
	expect_refusal("moe", "width=3", "moe: width=3 is not");
	expect_refusal("moe", "rows=1 depth=8", "multiples of 16");
}

static void test_block(void **state)
{
	static const char few[] = "layers=2 hidden=72 intermediate=88 heads=4 kv-heads=2 batch=9 context=70";
	static const char some[] = "mode=prefill layers=2 hidden=72 intermediate=88 heads=4 kv-heads=2 batch=2 "
	                           "tokens=37 context=21 precision=f32";
	struct request r;
	char settings[200];
	(void)state;
	/* A layer's matrices: 72 * (512 + 256 + 176 + 88) = 74,304, and two norms of 72.  The caches: 2 * 9
	 * sequences * 71 tokens * 128.  9 rows of 72 come in and go out.  A head's query sees 71 keys. */
	expect("block", few, 1, 2 * (2 * 74304 * 9 + 4 * 256 * 9 * 71),
	       2 * (2 * (74304 + 144 + 163584) + 2 * 648));
	/* The logits take another norm and 40 * 72 weights, and are what goes out. */
	snprintf(settings, sizeof settings, "%s vocabulary=40", few);
	expect("block", settings, 1, 3983616 + 2 * 9 * 72 * 40, 960048);
	/* 74 rows, which see 21 + 19 keys on average; caches of 58 tokens. */
	expect("block", some, 1, 2 * (2 * 74304 * 74 + 4 * 256 * 74 * 40),
	       4 * (2 * (74304 + 144 + 2 * 2 * 58 * 128) + 2 * 74 * 72));
	assert_int_equal(describe(&r, "block", few), EH_OK);
	assert_int_equal(r.work.metric, EH_METRIC_SECONDS);
	assert_string_equal(r.work.precision, "bf16/f32/bf16");
	assert_int_equal(r.work.needs, EH_CAP_BF16_STORE);
	assert_int_equal(r.work.working_set_bytes, 954720);
	/* Beside it two sets of 9 rows of 1,648 elements, 64 angles in f32, and of each of 36 heads 64 sums, a
	 * maximum and a total. */
	assert_int_equal(r.work.device_bytes,
	                 954720 - 2 * 648 + 2 * 9 * 2 * 1648 + 4 * 64 + 36 * (4 * 64 + 8));
	/* Nine rows are two passes of five. */
	assert_string_equal(define(&r, "EH_B_TOKENS"), "5");
	assert_string_equal(define(&r, "EH_B_GROUP"), "2");
	/* Attention's queries, products, sums of 32 keys, and two numbers of each work-item. */
	assert_int_equal(r.work.local_bytes, 4 * (2 * 64 + 256 * 2 + 32 * 64 + 512));
	/* Three groups of 32 keys leave as many of them. */
	snprintf(settings, sizeof settings, "%s split=32", few);
	assert_int_equal(describe(&r, "block", settings), EH_OK);
	assert_int_equal(r.work.device_bytes, 1013008 + 3 * 36 * (4 * 64 + 8));
	assert_int_equal(describe(&r, "block", some), EH_OK);
	assert_string_equal(define(&r, "EH_B_PREFILL"), "1");
	assert_string_equal(define(&r, "EH_B_ROWS"), "8");
	assert_int_equal(r.work.local_bytes, 4 * (64 * 96 + 64 * 32 + 256));
	assert_int_equal(r.work.needs, 0);
	/* Llama 3 with 8 billion parameters: 218,103,808 weights in a layer; 8,191 tokens before. */
	assert_int_equal(describe(&r, "block", "layers=32 hidden=4096 intermediate=14336 heads=32 kv-heads=8 "
	                                       "head=128 context=8191 vocabulary=128256"), EH_OK);
	assert_int_equal(r.work.working_set_bytes,
	                 2 * (UINT64_C(32) * (218103808 + 8192) + 4096 * UINT64_C(128257) +
	                      32 * 2 * UINT64_C(8192) * 1024 + 4096 + 128256));
	expect_refusal("block", "hidden=100", "must be multiples of 8");
	expect_refusal("block", "heads=6", "kv-heads=4 does not divide heads=6");
	expect_refusal("block", "tokens=2", "one token for each sequence");
	expect_refusal("block", "mode=prefill split=256", "split=256 belongs to mode=decode");
	expect_refusal("block", "mode=prefill batch=32 tokens=40000", "batch=32 times tokens=40000 is more than 1048576 rows");
	expect_refusal("block", "heads=128 batch=1000", "batch=1000 times heads=128 is more than 65535 groups");
	expect_refusal("block", "mode=prefill tokens=60000 heads=1024 kv-heads=0", "more than 2^31 pairs");
}

/* describe() is pure: the same again, whatever was in the struct before. */
static void test_describe_is_pure(void **state)
{
	static const char *const names[] = {"stream", "launch", "graph", "xfer", "fma", "gemm", "fused",
	                                    "overlap", "alloc", "coldstart", "numerics", "attention",
	                                    "linear", "moe", "block"};
	struct request a, b;
	size_t i;
	(void)state;
	for (i = 0; i < sizeof names / sizeof names[0]; i++) {
		const eh_workload *w;
		assert_int_equal(describe(&a, names[i], ""), EH_OK);
		assert_int_equal(describe(&b, names[i], ""), EH_OK);
		memset(&b.work, 0x5a, sizeof b.work);
		b.work.struct_size = sizeof b.work;
		w = plugin_find_workload(NULL, names[i], &b.error);
		assert_non_null(w);
		assert_int_equal(w->describe(&b.c, &b.work, &b.error), EH_OK);
		assert_memory_equal(&a.work, &b.work, sizeof a.work);
		assert_true(a.work.amount > 0);
		assert_true(a.work.precision[0] != '\0');
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_stream_counts), cmocka_unit_test(test_stream_shape),
		cmocka_unit_test(test_stream_refusals), cmocka_unit_test(test_launch),
		cmocka_unit_test(test_graph),
		cmocka_unit_test(test_xfer),
		cmocka_unit_test(test_p2p), cmocka_unit_test(test_fma),
		cmocka_unit_test(test_gemm), cmocka_unit_test(test_fused),
		cmocka_unit_test(test_overlap), cmocka_unit_test(test_alloc),
		cmocka_unit_test(test_coldstart), cmocka_unit_test(test_numerics),
		cmocka_unit_test(test_numerics_through_gemm),
		cmocka_unit_test(test_attention), cmocka_unit_test(test_linear),
		cmocka_unit_test(test_moe), cmocka_unit_test(test_block),
		cmocka_unit_test(test_describe_is_pure),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("workloads", tests, NULL, NULL);
}
