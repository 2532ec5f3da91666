/* SPDX-License-Identifier: Apache-2.0 */
/* Claims: what somebody states about two executors under a protocol, and whether results support
 * it.  Format and rules: docs/claims.md. */
#ifndef ANALYSIS_CLAIM_H
#define ANALYSIS_CLAIM_H

#include "analysis/analysis.h"

/* EH_E_USAGE with file, line and key for whatever the format does not allow. */
eh_status claim_parse(const char *data, size_t size, const char *source, claim **out,
                      eh_error *error);
eh_status claim_read(const char *path, claim **out, eh_error *error);
void claim_free(claim *c); /* NULL is fine */

/* Whether the claim is about the case. */
bool claim_names_case(const claim *c, const char *id);
/* Whether the executor meets every condition of a selector. */
bool claim_selects(const char *selector, const record_executor *e);

/* malloc'd: the first pattern of the claim's cases that fits none of the ids; NULL: each fits one. */
char *claim_idle_pattern(const claim *c, const char *const *ids, size_t count);

/* The results outlive what is returned; exit_code is left to the caller.  NULL, with EH_E_USAGE, when
 * a pattern of the claim's cases fits no case: nobody knows what it was to claim. */
claim_verdict *claim_decide(const claim *c, const result *const *results, size_t count,
                            eh_error *error);
void claim_verdict_free(claim_verdict *v); /* NULL is fine */

#endif
