/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The conformance suite: what every backend must do, test by test, in the order of the ABI.
 * It runs in the calling process (the command forks a child per device first, so that a crash
 * or hang is a failed test, not the end of the program).
 */
#ifndef PLUGIN_CONFORMANCE_H
#define PLUGIN_CONFORMANCE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

enum conformance_outcome { CONFORMANCE_PASS, CONFORMANCE_SKIP, CONFORMANCE_FAIL };

typedef struct conformance_test {
	const char *name;         /* "buffer/upload-download-offsets"                          */
	const char *requirement;  /* the sentence of the ABI that it checks                    */
} conformance_test;

/* All tests, in order. */
size_t conformance_tests(const conformance_test **out);

/* Whether that test runs on the device of that index (those that need no device run for device 0
 * only), and its name contains `only` (NULL = any). */
bool conformance_selected(size_t number, uint32_t index, const char *only);

/* Called before a test (outcome NULL; reason "prepare" when something has to be started or opened
 * for it first, then NULL when the test itself begins) and after it (reason is set for skip and
 * fail). */
typedef void (*conformance_report)(void *context, const conformance_test *test,
                                   const enum conformance_outcome *outcome, const char *reason);

/* Runs the selected tests from number `first` on, on the device of that index of the backend at
 * path.  With index 0, a backend that cannot be loaded or started is a failed or skipped test; for
 * other devices it is an error returned.  EH_E_UNAVAILABLE with advice when no test failed, and
 * none could run on a device because there was no way to one here.  A test that fails closes the
 * device, and the next one opens it anew. */
eh_status conformance_run(const char *path, uint32_t index, size_t first, const char *only,
                          conformance_report report, void *context, eh_error *error);

#endif
