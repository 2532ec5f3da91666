/* SPDX-License-Identifier: Apache-2.0 */
/* Inside of the contract room: the conditions of the rules, and what they share. */
#ifndef CONTRACT_CONDITION_H
#define CONTRACT_CONDITION_H

#include "contract/contract.h"
#include "stat/decision.h"
#include "stat/lockstep.h"

#define CONDITION_UNUSED __attribute__((unused))
/* A contract_side: of one result, or of its row x.  It writes `detail` only where it fires: most do
 * not. */
#define SIDE(name)                                                                            \
	bool name(const result *a CONDITION_UNUSED, const result_row *x CONDITION_UNUSED,       \
	          char *detail CONDITION_UNUSED, size_t size CONDITION_UNUSED)
/* A contract_condition, likewise. */
#define CONDITION(name)                                                                       \
	bool name(const result *a CONDITION_UNUSED, const result *b CONDITION_UNUSED,           \
	          const result_row *x CONDITION_UNUSED, const result_row *y CONDITION_UNUSED,   \
	          char *detail CONDITION_UNUSED, size_t size CONDITION_UNUSED)

/* Of results; the rows are NULL. */
SIDE(side_simulated);
SIDE(side_dirty);
SIDE(side_incomplete);
SIDE(side_deviations);
SIDE(side_signature);
SIDE(side_disputed);
SIDE(side_undisclosed);
SIDE(side_fields);
CONDITION(condition_protocol_same);
CONDITION(condition_protocol_compatible);
CONDITION(condition_protocol_differs);
CONDITION(condition_data_seed);
CONDITION(condition_harness_major);
CONDITION(condition_abi);
CONDITION(condition_verified);
CONDITION(condition_partition);
CONDITION(condition_device_count);
CONDITION(condition_power_cap);
CONDITION(condition_virtual);
CONDITION(condition_container);
CONDITION(condition_ecc);
CONDITION(condition_same_result);
CONDITION(condition_layers);
CONDITION(condition_noise_unfit);

/* Of rows. */
SIDE(side_absent);
SIDE(side_failed);
SIDE(side_invalid);
SIDE(side_verification);
SIDE(side_proof);
SIDE(side_evidence);
SIDE(side_unproven);
SIDE(side_input_data);
SIDE(side_copied);
SIDE(side_percentile);
SIDE(side_clock_mixed);
SIDE(side_zero_time);
SIDE(side_tuning);
SIDE(side_binary);
SIDE(side_varied);
SIDE(side_not_varied);
SIDE(side_not_converged);
SIDE(side_sustained);
SIDE(side_unsteady);
SIDE(side_unsteady_sustained);
SIDE(side_throttled);
SIDE(side_shared_device);
SIDE(side_disturbed);
SIDE(side_few);
SIDE(side_few_certified);
SIDE(side_canary_drift);
SIDE(side_flags);

/* A row may be NULL for this one; the others are asked only when both are there. */
CONDITION(condition_absent);
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
CONDITION(condition_energy_means);
CONDITION(condition_clock);
CONDITION(condition_clock_bias);
CONDITION(condition_tier);
CONDITION(condition_tuning);
CONDITION(condition_source);
CONDITION(condition_not_varied);
CONDITION(condition_sampling);
CONDITION(condition_throttled_burst);
CONDITION(condition_turns);
CONDITION(condition_few);
CONDITION(condition_few_certified);

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
/* The A/A noise floor of the case's workload on that executor, as a share; 0: not known.  x NULL:
 * the largest of its workloads. */
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

/* Whether a run in lockstep measured the row, and it has rounds. */
bool lockstep_row(const result *r, const result_row *x);
/* The number of executions in which both rows took turns with each other.  Executions of the same
 * number did where their turns have one origin: one that was measured again later has another. */
size_t lockstep_executions(const result *a, const result *b, const result_row *x,
                           const result_row *y);
/* Time of a / time of b by the rounds that both share, of a row with such executions.  share: further comparisons that share the
 * error of the interval, 1 for none. */
lockstep_ratio lockstep_of(const comparison *c, const comparison_row *row, double margin,
                           size_t share);

/* The declared statistic where both rows have the same and it can be stated, else the median. */
enum record_statistic statistic_of_both(const result_row *x, const result_row *y);
/* The side of r by that statistic. */
statistics_side side_by(const result_row *r, enum record_statistic statistic);
/* The number by that statistic, as recorded; NULL for the median. */
const record_derived_number *number_by(const result_row *r, enum record_statistic statistic);

/* The ratio of the centers a / b with its interval; exchanging the sides gives the exact inverse.
 * ratio 0 when it is not finite.  rounds: the sides share them (rounds_shared). */
comparison_ratio ratio_of(const statistics_side *a, const statistics_side *b, bool rounds,
                          double confidence);
/* malloc'd, NULL where ratio is 0. */
comparison_ratio *ratio_kept(comparison_ratio ratio);
bool ratio_same_samples(const statistics_side *a, const statistics_side *b);
/* The same at 95 %, with the two-sided p-value of a ratio of 1; 1 for identical sides. */
decision_evidence ratio_evidence(const statistics_side *a, const statistics_side *b, bool rounds);
/* Whether a rule is asked: what is only comparable, but more severe when certified, only then. */
bool reason_asked(const contract_rule *rule, bool certified);
/* Adds a reason; returns its level. */
enum contract_level reason_add(contract_reason_list *reasons, const contract_rule *rule,
                               bool certified, const char *detail);
/* Adds a reason for every rule of the scope that fires for a side, by its evidence (NULL: has
 * none), or for both; returns the most severe level.  row: NULL in scope CONTRACT_RESULT. */
enum contract_level reasons_fill(const comparison *c, enum contract_scope scope,
                                 const comparison_row *row, const evidence *of_a,
                                 const evidence *of_b, contract_reason_list *reasons);
/* Adds a reason to a case, by a rule of scope verdict; the id must be in the table. */
void reason_judged(const comparison *c, comparison_row *row, const char *id, const char *detail);
/* The same to the comparison as a whole, by a rule of scope result. */
void reason_whole(comparison *c, const char *id, const char *detail);
/* Whether the teams had agreed, and the runs kept to it. */
void agreed_fill(comparison *c, const audit_team_list *teams);
/* Verdicts of all rows that have a ratio and no refusal, by Holm's rule. */
void verdict_fill(comparison *c);
/* What more of the evidence should decide, of all rows that stayed open. */
void open_fill(comparison *c);
/* Means over the compared cases. */
void mean_fill(comparison *c);

#endif
