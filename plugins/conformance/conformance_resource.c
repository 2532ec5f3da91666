/* SPDX-License-Identifier: Apache-2.0 */
/* Tests that destroyed objects and done commands leave nothing behind.  A stretch of many cycles is
 * repeated: what leaks grows in every stretch, and a cache stops growing.  The heap is counted
 * exactly where the C library counts it, so small objects show; what drivers map is seen in the
 * resident memory, with more noise. */
#include <dirent.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "conformance_kit.h"

#define STRETCHES 3
#define STRETCH_NS UINT64_C(400000000)
#define SETTLE_NS UINT64_C(100000000)
/* What may stay behind in a stretch without being a leak. */
#define HEAP_BASE 1024ll
#define RESIDENT_BASE (1ll << 20)
#define RESIDENT_PER_OBJECT 64ll

typedef struct usage {
	long long heap, resident; /* bytes; heap -1: not counted */
	int files, threads;
} usage;

/* AddressSanitizer keeps freed memory for a while; any object of the process may load it. */
extern void __asan_init(void) __attribute__((weak));
#define QUARANTINE_BYTES (__asan_init != NULL ? 512ll << 20 : 0ll)

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

/* Another allocator than the C library's leaves its count at 0. */
static long long heap_bytes(void)
{
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 33)
	const struct mallinfo2 info = mallinfo2();

	if (__asan_init == NULL && info.uordblks > 0)
		return (long long)info.uordblks + (long long)info.hblkhd;
#endif
	return -1;
}

static long long resident_bytes(void)
{
	FILE *f = fopen("/proc/self/statm", "r");
	long long pages = 0;

	if (f != NULL) {
		if (fscanf(f, "%*d %lld", &pages) != 1)
			pages = 0;
		fclose(f);
	}
	return pages * sysconf(_SC_PAGESIZE);
}

/* The heap first and last: reading the others allocates nothing that stays. */
static void usage_now(usage *u)
{
	u->resident = resident_bytes();
	u->files = count_entries("/proc/self/fd");
	u->threads = count_entries("/proc/self/task");
	u->heap = heap_bytes();
}

typedef struct churn {
	bool (*cycle)(kit *k);
	int cycles, objects;   /* of a stretch at most; of a cycle                             */
	long long heap_noise;  /* bytes of heap an object may leave behind                      */
	const char *what;      /* of a cycle: "making and destroying a queue"                   */
} churn;

/* What grew too much, or NULL. */
static const char *grown(const churn *c, int cycles, const usage *a, const usage *b, char *out,
                         size_t size)
{
	const long long objects = (long long)cycles * c->objects;
	const long long heap = a->heap < 0 || b->heap < 0 ? 0 : b->heap - a->heap;
	const long long resident = b->resident - a->resident;
	const int few = cycles / 4 > 2 ? cycles / 4 : 2;
	char amount[64] = "";

	if (heap > HEAP_BASE + c->heap_noise * objects)
		(void)snprintf(amount, sizeof(amount), "%lld bytes of the heap", heap);
	else if (resident > RESIDENT_BASE + RESIDENT_PER_OBJECT * objects + QUARANTINE_BYTES)
		(void)snprintf(amount, sizeof(amount), "%lld KiB of memory", resident / 1024);
	else if (b->files - a->files > few)
		(void)snprintf(amount, sizeof(amount), "%d files open", b->files - a->files);
	else if (b->threads - a->threads > few)
		(void)snprintf(amount, sizeof(amount), "%d threads running", b->threads - a->threads);
	else
		return NULL;
	(void)snprintf(out, size, "%d times %s left behind %s", cycles, c->what, amount);
	return out;
}

/* False when a cycle failed. */
static bool stretch(kit *k, const churn *c, int *cycles)
{
	const uint64_t begin = kit_now(k);

	for (*cycles = 0; *cycles < c->cycles && kit_now(k) - begin < STRETCH_NS; (*cycles)++)
		if (!c->cycle(k))
			return false;
	return true;
}

static void churn_run(kit *k, const churn *c)
{
	const char *leak = NULL;
	char text[200];
	int cycles;

	if (!stretch(k, c, &cycles)) /* fills caches and pools */
		return;
	for (int i = 0; i < STRETCHES; i++) {
		usage before, after;

		usage_now(&before);
		if (!stretch(k, c, &cycles))
			return;
		usage_now(&after);
		if (grown(c, cycles, &before, &after, text, sizeof(text)) != NULL) {
			kit_sleep(SETTLE_NS); /* drivers may destroy in the background */
			usage_now(&after);
		}
		leak = grown(c, cycles, &before, &after, text, sizeof(text));
		/* What shrinks gives back what was there before, and may hide what stays. */
		if (leak == NULL && (after.heap >= before.heap - HEAP_BASE || i == STRETCHES - 1))
			return;
	}
	if (leak != NULL)
		kit_fail(k, "%s, and so at each repetition", leak);
}

/* ---- objects --------------------------------------------------------------------------------- */

#define CHURN_BYTES (64u << 10)

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
	churn_run(k, &(churn){ cycle_buffer, 400, 1, 16, "allocating, filling and freeing 64 KiB" });
}

static bool cycle_queue(kit *k)
{
	eh_queue *timed, *plain;

	if (!kit_queue(k, EH_TIMED, &timed) || !kit_queue(k, 0, &plain))
		return false;
	kit_drop(k, plain);
	kit_drop(k, timed);
	return true;
}

void conformance_resource_queues(kit *k)
{
	churn_run(k, &(churn){ cycle_queue, 100, 2, 16, "making and destroying two queues" });
}

