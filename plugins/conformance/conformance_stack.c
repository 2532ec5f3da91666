/* SPDX-License-Identifier: Apache-2.0 */
/* The stack of the threads that run kernels, where kernels are C functions. */
#include <stdlib.h>

#include "conformance_kit.h"

/* The stack that the largest tuned shape of gemm needs in the thread that runs a group. */
#define STACK_WORDS 512
#define STACK_ITEMS 256
static const char stack_body[] =
	"typedef struct { eh_u32 v[512]; } cf_deep;\n"
	"EH_KERNEL(16, 16, 1) cf_stack(EH_GLOBAL eh_u32 *out, int rounds)\n{\n"
	"\tEH_LOCAL(eh_u32, shared[1024]);\n\tEH_PRIVATE(cf_deep, deep, 256);\n"
	"\tEH_ITEMS(16, 16, 1)\n"
	"\t\tfor (int i = 0; i < 512; i++)\n"
	"\t\t\tEH_P(deep).v[i] = (eh_u32)(i + EH_LID(1) * 16 + EH_LID(0));\n"
	"\tEH_END\n"
	"\tfor (int r = 0; r < rounds; r++) {\n"
	"\t\tEH_ITEMS(16, 16, 1)\n"
	"\t\t\tfor (int i = 0; i < 512; i++)\n"
	"\t\t\t\tEH_P(deep).v[i] = EH_P(deep).v[i] * 5u + EH_P(deep).v[(i * 3 + r) & 511];\n"
	"\t\t\tshared[EH_LID(1) * 16 + EH_LID(0)] = EH_P(deep).v[r];\n"
	"\t\tEH_END\n\t\tEH_BARRIER();\n"
	"\t\tEH_ITEMS(16, 16, 1)\n"
	"\t\t\tEH_P(deep).v[0] += shared[(EH_LID(1) * 16 + EH_LID(0) + 1) & 255];\n"
	"\t\tEH_END\n\t\tEH_BARRIER();\n\t}\n"
	"\tEH_ITEMS(16, 16, 1)\n"
	"\t\tint item = EH_LID(1) * 16 + EH_LID(0);\n"
	"\t\tout[EH_GROUP(0) * 256 + item] = EH_P(deep).v[0] ^ EH_P(deep).v[511];\n"
	"\tEH_END\n}\n"
	"EH_ENTRY(cf_stack, (EH_GLOBAL eh_u32 *, int))\n";

static void stack_want(uint32_t want[STACK_ITEMS], int rounds)
{
	uint32_t (*v)[STACK_WORDS] = kit_memory(STACK_ITEMS * sizeof(*v));
	uint32_t shared[STACK_ITEMS];

	for (int t = 0; t < STACK_ITEMS; t++) {
		for (int i = 0; i < STACK_WORDS; i++)
			v[t][i] = (uint32_t)(i + t);
	}
	for (int r = 0; r < rounds; r++) {
		for (int t = 0; t < STACK_ITEMS; t++) {
			for (int i = 0; i < STACK_WORDS; i++)
				v[t][i] = v[t][i] * 5u + v[t][(i * 3 + r) & (STACK_WORDS - 1)];
			shared[t] = v[t][r];
		}
		for (int t = 0; t < STACK_ITEMS; t++)
			v[t][0] += shared[(t + 1) & (STACK_ITEMS - 1)];
	}
	for (int t = 0; t < STACK_ITEMS; t++)
		want[t] = v[t][0] ^ v[t][STACK_WORDS - 1];
	free(v);
}

void conformance_kernel_stack(kit *k)
{
	const eh_device_info *info = &k->info;
	const int32_t rounds = 2;
	const uint32_t units = info->compute_units > 256 ? 256 : info->compute_units;
	const uint32_t groups = units > 8 ? units * 8 : 64, size[3] = { 16, 16, 1 };
	const uint32_t all[3] = { groups, 1, 1 };
	const size_t bytes = (size_t)groups * STACK_ITEMS * 4;
	uint32_t want[STACK_ITEMS], *got;
	eh_program *program;
	eh_kernel *kernel;
	eh_buffer *out;

	if (info->type == EH_DEVICE_GPU) {
		kit_skip(k, "a GPU's work-items have no thread's stack");
		return;
	}
	if ((info->max_group_items > 0 && info->max_group_items < STACK_ITEMS) ||
	    (info->local_memory_bytes > 0 && info->local_memory_bytes < 4096)) {
		kit_skip(k, "the device has no groups of 256 items with 4 KiB of their own");
		return;
	}
	if (!kit_ok(k, "program_build", kit_build(k, stack_body, 1, &program, NULL, 0)))
		return;
	kit_own(k, KIT_PROGRAM, program);
	if (!kit_ok(k, "kernel_get", k->ops->kernel_get(program, "cf_stack", &kernel, &k->error)) ||
	    !kit_buffer(k, EH_MEMORY_DEVICE, bytes, &out))
		return;
	const eh_arg args[] = { ARG_BUFFER(out), ARG_VALUE(rounds) };

	got = kit_memory(bytes);
	stack_want(want, rounds);
	if (kit_launch(k, kernel, all, size, args, 2) && kit_download(k, got, out, 0, bytes)) {
		for (uint32_t g = 0; g < groups; g++) {
			if (!kit_same(k, got + (size_t)g * STACK_ITEMS, want, sizeof(want),
			              "values in 516 KiB of a group's private and local memory"))
				break;
		}
	}
	kit_settle(k);
	free(got);
}
