/* SPDX-License-Identifier: Apache-2.0 */
/* Tests that destroyed objects free their memory, files and threads, as the process sees them. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "conformance_kit.h"

typedef struct usage {
	long long bytes;
	int files, threads;
} usage;

static int count_entries(const char *path)
{
	DIR *folder = opendir(path);
	int count = 0;

	if (folder == NULL)
		return 0;
	while (readdir(folder) != NULL)
		count++;
	closedir(folder);
	return count;
}

static void usage_now(usage *u)
{
	FILE *f = fopen("/proc/self/statm", "r");
	long long pages = 0;

	if (f != NULL) {
		if (fscanf(f, "%*d %lld", &pages) != 1)
			pages = 0;
		fclose(f);
	}
	u->bytes = pages * sysconf(_SC_PAGESIZE);
	u->files = count_entries("/proc/self/fd");
	u->threads = count_entries("/proc/self/task");
}

/* AddressSanitizer keeps freed memory for a while; any object of the process may load it. */
extern void __asan_init(void) __attribute__((weak));
#define QUARANTINE_BYTES (__asan_init != NULL ? 512ll << 20 : 0ll)

/* Runs `cycle` often and measures growth after the warm-up, which fills caches and pools. */
static void churn(kit *k, bool (*cycle)(kit *k), int warm_up, int cycles, long long allowed_bytes,
                  const char *what)
{
	usage before, after;

	for (int i = 0; i < warm_up; i++) {
		if (!cycle(k))
			return;
	}
	usage_now(&before);
	for (int i = 0; i < cycles; i++) {
		if (!cycle(k))
			return;
	}
	usage_now(&after);
	if (after.bytes - before.bytes > allowed_bytes + QUARANTINE_BYTES)
		kit_fail(k, "%d times %s made the process grow by %lld KiB", cycles, what,
		         (after.bytes - before.bytes) / 1024);
	else if (after.files - before.files > cycles / 4)
		kit_fail(k, "%d times %s left %d files open", cycles, what,
		         after.files - before.files);
	else if (after.threads - before.threads > cycles / 4)
		kit_fail(k, "%d times %s left %d threads running", cycles, what,
		         after.threads - before.threads);
}

#define CHURN_BYTES (256u << 10)

static bool cycle_buffer(kit *k)
{
	eh_buffer *b;

	if (!kit_buffer(k, EH_MEMORY_DEVICE, CHURN_BYTES, &b) ||
	    !kit_fill(k, b, 0, CHURN_BYTES, 1) || !kit_wait(k))
		return false;
	kit_drop(k, b);
	return true;
}

void conformance_resource_buffers(kit *k)
{
	churn(k, cycle_buffer, 50, 400, 400ll * CHURN_BYTES / 2,
	      "allocating, filling and freeing 256 KiB");
}

static bool cycle_objects(kit *k)
{
	eh_queue *queue;

	if (!kit_queue(k, EH_TIMED, &queue))
		return false;
	for (int i = 0; i < 20; i++) {
		eh_mark *mark;

		if (!kit_mark(k, EH_TIMED, &mark) ||
		    !kit_ok(k, "mark_record", k->ops->mark_record(queue, mark, &k->error)) ||
		    !kit_ok(k, "mark_wait", k->ops->mark_wait(mark, &k->error)))
			return false;
		kit_drop(k, mark);
	}
	kit_drop(k, queue);
	return true;
}

void conformance_resource_objects(kit *k)
{
	churn(k, cycle_objects, 10, 100, 16ll << 20, "making and destroying a queue and 20 marks");
}

#define COMMANDS 240          /* in one go                                              */
#define GO_NS UINT64_C(400000000)
#define MOST_GOES 40          /* in one stretch                                         */
#define STRETCHES 3
#define COMMAND_BYTES 48ll    /* growth a command that counts as noise                  */

static bool commands_go(kit *k, eh_kernel *kernel, eh_buffer *b, eh_mark *mark)
{
	const uint32_t factor = 1, addend = 1, n = 64;
	const eh_arg args[] = { ARG_BUFFER(b), ARG_BUFFER(b), ARG_VALUE(factor), ARG_VALUE(addend),
		                ARG_VALUE(n) };

	for (int i = 0; i < COMMANDS; i += 3) {
		if (!kit_launch_x(k, kernel, 1, 64, args, 5) || !kit_fill(k, b, 0, 256, 1) ||
		    !kit_ok(k, "mark_record", k->ops->mark_record(k->queue, mark, &k->error)) ||
		    (i % 30 == 27 && !kit_wait(k)) ||
		    !kit_ok(k, "mark_wait", k->ops->mark_wait(mark, &k->error)))
			return false;
	}
	return kit_wait(k);
}

/* A leak grows in every stretch; a cache stops growing. */
void conformance_resource_commands(kit *k)
{
	long long least = 0, commands = 0;
	eh_kernel *kernel;
	eh_buffer *b;
	eh_mark *mark;

	if (!kit_kernel(k, "cf_affine", &kernel) || !kit_buffer(k, EH_MEMORY_DEVICE, 256, &b) ||
	    !kit_mark(k, EH_TIMED, &mark) || !commands_go(k, kernel, b, mark))
		return;
	for (int i = 0; i < STRETCHES; i++) {
		const uint64_t begin = kit_now(k);
		usage before, after;
		long long excess;
		int goes = 0;

		usage_now(&before);
		do {
			if (!commands_go(k, kernel, b, mark))
				return;
		} while (++goes < MOST_GOES && kit_now(k) - begin < GO_NS);
		usage_now(&after);
		excess = after.bytes - before.bytes - (128 << 10) -
		         COMMAND_BYTES * goes * COMMANDS - QUARANTINE_BYTES;
		if (excess <= 0)
			return;
		if (i == 0 || after.bytes - before.bytes < least) {
			least = after.bytes - before.bytes;
			commands = (long long)goes * COMMANDS;
		}
	}
	kit_fail(k, "%lld launches, fills and marks with waits in between made the process grow by "
	         "%lld KiB, again and again", commands, least / 1024);
}

static bool cycle_program(kit *k)
{
	const char *body = "EH_KERNEL(1, 1, 1) cf_small(EH_GLOBAL eh_u32 *a)\n{\n"
	                   "\tEH_ITEMS(1, 1, 1)\n\t\ta[0] = 1;\n\tEH_END\n}\n"
	                   "EH_ENTRY(cf_small, (EH_GLOBAL eh_u32 *))\n";
	eh_program *program;
	eh_kernel *kernel;

	if (!kit_ok(k, "program_build", kit_build(k, body, 1, &program, NULL, 0)))
		return false;
	kit_own(k, KIT_PROGRAM, program);
	if (!kit_ok(k, "kernel_get", k->ops->kernel_get(program, "cf_small", &kernel, &k->error)))
		return false;
	kit_drop(k, program);
	return true;
}

void conformance_resource_programs(kit *k)
{
	churn(k, cycle_program, 3, 8, 64ll << 20, "building and destroying a small program");
}
