/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A claim as data: an INI file that says what somebody states about two executors under a protocol.
 * Deciding it is the contract's and the statistics' work.  Format and rules: docs/claims.md.
 */
#ifndef ANALYSIS_CLAIM_H
#define ANALYSIS_CLAIM_H

#include "analysis/stacks.h"
#include "contract/contract.h"

enum claim_metric { CLAIM_SPEED, CLAIM_TIME };
enum claim_relation {
	CLAIM_AT_LEAST, CLAIM_AT_MOST, CLAIM_WITHIN, CLAIM_FASTER, CLAIM_SLOWER, CLAIM_EQUIVALENT
};
enum claim_over { CLAIM_ALL, CLAIM_ANY, CLAIM_MEAN };

typedef struct claim {
	char *name, *text, *claimant, *published;
	char *protocol;          /* without its version                                        */
	uint64_t version;
	char *digest;            /* "": any that the protocol of that name and version has      */
	char *statistic;         /* "" : the protocol's                                        */
	char *cases;             /* comma list of patterns                                     */
	char *a, *b;             /* selectors of executors                                     */
	char *subject;           /* "stack", or the kind of a layer                             */
	enum claim_metric metric;
	enum claim_relation relation;
	enum claim_over over;
	double factor;           /* 1 where the relation has none                              */
	double margin;           /* 0: the contract's                                          */
} claim;

/* EH_E_USAGE with file, line and key for whatever is not as the format says. */
eh_status claim_parse(const char *data, size_t size, const char *source, claim **out,
                      eh_error *error);
eh_status claim_read(const char *path, claim **out, eh_error *error);
void claim_free(claim *c); /* NULL is fine */
const char *claim_relation_name(enum claim_relation relation);
const char *claim_over_name(enum claim_over over);
/* Whether a comma list of patterns names the case. */
bool claim_names_case(const claim *c, const char *id);

/* Whether the record's executor meets every condition of a selector. */
bool claim_selects(const char *selector, const result *r);

enum claim_answer { CLAIM_SUPPORTED, CLAIM_REFUTED, CLAIM_UNDECIDED, CLAIM_REFUSED };

typedef struct claim_case {
	const comparison_row *row;  /* b of the claim is its baseline                             */
	enum claim_answer answer;
	double ratio;               /* metric of a over that of b; 0 = none                       */
	interval around;            /* at `confidence` of the verdict                             */
	char why[160];              /* when it is undecided or refused                            */
} claim_case;

typedef struct claim_verdict {
	const claim *claim;
	const result *a, *b;        /* NULL: missing or ambiguous                                 */
	enum claim_answer answer;
	char *why;                  /* one sentence                                               */
	char **notes;               /* results that were left out, and why                         */
	size_t note_count;
	comparison *numbers;        /* NULL without both                                          */
	stack_difference *stacks;   /* NULL without both                                          */
	claim_case *cases;
	size_t case_count;
	double confidence;          /* of each interval: 0.95 shared among the cases               */
	double mean;                /* over the cases, where the claim is about it; 0 = none       */
	interval mean_interval;
} claim_verdict;

/* The claim and the results outlive what is returned. */
claim_verdict *claim_decide(const claim *c, const result *const *results, size_t count);
void claim_verdict_free(claim_verdict *v);
const char *claim_answer_name(enum claim_answer answer);

#endif
