/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of launches: arguments, grids, memory spaces, arithmetic. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "conformance_kit.h"

void conformance_kernel_values(kit *k)
{
	enum { COUNT = 100003 };
	const uint32_t factor = 2654435761u, addend = 12345, n = COUNT;
	uint32_t *in = kit_memory(COUNT * 4), *want = kit_memory((COUNT + 61) * 4);
	uint32_t *got = kit_memory((COUNT + 61) * 4);
	eh_buffer *a, *b;
	eh_kernel *kernel;

	kit_pattern(in, COUNT * 4, 5);
	for (uint32_t i = 0; i < COUNT + 61; i++)
		want[i] = i < COUNT ? in[i] * factor + addend : 0xeeeeeeeeu;
	if (kit_kernel(k, "cf_affine", &kernel) && kit_buffer(k, EH_MEMORY_DEVICE, COUNT * 4, &a) &&
	    kit_buffer(k, EH_MEMORY_DEVICE, (COUNT + 61) * 4, &b)) {
		const eh_arg args[] = { ARG_BUFFER(b), ARG_BUFFER(a), ARG_VALUE(factor),
			                ARG_VALUE(addend), ARG_VALUE(n) };

		if (kit_upload(k, a, 0, in, COUNT * 4) &&
		    kit_fill(k, b, 0, (COUNT + 61) * 4, 0xeeeeeeeeu) &&
		    kit_launch_x(k, kernel, (COUNT + 63) / 64, 64, args, 5) &&
		    kit_download(k, got, b, 0, (COUNT + 61) * 4))
			kit_same(k, got, want, (COUNT + 61) * 4, "the output");
	}
	kit_settle(k);
	free(in);
	free(want);
	free(got);
}

void conformance_kernel_scalars(kit *k)
{
	const uint8_t a = 0xfe, g = 0x81;
	const uint64_t b = UINT64_C(0xfedcba9876543210);
	const uint16_t c = 0xfffe;
	const int64_t d = INT64_C(-1234567890123);
	const int32_t e = -7;
	const float f = -2.625f;
	const uint32_t h = 0x89abcdef, in = 0xcafef00d;
	const uint64_t want[9] = {
		a, b, c, (uint64_t)d, (uint64_t)(int64_t)e, (uint64_t)INT64_C(-21), in, g, h
	};
	uint64_t got[9] = { 0 };
	eh_buffer *out, *words;
	eh_kernel *kernel;

	if (!kit_kernel(k, "cf_scalars", &kernel) ||
	    !kit_buffer(k, EH_MEMORY_DEVICE, sizeof(got), &out) ||
	    !kit_buffer(k, EH_MEMORY_DEVICE, 64, &words))
		return;
	const eh_arg args[] = { ARG_BUFFER(out), ARG_VALUE(a), ARG_VALUE(b), ARG_VALUE(c),
		                ARG_VALUE(d),    ARG_VALUE(e), ARG_VALUE(f), ARG_BUFFER(words),
		                ARG_VALUE(g),    ARG_VALUE(h) };
	if (!kit_upload(k, words, 0, &in, 4) || !kit_launch_x(k, kernel, 1, 1, args, 10) ||
	    !kit_download(k, got, out, 0, sizeof(got)))
		return;
	for (int i = 0; i < 9; i++) {
		if (got[i] == want[i])
			continue;
		kit_fail(k, "value %d arrived as 0x%llx instead of 0x%llx", i,
		         (unsigned long long)got[i], (unsigned long long)want[i]);
		return;
	}
}

