/* SPDX-License-Identifier: Apache-2.0 */
/*
 * evenhand/conformance.h - the suite that tests backends and probes, version 1.
 *
 * The suite is a shared object that exports exactly one symbol, eh_conformance_entry_v1, and links
 * nothing of evenhand's.  `evenhand plugin check` loads it; it is installed as a static library as
 * well, for a program that links a backend and its tests.  A program describes the plugin under
 * test in an eh_trial.  The growth rules, errors and host table of evenhand/backend.h apply.
 *
 * Threads: all functions of one suite are called from one thread.
 */
#ifndef EVENHAND_CONFORMANCE_H
#define EVENHAND_CONFORMANCE_H

#include "evenhand/backend.h"
#include "evenhand/probe.h"

#ifdef __cplusplus
extern "C" {
#endif

#define EH_CONFORMANCE_MAGIC UINT32_C(0x43484531) /* "1EHC" */
#define EH_CONFORMANCE_ENTRY_NAME "eh_conformance_entry_v1"

/* ---- the plugin under test ------------------------------------------------------------------ */

/* The plugin under test and how to reach it.  Valid from begin() until end() returns. */
typedef struct eh_trial {
	uint32_t struct_size;
	uint32_t device;       /* the index of the device to test; 0 for a probe              */
	uint32_t partial;      /* 1 = some tests are left out: a test whose preparation fails
	                          then fails itself, as no earlier test reports it            */
	uint32_t reserved;
	const eh_host *host;   /* the plugin is started with it                               */
	const char *exports;   /* the symbols that the plugin's file exports, joined by ", ";
	                          NULL = not known                                            */
	const char *prelude;   /* the text of dialect.h                                       */
	const char *kernels;   /* the text of conformance.k                                   */
	void *ctx;             /* the first argument of the functions                         */
	/* Loads the plugin and checks its identity block; returns the same block at every call.
	 * May be NULL for the kind of plugin that is not tested. */
	eh_status (*load_backend)(void *ctx, const eh_backend **backend, eh_error *error);
	eh_status (*load_probe)(void *ctx, const eh_probe **probe, eh_error *error);
	/* Called with the name of a slot before each call of it, and with NULL when it has
	 * returned: what crashes or hangs can be named.  May be NULL. */
	void (*enter)(void *ctx, const char *slot);
} eh_trial;

/* ---- the suite ------------------------------------------------------------------------------ */

enum { EH_TEST_PASS = 0, EH_TEST_SKIP = 1, EH_TEST_FAIL = 2 };

typedef struct eh_test { /* frozen */
	const char *name;        /* "transfer/copy"                                           */
	const char *requirement; /* the sentence of the ABI that it checks                    */
} eh_test;

/*
 * All tests of one kind of plugin, in order.  A program calls begin(), then prepare() and run() for
 * each test that it wants, in the order of the list, then end().  A plugin may be started once in a
 * process, so begin() is called once.  All functions are required.
 */
typedef struct eh_suite {
	uint32_t struct_size;
	uint32_t test_count;
	const eh_test *tests;
	/* 1 when the test runs on the device of that index (some run on device 0 alone) and its
	 * name contains `part` (NULL = any). */
	uint32_t (*selects)(uint32_t test, uint32_t device, const char *part);
	/* Returns an error when a device other than 0 cannot be opened.  If the plugin cannot be
	 * loaded or started, or device 0 cannot be opened, tests fail instead. */
	eh_status (*begin)(const eh_trial *trial, void **self, eh_error *error);
	/* Loads, starts and opens what the test needs. */
	void (*prepare)(void *self, uint32_t test);
	/* EH_TEST_*.  Unless it passes, *reason is one sentence, valid until the next call. */
	uint32_t (*run)(void *self, uint32_t test, const char **reason);
	/* Stops the plugin.  EH_E_UNAVAILABLE with advice when no test failed and nothing could be
	 * tested, because the plugin or its device is not available here.  EH_E_INTERNAL when the
	 * plugin breaks a rule in it. */
	eh_status (*end)(void *self, eh_error *error);
} eh_suite;

/* ---- the identity block --------------------------------------------------------------------- */

/* Static and constant. */
typedef struct eh_conformance {
	uint32_t magic;          /* EH_CONFORMANCE_MAGIC                                      */
	uint32_t struct_size;
	uint16_t abi_major;      /* of the header it was built with                           */
	uint16_t abi_minor;
	uint16_t pointer_bytes;  /* sizeof(void *)                                            */
	uint16_t reserved;
	const char *name;        /* equal to the file's: NAME.so                              */
	const char *title;
	const char *version;     /* the plugin's own                                          */
	const char *license;     /* SPDX identifier                                           */
	const eh_suite *backend;
	const eh_suite *probe;
} eh_conformance;

/* Pure, as eh_backend_entry_v1. */
typedef const eh_conformance *(*eh_conformance_entry)(void);
EH_EXPORT const eh_conformance *eh_conformance_entry_v1(void);

#ifdef __cplusplus
}
#endif
#endif /* EVENHAND_CONFORMANCE_H */
