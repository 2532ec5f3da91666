/* SPDX-License-Identifier: Apache-2.0 */
/* Which executors use one piece of hardware, and whether their work fits in its memory together. */
#ifndef RUN_SHARING_H
#define RUN_SHARING_H

#include "record/record.h"

/* Processors of the machine are one piece of hardware; so are devices of one address, one uuid, or,
 * without these, one name. */
bool sharing_same(const record_device *a, const record_device *b);

/* Whether `count` executors can hold `bytes` of device memory each at the same time. */
bool sharing_fits(const record_device *const *devices, size_t count, uint64_t bytes);

#endif
