/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Planned misbehaviour of a test driver, read once from the environment; the grammar is in
 * docs/test-drivers.md.
 *
 *   EVENHAND_TEST_FAULT  fault[;fault...]
 *     FUNCTION[@WHEN]=ANSWER   ANSWER: a number or a word of the driver ("oom", "lost"), or
 *                              hang, crash, sleep:MILLISECONDS, linger:MILLISECONDS
 *     lost[@WHEN]  hang[@WHEN]  stale[@WHEN]  wrong[@WHEN]     counted over executed commands
 *     early[@WHEN]                                             counted over waits
 *     slow=MICROSECONDS  memory=BYTES  clock=one|stuck  clock[@WHEN]=jump|back
 *     WHEN: N (the N-th only, 1 is the first) or N+ (from the N-th on); left out = 1+
 *   EVENHAND_TEST_CALLS  a file that gets one line per call, its function's name
 *
 * Safe to call from several threads.
 */
#ifndef DRIVERS_FAULTS_H
#define DRIVERS_FAULTS_H

#include <stdbool.h>
#include <stdint.h>

typedef enum faults_kind {
	FAULTS_LOST,
	FAULTS_HANG,
	FAULTS_STALE, /* the command says that it ran and did nothing                           */
	FAULTS_WRONG, /* the command ran and left a flipped bit                                  */
	FAULTS_EARLY, /* the wait returned before the work has run                               */
	FAULTS_KINDS
} faults_kind;

/* The driver's own words for codes: returns true and sets *code. */
typedef bool (*faults_word)(const char *word, int64_t *code);

/*
 * To be called first in every function of the vendor's API: notes the call, and says whether it is
 * to fail, with which code.  A call that is planned to hang never returns, one that is planned to
 * crash aborts.  A text in EVENHAND_TEST_FAULT that is no fault ends the process with status 70 and
 * one sentence, so that no test passes because of a typing mistake.
 */
bool faults_call(const char *function, faults_word word, int64_t *code);

/* To be called last, without the driver's lock: sleeps when the call was planned to linger. */
void faults_linger(void);

/* A line of several words in the file of calls, for what is no call. */
void faults_note(const char *what);

/* Counts one more command (or wait) of this kind; true when it is to misbehave. */
bool faults_due(faults_kind kind);

/* Bytes that a device has, or `otherwise` when no fault limits it. */
uint64_t faults_memory(uint64_t otherwise);

/* Sleeps as a slow device does; called once per executed command. */
void faults_slow(void);

/* Never returns: what a hanging device does to who waits for it. */
__attribute__((noreturn)) void faults_hang(void);

/* The device's clock when the host's says ns; `ticks` counts its readings and belongs to the
 * caller. */
uint64_t faults_clock(uint64_t ns, uint64_t *ticks);

/* What the clock says about the time between two of its readings. */
uint64_t faults_elapsed(uint64_t from, uint64_t to);

#endif
