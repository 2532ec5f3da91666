/* SPDX-License-Identifier: Apache-2.0 */
/* The digest that identifies an executor's stack: that of record_identity, the layers without load,
 * frequencies of the moment, and the kernels and workloads that happen to be mapped. */
#ifndef RECORD_IDENTITY_H
#define RECORD_IDENTITY_H

#include <stdbool.h>

#include "record/record.h"

/* False when a text that the digest covers is redacted: then nobody can compute it. */
bool identity_digest(const record_executor *record, char hex[65]);

/* Whether `part` can be the stack `whole` where fewer cases ran: a library is opened, and its files are mapped
 * and read, by the first case that uses it.  All other layers have to be the same. */
bool identity_within(const record_executor *whole, const record_executor *part);

#endif
