/* SPDX-License-Identifier: Apache-2.0 */
/* The comparability contract: whether two results may be compared, and what the comparison says. */
#ifndef CONTRACT_CONTRACT_H
#define CONTRACT_CONTRACT_H

#include "record/result.h"

enum contract_level {       /* in order of severity                                          */
	CONTRACT_COMPARABLE,
	CONTRACT_CAVEAT,    /* compared, and the reason printed with the number              */
	CONTRACT_DESCRIPTION, /* both values and their ratio, but no verdict                 */
	CONTRACT_REFUSED
};
enum contract_scope {
	CONTRACT_RESULT,
	CONTRACT_CASE,
	CONTRACT_VERDICT, /* asked once the ratio is known; it never refuses                 */
	CONTRACT_ENERGY   /* asked where both sides measured energy; it concerns that alone  */
};

struct case_facts;

/* One rule.  The table in contract/rules.c is the contract. */
typedef struct contract_rule {
	const char *id;              /* "protocol-differs"; cited by verdicts, never reused       */
	enum contract_scope scope;
	enum contract_level level;   /* what it gives when it fires                               */
	enum contract_level certified; /* the same in a certified comparison; not below level     */
	const char *sentence;        /* the rule in words                                         */
	const char *why;
	/* True when it fires; detail (size bytes) gets what differs.  Cases are NULL in scope
	 * CONTRACT_RESULT.  NULL in scope CONTRACT_VERDICT: these follow from the numbers. */
	bool (*fires)(const result *a, const result *b, const struct case_facts *x,
	              const struct case_facts *y, char *detail, size_t size);
} contract_rule;

size_t contract_rules(const contract_rule **out);
const char *contract_level_name(enum contract_level level);
const char *contract_scope_name(enum contract_scope scope);

/* Executions on each side below which no verdict is given, and none when certified. */
#define CONTRACT_EXECUTIONS 5
#define CONTRACT_EXECUTIONS_CERTIFIED 10

typedef struct contract_reason {
	const contract_rule *rule;
	enum contract_level level; /* the rule's, or its certified one                          */
	char detail[256];
} contract_reason;

enum comparison_verdict {
	VERDICT_FASTER, VERDICT_SLOWER, VERDICT_EQUIVALENT, VERDICT_INCONCLUSIVE,
	VERDICT_DESCRIPTION,     /* comparable, but too few executions for a verdict              */
	VERDICT_NOT_COMPARABLE,
	VERDICT_ABSENT           /* the case did not run on one side                              */
};

/* A ratio of two times with its interval; ratio 0 = there is none. */
typedef struct comparison_ratio { double ratio; interval around; } comparison_ratio;

/* Of one operation; joules 0 = not measured. */
typedef struct comparison_energy { double joules; const char *means; } comparison_energy;

typedef struct comparison_row {
	const char *id;                 /* of a, else of b                                        */
	const result_row *a, *b;        /* NULL when absent on that side                          */
	enum comparison_verdict verdict;/* of b against a: FASTER = b is faster                   */
	enum comparison_verdict alone;  /* what the row's interval says without the other rows    */
	double quantile;                /* what is compared; 0: the median                        */
	double a_center, b_center;      /* ns per operation                                       */
	interval a_interval, b_interval;
	size_t rounds;                  /* compared one by one, where one run measured both sides in
	                                   turns; 0: the sides as a whole                         */
	double speedup;                 /* a_center / b_center, or the median of that of the rounds:
	                                   > 1 when b is faster; 0 = none is given (refused or
	                                   absent)                                                */
	interval speedup_interval;
	double margin;
	double p_value;                 /* that there is no difference beyond the margin, raised by
	                                   Holm's rule for the number of cases; 1 without a claim */
	enum contract_level level;      /* the most severe of the row's reasons                   */
	contract_reason *reasons;
	size_t reason_count;
	/* What the row's tier gains over the portable sibling in the same result. */
	comparison_ratio a_gain, b_gain;
	/* a / b where the tier alone forbids the comparison: it ranks the tuning.                */
	comparison_ratio tier_gain;
	comparison_energy a_energy, b_energy;
	double energy_ratio;            /* a / b: > 1 when b takes less; 0 = none is given        */
} comparison_row;

/* Over the compared cases of one metric and tier. */
typedef struct comparison_mean {
	const char *metric, *tier;      /* borrowed                                               */
	size_t cases;
	double a, b;                    /* seconds: arithmetic mean; a rate: harmonic mean        */
	double speedup;                 /* geometric mean                                         */
	interval range;                 /* smallest and largest speed-up                          */
} comparison_mean;

typedef struct comparison {
	const result *a, *b;
	bool certified;
	bool one_run;                   /* measured both in turns                                 */
	enum contract_level level;      /* of the results as a whole                              */
	contract_reason *reasons;
	size_t reason_count;
	comparison_row *rows;
	size_t row_count;
	size_t *by_id;                  /* the rows' indices, sorted by id                        */
	size_t counts[7];               /* by verdict                                             */
	size_t family;                  /* cases that share the 5 % of Holm's rule                */
	comparison_mean means[9];       /* of metrics and tiers with two or more compared cases   */
	size_t mean_count;
} comparison;

typedef struct contract_options {
	double margin;    /* differences up to it count as none, where nothing asks for more; 0 = no
	                     wish */
	bool certified;   /* the stricter levels; a certified protocol on either side implies them */
} contract_options;

/* Reads a result for comparing alone: as result_read, with little memory. */
eh_status contract_read(const char *path, result **out, eh_error *error);
/* a is the baseline; read by contract_read or result_read.  Never fails: what cannot be compared
 * says why. */
comparison *contract_compare_with(const result *a, const result *b, contract_options options);
comparison *contract_compare(const result *a, const result *b, double margin);
void comparison_free(comparison *c); /* NULL is fine */
const comparison_row *comparison_row_by_id(const comparison *c, const char *id);
const char *comparison_verdict_name(enum comparison_verdict v);
/* How many different binaries of the kernel the counted executions of a case ran;
 * its JSON must be there. */
size_t contract_binaries(const result_row *r);
/* EXIT_CODE_NEGATIVE when a row is SLOWER; else _NOT_COMPARABLE when the results or a row are
 * not comparable, or no row was compared; else _INCONCLUSIVE when strict and a row has no verdict;
 * else _OK. */
int comparison_exit_code(const comparison *c, bool strict);

#endif