void conformance_kernel_many(kit *k)
{
	uint32_t v[16], got[4] = { 0 };
	eh_buffer *out[4];
	eh_arg args[20];
	eh_kernel *kernel;

	memset(args, 0, sizeof(args));
	if (!kit_kernel(k, "cf_many", &kernel))
		return;
	for (int i = 0; i < 4; i++) {
		if (!kit_buffer(k, EH_MEMORY_DEVICE, 4, &out[i]))
			return;
		args[i].buffer = out[i];
	}
	for (int i = 0; i < 16; i++) {
		v[i] = (uint32_t)(i * 7 % 10);
		args[4 + i].data = &v[i];
		args[4 + i].size = 4;
	}
	if (!kit_launch_x(k, kernel, 1, 1, args, 20))
		return;
	for (int i = 0; i < 4; i++) {
		const uint32_t want = v[4 * i] + 10 * v[4 * i + 1] + 100 * v[4 * i + 2] +
		                      1000 * v[4 * i + 3];

		if (!kit_download(k, &got[i], out[i], 0, 4))
			return;
		if (got[i] != want) {
			kit_fail(k, "buffer %d received %u instead of %u", i, got[i], want);
			return;
		}
	}
}

void conformance_kernel_copied(kit *k)
{
	enum { LAUNCHES = 50, COUNT = 64 };
	uint32_t factor, addend, n = COUNT, value = 1, want = 1, got[COUNT], first[COUNT];
	eh_buffer *a;
	eh_kernel *kernel;

	for (int i = 0; i < COUNT; i++)
		first[i] = value;
	if (!kit_kernel(k, "cf_affine", &kernel) ||
	    !kit_buffer(k, EH_MEMORY_DEVICE, sizeof(got), &a) ||
	    !kit_upload(k, a, 0, first, sizeof(first)))
		return;
	for (uint32_t i = 0; i < LAUNCHES; i++) {
		eh_arg args[] = { ARG_BUFFER(a), ARG_BUFFER(a), ARG_VALUE(factor),
			          ARG_VALUE(addend), ARG_VALUE(n) };

		factor = 3 + i;
		addend = i * i;
		want = want * factor + addend;
		if (!kit_launch_x(k, kernel, 1, 64, args, 5))
			return;
		factor = addend = 0xdddddddd;
		memset(args, 0xdd, sizeof(args));
	}
	if (!kit_download(k, got, a, 0, sizeof(got)))
		return;
	for (int i = 0; i < COUNT; i++) {
		if (got[i] != want) {
			kit_fail(k, "arguments that were overwritten after launch returned took "
			            "effect");
			return;
		}
	}
}

static void grid(kit *k, uint32_t x, uint32_t y, uint32_t z)
{
	const uint32_t groups[3] = { x, y, z }, size[3] = { 4, 2, 2 };
	const size_t items = (size_t)x * y * z * 16;
	uint32_t *place = kit_memory(items * 4), *visits = kit_memory(items * 4);
	eh_buffer *out, *seen;
	eh_kernel *kernel;

	if (kit_kernel(k, "cf_place", &kernel) &&
	    kit_buffer(k, EH_MEMORY_DEVICE, items * 4, &out) &&
	    kit_buffer(k, EH_MEMORY_DEVICE, items * 4, &seen)) {
		const eh_arg args[] = { ARG_BUFFER(out), ARG_BUFFER(seen) };

		if (!kit_fill(k, out, 0, items * 4, 0xffffffffu) ||
		    !kit_fill(k, seen, 0, items * 4, 0) ||
		    !kit_launch(k, kernel, groups, size, args, 2) ||
		    !kit_download(k, place, out, 0, items * 4) ||
		    !kit_download(k, visits, seen, 0, items * 4))
			goto done;
		for (size_t i = 0; i < items; i++) {
			const uint32_t g = (uint32_t)(i / 16);
			const uint32_t want = (g % x | g / x % y << 10 | g / x / y << 20) * 16u +
			                      (uint32_t)(i % 16);

			if (visits[i] == 1 && place[i] == want)
				continue;
			if (place[i] == want || visits[i] == 0)
				kit_fail(k, "grid %ux%ux%u: item %zu of group %u ran %u times", x,
				         y, z, i % 16, g, visits[i]);
			else
				kit_fail(k,
				         "grid %ux%ux%u: item %zu of group %u ran %u times and "
				         "took itself for 0x%x instead of 0x%x",
				         x, y, z, i % 16, g, visits[i], place[i], want);
			break;
		}
	}
done:
	kit_settle(k);
	free(place);
	free(visits);
}

