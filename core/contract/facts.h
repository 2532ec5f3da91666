/* SPDX-License-Identifier: Apache-2.0 */
/* Inside of the contract room: what the rules ask of what was measured in a case, taken once from
 * its row, so that the rows of large results need not stay in memory.  What was declared (work,
 * parameters, measure) stands in row->plan. */
#ifndef CONTRACT_FACTS_H
#define CONTRACT_FACTS_H

#include "contract/contract.h"

/* Of an execution that counts (status valid or not-converged). */
typedef struct execution_facts {
	uint64_t number;
	const char *distribution;  /* of the inputs; NULL when nothing is recorded of them      */
	const char *data_sha256;
} execution_facts;

typedef struct case_facts {
	const result_row *row;
	const char *reason;        /* the first, or the status                                  */
	const char **flags;
	size_t flag_count;
	execution_facts *executions;
	size_t execution_count;    /* those that count                                          */
	/* What follows is of the executions that count. */
	const char *verification_gap; /* "absent", "failed"; NULL: all passed                   */
	const char *cache;         /* the recorded state                                        */
	const char *source_sha256; /* of the first program; "" when none is recorded            */
	size_t binaries;           /* how many different ones the executions ran                */
	bool device_clock;         /* an execution was timed by it                              */
	bool other_clock;          /* an execution has another clock than the row               */
	uint64_t host_batch;       /* the smallest by the host's clock; 0: none                 */
	bool tuned;                /* every one has its trials and what they chose              */
	uint64_t tuning_budget_ns;
	double claim;              /* least share of the proof's time; INFINITY: not asked      */
	double unconverged;        /* widest relative half-width; 0: converged; INFINITY: unknown */
	double drift;              /* of the canary; -1: there was none                         */
	size_t unsteady;           /* executions without a steady state                         */
	const char *throttled;     /* by what; NULL: it was not                                 */
	uint64_t users;            /* the most processes seen on the device                     */
	bool recognises;           /* repeated inputs take another time than new ones           */
	bool varied;               /* an execution tells of tries with new inputs               */
	bool untried;              /* an execution has too few of them                          */
	comparison_energy energy;
	interval median, statistic; /* as recorded                                              */
	bool has_statistic;
} case_facts;

/* For reading lean: kept of every row (case_facts). */
extern const result_keeper facts_keeper;
/* Fills in what the row's tree says, which must be there; texts go into the arena. */
void facts_take(const result_row *row, json_arena *arena, void *facts);

/* For facts_take: what records of the machine and the inputs say, in facts_record.c. */
void facts_take_machine(const cJSON *tree, json_arena *arena, case_facts *f);
void facts_take_origin(const cJSON *tree, json_arena *arena, case_facts *f);

/* Whether the executions' samples count (status valid or not-converged). */
bool facts_counts(const cJSON *execution);
/* A copy in the arena. */
const char *facts_text(json_arena *arena, const char *text);
/* The flag whose name begins with one of the words (NULL-terminated); NULL when there is none. */
const char *facts_flag(const case_facts *f, const char *const *beginnings);
/* A text of the case's measurement settings. */
const char *facts_setting(const result_row *row, const char *key, const char *standard);

#endif
