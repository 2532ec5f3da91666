/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of programs: from source to kernels. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conformance_kit.h"
#include "conformance_text.h"

#define CANARY 0xa5

static bool macro_value(kit *k, eh_program *program, eh_buffer *out, uint32_t want)
{
	const eh_arg args[] = { ARG_BUFFER(out) };
	eh_kernel *kernel;
	uint32_t got = 0;

	if (!kit_ok(k, "kernel_get", k->ops->kernel_get(program, "cf_macro", &kernel, &k->error)) ||
	    !kit_fill(k, out, 0, 4, 0) || !kit_launch_x(k, kernel, 1, 1, args, 1) ||
	    !kit_download(k, &got, out, 0, 4))
		return false;
	if (got != want)
		kit_fail(k, "a program built with the macro CF_VALUE=%u stored %u", want, got);
	return got == want;
}

void conformance_program_macros(kit *k)
{
	const uint32_t values[2] = { 4000000001u, 17 };
	eh_program *programs[2] = { NULL, NULL };
	eh_buffer *out;

	if (!kit_buffer(k, EH_MEMORY_DEVICE, 64, &out))
		return;
	for (int i = 0; i < 2; i++) {
		if (!kit_ok(k, "program_build", kit_build(k, k->trial->kernels, values[i],
		                                          &programs[i], NULL, 0)))
			return;
		kit_own(k, KIT_PROGRAM, programs[i]);
	}
	for (int i = 3; i >= 0; i--) {
		if (!macro_value(k, programs[i & 1], out, values[i & 1]))
			return;
	}
	/* Destroying one program does not affect the other. */
	kit_drop(k, programs[1]);
	macro_value(k, programs[0], out, values[0]);
}

void conformance_program_error(kit *k)
{
	eh_program *const nothing = (eh_program *)(void *)&k->error;
	eh_program *program = nothing;
	char *log = kit_memory(65536);
	eh_status status = kit_build(k,
	                             "EH_KERNEL(1, 1, 1) cf_broken(EH_GLOBAL int *a)\n{\n"
	                             "\ta[0] = no_such_name_anywhere;\n}\n",
	                             1, &program, log, 65536);

	if (status == EH_OK)
		kit_own(k, KIT_PROGRAM, program);
	if (!kit_expect(k, "program_build of a broken text", status, EH_E_BUILD))
		goto done;
	if (program != nothing)
		kit_fail(k, "program_build failed and wrote its output all the same");
	else if (memchr(log, '\0', 65536) == NULL || log[0] == '\0')
		kit_fail(k, "the log of a failed build is empty or not terminated");
	else if (!kit_text(k, "the log of program_build", log, 65536, TEXT_LINES | TEXT_CUT))
		goto done;
	else if (strstr(log, "no_such_name_anywhere") == NULL)
		kit_fail(k, "the log of a failed build does not contain the compiler's message");
done:
	free(log);
}

void conformance_program_log(kit *k)
{
	const size_t sizes[] = { 1, 2, 16, 100 };
	unsigned char room[4096];
	const char *broken = "no_such_type_anywhere one;\nno_such_type_anywhere two;\n";

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		eh_program *program = NULL;

		memset(room, CANARY, sizeof(room));
		if (!kit_expect(k, "program_build of a broken text",
		                kit_build(k, broken, 1, &program, (char *)room, sizes[i]),
		                EH_E_BUILD))
			return;
		if (memchr(room, '\0', sizes[i]) == NULL) {
			kit_fail(k, "with room for %zu bytes the log was not terminated", sizes[i]);
			return;
		}
		if (!kit_all(k, room + sizes[i], sizeof(room) - sizes[i], CANARY,
		             "beyond the size of the log"))
			return;
		if (!kit_expect(k, "program_build of a broken text without a log",
		                kit_build(k, broken, 1, &program, NULL, 0), EH_E_BUILD))
			return;
	}
}

void conformance_program_unknown(kit *k)
{
	eh_kernel *const nothing = (eh_kernel *)(void *)&k->error;
	const char *const names[] = { "cf_no_such_kernel", "", "cf_affin", "malloc" };
	eh_kernel *kernel;

	if (!kit_kernel(k, "cf_affine", &kernel))
		return;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		eh_status status;

		kernel = nothing;
		status = k->ops->kernel_get(k->program, names[i], &kernel, &k->error);
		if (!kit_expect(k, "kernel_get of a name that is no kernel", status,
		                EH_E_INVALID_ARGUMENT))
			return;
		if (kernel != nothing) {
			kit_fail(k, "kernel_get failed and wrote its output all the same");
			return;
		}
	}
}

static bool info_text(kit *k, const char *text, size_t size, const char *name)
{
	char field[64];

	(void)snprintf(field, sizeof(field), "the %s that program_info gave", name);
	return kit_text(k, field, text, size, 0);
}

