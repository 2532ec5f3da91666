/* SPDX-License-Identifier: Apache-2.0 */
/* Input data: the counter-based generators and conversions behind eh_bench (workload.h). */
#ifndef MEASURE_INPUTS_H
#define MEASURE_INPUTS_H

#include <stdint.h>

/* Of an element; of an unknown precision those of f32. */
uint32_t inputs_element_bytes(const char *precision);
void inputs_fill_normal(void *out, uint64_t first, uint64_t count, const char *precision,
                        uint64_t seed, uint32_t stream);
void inputs_fill_uniform(void *out, uint64_t first, uint64_t count, const char *precision,
                         uint64_t seed, uint32_t stream);
/* Sign and every bit of the fraction random, magnitudes in [1/16, 1): what has no pattern to
 * compress but in the exponent. */
void inputs_fill_dense(void *out, uint64_t first, uint64_t count, const char *precision,
                       uint64_t seed, uint32_t stream);
void inputs_fill_bytes(void *out, uint64_t first, uint64_t count, uint64_t seed, uint32_t stream);
double inputs_to_double(const void *element, const char *precision);

#endif
