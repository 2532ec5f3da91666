/* SPDX-License-Identifier: Apache-2.0 */
/* What `evenhand claim` prints. */
#ifndef REPORT_CLAIMED_H
#define REPORT_CLAIMED_H

#include <stdio.h>

#include "analysis/claim.h"

/* What the claim says, in a few lines. */
bool report_claim(FILE *out, const claim *c);
/* The claim, its cases with the reasons of the contract, and the answer. */
bool report_claim_verdict(FILE *out, const claim_verdict *v, bool verbose);

#endif
