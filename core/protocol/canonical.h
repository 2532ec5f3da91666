/* SPDX-License-Identifier: Apache-2.0 */
/* The canonical form of a protocol: docs/result-format.md, "The journal". */
#ifndef PROTOCOL_CANONICAL_H
#define PROTOCOL_CANONICAL_H

#include "protocol/plan.h"

/* Of a plan whose cases are complete; the caller deletes it. */
cJSON *canonical_protocol(const plan *p);

#endif
