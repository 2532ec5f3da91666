/* SPDX-License-Identifier: Apache-2.0 */
/* Inside of the contract room: the conditions of the rules, and what they share. */
#ifndef CONTRACT_CONDITION_H
#define CONTRACT_CONDITION_H

#include "contract/contract.h"

/* What the claims of one comparison may err by together. */
#define CONTRACT_FAMILY_ERROR 0.05

#define CONDITION_UNUSED __attribute__((unused))
/* A contract_condition.  It writes `detail` only where it fires: most do not. */
#define CONDITION(name)                                                                       \
	bool name(const result *a CONDITION_UNUSED, const result *b CONDITION_UNUSED,           \
	          const result_row *x CONDITION_UNUSED, const result_row *y CONDITION_UNUSED,   \
	          char *detail CONDITION_UNUSED, size_t size CONDITION_UNUSED)

CONDITION(condition_protocol_same);
CONDITION(condition_protocol_compatible);
CONDITION(condition_protocol_differs);
CONDITION(condition_data_seed);
CONDITION(condition_simulated);
CONDITION(condition_harness_major);
CONDITION(condition_abi);
CONDITION(condition_dirty);
CONDITION(condition_incomplete);
CONDITION(condition_deviations);
CONDITION(condition_signature);
CONDITION(condition_verified);
CONDITION(condition_disputed);
CONDITION(condition_undisclosed);
CONDITION(condition_fields);
CONDITION(condition_partition);
CONDITION(condition_device_count);
CONDITION(condition_power_cap);
CONDITION(condition_virtual);
CONDITION(condition_container);
CONDITION(condition_ecc);
CONDITION(condition_same_result);
CONDITION(condition_layers);

/* A row may be NULL for this one; the others are asked only when both are there. */
CONDITION(condition_absent);
CONDITION(condition_failed);
CONDITION(condition_invalid);
CONDITION(condition_verification);
CONDITION(condition_proof);
CONDITION(condition_evidence);
CONDITION(condition_renamed);
CONDITION(condition_workload);
CONDITION(condition_size);
CONDITION(condition_precision);
CONDITION(condition_emulation);
CONDITION(condition_metric);
CONDITION(condition_region);
CONDITION(condition_cache);
CONDITION(condition_regime);
CONDITION(condition_scenario);
CONDITION(condition_input_data);
CONDITION(condition_input_undisclosed);
CONDITION(condition_copied);
CONDITION(condition_statistic);
CONDITION(condition_percentile);
CONDITION(condition_energy_means);
CONDITION(condition_clock);
CONDITION(condition_clock_bias);
CONDITION(condition_clock_mixed);
CONDITION(condition_zero_time);
CONDITION(condition_tier);
CONDITION(condition_tuning);
CONDITION(condition_source);
CONDITION(condition_binary);
CONDITION(condition_varied);
CONDITION(condition_not_varied);
CONDITION(condition_sampling);
CONDITION(condition_not_converged);
CONDITION(condition_sustained);
CONDITION(condition_unsteady);
CONDITION(condition_unsteady_sustained);
CONDITION(condition_throttled);
CONDITION(condition_throttled_burst);
CONDITION(condition_shared_device);
CONDITION(condition_disturbed);
CONDITION(condition_few);
CONDITION(condition_few_certified);
CONDITION(condition_canary_drift);
CONDITION(condition_flags);

/* ---- what conditions share ------------------------------------------------------------------- */

/* The execution after e that counts, the first for NULL; NULL at the end. */
const record_execution *condition_next(const result_row *r, const record_execution *e);
#define EACH_COUNTED(e, row) \
	(const record_execution *e = NULL; ((e) = condition_next(row, e)) != NULL;)
/* Whether each side has an execution that counts. */
static inline bool condition_both_count(const result_row *x, const result_row *y)
{
	return condition_next(x, NULL) != NULL && condition_next(y, NULL) != NULL;
}

static inline const record_settings *condition_settings(const result_row *r)
{
	return &r->planned->measure;
}

/* True, with "A | B", when they differ. */
bool condition_differ(const char *a, const char *b, char *detail, size_t size);
/* Whether a comma list has the word. */
bool condition_in_list(const char *list, const char *word);
/* True, with "WHAT on the baseline", when a side has it. */
bool condition_either(bool a, bool b, const char *what, char *detail, size_t size);

/* ---- what the rest of the room asks ---------------------------------------------------------- */

/* Whether one protocol lists the other as compatible, or both are one. */
bool condition_protocols_fit(const result *a, const result *b);
/* The margin that the protocols of both declare for the case: the larger one. */
double condition_margin(const result_row *x, const result_row *y);
/* The A/A noise floor of the case's workload on that executor, as a share; 0: not known. */
double condition_floor(const result *r, const result_row *x);
/* The layers that differ: "compiler gcc 12.2.0 | 13.1.0; ...", as many as fit.  Returns their
 * number. */
size_t condition_layer_list(const result *a, const result *b, char *out, size_t size);

/* Of one operation in an execution that counts; joules NAN where no energy was measured. */
typedef struct energy { double joules; const char *means; } energy;
energy energy_of(const result_row *r);

/* Fills id, a and b of all rows: a case with the case of the same id, and where the protocols fit
 * but are not one, else with the only one of the same identity. */
void pairing_fill(comparison *c);
/* malloc'd text that is equal for two cases that measure the same work the same way; with_tier: and
 * in the same tier. */
char *pairing_identity(const result_row *r, bool with_tier);
/* What the tuned and vendor cases gain over their portable siblings. */
void gain_fill(comparison *c);

/* Whether one run measured both results in turns, execution by execution. */
bool rounds_of_one_run(const result *a, const result *b);
/* The rounds that both rows share, where they are enough for a claim among so many cases
 * (stat/rounds.h); else 0. */
size_t rounds_shared(const comparison *c, const result_row *x, const result_row *y);

/* The percentile that both rows declare and have samples enough for, else 0. */
double quantile_of(const result_row *x, const result_row *y);
/* The side as it is compared by that quantile. */
statistics_side quantile_side(const result_row *r, double quantile);

/* The ratio of the centers a / b with its interval; exchanging the sides gives the exact inverse.
 * ratio 0 when it is not finite.  rounds: the sides share them (rounds_shared). */
comparison_ratio ratio_of(const statistics_side *a, const statistics_side *b, bool rounds);
/* malloc'd, NULL where ratio is 0. */
comparison_ratio *ratio_kept(comparison_ratio ratio);
bool ratio_same_samples(const statistics_side *a, const statistics_side *b);
/* The same with a verdict: *alone is what the interval says of the margin.  *p is twice the
 * bootstrap's probability that there is no difference in that direction beyond the margin; 1 where
 * the interval claims none. */
comparison_ratio ratio_judged(const statistics_side *a, const statistics_side *b, bool rounds,
                              double margin, enum comparison_verdict *alone, double *p);
/* Adds a reason to a case, by a rule of scope verdict; the id must be in the table. */
void reason_judged(const comparison *c, comparison_row *row, const char *id, const char *detail);
/* Verdicts of all rows that have a ratio and no refusal, by Holm's rule. */
void verdict_fill(comparison *c);
/* Means over the compared cases. */
void mean_fill(comparison *c);

#endif