void conformance_kernel_grid_1d(kit *k)
{
	grid(k, 1, 1, 1);
	if (k->outcome == EH_TEST_PASS)
		grid(k, 1000, 1, 1);
}

void conformance_kernel_grid_2d(kit *k)
{
	grid(k, 37, 11, 1);
	if (k->outcome == EH_TEST_PASS)
		grid(k, 1, 300, 1);
}

void conformance_kernel_grid_3d(kit *k)
{
	grid(k, 7, 5, 3);
	if (k->outcome == EH_TEST_PASS)
		grid(k, 1, 2, 60);
}

void conformance_kernel_local(kit *k)
{
	enum { GROUPS = 100, COUNT = GROUPS * 64 };
	const int32_t rounds = 7;
	uint32_t in[COUNT], want[COUNT], got[COUNT];
	eh_buffer *a;
	eh_kernel *kernel;

	kit_pattern(in, sizeof(in), 6);
	for (int g = 0; g < GROUPS; g++) {
		for (int i = 0; i < 64; i++) /* an odd number of reversals is one */
			want[g * 64 + i] = in[g * 64 + 63 - i] + (uint32_t)rounds;
	}
	if (!kit_kernel(k, "cf_reverse", &kernel) ||
	    !kit_buffer(k, EH_MEMORY_DEVICE, sizeof(in), &a))
		return;
	const eh_arg args[] = { ARG_BUFFER(a), ARG_VALUE(rounds) };
	if (kit_upload(k, a, 0, in, sizeof(in)) && kit_launch_x(k, kernel, GROUPS, 64, args, 2) &&
	    kit_download(k, got, a, 0, sizeof(got)))
		kit_same(k, got, want, sizeof(got), "values reversed through work-group memory");
}

static const char whole_body[] =
	"EH_KERNEL(64, 1, 1) cf_whole(EH_GLOBAL eh_u32 *out)\n{\n"
	"\tEH_LOCAL_AT(eh_u32, low, CF_VALUE / 2, 0);\n"
	"\tEH_LOCAL_AT(eh_u32, high, CF_VALUE / 2, CF_VALUE / 2 * 4);\n"
	"\tEH_ITEMS(64, 1, 1)\n"
	"\t\tfor (int i = EH_LID(0); i < CF_VALUE / 2; i += 64) {\n"
	"\t\t\tlow[i] = (eh_u32)(EH_GROUP(0) * CF_VALUE + i) * 2654435761u;\n"
	"\t\t\thigh[i] = (eh_u32)(EH_GROUP(0) * CF_VALUE + CF_VALUE / 2 + i) * 2654435761u;\n"
	"\t\t}\n\tEH_END\n\tEH_BARRIER();\n"
	"\tEH_ITEMS(64, 1, 1)\n"
	"\t\tfor (int i = 63 - EH_LID(0); i < CF_VALUE / 2; i += 64) {\n"
	"\t\t\tout[EH_GROUP(0) * CF_VALUE + i] = low[i];\n"
	"\t\t\tout[EH_GROUP(0) * CF_VALUE + CF_VALUE / 2 + i] = high[i];\n"
	"\t\t}\n\tEH_END\n}\n"
	"EH_ENTRY(cf_whole, (EH_GLOBAL eh_u32 *))\n";

static bool launch_whole(kit *k, eh_kernel *kernel, uint32_t groups, eh_buffer *out,
                         uint32_t struct_size, uint64_t local_bytes)
{
	const eh_arg args[] = { ARG_BUFFER(out) };
	const eh_launch l = { .struct_size = struct_size, .arg_count = 1, .groups = { groups, 1, 1 },
		.group_size = { groups == 1 ? 1 : 64, 1, 1 }, .args = args, .local_bytes = local_bytes };

	return kit_ok(k, "launch", k->ops->launch(k->queue, kernel, &l, &k->error));
}