static bool cycle_mark(kit *k)
{
	static uint32_t cycles;
	eh_mark *mark;

	if (!kit_mark(k, cycles++ % 2 == 0 ? EH_TIMED : 0, &mark) ||
	    !kit_ok(k, "mark_record", k->ops->mark_record(k->queue, mark, &k->error)) ||
	    !kit_ok(k, "mark_wait", k->ops->mark_wait(mark, &k->error)) || !kit_wait(k))
		return false;
	kit_drop(k, mark);
	return true;
}

void conformance_resource_marks(kit *k)
{
	churn_run(k, &(churn){ cycle_mark, 1000, 1, 16, "making, recording and destroying a mark" });
}

static bool cycle_device(kit *k)
{
	eh_device *device;

	if (!kit_ok(k, "device_open",
	            k->ops->device_open(k->self, k->trial->device, &device, &k->error)))
		return false;
	k->ops->device_close(device);
	return true;
}

void conformance_resource_devices(kit *k)
{
	churn_run(k, &(churn){ cycle_device, 100, 1, 16, "opening and closing the device" });
}

/* ---- commands -------------------------------------------------------------------------------- */

#define COMMANDS 240 /* of a cycle */

static struct {
	eh_kernel *kernel;
	eh_buffer *buffer;
	eh_mark *mark, *back; /* to and from the other queue                                  */
	eh_queue *other;
} used; /* by cycle_commands and cycle_waits */

static bool cycle_commands(kit *k)
{
	const uint32_t factor = 1, addend = 1, n = 64;
	const eh_arg args[] = { ARG_BUFFER(used.buffer), ARG_BUFFER(used.buffer), ARG_VALUE(factor),
		                ARG_VALUE(addend), ARG_VALUE(n) };

	for (int i = 0; i < COMMANDS; i += 3) {
		if (!kit_launch_x(k, used.kernel, 1, 64, args, 5) ||
		    !kit_fill(k, used.buffer, 0, 256, 1) ||
		    !kit_ok(k, "mark_record", k->ops->mark_record(k->queue, used.mark, &k->error)) ||
		    (i % 30 == 27 && !kit_wait(k)) ||
		    !kit_ok(k, "mark_wait", k->ops->mark_wait(used.mark, &k->error)))
			return false;
	}
	return kit_wait(k);
}

void conformance_resource_commands(kit *k)
{
	if (kit_kernel(k, "cf_affine", &used.kernel) &&
	    kit_buffer(k, EH_MEMORY_DEVICE, 256, &used.buffer) && kit_mark(k, EH_TIMED, &used.mark))
		churn_run(k, &(churn){ cycle_commands, 40, COMMANDS, 4,
		                       "launching, filling and recording a mark, 80 times each," });
}

static bool follows(kit *k, eh_queue *then, eh_queue *first, eh_mark *mark)
{
	return kit_ok(k, "mark_record", k->ops->mark_record(first, mark, &k->error)) &&
	       kit_ok(k, "queue_wait_mark", k->ops->queue_wait_mark(then, mark, &k->error));
}

/* Nobody waits for the other queue but the first one. */
static bool cycle_waits(kit *k)
{
	for (int i = 0; i < COMMANDS; i += 3)
		if (!follows(k, used.other, k->queue, used.mark) ||
		    !kit_ok(k, "fill", k->ops->fill(used.other, used.buffer, 0, 256, 1, &k->error)) ||
		    !follows(k, k->queue, used.other, used.back))
			return false;
	return kit_wait(k);
}

void conformance_resource_waits(kit *k)
{
	if (!EH_HAS(k->ops, eh_backend_ops, queue_wait_mark)) {
		kit_skip(k, "queue_wait_mark is not provided");
		return;
	}
	if (kit_buffer(k, EH_MEMORY_DEVICE, 256, &used.buffer) && kit_mark(k, 0, &used.mark) &&
	    kit_mark(k, 0, &used.back) && kit_queue(k, 0, &used.other))
		churn_run(k, &(churn){ cycle_waits, 40, COMMANDS, 4,
		                       "following another queue and being followed by it, 80 times," });
}

/* ---- programs -------------------------------------------------------------------------------- */

#define KERNELS 400

static bool build_small(kit *k, int kernels)
{
	const char *body = "EH_KERNEL(1, 1, 1) cf_small(EH_GLOBAL eh_u32 *a)\n{\n"
	                   "\tEH_ITEMS(1, 1, 1)\n\t\ta[0] = 1;\n\tEH_END\n}\n"
	                   "EH_ENTRY(cf_small, (EH_GLOBAL eh_u32 *))\n";
	eh_program *program;
	eh_kernel *kernel;

	if (!kit_ok(k, "program_build", kit_build(k, body, 1, &program, NULL, 0)))
		return false;
	kit_own(k, KIT_PROGRAM, program);
	for (int i = 0; i < kernels; i++)
		if (!kit_ok(k, "kernel_get",
		            k->ops->kernel_get(program, "cf_small", &kernel, &k->error)))
			return false;
	kit_drop(k, program);
	return true;
}

static bool cycle_program(kit *k)
{
	return build_small(k, 1);
}

static bool cycle_kernels(kit *k)
{
	return build_small(k, KERNELS);
}

void conformance_resource_programs(kit *k)
{
	churn_run(k, &(churn){ cycle_program, 8, 1, 4096, "building and destroying a small program" });
}

void conformance_resource_kernels(kit *k)
{
	churn_run(k, &(churn){ cycle_kernels, 2, KERNELS, 16,
	                       "getting 400 kernels of a program and destroying it" });
}
