/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tables of functions that call the plugin's and look at what each call leaves behind: a status
 * that the ABI does not know, an error that is no text, a time that runs backwards, another
 * rounding mode or locale.  The program that runs the trial is told which slot is running, so it
 * can name the slot of a crash or a hang.  One trial in a process.
 */
#ifndef CONFORMANCE_GUARD_H
#define CONFORMANCE_GUARD_H

#include "evenhand/conformance.h"

void guard_begin(const eh_trial *trial);
/* Around a call that is in no table; slot is a constant text. */
void guard_enter(const char *slot);
void guard_leave(const char *slot);
/* The tables that call `ops`.  What the plugin does not provide is not provided here. */
const eh_backend_ops *guard_backend(const eh_backend_ops *ops);
const eh_probe_ops *guard_probe(const eh_probe_ops *ops);
/* The first trouble since the last call, or NULL; valid until the next trouble. */
const char *guard_trouble(void);

#endif
