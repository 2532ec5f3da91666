/* SPDX-License-Identifier: Apache-2.0 */
/* The size class of problems that go beyond a device's caches and fill it. */
#ifndef RUN_SIZECLASS_H
#define RUN_SIZECLASS_H

#include "record/record.h"

/* By the size of the last-level cache; RECORD_SIZE_SMALL where it is not known. */
enum record_size_class sizeclass_of(const record_device *d);

#endif
