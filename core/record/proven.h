/* SPDX-License-Identifier: Apache-2.0 */
/* What the proof, the doubts and the pairs of new inputs of an execution say of its samples.  The
 * worker judges by these functions, and readers of the record again.  docs/method.md, "Suspicion and proof". */
#ifndef RECORD_PROVEN_H
#define RECORD_PROVEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record/record.h"

/* Whether the parts of a proof clear that waiting waits, and that samples take as long as they
 * claim. */
bool proven_waits(const record_proof *p);
bool proven_claims(const record_proof *p);

/* The quantile of times, as one of them; 0 when there are none. */
double proven_quantile(const uint64_t *times_ns, size_t count, double quantile);
/* Per operation: what the samples claim, by the statistic that stands for the row, or the median
 * instead of a percentile. */
double proven_claimed(const uint64_t *times_ns, size_t count, uint64_t batch,
                      enum record_statistic statistic);
/* valid, unproven or invalid: samples that claim so much per operation, beside the proof's time. */
enum record_status proven_speed(double claimed_ns, double proved_ns);

/* Whether an operation takes longer on new inputs than on those of the samples, whose median per
 * operation is given. */
bool proven_inputs_differ(const record_varied *pairs, double median_ns, uint64_t launch_ns);
/* Whether they may: they do, or there are few pairs and one of them says so, as others may be
 * disturbed.  Then more pairs are to be taken. */
bool proven_inputs_may_differ(const record_varied *pairs, double median_ns, uint64_t launch_ns);
/* Whether in all pairs both operations took longer than data that was just written can explain. */
bool proven_inputs_far(const record_varied *pairs, double median_ns, uint64_t launch_ns);

/* Fills a doubt of repeated inputs, with its verdict: the pairs with both sides in ascending order, the
 * quickest with the quickest.  What disturbs one operation or the other does not count then, but that
 * one kind is slower throughout does. */
void proven_inputs_doubt(const record_varied *pairs, record_doubt *d);
/* The verdict that follows from the pairs of a doubt. */
enum record_doubt_verdict proven_verdict(const record_doubt *d);

/* The least severe status that the parts of the proof, doubts and pairs allow an execution; evidence
 * that is absent allows all, and the speed of the samples is asked for by record/row_evidence.h.  *why is a sentence's end, where that is not valid.  i NULL: not recorded. */
enum record_status proven_least(const record_case *row, const record_execution *e,
                                const record_instrument *i, const char **why);
/* Whether its pairs ask for the flag varied-differs. */
bool proven_varied(const record_execution *e, const record_instrument *i);

#endif
