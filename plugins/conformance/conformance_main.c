/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The suite linked with a backend or a probe into one program, for debuggers and sanitizers:
 *
 *   PROGRAM KERNELS-FOLDER [DEVICE [TEXT]] [KEY=VALUE]...
 *
 * KERNELS-FOLDER holds dialect.h and conformance.k (pkg-config --variable=kernels_dir evenhand).
 * Runs the tests with TEXT in their name; KEY=VALUE is a setting of the plugin.  All tests run in
 * this process: one that crashes ends it.  Exit code 0: nothing failed; 1: a test failed; 4: usage;
 * 5: nothing could be tested.
 */
#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "evenhand/conformance.h"

/* The program has one of them. */
#pragma weak eh_backend_entry_v1
#pragma weak eh_probe_entry_v1

static void host_log(void *ctx, int level, const char *message)
{
	(void)ctx;
	if (level <= EH_LOG_WARN)
		fprintf(stderr, "%s\n", message);
}

static uint64_t host_now_ns(void *ctx)
{
	struct timespec t;

	(void)ctx;
	(void)clock_gettime(CLOCK_MONOTONIC_RAW, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* ctx: the arguments.  Without a cache-dir nothing is cached; library-dir always has a value. */
static const char *host_option(void *ctx, const char *key)
{
	const size_t size = strlen(key);

	for (char **a = ctx; *a != NULL; a++)
		if (strncmp(*a, key, size) == 0 && (*a)[size] == '=')
			return *a + size + 1;
	return strcmp(key, "library-dir") == 0 ? "/nonexistent" : NULL;
}

static void host_sha256(void *ctx, const void *data, size_t size, char hex[65])
{
	unsigned char digest[32];

	(void)ctx;
	if (EVP_Digest(data, size, digest, NULL, EVP_sha256(), NULL) != 1)
		abort();
	for (int i = 0; i < 32; i++)
		(void)snprintf(hex + 2 * i, 3, "%02x", digest[i]);
}

/* The loader's checks of the identity block, except those that need the file. */
#define CHECK_BLOCK(block, type, number)                                                         \
	((block) != NULL && (block)->magic == (number) && (block)->abi_major == EH_ABI_MAJOR &&  \
	 (block)->pointer_bytes == sizeof(void *) && EH_HAS(block, type, ops))

static eh_status refuse(eh_error *error)
{
	error->code = EH_E_INCOMPATIBLE;
	(void)snprintf(error->message, sizeof(error->message),
	               "the identity block has a wrong magic, major, size or pointer width, or no "
	               "ops");
	return error->code;
}

static eh_status load_backend(void *ctx, const eh_backend **backend, eh_error *error)
{
	(void)ctx;
	*backend = eh_backend_entry_v1();
	return CHECK_BLOCK(*backend, eh_backend, EH_BACKEND_MAGIC) ? EH_OK : refuse(error);
}

static eh_status load_probe(void *ctx, const eh_probe **probe, eh_error *error)
{
	(void)ctx;
	*probe = eh_probe_entry_v1();
	return CHECK_BLOCK(*probe, eh_probe, EH_PROBE_MAGIC) ? EH_OK : refuse(error);
}

static char *read_text(const char *folder, const char *name)
{
	char path[4096], *text = NULL;
	size_t room = 0;
	FILE *f;

	(void)snprintf(path, sizeof(path), "%s/%s", folder, name);
	f = fopen(path, "r");
	if (f == NULL || getdelim(&text, &room, '\0', f) < 0) {
		perror(path);
		exit(5);
	}
	(void)fclose(f);
	return text;
}

static int run_suite(const eh_suite *suite, const eh_trial *trial, const char *part)
{
	static const char *const words[] = { "pass", "skip", "fail" };
	eh_error error = { .struct_size = sizeof(error) };
	size_t counts[3] = { 0 };
	void *self;

	if (suite->begin(trial, &self, &error) != EH_OK) {
		fprintf(stderr, "%s\n", error.message);
		return 5;
	}
	for (uint32_t i = 0; i < suite->test_count; i++) {
		const char *reason = "";
		uint32_t outcome;

		if (!suite->selects(i, trial->device, part))
			continue;
		printf("%-27s ", suite->tests[i].name);
		(void)fflush(stdout);
		suite->prepare(self, i);
		outcome = suite->run(self, i, &reason);
		counts[outcome]++;
		printf("%s%s%s\n", words[outcome], outcome != EH_TEST_PASS ? "  " : "",
		       outcome != EH_TEST_PASS ? reason : "");
	}
	if (counts[EH_TEST_PASS] + counts[EH_TEST_SKIP] + counts[EH_TEST_FAIL] == 0) {
		fprintf(stderr, "no test has '%s' in its name\n", part);
		(void)suite->end(self, &error);
		return 4;
	}
	printf("%zu passed, %zu skipped, %zu failed\n", counts[EH_TEST_PASS], counts[EH_TEST_SKIP],
	       counts[EH_TEST_FAIL]);
	if (suite->end(self, &error) != EH_OK) {
		fprintf(stderr, "it could not be tested here: %s\n", error.message);
		return 5;
	}
	return counts[EH_TEST_FAIL] > 0 ? 1 : 0;
}

int main(int argc, char **argv)
{
	const eh_conformance *suites = eh_conformance_entry_v1();
	const char *words[3] = { NULL };
	const eh_host host = {
		.struct_size = sizeof(host),
		.abi_major = EH_ABI_MAJOR,
		.abi_minor = EH_ABI_MINOR,
		.ctx = argv + 1,
		.log = host_log,
		.now_ns = host_now_ns,
		.option = host_option,
		.sha256 = host_sha256,
	};
	eh_trial trial = {
		.struct_size = sizeof(trial),
		.host = &host,
		.load_backend = load_backend,
		.load_probe = load_probe,
	};
	int count = 0, code;

	/* A sanitizer that ends the process drops what was not written. */
	(void)setvbuf(stdout, NULL, _IOLBF, 0);
	for (int i = 1; i < argc; i++) {
		if (strchr(argv[i], '=') != NULL)
			continue;
		if (count < 3)
			words[count] = argv[i];
		count++;
	}
	if (count == 0 || count > 3) {
		fprintf(stderr, "usage: %s KERNELS-FOLDER [DEVICE [TEXT]] [KEY=VALUE]...\n",
		        argv[0]);
		return 4;
	}
	trial.device = words[1] != NULL ? (uint32_t)strtoul(words[1], NULL, 10) : 0;
	trial.partial = words[2] != NULL;
	char *const prelude = read_text(words[0], "dialect.h");
	char *const kernels = read_text(words[0], "conformance.k");

	trial.prelude = prelude;
	trial.kernels = kernels;
	code = run_suite(eh_backend_entry_v1 != NULL ? suites->backend : suites->probe, &trial,
	                 words[2]);
	free(prelude);
	free(kernels);
	return code;
}
