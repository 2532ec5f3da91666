/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether the precision that a case declares is what its arithmetic is done in.  Kernels say it
 * by their types: one of bf16/f32/f32 loads bf16 and calculates in f32, on every device.  A device says
 * whether its f64 and f16 are done in software, and a library what its kernel multiplies, or nothing.
 */
#ifndef MEASURE_ARITHMETIC_H
#define MEASURE_ARITHMETIC_H

#include "evenhand/workload.h"
#include "record/record.h"

/* malloc'd by layout_new; NULL where the work has no arithmetic, or `library`, which does it (NULL: a
 * kernel), does not tell.  caps: EH_CAP_*. */
record_arithmetic *arithmetic_record(const eh_work *work, uint64_t caps, const record_library *library);

#endif
