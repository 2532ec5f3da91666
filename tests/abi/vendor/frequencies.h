/* SPDX-License-Identifier: Apache-2.0 */
/* A list of frequencies of the vendor's against the two layouts that the probe tells apart. */
#include "rocm/rocm_state.h"

#define LAYOUT(type, which) \
	(offsetof(type, num_supported) == offsetof(rocm_frequencies, which.num_supported) && \
	 offsetof(type, current) == offsetof(rocm_frequencies, which.current) && \
	 offsetof(type, frequency) == offsetof(rocm_frequencies, which.frequency) && \
	 sizeof(type) == sizeof(((rocm_frequencies *)NULL)->which) && \
	 sizeof(((type *)NULL)->frequency[0]) == sizeof(uint64_t))
#define FREQUENCIES(type) \
	GRANTED(#type " has one of two layouts", LAYOUT(type, old) || LAYOUT(type, now))
