/* SPDX-License-Identifier: Apache-2.0 */
/* The sampling loop: batch, warm-up, samples, stop rule.  Rules and numbers: docs/method.md. */
#ifndef MEASURE_SAMPLER_H
#define MEASURE_SAMPLER_H

#include "base/random.h"
#include "measure/measure.h"
#include "measure/verify.h"

/* Samples that a sustained series keeps at most: more are merged two by two. */
#define SAMPLER_SUSTAINED_ROOM ((size_t)100000)

typedef struct sampler {
	prepared *p;
	const record_instrument *clocks;
	record_settings rules;
	uint32_t region;        /* EH_REGION_*: what stands in the timed region               */
	bool device;            /* samples are on the device's clock                          */
	uint64_t batch;         /* operations in a sample                                     */
	size_t count, room;
	uint64_t *times_ns;     /* [room] samples in order                                    */
	uint64_t *host_ns;      /* [room] the same by the host clock; NULL unless device      */
	uint64_t *starts_ns;    /* [room] when each began, by the host clock                  */
	uint64_t *rounds;       /* [room] the round of each; NULL: no turns are taken            */
	size_t warmup_count, warmup_room;
	uint64_t *warmup_ns;    /* the newest; [warmup_room]                                  */
	bool gave_up_device;    /* the device clock is usable, but not for operations so short    */
	bool short_samples;     /* a sample is too short for its overhead or its clock          */
	bool settled;           /* the warm-up rule held before its longest time              */
	double *scratch;        /* [room]                                                     */
	double half_width;      /* relative; INFINITY = not known                             */
	bool converged;
	char impossible[192];   /* why a time cannot be true, else empty                      */
	unsigned impossible_times; /* device times above the host's so far                    */
	bool waits;             /* the newest trial of the batch showed that waiting waits     */
	record_doubt_list doubts; /* suspicions that were tried in pairs                      */
	random_state random;    /* places of the audits                                       */
	uint64_t drained_ns;    /* when the queue was last drained                            */
	uint64_t drain_gap_ns;  /* until the next time                                        */
	unsigned slow_drains;   /* in a row                                                   */
	uint64_t idle_ns;       /* draining a queue that has nothing to do                    */
	uint64_t start_ns;      /* when the last sample began and ended, host clock           */
	uint64_t end_ns;
	uint64_t samples_min;   /* that the rules and the statistic ask for                   */
	uint64_t audits_ns;     /* that audits of this series took: no time of the samples     */
	measure_report report;  /* may be NULL                                                */
	void *context;
	uint64_t reported_ns;
} sampler;

/* Whether samples are on the device's clock: then the case needs a timed queue. */
bool sampler_on_device(const record_instrument *clocks, const record_settings *rules,
                       const eh_work *work);

/* Makes room for all samples: nothing is allocated later.  p and clocks outlive the sampler. */
void sampler_init(sampler *s, prepared *p, const record_instrument *clocks,
                  const record_settings *rules, uint64_t seed);
void sampler_free(sampler *s);

/* Samples will be taken in turns.  Right after sampler_init. */
void sampler_take_turns(sampler *s);

/*
 * Chooses the batch.  Call it first: the others need idle_ns.  Samples use the host's clock where
 * they stay so short that launching hides whether the device's clock is right.  Percentiles are of
 * single operations, which are not batched: EH_E_UNSUPPORTED when one is too short for its clock.
 */
eh_status sampler_batch(sampler *s, eh_error *error);
/* Whether waiting really waits: reading back right after it must not take as long as the work did.
 * Sets `impossible` when it does persistently; one trial without it is enough here, because the
 * proof tries again. */
eh_status sampler_try_wait(sampler *s, eh_error *error);
/* The same from a sample and reading back right after it: then no trial is needed. */
void sampler_see_wait(sampler *s, uint64_t host_ns, uint64_t drained_ns);
/* The newest trial of the batch is the first of these operations where it lasted warmup-min. */
eh_status sampler_warm(sampler *s, eh_error *error);
/*
 * Takes samples until the stop rule holds or the budget is spent.  With v (else NULL) some
 * operations are audited: outputs overwritten before, checked after; those times are not kept.  Of an
 * operation of a second or more they are, and so is that of the warm-up (docs/sequence.md).
 * Ends early, with EH_OK, when an audit fails or a time is impossible.
 */
eh_status sampler_run(sampler *s, verify_state *v, eh_error *error);

/* A turn of about length_ns after other executors had theirs: unkept operations, because the caches
 * are theirs, then samples of that round.  A turn at random begins with an audit, if v is given. */
eh_status sampler_turn(sampler *s, verify_state *v, uint64_t round, uint64_t length_ns,
                       eh_error *error);
/* After the last turn: the audit, if no turn had one. */
eh_status sampler_end_turns(sampler *s, verify_state *v, eh_error *error);

/* One sample: see struct sampler for what it leaves.  *time is by the clock of the samples. */
eh_status sampler_take(sampler *s, uint64_t *time, uint64_t *host, eh_error *error);
/* Counts a device time that is longer than the host's of the same operations; sets `impossible` when
 * it is not the only one. */
void sampler_compare_clocks(sampler *s, uint64_t device_ns, uint64_t host_ns);
/* Drains the queue when drain_gap_ns has passed since the last time; sets `impossible` when work was
 * left over. */
eh_status sampler_drain(sampler *s, eh_error *error);
/* Begins a series: no samples yet, and at least so long until the queue is drained. */
void sampler_begin(sampler *s, uint64_t shortest_gap_ns);
/* Reports progress, at most ten times a second. */
void sampler_tell(sampler *s, const char *stage, double median);

/* Uses times that were measured otherwise, by the host's clock, one operation each; they end now. */
void sampler_adopt(sampler *s, const uint64_t *times_ns, const uint64_t *starts_ns, size_t count);

/* `count` operations in the way of the samples, without keeping their times; *enqueue_ns is
 * the host's time in the enqueue calls. */
eh_status sampler_operate(sampler *s, uint64_t count, uint64_t *enqueue_ns, eh_error *error);

/* Median of the samples, per operation; 0 when there are none. */
double sampler_median(sampler *s);

#endif
