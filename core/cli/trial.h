/* SPDX-License-Identifier: Apache-2.0 */
/* The tests of the conformance suite on one plugin, in child processes (cmd_conformance_child.c).
 * Every selected test gets an outcome: one that a child did not report has failed. */
#ifndef CLI_TRIAL_H
#define CLI_TRIAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/fresh.h"
#include "base/layout.h"
#include "evenhand/conformance.h"

typedef struct trial {
	const char *path, *only;   /* the plugin; part of the tests' names, or NULL             */
	uint64_t deadline_ns;      /* of a test                                                 */
	const eh_suite *suite;
	/* Called for each outcome (EH_TEST_*); reason is not for a test that passed. */
	void (*record)(void *context, const char *name, const char *requirement, uint32_t outcome,
	               const char *reason);
	void *context;
	bool reached;              /* at least one device                                       */
	char *unreached;           /* malloc'd: why no device was reached                       */
	eh_status trouble;         /* a failure of evenhand itself: it ends the trial           */
	eh_error error;
	/* Of the child that is running. */
	fresh slots;               /* the file of slotfile.h                                    */
	size_t next;               /* the first test that has no outcome                        */
	size_t current;            /* SIZE_MAX = none is running                                */
	uint32_t index;            /* of the device                                             */
	int hangs;
	bool preparing, begun, done, refused, strayed;
} trial;

/* Whether the test runs on that device. */
bool trial_selects(const trial *t, size_t number, uint32_t index);
/* "ID (NAME)" of each device that the backend lists. */
void trial_devices(trial *t, text_list *devices);
/* Runs the tests on one device.  Returns t->trouble. */
eh_status trial_run(trial *t, uint32_t index);

#endif
