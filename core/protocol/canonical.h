/* SPDX-License-Identifier: Apache-2.0 */
/* The canonical form of a protocol, record_plan: docs/protocol.md, "Identity". */
#ifndef PROTOCOL_CANONICAL_H
#define PROTOCOL_CANONICAL_H

#include "protocol/plan.h"

/* Of a plan whose cases are complete; the caller frees it with layout_free. */
record_plan *canonical_protocol(const plan *made);
/* What a record holds of the work; *out is initialised. */
void canonical_work(const eh_work *work, record_work *out);

#endif
