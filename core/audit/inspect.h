/* SPDX-License-Identifier: Apache-2.0 */
/* Everything that can be checked of a result or a bundle without measuring anything. */
#ifndef AUDIT_INSPECT_H
#define AUDIT_INSPECT_H

#include "audit/audit.h"
#include "audit/bundle.h"
#include "audit/planned.h"

/* Adds a report for a result, or one for a bundle and one for each result in it, to an initialised
 * struct.  What does not hold is in the reports; an error is a file that cannot be read, or a
 * bundle that cannot be unpacked.  plan NULL: protocols' texts are not planned again. */
eh_status audit_inspect(const char *path, audit_planner *plan, audit_verification *out,
                        eh_error *error);
/* The same for a bundle that was read from the path. */
eh_status audit_inspect_bundle(const char *path, const bundle *b, audit_planner *plan,
                               audit_verification *out, eh_error *error);
/* audit_trust for a result that is the bundle's member of that name; *out is the caller's. */
eh_status audit_trust_member(const bundle *b, const char *name, const result *r, const audit_keys *keys,
                             audit_evidence **out, eh_error *error);
/* Why a report does not hold, or NULL: the first of its problems. */
const char *audit_problem(const audit_report *r);
/* Makes the answer of a result that is consistent AUDIT_NOT_SIGNED unless the key with this fingerprint
 * signed; NULL: any key that is trusted as tester.  A bundle without a signature may hold signed
 * results: its own answer stays. */
void audit_require_signature(audit_report *r, const char *fingerprint);

#endif