void conformance_kernel_local_whole(kit *k)
{
	enum { GROUPS = 3, MOST = 256 << 10 };
	const uint32_t has = k->info.local_memory_bytes, bytes = (has < MOST ? has : MOST) / 256 * 256;
	const size_t all = (size_t)GROUPS * bytes;
	uint32_t *want, *got;
	eh_program *program;
	eh_kernel *kernel, *plain;
	eh_buffer *out;

	if (bytes == 0) {
		kit_skip(k, "the device does not report its local memory");
		return;
	}
	if (!kit_ok(k, "program_build", kit_build(k, whole_body, bytes / 4, &program, NULL, 0)))
		return;
	kit_own(k, KIT_PROGRAM, program);
	if (!kit_ok(k, "kernel_get", k->ops->kernel_get(program, "cf_whole", &kernel, &k->error)) ||
	    !kit_kernel(k, "cf_macro", &plain) || !kit_buffer(k, EH_MEMORY_DEVICE, all, &out))
		return;
	want = kit_memory(all);
	got = kit_memory(all);
	for (size_t i = 0; i < all / 4; i++)
		want[i] = (uint32_t)i * 2654435761u;
	/* A caller of version 1.1 ends before local_bytes. */
	if (launch_whole(k, plain, 1, out, offsetof(eh_launch, local_bytes), UINT64_MAX) &&
	    launch_whole(k, kernel, GROUPS, out, sizeof(eh_launch), bytes) &&
	    kit_download(k, got, out, 0, all))
		kit_same(k, got, want, all, "values that passed through a group's whole local memory");
	kit_settle(k);
	free(want);
	free(got);
}

void conformance_kernel_private(kit *k)
{
	enum { GROUPS = 20, ROUNDS = 5 };
	const uint32_t groups[3] = { GROUPS, 1, 1 }, size[3] = { 32, 2, 1 };
	const int32_t rounds = ROUNDS;
	uint32_t want[GROUPS * 64], got[GROUPS * 64];
	eh_buffer *a;
	eh_kernel *kernel;

	for (uint32_t i = 0; i < GROUPS * 64; i++) {
		const uint32_t mine = i % 64, next = (mine + 1) % 64;

		/* The neighbour's value grows by one a round. */
		want[i] = (mine + ROUNDS) * 65536u + next * ROUNDS + ROUNDS * (ROUNDS - 1) / 2;
	}
	if (!kit_kernel(k, "cf_private", &kernel) ||
	    !kit_buffer(k, EH_MEMORY_DEVICE, sizeof(got), &a))
		return;
	const eh_arg args[] = { ARG_BUFFER(a), ARG_VALUE(rounds) };
	if (kit_launch(k, kernel, groups, size, args, 2) && kit_download(k, got, a, 0, sizeof(got)))
		kit_same(k, got, want, sizeof(got), "values kept across barriers");
}

void conformance_kernel_loop(kit *k)
{
	const uint32_t rounds = 200000, start = 2463534242u;
	const uint32_t want = kit_steps(start, rounds);
	uint32_t got = 0;
	eh_buffer *state;
	eh_kernel *kernel;

	if (!kit_kernel(k, "cf_loop", &kernel) || !kit_buffer(k, EH_MEMORY_DEVICE, 64, &state))
		return;
	const eh_arg args[] = { ARG_BUFFER(state), ARG_VALUE(rounds) };
	if (kit_upload(k, state, 0, &start, 4) && kit_launch_x(k, kernel, 1, 1, args, 2) &&
	    kit_download(k, &got, state, 0, 4) && got != want)
		kit_fail(k,
		         "a loop of %u rounds gave a wrong value: the compiler or driver ends long "
		         "loops early, "
		         "so every kernel with one is wrong there",
		         rounds);
}

