/* SPDX-License-Identifier: Apache-2.0 */
/* The suite of backends, and the entry of both suites. */
#include <stdlib.h>
#include <string.h>

#include "conformance_guard.h"
#include "conformance_kit.h"

#define KIT_PUBLIC(name, level, function, requirement) { name, requirement },
static const eh_test tests[] = { KIT_TESTS(KIT_PUBLIC) };
#undef KIT_PUBLIC

typedef struct kit_test {
	enum kit_level level;
	void (*run)(kit *k);
} kit_test;

#define KIT_PRIVATE(name, level, function, requirement) { KIT_##level, conformance_##function },
static const kit_test runs[] = { KIT_TESTS(KIT_PRIVATE) };
#undef KIT_PRIVATE

#define TEST_COUNT (sizeof(tests) / sizeof(tests[0]))

static uint32_t selects(uint32_t test, uint32_t device, const char *part)
{
	return test < TEST_COUNT && (device == 0 || runs[test].level == KIT_DEVICE) &&
	       (part == NULL || strstr(tests[test].name, part) != NULL);
}

static eh_status reach(kit *k, enum kit_level level, eh_error *error)
{
	eh_status status = EH_OK;

	if (level >= KIT_LOADED)
		status = kit_load(k, error);
	if (status == EH_OK && level >= KIT_STARTED)
		status = kit_start(k, error);
	if (status == EH_OK && level >= KIT_DEVICE)
		status = kit_open(k, error);
	return status;
}

static eh_status begin(const eh_trial *trial, void **self, eh_error *error)
{
	kit *k = kit_memory(sizeof(*k));
	eh_status status;

	k->trial = trial;
	kit_error_clear(&k->start);
	kit_error_clear(&k->unreached);
	guard_begin(trial);
	status = trial->device > 0 ? reach(k, KIT_DEVICE, error) : EH_OK;
	if (status == EH_OK) {
		*self = k;
		return EH_OK;
	}
	kit_stop(k);
	free(k);
	return status;
}

static void prepare(void *self, uint32_t test)
{
	kit *k = self;

	k->outcome = EH_TEST_PASS;
	k->reason[0] = '\0';
	kit_error_clear(&k->error);
	k->status = reach(k, runs[test].level, &k->error);
	if (k->status != EH_OK)
		k->unreached = k->error;
}

/* Sets the outcome of a test whose preparation failed.  It is skipped, as plugin/load,
 * backend/start or device/open-close has failed before; if those were left out, it fails
 * itself unless the plugin is unavailable. */
static void not_reached(kit *k)
{
	if (k->unwaited)
		kit_skip(k, "not run: queue_wait does not wait, so later results mean nothing");
	else if (k->trial->partial && k->status != EH_E_UNAVAILABLE)
		kit_fail(k, "%s", k->error.message);
	else if (k->level < KIT_LOADED)
		kit_skip(k, "not run: the plugin cannot be loaded");
	else if (k->level < KIT_STARTED)
		kit_skip(k, "not run: the backend did not start");
	else
		kit_skip(k, "not run: %s", k->error.message);
}

/* What a call left behind is the cause of what a test saw. */
static void blame(kit *k)
{
	const char *trouble = guard_trouble();

	if (trouble == NULL)
		return;
	k->outcome = EH_TEST_PASS;
	kit_fail(k, "%s", trouble);
}

/* A test that fails closes the device; the next one opens it again. */
static uint32_t run(void *self, uint32_t test, const char **reason)
{
	const bool on_device = runs[test].level == KIT_DEVICE;
	kit *k = self;

	if (k->status == EH_OK && !(k->unwaited && on_device)) {
		runs[test].run(k);
		k->tested = k->tested || on_device;
	} else {
		not_reached(k);
	}
	kit_clean(k);
	blame(k);
	if (k->outcome == EH_TEST_FAIL) {
		k->failed = true;
		kit_close(k);
	}
	*reason = k->reason;
	return k->outcome;
}

static eh_status end(void *self, eh_error *error)
{
	kit *k = self;
	eh_status status = EH_OK;
	const char *trouble;

	kit_stop(k);
	trouble = guard_trouble();
	if (trouble != NULL)
		status = kit_error(error, EH_E_INTERNAL, "%s", trouble);
	else if (!k->tested && !k->failed && k->unreached.code != EH_OK)
		status = kit_error(error, EH_E_UNAVAILABLE, "%s", k->unreached.message);
	free(k);
	return status;
}

static const eh_suite backend_suite = {
	.struct_size = sizeof(backend_suite),
	.test_count = TEST_COUNT,
	.tests = tests,
	.selects = selects,
	.begin = begin,
	.prepare = prepare,
	.run = run,
	.end = end,
};

EH_EXPORT const eh_conformance *eh_conformance_entry_v1(void)
{
	static const eh_conformance block = {
		.magic = EH_CONFORMANCE_MAGIC,
		.struct_size = sizeof(block),
		.abi_major = EH_ABI_MAJOR,
		.abi_minor = EH_ABI_MINOR,
		.pointer_bytes = sizeof(void *),
		.name = "conformance",
		.title = "the requirements of backend.h and probe.h, test by test",
		.version = "1",
		.license = "Apache-2.0",
		.backend = &backend_suite,
		.probe = &conformance_probe_suite,
	};

	return &block;
}
