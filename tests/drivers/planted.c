/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Plants the mistakes that a test driver is there to find, each beside the same without it, and
 * looks whether they are found.
 *
 *   planted BACKEND.so DIALECT CACHE
 *
 * BACKEND.so is the shipped backend, which opens the test driver that the environment puts in its
 * way.  Prints TAP.
 */
#include <dlfcn.h>
#include <openssl/sha.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "evenhand/backend.h"

enum { GROUP = 64, GROUPS = 4, ITEMS = GROUP * GROUPS, BYTES = ITEMS * 4 };

static const char body[] =
	"EH_KERNEL(64, 1, 1) pl_turn(EH_GLOBAL eh_u32 *out, eh_u32 beyond)\n"
	"{\n\tEH_LOCAL(eh_u32, t[64]);\n"
	"\tEH_ITEMS(64, 1, 1)\n\t\tt[EH_LID(0)] = (eh_u32)EH_GLOBAL_ID(64);\n\tEH_END\n"
	"#if PLANTED_BARRIER\n\tEH_BARRIER();\n#endif\n"
	"\tEH_ITEMS(64, 1, 1)\n"
	"\t\tout[EH_GLOBAL_ID(64)] = t[63 - EH_LID(0)];\n"
	"\t\tif (EH_GLOBAL_ID(64) == 0 && beyond > 0)\n\t\t\tout[EH_GROUPS(0) * 64 + beyond - 1] = 1u;\n"
	"\tEH_END\n}\n"
	"EH_ENTRY(pl_turn, (EH_GLOBAL eh_u32 *, eh_u32))\n";

static const char *cache;

static void lent_log(void *ctx, int level, const char *message)
{
	(void)ctx;
	(void)level;
	(void)message;
}

static uint64_t lent_now(void *ctx)
{
	struct timespec t = { 0, 0 };

	(void)ctx;
	(void)clock_gettime(CLOCK_MONOTONIC_RAW, &t);
	return (uint64_t)t.tv_sec * UINT64_C(1000000000) + (uint64_t)t.tv_nsec;
}

static const char *lent_option(void *ctx, const char *key)
{
	(void)ctx;
	return strcmp(key, "cache-dir") == 0 ? cache : NULL;
}

static void lent_sha256(void *ctx, const void *data, size_t size, char hex[65])
{
	unsigned char sum[SHA256_DIGEST_LENGTH];

	(void)ctx;
	(void)SHA256(data, size, sum);
	for (size_t i = 0; i < sizeof(sum); i++)
		snprintf(hex + 2 * i, 3, "%02x", sum[i]);
}

typedef struct bench {
	const eh_backend_ops *ops;
	const char *dialect;
	void *self;
	eh_device *device;
	eh_queue *queue;
	eh_buffer *out;
	eh_error error;
	unsigned tests, bad;
} bench;

static void report(bench *b, bool right, const char *what)
{
	printf("%s %u - %s\n", right ? "ok" : "not ok", ++b->tests, what);
	b->bad += !right;
	if (!right)
		printf("# %s: %s\n", b->error.where, b->error.message);
}

/* Launches it once; `barrier` as text.  The program goes with the queue's next wait. */
static eh_status launch(bench *b, const char *barrier, uint32_t beyond, eh_program **program)
{
	const eh_macro macros[] = { { "PLANTED_BARRIER", barrier } };
	const eh_source source = { .struct_size = sizeof(source), .name = "planted",
		.prelude = b->dialect, .body = body, .macro_count = 1, .macros = macros,
		.digest = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef" };
	const eh_arg args[] = { { .buffer = b->out }, { .data = &beyond, .size = sizeof(beyond) } };
	const eh_launch shape = { .struct_size = sizeof(shape), .arg_count = 2, .args = args,
		.groups = { GROUPS, 1, 1 }, .group_size = { GROUP, 1, 1 } };
	eh_kernel *kernel = NULL;
	eh_status status = b->ops->program_build(b->device, &source, program, NULL, 0, &b->error);

	if (status == EH_OK)
		status = b->ops->kernel_get(*program, "pl_turn", &kernel, &b->error);
	if (status == EH_OK)
		status = b->ops->launch(b->queue, kernel, &shape, &b->error);
	return status;
}

static bool is_right(const uint32_t *got)
{
	for (uint32_t i = 0; i < ITEMS; i++)
		if (got[i] != i / GROUP * GROUP + (GROUP - 1 - i % GROUP))
			return false;
	return true;
}

/* Whether the kernel's results come out right. */
static bool computes(bench *b, const char *barrier, bool wait)
{
	static uint32_t got[ITEMS];
	eh_program *program = NULL;
	eh_status status;
	bool right;

	memset(got, 0xee, sizeof(got));
	status = launch(b, barrier, 0, &program);
	if (status == EH_OK)
		status = b->ops->download(b->queue, got, b->out, 0, BYTES, &b->error);
	if (status == EH_OK && wait)
		status = b->ops->queue_wait(b->queue, &b->error);
	right = status == EH_OK && is_right(got);
	(void)b->ops->queue_wait(b->queue, &b->error);
	b->ops->program_destroy(program);
	return right;
}

static void run(bench *b)
{
	eh_program *program = NULL;
	eh_status status;

	report(b, computes(b, "1", true), "with its barrier the kernel is right");
	report(b, !computes(b, "0", true), "without its barrier it is wrong");
	report(b, computes(b, "1", true), "and right again with it");
	report(b, !computes(b, "1", false), "results that nobody waited for are not there");
	status = launch(b, "1", 1, &program);
	if (status == EH_OK)
		status = b->ops->queue_wait(b->queue, &b->error);
	report(b, status == EH_E_DEVICE_LOST, "a store one element behind the buffer is an error");
	b->ops->program_destroy(program);
}

static char *read_all(const char *path)
{
	FILE *file = fopen(path, "r");
	char *text = NULL;
	size_t size = 0;
	const ssize_t got = file == NULL ? -1 : getdelim(&text, &size, '\0', file);

	if (file != NULL)
		(void)fclose(file);
	return got < 0 ? NULL : text;
}

int main(int argc, char **argv)
{
	static const eh_host host = { .struct_size = sizeof(host), .abi_major = EH_ABI_MAJOR,
		.abi_minor = EH_ABI_MINOR, .log = lent_log, .now_ns = lent_now,
		.option = lent_option, .sha256 = lent_sha256 };
	bench b = { .error.struct_size = sizeof(eh_error) };
	void *object = argc == 4 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
	void *found = object == NULL ? NULL : dlsym(object, EH_BACKEND_ENTRY_NAME);
	eh_backend_entry entry;

	if (found == NULL) {
		fprintf(stderr, "usage: planted BACKEND.so DIALECT CACHE\n");
		return 2;
	}
	memcpy(&entry, &found, sizeof(found));
	b.ops = entry()->ops;
	b.dialect = read_all(argv[2]);
	cache = argv[3];
	if (b.dialect == NULL || b.ops->start(&host, &b.self, &b.error) != EH_OK ||
	    b.ops->device_open(b.self, 0, &b.device, &b.error) != EH_OK ||
	    b.ops->queue_create(b.device, EH_TIMED, &b.queue, &b.error) != EH_OK ||
	    b.ops->buffer_alloc(b.device, EH_MEMORY_DEVICE, BYTES, &b.out, &b.error) != EH_OK)
		report(&b, false, "the device can be used");
	else
		run(&b);
	printf("1..%u\n", b.tests);
	return b.bad != 0;
}