/* Whether a compiler layer of the device is the one that the program names, or none is known. */
static bool has_compiler(kit *k, const eh_program_info *info)
{
	bool known = false;

	for (uint32_t i = 0; EH_HAS(k->ops, eh_backend_ops, device_layer) && i < 1000; i++) {
		eh_layer layer = { .struct_size = sizeof(layer) };

		if (k->ops->device_layer(k->device, i, &layer, &k->error) != EH_OK)
			break;
		if (layer.kind != EH_LAYER_COMPILER)
			continue;
		known = true;
		if (layer.source == EH_SOURCE_UNAVAILABLE ||
		    (strncmp(layer.name, info->compiler, sizeof(info->compiler)) == 0 &&
		     strncmp(layer.version, info->compiler_version, sizeof(layer.version)) == 0))
			return true;
	}
	return !known;
}

void conformance_program_info(kit *k)
{
	const size_t size = offsetof(eh_program_info, flags);
	union { eh_program_info info; unsigned char bytes[sizeof(eh_program_info)]; } u;
	eh_program_info info = { .struct_size = sizeof(info) };
	eh_kernel *kernel;

	if (!EH_HAS(k->ops, eh_backend_ops, program_info)) {
		kit_skip(k, "program_info is not provided");
		return;
	}
	if (!kit_kernel(k, "cf_affine", &kernel) ||
	    !kit_ok(k, "program_info", k->ops->program_info(k->program, &info, &k->error)) ||
	    !info_text(k, info.compiler, sizeof(info.compiler), "compiler") ||
	    !info_text(k, info.compiler_version, sizeof(info.compiler_version),
	                "compiler_version") ||
	    !info_text(k, info.flags, sizeof(info.flags), "flags") ||
	    !info_text(k, info.target, sizeof(info.target), "target") ||
	    !info_text(k, info.binary_kind, sizeof(info.binary_kind), "binary_kind") ||
	    !info_text(k, info.ir_kind, sizeof(info.ir_kind), "ir_kind"))
		return;
	if (info.compiler[0] == '\0')
		kit_fail(k, "compiler is empty: name what compiled the program");
	else if (!has_compiler(k, &info))
		kit_fail(k, "compiler is %.63s %.100s, and no layer of kind compiler has this name and "
		            "version: readers refuse results of programs that their stack cannot have "
		            "made", info.compiler, info.compiler_version);
	else if (info.from_cache > 1)
		kit_fail(k, "from_cache is %u, neither 0 nor 1", info.from_cache);
	else if ((info.binary_size > 0) != (info.binary_kind[0] != '\0' && info.binary != NULL))
		kit_fail(k, "binary_kind, binary and binary_size disagree on whether there is a "
		            "binary");
	else if ((info.ir_size > 0) != (info.ir_kind[0] != '\0' && info.ir != NULL))
		kit_fail(k, "ir_kind, ir and ir_size disagree on whether there is an intermediate "
		            "form");
	else {
		/* All bytes of the stated size must be readable. */
		volatile unsigned char sink = 0;

		for (uint64_t i = 0; i < info.binary_size; i += 512)
			sink ^= ((const unsigned char *)info.binary)[i];
		(void)sink;
		memset(&u, CANARY, sizeof(u));
		u.info.struct_size = (uint32_t)size;
		if (kit_ok(k, "program_info with an older, smaller struct",
		           k->ops->program_info(k->program, &u.info, &k->error)))
			kit_all(k, u.bytes + size, sizeof(u) - size, CANARY,
			        "beyond the struct_size given to program_info");
	}
}

void conformance_kernel_info(kit *k)
{
	const size_t size = offsetof(eh_kernel_info, local_bytes);
	union { eh_kernel_info info; unsigned char bytes[sizeof(eh_kernel_info)]; } u;
	eh_kernel_info info = { .struct_size = sizeof(info) };
	eh_kernel *kernel;

	if (!EH_HAS(k->ops, eh_backend_ops, kernel_info)) {
		kit_skip(k, "kernel_info is not provided");
		return;
	}
	if (!kit_kernel(k, "cf_reverse", &kernel) ||
	    !kit_ok(k, "kernel_info", k->ops->kernel_info(kernel, &info, &k->error)))
		return;
	if (info.max_group_items > 0 && info.max_group_items < 64) {
		kit_fail(k, "a kernel with groups of 64 items was built, yet max_group_items is %u",
		         info.max_group_items);
		return;
	}
	memset(&u, CANARY, sizeof(u));
	u.info.struct_size = (uint32_t)size;
	if (kit_ok(k, "kernel_info with an older, smaller struct",
	           k->ops->kernel_info(kernel, &u.info, &k->error)))
		kit_all(k, u.bytes + size, sizeof(u) - size, CANARY,
		        "beyond the struct_size given to kernel_info");
}
