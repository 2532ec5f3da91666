/* SPDX-License-Identifier: Apache-2.0 */
/* Everything about one case of one executor: what `evenhand explain` prints. */
#ifndef REPORT_EXPLAIN_H
#define REPORT_EXPLAIN_H

#include <stdbool.h>
#include <stdio.h>

#include "contract/contract.h"

/* A row of a result, and the comparison that it is the other side of; NULL: it stands alone. */
typedef struct explain_subject {
	const result *of;
	const result_row *row;            /* NULL: the result has no such case                 */
	const comparison *against;
	const comparison_row *compared;   /* NULL with `against` alone                         */
} explain_subject;

/* The verdict with every rule that fired, then what was measured.  False when writing failed. */
bool report_explained(FILE *out, const explain_subject *s);

/* ---- parts ----------------------------------------------------------------------------------- */

#define EXPLAIN_LABEL 12
__attribute__((format(printf, 3, 4)))
bool explain_item(FILE *out, const char *label, const char *format, ...);
bool explain_samples(FILE *out, const record_case *c);
/* Samples, executions, clock, proof, canary, verification, telemetry. */
bool explain_measured(FILE *out, const explain_subject *s);

#endif