void conformance_kernel_atomics(kit *k)
{
	enum { GROUPS = 500 };
	struct { uint32_t sums[2]; int32_t negative; float real; } got;
	eh_buffer *sums, *negative, *real;
	eh_kernel *kernel;

	if (!kit_kernel(k, "cf_atomic", &kernel) || !kit_buffer(k, EH_MEMORY_DEVICE, 8, &sums) ||
	    !kit_buffer(k, EH_MEMORY_DEVICE, 4, &negative) ||
	    !kit_buffer(k, EH_MEMORY_DEVICE, 4, &real))
		return;
	const eh_arg args[] = { ARG_BUFFER(sums), ARG_BUFFER(negative), ARG_BUFFER(real) };
	if (!kit_fill(k, sums, 0, 8, 0) || !kit_fill(k, negative, 0, 4, 0) ||
	    !kit_fill(k, real, 0, 4, 0) || !kit_launch_x(k, kernel, GROUPS, 64, args, 3) ||
	    !kit_download(k, got.sums, sums, 0, 8) ||
	    !kit_download(k, &got.negative, negative, 0, 4) ||
	    !kit_download(k, &got.real, real, 0, 4))
		return;
	if (got.sums[0] != GROUPS * 64 || got.sums[1] != GROUPS * (GROUPS - 1) / 2 * 64 ||
	    got.negative != -GROUPS * 64 || got.real != GROUPS * 32.0f)
		kit_fail(k,
		         "%d items counted themselves as %u, their groups as %u instead of %u, "
		         "downwards as %d, "
		         "in halves as %g",
		         GROUPS * 64, got.sums[0], got.sums[1], GROUPS * (GROUPS - 1) / 2 * 64,
		         got.negative, (double)got.real);
}

void conformance_kernel_atomics64(kit *k)
{
	enum { GROUPS = 100 };
	const uint64_t addend = UINT64_C(0x100000001), want = addend * GROUPS * 64;
	uint64_t got = 0;
	eh_buffer *sum;
	eh_kernel *kernel;

	if (!kit_has(k, EH_CAP_ATOMIC64, "EH_CAP_ATOMIC64") ||
	    !kit_kernel(k, "cf_atomic64", &kernel) || !kit_buffer(k, EH_MEMORY_DEVICE, 8, &sum))
		return;
	const eh_arg args[] = { ARG_BUFFER(sum), ARG_VALUE(addend) };
	if (kit_fill(k, sum, 0, 8, 0) && kit_launch_x(k, kernel, GROUPS, 64, args, 2) &&
	    kit_download(k, &got, sum, 0, 8) && got != want)
		kit_fail(k, "the sum is %llu instead of %llu", (unsigned long long)got,
		         (unsigned long long)want);
}

void conformance_kernel_fp32(kit *k)
{
	enum { COUNT = 1024 };
	const float a = 1.1f, b = -0.3f;
	float in[COUNT], got[COUNT];
	eh_buffer *from, *to;
	eh_kernel *kernel;

	for (int i = 0; i < COUNT; i++)
		in[i] = (float)(i - 500) * 0.37f;
	if (!kit_kernel(k, "cf_fp32", &kernel) ||
	    !kit_buffer(k, EH_MEMORY_DEVICE, sizeof(in), &from) ||
	    !kit_buffer(k, EH_MEMORY_DEVICE, sizeof(in), &to))
		return;
	const eh_arg args[] = { ARG_BUFFER(to), ARG_BUFFER(from), ARG_VALUE(a), ARG_VALUE(b) };
	if (!kit_upload(k, from, 0, in, sizeof(in)) ||
	    !kit_launch_x(k, kernel, COUNT / 64, 64, args, 4) ||
	    !kit_download(k, got, to, 0, sizeof(got)))
		return;
	for (int i = 0; i < COUNT; i++) {
		if (got[i] != fmaf(a, in[i], b)) {
			kit_fail(k, "fma(%a, %a, %a) gave %a instead of %a", (double)a,
			         (double)in[i], (double)b, (double)got[i],
			         (double)fmaf(a, in[i], b));
			return;
		}
	}
}

void conformance_kernel_fp64(kit *k)
{
	enum { COUNT = 1024 };
	const double a = 1.1, b = -0.3;
	double in[COUNT], got[COUNT];
	eh_buffer *from, *to;
	eh_kernel *kernel;

	for (int i = 0; i < COUNT; i++)
		in[i] = (double)(i - 500) * 0.37;
	if (!kit_has(k, EH_CAP_FP64, "EH_CAP_FP64") || !kit_kernel(k, "cf_fp64", &kernel) ||
	    !kit_buffer(k, EH_MEMORY_DEVICE, sizeof(in), &from) ||
	    !kit_buffer(k, EH_MEMORY_DEVICE, sizeof(in), &to))
		return;
	const eh_arg args[] = { ARG_BUFFER(to), ARG_BUFFER(from), ARG_VALUE(a), ARG_VALUE(b) };
	if (!kit_upload(k, from, 0, in, sizeof(in)) ||
	    !kit_launch_x(k, kernel, COUNT / 64, 64, args, 4) ||
	    !kit_download(k, got, to, 0, sizeof(got)))
		return;
	for (int i = 0; i < COUNT; i++) {
		if (got[i] != fma(a, in[i], b)) {
			kit_fail(k, "fma(%a, %a, %a) gave %a instead of %a", a, in[i], b, got[i],
			         fma(a, in[i], b));
			return;
		}
	}
}

/* A 16-bit number and three times it, rounded to nearest even; worked out by hand. */
typedef struct half_case { uint16_t in, want; } half_case;

static void storage(kit *k, const char *name, const half_case *cases, size_t count)
{
	uint16_t in[64], got[64];
	eh_buffer *from, *to;
	eh_kernel *kernel;

	for (size_t i = 0; i < 64; i++)
		in[i] = cases[i % count].in;
	if (!kit_kernel(k, name, &kernel) || !kit_buffer(k, EH_MEMORY_DEVICE, sizeof(in), &from) ||
	    !kit_buffer(k, EH_MEMORY_DEVICE, sizeof(in), &to))
		return;
	const eh_arg args[] = { ARG_BUFFER(to), ARG_BUFFER(from) };
	if (!kit_upload(k, from, 0, in, sizeof(in)) || !kit_launch_x(k, kernel, 1, 64, args, 2) ||
	    !kit_download(k, got, to, 0, sizeof(got)))
		return;
	for (size_t i = 0; i < 64; i++) {
		if (got[i] != cases[i % count].want) {
			kit_fail(k,
			         "3 times the number with the bits 0x%04x gave 0x%04x instead of "
			         "0x%04x",
			         cases[i % count].in, got[i], cases[i % count].want);
			return;
		}
	}
}

void conformance_kernel_f16(kit *k)
{
	static const half_case cases[] = {
		{ 0x0000, 0x0000 }, { 0x8000, 0x8000 }, { 0x3c00, 0x4200 }, { 0xbc00, 0xc200 },
		{ 0x3c01, 0x4202 }, { 0x3c02, 0x4203 }, { 0x3c03, 0x4204 }, { 0x7bff, 0x7c00 },
		{ 0x7c00, 0x7c00 }, { 0xfc00, 0xfc00 }, { 0x2e66, 0x34cc },
	};

	if (kit_has(k, EH_CAP_FP16_STORE, "EH_CAP_FP16_STORE"))
		storage(k, "cf_f16", cases, sizeof(cases) / sizeof(cases[0]));
}

void conformance_kernel_bf16(kit *k)
{
	static const half_case cases[] = {
		{ 0x0000, 0x0000 }, { 0x8000, 0x8000 }, { 0x3f80, 0x4040 }, { 0xbf80, 0xc040 },
		{ 0x3f81, 0x4042 }, { 0x3f83, 0x4044 }, { 0x3f85, 0x4048 }, { 0x7f80, 0x7f80 },
		{ 0x7f7f, 0x7f80 },
	};

	if (kit_has(k, EH_CAP_BF16_STORE, "EH_CAP_BF16_STORE"))
		storage(k, "cf_bf16", cases, sizeof(cases) / sizeof(cases[0]));
}
